//! The engine: it opens a snapshot, answers queries, and takes writes.
//!
//! An engine is a list of segments: the opened snapshot first, then one segment per write. Writes merge segments of similar
//! size, so the list stays short. Retrieval and ranking live in other modules; this one connects them.

mod asking;
mod changes;
mod embedded;
mod embedding;
mod error;
mod match_options;
mod matching;
mod outside;
mod pieces;
mod slots;
mod state;
mod writes;

pub(crate) use asking::{QueryVector, passing, record_of, records_of};
pub(crate) use embedded::{CallAnswer, NamedCall};
pub use embedded::{Embedded, TextsToEmbed};
pub(crate) use error::wrong;
pub use error::{SearchError, SearchFault, WriteError, WriteFault};
pub use match_options::{Column, HighlightOptions, MatchOptions, MatchSnippet};
pub use matching::MatchRow;
pub(crate) use matching::{MatchedText, each_text};
pub use pieces::MissingPiece;
pub(crate) use state::event_id;
pub(crate) use writes::NewRecord;
pub use writes::Written;

use crate::analysis::Analyzer;
use crate::attributes::Overrides;
use crate::bitmap::Bitmap;
use crate::bm25::Totals;
use crate::document::{Key, Record};
use crate::retrieval::{Corpus, LiveSegment, TableCache, ValueIndexes};
use crate::schema::{Schema, SchemaError};
use crate::segment::{Segment, parse_record};
use crate::snapshot::{SnapshotError, SnapshotFault};
use crate::state::State;
use slots::Slots;
use std::sync::OnceLock;

/// The records of a snapshot, open for searching and writing.
#[derive(Debug)]
pub struct Engine {
    pub(crate) schema: Schema,
    pub(crate) analyzer: Analyzer,
    parts: Vec<LivePart>,
    totals: Totals,
    /// The state of the records; read from the snapshot on first use.
    state: OnceLock<Box<State>>,
    /// For each part, the attribute values that the state overrides. Derived on first use, and again after a merge has
    /// renumbered documents.
    overrides: OnceLock<Vec<Overrides>>,
    clock: Clock,
    writer: u64,
    /// The number of writes. A cached value from an earlier count is stale.
    pub(crate) writes: u64,
    /// Values that recipes keep between calls.
    pub(crate) slots: Slots,
}

/// A function that returns the time, in milliseconds since 1970.
pub type Clock = fn() -> f64;

/// The default clock: always 0. Stamps have sequence numbers, so writes are ordered even without a clock.
fn no_clock() -> f64 {
    0.0
}

/// A segment with its tombstones and caches.
#[derive(Debug)]
struct LivePart {
    segment: Segment,
    dead: Bitmap,
    dead_count: usize,
    tables: TableCache,
    values_by: ValueIndexes,
    /// Whether this is the opened snapshot. [`Engine::changes`] encodes all parts except it.
    is_base: bool,
}

impl LivePart {
    fn new(segment: Segment, is_base: bool) -> LivePart {
        let dead = Bitmap::none(segment.documents() as usize);
        let (tables, values_by) = (TableCache::default(), ValueIndexes::default());
        LivePart { segment, dead, dead_count: 0, tables, values_by, is_base }
    }

    fn live(&self) -> usize {
        self.segment.documents() as usize - self.dead_count
    }

    fn totals(&self) -> Result<Totals, SnapshotError> {
        Ok(Totals { rows: u64::from(self.segment.documents()), tokens: self.segment.tokens()? })
    }
}

impl Engine {
    /// Opens a snapshot. Opening takes the same time for any size: the engine reads a section, and checks its checksum,
    /// when it first uses it.
    ///
    /// ```
    /// use snapseek::json::Json;
    /// use snapseek::{Builder, Engine, Record, Schema, SearchOptions};
    ///
    /// let mut builder = Builder::new(&Schema::of_fields([("title", 1.0)])?)?;
    /// builder.add(&Record::from_json(Json::parse(br#"{"id": "1", "title": "A quick fox"}"#)?)?)?;
    ///
    /// let engine = Engine::open(builder.finish()?)?;
    /// let response = engine.search("foxes", &SearchOptions::default())?;
    /// assert_eq!(response.hits[0].id, "1");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails when the bytes are not a snapshot that this build can read.
    pub fn open(bytes: Vec<u8>) -> Result<Engine, SnapshotError> {
        Engine::of(Segment::open(bytes)?)
    }

    fn of(segment: Segment) -> Result<Engine, SnapshotError> {
        if segment.is_changes() {
            return Err(SnapshotFault::IsChanges.into());
        }
        let schema = segment.schema().clone();
        let analyzer = schema.analyzer()?;
        let part = LivePart::new(segment, true);
        let totals = part.totals()?;
        Ok(Engine { parts: vec![part], totals, ..Engine::bare(schema, analyzer) })
    }

    /// Creates an engine without records.
    ///
    /// # Errors
    /// Fails when the schema is invalid.
    pub fn empty(schema: &Schema) -> Result<Engine, SchemaError> {
        schema.check()?;
        Ok(Engine::bare(schema.clone(), schema.analyzer()?))
    }

    fn bare(schema: Schema, analyzer: Analyzer) -> Engine {
        Engine {
            schema,
            analyzer,
            parts: Vec::new(),
            totals: Totals::default(),
            state: OnceLock::new(),
            overrides: OnceLock::new(),
            clock: no_clock,
            writer: 0,
            writes: 0,
            slots: Slots::default(),
        }
    }

    /// Sets the clock. Without one, the time of every call and write is 0, the beginning of 1970.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Engine {
        self.clock = clock;
        self
    }

    /// Sets the writer number. Engines that apply each other's changes need different numbers. Defaults to 0.
    #[must_use]
    pub fn with_writer(mut self, writer: u64) -> Engine {
        self.writer = writer;
        self
    }

    /// Returns the schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the number of live records.
    pub fn len(&self) -> usize {
        self.parts.iter().map(LivePart::live).sum()
    }

    /// Returns whether there is no live record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the segments, oldest first.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = &Segment> {
        self.parts.iter().map(|part| &part.segment)
    }

    /// Returns the record with this key, with its changed fields; `None` if there is no such record.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn record(&self, key: Key) -> Result<Option<Record>, SnapshotError> {
        match self.find(key)? {
            Some((part, document)) => {
                let record = self.parts[part].segment.record(document)?;
                Ok(Some(self.state()?.as_it_is_now(record)))
            }
            None => Ok(None),
        }
    }

    /// Calls `each` with the JSON text of every live record, with its changed fields, in row order. Stops when `each` returns
    /// `false`. [`Engine::state`] holds everything else: links, sessions, usages and feedback.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn each_record(&self, mut each: impl FnMut(&[u8]) -> bool) -> Result<(), SnapshotError> {
        let state = self.state()?;
        let mut goes_on = true;
        let mut damage = Ok(());
        for part in &self.parts {
            let keys = part.segment.keys()?;
            if goes_on {
                let stored = part.segment.stored()?;
                stored.require_all()?;
                stored.each_from(0, |document, text| {
                    if part.dead.has(document) {
                        return true;
                    }
                    let is_changed =
                        keys.get(document).is_ok_and(|key| state.changed_fields_of(key).next().is_some());
                    goes_on = match is_changed.then(|| parse_record(text)) {
                        None => each(text),
                        Some(Ok(record)) => each(state.as_it_is_now(record).json().to_text().as_bytes()),
                        Some(Err(error)) => {
                            damage = Err(error);
                            false
                        }
                    };
                    goes_on
                })?;
            }
        }
        damage
    }

    /// Checks every section: its checksum and its contents.
    ///
    /// # Errors
    /// Fails with the first damage found.
    pub fn verify(&self) -> Result<(), SnapshotError> {
        self.parts.iter().try_for_each(|part| part.segment.verify())
    }

    /// Checks the checksum of every section, but not its contents.
    ///
    /// # Errors
    /// Fails with the first section that differs from its checksum.
    pub fn verify_checksums(&self) -> Result<(), SnapshotError> {
        self.parts.iter().try_for_each(|part| part.segment.snapshot().verify())
    }

    /// Returns the part and document number of the live record with this key.
    pub(crate) fn find(&self, key: Key) -> Result<Option<(usize, u32)>, SnapshotError> {
        for (number, part) in self.parts.iter().enumerate().rev() {
            if let Some(document) = part.segment.keys()?.find(key)?
                && !part.dead.has(document)
            {
                return Ok(u32::try_from(document).ok().map(|document| (number, document)));
            }
        }
        Ok(None)
    }

    /// Calls `work` with all segments in the form that retrieval reads.
    pub(crate) fn with_corpus<T, E: From<SnapshotError>>(
        &self,
        work: impl FnOnce(&Corpus) -> Result<T, E>,
    ) -> Result<T, E> {
        work(&self.open_parts()?.corpus())
    }

    fn open_parts(&self) -> Result<OpenParts<'_>, SnapshotError> {
        let mut first_row = 0;
        let mut parts = Vec::new();
        for (part, overrides) in self.parts.iter().zip(self.overrides()?) {
            let dead = (part.dead_count > 0).then_some(&part.dead);
            let LivePart { segment, tables, values_by, .. } = part;
            parts.push(LiveSegment { segment, dead, first_row, tables, values_by, overrides });
            first_row += part.segment.documents();
        }
        Ok(OpenParts { parts, totals: self.totals, state: self.state()? })
    }
}

/// All segments in the form that retrieval reads.
struct OpenParts<'a> {
    parts: Vec<LiveSegment<'a>>,
    totals: Totals,
    state: &'a State,
}

impl OpenParts<'_> {
    fn corpus(&self) -> Corpus<'_> {
        Corpus { parts: &self.parts, totals: self.totals, state: self.state }
    }
}
