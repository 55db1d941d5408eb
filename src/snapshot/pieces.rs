//! Which pieces of a file are in memory, if it is not read whole?
//!
//! The head is always in memory. Every other piece is a range that a call has asked for: a run of the dictionary, a
//! posting list, a block of documents. A call that lacks pieces fails, and the file remembers their ranges; the host
//! fetches the parts around them, adds the pieces, and repeats the call. Least recently used pieces are dropped once they
//! exceed the budget.

use super::error::{SnapshotError, SnapshotFault};
use super::parts::Parts;
use crate::bytes::Pieces;
use crate::order::sort_by;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The default budget for pieces, in bytes.
pub const DEFAULT_BUDGET: usize = 32 << 20;

/// A file of which only pieces are in memory.
#[derive(Debug)]
pub struct FilePieces {
    head: Vec<u8>,
    parts: Parts,
    /// The pieces, by their start. None contains another, so their ends ascend as well.
    pieces: Vec<Piece>,
    /// The ranges that calls have asked for in vain.
    missing: Mutex<Vec<Range<usize>>>,
    /// Counts reads, so that the least recently used piece is known.
    reads: AtomicU64,
    budget: usize,
}

#[derive(Debug)]
struct Piece {
    start: usize,
    bytes: Vec<u8>,
    last_read: AtomicU64,
}

impl Piece {
    fn end(&self) -> usize {
        self.start + self.bytes.len()
    }
}

impl FilePieces {
    /// Creates a file of which only the head is in memory.
    pub fn new(head: Vec<u8>, parts: Parts) -> FilePieces {
        FilePieces {
            head,
            parts,
            pieces: Vec::new(),
            missing: Mutex::default(),
            reads: AtomicU64::new(0),
            budget: DEFAULT_BUDGET,
        }
    }

    /// Returns the head of the file.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// Returns the parts that the file is divided into after its head.
    pub fn parts(&self) -> &Parts {
        &self.parts
    }

    /// Returns the number of bytes in memory, with the head.
    pub fn held(&self) -> usize {
        self.head.len() + self.pieces.iter().map(|piece| piece.bytes.len()).sum::<usize>()
    }

    /// Sets the budget for pieces, in bytes.
    pub fn set_budget(&mut self, bytes: usize) {
        self.budget = bytes;
    }

    /// Returns the ranges that calls lacked since the last time, ascending, and forgets them. Overlapping ranges are joined,
    /// so that each is one piece.
    pub fn take_missing(&self) -> Vec<Range<usize>> {
        let mut missing = std::mem::take(&mut *self.missing());
        sort_by(&mut missing, |a, b| a.start.cmp(&b.start).then_with(|| b.end.cmp(&a.end)));
        let mut joined: Vec<Range<usize>> = Vec::with_capacity(missing.len());
        for range in missing {
            match joined.last_mut() {
                Some(last) if range.start < last.end => last.end = last.end.max(range.end),
                _ => joined.push(range),
            }
        }
        joined
    }

    fn missing(&self) -> MutexGuard<'_, Vec<Range<usize>>> {
        self.missing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a piece of the file: the `wanted` range of `bytes`, which are whole parts from offset `start` on.
    ///
    /// # Errors
    /// Fails when the bytes are not whole parts, do not match their checksums, or do not contain the range.
    pub fn supply(&mut self, wanted: Range<usize>, start: usize, bytes: &[u8]) -> Result<(), SnapshotError> {
        let own = wanted.start.checked_sub(start).zip(wanted.end.checked_sub(start));
        let own = own.and_then(|(from, until)| bytes.get(from..until));
        let Some(own) = own.filter(|_| self.parts.are(start, bytes)) else {
            return Err(SnapshotFault::Changed.into());
        };
        if self.covering(&wanted).is_some() {
            return Ok(());
        }
        self.pieces.retain(|piece| piece.start < wanted.start || piece.end() > wanted.end);
        let place = self.pieces.partition_point(|piece| piece.start < wanted.start);
        let last_read = AtomicU64::new(self.tick());
        self.pieces.insert(place, Piece { start: wanted.start, bytes: own.to_vec(), last_read });
        Ok(())
    }

    /// Drops the least recently used pieces until the rest fits the budget.
    pub fn trim(&mut self) {
        let mut held = self.pieces.iter().map(|piece| piece.bytes.len()).sum::<usize>();
        if held <= self.budget {
            return;
        }
        let read = |piece: &Piece| piece.last_read.load(Ordering::Relaxed);
        let mut by_age = self.pieces.iter().map(|piece| (read(piece), piece.bytes.len())).collect::<Vec<_>>();
        sort_by(&mut by_age, |a, b| a.0.cmp(&b.0));
        let mut oldest_kept = 0;
        for (age, len) in by_age {
            if held <= self.budget {
                break;
            }
            held -= len;
            oldest_kept = age + 1;
        }
        self.pieces.retain(|piece| read(piece) >= oldest_kept);
    }

    fn tick(&self) -> u64 {
        self.reads.fetch_add(1, Ordering::Relaxed)
    }

    fn covering(&self, range: &Range<usize>) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.start <= range.start);
        self.pieces[..after].last().filter(|piece| piece.end() >= range.end)
    }
}

impl Pieces for FilePieces {
    fn piece(&self, range: Range<usize>) -> Option<&[u8]> {
        if let Some(bytes) = self.head.get(range.clone()) {
            return Some(bytes);
        }
        let Some(piece) = self.covering(&range) else {
            self.missing().push(range);
            return None;
        };
        piece.last_read.store(self.tick(), Ordering::Relaxed);
        Some(&piece.bytes[range.start - piece.start..range.end - piece.start])
    }
}
