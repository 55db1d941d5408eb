//! How are filterable attributes stored? As one column per attribute, with values in row order.
//!
//! ```text
//! u32 documents · u32 columns · columns × (u8 type · u32 length · u32 length of its strings) · columns
//! ```
//!
//! In format 1, each column follows its own type and length: u32 documents · columns × (u8 type · u32 length · column).

mod column;
mod overrides;
mod selection;
mod time;

pub use column::{ColumnView, ColumnWriter};
pub use overrides::{AttributeValues, Overrides, number_of, texts_of};
pub use time::time_of;

use crate::bytes::{ABSENT, Bytes};
use crate::codes::Codes;
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
    let mut out = [documents, columns.len()].map(|number| len32(number).to_le_bytes()).concat();
    let mut all = Vec::new();
    for column in columns {
        let (bytes, strings_len) = column.encode();
        out.push(column.kind() as u8);
        out.extend_from_slice(&len32(bytes.len()).to_le_bytes());
        out.extend_from_slice(&len32(strings_len).to_le_bytes());
        all.extend_from_slice(&bytes);
    }
    out.extend_from_slice(&all);
    out
}

const WHAT: &str = "the table of attributes";
/// The length of the numbers before the table of columns, and of a row of the table.
const TABLE_AT: usize = 8;
const ROW_LEN: usize = 9;

/// Reads the attribute section of a segment with `documents` documents; [`encode`] reverses it.
///
/// # Errors
/// Fails when the section was written for another number of documents, has the wrong length, or holds a malformed
/// column.
pub fn parse(bytes: &[u8], documents: usize) -> Result<Vec<ColumnView<'_>>, Malformed> {
    let mut reader = Reader::new(bytes, WHAT);
    let (own_documents, count) = (reader.len32()?, reader.len32()?);
    let mut table = Reader::new(reader.take(count.checked_mul(ROW_LEN).ok_or(Malformed(WHAT))?)?, WHAT);
    let mut columns = Vec::with_capacity(count);
    for _ in 0..count {
        let kind = AttributeType::from_number(table.u8()?).ok_or(Malformed(WHAT))?;
        let (len, strings_len) = (table.len32()?, table.len32()?);
        let column = ColumnView::parse(kind, reader.take(len)?, documents)?;
        if column.strings_len() != strings_len {
            return Err(Malformed(WHAT));
        }
        columns.push(column);
    }
    if own_documents == documents && reader.remaining() == 0 { Ok(columns) } else { Err(Malformed(WHAT)) }
}

/// Reads the attribute section of a file of format 1.
///
/// # Errors
/// Fails as [`parse`] does.
pub fn parse_format_1(bytes: &[u8], documents: usize) -> Result<Vec<ColumnView<'_>>, Malformed> {
    let mut reader = Reader::new(bytes, WHAT);
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

/// Reads the codes of one `keyword` column among `count` columns, without its strings: 0 for a document without a value,
/// and the same code for equal strings. The strings of a column can be much longer than its codes.
///
/// # Errors
/// Fails when the section is malformed, the column is of another type, or its codes are not in memory.
pub fn keyword_codes(bytes: Bytes<'_>, count: usize, column: usize) -> Result<Codes<'_>, Malformed> {
    let columns_at = TABLE_AT + ROW_LEN * count;
    let table = bytes.get(0..columns_at).ok_or(absent_or_malformed(bytes, columns_at))?;
    let mut reader = Reader::new(&table[TABLE_AT..], WHAT);
    let mut end = columns_at;
    let mut codes = columns_at..columns_at;
    let mut kind = None;
    for _ in 0..=column {
        kind = AttributeType::from_number(reader.u8()?);
        let (len, strings_len) = (reader.len32()?, reader.len32()?);
        let start = end.checked_add(strings_len).ok_or(Malformed(WHAT))?;
        end = end.checked_add(len).ok_or(Malformed(WHAT))?;
        codes = start..end;
    }
    if kind != Some(AttributeType::Keyword) {
        return Err(Malformed(WHAT));
    }
    let packed = bytes.get(codes).ok_or(absent_or_malformed(bytes, end))?;
    let (width, packed) = packed.split_first().ok_or(Malformed(WHAT))?;
    let width = u32::from(*width);
    if width > crate::bits::MAX_WIDTH { Err(Malformed(WHAT)) } else { Ok(Codes::new(packed, width)) }
}

fn absent_or_malformed(bytes: Bytes, end: usize) -> Malformed {
    if end <= bytes.len() { ABSENT } else { Malformed(WHAT) }
}
