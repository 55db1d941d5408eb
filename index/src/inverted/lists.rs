//! The lists of a segment.

use super::{Cursor, ListRef, Shape};
use crate::wire::Malformed;

/// Where the lists of a segment are, and what reading them takes.
#[derive(Clone, Copy, Debug)]
pub struct Lists<'a> {
    /// All lists.
    pub postings: &'a [u8],
    /// The shapes that postings name by number.
    pub shapes: &'a [Shape],
    /// How many documents there are.
    pub documents: u32,
}

impl<'a> Lists<'a> {
    /// A cursor on the first document of a list.
    ///
    /// # Errors
    /// When the list is malformed.
    pub fn cursor(&self, list: ListRef) -> Result<Cursor<'a>, Malformed> {
        Cursor::new(self.postings, list, self.shapes, self.documents)
    }
}
