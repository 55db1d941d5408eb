//! Where do records come from? Files, folders, databases and stdin.
//!
//! Text is read in chunks of whole entries, found by a [`Framing`] without parsing them; a document is a chunk of its
//! own; a table gives rows. Chunks are parsed on any thread, and know their place, so a fault names its file and line.

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

pub use chunk::{Chunk, Fault, Place};
pub use options::Options;
pub use vectors::VectorFile;

use crate::failure::UsageError;
use anyhow::{Context, Result};
use chunk::Located;
use document::{Document, Markup};
use format::{Format, Way};
use reader::ChunkReader;
use rows::{RowReader, Table};
use snapseek::Record;
use snapseek::json::Json;
use source::Source;
use split::{Sizes, Split};
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What an input says.
#[derive(Debug)]
pub enum Entry {
    /// Here is a record; it replaces an earlier one with the same key.
    Record(Record),
    /// The record with this one's key is to go.
    Delete(Record),
    /// The record with this one's key has this one's vector.
    Vector(Record),
    /// What is known beside records: a link, session, usage or feedback.
    Beside {
        /// Which of them.
        mark: String,
        /// What it says.
        json: Json,
    },
    /// What became of a record that `--chunk` concerns, told after its pieces.
    Cut {
        /// The record's id,
        id: String,
        /// and kind.
        kind: String,
        /// What became of it.
        cut: Cut,
    },
}

/// What `--chunk` made of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// It is gone, and so are its pieces.
    Gone,
    /// It stayed as it is.
    Whole,
    /// It became so many records, `ID#0` and so on.
    Pieces(usize),
}

/// Finds where entries begin and end.
pub trait Framing: Send {
    /// The next entry at or after `from`. Where `text` is the end of the input, the end also ends an entry.
    fn step(&mut self, text: &[u8], from: usize, is_end: bool) -> Result<Step, Misplaced>;

    /// How the entries found so far are parsed.
    fn grammar(&self) -> chunk::Grammar {
        chunk::Grammar::Json
    }
}

/// What a look for the next entry gives.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    /// An entry, and where to look for the next.
    Entry(Range<usize>, usize),
    /// Nothing yet: there may be an entry from here on, in a longer text.
    More(usize),
}

/// Something that makes the rest of the input unreadable.
#[derive(Debug, PartialEq, Eq)]
pub struct Misplaced {
    /// The byte it stands at.
    pub at: usize,
    /// What is wrong.
    pub reason: String,
}

/// Entries are given out in runs of about this many bytes, unless [`Inputs::set_run_len`] says otherwise.
const DEFAULT_RUN_LEN: usize = 4 << 20;

/// All inputs of a build, one after the other.
pub struct Inputs {
    waiting: VecDeque<Waiting>,
    open: Option<Open>,
    /// Runs that were looked at, and are still to be given out; an error is the last of them.
    held: VecDeque<Result<Vec<Chunk>>>,
    /// Why reading cannot go on, after the runs before it are given out.
    obstacle: Option<anyhow::Error>,
    total: Option<u64>,
    run_len: usize,
    split: Option<Arc<Split>>,
    sizes: Sizes,
}

/// An input that was looked at, and not read.
enum Waiting {
    Entries(Source, Box<dyn Framing>),
    /// With the path that its records are named after.
    Document(Source, Markup, String),
    Table(String, Box<dyn Table>),
}

/// An input that is being read.
enum Open {
    Entries(ChunkReader),
    Rows(RowReader),
}

impl Inputs {
    /// Takes files, folders of documents, and `-` for stdin. Every one of them is looked at before any is read.
    pub fn new(paths: &[PathBuf], options: &Options) -> Result<Inputs> {
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

    fn look_at(&mut self, path: &Path, options: &Options) -> Result<()> {
        let source = if path.as_os_str() == "-" { Source::Stdin } else { Source::File(path.to_owned()) };
        if let Source::File(path) = &source {
            let metadata = fs::metadata(path).with_context(|| format!("{} cannot be read", source.name()))?;
            if metadata.is_dir() {
                return self.look_into(path, options);
            }
        }
        let named = match source {
            Source::Stdin => Some(Format::Jsonl),
            Source::File(_) => Format::of_path(path),
        };
        let unknown = || {
            let path = path.display();
            UsageError(format!(
                "{path}: the name says no known format; pass --format with one of those that --help lists"
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
                if matches!(source, Source::Stdin) {
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

    fn look_into(&mut self, folder: &Path, options: &Options) -> Result<()> {
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
            let source = Source::File(found.file);
            self.waiting.push_back(Waiting::Document(source, markup.unwrap_or(found.markup), found.path));
            self.count(Some(found.len));
        }
        Ok(())
    }

    fn count(&mut self, len: Option<u64>) {
        self.total = self.total.zip(len).map(|(total, len)| total + len);
    }

    /// Refuses documents whose records would have the same ids.
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

    /// The bytes of all inputs; none where one of them is no plain file.
    pub fn total(&self) -> Option<u64> {
        self.total
    }

    /// Gives out entries in runs of about this many bytes.
    pub fn set_run_len(&mut self, len: usize) {
        self.run_len = len;
    }

    /// The first records, at most `count`, and of at most about `len` bytes. They are given out again afterwards, and
    /// so is what is wrong among them.
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
        self.held.iter().flatten().flatten().flat_map(Chunk::seen_records)
    }

    /// The first bad entry that [`Inputs::sample`] came upon.
    ///
    /// # Errors
    /// When there is none, and it could not read on.
    pub fn first_fault(&mut self) -> Result<Option<Fault>> {
        for run in self.held.drain(..) {
            if let Some(fault) = run?.iter().find_map(Chunk::first_seen_fault) {
                return Ok(Some(fault));
            }
        }
        Ok(None)
    }

    /// The next run of entries, from one input or several small ones.
    fn read_run(&mut self) -> Option<Result<Vec<Chunk>>> {
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

    fn read_chunk(&mut self) -> Result<Option<Chunk>> {
        loop {
            let chunk = match &mut self.open {
                Some(Open::Entries(reader)) => reader.next(self.run_len)?,
                Some(Open::Rows(reader)) => {
                    let rows = reader.next(self.run_len)?;
                    rows.map(|rows| Chunk::of_rows(Arc::clone(reader.name()), rows))
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
                    let chunk = Chunk::of_document(source.name().into(), document);
                    return Ok(Some(chunk.with_split(self.split.clone())));
                }
            }
        }
    }
}

impl Iterator for Inputs {
    type Item = Result<Vec<Chunk>>;

    fn next(&mut self) -> Option<Result<Vec<Chunk>>> {
        self.held.pop_front().or_else(|| self.read_run())
    }
}
