//! Which documents of a segment are worth most? The loops over postings and vectors.

mod common;
pub mod conjunction;
pub mod disjunction;
mod matching;
mod matrix;
mod near;
mod positions;
mod score_table;
mod source;
mod top_k;
mod union;

pub use common::Documents;
pub use matching::{Matching, TermMatching};
pub use matrix::{Matrix, nearest, sample};
pub use near::near;
pub use positions::{PhraseForm, Positions, Starts, consecutive, each_document_with, frequency, starts_here};
pub use score_table::ScoreTable;
pub use source::{Source, Worked};
pub use top_k::{Ranked, TopK};
pub use union::{count_live, restricted, sum_by_document};

use crate::bitmap::Bitmap;

/// Which documents of a segment may be hits, and the rows they are.
#[derive(Clone, Copy, Debug)]
pub struct Eligible<'a> {
    /// The row number of the first document.
    pub first_row: u32,
    /// The dead documents; none where all are live.
    pub dead: Option<&'a Bitmap>,
    /// The documents that may be hits; none where all may.
    pub allowed: Option<&'a Bitmap>,
}

impl Eligible<'_> {
    /// Whether a document is live.
    #[inline]
    pub fn is_live(&self, document: u32) -> bool {
        self.dead.is_none_or(|dead| !dead.has(document as usize))
    }

    /// Whether a document may be a hit.
    #[inline]
    pub fn has(&self, document: u32) -> bool {
        self.is_live(document) && self.allowed.is_none_or(|allowed| allowed.has(document as usize))
    }
}

/// What the documents of a segment are scored by.
#[derive(Clone, Copy, Debug)]
pub struct Scoring<'a> {
    /// The documents that may be hits.
    pub eligible: Eligible<'a>,
    /// The idf of each phrase.
    pub idf: &'a [f64],
    /// What postings are worth.
    pub table: &'a ScoreTable,
}
