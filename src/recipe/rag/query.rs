//! The options of `rag.search`.

use super::ranking::{Quality, RagMode};
use crate::options::Options;
use crate::pipeline::Stages;
use crate::ranking::{
    DEFAULT_GRAPH_WEIGHT, DEFAULT_NODES, GraphOptions, GraphRerank, MAX_GRAPH_WEIGHT, MAX_NODES, MAX_WINDOW,
};
use serde::Serialize;

/// A search returns at most this many seeds.
const MAX_LIMIT: usize = 100;
/// A leg returns at most this many candidates.
const MAX_CANDIDATES: usize = 500;
/// A leg returns at least this many candidates, where the caller does not say.
const USUAL_CANDIDATES: usize = 60;
/// A search waits for pending writes at most this many milliseconds.
const MAX_WAIT: usize = 10_000;

/// A search for chunks. [`RagQuery::of`] makes one with the defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct RagQuery {
    /// The query, in plain words.
    pub query: String,
    /// The signals that make the score: [`RagMode::Hybrid`] by default.
    pub mode: RagMode,
    /// The name of a mode that does not exist. The response then has a warning.
    pub unknown_mode: Option<String>,
    /// The number of seeds: 1 to 100, 10 by default. Neighbours come in addition.
    pub limit: usize,
    /// The number of candidates per leg: `limit` to 500. By default 6 per seed, and at least 60.
    pub candidate_limit: usize,
    /// The weight of the semantic score in hybrid mode: 0 to 1, 0.7 by default.
    pub semantic_weight: f64,
    /// The least score, 0 to 1. The mode has a default.
    pub min_score: Option<f64>,
    /// The least semantic score, 0 to 1. The mode has a default; fts mode has no semantic scores.
    pub min_semantic_score: Option<f64>,
    /// The least number of the query's terms in a chunk. The mode has a default.
    pub min_token_overlap: Option<usize>,
    /// Limits the seeds per source, while other sources can fill the page. On by default.
    pub diversify_by_source: bool,
    /// The number of seeds per source: 1 to 20, 3 by default.
    pub max_per_source: usize,
    /// The number of chunks before and after each seed that join the page: 0 to 5, 0 by default.
    pub neighbor_window: usize,
    /// Adds the graph of sources to the response. On by default.
    pub include_graph: bool,
    /// How far the graph goes.
    pub graph: GraphOptions,
    /// Whether the graph reranks the page, and with which weight. Off by default.
    pub rerank: GraphRerank,
    /// Conditions on the sources of chunks.
    pub filters: RagFilters,
    /// The vector of the query. By default the host's `embed` or the snapshot's own embedder makes it.
    pub vector: Option<Vec<f32>>,
    /// The model whose vectors are compared; the schema's first by default.
    pub model: Option<String>,
    /// The moment that links end by, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
    /// Makes it an error where the query has no usable vector. Off by default.
    pub strict: bool,
    /// Adds an explanation to every result. Off by default.
    pub explain: bool,
    /// Steps that run after scoring.
    pub stages: Stages,
}

/// Conditions on the sources of chunks: a chunk must meet all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RagFilters {
    /// The types that a source may have.
    pub source_type: Option<Vec<String>>,
    /// The session of the source.
    pub session_id: Option<String>,
    /// The context of the source.
    pub context_id: Option<String>,
}

impl RagQuery {
    /// Returns a search for these words, with every default.
    pub fn of(query: &str) -> RagQuery {
        RagQuery {
            query: query.to_owned(),
            mode: RagMode::Hybrid,
            unknown_mode: None,
            limit: 10,
            candidate_limit: USUAL_CANDIDATES,
            semantic_weight: 0.7,
            min_score: None,
            min_semantic_score: None,
            min_token_overlap: None,
            diversify_by_source: true,
            max_per_source: 3,
            neighbor_window: 0,
            include_graph: true,
            graph: GraphOptions::default(),
            rerank: GraphRerank { enabled: false, weight: DEFAULT_GRAPH_WEIGHT },
            filters: RagFilters::default(),
            vector: None,
            model: None,
            now: None,
            strict: false,
            explain: false,
            stages: Stages::default(),
        }
    }

    /// Reads the query from the options of a call. Numbers out of range are clamped; faults stay in `read`.
    pub fn take(read: &mut Options) -> RagQuery {
        read.host(&[("embed", "a function"), ("signal", "an AbortSignal")]);
        // The host has waited by now; the option is read so that faults and clamps are reported with all others.
        read.clamped_count("waitForIndexMs", 0..=MAX_WAIT);
        let usual = RagQuery::of(read.required_text("query"));
        let named = read.text("mode");
        let mode = named.map_or(Some(usual.mode), RagMode::named);
        let limit = read.clamped_count("limit", 1..=MAX_LIMIT).unwrap_or(usual.limit);
        let candidate_limit = read.clamped_count("candidateLimit", limit..=MAX_CANDIDATES);
        let vector = read.numbers("vector");
        RagQuery {
            mode: mode.unwrap_or(usual.mode),
            unknown_mode: named.filter(|_| mode.is_none()).map(str::to_owned),
            limit,
            candidate_limit: candidate_limit.unwrap_or((6 * limit).clamp(USUAL_CANDIDATES, MAX_CANDIDATES)),
            semantic_weight: read
                .clamped_number("semanticWeight", 0.0..=1.0)
                .unwrap_or(usual.semantic_weight),
            min_score: read.clamped_number("minScore", 0.0..=1.0),
            min_semantic_score: read.clamped_number("minSemanticScore", 0.0..=1.0),
            min_token_overlap: read.clamped_count("minTokenOverlap", 0..=1000),
            diversify_by_source: read.flag("diversifyBySource").unwrap_or(usual.diversify_by_source),
            max_per_source: read.clamped_count("maxPerSource", 1..=20).unwrap_or(usual.max_per_source),
            neighbor_window: read.clamped_count("neighborWindow", 0..=MAX_WINDOW).unwrap_or_default(),
            include_graph: read.flag("includeGraph").unwrap_or(usual.include_graph),
            graph: GraphOptions {
                node_limit: read.clamped_count("nodeLimit", 1..=MAX_NODES).unwrap_or(DEFAULT_NODES),
                include_session: read.flag("includeSession").unwrap_or_default(),
            },
            rerank: GraphRerank {
                enabled: read.flag("graphRerank").unwrap_or_default(),
                weight: read
                    .clamped_number("graphRerankWeight", 0.0..=MAX_GRAPH_WEIGHT)
                    .unwrap_or(DEFAULT_GRAPH_WEIGHT),
            },
            filters: RagFilters::take(read),
            vector: vector.map(|numbers| numbers.into_iter().map(|number| number as f32).collect()),
            model: read.text("model").map(str::to_owned),
            now: read.time("now"),
            strict: read.flag("strict").unwrap_or_default(),
            explain: read.flag("explain").unwrap_or_default(),
            stages: Stages::read(read),
            ..usual
        }
    }

    /// Returns the least values of a candidate in a mode.
    pub(super) fn quality(&self, mode: RagMode) -> Quality {
        let usual = Quality::of_mode(mode);
        // Without vectors every semantic score is 0, so no least value applies.
        let min_semantic = self.min_semantic_score.filter(|_| mode != RagMode::Fts);
        Quality {
            min_score: self.min_score.unwrap_or(usual.min_score),
            min_semantic_score: min_semantic.unwrap_or(usual.min_semantic_score),
            min_token_overlap: self.min_token_overlap.unwrap_or(usual.min_token_overlap),
        }
    }
}

impl RagFilters {
    /// Reads the conditions from the options of a call.
    pub fn take(read: &mut Options) -> RagFilters {
        RagFilters {
            source_type: read.texts("sourceType"),
            session_id: read.id("sessionId"),
            context_id: read.id("contextId"),
        }
    }
}
