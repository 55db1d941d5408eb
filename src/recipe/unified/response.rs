//! The response of a unified search.

use super::variants::{Intent, Variant};
use crate::json::Json;
use crate::options::Clamps;
use crate::pipeline::{Explain, Legs};
use serde::Serialize;

/// The response of a unified search.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnifiedResponse {
    /// The query as it was searched for: trimmed, boosted, inner white space collapsed.
    pub query: String,
    /// The way that the search took.
    pub mode: UnifiedMode,
    /// The number of candidates of each leg.
    pub legs: Legs,
    /// Whether the keyword results were confident enough to leave vectors out.
    pub short_circuit: bool,
    /// The intent of the query; none without `expand`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intent: Option<Intent>,
    /// The variants that were searched for, the query first; empty without `expand`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    /// The limit after clamping.
    pub limit: usize,
    /// The number of hits that were skipped.
    pub offset: usize,
    /// The numbers that were clamped.
    #[serde(skip_serializing_if = "Clamps::is_empty")]
    pub clamped: Clamps,
    /// Whether something that the caller asked for could not be done.
    pub degraded: bool,
    /// The reasons.
    pub warnings: Vec<String>,
    /// The hits, in order.
    pub hits: Vec<UnifiedHit>,
}

/// The way that a search took (U3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum UnifiedMode {
    /// Filters alone.
    Filter,
    /// Keywords alone.
    Keyword,
    /// Keywords and vectors.
    Hybrid,
}

/// A record that a unified search found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnifiedHit {
    /// The id of the record.
    pub id: String,
    /// The kind of the record.
    pub kind: String,
    /// The score, higher is better: a sum over ranks in mode `hybrid`, below 1 in mode `keyword`, 0 in mode `filter`.
    pub score: f64,
    /// The record's title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Json>,
    /// The record's project.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project: Option<Json>,
    /// The record's type of observation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub obs_type: Option<Json>,
    /// The record's moment, as the record has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<Json>,
    /// Whether the caller pinned it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The ids of the records that are folded under it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
    /// The explanation of the score; none unless the caller asked for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
    /// The whole record; none with [`UnifiedFormat::Index`](super::UnifiedFormat::Index).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Json>,
}
