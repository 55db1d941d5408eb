//! The responses of the memory calls.

use super::query::MemoryMode;
use crate::json::Json;
use crate::pipeline::{Explain, Legs};
use crate::state::State;
use serde::Serialize;

/// The response of a search: [`MemoryHit`]s by default.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryResponse<R = MemoryHit> {
    /// The query as it came.
    pub query: String,
    /// The legs that ran.
    pub mode: MemoryMode,
    /// The number of candidates of each leg.
    pub legs: Legs,
    /// The model whose vectors were compared; none where none were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether a part of the search could not be done.
    pub degraded: bool,
    /// The reasons.
    pub warnings: Vec<String>,
    /// The number of records that pass the filter but have vectors of another model or width only (M2).
    pub skipped: usize,
    /// The results, best first.
    pub results: Vec<R>,
}

/// A memory or a document that a search found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum MemoryHit {
    /// A memory.
    Memory(Box<MemoryResult>),
    /// A document.
    Document(Box<MemoryDocumentResult>),
}

impl MemoryHit {
    /// Returns the id of the memory or document.
    pub fn id(&self) -> &str {
        match self {
            MemoryHit::Memory(result) => &result.id,
            MemoryHit::Document(result) => &result.document_id,
        }
    }

    /// Returns the score, 0 to 1.
    pub fn score(&self) -> f64 {
        match self {
            MemoryHit::Memory(result) => result.hit.score,
            MemoryHit::Document(result) => result.hit.score,
        }
    }
}

/// The fields that memories and documents share (M7).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryHitFields {
    /// The score, 0 to 1.
    pub score: f64,
    /// The legs that returned it (M5): `both`, `semantic` or `keyword`.
    pub match_type: &'static str,
    /// A snippet around the matches; empty where no word matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub highlights: Vec<String>,
    /// The explanation of the score; none where the caller left it out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
    /// Whether the caller pinned it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The ids of the results that are folded under it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
}

/// A memory that a search found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryResult {
    /// `memory`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The id of the memory.
    #[serde(skip)]
    pub id: String,
    /// The record of the memory, as it was before this search reinforced it.
    pub memory: Json,
    /// The score and its reasons.
    #[serde(flatten)]
    pub hit: MemoryHitFields,
    /// The session that created it; none where no session is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source_session: Option<MemorySession>,
    /// Whether it is superseded (M8).
    pub is_superseded: bool,
    /// The newest live memory that supersedes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<MemoryPreview>,
    /// The number of live relationships that touch it.
    pub related_memory_count: usize,
    /// The salience at the time of the search.
    #[serde(skip)]
    pub salience: f64,
}

/// The beginning of a memory that supersedes another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryPreview {
    /// The id of the memory.
    pub id: String,
    /// The first 200 characters of its content.
    pub content: String,
    /// The moment of creation, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_at: Option<f64>,
}

/// A document that a search found by its best chunk (M12).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryDocumentResult {
    /// `document`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The id of the document.
    pub document_id: String,
    /// The best chunk.
    pub chunk: MemoryChunk,
    /// The score and its reasons.
    #[serde(flatten)]
    pub hit: MemoryHitFields,
}

/// A chunk of a document. A document that was not cut is its own only chunk.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryChunk {
    /// The id of the chunk's record.
    pub id: String,
    /// The place among the document's chunks, from 0.
    pub index: usize,
    /// The text.
    pub text: String,
    /// The start in the document, in characters.
    pub start: usize,
    /// The end in the document, in characters.
    pub end: usize,
    /// The record of the chunk.
    pub record: Json,
}

/// A memory that the keyword leg found (M1).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryFtsResult {
    /// The id of the memory.
    pub memory_id: String,
    /// FTS5's bm25: negative, lower is better.
    pub rank: f64,
    /// A snippet of the content.
    pub snippet: String,
}

/// A memory that the vector leg found (M2).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemoryVectorResult {
    /// The id of the memory.
    pub memory_id: String,
    /// The cosine distance: 0 for the same direction.
    pub distance: f64,
    /// 1 − distance.
    pub similarity: f64,
}

/// A session, as far as it is known. Times are milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemorySession {
    /// The id of the session.
    pub id: String,
    /// The moment it started.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started_at: Option<f64>,
    /// The moment it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<f64>,
    /// A summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The project it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<String>,
}

impl MemorySession {
    pub(super) fn of(state: &State, id: &str) -> MemorySession {
        let mut known = MemorySession { id: id.to_owned(), ..MemorySession::default() };
        if let Some(session) = state.session(id) {
            known.started_at = session.started_at;
            known.ended_at = session.ended_at;
            known.summary = session.summary.map(str::to_owned);
            known.project_id = session.project_id.map(str::to_owned);
        }
        known
    }
}

/// The response of `get`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryGot {
    /// The memory as it is now; none where there is none with this id.
    pub memory: Option<Json>,
    /// Always false.
    pub degraded: bool,
    /// Always empty.
    pub warnings: Vec<String>,
}

/// The response of `timeline` (M10).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryTimeline {
    /// The memory in the middle.
    pub anchor: Json,
    /// The memories before it, oldest first.
    pub before: Vec<Json>,
    /// The memories after it, oldest first.
    pub after: Vec<Json>,
    /// The sessions that used these memories last, each once.
    pub sessions: Vec<MemorySession>,
    /// Always false.
    pub degraded: bool,
    /// Always empty.
    pub warnings: Vec<String>,
}

/// The response of `sessionContext` (M11).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MemorySessionContext {
    /// The session that used the memory last.
    pub session: MemorySession,
    /// The number of different memories that this session used.
    pub memories_in_session: usize,
    /// The usage: `created`, `recalled`, `updated` or `reinforced`.
    pub usage_type: String,
    /// Always false.
    pub degraded: bool,
    /// Always empty.
    pub warnings: Vec<String>,
}

/// The response of `create` and `update`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MemoryWritten {
    /// The id of the memory.
    pub id: String,
    /// The memory as it is now.
    pub memory: Json,
    /// Whether the memory has a vector.
    pub embedded: bool,
    /// Whether a vector is missing that should be there.
    pub degraded: bool,
    /// The reasons.
    pub warnings: Vec<String>,
}
