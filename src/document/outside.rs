//! Where are the blocks of a snapshot whose documents are in other files?
//!
//! The snapshot keeps the table of its blocks, and says which file holds which of them and what the checksum of each one
//! is. A block is believed when its checksum fits, whoever brought it: a [`BlockSource`] that reads on demand, or a
//! caller who was told by [`StoreFault::Missing`] what is needed, and supplies it before asking again.
//!
//! ```text
//! section: u32 bytes of all blocks · u32 files · files × u32 first block · blocks × u64 checksum
//! file:    signature · u64 checksum of the section · blocks
//! ```

use super::cache::BlockCache;
use super::store::DocumentsView;
use crate::order::sort;
use crate::wire::{Malformed, Reader, len32};
use std::fmt::Debug;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use xxhash_rust::xxh3::xxh3_64;

/// The first eight bytes of a file of documents; the last two show a transfer that mangled line ends.
const SIGNATURE: [u8; 8] = *b"snapdc\r\n";

/// The bytes of a file of documents before its first block.
pub const FILE_HEAD: usize = 16;

/// How many bytes of blocks are kept at hand, unless told otherwise.
pub const DEFAULT_CACHE: usize = 8 << 20;

/// Blocks with no more than this between them are asked for together: a request costs more than these bytes.
const NEAR: u64 = 16 << 10;

/// What is asked for at once ends after so many bytes.
const LONG: u64 = 4 << 20;

const WHAT: &str = "the list of document files";

/// Why a stored document cannot be read.
pub type StoreError = Box<StoreFault>;

/// What keeps a stored document from being read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreFault {
    /// The bytes make no sense.
    #[error("the snapshot is damaged: {0}; fetch or build it again")]
    Malformed(Malformed),
    /// Blocks are needed that are in another file and not at hand.
    #[error("{} of stored documents, which {} in another file, not loaded yet", counted(.blocks.len()), is_or_are(.blocks.len()))]
    Missing {
        /// Their numbers, ascending: see [`DocumentsView::ranges`].
        blocks: Vec<u32>,
    },
    /// What a file of documents holds is not what the snapshot says.
    #[error("the file of documents is damaged, or belongs to another snapshot; fetch or build both again")]
    Foreign,
    /// A file of documents cannot be read.
    #[error("the stored documents cannot be read: {reason}")]
    Unreadable {
        /// What the source says.
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

/// Reads blocks when they are needed.
pub trait BlockSource: Debug + Send + Sync {
    /// The bytes in this range of a file, all of them.
    ///
    /// # Errors
    /// When they cannot be had.
    fn read(&self, range: &FileRange) -> io::Result<Vec<u8>>;
}

/// Bytes of one of the files that hold a snapshot's documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileRange {
    /// The file's number, from 0.
    pub file: u32,
    /// From where to where, counted from the start of the file.
    pub bytes: Range<u64>,
}

/// What is added to the snapshot's name to name a file of its documents.
pub fn file_suffix(file: u32, files: u32) -> String {
    if files == 1 { ".docs".to_owned() } else { format!(".docs.{file}") }
}

/// Why documents cannot be divided among files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a block of documents takes a file of {needed} bytes, and files of at most {most} are wanted")]
pub struct TooSmallFiles {
    /// The bytes of the file that the longest block needs.
    pub needed: usize,
    /// What was asked for.
    pub most: usize,
}

/// The section for these blocks, and which bytes of them each file holds; [`Outside::parse`] reads the section.
///
/// # Errors
/// When a block is longer than `most`, the most bytes of a file.
///
/// # Panics
/// When the table is not that of the blocks.
pub fn divide(
    table: &[u8],
    blocks: &[u8],
    most: usize,
) -> Result<(Vec<u8>, Vec<Range<usize>>), TooSmallFiles> {
    let view = DocumentsView::parse(table, blocks).expect("the table was just written");
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

/// The start of a file that belongs to the snapshot with this section.
pub fn file_head(section_checksum: u64) -> [u8; FILE_HEAD] {
    let mut head = [0; FILE_HEAD];
    head[..8].copy_from_slice(&SIGNATURE);
    head[8..].copy_from_slice(&section_checksum.to_le_bytes());
    head
}

/// Whether these bytes start a file of documents, of whatever snapshot.
pub fn is_file_of_documents(head: &[u8]) -> bool {
    head.starts_with(&SIGNATURE)
}

/// The blocks of a snapshot whose documents are in other files.
#[derive(Debug)]
pub struct Outside {
    len: usize,
    firsts: Vec<u32>,
    checksums: Vec<u64>,
    section_checksum: u64,
    cache: Mutex<BlockCache>,
    source: Option<Box<dyn TellingSource>>,
}

/// A [`BlockSource`] that tells in words what went wrong. Where none is ever attached, as in a browser, the words of all
/// errors of input and output are then in nobody's way.
trait TellingSource: Debug + Send + Sync {
    fn read(&self, range: &FileRange) -> Result<Vec<u8>, String>;
}

impl TellingSource for Box<dyn BlockSource> {
    fn read(&self, range: &FileRange) -> Result<Vec<u8>, String> {
        (**self).read(range).map_err(|error| error.to_string())
    }
}

impl Outside {
    /// Reads the section of a snapshot with this many blocks; [`divide`] writes it.
    ///
    /// # Errors
    /// When it does not name each block once, in order.
    pub fn parse(section: &[u8], blocks: usize) -> Result<Outside, Malformed> {
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
        Ok(Outside { len, firsts, checksums, section_checksum: xxh3_64(section), cache, source: None })
    }

    /// The bytes of all blocks.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there is no block.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// How many files there are.
    pub fn files(&self) -> u32 {
        len32(self.firsts.len())
    }

    /// Whether a file that starts so belongs to this snapshot; [`file_head`] writes it.
    pub fn owns(&self, head: &[u8]) -> bool {
        head == file_head(self.section_checksum)
    }

    /// Reads blocks from `source` from now on.
    pub fn attach(&mut self, source: Box<dyn BlockSource>) {
        self.source = Some(Box::new(source));
    }

    /// Keeps so many bytes of blocks at hand.
    pub fn set_cache(&self, bytes: usize) {
        self.cache().set_most(bytes);
    }

    /// Drops the blocks that are more than is to be kept at hand. What was supplied stays until then.
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

    /// A block's packed bytes; `range` says where they are.
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

/// What only concerns documents in other files: where the documents are in the snapshot, there is nothing to do.
impl DocumentsView<'_> {
    /// Makes sure that these documents can be read, and says of all that cannot at once what is missing.
    ///
    /// # Errors
    /// [`StoreFault::Missing`] where blocks have to be supplied, or when the table is malformed.
    pub fn require(&self, documents: impl IntoIterator<Item = usize>) -> Result<(), StoreError> {
        match self.outside() {
            Some(outside) if outside.source.is_none() => missing(
                outside,
                documents.into_iter().map(|document| self.block_of(document)).collect::<Vec<_>>(),
            ),
            _ => Ok(()),
        }
    }

    /// The same for every document.
    ///
    /// # Errors
    /// As [`DocumentsView::require`].
    pub fn require_all(&self) -> Result<(), StoreError> {
        match self.outside() {
            Some(outside) if outside.source.is_none() => {
                missing(outside, (0..self.block_count()).collect::<Vec<_>>())
            }
            _ => Ok(()),
        }
    }

    /// Which bytes of which files hold these blocks, and what little may stand between them; in order.
    ///
    /// # Errors
    /// When there is no such block, or the table is malformed.
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

    /// Takes bytes of a file, and keeps the whole blocks among them at hand.
    ///
    /// # Errors
    /// When a block is not what the snapshot says, or the table is malformed. Nothing of it is kept, then.
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

    /// How many bytes each file has.
    ///
    /// # Errors
    /// When the table is malformed.
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

    /// Where a block stands.
    pub(super) fn range(&self, outside: &Outside, block: usize) -> Result<FileRange, Malformed> {
        let file = outside.file_of(block);
        let start = self.span(outside.firsts[file] as usize)?.start;
        let span = self.span(block)?;
        let at = |place: usize| place.checked_sub(start).map(|at| (FILE_HEAD + at) as u64);
        let (Some(from), Some(until)) = (at(span.start), at(span.end)) else { return Err(Malformed(WHAT)) };
        Ok(FileRange { file: len32(file), bytes: from..until })
    }
}

fn missing(outside: &Outside, blocks: Vec<usize>) -> Result<(), StoreError> {
    let cache = outside.cache();
    let mut missing = blocks.into_iter().map(len32).filter(|&block| !cache.has(block)).collect::<Vec<_>>();
    sort(&mut missing);
    missing.dedup();
    if missing.is_empty() { Ok(()) } else { Err(StoreFault::Missing { blocks: missing }.into()) }
}

fn is_near(last: &FileRange, next: &FileRange) -> bool {
    last.file == next.file
        && next.bytes.start.saturating_sub(last.bytes.end) <= NEAR
        && last.bytes.end.saturating_sub(last.bytes.start) < LONG
        && last.bytes.end <= next.bytes.end
}
