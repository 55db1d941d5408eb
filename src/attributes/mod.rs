//! How are filterable attributes stored? As one column per attribute, with values in row order.
//!
//! ```text
//! u32 documents · columns × (u8 type · u32 length · column)
//! ```

mod column;
mod overrides;
mod selection;
mod time;

pub use column::{ColumnView, ColumnWriter};
pub use overrides::{AttributeValues, Overrides, number_of, texts_of};
pub use time::time_of;

use crate::wire::{Malformed, Reader, len32};
use serde::Serialize;

/// The type of an attribute. The numbers are written to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum AttributeType {
    /// One string.
    Keyword = 1,
    /// Several strings.
    Keywords = 2,
    /// A number.
    Number = 3,
    /// True or false.
    Bool = 4,
    /// A point in time: milliseconds since 1970 or an ISO 8601 date.
    Time = 5,
}

impl AttributeType {
    /// Lists every attribute type.
    pub const ALL: [AttributeType; 5] = [
        AttributeType::Keyword,
        AttributeType::Keywords,
        AttributeType::Number,
        AttributeType::Bool,
        AttributeType::Time,
    ];

    /// Returns the name that a schema uses for this type.
    pub fn name(self) -> &'static str {
        match self {
            AttributeType::Keyword => "keyword",
            AttributeType::Keywords => "keywords",
            AttributeType::Number => "number",
            AttributeType::Bool => "bool",
            AttributeType::Time => "time",
        }
    }

    fn from_number(number: u8) -> Option<AttributeType> {
        AttributeType::ALL.into_iter().find(|kind| *kind as u8 == number)
    }
}

/// Encodes the attribute section for `documents` documents; [`parse`] reverses it.
pub fn encode(columns: &[ColumnWriter], documents: usize) -> Vec<u8> {
    let mut out = len32(documents).to_le_bytes().to_vec();
    for column in columns {
        let bytes = column.encode();
        out.push(column.kind() as u8);
        out.extend_from_slice(&len32(bytes.len()).to_le_bytes());
        out.extend_from_slice(&bytes);
    }
    out
}

/// Reads the attribute section of a segment with `documents` documents; [`encode`] reverses it.
///
/// # Errors
/// Fails when the section was written for another number of documents, has the wrong length, or holds a malformed
/// column.
pub fn parse(bytes: &[u8], documents: usize) -> Result<Vec<ColumnView<'_>>, Malformed> {
    let mut reader = Reader::new(bytes, "the table of attributes");
    if reader.len32()? != documents {
        return Err(reader.malformed());
    }
    let mut columns = Vec::new();
    while reader.remaining() > 0 {
        let kind = AttributeType::from_number(reader.u8()?).ok_or(reader.malformed())?;
        let len = reader.len32()?;
        columns.push(ColumnView::parse(kind, reader.take(len)?, documents)?);
    }
    Ok(columns)
}
