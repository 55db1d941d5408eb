//! Where do records come from? Files and stdin, in four formats.
//!
//! An input is read in chunks of whole entries, found by a [`Framing`] without parsing them. Chunks are parsed on any
//! thread, and know their place, so a fault names its file and line.

mod chunk;
mod csv;
mod json;
mod jsonl;

pub use chunk::{Chunk, Fault};

use crate::failure::UsageError;
use anyhow::{Context, Result};
use chunk::{ChunkReader, Located};
use snapseek::Record;
use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// How an input is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// One JSON object a line.
    #[value(alias = "ndjson")]
    Jsonl,
    /// An array of objects, one object, or {"records": [...]}.
    Json,
    /// Comma-separated cells under a header line.
    Csv,
    /// Tab-separated cells under a header line.
    Tsv,
}

impl Format {
    fn of_path(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "jsonl" | "ndjson" => Format::Jsonl,
            "json" => Format::Json,
            "csv" => Format::Csv,
            "tsv" => Format::Tsv,
            _ => return None,
        })
    }

    fn framing(self) -> Box<dyn Framing> {
        match self {
            Format::Jsonl => Box::new(jsonl::Lines),
            Format::Json => Box::new(json::Values::default()),
            Format::Csv => Box::new(csv::Rows::new(b',')),
            Format::Tsv => Box::new(csv::Rows::new(b'\t')),
        }
    }
}

/// What an input says.
#[derive(Debug)]
pub enum Entry {
    /// Here is a record; it replaces an earlier one with the same key.
    Record(Record),
    /// The record with this one's key is to go.
    Delete(Record),
}

/// Finds where entries begin and end.
trait Framing: Send {
    /// The next entry at or after `from`. Where `text` is the end of the input, the end also ends an entry.
    fn step(&mut self, text: &[u8], from: usize, is_end: bool) -> Result<Step, Misplaced>;

    /// How the entries found so far are parsed.
    fn grammar(&self) -> chunk::Grammar {
        chunk::Grammar::Json
    }
}

/// What a look for the next entry gives.
#[derive(Debug, PartialEq, Eq)]
enum Step {
    /// An entry, and where to look for the next.
    Entry(Range<usize>, usize),
    /// Nothing yet: there may be an entry from here on, in a longer text.
    More(usize),
}

/// Something that makes the rest of the input unreadable.
#[derive(Debug, PartialEq, Eq)]
struct Misplaced {
    at: usize,
    reason: String,
}

/// Entries are given out in runs of about this many bytes, unless [`Inputs::set_run_len`] says otherwise.
const DEFAULT_RUN_LEN: usize = 4 << 20;

/// All inputs of a build, one after the other.
pub struct Inputs {
    waiting: VecDeque<(Source, Format)>,
    open: Option<ChunkReader>,
    /// Runs that were looked at, and are still to be given out; an error is the last of them.
    held: VecDeque<Result<Vec<Chunk>>>,
    /// Why reading cannot go on, after the runs before it are given out.
    obstacle: Option<anyhow::Error>,
    total: Option<u64>,
    run_len: usize,
}

enum Source {
    Stdin,
    File(PathBuf),
}

impl Inputs {
    /// Takes files, and `-` for stdin. Every one of them is looked at before any is read.
    pub fn new(paths: &[PathBuf], format: Option<Format>) -> Result<Inputs> {
        let mut waiting = VecDeque::new();
        let mut total = Some(0);
        for path in paths {
            let source = if path.as_os_str() == "-" { Source::Stdin } else { Source::File(path.clone()) };
            let named = match source {
                Source::Stdin => Some(Format::Jsonl),
                Source::File(_) => Format::of_path(path),
            };
            let unknown = || {
                let path = path.display();
                UsageError(format!(
                    "{path}: the name says no known format; pass --format jsonl, json, csv or tsv"
                ))
            };
            let len = source.len()?;
            total = total.zip(len).map(|(total, len)| total + len);
            waiting.push_back((source, format.or(named).ok_or_else(unknown)?));
        }
        Ok(Inputs {
            waiting,
            open: None,
            held: VecDeque::new(),
            obstacle: None,
            total,
            run_len: DEFAULT_RUN_LEN,
        })
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
            if let Some(open) = &mut self.open
                && let Some(chunk) = open.next(self.run_len)?
            {
                return Ok(Some(chunk));
            }
            let Some((source, format)) = self.waiting.pop_front() else { return Ok(None) };
            self.open = Some(ChunkReader::new(source.name(), source.open()?, format.framing()));
        }
    }
}

impl Iterator for Inputs {
    type Item = Result<Vec<Chunk>>;

    fn next(&mut self) -> Option<Result<Vec<Chunk>>> {
        self.held.pop_front().or_else(|| self.read_run())
    }
}

impl Source {
    fn name(&self) -> String {
        match self {
            Source::Stdin => "stdin".to_owned(),
            Source::File(path) => path.display().to_string(),
        }
    }

    fn len(&self) -> Result<Option<u64>> {
        let Source::File(path) = self else { return Ok(None) };
        let metadata = fs::metadata(path).with_context(|| format!("{} cannot be read", self.name()))?;
        anyhow::ensure!(!metadata.is_dir(), "{} is a folder; name the files in it", self.name());
        Ok(metadata.is_file().then_some(metadata.len()))
    }

    fn open(&self) -> Result<Box<dyn Read + Send>> {
        Ok(match self {
            Source::Stdin => Box::new(std::io::stdin()),
            Source::File(path) => {
                Box::new(File::open(path).with_context(|| format!("{} cannot be read", self.name()))?)
            }
        })
    }
}
