//! The options of the four searches, and what they have in common.

use super::MemoryRecipe;
use super::filter::MemoryFilter;
use super::ranking::{DOCUMENT, MEMORY, expression};
use super::score::{MemoryWeightChanges, MemoryWeights};
use crate::options::Options;
use crate::pipeline::Stages;
use crate::recipe::hybrid::MAX_LIMIT;
use serde::Serialize;

/// The default number of results of a search.
const LIMIT: usize = 10;
/// The default number of results of a single leg.
const LEG_LIMIT: usize = 20;

/// The options that hosts read themselves before they hand a vector to the engine.
const VECTOR_OPTIONS: [(&str, &str); 2] = [("embed", "a function"), ("vector", "an array of finite numbers")];

/// Which legs of a search run (M6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MemoryMode {
    /// Vectors and words.
    #[default]
    Hybrid,
    /// Vectors alone.
    Semantic,
    /// Words alone.
    Keyword,
}

impl MemoryMode {
    /// All modes.
    pub const ALL: [MemoryMode; 3] = [MemoryMode::Hybrid, MemoryMode::Semantic, MemoryMode::Keyword];

    /// Returns the name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            MemoryMode::Hybrid => "hybrid",
            MemoryMode::Semantic => "semantic",
            MemoryMode::Keyword => "keyword",
        }
    }
}

/// The options of [`MemoryRecipe::search`].
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryQuery {
    /// The words to search for.
    pub query: String,
    /// The number of results, best first: 1 to 1,000, 10 by default.
    pub limit: usize,
    /// The legs that run: both by default.
    pub mode: MemoryMode,
    /// Conditions on memories, and on documents where those are included.
    pub filter: MemoryFilter,
    /// Also finds documents, each by its best chunk (M12). Off by default.
    pub include_documents: bool,
    /// Changes to the engine's weights.
    pub weights: MemoryWeightChanges,
    /// The model whose vectors are compared; the schema's first by default.
    pub model: Option<String>,
    /// Makes it an error where the query has no usable vector. Off by default.
    pub strict: bool,
    /// Reinforces the returned memories, and records the recall in the session (M9). On by default.
    pub track: bool,
    /// The session that recalls; this is no filter. By default the session of the filter.
    pub recall_session_id: Option<String>,
    /// Leaves highlights unescaped. By default they are safe as HTML.
    pub raw: bool,
    /// Adds an explanation to every result. On by default (M7).
    pub explain: bool,
    /// Steps that run after scoring.
    pub stages: Stages,
    /// The moment that ages count from, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
}

impl Default for MemoryQuery {
    fn default() -> MemoryQuery {
        MemoryQuery::of(MemoryDocumentQuery::default())
    }
}

impl MemoryQuery {
    /// Reads the query and its options. Faults stay in `read`.
    pub fn take(read: &mut Options) -> MemoryQuery {
        let query = MemoryQuery::of(MemoryDocumentQuery::take(read));
        MemoryQuery {
            include_documents: read.flag("includeDocuments").unwrap_or(false),
            track: read.flag("track").unwrap_or(true),
            recall_session_id: read.id("recallSessionId"),
            ..query
        }
    }

    fn of(shared: MemoryDocumentQuery) -> MemoryQuery {
        let MemoryDocumentQuery {
            query,
            limit,
            mode,
            filter,
            weights,
            model,
            strict,
            raw,
            explain,
            stages,
            now,
        } = shared;
        MemoryQuery {
            query,
            limit,
            mode,
            filter,
            include_documents: false,
            weights,
            model,
            strict,
            track: true,
            recall_session_id: None,
            raw,
            explain,
            stages,
            now,
        }
    }
}

/// The options of [`MemoryRecipe::search_documents`]; those of [`MemoryQuery`] that concern documents.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryDocumentQuery {
    /// The words to search for.
    pub query: String,
    /// The number of documents, best first: 1 to 1,000, 10 by default.
    pub limit: usize,
    /// The legs that run: both by default.
    pub mode: MemoryMode,
    /// Conditions on documents.
    pub filter: MemoryFilter,
    /// Changes to the engine's weights.
    pub weights: MemoryWeightChanges,
    /// The model whose vectors are compared; the schema's first by default.
    pub model: Option<String>,
    /// Makes it an error where the query has no usable vector. Off by default.
    pub strict: bool,
    /// Leaves highlights unescaped. By default they are safe as HTML.
    pub raw: bool,
    /// Adds an explanation to every result. On by default (M7).
    pub explain: bool,
    /// Steps that run after scoring.
    pub stages: Stages,
    /// The moment that ages count from, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
}

impl Default for MemoryDocumentQuery {
    fn default() -> MemoryDocumentQuery {
        MemoryDocumentQuery {
            query: String::new(),
            limit: LIMIT,
            mode: MemoryMode::default(),
            filter: MemoryFilter::default(),
            weights: MemoryWeightChanges::default(),
            model: None,
            strict: false,
            raw: false,
            explain: true,
            stages: Stages::default(),
            now: None,
        }
    }
}

impl MemoryDocumentQuery {
    /// Reads the query and its options. Faults stay in `read`.
    pub fn take(read: &mut Options) -> MemoryDocumentQuery {
        read.host(&VECTOR_OPTIONS);
        MemoryDocumentQuery {
            query: read.required_text("query").to_owned(),
            limit: read.count("limit", 1..=MAX_LIMIT).unwrap_or(LIMIT),
            mode: read.one_of("mode", "mode", &MemoryMode::ALL, MemoryMode::name).unwrap_or_default(),
            filter: MemoryFilter::take(read),
            weights: MemoryWeightChanges::take(read),
            model: read.text("model").map(str::to_owned),
            strict: read.flag("strict").unwrap_or(false),
            raw: read.flag("raw").unwrap_or(false),
            explain: read.flag("explain").unwrap_or(true),
            stages: Stages::read(read),
            now: read.time("now"),
        }
    }
}

/// The options of [`MemoryRecipe::search_fts`].
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryFtsQuery {
    /// The words to search for.
    pub query: String,
    /// The number of results, best first: 1 to 1,000, 20 by default.
    pub limit: usize,
    /// Conditions on memories.
    pub filter: MemoryFilter,
    /// Leaves snippets unescaped. By default they are safe as HTML.
    pub raw: bool,
    /// The moment that decides what is superseded, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
}

impl Default for MemoryFtsQuery {
    fn default() -> MemoryFtsQuery {
        let (query, filter) = (String::new(), MemoryFilter::default());
        MemoryFtsQuery { query, limit: LEG_LIMIT, filter, raw: false, now: None }
    }
}

impl MemoryFtsQuery {
    /// Reads the query and its options. Faults stay in `read`.
    pub fn take(read: &mut Options) -> MemoryFtsQuery {
        MemoryFtsQuery {
            query: read.required_text("query").to_owned(),
            limit: read.count("limit", 1..=MAX_LIMIT).unwrap_or(LEG_LIMIT),
            filter: MemoryFilter::take(read),
            raw: read.flag("raw").unwrap_or(false),
            now: read.time("now"),
        }
    }
}

/// The options of [`MemoryRecipe::search_vector`].
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryVectorQuery {
    /// The text that the host or the snapshot embeds.
    pub query: String,
    /// The number of results, nearest first: 1 to 1,000, 20 by default.
    pub limit: usize,
    /// Conditions on memories.
    pub filter: MemoryFilter,
    /// The model whose vectors are compared; the schema's first by default.
    pub model: Option<String>,
    /// Makes it an error where the query has no usable vector. Off by default.
    pub strict: bool,
    /// The moment that decides what is superseded, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
}

impl Default for MemoryVectorQuery {
    fn default() -> MemoryVectorQuery {
        let (query, filter) = (String::new(), MemoryFilter::default());
        MemoryVectorQuery { query, limit: LEG_LIMIT, filter, model: None, strict: false, now: None }
    }
}

impl MemoryVectorQuery {
    /// Reads the query and its options. Faults stay in `read`.
    pub fn take(read: &mut Options) -> MemoryVectorQuery {
        read.host(&VECTOR_OPTIONS);
        MemoryVectorQuery {
            query: read.required_text("query").to_owned(),
            limit: read.count("limit", 1..=MAX_LIMIT).unwrap_or(LEG_LIMIT),
            filter: MemoryFilter::take(read),
            model: read.text("model").map(str::to_owned),
            strict: read.flag("strict").unwrap_or(false),
            now: read.time("now"),
        }
    }
}

/// A search with the engine's settings and clock filled in.
pub(super) struct ResolvedMemorySearch {
    pub query: String,
    pub limit: usize,
    pub mode: MemoryMode,
    /// Whether the call is a single leg, which has no other leg to fall back on.
    pub is_single_leg: bool,
    pub kinds: &'static [&'static str],
    pub filter: MemoryFilter,
    pub weights: MemoryWeights,
    pub decays: bool,
    pub model: Option<String>,
    pub strict: bool,
    pub raw: bool,
    pub explain: bool,
    pub stages: Stages,
    pub now: f64,
}

impl ResolvedMemorySearch {
    pub fn of_memories(recipe: &MemoryRecipe, query: &MemoryQuery) -> ResolvedMemorySearch {
        let settings = recipe.settings();
        ResolvedMemorySearch {
            query: query.query.clone(),
            limit: query.limit,
            mode: query.mode,
            is_single_leg: false,
            kinds: if query.include_documents { &[MEMORY, DOCUMENT] } else { &[MEMORY] },
            filter: query.filter.clone(),
            weights: query.weights.applied_to(&settings.weights),
            decays: settings.decay,
            model: query.model.clone(),
            strict: query.strict,
            raw: query.raw,
            explain: query.explain,
            stages: query.stages.clone(),
            now: recipe.engine.now(query.now),
        }
    }

    pub fn of_documents(recipe: &MemoryRecipe, query: &MemoryDocumentQuery) -> ResolvedMemorySearch {
        let resolved = ResolvedMemorySearch::of_memories(recipe, &MemoryQuery::of(query.clone()));
        ResolvedMemorySearch { kinds: &[DOCUMENT], ..resolved }
    }

    pub fn of_words(recipe: &MemoryRecipe, query: &MemoryFtsQuery) -> ResolvedMemorySearch {
        let MemoryFtsQuery { query, limit, filter, raw, now } = query.clone();
        let mode = MemoryMode::Keyword;
        let query = MemoryQuery { query, limit, mode, filter, raw, now, ..MemoryQuery::default() };
        ResolvedMemorySearch { is_single_leg: true, ..ResolvedMemorySearch::of_memories(recipe, &query) }
    }

    pub fn of_vector(recipe: &MemoryRecipe, query: &MemoryVectorQuery) -> ResolvedMemorySearch {
        let MemoryVectorQuery { query, limit, filter, model, strict, now } = query.clone();
        let mode = MemoryMode::Semantic;
        let query = MemoryQuery { query, limit, mode, filter, model, strict, now, ..MemoryQuery::default() };
        ResolvedMemorySearch { is_single_leg: true, ..ResolvedMemorySearch::of_memories(recipe, &query) }
    }

    /// Returns the moment that the search is about: `asOf`, or now.
    pub fn at(&self) -> f64 {
        self.stages.as_of.unwrap_or(self.now)
    }

    /// Returns the MATCH expression; one that matches nothing where the query has no word.
    pub fn expression(&self) -> String {
        let expression = expression(&self.query);
        if expression.is_empty() { "\"\"".to_owned() } else { expression }
    }
}
