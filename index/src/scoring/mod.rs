//! Which documents of a segment score highest?
//!
//! These are the loops over posting lists and vector rows. [`disjunction`] and [`conjunction`] serve pure OR and pure
//! AND queries: they skip documents whose score upper bound is too low for the top-k heap. [`MatchCursor`] evaluates any
//! other combination of AND, OR and NOT, document by document. [`nearest`] scans vectors.

pub mod conjunction;
pub mod disjunction;
mod impact_cursor;
mod intersection;
mod match_cursor;
mod matrix;
mod near;
mod positions;
mod score_table;
mod top_k;
mod union;

pub use impact_cursor::{ImpactCursor, MaterialisedList};
pub use intersection::DocCursor;
pub use match_cursor::{MatchCursor, TermMatch};
pub use matrix::{Matrix, nearest, sample};
pub use near::near;
pub use positions::{
    PhraseForm, PositionCursor, Starts, each_document_with, frequency, phrase_list, starts_here,
};
pub use score_table::ScoreTable;
pub use top_k::{Ranked, TopK};
pub use union::{count_live, restricted, sum_by_document};

use crate::bitmap::Bitmap;

/// The documents of a segment that may be hits.
#[derive(Clone, Copy, Debug)]
pub struct Eligible<'a> {
    /// The row number of the segment's first document.
    pub first_row: u32,
    /// The deleted documents; `None` when all are live.
    pub dead: Option<&'a Bitmap>,
    /// The documents that pass the filter; `None` without a filter.
    pub allowed: Option<&'a Bitmap>,
}

impl Eligible<'_> {
    /// Reports whether a document is live.
    #[inline]
    pub fn is_live(&self, document: u32) -> bool {
        self.dead.is_none_or(|dead| !dead.has(document as usize))
    }

    /// Reports whether a document may be a hit: it is live and passes the filter.
    #[inline]
    pub fn has(&self, document: u32) -> bool {
        self.is_live(document) && self.allowed.is_none_or(|allowed| allowed.has(document as usize))
    }
}

/// The inputs for scoring the documents of a segment.
#[derive(Clone, Copy, Debug)]
pub struct Scoring<'a> {
    /// The documents that may be hits.
    pub eligible: Eligible<'a>,
    /// The inverse document frequency of each phrase.
    pub idf: &'a [f64],
    /// The impacts of postings.
    pub table: &'a ScoreTable,
}
