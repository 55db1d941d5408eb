//! Which bytes of a section are in memory? All of them, or the pieces that calls have needed so far.
//!
//! A reader asks for exactly the range that it needs. [`Pieces`] remember every range that they lack, so the caller can
//! fetch all of them, add them, and repeat the call.

use crate::wire::Malformed;
use std::fmt::Debug;
use std::ops::Range;

/// The pieces of a file that are in memory.
pub trait Pieces: Debug + Send + Sync {
    /// Returns the bytes of a range of the file. If they are not in memory, remembers the range and returns `None`.
    fn piece(&self, range: Range<usize>) -> Option<&[u8]>;
}

/// The error of a read that has to be repeated once the caller has added the remembered ranges.
pub const ABSENT: Malformed = Malformed("a part that is not in memory");

/// The bytes of a section, or of a part of one.
#[derive(Clone, Copy, Debug)]
pub enum Bytes<'a> {
    /// All bytes are in memory.
    Whole(&'a [u8]),
    /// Some bytes are in memory.
    InPieces {
        /// The pieces of the file.
        pieces: &'a dyn Pieces,
        /// The offset of the first byte in the file.
        start: usize,
        /// The number of bytes.
        len: usize,
    },
}

impl<'a> Bytes<'a> {
    /// Returns the number of bytes.
    pub fn len(&self) -> usize {
        match self {
            Bytes::Whole(bytes) => bytes.len(),
            Bytes::InPieces { len, .. } => *len,
        }
    }

    /// Reports whether there are no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a range of the bytes, or `None` when it is out of bounds or not in memory.
    #[inline]
    pub fn get(&self, range: Range<usize>) -> Option<&'a [u8]> {
        match self {
            Bytes::Whole(bytes) => bytes.get(range),
            Bytes::InPieces { pieces, start, len } => in_pieces(*pieces, *start, *len, range),
        }
    }

    /// Reports whether a range is in memory, or out of bounds, so that reading it cannot end with a missing piece.
    pub fn has(&self, range: Range<usize>) -> bool {
        let is_out_of_bounds = range.start > range.end || range.end > self.len();
        is_out_of_bounds || self.get(range).is_some()
    }

    /// Returns all bytes.
    ///
    /// # Errors
    /// Returns [`ABSENT`] when some are not in memory.
    pub fn all(&self) -> Result<&'a [u8], Malformed> {
        self.get(0..self.len()).ok_or(ABSENT)
    }
}

// Not inlined: files that are whole in memory are read in hot loops, files in pieces are not.
#[inline(never)]
fn in_pieces(pieces: &dyn Pieces, start: usize, len: usize, range: Range<usize>) -> Option<&[u8]> {
    if range.start > range.end || range.end > len {
        return None;
    }
    if range.is_empty() {
        return Some(&[]);
    }
    pieces.piece(start + range.start..start + range.end)
}

impl<'a> From<&'a [u8]> for Bytes<'a> {
    fn from(bytes: &'a [u8]) -> Bytes<'a> {
        Bytes::Whole(bytes)
    }
}

impl<'a> From<&'a Vec<u8>> for Bytes<'a> {
    fn from(bytes: &'a Vec<u8>) -> Bytes<'a> {
        Bytes::Whole(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes 2 to 5 of a file.
    #[derive(Debug)]
    struct Middle;

    impl Pieces for Middle {
        fn piece(&self, range: Range<usize>) -> Option<&[u8]> {
            b"cdef".get(range.start.checked_sub(2)?..range.end - 2)
        }
    }

    #[test]
    fn a_range_is_read_where_it_is_in_bounds_and_in_memory() {
        let bytes = Bytes::InPieces { pieces: &Middle, start: 1, len: 5 };
        assert_eq!(bytes.get(1..4), Some(&b"cde"[..]));
        assert_eq!((bytes.get(0..2), bytes.get(3..6), bytes.get(9..9)), (None, None, None));
        assert_eq!(bytes.get(0..0), Some(&b""[..]));
        assert_eq!(bytes.all(), Err(ABSENT));
        assert!(bytes.has(2..5) && bytes.has(5..6) && !bytes.has(0..1));
    }
}
