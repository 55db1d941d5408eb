//! How are documents stored? Compressed, in blocks.
//!
//! Rows form groups of 32, and the documents of a group form blocks of about 4 KiB. A block never crosses the end of a
//! group, so the blocks of a full group depend only on its rows, and merging segments copies them unchanged.
//!
//! ```text
//! table:  u32 documents · u32 blocks · 3 × u8 width
//!         · blocks × packed first document · blocks × packed offset · blocks × packed unpacked length
//! blocks: concatenated LZ4 blocks; a block whose length equals its unpacked length is not compressed
//! block:  documents × varint length · documents
//! ```
//!
//! In format 1 the table had no widths, and three u32 per block.

use super::outside::{SeparateBlocks, StoreError};
use crate::bits::{BitWriter, MAX_WIDTH, widest};
use crate::bytes::{ABSENT, Bytes};
use crate::codes::Codes;
use crate::lz4::{self, Decompressor};
use crate::wire::{Malformed, Reader, len32, put_varint, u32_at};
use std::borrow::Cow;
use std::ops::Range;

/// The number of documents in a full group.
pub const GROUP: usize = 32;
/// A block is closed when its documents have this many bytes. Larger blocks compress better; smaller ones let a reader of
/// pieces fetch less around each hit.
const BLOCK_LEN: usize = 4 * 1024;
const ENTRY: usize = 3;
/// The most bytes that the varint length of a document takes.
const LONGEST_VARINT: usize = 5;

/// The packed blocks of one group: at most [`GROUP`] consecutive documents.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// For each block: its number of documents, its unpacked length in bytes, and its packed bytes.
    blocks: Vec<(usize, usize, Vec<u8>)>,
}

impl Group {
    /// Packs the documents of one group into blocks.
    pub fn pack<'a>(documents: impl IntoIterator<Item = &'a [u8]>) -> Group {
        let mut group = Group::default();
        let mut pending: Vec<&[u8]> = Vec::new();
        let mut len = 0;
        for document in documents {
            pending.push(document);
            len += document.len();
            if len >= BLOCK_LEN {
                group.flush(&mut pending);
                len = 0;
            }
        }
        group.flush(&mut pending);
        group
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.blocks.iter().map(|(documents, ..)| documents).sum()
    }

    /// Returns whether the group has no documents.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    fn flush(&mut self, pending: &mut Vec<&[u8]>) {
        if pending.is_empty() {
            return;
        }
        let mut raw = Vec::new();
        pending.iter().for_each(|document| put_varint(&mut raw, len32(document.len())));
        pending.iter().for_each(|document| raw.extend_from_slice(document));
        let mut packed = Vec::new();
        lz4::compress(&raw, &mut packed);
        let len = raw.len();
        if packed.len() >= len {
            packed = raw;
        }
        // The buffer was allocated for incompressible data and lives until the build ends, so return the spare memory.
        packed.shrink_to_fit();
        self.blocks.push((pending.len(), len, packed));
        pending.clear();
    }
}

/// Collects groups in row order; [`DocumentsView`] reads them.
#[derive(Debug, Default)]
pub struct DocumentsWriter {
    entries: Vec<[u32; ENTRY]>,
    documents: usize,
    blocks: Vec<u8>,
}

impl DocumentsWriter {
    /// Appends a group. Every group except the last must be full.
    pub fn push(&mut self, group: &Group) {
        for (documents, raw_len, packed) in &group.blocks {
            self.entries.push([len32(self.documents), len32(self.blocks.len()), len32(*raw_len)]);
            self.blocks.extend_from_slice(packed);
            self.documents += documents;
        }
    }

    /// Encodes the two sections: the table and the blocks. [`DocumentsView::parse`] reverses it.
    pub fn finish(self) -> (Vec<u8>, Vec<u8>) {
        let mut table =
            [self.documents, self.entries.len()].map(|number| len32(number).to_le_bytes()).concat();
        let columns = [0, 1, 2].map(|part| self.entries.iter().map(|entry| entry[part]).collect::<Vec<_>>());
        table.extend(columns.iter().map(|column| widest(column).to_le_bytes()[0]));
        for column in &columns {
            let mut writer = BitWriter::new(&mut table);
            writer.put(column, widest(column));
            writer.finish();
        }
        (table, self.blocks)
    }
}

/// Reads the stored documents; [`DocumentsWriter`] writes them.
#[derive(Clone, Copy, Debug)]
pub struct DocumentsView<'a> {
    documents: usize,
    table: BlockTable<'a>,
    blocks: Blocks<'a>,
}

/// For each block: its first document, its offset, and its unpacked length.
#[derive(Clone, Copy, Debug)]
struct BlockTable<'a> {
    count: usize,
    numbers: BlockNumbers<'a>,
}

#[derive(Clone, Copy, Debug)]
enum BlockNumbers<'a> {
    /// The numbers of each kind together, bit-packed.
    Packed([Codes<'a>; ENTRY]),
    /// Format 1: the numbers of each block together, as u32.
    Plain(&'a [u8]),
}

impl<'a> BlockTable<'a> {
    fn parse(reader: &mut Reader<'a>) -> Result<BlockTable<'a>, Malformed> {
        let count = reader.len32()?;
        let widths = reader.take(ENTRY)?;
        let mut codes = [Codes::new(&[], 0); ENTRY];
        for (codes, width) in codes.iter_mut().zip(widths) {
            let width = u32::from(*width);
            let bits = count.checked_mul(width as usize).filter(|_| width <= MAX_WIDTH);
            *codes = Codes::new(reader.take(bits.ok_or(Malformed(WHAT))?.div_ceil(8))?, width);
        }
        Ok(BlockTable { count, numbers: BlockNumbers::Packed(codes) })
    }

    fn parse_format_1(reader: &mut Reader<'a>) -> Result<BlockTable<'a>, Malformed> {
        let count = reader.len32()?;
        let plain = reader.take(count.checked_mul(4 * ENTRY).ok_or(Malformed(WHAT))?)?;
        Ok(BlockTable { count, numbers: BlockNumbers::Plain(plain) })
    }

    fn get(&self, block: usize, part: usize) -> Option<u32> {
        match &self.numbers {
            _ if block >= self.count => None,
            BlockNumbers::Packed(codes) => Some(codes[part].get(block)),
            BlockNumbers::Plain(bytes) => u32_at(bytes, block * ENTRY + part),
        }
    }
}

/// Whether a table of blocks is written as it is now, or as in format 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// As it is now.
    Packed,
    /// As in format 1.
    Plain,
}

/// The location of the blocks: in the snapshot or in separate files.
#[derive(Clone, Copy, Debug)]
enum Blocks<'a> {
    InSnapshot(Bytes<'a>),
    Separate(&'a SeparateBlocks),
}

const WHAT: &str = "the table of documents";
const BLOCK_WHAT: &str = "a block of documents";

impl<'a> DocumentsView<'a> {
    /// Reads the table. Blocks are unpacked only when one of their documents is read.
    ///
    /// # Errors
    /// Fails when the table's length contradicts its header, or its blocks cannot hold that many documents.
    pub fn parse(table: &'a [u8], blocks: Bytes<'a>) -> Result<DocumentsView<'a>, Malformed> {
        DocumentsView::parse_as(TableFormat::Packed, table, blocks)
    }

    /// Reads a table of the given format.
    ///
    /// # Errors
    /// Fails as [`DocumentsView::parse`] does.
    pub fn parse_as(
        format: TableFormat,
        table: &'a [u8],
        blocks: Bytes<'a>,
    ) -> Result<DocumentsView<'a>, Malformed> {
        DocumentsView::new(format, table, Blocks::InSnapshot(blocks))
    }

    /// Reads the table of a snapshot whose blocks are in separate files.
    ///
    /// # Errors
    /// Fails as [`DocumentsView::parse`] does.
    pub fn parse_outside(
        format: TableFormat,
        table: &'a [u8],
        blocks: &'a SeparateBlocks,
    ) -> Result<DocumentsView<'a>, Malformed> {
        DocumentsView::new(format, table, Blocks::Separate(blocks))
    }

    fn new(format: TableFormat, table: &'a [u8], blocks: Blocks<'a>) -> Result<DocumentsView<'a>, Malformed> {
        let mut reader = Reader::new(table, WHAT);
        let documents = reader.len32()?;
        let table = match format {
            TableFormat::Packed => BlockTable::parse(&mut reader)?,
            TableFormat::Plain => BlockTable::parse_format_1(&mut reader)?,
        };
        let most = table.count.saturating_mul(GROUP);
        if reader.remaining() > 0 || !(table.count..=most).contains(&documents) {
            return Err(reader.malformed());
        }
        Ok(DocumentsView { documents, table, blocks })
    }

    /// Returns the number of documents.
    pub fn len(&self) -> usize {
        self.documents
    }

    /// Returns whether there are no documents.
    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// Returns an upper bound for the length of a document, in bytes.
    ///
    /// It is the unpacked length of all blocks according to the table, limited by LZ4's greatest expansion of the packed
    /// bytes, so that a forged table cannot raise it without limit.
    pub fn most_text(&self) -> usize {
        let said = (0..self.block_count())
            .filter_map(|block| self.raw_len(block).ok())
            .fold(0, usize::saturating_add);
        said.min(self.blocks_len().saturating_mul(lz4::MAX_EXPANSION))
    }

    /// Returns a reader of single documents. It keeps the last unpacked block, so reading in row order is fastest.
    pub fn reader(self) -> DocumentsReader<'a> {
        DocumentsReader { view: self, block: usize::MAX, first: 0, opened: None }
    }

    /// Calls `each` with every document from number `from` on, in order, until it returns false.
    ///
    /// # Errors
    /// Fails when a block cannot be read. If documents are in separate files, call [`DocumentsView::require_all`] first:
    /// it reports all missing blocks at once.
    pub fn each_from(
        &self,
        from: usize,
        mut each: impl FnMut(usize, &[u8]) -> bool,
    ) -> Result<(), StoreError> {
        self.visit_from(from, &mut each)
    }

    fn visit_from(&self, from: usize, each: &mut dyn FnMut(usize, &[u8]) -> bool) -> Result<(), StoreError> {
        if from >= self.documents {
            return Ok(());
        }
        for block in self.block_of(from)..self.block_count() {
            let first = self.first_document(block)?;
            let mut opened = self.open(block)?;
            let raw = opened.bytes.prefix(opened.end()).ok_or(Malformed(BLOCK_WHAT))?;
            for (document, span) in (first..).zip(opened.ends.windows(2)) {
                if document >= from && !each(document, &raw[span[0]..span[1]]) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Returns the packed blocks of the group that starts at `document`, for copying them unchanged.
    ///
    /// # Errors
    /// Fails when `document` does not start a group, the table is malformed, or a block cannot be read.
    pub fn group(&self, document: usize) -> Result<Group, StoreError> {
        let mut group = Group::default();
        let mut block = self.block_of(document);
        if self.first_document(block)? != document {
            return Err(Malformed(WHAT).into());
        }
        while block < self.block_count() && self.first_document(block)? < document + GROUP {
            let documents = self.documents_in(block)?;
            group.blocks.push((documents, self.raw_len(block)?, self.packed(block)?.into_owned()));
            block += 1;
        }
        Ok(group)
    }

    /// Returns the number of blocks.
    pub fn block_count(&self) -> usize {
        self.table.count
    }

    fn entry(&self, block: usize, part: usize) -> Result<usize, Malformed> {
        self.table.get(block, part).map(|value| value as usize).ok_or(Malformed(WHAT))
    }

    fn first_document(&self, block: usize) -> Result<usize, Malformed> {
        self.entry(block, 0)
    }

    fn raw_len(&self, block: usize) -> Result<usize, Malformed> {
        self.entry(block, 2)
    }

    fn documents_in(&self, block: usize) -> Result<usize, Malformed> {
        let first = self.first_document(block)?;
        let end =
            if block + 1 < self.block_count() { self.first_document(block + 1)? } else { self.documents };
        // Merging copies whole groups, so no block may extend into the next group.
        let count = end.checked_sub(first).filter(|count| (1..=GROUP - first % GROUP).contains(count));
        count.ok_or(Malformed(WHAT))
    }

    pub(super) fn block_of(&self, document: usize) -> usize {
        let (mut low, mut high) = (0, self.block_count());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.first_document(middle).is_ok_and(|first| first <= document) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.saturating_sub(1)
    }

    /// Returns the byte range of a block within all blocks.
    pub(super) fn span(&self, block: usize) -> Result<Range<usize>, Malformed> {
        let start = self.entry(block, 1)?;
        let end = if block + 1 < self.block_count() { self.entry(block + 1, 1)? } else { self.blocks_len() };
        if start <= end && end <= self.blocks_len() { Ok(start..end) } else { Err(Malformed(WHAT)) }
    }

    pub(super) fn outside(&self) -> Option<&'a SeparateBlocks> {
        match self.blocks {
            Blocks::InSnapshot(_) => None,
            Blocks::Separate(outside) => Some(outside),
        }
    }

    /// Reports whether the snapshot has the bytes of all these blocks in memory, or keeps them elsewhere.
    pub(super) fn has(&self, blocks: impl IntoIterator<Item = usize>) -> bool {
        let Blocks::InSnapshot(bytes) = self.blocks else { return true };
        let mut has_all = true;
        // Ask for each block, so that all missing ones are remembered.
        for block in blocks {
            has_all &= self.span(block).is_ok_and(|span| bytes.has(span));
        }
        has_all
    }

    fn blocks_len(&self) -> usize {
        match self.blocks {
            Blocks::InSnapshot(bytes) => bytes.len(),
            Blocks::Separate(outside) => outside.len(),
        }
    }

    fn packed(&self, block: usize) -> Result<Cow<'a, [u8]>, StoreError> {
        match self.blocks {
            Blocks::InSnapshot(bytes) => Ok(Cow::Borrowed(bytes.get(self.span(block)?).ok_or(ABSENT)?)),
            Blocks::Separate(outside) => Ok(Cow::Owned(outside.get(block, || self.range(outside, block))?)),
        }
    }

    /// Opens a block and unpacks just enough of it to locate its documents.
    fn open(&self, block: usize) -> Result<OpenBlock<'a>, StoreError> {
        let packed = self.packed(block)?;
        let raw_len = self.raw_len(block)?;
        let mut bytes = if packed.len() == raw_len {
            Decompressor::uncompressed(packed.into_owned())
        } else {
            Decompressor::new(packed, raw_len).ok_or(Malformed(BLOCK_WHAT))?
        };
        let documents = self.documents_in(block)?;
        let head = bytes.prefix(raw_len.min(documents * LONGEST_VARINT)).ok_or(Malformed(BLOCK_WHAT))?;
        let mut reader = Reader::new(head, BLOCK_WHAT);
        let mut ends = Vec::with_capacity(documents + 1);
        ends.push(0);
        for document in 0..documents {
            let end = reader.varlen()?.checked_add(ends[document]).filter(|end| *end <= raw_len);
            ends.push(end.ok_or(Malformed(BLOCK_WHAT))?);
        }
        let first = head.len() - reader.remaining();
        ends.iter_mut().for_each(|end| *end += first);
        if ends.last() == Some(&raw_len) {
            Ok(OpenBlock { bytes, ends })
        } else {
            Err(Malformed(BLOCK_WHAT).into())
        }
    }
}

/// A block that is being read.
#[derive(Debug)]
struct OpenBlock<'a> {
    bytes: Decompressor<'a>,
    /// The start of the first document, then the end of each document, in bytes.
    ends: Vec<usize>,
}

impl OpenBlock<'_> {
    /// Returns the end of the last document.
    fn end(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }
}

/// Reads single documents; [`DocumentsView::reader`] creates it.
#[derive(Debug)]
pub struct DocumentsReader<'a> {
    view: DocumentsView<'a>,
    block: usize,
    first: usize,
    opened: Option<OpenBlock<'a>>,
}

impl DocumentsReader<'_> {
    /// Returns a document's JSON text. Unpacks its block no further than the document's end.
    ///
    /// # Errors
    /// Fails when the block cannot be read or `document` is out of range.
    pub fn get(&mut self, document: usize) -> Result<&[u8], StoreError> {
        let block = self.view.block_of(document);
        if block != self.block {
            self.first = self.view.first_document(block)?;
            self.opened = Some(self.view.open(block)?);
            self.block = block;
        }
        let place = document.checked_sub(self.first).ok_or(Malformed(WHAT))?;
        let opened = self.opened.as_mut().ok_or(Malformed(WHAT))?;
        let (Some(&start), Some(&end)) = (opened.ends.get(place), opened.ends.get(place + 1)) else {
            return Err(Malformed(WHAT).into());
        };
        let raw = opened.bytes.prefix(end).ok_or(Malformed(BLOCK_WHAT))?;
        Ok(&raw[start..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn documents() -> Vec<Vec<u8>> {
        (0..100)
            .map(|i| format!("{{\"id\":{i},\"t\":\"{}\"}}", "word ".repeat(i * i % 3000)).into_bytes())
            .collect()
    }

    fn written() -> (Vec<u8>, Vec<u8>) {
        let mut writer = DocumentsWriter::default();
        for group in documents().chunks(GROUP) {
            writer.push(&Group::pack(group.iter().map(Vec::as_slice)));
        }
        writer.finish()
    }

    #[test]
    fn every_document_comes_back_alone_and_in_order() {
        let (table, blocks) = written();
        let view = DocumentsView::parse(&table, (&blocks).into()).unwrap();
        for (i, document) in documents().iter().enumerate() {
            assert_eq!(view.reader().get(i), Ok(&document[..]));
        }
        assert!(view.reader().get(100).is_err());
        let mut seen = Vec::new();
        view.each_from(40, |i, document| {
            seen.push((i, document.to_vec()));
            true
        })
        .unwrap();
        assert_eq!(seen, documents().into_iter().enumerate().skip(40).collect::<Vec<_>>());
    }

    #[test]
    fn a_copied_group_is_the_group_that_was_packed() {
        let (table, blocks) = written();
        let view = DocumentsView::parse(&table, (&blocks).into()).unwrap();
        let mut copy = DocumentsWriter::default();
        for start in (0..100).step_by(GROUP) {
            copy.push(&view.group(start).unwrap());
        }
        assert_eq!(copy.finish(), (table.clone(), blocks.clone()));
    }

    #[test]
    fn truncated_tables_are_errors() {
        let (table, blocks) = written();
        for len in 0..table.len() {
            assert!(DocumentsView::parse(&table[..len], (&blocks).into()).is_err());
        }
    }
}
