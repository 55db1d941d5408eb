//! What the harness asks of every native engine; one file each answers.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use serde::Serialize;

use crate::measure;
use crate::queries::{Kind, Query};

pub mod fts5;
pub mod snapseek;
pub mod tantivy;

/// How many hits every search is asked for.
pub const LIMIT: u16 = 10;

/// What a build took.
pub struct BuildTime {
    /// From the text of the records to an index that can be searched.
    pub build: Duration,
    /// From there to its smallest form (FTS5: `optimize` and VACUUM; tantivy: one segment); zero where there is none.
    pub compact: Duration,
}

/// The document of a hit, in the engine's own terms: the record's line, from 0, or its id.
#[derive(Serialize)]
#[serde(untagged)]
pub enum Document {
    Row(u64),
    Id(String),
}

/// One hit as the harness compares it. Written `[document, score]`.
#[derive(Serialize)]
pub struct Hit(pub Document, pub f64);

/// A search engine under measurement.
pub trait Engine: Sized {
    /// The engine's own answer to a search, before the harness asks for anything.
    type Answer;

    /// Why this engine cannot take part, if it cannot; its column then says "–".
    const ABSENCE: Option<&'static str> = None;

    /// Builds an index of the three text fields from JSON-lines `records` in the empty folder `index`.
    fn build(records: &str, index: &Path, threads: usize) -> Result<BuildTime>;

    /// Bytes of the index without stored documents. By default everything in its folder.
    fn index_bytes(index: &Path) -> Result<u64> {
        measure::folder_bytes(index)
    }

    /// Opens what [`Engine::build`] left in `index`.
    fn open(index: &Path) -> Result<Self>;

    /// Whether the engine can answer queries of this kind.
    fn supports(_kind: Kind) -> bool {
        true
    }

    /// The best [`LIMIT`] documents. This call, and nothing else, is timed.
    fn search(&mut self, query: &Query) -> Result<Self::Answer>;

    /// The answer in the form in which engines are compared, best first.
    fn hits(&self, answer: Self::Answer) -> Result<Vec<Hit>>;
}
