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
mod evidence;
mod fusion;
mod graph;
mod neighbours;
mod overlap;
mod proximity;
mod query_words;
mod rank_score;
mod salience;
mod saturation;
mod source_graph;
mod tfidf;
mod validity;
mod weighted_fusion;

pub use adaptive::{Acceptance, acceptance, adapted};
pub use auto::{Auto, QueryStatistics, auto, default_trust};
pub use budget::within_budget;
pub use cosine::cosine_similarity;
pub use decay::{exponential_decay, half_life_decay, recency_boost};
pub use diversify::diversified;
pub use diversity::{folded, marginal_relevance};
pub use evidence::{FULL_EVIDENCE, evidence, least_evidence};
pub use fusion::{Fused, FusionCandidate, RRF_K, ScoredId, by_ranks, normalise, reciprocal_rank_fusion, sum};
pub use graph::{
    DEFAULT_GRAPH_WEIGHT, GraphRerank, MAX_GRAPH_WEIGHT, Reranked, RerankedResult, apply_graph_rerank,
    graph_signals, relation_weight,
};
pub use neighbours::{
    ExpandedChunk, MAX_WINDOW, NearSeed, Placed, expand_with_neighbor_chunks, neighbour_ids, numbered_chunk,
    share_at, with_neighbours,
};
pub use overlap::jaccard;
pub use proximity::proximities;
pub use query_words::QueryWords;
pub use rank_score::normalize_rank_score;
pub use salience::{deemphasized, faded, reinforced};
pub use saturation::bm25_normalize;
pub use source_graph::{
    DEFAULT_NODES, GraphOptions, LinkedChunk, LinkedChunks, MAX_NODES, SourceEdge, SourceGraph, SourceKey,
    SourceLink, SourceNode, StoredLink, build_graph_payload, source_graph,
};
pub use tfidf::{cosine_of, idf, stop_words};
pub use validity::Validity;
pub use weighted_fusion::{WeightedFused, WeightedRule, weighted_rank_fusion};
