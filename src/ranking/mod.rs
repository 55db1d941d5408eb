//! How do several lists become one?
//!
//! Pure functions over ids and scores, one idea a file: fusion by rank or by a fixed sum ([`reciprocal_rank_fusion`],
//! [`sum`]), the default fusion, which weighs the two legs of a query by what is known about it ([`auto`]), and decay
//! with age ([`recency_boost`]). None of them knows where a score came from, and none depends on the order in which
//! candidates are handed over.

mod auto;
mod decay;
mod fusion;

pub use auto::{Auto, QueryStatistics, auto};
pub use decay::recency_boost;
pub use fusion::{Candidate, Fused, RRF_K, Scored, by_ranks, normalise, reciprocal_rank_fusion, sum};
