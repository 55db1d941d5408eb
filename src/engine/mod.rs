//! The read path: bytes in, hits out. Wiring only.
//!
//! An engine is a list of segments: the snapshot it opened, and one for each write since, merged as they grow.

mod changes;
mod embedding;
mod error;
mod matching;
mod request;
mod searching;
mod writes;

pub use error::{SearchError, WriteError};
pub use matching::{Column, HighlightOptions, MatchOptions, MatchRow, MatchSnippet};
pub use writes::Written;

use crate::analysis::Analyzer;
use crate::bitmap::Bitmap;
use crate::bm25::Totals;
use crate::document::{Key, Record};
use crate::retrieval::{Corpus, Part, ScoreTables};
use crate::schema::{Schema, SchemaError};
use crate::segment::Segment;
use crate::snapshot::SnapshotError;

/// Records, open for searching and writing.
#[derive(Debug)]
pub struct Engine {
    schema: Schema,
    analyzer: Analyzer,
    parts: Vec<LivePart>,
    totals: Totals,
}

/// A segment and what is dead in it.
#[derive(Debug)]
struct LivePart {
    segment: Segment,
    dead: Bitmap,
    dead_count: usize,
    tables: ScoreTables,
    /// Whether it is the snapshot that was opened: what `changes` counts from.
    is_base: bool,
}

impl LivePart {
    fn new(segment: Segment, is_base: bool) -> LivePart {
        let dead = Bitmap::none(segment.documents() as usize);
        LivePart { segment, dead, dead_count: 0, tables: ScoreTables::default(), is_base }
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
            return Err(SnapshotError::IsChanges);
        }
        let schema = segment.schema().clone();
        let analyzer = schema.analyzer()?;
        let part = LivePart::new(segment, true);
        let totals = part.totals()?;
        Ok(Engine { schema, analyzer, parts: vec![part], totals })
    }

    /// An engine without records.
    ///
    /// # Errors
    /// When the schema cannot be used.
    pub fn empty(schema: &Schema) -> Result<Engine, SchemaError> {
        schema.check()?;
        Ok(Engine {
            schema: schema.clone(),
            analyzer: schema.analyzer()?,
            parts: Vec::new(),
            totals: Totals::default(),
        })
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

    /// The record with this key; none where there is none.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn record(&self, key: Key) -> Result<Option<Record>, SnapshotError> {
        match self.find(key)? {
            Some((part, document)) => Ok(Some(self.parts[part].segment.record(document)?)),
            None => Ok(None),
        }
    }

    /// Calls `each` with every live record's JSON text, in row order, until it says to stop.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn each_record(&self, mut each: impl FnMut(&[u8]) -> bool) -> Result<(), SnapshotError> {
        let mut goes_on = true;
        for part in &self.parts {
            if goes_on {
                part.segment.stored()?.each_from(0, |document, text| {
                    goes_on = part.dead.has(document) || each(text);
                    goes_on
                })?;
            }
        }
        Ok(())
    }

    /// Checks everything there is.
    ///
    /// # Errors
    /// When something is damaged.
    pub fn verify(&self) -> Result<(), SnapshotError> {
        self.parts.iter().try_for_each(|part| part.segment.verify())
    }

    /// The part and document of a live record.
    fn find(&self, key: Key) -> Result<Option<(usize, u32)>, SnapshotError> {
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
    fn with_corpus<T>(&self, work: impl FnOnce(&Corpus) -> T) -> T {
        let mut first_row = 0;
        let mut parts = Vec::with_capacity(self.parts.len());
        for part in &self.parts {
            let dead = (part.dead_count > 0).then_some(&part.dead);
            parts.push(Part { segment: &part.segment, dead, first_row, tables: &part.tables });
            first_row += part.segment.documents();
        }
        work(&Corpus { parts: &parts, totals: self.totals })
    }
}
