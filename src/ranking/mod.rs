//! How do several lists become one?
//!
//! Pure functions over ids and scores, one idea a file: fusion by rank or by a fixed sum ([`reciprocal_rank_fusion`],
//! [`sum`]), the default fusion, which weighs the two legs of a query by what is known about it ([`auto`]), decay with age
//! ([`recency_boost`]), scores below 1 ([`bm25_normalize`]) and the cosine of a pair ([`cosine_similarity`]). None of them knows where a score came from, and none depends on the order in which
//! candidates are handed over.

mod adaptive;
mod auto;
mod budget;
mod cosine;
mod decay;
mod fusion;
mod overlap;
mod proximity;
mod saturation;
mod tfidf;
mod validity;

pub use adaptive::{Acceptance, acceptance, adapted};
pub use auto::{Auto, QueryStatistics, auto};
pub use budget::within_budget;
pub use cosine::cosine_similarity;
pub use decay::{exponential_decay, half_life_decay, recency_boost};
pub use fusion::{Candidate, Fused, RRF_K, Scored, by_ranks, normalise, reciprocal_rank_fusion, sum};
pub use overlap::jaccard;
pub use proximity::proximities;
pub use saturation::bm25_normalize;
pub use tfidf::{cosine_of, idf, stop_words};
pub use validity::Validity;
