//! Where are a list's blocks, and how is one unpacked?
//!
//! Every number in the bytes is checked before it is used, because a snapshot may come from an untrusted source.

use super::{Cursor, Widths};
use crate::bits::{self, BLOCK};
use crate::bytes::{ABSENT, Bytes};
use crate::inverted::postings::{LABEL, SKIP_ENTRY};
use crate::wire::Malformed;
use std::ops::Range;

impl<'a> Cursor<'a> {
    /// Returns the number of blocks of the list.
    #[inline]
    pub(super) fn block_count(&self) -> usize {
        self.documents.div_ceil(BLOCK)
    }

    /// Returns the skip table entry of a block.
    #[inline]
    pub(super) fn skip(&self, block: usize) -> Result<&'a [u8; SKIP_ENTRY], Malformed> {
        self.list.get(block * SKIP_ENTRY..).and_then(|rest| rest.first_chunk()).ok_or(Malformed(LABEL))
    }

    /// Returns the last document of a block, from the skip table.
    #[inline]
    pub(super) fn last_document(&self, block: usize) -> Result<u32, Malformed> {
        let entry = self.skip(block)?;
        Ok(u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]))
    }

    /// Returns the bytes of the current block's positions.
    #[inline]
    pub(super) fn packed_positions(&self) -> Result<&'a [u8], Malformed> {
        match self.positions {
            None => {
                let first = if self.block_count() == 1 { self.documents_end } else { 0 };
                let range = self.positions_of_block(self.block, first, self.list.len())?;
                self.list.get(range).ok_or(Malformed(LABEL))
            }
            Some(positions) => self.separate_positions(positions, self.block),
        }
    }

    /// Returns the bytes of a block's positions in the section of positions.
    fn separate_positions(&self, positions: Bytes<'a>, block: usize) -> Result<&'a [u8], Malformed> {
        let range = self.positions_of_block(block, 0, self.at.positions_len as usize)?;
        let from = |offset: usize| (self.at.positions_at as usize).checked_add(offset);
        let (Some(start), Some(end)) = (from(range.start), from(range.end)) else {
            return Err(Malformed(LABEL));
        };
        let is_in_bounds = start <= end && end <= positions.len();
        positions.get(start..end).ok_or(if is_in_bounds { ABSENT } else { Malformed(LABEL) })
    }

    /// Returns the range of a block's positions. A list of one block has no skip table: its positions start at `first`.
    #[inline]
    fn positions_of_block(&self, block: usize, first: usize, end: usize) -> Result<Range<usize>, Malformed> {
        let blocks = self.block_count();
        let start = if blocks == 1 { first } else { self.positions_at(block)? };
        // Stop where the next block's positions start, so that no byte is read for two blocks.
        let end = if block + 1 < blocks { self.positions_at(block + 1)? } else { end };
        Ok(start..end)
    }

    /// Returns the offset of a block's positions, from the skip table.
    #[inline]
    fn positions_at(&self, block: usize) -> Result<usize, Malformed> {
        let entry = self.skip(block)?;
        Ok(u32::from_le_bytes([entry[8], entry[9], entry[10], entry[11]]) as usize)
    }

    /// Unpacks a block and moves to its first document.
    pub(super) fn load(&mut self, block: usize) -> Result<(), Malformed> {
        let (start, first) = if self.block_count() == 1 {
            (0, 0)
        } else {
            let entry = self.skip(block)?;
            let first = if block == 0 { 0 } else { u64::from(self.last_document(block - 1)?) + 1 };
            (u32::from_le_bytes([entry[4], entry[5], entry[6], entry[7]]) as usize, first)
        };
        let head = self.list.get(start..).ok_or(Malformed(LABEL))?;
        let (widths, packed) = head.split_first_chunk::<2>().ok_or(Malformed(LABEL))?;
        self.widths = Widths::parse(*widths);
        self.block = block;
        self.place = 0;
        self.reading.set(None);
        self.block_size = (self.documents - block * BLOCK).min(BLOCK);
        self.unpack(packed).ok_or(Malformed(LABEL))?;
        self.documents_end = start + 2 + self.documents_len();
        // Turn gaps into documents. They ascend, so if the last is below the limit, all are, whatever the bytes say.
        let mut gaps = 0;
        for (doc, first) in self.docs[..self.block_size].iter_mut().zip(first..) {
            gaps += u64::from(*doc);
            *doc = (first + gaps) as u32;
        }
        let last = first + gaps + self.block_size as u64 - 1;
        // The next block's documents are counted from the last document that the skip table states.
        let is_as_said = self.block_count() == 1 || u64::from(self.last_document(block)?) == last;
        if last >= u64::from(self.document_limit) || !self.has_all_shapes() || !is_as_said {
            self.block_size = 0;
            return Err(Malformed(LABEL));
        }
        Ok(())
    }

    /// Reports whether every shape number of the block exists.
    fn has_all_shapes(&self) -> bool {
        // Usually there are more shapes than this number of bits can name, and no check per posting is necessary.
        1 << self.widths.shape <= self.shapes.len()
            || self.shape_numbers[..self.block_size].iter().all(|&shape| (shape as usize) < self.shapes.len())
    }

    /// Returns the length of the block's packed gaps and shapes in bytes.
    fn documents_len(&self) -> usize {
        let Widths { gap, shape, .. } = self.widths;
        if self.block_size == BLOCK {
            bits::block_len(gap) + bits::block_len(shape)
        } else {
            (self.block_size * (gap + shape) as usize).div_ceil(8)
        }
    }

    /// Unpacks the gaps into `docs`, and the shape numbers.
    fn unpack(&mut self, packed: &[u8]) -> Option<()> {
        let Widths { gap, shape, .. } = self.widths;
        if self.block_size == BLOCK {
            bits::unpack_block(packed, gap, &mut self.docs)?;
            return bits::unpack_block(packed.get(bits::block_len(gap)..)?, shape, &mut self.shape_numbers);
        }
        let packed = packed.get(..self.documents_len())?;
        for (i, doc) in self.docs[..self.block_size].iter_mut().enumerate() {
            *doc = bits::get(packed, i * gap as usize, gap);
        }
        let shapes_at = self.block_size * gap as usize;
        for (i, number) in self.shape_numbers[..self.block_size].iter_mut().enumerate() {
            *number = bits::get(packed, shapes_at + i * shape as usize, shape);
        }
        Some(())
    }
}
