//! The read path: bytes in, hits out. Wiring only.
//!
//! An engine is a list of segments: the snapshot it opened, and one for each write since, merged as they grow.

mod asking;
mod changes;
mod embedded;
mod embedding;
mod error;
mod match_options;
mod matching;
mod outside;
mod slots;
mod state;
mod writes;

pub(crate) use asking::{QueryVector, passing, record_of, records_of};
pub use embedded::Embedded;
pub(crate) use error::wrong;
pub use error::{SearchError, SearchFault, WriteError, WriteFault};
pub use match_options::{Column, HighlightOptions, MatchOptions, MatchSnippet};
pub use matching::MatchRow;
pub(crate) use matching::each_text;
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

/// Records, open for searching and writing.
#[derive(Debug)]
pub struct Engine {
    pub(crate) schema: Schema,
    pub(crate) analyzer: Analyzer,
    parts: Vec<LivePart>,
    totals: Totals,
    /// What is known of the records; read from the snapshot when it is first asked for.
    state: OnceLock<Box<State>>,
    /// By part, what that changes of attributes; worked out when it is first asked for, and after documents got new
    /// numbers.
    overrides: OnceLock<Vec<Overrides>>,
    clock: Clock,
    writer: u64,
    /// How often something was written: what was worked out before is old.
    pub(crate) writes: u64,
    /// Values that recipes keep between calls.
    pub(crate) slots: Slots,
}

/// Tells the time, in milliseconds since 1970.
pub type Clock = fn() -> f64;

/// Always the beginning of 1970: writes are in order all the same.
fn no_clock() -> f64 {
    0.0
}

/// A segment and what is dead in it.
#[derive(Debug)]
struct LivePart {
    segment: Segment,
    dead: Bitmap,
    dead_count: usize,
    tables: TableCache,
    values_by: ValueIndexes,
    /// Whether it is the snapshot that was opened: what `changes` counts from.
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
        let lengths = self.segment.field_lengths()?;
        let tokens = (0..lengths.field_count()).map(|field| lengths.total_of_field(field));
        let tokens = tokens.fold(0u64, u64::saturating_add);
        Ok(Totals { rows: u64::from(self.segment.documents()), tokens })
    }
}

impl Engine {
    /// Opens a snapshot. Costs the same for any size: sections are read, and their checksums checked, when they are
    /// first used.
    ///
    /// # Errors
    /// When the bytes are no snapshot this build can read.
    pub fn open(bytes: Vec<u8>) -> Result<Engine, SnapshotError> {
        let segment = Segment::open(bytes)?;
        if segment.is_changes() {
            return Err(SnapshotFault::IsChanges.into());
        }
        let schema = segment.schema().clone();
        let analyzer = schema.analyzer()?;
        let part = LivePart::new(segment, true);
        let totals = part.totals()?;
        Ok(Engine { parts: vec![part], totals, ..Engine::bare(schema, analyzer) })
    }

    /// An engine without records.
    ///
    /// # Errors
    /// When the schema cannot be used.
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

    /// The same engine with a clock. Without one, it takes every moment for the beginning of 1970.
    #[must_use]
    pub fn with_clock(mut self, clock: Clock) -> Engine {
        self.clock = clock;
        self
    }

    /// The same engine as another writer: each of those whose changes are brought together has a number of its own.
    #[must_use]
    pub fn with_writer(mut self, writer: u64) -> Engine {
        self.writer = writer;
        self
    }

    /// The schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// How many live records there are.
    pub fn len(&self) -> usize {
        self.parts.iter().map(LivePart::live).sum()
    }

    /// Whether there is no live record.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The segments, oldest first.
    pub fn segments(&self) -> impl ExactSizeIterator<Item = &Segment> {
        self.parts.iter().map(|part| &part.segment)
    }

    /// The record with this key, as it is now; none where there is none.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn record(&self, key: Key) -> Result<Option<Record>, SnapshotError> {
        match self.find(key)? {
            Some((part, document)) => {
                let record = self.parts[part].segment.record(document)?;
                Ok(Some(self.state()?.as_it_is_now(record)))
            }
            None => Ok(None),
        }
    }

    /// Calls `each` with every live record's JSON text, as it is now, in row order, until it says to stop. What is known
    /// beside records is in [`Engine::state`].
    ///
    /// # Errors
    /// When the snapshot is damaged.
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

    /// Checks everything there is.
    ///
    /// # Errors
    /// When something is damaged.
    pub fn verify(&self) -> Result<(), SnapshotError> {
        self.parts.iter().try_for_each(|part| part.segment.verify())
    }

    /// Checks the checksums of every section, and nothing that takes reading them.
    ///
    /// # Errors
    /// When one does not fit.
    pub fn verify_checksums(&self) -> Result<(), SnapshotError> {
        self.parts.iter().try_for_each(|part| part.segment.snapshot().verify())
    }

    /// The part and document of a live record.
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

    /// Calls `work` with all segments as retrieval takes them.
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

/// All segments, as retrieval takes them.
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
