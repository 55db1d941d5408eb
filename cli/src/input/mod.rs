//! Where do records come from? Files, folders, databases and stdin.
//!
//! A [`Framing`] finds the boundaries of entries in a text without parsing them, and the text is given out in chunks of
//! whole entries. A document is one chunk, and a table gives rows. Any thread can parse a chunk. A chunk knows its
//! place in the input, so an error names file and line.

mod chunk;
mod csv;
mod document;
mod folder;
mod format;
mod front_matter;
mod html;
mod json;
mod jsonl;
mod markdown;
mod options;
mod parquet;
mod reader;
mod rows;
mod source;
mod split;
mod sqlite;
mod vectors;
mod yaml;

pub use chunk::{EntryChunk, Fault, InputPlace};
pub use options::InputOptions;
pub use vectors::VectorFile;

use crate::failure::UsageError;
use anyhow::{Context, Result};
use chunk::Located;
use document::{Document, DocumentMarkup};
use format::{Format, Way};
use reader::ChunkReader;
use rows::{RowReader, TableReader};
use snapseek::Record;
use snapseek::json::Json;
use source::InputSource;
use split::{FieldSplit, Sizes};
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One entry of an input.
#[derive(Debug)]
pub enum Entry {
    /// A record. It replaces an earlier record with the same key.
    Record(Record),
    /// Removes the record with this key.
    Delete(Record),
    /// Sets the vector of the record with this key.
    Vector(Record),
    /// A line that is no record: a link, session, usage or feedback.
    Beside {
        /// The value of `$`, which says which of them it is.
        mark: String,
        /// The whole line.
        json: Json,
    },
    /// The outcome of `--chunk` for one record. It follows the pieces of the record.
    Cut {
        /// The id of the record.
        id: String,
        /// The kind of the record.
        kind: String,
        /// The outcome.
        cut: Cut,
    },
}

/// The outcome of `--chunk` for one record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// The record was deleted, and its pieces with it.
    Gone,
    /// The record was not cut.
    Whole,
    /// The record became this many records, with the ids `ID#0`, `ID#1` and so on.
    Pieces(usize),
}

/// Finds the boundaries of entries in a text.
pub trait Framing: Send {
    /// Returns the next entry at or after `from`. If `is_end`, the end of `text` is the end of the input and also ends
    /// an entry.
    fn step(&mut self, text: &[u8], from: usize, is_end: bool) -> Result<Step, Misplaced>;

    /// Returns how to parse the entries that were found so far.
    fn grammar(&self) -> chunk::Grammar {
        chunk::Grammar::Json
    }
}

/// The result of looking for the next entry.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// An entry, and where to look for the next one.
    Entry(Range<usize>, usize),
    /// No complete entry. The next one may start here, in a longer text.
    More(usize),
}

/// A fault that makes the rest of the input unreadable.
#[derive(Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// The offset of the fault.
    pub at: usize,
    /// The fault, for people.
    pub reason: String,
}

/// The length of a run of entries, in bytes, unless [`Inputs::set_run_len`] changes it.
const DEFAULT_RUN_LEN: usize = 4 << 20;

/// All inputs of a build, read one after the other.
pub struct Inputs {
    waiting: VecDeque<Waiting>,
    open: Option<Open>,
    /// Runs that [`Inputs::sample`] has read, and that are given out first. An error can only be the last one.
    held: VecDeque<Result<Vec<EntryChunk>>>,
    /// Why reading stopped. It is reported after the runs before it.
    obstacle: Option<anyhow::Error>,
    total: Option<u64>,
    run_len: usize,
    split: Option<Arc<FieldSplit>>,
    sizes: Sizes,
}

/// An input that was checked, but not opened for reading.
enum Waiting {
    Entries(InputSource, Box<dyn Framing>),
    /// A document, and the path that the ids of its records start with.
    Document(InputSource, DocumentMarkup, String),
    Table(String, Box<dyn TableReader>),
}

/// An input that is being read.
enum Open {
    Entries(ChunkReader),
    Rows(RowReader),
}

impl Inputs {
    /// Takes files, folders of documents, and `-` for stdin. It checks all of them before it reads the first.
    pub fn new(paths: &[PathBuf], options: &InputOptions) -> Result<Inputs> {
        let mut inputs = Inputs {
            waiting: VecDeque::new(),
            open: None,
            held: VecDeque::new(),
            obstacle: None,
            total: Some(0),
            run_len: DEFAULT_RUN_LEN,
            split: options.chunk.clone().map(Arc::new),
            sizes: match &options.chunk {
                Some(split) if split.field == "text" => split.sizes,
                _ => Sizes::default(),
            },
        };
        for path in paths {
            inputs.look_at(path, options)?;
        }
        let has_table = inputs.waiting.iter().any(|input| matches!(input, Waiting::Table(..)));
        if let Some(option) = options.for_tables().filter(|_| !has_table) {
            let reason =
                format!("{option} is for SQLite databases and Parquet files; none is among the inputs");
            return Err(UsageError(reason).into());
        }
        inputs.check_names()?;
        Ok(inputs)
    }

    fn look_at(&mut self, path: &Path, options: &InputOptions) -> Result<()> {
        let source =
            if path.as_os_str() == "-" { InputSource::Stdin } else { InputSource::File(path.to_owned()) };
        if let InputSource::File(path) = &source {
            let metadata = fs::metadata(path).with_context(|| format!("{} cannot be read", source.name()))?;
            if metadata.is_dir() {
                return self.look_into(path, options);
            }
        }
        let named = match source {
            InputSource::Stdin => Some(Format::Jsonl),
            InputSource::File(_) => Format::of_path(path),
        };
        let unknown = || {
            let path = path.display();
            UsageError(format!(
                "{path}: the name shows no known format; pass --format (--help lists the formats)"
            ))
        };
        let format = options.format.or(named).ok_or_else(unknown)?;
        let mut len = source.len()?;
        self.waiting.push_back(match format.way() {
            Way::Entries(framing) => Waiting::Entries(source, framing),
            Way::Document(markup) => {
                let path = source.file_name();
                Waiting::Document(source, markup, path)
            }
            Way::Table(open) => {
                if matches!(source, InputSource::Stdin) {
                    return Err(
                        UsageError("a table cannot be read from stdin; name the file".to_owned()).into()
                    );
                }
                let opened = open(path, options).with_context(|| source.name())?;
                len = opened.len();
                Waiting::Table(source.name(), opened)
            }
        });
        self.count(len);
        Ok(())
    }

    fn look_into(&mut self, folder: &Path, options: &InputOptions) -> Result<()> {
        let markup = match options.format.map(Format::way) {
            None => None,
            Some(Way::Document(markup)) => Some(markup),
            Some(_) => {
                let folder = folder.display();
                let reason = format!(
                    "{folder} is a folder; it is read as Markdown, HTML and text. Name the other files in it"
                );
                return Err(UsageError(reason).into());
            }
        };
        for found in folder::documents(folder)? {
            let source = InputSource::File(found.file);
            self.waiting.push_back(Waiting::Document(source, markup.unwrap_or(found.markup), found.path));
            self.count(Some(found.len));
        }
        Ok(())
    }

    fn count(&mut self, len: Option<u64>) {
        self.total = self.total.zip(len).map(|(total, len)| total + len);
    }

    /// Refuses documents whose records would share ids.
    fn check_names(&self) -> Result<()> {
        let mut known = HashMap::new();
        for input in &self.waiting {
            let Waiting::Document(source, _, path) = input else { continue };
            if let Some(other) = known.insert(path, source.name()) {
                let reason = format!(
                    "{other} and {} would both have the ids {path}#0 and so on; name a folder that holds both",
                    source.name()
                );
                return Err(UsageError(reason).into());
            }
        }
        Ok(())
    }

    /// The bytes of all inputs; `None` if one of them is no regular file.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// Sets the length of runs, in bytes.
    pub fn set_run_len(&mut self, len: usize) {
        self.run_len = len;
    }

    /// Returns the first records: at most `count`, from at most about `len` bytes. The iterator over the inputs gives
    /// them out again, together with the faults between them.
    pub fn sample(&mut self, count: usize, len: usize) -> impl Iterator<Item = &Record> {
        let (mut seen_count, mut seen_len) = (0, 0);
        let mut is_enough = |located: &Located| {
            seen_count += usize::from(matches!(located.entry, Ok(Entry::Record(_))));
            seen_len += located.len;
            seen_count >= count || seen_len >= len
        };
        let mut has_enough = false;
        while !has_enough && let Some(mut run) = self.read_run() {
            has_enough = match &mut run {
                Ok(run) => run.iter_mut().any(|chunk| chunk.look_at(&mut is_enough)),
                Err(_) => true,
            };
            self.held.push_back(run);
        }
        self.held.iter().flatten().flatten().flat_map(EntryChunk::seen_records)
    }

    /// Returns the first bad entry that [`Inputs::sample`] read; `None` if there is none.
    ///
    /// # Errors
    /// When the inputs could not be read to the end, and there is no bad entry before.
    pub fn first_fault(&mut self) -> Result<Option<Fault>> {
        for run in self.held.drain(..) {
            if let Some(fault) = run?.iter().find_map(EntryChunk::first_seen_fault) {
                return Ok(Some(fault));
            }
        }
        Ok(None)
    }

    /// Reads the next run of entries, from one input or from several small ones.
    fn read_run(&mut self) -> Option<Result<Vec<EntryChunk>>> {
        if let Some(obstacle) = self.obstacle.take() {
            return Some(Err(obstacle));
        }
        let mut run = Vec::new();
        let mut len = 0;
        while len < self.run_len / 2 {
            match self.read_chunk() {
                Ok(Some(chunk)) => {
                    len += chunk.text_len();
                    run.push(chunk);
                }
                Ok(None) => break,
                Err(obstacle) if run.is_empty() => return Some(Err(obstacle)),
                Err(obstacle) => {
                    self.obstacle = Some(obstacle);
                    break;
                }
            }
        }
        (!run.is_empty()).then_some(Ok(run))
    }

    fn read_chunk(&mut self) -> Result<Option<EntryChunk>> {
        loop {
            let chunk = match &mut self.open {
                Some(Open::Entries(reader)) => reader.next(self.run_len)?,
                Some(Open::Rows(reader)) => {
                    let rows = reader.next(self.run_len)?;
                    rows.map(|rows| EntryChunk::of_rows(Arc::clone(reader.name()), rows))
                }
                None => None,
            };
            if let Some(chunk) = chunk {
                return Ok(Some(chunk.with_split(self.split.clone())));
            }
            self.open = None;
            let Some(waiting) = self.waiting.pop_front() else { return Ok(None) };
            match waiting {
                Waiting::Entries(source, framing) => {
                    let reader = ChunkReader::new(source.name(), source.open()?, framing);
                    self.open = Some(Open::Entries(reader));
                }
                Waiting::Table(name, table) => self.open = Some(Open::Rows(RowReader::start(name, table))),
                Waiting::Document(source, markup, path) => {
                    let document = Document { markup, path, bytes: source.read()?, sizes: self.sizes };
                    let chunk = EntryChunk::of_document(source.name().into(), document);
                    return Ok(Some(chunk.with_split(self.split.clone())));
                }
            }
        }
    }
}

impl Iterator for Inputs {
    type Item = Result<Vec<EntryChunk>>;

    fn next(&mut self) -> Option<Result<Vec<EntryChunk>>> {
        self.held.pop_front().or_else(|| self.read_run())
    }
}
