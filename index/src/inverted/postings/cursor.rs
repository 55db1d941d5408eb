//! A cursor over a posting list: it moves from document to document, skips blocks, and reads positions.

mod blocks;

use super::{LABEL, ListRef, MAX_IMPACT, PostingList, Widths};
use crate::bits::{self, BLOCK};
use crate::bytes::{ABSENT, Bytes};
use crate::ids::{DocId, Spot};
use crate::inverted::{PostingLists, Shape};
use crate::wire::Malformed;
use std::cell::Cell;

/// A position in a posting list that [`encode`](super::encode) wrote.
///
/// The cursor is on a document, or past the last one; then [`Cursor::doc`] is [`Cursor::END`]. It unpacks one block of
/// 128 documents at a time and only moves forward.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    postings: Bytes<'a>,
    positions: Option<Bytes<'a>>,
    /// The location of the list.
    at: ListRef,
    /// The bytes of the list.
    list: &'a [u8],
    shapes: &'a [Shape],
    /// The number of documents in the list.
    documents: usize,
    /// All documents are below this number.
    document_limit: u32,
    /// The index of the current block.
    block: usize,
    /// The number of documents in the current block.
    block_size: usize,
    /// The index of the current document in the block; `block_size` or more when the block is used up.
    place: usize,
    widths: Widths,
    /// The offset in the list after the block's gaps and shapes.
    documents_end: usize,
    /// The state of reading positions in this block; `None` until positions are requested.
    reading: Cell<Option<Reading<'a>>>,
    docs: [u32; BLOCK],
    shape_numbers: [u32; BLOCK],
}

/// The packed positions of a block, an index of a document in it, and the number of occurrences before that document.
#[derive(Clone, Copy, Debug)]
struct Reading<'a> {
    packed: &'a [u8],
    place: usize,
    before: usize,
}

impl<'a> Cursor<'a> {
    /// The value of [`Cursor::doc`] past the last document.
    pub const END: u32 = u32::MAX;

    /// Opens a cursor at the first document of the list at `at`.
    ///
    /// # Errors
    /// Returns an error when the list does not lie within the postings or its first block is malformed.
    pub fn new(lists: PostingLists<'a>, at: ListRef) -> Result<Cursor<'a>, Malformed> {
        let mut cursor = Cursor {
            postings: lists.postings,
            positions: lists.positions,
            at,
            list: &[],
            shapes: lists.shapes,
            documents: 0,
            document_limit: lists.documents,
            block: 0,
            block_size: 0,
            place: 0,
            widths: Widths { gap: 0, shape: 0, position: 0 },
            documents_end: 0,
            reading: Cell::new(None),
            docs: [0; BLOCK],
            shape_numbers: [0; BLOCK],
        };
        cursor.restart(at)?;
        Ok(cursor)
    }

    /// Moves to the first document of another list. This is cheaper than creating a cursor per list.
    ///
    /// # Errors
    /// Returns an error in the same cases as [`Cursor::new`].
    pub fn restart(&mut self, at: ListRef) -> Result<(), Malformed> {
        let (start, len) = (at.at as usize, at.len as usize);
        let end = start.checked_add(len).filter(|&end| end <= self.postings.len()).ok_or(Malformed(LABEL))?;
        if at.documents == 0 || at.documents > self.document_limit {
            return Err(Malformed(LABEL));
        }
        self.list = self.postings.get(start..end).ok_or(ABSENT)?;
        self.at = at;
        self.documents = at.documents as usize;
        self.load(0)
    }

    /// Returns the current document, or [`Cursor::END`].
    #[inline]
    pub fn doc(&self) -> u32 {
        if self.place < self.block_size { self.docs[self.place % BLOCK] } else { Cursor::END }
    }

    /// Returns the current document, or `None` past the last.
    pub fn doc_id(&self) -> Option<DocId> {
        Some(self.doc()).filter(|&doc| doc != Cursor::END).map(DocId)
    }

    /// Returns the number of documents in the list.
    pub fn documents(&self) -> usize {
        self.documents
    }

    /// Returns the shape number of the current document.
    #[inline]
    pub fn shape_number(&self) -> u32 {
        self.shape_numbers[self.place % BLOCK]
    }

    /// Returns the shape of the current document.
    #[inline]
    pub fn shape(&self) -> &'a Shape {
        &self.shapes[self.shape_number() as usize]
    }

    /// Moves to the next document.
    ///
    /// # Errors
    /// Returns an error when the next block is malformed.
    #[inline]
    pub fn advance(&mut self) -> Result<(), Malformed> {
        self.place += 1;
        if self.place >= self.block_size && self.block + 1 < self.block_count() {
            return self.load(self.block + 1);
        }
        Ok(())
    }

    /// Moves forward to the first document that is at least `target`. Does nothing when it is already there or beyond.
    ///
    /// # Errors
    /// Returns an error when a block on the way is malformed.
    pub fn seek(&mut self, target: u32) -> Result<(), Malformed> {
        if self.doc() >= target {
            return Ok(());
        }
        // The target is often the next document.
        self.place += 1;
        if self.place < self.block_size && self.docs[self.place % BLOCK] >= target {
            return Ok(());
        }
        if self.docs[..self.block_size].last().is_some_and(|last| *last < target) {
            let mut block = self.block + 1;
            while block < self.block_count() && self.last_document(block)? < target {
                block += 1;
            }
            if block == self.block_count() {
                self.place = self.block_size;
                self.block = block - 1;
                return Ok(());
            }
            self.load(block)?;
        }
        // The target is usually near, so galloping finds it sooner than a binary search of the whole block.
        let rest = &self.docs[self.place.min(BLOCK)..self.block_size.max(self.place).min(BLOCK)];
        let mut step = 1;
        while step < rest.len() && rest[step] < target {
            step *= 2;
        }
        let (from, to) = (step / 2, (step + 1).min(rest.len()));
        self.place += from + rest[from..to].partition_point(|&doc| doc < target);
        Ok(())
    }

    /// Returns the documents and shape numbers of the current block from the current document up to `end`, exclusive.
    ///
    /// The cursor moves past them, but not into the next block. Both slices are empty when the next document is at
    /// `end` or later, or in the next block; see [`Cursor::enter_next_block`].
    #[inline]
    pub fn run_until(&mut self, end: u32) -> (&[u32], &[u32]) {
        let from = self.place.min(BLOCK);
        let block = &self.docs[from..self.block_size.max(from)];
        let len = match block.last() {
            Some(&last) if last < end => block.len(),
            _ => block.partition_point(|&doc| doc < end),
        };
        self.place = from + len;
        (&self.docs[from..from + len], &self.shape_numbers[from..from + len])
    }

    /// Loads the next block when the current one is used up. Returns false when there is none or documents are left.
    ///
    /// # Errors
    /// Returns an error when the block is malformed.
    #[inline]
    pub fn enter_next_block(&mut self) -> Result<bool, Malformed> {
        if self.place < self.block_size || self.block + 1 >= self.block_count() {
            return Ok(false);
        }
        self.load(self.block + 1)?;
        Ok(true)
    }

    /// Returns an upper bound of the impacts of the documents from the current one up to `end`, exclusive.
    ///
    /// The bound comes from the impacts passed to [`encode`](super::encode). It is 0 when there is no such document,
    /// and [`MAX_IMPACT`] for a list of one block, which has no skip table.
    ///
    /// # Errors
    /// Returns an error when the skip table is truncated.
    pub fn max_impact_until(&self, end: u32) -> Result<f64, Malformed> {
        let from = if self.place < self.block_size { self.block } else { self.block + 1 };
        if from >= self.block_count() {
            return Ok(0.0);
        }
        if self.block_count() == 1 {
            return Ok(MAX_IMPACT);
        }
        let mut most = 0;
        for block in from..self.block_count() {
            // The block starts after the last document of the one before it.
            if block > from && self.last_document(block - 1)?.saturating_add(1) >= end {
                break;
            }
            let entry = self.skip(block)?;
            most = most.max(u16::from_le_bytes([entry[12], entry[13]]));
        }
        Ok(f64::from(most) / f64::from(u16::MAX) * MAX_IMPACT)
    }

    /// Loads the next block whose stored impact bound passes `is_enough`, or that reaches `end` or beyond.
    ///
    /// Otherwise like [`Cursor::enter_next_block`].
    ///
    /// # Errors
    /// Returns an error when a block is malformed.
    pub fn enter_next_block_where(
        &mut self,
        end: u32,
        is_enough: impl Fn(f64) -> bool,
    ) -> Result<bool, Malformed> {
        if self.place < self.block_size || self.block + 1 >= self.block_count() {
            return Ok(false);
        }
        let mut block = self.block + 1;
        while block < self.block_count() {
            let entry = self.skip(block)?;
            let impact = u16::from_le_bytes([entry[12], entry[13]]);
            if is_enough(f64::from(impact) / f64::from(u16::MAX) * MAX_IMPACT) {
                break;
            }
            if self.last_document(block)? >= end {
                // The block may contain documents after `end`, which a later window may need.
                break;
            }
            block += 1;
        }
        if block == self.block_count() {
            self.block = block - 1;
            return Ok(false);
        }
        self.load(block)?;
        Ok(true)
    }

    /// Returns all documents and shape numbers of a list of one block, or `None` for a longer list.
    pub fn only_block(&self) -> Option<(&[u32], &[u32])> {
        let is_only = self.block_count() == 1;
        is_only.then(|| (&self.docs[..self.block_size], &self.shape_numbers[..self.block_size]))
    }

    /// Appends the occurrences in the current document to `out`, in order.
    ///
    /// # Errors
    /// Returns an error when a position overflows or the positions are truncated.
    pub fn positions(&self, out: &mut Vec<Spot>) -> Result<(), Malformed> {
        self.each_spot(|spot| {
            out.push(spot);
            true
        })
    }

    /// Calls `each` with the occurrences in the current document, in order, until it returns false.
    ///
    /// # Errors
    /// Returns an error when a position overflows or the positions are truncated.
    #[inline]
    pub fn each_spot(&self, mut each: impl FnMut(Spot) -> bool) -> Result<(), Malformed> {
        let (packed, mut bit) = self.packed_spots()?;
        let width = self.widths.position;
        for &(field, count) in self.shape().counts() {
            let mut next = 0u32;
            for _ in 0..count {
                let position = next.checked_add(bits::get(packed, bit, width)).ok_or(Malformed(LABEL))?;
                if !each(Spot::new(field, position)) {
                    return Ok(());
                }
                next = position.saturating_add(1);
                bit += width as usize;
            }
        }
        Ok(())
    }

    /// Returns the packed positions of the block, and the bit at which those of the current document start.
    ///
    /// Checks that all positions of the document are present.
    #[inline]
    fn packed_spots(&self) -> Result<(&'a [u8], usize), Malformed> {
        // Cursors only move forward, so the count continues from the document last read.
        let mut reading = match self.reading.get() {
            Some(reading) => reading,
            None => Reading { packed: self.packed_positions()?, place: 0, before: 0 },
        };
        for &shape in &self.shape_numbers[reading.place..self.place] {
            reading.before += self.shapes[shape as usize].total() as usize;
        }
        reading.place = self.place;
        self.reading.set(Some(reading));
        let (packed, width) = (reading.packed, self.widths.position as usize);
        let bit = reading.before * width;
        let all = self.shape().total() as usize;
        let is_too_small = width == 0 && self.shape().repeats();
        if is_too_small || (bit + all * width).div_ceil(8) > packed.len() {
            return Err(Malformed(LABEL));
        }
        Ok((packed, bit))
    }

    /// Appends the rest of the list to `out`, with positions encoded as they are stored, and moves to the end.
    ///
    /// # Errors
    /// Returns an error when a block is malformed.
    pub fn drain_to(&mut self, out: &mut PostingList) -> Result<(), Malformed> {
        loop {
            let numbers = &self.shape_numbers[..self.block_size];
            out.documents.extend_from_slice(&self.docs[..self.block_size]);
            out.shapes.extend_from_slice(numbers);
            let packed = self.packed_positions()?;
            let width = self.widths.position;
            let count =
                numbers.iter().map(|&shape| self.shapes[shape as usize].total() as usize).sum::<usize>();
            let is_too_small =
                width == 0 && numbers.iter().any(|&shape| self.shapes[shape as usize].repeats());
            if is_too_small || (count * width as usize).div_ceil(8) > packed.len() {
                return Err(Malformed(LABEL));
            }
            out.positions.extend((0..count).map(|i| bits::get(packed, i * width as usize, width)));
            self.place = self.block_size;
            if !self.enter_next_block()? {
                return Ok(());
            }
        }
    }
}
