//! Where do records come from? Files, folders, databases and stdin.
//!
//! A [`Framing`] finds the boundaries of entries in a text without parsing them, and the text is given out in chunks of
//! whole entries. A document is one chunk, and a table gives rows. Any thread can parse a chunk. A chunk knows its
//! place in the input, so an error names file and line.

mod address;
mod chunk;
mod csv;
mod document;
mod folder;
mod format;
mod front_matter;
mod fts5;
mod globs;
mod html;
mod json;
mod jsonl;
mod markdown;
mod options;
mod page;
mod parquet;
mod reader;
mod rows;
mod sample;
mod site;
mod slug;
mod source;
mod split;
mod sqlite;
mod vectors;
mod yaml;

pub use chunk::{EntryChunk, Fault, InputPlace};
pub use options::InputOptions;
pub use vectors::VectorFile;

use crate::failure::UsageError;
use anyhow::{Context, Result, bail};
use document::{DocumentReading, DocumentRules};
use format::{Format, Way};
use fts5::Fts5Table;
use page::chunk_id;
use reader::ChunkReader;
use rows::{RowReader, TableReader};
use site::{LeftOut, SiteDocument};
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
    open: Open,
    /// Chunks of the open input that [`Inputs::sample`] has read, and that are given out first.
    held: VecDeque<EntryChunk>,
    /// Why reading stopped. It is reported after the runs before it.
    obstacle: Option<anyhow::Error>,
    total: Option<u64>,
    run_len: usize,
    split: Option<Arc<FieldSplit>>,
    id: Option<Arc<str>>,
    sizes: Sizes,
    rules: DocumentRules,
    left_out: LeftOut,
}

/// An input that was checked, but not opened for reading.
enum Waiting {
    Entries(InputSource, Format),
    /// A document that [`Inputs::survey`] has to read.
    Document(SiteDocument),
    /// The name of a document, and its contents.
    Read(String, DocumentReading),
    Table(String, Box<dyn TableReader>),
    /// An input that [`Inputs::sample`] has opened, and the chunks that it has read.
    Started(Open, VecDeque<EntryChunk>),
}

impl Waiting {
    fn is_document(&self) -> bool {
        matches!(self, Waiting::Document(_) | Waiting::Read(..))
    }

    /// The length of a file of entries.
    fn file_len(&self) -> Option<u64> {
        match self {
            Waiting::Entries(source, _) => Waiting::len_of(source),
            _ => None,
        }
    }

    fn len_of(source: &InputSource) -> Option<u64> {
        source.len().ok().flatten()
    }
}

/// An input that is being read.
enum Open {
    Entries(ChunkReader),
    Rows(RowReader),
    /// An input that cannot be read on. The error is reported when its turn comes.
    Failed(anyhow::Error),
    Nothing,
}

impl Open {
    /// Returns the next chunk; `None` at the end.
    fn next(&mut self, len: usize) -> Result<Option<EntryChunk>> {
        match self {
            Open::Entries(reader) => reader.next(len),
            Open::Rows(reader) => {
                let rows = reader.next(len)?;
                Ok(rows.map(|rows| EntryChunk::of_rows(Arc::clone(reader.name()), rows)))
            }
            Open::Failed(_) => match std::mem::replace(self, Open::Nothing) {
                Open::Failed(error) => Err(error),
                _ => Ok(None),
            },
            Open::Nothing => Ok(None),
        }
    }
}

impl Inputs {
    /// Takes files, folders of documents, and `-` for stdin. It checks all of them before it reads the first.
    pub fn new(paths: &[PathBuf], options: &InputOptions) -> Result<Inputs> {
        let mut inputs = Inputs {
            waiting: VecDeque::new(),
            open: Open::Nothing,
            held: VecDeque::new(),
            obstacle: None,
            total: Some(0),
            run_len: DEFAULT_RUN_LEN,
            split: options.chunk.clone().map(Arc::new),
            id: options.id.as_deref().map(Arc::from),
            sizes: match &options.chunk {
                Some(split) if split.field == "text" => split.sizes,
                _ => Sizes::default(),
            },
            rules: options.documents.rules(),
            left_out: LeftOut::default(),
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
        let has_documents = inputs.has_documents();
        if let Some(option) = options.documents.given().filter(|_| !has_documents) {
            let reason = format!("{option} is for Markdown, HTML and text; none is among the inputs");
            return Err(UsageError(reason).into());
        }
        if options.id.is_some() && inputs.are_documents() {
            let reason = "--id is for records; documents make their ids from their paths".to_owned();
            return Err(UsageError(reason).into());
        }
        inputs.check_names()?;
        Ok(inputs)
    }

    /// Whether a document is among the inputs.
    pub fn has_documents(&self) -> bool {
        self.waiting.iter().any(Waiting::is_document)
    }

    /// Whether all inputs are documents.
    pub fn are_documents(&self) -> bool {
        self.waiting.iter().all(Waiting::is_document)
    }

    /// Reads all documents, and leaves out those that must not be searched and those that repeat another. Call it before
    /// the first record is read.
    ///
    /// # Errors
    /// When a file cannot be read, or no input remains.
    pub fn survey(&mut self, threads: usize) -> Result<()> {
        // Documents keep their places among the other inputs.
        let (mut others, mut documents) = (VecDeque::new(), Vec::new());
        for (place, input) in self.waiting.drain(..).enumerate() {
            match input {
                Waiting::Document(document) => documents.push((place, document)),
                other => others.push_back((place, other)),
            }
        }
        let (places, documents): (Vec<_>, Vec<_>) = documents.into_iter().unzip();
        let (found, left_out) = site::read_documents(documents, &self.rules, threads)?;
        self.left_out = left_out;
        let found = places.into_iter().zip(found).filter_map(|(place, (name, reading))| {
            let is_refused = matches!(reading, DocumentReading::Refused(_));
            (!is_refused).then_some((place, Waiting::Read(name, reading)))
        });
        let mut all = found.chain(others).collect::<Vec<_>>();
        all.sort_by_key(|(place, _)| *place);
        self.waiting = all.into_iter().map(|(_, input)| input).collect();
        match self.left_out.summary().filter(|_| self.waiting.is_empty()) {
            Some(summary) => bail!("no page remains: {summary}"),
            None => Ok(()),
        }
    }

    /// The number of pages that [`Inputs::survey`] left out.
    pub fn left_out(&self) -> &LeftOut {
        &self.left_out
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
        self.waiting.push_back(match format.way(options.id.as_deref()) {
            Way::Entries(_) => Waiting::Entries(source, format),
            Way::Document(markup) => {
                let path = source.file_name();
                Waiting::Document(SiteDocument { source, markup, path })
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
        let markup = match options.format.map(|format| format.way(None)) {
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
        for found in folder::documents(folder, &options.documents)? {
            let (source, markup) = (InputSource::File(found.file), markup.unwrap_or(found.markup));
            self.waiting.push_back(Waiting::Document(SiteDocument { source, markup, path: found.path }));
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
            let Waiting::Document(SiteDocument { source, path, .. }) = input else { continue };
            if let Some(other) = known.insert(path, source.name()) {
                let reason = format!(
                    "{other} and {} would both have the ids {} and so on; name a folder that holds both",
                    source.name(),
                    chunk_id(path, 0)
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

    /// Returns the settings of the FTS5 table that is the only input; `None` for other inputs.
    pub fn fts5_table(&self) -> Option<Fts5Table> {
        match self.waiting.iter().collect::<Vec<_>>()[..] {
            [Waiting::Table(_, table)] => table.fts5_table().cloned(),
            _ => None,
        }
    }

    fn reader(&self, source: &InputSource, format: Format) -> Result<ChunkReader> {
        let Way::Entries(framing) = format.way(self.id.as_deref()) else {
            unreachable!("only formats of entries are read in this way")
        };
        Ok(ChunkReader::new(source.name(), source.open()?, framing))
    }

    /// Returns a chunk with the options that hold for all records.
    fn equipped(&self, chunk: EntryChunk) -> EntryChunk {
        chunk.with_split(self.split.clone()).with_id(self.id.clone())
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
            if let Some(held) = self.held.pop_front() {
                return Ok(Some(held));
            }
            if let Some(chunk) = self.open.next(self.run_len)? {
                return Ok(Some(self.equipped(chunk)));
            }
            self.open = Open::Nothing;
            let Some(waiting) = self.waiting.pop_front() else { return Ok(None) };
            match waiting {
                Waiting::Entries(source, format) => self.open = Open::Entries(self.reader(&source, format)?),
                Waiting::Table(name, table) => self.open = Open::Rows(RowReader::start(name, table)),
                Waiting::Started(open, held) => (self.open, self.held) = (open, held),
                Waiting::Document(_) => unreachable!("the documents are read before the first record"),
                Waiting::Read(name, reading) => {
                    let chunk = EntryChunk::of_document(name.into(), reading, self.sizes);
                    return Ok(Some(chunk.with_split(self.split.clone())));
                }
            }
        }
    }
}

impl Iterator for Inputs {
    type Item = Result<Vec<EntryChunk>>;

    fn next(&mut self) -> Option<Result<Vec<EntryChunk>>> {
        self.read_run()
    }
}
