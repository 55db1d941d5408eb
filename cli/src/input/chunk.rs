//! Consecutive entries of one input: found, but not yet parsed.

use super::csv::Columns;
use super::{Entry, Framing, Step, csv, json};
use anyhow::{Context, Result, bail};
use memchr::memchr_iter;
use snapseek::document::GROUP;
use snapseek::segment::MAX_RECORD_LEN;
use snapseek::{Record, Schema};
use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::sync::Arc;

/// An entry longer than this is not read to its end. A record may be as long as this before its escapes
/// (`\u0041`, six bytes for one) are undone, and still be allowed.
const MAX_ENTRY_LEN: usize = 6 * MAX_RECORD_LEN;

/// What is wrong in an input, and where.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file.
    pub name: Arc<str>,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.name, self.line, self.reason)
    }
}

impl std::error::Error for Fault {}

/// What is wrong in an entry, and how many lines after its first.
#[derive(Debug, PartialEq, Eq)]
pub struct Flaw {
    pub line: u64,
    pub reason: String,
}

impl Flaw {
    /// Something that concerns the entry as a whole.
    pub fn new(reason: impl Into<String>) -> Flaw {
        Flaw { line: 0, reason: reason.into() }
    }
}

/// How an entry is parsed.
#[derive(Clone, Debug)]
pub enum Grammar {
    /// As a JSON value.
    Json,
    /// As a row of cells under these column names.
    Row(Arc<Columns>),
}

/// Consecutive entries of one input, as they stand there.
#[derive(Debug)]
pub struct Chunk {
    name: Arc<str>,
    grammar: Grammar,
    text: Vec<u8>,
    entries: Vec<Range<usize>>,
    first_line: u64,
    /// The first entries, where they were looked at before.
    parsed: Vec<Located>,
}

/// An entry and its place.
#[derive(Debug)]
pub struct Located {
    /// Its first line; that of the flaw where it has one.
    pub line: u64,
    /// Its bytes.
    pub len: usize,
    /// What it says, or what is wrong with it.
    pub entry: Result<Entry, String>,
}

impl Chunk {
    /// The input.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Its bytes.
    pub fn text_len(&self) -> usize {
        self.text.len()
    }

    /// Parses entries for a look at their records, until one of them is enough. They are not parsed again.
    pub fn look_at(&mut self, mut is_enough: impl FnMut(&Located) -> bool) -> bool {
        let mut unparsed = Unparsed::new(self);
        let mut parsed = Vec::new();
        let mut has_enough = false;
        while !has_enough && let Some(located) = unparsed.next(self, None) {
            has_enough = is_enough(&located);
            parsed.push(located);
        }
        self.parsed = parsed;
        has_enough
    }

    /// The records among the entries that were looked at.
    pub fn seen_records(&self) -> impl Iterator<Item = &Record> {
        self.parsed.iter().filter_map(|located| match &located.entry {
            Ok(Entry::Record(record)) => Some(record),
            _ => None,
        })
    }

    /// The first of the entries that were looked at and are bad.
    pub fn first_seen_fault(&self) -> Option<Fault> {
        self.parsed.iter().find_map(|located| {
            let reason = located.entry.as_ref().err()?.clone();
            Some(Fault { name: Arc::clone(&self.name), line: located.line, reason })
        })
    }

    /// Parses the entries. The cells of a row become what the schema says.
    pub fn into_entries(mut self, schema: &Schema) -> impl Iterator<Item = Located> {
        let parsed = std::mem::take(&mut self.parsed);
        let mut unparsed = Unparsed { number: parsed.len(), ..Unparsed::new(&self) };
        parsed.into_iter().chain(std::iter::from_fn(move || unparsed.next(&self, Some(schema))))
    }
}

/// Where in a chunk parsing is.
struct Unparsed {
    number: usize,
    at: usize,
    line: u64,
}

impl Unparsed {
    fn new(chunk: &Chunk) -> Unparsed {
        Unparsed { number: 0, at: 0, line: chunk.first_line }
    }

    fn next(&mut self, chunk: &Chunk, schema: Option<&Schema>) -> Option<Located> {
        let range = chunk.entries.get(self.number)?;
        self.number += 1;
        self.line += count_lines(&chunk.text[self.at..range.start]);
        self.at = range.start;
        let text = &chunk.text[range.clone()];
        let parsed = match &chunk.grammar {
            Grammar::Json => json::parse_entry(text),
            Grammar::Row(columns) => csv::parse_row(text, columns, schema),
        };
        let line = self.line + parsed.as_ref().err().map_or(0, |flaw| flaw.line);
        Some(Located { line, len: text.len(), entry: parsed.map_err(|flaw| flaw.reason) })
    }
}

/// Cuts one input into chunks.
pub struct ChunkReader {
    name: Arc<str>,
    bytes: Box<dyn Read + Send>,
    framing: Box<dyn Framing>,
    /// What was read and not given out, its first line, and the entries in it.
    text: Vec<u8>,
    line: u64,
    entries: Vec<Range<usize>>,
    /// Where the next entry is looked for.
    at: usize,
    has_started: bool,
    is_at_end: bool,
    /// What makes the rest unreadable; told after the entries before it are given out.
    obstacle: Option<Fault>,
}

impl ChunkReader {
    pub fn new(name: String, bytes: Box<dyn Read + Send>, framing: Box<dyn Framing>) -> ChunkReader {
        ChunkReader {
            name: name.into(),
            bytes,
            framing,
            text: Vec::new(),
            line: 1,
            entries: Vec::new(),
            at: 0,
            has_started: false,
            is_at_end: false,
            obstacle: None,
        }
    }

    /// About `len` bytes of whole entries; none at the end of the input.
    pub fn next(&mut self, len: usize) -> Result<Option<Chunk>> {
        let mut wanted = len.max(1);
        loop {
            self.fill(wanted)?;
            self.scan();
            // Records are stored in groups; a batch of whole groups is copied into the snapshot as it is.
            let is_enough =
                self.entries.len() >= GROUP || !self.entries.is_empty() && self.text.len() >= 2 * len;
            if is_enough || self.is_at_end || self.obstacle.is_some() {
                break;
            }
            if self.text.len() - self.at > MAX_ENTRY_LEN {
                let reason = format!(
                    "the record that starts here has more than {MAX_ENTRY_LEN} bytes; at most {MAX_RECORD_LEN} are allowed: split it"
                );
                bail!(self.fault(self.at, reason));
            }
            if self.entries.is_empty() {
                // Nothing but blanks so far: they need not be kept.
                self.line += count_lines(&self.text[..self.at]);
                self.text.drain(..self.at);
                self.at = 0;
            }
            // Twice as much each time, so that a long entry is not looked through over and over.
            wanted = 2 * self.text.len().max(len);
        }
        let whole_groups = self.entries.len() - self.entries.len() % GROUP;
        let is_last = self.is_at_end || self.obstacle.is_some() || whole_groups == 0;
        let count = if is_last { self.entries.len() } else { whole_groups };
        match self.obstacle.take_if(|_| count == 0) {
            Some(obstacle) => bail!(obstacle),
            None => Ok((count > 0).then(|| self.cut(count, len))),
        }
    }

    fn fill(&mut self, wanted: usize) -> Result<()> {
        let missing = wanted.saturating_sub(self.text.len());
        self.text.reserve(missing);
        let mut bytes = (&mut self.bytes).take(missing as u64);
        let read =
            bytes.read_to_end(&mut self.text).with_context(|| format!("{} cannot be read", self.name))?;
        self.is_at_end = read < missing;
        if !self.has_started {
            self.has_started = true;
            self.start()?;
        }
        Ok(())
    }

    /// Passes over a byte order mark, and refuses what is no UTF-8 text from its first bytes on.
    fn start(&mut self) -> Result<()> {
        let what = match &self.text[..] {
            [0xef, 0xbb, 0xbf, ..] => {
                self.at = 3;
                return Ok(());
            }
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => "UTF-16; save it as UTF-8",
            [0x1f, 0x8b, ..] => "compressed; unpack it first",
            _ => return Ok(()),
        };
        bail!(self.fault(0, format!("the input is {what}")))
    }

    fn scan(&mut self) {
        while self.obstacle.is_none() {
            match self.framing.step(&self.text, self.at, self.is_at_end) {
                Ok(Step::Entry(entry, next)) => {
                    self.entries.push(entry);
                    self.at = next;
                }
                Ok(Step::More(from)) => {
                    self.at = from;
                    return;
                }
                Err(misplaced) => self.obstacle = Some(self.fault(misplaced.at, misplaced.reason)),
            }
        }
    }

    /// Gives out the first `count` entries, and keeps the rest.
    fn cut(&mut self, count: usize, len: usize) -> Chunk {
        let end = self.entries[count - 1].end;
        let mut rest = Vec::with_capacity(len.min(self.text.capacity()));
        rest.extend_from_slice(&self.text[end..]);
        let mut text = std::mem::replace(&mut self.text, rest);
        text.truncate(end);
        let first_line = self.line;
        self.line += count_lines(&text);
        self.at -= end;
        let later = self.entries.split_off(count).into_iter().map(|entry| entry.start - end..entry.end - end);
        let entries = std::mem::replace(&mut self.entries, later.collect());
        let (name, grammar) = (Arc::clone(&self.name), self.framing.grammar());
        Chunk { name, grammar, text, entries, first_line, parsed: Vec::new() }
    }

    fn fault(&self, at: usize, reason: String) -> Fault {
        Fault { name: Arc::clone(&self.name), line: self.line + count_lines(&self.text[..at]), reason }
    }
}

/// How many lines end in the text.
pub fn count_lines(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}
