//! Which documents match, and how well?
//!
//! Every phrase of a query becomes a list of documents with a frequency each ([`lists`]); a tree of cursors
//! over these lists finds the documents that match ([`matching`]), and bm25 scores them. A query that is nothing but
//! alternatives, the usual one, takes a shorter way ([`disjunction`]); both give the same bits.

mod bm25;
mod disjunction;
mod filter;
mod lists;
mod matching;
mod near;
mod places;
mod positions;
mod search;
mod top_k;

pub use bm25::{Bm25, idf};
pub use filter::{Filter, FilterError};
pub use places::{Place, places};
pub use positions::Positions;
pub use search::{Found, Retrieval, facet_counts, search};
pub use top_k::Ranked;

use crate::bitmap::Bitmap;
use crate::segment::Segment;
use std::sync::{Arc, Mutex};

/// A segment with what is dead in it, and its place in row order.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The segment.
    pub segment: &'a Segment,
    /// Its dead documents; none where all are live.
    pub dead: Option<&'a Bitmap>,
    /// The row number of its first document.
    pub first_row: u32,
    /// Tables that outlive a query.
    pub tables: &'a ScoreTables,
}

impl Part<'_> {
    /// Whether a document is live.
    pub fn is_live(&self, document: u32) -> bool {
        self.dead.is_none_or(|dead| !dead.has(document as usize))
    }
}

/// What bm25 sums over: the live rows of all segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Live rows.
    pub rows: u64,
    /// Their tokens, over all fields.
    pub tokens: u64,
}

impl Totals {
    /// Tokens a row.
    #[expect(clippy::cast_precision_loss, reason = "FTS5 divides as doubles")]
    pub fn average_length(self) -> f64 {
        self.tokens as f64 / self.rows as f64
    }
}

/// All segments, in row order.
#[derive(Clone, Copy, Debug)]
pub struct Corpus<'a> {
    /// The segments.
    pub parts: &'a [Part<'a>],
    /// Their live rows.
    pub totals: Totals,
}

/// A segment's score table for the weights and average length last asked for.
#[derive(Debug, Default)]
pub struct ScoreTables(Mutex<Option<(TableKey, Arc<disjunction::ScoreTable>)>>);

type TableKey = (Vec<u64>, u64);
