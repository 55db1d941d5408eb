//! The trait that every native engine implements for the harness; one file per engine.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use crate::measure;
use crate::queries::{Kind, Query};

pub mod fts5;
pub mod snapseek;
pub mod tantivy;

/// The number of hits per search.
pub const LIMIT: u16 = 10;

/// The duration of a build.
pub struct BuildTime {
    /// The time from the text of the records to a searchable index.
    pub build: Duration,
    /// The time to compact the index (FTS5: `optimize` and VACUUM; tantivy: merge to one segment); zero for others.
    pub compact: Duration,
}

/// The document of a hit, as the engine identifies it: the line of the record, from 0, or its id.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Document {
    Row(u64),
    Id(String),
}

/// One hit in the form that the harness compares, written as `[document, score]`.
#[derive(Serialize)]
pub struct Hit(pub Document, pub f64);

/// A search engine under measurement.
pub trait Engine: Sized {
    /// The engine's own result type, before conversion to [`Hit`].
    type Answer;

    /// The reason why this engine cannot take part, if any. Its column then shows "–".
    const ABSENCE: Option<&'static str> = None;

    /// Builds an index of the three text fields from JSON-lines `records` in the empty folder `index`.
    fn build(records: &str, index: &Path, threads: usize) -> Result<BuildTime>;

    /// Returns the size of the index without stored documents. By default this is the size of its folder.
    fn index_bytes(index: &Path) -> Result<u64> {
        measure::folder_bytes(index)
    }

    /// Opens the index that [`Engine::build`] wrote to `index`.
    fn open(index: &Path) -> Result<Self>;

    /// Returns whether the engine supports queries of this kind.
    fn supports(_kind: Kind) -> bool {
        true
    }

    /// Returns the best [`LIMIT`] documents. Only this call is timed.
    fn search(&mut self, query: &Query) -> Result<Self::Answer>;

    /// Converts a result to hits, best first.
    fn hits(&self, answer: Self::Answer) -> Result<Vec<Hit>>;
}
