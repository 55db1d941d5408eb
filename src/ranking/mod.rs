//! How do several lists become one?
//!
//! These are pure functions over ids and scores, one idea per file: fusion by rank or by a fixed sum
//! ([`reciprocal_rank_fusion`], [`sum`]), the default fusion, which weighs the two legs by statistics of the query
//! ([`auto`]), decay with age ([`recency_boost`]), scores below 1 ([`bm25_normalize`]) and the cosine of a pair
//! ([`cosine_similarity`]). None of them knows where a score came from, and none depends on the order of its candidates.

mod adaptive;
mod auto;
mod budget;
mod cosine;
mod decay;
mod diversify;
mod diversity;
mod fusion;
mod graph;
mod neighbours;
mod overlap;
mod proximity;
mod salience;
mod saturation;
mod tfidf;
mod validity;
mod weighted_fusion;

pub use adaptive::{Acceptance, acceptance, adapted};
pub use auto::{Auto, QueryStatistics, auto};
pub use budget::within_budget;
pub use cosine::cosine_similarity;
pub use decay::{exponential_decay, half_life_decay, recency_boost};
pub use diversify::diversified;
pub use diversity::{folded, marginal_relevance};
pub use fusion::{Fused, FusionCandidate, RRF_K, ScoredId, by_ranks, normalise, reciprocal_rank_fusion, sum};
pub use graph::{changed_ranks, graph_signals, relation_weight};
pub use neighbours::{NearSeed, Placed, share_at, with_neighbours};
pub use overlap::jaccard;
pub use proximity::proximities;
pub use salience::{deemphasized, faded, reinforced};
pub use saturation::bm25_normalize;
pub use tfidf::{cosine_of, idf, stop_words};
pub use validity::Validity;
pub use weighted_fusion::{PRIMARY_LISTS, WeightedFused, weighted_fusion};
