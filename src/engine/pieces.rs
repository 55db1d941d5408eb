//! A snapshot of which only pieces are in memory.
//!
//! [`Engine::open_in_pieces`] needs the head of the file. A call that needs more fails, and [`Engine::take_missing`] then
//! names the pieces. The host reads the parts around them, passes them to [`Engine::supply_piece`], repeats the call, and
//! finally calls [`Engine::trim_pieces`]. The answers are those of the whole file, bit for bit.

use super::{Engine, LivePart};
use crate::segment::Segment;
use crate::snapshot::{FilePieces, SnapshotError};
use std::ops::Range;

/// A piece of the file that a call lacked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingPiece {
    /// The range of the file that the call needs.
    pub wanted: Range<usize>,
    /// The range to read: the wanted one, extended to whole parts, which have checksums.
    pub parts: Range<usize>,
}

impl Engine {
    /// Opens a snapshot of which only the head is in memory. The length of the head is in the file's
    /// [header](crate::snapshot::Header).
    ///
    /// # Errors
    /// Fails when the bytes are not the head of a snapshot, or when the snapshot has format 1.
    pub fn open_in_pieces(head: Vec<u8>) -> Result<Engine, SnapshotError> {
        Engine::of(Segment::open_in_pieces(head)?)
    }

    fn pieces(&self) -> Option<&FilePieces> {
        self.parts.first().and_then(|part| part.segment.snapshot().pieces())
    }

    fn pieces_mut(&mut self) -> Option<&mut FilePieces> {
        self.parts.first_mut().and_then(|part| part.segment.snapshot_mut().pieces_mut())
    }

    /// Returns the pieces that calls lacked since the last time, in the order of the file, and forgets them.
    ///
    /// A call that lacked pieces must be repeated even if it did not fail.
    pub fn take_missing(&self) -> Vec<MissingPiece> {
        let Some(pieces) = self.pieces() else { return Vec::new() };
        let with_parts =
            |wanted: Range<usize>| MissingPiece { parts: pieces.parts().around(&wanted), wanted };
        pieces.take_missing().into_iter().map(with_parts).collect::<Vec<_>>()
    }

    /// Adds a piece of the file: the range `wanted` of `bytes`, which are whole parts from offset `start` on.
    ///
    /// # Errors
    /// Fails when the bytes do not match their checksums: the file was replaced, or is damaged.
    pub fn supply_piece(
        &mut self,
        wanted: Range<usize>,
        start: usize,
        bytes: &[u8],
    ) -> Result<(), SnapshotError> {
        match self.pieces_mut() {
            Some(pieces) => pieces.supply(wanted, start, bytes),
            None => Ok(()),
        }
    }

    /// Sets how many bytes of pieces stay in memory between calls. Defaults to 32 MiB.
    pub fn set_piece_budget(&mut self, bytes: usize) {
        if let Some(pieces) = self.pieces_mut() {
            pieces.set_budget(bytes);
        }
    }

    /// Drops the least recently used pieces until the rest fits the budget.
    pub fn trim_pieces(&mut self) {
        if let Some(pieces) = self.pieces_mut() {
            pieces.trim();
        }
    }

    /// Returns the size of the parts that the file is read in, and where the first one starts; `None` if the whole file is in
    /// memory.
    pub fn part_layout(&self) -> Option<(usize, Range<usize>)> {
        self.pieces().map(|pieces| (pieces.parts().size, pieces.parts().range.clone()))
    }

    /// Returns the number of bytes of the snapshot that are in memory.
    pub fn bytes_in_memory(&self) -> usize {
        let len = |part: &LivePart| {
            let snapshot = part.segment.snapshot();
            snapshot.pieces().map_or(snapshot.file_len(), FilePieces::held)
        };
        self.parts.iter().map(len).sum()
    }
}
