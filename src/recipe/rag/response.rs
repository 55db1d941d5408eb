//! The response of `rag.search` (R12).

use super::query::RagFilters;
use super::ranking::{RagMode, RagSignals};
use crate::json::Json;
use crate::options::Clamps;
use crate::pipeline::Explain;
use crate::ranking::SourceGraph;
use serde::Serialize;

/// The response of [`Rag::search`](super::Rag::search), with the counts of every step.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RagResponse {
    /// Always true; a search that fails is an error.
    pub success: bool,
    /// The query.
    pub query: String,
    /// The mode that ran: [`RagMode::Fts`] where the query has no vector.
    pub mode: RagMode,
    /// The greatest number of seeds.
    pub limit: usize,
    /// The greatest number of candidates per leg.
    pub candidate_limit: usize,
    /// The weights of both kinds of signals.
    pub weights: RagWeights,
    /// The quality filter and the shares of sources.
    pub quality: QualityReport,
    /// The neighbours.
    pub neighbor: NeighborReport,
    /// The rerank by the graph.
    pub rerank: RerankReport,
    /// Whether the query had to do without the vector that it should have.
    pub degraded: bool,
    /// The origin of the query's vector.
    pub quality_tier: QualityTier,
    /// The maker of the query's vector; none where vectors were not compared.
    pub embedding: Option<QueryEmbedding>,
    /// The conditions on sources.
    pub filters: RagFilters,
    /// The number of results.
    pub count: usize,
    /// The results, best first.
    pub results: Vec<RagResult>,
    /// The graph of the results' sources; none where the caller wants none.
    pub graph: Option<SourceGraph>,
    /// The numbers that were out of range.
    #[serde(skip_serializing_if = "Clamps::is_empty")]
    pub clamped: Clamps,
    /// Everything that the search could not do as it was asked to, with the reasons.
    pub warnings: Vec<String>,
}

/// The weights of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RagWeights {
    /// The weight of the semantic score.
    pub semantic: f64,
    /// The weight of keyword score and overlap.
    pub keyword: f64,
}

/// The quality filter (R6) and the shares of sources (R7).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QualityReport {
    /// The least score.
    pub min_score: f64,
    /// The least semantic score.
    pub min_semantic_score: f64,
    /// The least number of the query's terms.
    pub min_token_overlap: usize,
    /// The number of candidates by origin.
    pub candidates: CandidateCounts,
    /// The number of candidates that passed the filter.
    pub passed: usize,
    /// Whether sources have shares.
    pub diversify_by_source: bool,
    /// The greatest number of seeds per source.
    pub max_per_source: usize,
    /// The number of seeds beyond the share of their source.
    pub refilled: usize,
}

/// The number of candidates by origin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct CandidateCounts {
    /// Candidates that words found.
    pub keyword: usize,
    /// Candidates that vectors found.
    pub vector: usize,
    /// Candidates that joined because they are the newest.
    pub newest: usize,
}

/// The neighbours of seeds (R8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct NeighborReport {
    /// The greatest distance.
    pub window: usize,
    /// The number of seeds.
    pub seeds: usize,
    /// The number of neighbours that joined.
    pub added: usize,
}

/// The rerank by the graph (R10).
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RerankReport {
    /// Whether the graph counts.
    pub enabled: bool,
    /// The weight of the graph.
    pub weight: f64,
    /// The number of results that moved.
    pub changed_ranks: usize,
}

/// The origin of vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum QualityTier {
    /// The caller's `embed` function made every vector.
    High,
    /// The snapshot's own embedder made them.
    Local,
    /// Something fell back.
    Degraded,
}

/// The maker of the query's vector.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryEmbedding {
    /// `embed`, `hash` or `static`.
    pub provider: &'static str,
    /// The id of the model, or its name in the schema.
    pub model: String,
    /// The number of numbers in a vector; none where no record has settled it yet.
    pub dimensions: Option<usize>,
    /// Whether another model was asked for.
    pub fallback_used: bool,
    /// The reason for the fallback.
    pub fallback_reason: Option<String>,
}

/// A chunk that was found: the fields of its record, and the fields that the search adds.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RagResult {
    /// The record, without fields that the search names itself.
    #[serde(flatten)]
    pub record: Json,
    /// The score, 0 to 1.
    pub score: f64,
    /// The signals of a seed; none for a neighbour that is no seed.
    #[serde(flatten)]
    pub signals: Option<RagSignals>,
    /// The seed that the score comes from; none for a seed with a score of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub neighbor: Option<RagNeighbor>,
    /// The rerank of this result; none where the graph does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rerank: Option<RagRerank>,
    /// The explanation of the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
    /// The explanation of the score before the graph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_explain: Option<Explain>,
}

impl RagResult {
    /// The names that the search gives a result. A field of the record with such a name is left out.
    pub(super) const NAMES: [&str; 9] = [
        "score",
        "keywordScore",
        "overlapScore",
        "overlapTokens",
        "semanticScore",
        "neighbor",
        "rerank",
        "explain",
        "baseExplain",
    ];

    /// Returns the id of the chunk.
    pub fn id(&self) -> &str {
        self.record.get("id").and_then(Json::as_str).unwrap_or_default()
    }
}

/// The seed of a neighbour.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RagNeighbor {
    /// The id of the seed.
    pub seed: String,
    /// The number of chunks from the seed to this one.
    pub distance: usize,
}

/// The rerank of a result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct RagRerank {
    /// The score before the graph.
    pub base: f64,
    /// The signal of the graph, 0 to 1.
    pub signal: f64,
}
