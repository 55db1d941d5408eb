//! The posting lists of a segment, with the tables needed to read them.

use super::{Cursor, ListRef, Shape};
use crate::bytes::Bytes;
use crate::wire::Malformed;

/// The posting lists of a segment, with the tables needed to read them.
#[derive(Clone, Copy, Debug)]
pub struct PostingLists<'a> {
    /// The bytes of all posting lists.
    pub postings: Bytes<'a>,
    /// The bytes of all positions; `None` in format 1, where each list contains its own.
    pub positions: Option<Bytes<'a>>,
    /// The shapes, which postings refer to by number.
    pub shapes: &'a [Shape],
    /// The number of documents in the segment.
    pub documents: u32,
}

impl<'a> PostingLists<'a> {
    /// Opens a cursor at the first document of a posting list.
    ///
    /// # Errors
    /// Returns an error when the list is malformed.
    pub fn cursor(&self, list: ListRef) -> Result<Cursor<'a>, Malformed> {
        Cursor::new(*self, list)
    }
}
