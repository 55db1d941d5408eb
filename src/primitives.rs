//! Which small functions is search made of? This module exports them under the names of the npm package.
//!
//! They are pure: no state, no clock. Each is defined where the engine uses it. The cases in `tests/primitives.json`
//! check that they return the same bits as `js/src/primitives.ts`.
//!
//! ```
//! use snapseek::primitives::{build_fts5_query, normalise_rrf_scores, reciprocal_rank_fusion};
//!
//! assert_eq!(build_fts5_query("quick (brown) fox"), r#""quick" OR "brown" OR "fox""#);
//! let fused = reciprocal_rank_fusion(&[&["a", "b"], &["b", "c"]], 60.0);
//! assert_eq!(normalise_rrf_scores(&fused)[0].id, "b");
//! ```

pub use crate::chunking::chunk_text;
pub use crate::issues::format_issues as format_zod_error;
pub use crate::query::any_word as build_fts5_query;
pub use crate::ranking::normalise as normalise_rrf_scores;
pub use crate::ranking::{
    ExpandedChunk, GraphOptions, GraphRerank, LinkedChunk, Reranked, RerankedResult, SourceGraph, SourceKey,
    apply_graph_rerank, bm25_normalize, build_graph_payload, cosine_similarity, expand_with_neighbor_chunks,
    normalize_rank_score, recency_boost, reciprocal_rank_fusion,
};
pub use crate::ranking::{WeightedFused, WeightedRule, weighted_rank_fusion};
pub use crate::tokens::estimate_tokens;
