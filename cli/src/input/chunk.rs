//! A chunk: consecutive entries of one input, found but not parsed.

use super::csv::{RowParser, TextColumns};
use super::document::DocumentReading;
use super::split::{FieldSplit, Pieces, Sizes};
use super::{Cut, Entry, csv, json};
use memchr::memchr_iter;
use snapseek::json::Json;
use snapseek::{Record, Schema};
use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A fault in an input, with its place.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name of the input.
    pub name: Arc<str>,
    /// The place of the fault.
    pub place: InputPlace,
    /// The fault, for people.
    pub reason: String,
}

/// A place in an input, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputPlace {
    /// A line of a text.
    Line(u64),
    /// A row of a table.
    Row(u64),
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        let Fault { name, place, reason } = self;
        match place {
            InputPlace::Line(line) => write!(formatter, "{name}:{line}: {reason}"),
            InputPlace::Row(row) => write!(formatter, "{name}: row {row}: {reason}"),
        }
    }
}

impl std::error::Error for Fault {}

/// A fault in an entry. `line` counts from the first line of the entry, which is 0.
#[derive(Debug, PartialEq, Eq)]
pub struct Flaw {
    pub line: u64,
    pub reason: String,
}

impl Flaw {
    /// A fault of the entry as a whole.
    pub fn new(reason: impl Into<String>) -> Flaw {
        Flaw { line: 0, reason: reason.into() }
    }
}

/// How to parse an entry.
#[derive(Clone, Debug)]
pub enum Grammar {
    /// As a JSON value.
    Json,
    /// As a row of cells under these columns.
    Row(Arc<TextColumns>),
}

/// Consecutive entries of one input, unparsed.
#[derive(Debug)]
pub struct EntryChunk {
    name: Arc<str>,
    len: usize,
    body: Body,
    /// How to cut records, if `--chunk` is given.
    split: Option<Arc<FieldSplit>>,
    /// The field that is the id of a record, if `--id` is given.
    id: Option<Arc<str>>,
    /// The first entries, if [`EntryChunk::look_at`] has parsed them, and how many of the body's entries they are.
    parsed: Vec<Located>,
    parsed_count: usize,
}

/// The contents of a chunk.
#[derive(Debug)]
enum Body {
    /// Entries in a text.
    Entries { grammar: Grammar, text: Vec<u8>, entries: Vec<Range<usize>>, first_line: u64 },
    /// A document: one entry with many records, and the lengths of its chunks.
    Document(DocumentReading, Sizes),
    /// Rows of a table, unparsed.
    Rows(VecDeque<Row>),
}

/// A row of a table.
#[derive(Debug)]
pub struct Row {
    /// Its number in the table, counted from 1.
    pub number: u64,
    /// Its approximate length in bytes.
    pub len: usize,
    /// Its fields, or the fault in them.
    pub record: Result<Json, String>,
}

/// A parsed entry with its place.
#[derive(Debug)]
pub struct Located {
    /// The place of the fault, or else the start of the entry.
    pub place: InputPlace,
    /// The length of the entry in bytes.
    pub len: usize,
    /// The entry, or the fault in it.
    pub entry: Result<Entry, String>,
}

impl EntryChunk {
    fn new(name: Arc<str>, len: usize, body: Body) -> EntryChunk {
        EntryChunk { name, len, body, split: None, id: None, parsed: Vec::new(), parsed_count: 0 }
    }

    /// Creates a chunk from a text that starts on line `first_line`, and the ranges of its entries.
    pub fn of_entries(
        name: Arc<str>,
        grammar: Grammar,
        text: Vec<u8>,
        entries: Vec<Range<usize>>,
        first_line: u64,
    ) -> EntryChunk {
        EntryChunk::new(name, text.len(), Body::Entries { grammar, text, entries, first_line })
    }

    /// Creates a chunk from a whole document.
    pub fn of_document(name: Arc<str>, reading: DocumentReading, sizes: Sizes) -> EntryChunk {
        let len = match &reading {
            DocumentReading::Page(page) => page.len,
            DocumentReading::Refused(_) | DocumentReading::Bad(_) => 0,
        };
        EntryChunk::new(name, len, Body::Document(reading, sizes))
    }

    /// Creates a chunk from rows of a table.
    pub fn of_rows(name: Arc<str>, rows: Vec<Row>) -> EntryChunk {
        let len = rows.iter().map(|row| row.len).sum();
        EntryChunk::new(name, len, Body::Rows(rows.into()))
    }

    /// Returns the chunk with records cut as `split` says.
    pub fn with_split(self, split: Option<Arc<FieldSplit>>) -> EntryChunk {
        EntryChunk { split, ..self }
    }

    /// Returns the chunk with ids from the field `id`.
    pub fn with_id(self, id: Option<Arc<str>>) -> EntryChunk {
        EntryChunk { id, ..self }
    }

    /// The name of the input.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// The length of the chunk in bytes.
    pub fn text_len(&self) -> usize {
        self.len
    }

    /// Parses entries until `is_enough` returns true for one. [`EntryChunk::into_entries`] does not parse them again.
    pub fn look_at(&mut self, mut is_enough: impl FnMut(&Located) -> bool) -> bool {
        let mut unparsed = Unparsed::new(self);
        let mut parsed = Vec::new();
        let mut has_enough = false;
        while !has_enough && let Some(located) = unparsed.next(self, None) {
            has_enough = is_enough(&located);
            parsed.push(located);
        }
        // A record that was cut is kept with all of its pieces.
        parsed.extend(unparsed.pieces);
        self.parsed = parsed;
        self.parsed_count = unparsed.number;
        has_enough
    }

    /// Parses a few entries, spread over the chunk, and returns the records among them.
    pub fn sampled(&self, stride: &mut Stride) -> Vec<Record> {
        let mut records = Vec::new();
        let Body::Entries { grammar, text, entries, .. } = &self.body else { return records };
        let mut parser = Unparsed::new(self);
        for range in entries {
            if !stride.takes(range) {
                continue;
            }
            let located = parser.entry(text, range.clone(), grammar, None, self.id.as_deref());
            parser.split(located, self.split.as_deref());
            records.extend(parser.pieces.drain(..).filter_map(|piece| match piece.entry {
                Ok(Entry::Record(record)) => Some(record),
                _ => None,
            }));
        }
        stride.passed += text.len() as f64;
        records
    }

    /// Returns the records among the entries that [`EntryChunk::look_at`] parsed.
    pub fn seen_records(&self) -> impl Iterator<Item = &Record> {
        self.parsed.iter().filter_map(|located| match &located.entry {
            Ok(Entry::Record(record)) => Some(record),
            _ => None,
        })
    }

    /// Returns the first fault among the entries that [`EntryChunk::look_at`] parsed.
    pub fn first_seen_fault(&self) -> Option<Fault> {
        self.parsed.iter().find_map(|located| {
            let reason = located.entry.as_ref().err()?.clone();
            Some(Fault { name: Arc::clone(&self.name), place: located.place, reason })
        })
    }

    /// Parses the entries. The schema decides the types of cells.
    pub fn into_entries(mut self, schema: &Schema) -> impl Iterator<Item = Located> {
        let parsed = std::mem::take(&mut self.parsed);
        let mut unparsed = Unparsed { number: self.parsed_count, ..Unparsed::new(&self) };
        parsed.into_iter().chain(std::iter::from_fn(move || unparsed.next(&mut self, Some(schema))))
    }
}

/// Chooses entries at equal distances in a long input.
#[derive(Debug)]
pub struct Stride {
    /// The least distance of two chosen entries, in bytes.
    step: f64,
    /// How many bytes must pass for each byte of a chosen entry.
    sparsity: f64,
    /// The length of the chunks before this one.
    passed: f64,
    next: f64,
}

impl Stride {
    /// Chooses at most `count` entries of an input with `total` bytes, together at most about `len` bytes long.
    pub fn new(total: u64, count: usize, len: usize) -> Stride {
        let total = total as f64;
        Stride { step: total / count as f64, sparsity: total / len as f64, passed: 0.0, next: 0.0 }
    }

    fn takes(&mut self, range: &Range<usize>) -> bool {
        let at = self.passed + range.start as f64;
        if at < self.next {
            return false;
        }
        self.next = at + self.step.max(range.len() as f64 * self.sparsity);
        true
    }
}

/// The position of a parser within a chunk.
struct Unparsed {
    /// The number of entries that were parsed.
    number: usize,
    at: usize,
    line: u64,
    /// Parses rows; created for the first row of a chunk.
    row_parser: Option<RowParser>,
    /// Parsed entries that were not given out yet.
    pieces: VecDeque<Located>,
}

impl Unparsed {
    fn new(chunk: &EntryChunk) -> Unparsed {
        let line = match chunk.body {
            Body::Entries { first_line, .. } => first_line,
            _ => 1,
        };
        Unparsed { number: 0, at: 0, line, row_parser: None, pieces: VecDeque::new() }
    }

    fn next(&mut self, chunk: &mut EntryChunk, schema: Option<&Schema>) -> Option<Located> {
        loop {
            if let Some(piece) = self.pieces.pop_front() {
                return Some(piece);
            }
            match &mut chunk.body {
                Body::Entries { grammar, text, entries, .. } => {
                    let range = entries.get(self.number)?.clone();
                    self.number += 1;
                    let located = self.entry(text, range, grammar, schema, chunk.id.as_deref());
                    self.split(located, chunk.split.as_deref());
                }
                Body::Rows(rows) => {
                    let Row { number, len, record } = rows.pop_front()?;
                    let entry = record.and_then(|json| json::entry_of(json).map_err(|flaw| flaw.reason));
                    self.split(
                        Located { place: InputPlace::Row(number), len, entry },
                        chunk.split.as_deref(),
                    );
                }
                Body::Document(reading, sizes) => {
                    if self.number > 0 {
                        return None;
                    }
                    self.number = 1;
                    self.document(reading, *sizes, chunk.split.as_deref());
                }
            }
        }
    }

    fn entry(
        &mut self,
        text: &[u8],
        range: Range<usize>,
        grammar: &Grammar,
        schema: Option<&Schema>,
        id: Option<&str>,
    ) -> Located {
        self.line += count_lines(&text[self.at..range.start]);
        self.at = range.start;
        let text = &text[range];
        let parsed = match grammar {
            Grammar::Json => json::parse_entry(text, id),
            Grammar::Row(columns) => {
                let parser = self.row_parser.get_or_insert_with(|| columns.parser());
                csv::parse_row(text, columns, parser, schema, id)
            }
        };
        let line = self.line + parsed.as_ref().err().map_or(0, |flaw| flaw.line);
        Located { place: InputPlace::Line(line), len: text.len(), entry: parsed.map_err(|flaw| flaw.reason) }
    }

    fn document(&mut self, reading: &DocumentReading, sizes: Sizes, split: Option<&FieldSplit>) {
        let page = match reading {
            DocumentReading::Page(page) => page,
            DocumentReading::Refused(_) => return,
            DocumentReading::Bad(bad) => {
                let place = InputPlace::Line(bad.line);
                return self.pieces.push_back(Located { place, len: 0, entry: Err(bad.reason.clone()) });
            }
        };
        let records = page.records(sizes);
        // Documents are cut at their headings already.
        let split = split.filter(|split| split.field != "text");
        let len = page.len / records.len().max(1);
        for (line, json) in records {
            let entry = json::entry_of(json).map_err(|flaw| flaw.reason);
            self.split(Located { place: InputPlace::Line(line), len, entry }, split);
        }
    }

    /// Queues an entry, or its pieces followed by the outcome of the cut.
    fn split(&mut self, located: Located, split: Option<&FieldSplit>) {
        let Some(split) = split else { return self.pieces.push_back(located) };
        let Located { place, len, entry } = located;
        let mut put = |len, entry| self.pieces.push_back(Located { place, len, entry });
        match entry {
            Err(reason) => put(len, Err(reason)),
            Ok(Entry::Record(record)) => {
                let (id, kind) = (record.id().to_owned(), record.kind().to_owned());
                let count = match split.pieces(record) {
                    Err(reason) => return put(len, Err(reason)),
                    Ok(Pieces::Whole(record)) => {
                        put(len, Ok(Entry::Record(record)));
                        Cut::Whole
                    }
                    Ok(Pieces::Cut(pieces)) => {
                        let count = pieces.len();
                        pieces.into_iter().for_each(|piece| put(len / count, Ok(Entry::Record(piece))));
                        Cut::Pieces(count)
                    }
                };
                put(0, Ok(Entry::Cut { id, kind, cut: count }));
            }
            Ok(Entry::Delete(record)) => {
                let (id, kind) = (record.id().to_owned(), record.kind().to_owned());
                put(len, Ok(Entry::Delete(record)));
                put(0, Ok(Entry::Cut { id, kind, cut: Cut::Gone }));
            }
            Ok(other) => put(len, Ok(other)),
        }
    }
}

/// Counts the line ends in a text.
pub fn count_lines(text: &[u8]) -> u64 {
    memchr_iter(b'\n', text).count() as u64
}
