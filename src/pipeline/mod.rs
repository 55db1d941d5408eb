//! The steps that every recipe shares, from the text of a query to a ranked page.
//!
//! A recipe interprets the query ([`interpret`]), gathers candidates from the keyword and vector legs
//! ([`CandidateQuery`]), scores them with a [`Formula`] or a fusion rule of its own, and runs the [`Stages`] that the caller
//! requested on the ranked candidates.

mod expansion;
mod explain;
mod formula;
mod interpretation;
mod legs;
mod rows;
mod stages;

pub use expansion::{Completion, MAX_COMPLETIONS, complete, corrections};
pub use explain::{
    Explain, Explained, ExplainedKeyword, ExplainedPhrase, ExplainedVector, Factor, KeywordDetails, ScorePart,
};
pub use formula::{Context, Curve, Decay, Formula, FormulaTerm, Measure, Rated};
pub(crate) use formula::{best_first, by_score, distinct_terms, overlap, place_score, terms};
pub use interpretation::{Correction, InterpretError, InterpretFault, Interpretation, WordRule, interpret};
pub use legs::{Candidate, CandidateQuery, Candidates, Legs, Signal, Words};
pub(crate) use rows::rows_of;
pub use rows::{ids_of, key_of};
pub use stages::{RankedRow, Staged, Stages, relevance};
