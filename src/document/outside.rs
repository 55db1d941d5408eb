//! Where are the documents of a snapshot that keeps them in separate files?
//!
//! The snapshot keeps the table of all blocks and lists which file holds which block, and each block's checksum. A
//! block is accepted if its checksum matches, wherever it came from: a [`BlockSource`] reads it on demand, or the
//! caller learns from [`StoreFault::Missing`] which blocks are needed, supplies them, and asks again.
//!
//! ```text
//! section: u32 bytes of all blocks · u32 files · files × u32 first block · blocks × u64 checksum
//! file:    signature · u64 checksum of the section · blocks
//! ```

use super::cache::BlockCache;
use super::store::DocumentsView;
use crate::bytes::{ABSENT, Bytes};
use crate::order::sort;
use crate::wire::{Malformed, Reader, len32};
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// The first eight bytes of a document file. The final `\r\n` reveals a transfer that changed line ends.
const SIGNATURE: [u8; 8] = *b"snapdc\r\n";

/// The length of a document file's header, in bytes.
pub const FILE_HEAD: usize = 16;

/// The default size of the block cache, in bytes.
pub const DEFAULT_CACHE: usize = 8 << 20;

/// Blocks with at most this many bytes between them share a request, which costs less than another request.
const JOINED_GAP: u64 = 16 << 10;

/// A request is not extended further once it has this many bytes.
const LONG_REQUEST: u64 = 4 << 20;

const WHAT: &str = "the list of document files";

/// A boxed [`StoreFault`].
pub type StoreError = Box<StoreFault>;

/// The reasons why a stored document cannot be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFault {
    /// The snapshot's bytes are malformed.
    #[error("the snapshot is damaged: {0}; download or build it again")]
    Malformed(Malformed),
    /// Some needed blocks are in a separate file and not in the cache.
    #[error("{} of stored documents that {} in a separate file and not loaded; supply them and try again", counted(.blocks.len()), is_or_are(.blocks.len()))]
    Missing {
        /// The numbers of the missing blocks, ascending. [`DocumentsView::ranges`] locates them.
        blocks: Vec<u32>,
    },
    /// The contents of a document file do not match the snapshot's checksums.
    #[error("the document file is damaged or belongs to another snapshot; download or build both again")]
    Foreign,
    /// A document file cannot be read.
    #[error("the stored documents cannot be read: {reason}")]
    Unreadable {
        /// The error message of the source.
        reason: String,
    },
}

boxed_from!(StoreFault: Malformed(Malformed));

fn counted(count: usize) -> String {
    format!("this needs {count} block{}", if count == 1 { "" } else { "s" })
}

fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// Reads blocks on demand.
pub trait BlockSource: Debug + Send + Sync {
    /// Returns all bytes of a range of a file.
    ///
    /// # Errors
    /// Fails when the range cannot be read completely.
    fn read(&self, range: &FileRange) -> io::Result<Vec<u8>>;
}

/// A range of bytes in one of a snapshot's document files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRange {
    /// The file's number, counted from 0.
    pub file: u32,
    /// The range, counted from the start of the file.
    pub bytes: Range<u64>,
}

/// Returns the suffix that turns the snapshot's file name into the name of document file number `file` out of `files`.
pub fn file_suffix(file: u32, files: u32) -> String {
    if files == 1 { ".docs".to_owned() } else { format!(".docs.{file}") }
}

/// The reason why documents cannot be divided among files: the size limit is smaller than a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a block of documents needs a file of {needed} bytes, but files are limited to {most} bytes; raise the limit"
)]
pub struct TooSmallFiles {
    /// The size of the smallest file that can hold the longest block, in bytes.
    pub needed: usize,
    /// The requested size limit, in bytes.
    pub most: usize,
}

/// Divides blocks among files of at most `most` bytes.
///
/// Returns the section that describes the files, which [`SeparateBlocks::parse`] reads, and the range of `blocks` that
/// each file holds.
///
/// # Errors
/// Fails when a block does not fit a file of `most` bytes.
///
/// # Panics
/// Panics when `table` does not describe `blocks`.
pub fn divide(
    table: &[u8],
    blocks: &[u8],
    most: usize,
) -> Result<(Vec<u8>, Vec<Range<usize>>), TooSmallFiles> {
    let view = DocumentsView::parse(table, Bytes::Whole(blocks)).expect("the table was just written");
    let spans = (0..view.block_count()).map(|block| view.span(block).expect("the table was just written"));
    let (mut firsts, mut files) = (vec![0], Vec::new());
    let mut start = 0;
    let mut checksums = Vec::new();
    for (block, span) in spans.enumerate() {
        let needed = FILE_HEAD + span.len();
        if needed > most {
            return Err(TooSmallFiles { needed, most });
        }
        if FILE_HEAD + span.end - start > most {
            files.push(start..span.start);
            firsts.push(len32(block));
            start = span.start;
        }
        checksums.push(xxh3_64(&blocks[span]));
    }
    files.push(start..blocks.len());
    let mut section = [len32(blocks.len()), len32(files.len())].map(u32::to_le_bytes).concat();
    firsts.into_iter().for_each(|first| section.extend_from_slice(&first.to_le_bytes()));
    checksums.into_iter().for_each(|checksum| section.extend_from_slice(&checksum.to_le_bytes()));
    Ok((section, files))
}

/// Returns the header of a document file that belongs to the snapshot whose section has this checksum.
pub fn file_head(section_checksum: u64) -> [u8; FILE_HEAD] {
    let mut head = [0; FILE_HEAD];
    head[..8].copy_from_slice(&SIGNATURE);
    head[8..].copy_from_slice(&section_checksum.to_le_bytes());
    head
}

/// Returns whether these bytes start a document file, of any snapshot.
pub fn is_file_of_documents(head: &[u8]) -> bool {
    head.starts_with(&SIGNATURE)
}

/// The blocks of a snapshot that keeps its documents in separate files.
#[derive(Debug)]
pub struct SeparateBlocks {
    len: usize,
    firsts: Vec<u32>,
    checksums: Vec<u64>,
    section_checksum: u64,
    cache: Mutex<BlockCache>,
    source: Option<Box<dyn TextErrorSource>>,
}

/// A [`BlockSource`] whose errors are strings.
///
/// Only [`SeparateBlocks::attach`] converts I/O errors to text. A build that never attaches a source, as in a browser,
/// therefore does not link the texts of all I/O errors.
trait TextErrorSource: Debug + Send + Sync {
    fn read(&self, range: &FileRange) -> Result<Vec<u8>, String>;
}

impl TextErrorSource for Box<dyn BlockSource> {
    fn read(&self, range: &FileRange) -> Result<Vec<u8>, String> {
        (**self).read(range).map_err(|error| error.to_string())
    }
}

impl SeparateBlocks {
    /// Reads the section of a snapshot with `blocks` blocks; [`divide`] writes it.
    ///
    /// # Errors
    /// Fails when the section does not list each block once and in order.
    pub fn parse(section: &[u8], blocks: usize) -> Result<SeparateBlocks, Malformed> {
        let mut reader = Reader::new(section, WHAT);
        let (len, files) = (reader.len32()?, reader.len32()?);
        let firsts = reader.take(files.checked_mul(4).ok_or(reader.malformed())?)?;
        let firsts = firsts.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect::<Vec<_>>();
        let checksums = reader.rest();
        let ascend = firsts.windows(2).all(|pair| pair[0] < pair[1]);
        let fits = firsts.first() == Some(&0)
            && ascend
            && firsts.last().is_some_and(|&last| (last as usize) < blocks.max(1))
            && blocks.checked_mul(8) == Some(checksums.len());
        if !fits {
            return Err(reader.malformed());
        }
        let checksums =
            checksums.as_chunks().0.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect::<Vec<_>>();
        let cache = Mutex::new(BlockCache::new(DEFAULT_CACHE));
        Ok(SeparateBlocks { len, firsts, checksums, section_checksum: xxh3_64(section), cache, source: None })
    }

    /// Returns the length of all blocks together, in bytes.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the number of document files.
    pub fn files(&self) -> u32 {
        len32(self.firsts.len())
    }

    /// Returns whether a file with this header belongs to the snapshot; [`file_head`] writes the header.
    pub fn owns(&self, head: &[u8]) -> bool {
        head == file_head(self.section_checksum)
    }

    /// Sets the source from which missing blocks are read.
    pub fn attach(&mut self, source: Box<dyn BlockSource>) {
        self.source = Some(Box::new(source));
    }

    /// Sets the size of the block cache, in bytes.
    pub fn set_cache(&self, bytes: usize) {
        self.cache().set_most(bytes);
    }

    /// Trims the block cache to its size. Supplied blocks stay cached until then.
    pub fn trim(&self) {
        self.cache().trim();
    }

    fn cache(&self) -> MutexGuard<'_, BlockCache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn file_of(&self, block: usize) -> usize {
        self.firsts.partition_point(|&first| first as usize <= block).saturating_sub(1)
    }

    fn check(&self, block: usize, bytes: &[u8]) -> Result<(), StoreError> {
        if self.checksums.get(block) == Some(&xxh3_64(bytes)) {
            Ok(())
        } else {
            Err(StoreFault::Foreign.into())
        }
    }

    /// Returns a block's packed bytes from the cache or, if it is missing there, from the source at `range`.
    pub(super) fn get(
        &self,
        block: usize,
        range: impl FnOnce() -> Result<FileRange, Malformed>,
    ) -> Result<Vec<u8>, StoreError> {
        let number = len32(block);
        if let Some(bytes) = self.cache().get(number) {
            return Ok(bytes.to_vec());
        }
        let Some(source) = &self.source else {
            return Err(StoreFault::Missing { blocks: vec![number] }.into());
        };
        let range = range()?;
        let bytes = source.read(&range).map_err(|reason| StoreFault::Unreadable { reason })?;
        self.check(block, &bytes)?;
        let mut cache = self.cache();
        cache.insert(number, bytes.clone());
        cache.trim();
        Ok(bytes)
    }
}

/// Access to documents that may not be in memory: those in separate files, and those of a snapshot that is read in pieces.
impl DocumentsView<'_> {
    /// Checks that all of these documents can be read, and reports all missing blocks at once.
    ///
    /// # Errors
    /// Fails with [`StoreFault::Missing`] when blocks must be supplied, or when the table is malformed.
    pub fn require(&self, documents: impl IntoIterator<Item = usize>) -> Result<(), StoreError> {
        match self.outside() {
            Some(outside) if outside.source.is_none() => missing(
                outside,
                documents.into_iter().map(|document| self.block_of(document)).collect::<Vec<_>>(),
            ),
            Some(_) => Ok(()),
            None if self.has(documents.into_iter().map(|document| self.block_of(document))) => Ok(()),
            None => Err(ABSENT.into()),
        }
    }

    /// Checks that every document can be read; see [`DocumentsView::require`].
    ///
    /// # Errors
    /// Fails as [`DocumentsView::require`] does.
    pub fn require_all(&self) -> Result<(), StoreError> {
        match self.outside() {
            Some(outside) if outside.source.is_none() => {
                missing(outside, (0..self.block_count()).collect::<Vec<_>>())
            }
            Some(_) => Ok(()),
            None if self.has(0..self.block_count()) => Ok(()),
            None => Err(ABSENT.into()),
        }
    }

    /// Returns the file ranges that hold these blocks, in order. Ranges with a small gap between them are joined.
    ///
    /// # Errors
    /// Fails when a block does not exist or the table is malformed.
    pub fn ranges(&self, blocks: &[u32]) -> Result<Vec<FileRange>, StoreError> {
        let Some(outside) = self.outside() else { return Ok(Vec::new()) };
        let mut blocks = blocks.to_vec();
        sort(&mut blocks);
        let mut ranges: Vec<FileRange> = Vec::new();
        for block in blocks {
            let range = self.range(outside, block as usize)?;
            match ranges.last_mut() {
                Some(last) if is_near(last, &range) => last.bytes.end = range.bytes.end,
                _ => ranges.push(range),
            }
        }
        Ok(ranges)
    }

    /// Takes bytes of a document file and caches the blocks that lie completely within them.
    ///
    /// # Errors
    /// Fails when a block's checksum does not match or the table is malformed. Nothing is cached in that case.
    pub fn supply(&self, file: u32, start: u64, bytes: &[u8]) -> Result<(), StoreError> {
        let Some(outside) = self.outside() else { return Ok(()) };
        let Some(&first) = outside.firsts.get(file as usize) else { return Ok(()) };
        let after = outside.firsts.get(file as usize + 1).map_or(self.block_count(), |&next| next as usize);
        let mut taken = Vec::new();
        for block in first as usize..after {
            let range = self.range(outside, block)?.bytes;
            let from = range.start.checked_sub(start).and_then(|from| usize::try_from(from).ok());
            let until = range.end.checked_sub(start).and_then(|until| usize::try_from(until).ok());
            let (Some(from), Some(until)) = (from, until) else { continue };
            let Some(packed) = bytes.get(from..until) else { continue };
            outside.check(block, packed)?;
            taken.push((len32(block), packed));
        }
        let mut cache = outside.cache();
        taken.into_iter().for_each(|(block, packed)| cache.insert(block, packed.to_vec()));
        Ok(())
    }

    /// Returns the expected length of each document file, in bytes.
    ///
    /// # Errors
    /// Fails when the table is malformed.
    pub fn file_lens(&self) -> Result<Vec<u64>, StoreError> {
        let Some(outside) = self.outside() else { return Ok(Vec::new()) };
        let mut lens = Vec::with_capacity(outside.firsts.len());
        for (file, _) in outside.firsts.iter().enumerate() {
            let after = outside.firsts.get(file + 1).map_or(self.block_count(), |&next| next as usize);
            let last = after.checked_sub(1);
            let end =
                last.map(|last| Ok::<_, Malformed>(self.range(outside, last)?.bytes.end)).transpose()?;
            lens.push(end.unwrap_or(FILE_HEAD as u64));
        }
        Ok(lens)
    }

    /// Returns the file range of a block.
    pub(super) fn range(&self, outside: &SeparateBlocks, block: usize) -> Result<FileRange, Malformed> {
        let file = outside.file_of(block);
        let start = self.span(outside.firsts[file] as usize)?.start;
        let span = self.span(block)?;
        let at = |place: usize| place.checked_sub(start).map(|at| (FILE_HEAD + at) as u64);
        let (Some(from), Some(until)) = (at(span.start), at(span.end)) else { return Err(Malformed(WHAT)) };
        Ok(FileRange { file: len32(file), bytes: from..until })
    }
}

fn missing(outside: &SeparateBlocks, blocks: Vec<usize>) -> Result<(), StoreError> {
    let cache = outside.cache();
    let mut missing = blocks.into_iter().map(len32).filter(|&block| !cache.has(block)).collect::<Vec<_>>();
    sort(&mut missing);
    missing.dedup();
    if missing.is_empty() { Ok(()) } else { Err(StoreFault::Missing { blocks: missing }.into()) }
}

fn is_near(last: &FileRange, next: &FileRange) -> bool {
    last.file == next.file
        && next.bytes.start.saturating_sub(last.bytes.end) <= JOINED_GAP
        && last.bytes.end.saturating_sub(last.bytes.start) < LONG_REQUEST
        && last.bytes.end <= next.bytes.end
}
