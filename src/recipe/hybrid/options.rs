//! The options of `search`.

use super::response::Mode;
use crate::json::Json;
use crate::options::{self, Options, OptionsError};
use crate::pipeline::Stages;
use crate::schema::MAX_TRUST;
use serde::de::{Deserialize, Deserializer};

/// A search returns at most this many hits.
pub const MAX_LIMIT: usize = 1000;
/// A search skips at most this many hits.
pub const MAX_OFFSET: usize = 100_000;
/// A leg returns at most this many candidates.
pub const MAX_CANDIDATES: usize = 10_000;
/// A word may have at most this many typing errors.
pub const MAX_TYPOS: usize = 2;

/// The options of [`Engine::search`](crate::Engine::search).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions {
    /// The number of hits, best first: 1 to 1,000, 10 by default.
    pub limit: Option<usize>,
    /// The number of hits to skip: 0 to 100,000, 0 by default.
    pub offset: Option<usize>,
    /// The legs that run. By default both, if the query has a vector.
    pub mode: Option<Mode>,
    /// The vector of the query. By default the snapshot embeds the query itself, if it can.
    pub vector: Option<Vec<f32>>,
    /// The model whose vectors are compared; the schema's first by default.
    pub model: Option<String>,
    /// Makes the search fail if the query has no usable vector. Off by default.
    pub strict: bool,
    /// The fusion of both legs: [`Fusion::Auto`] by default.
    pub fusion: Option<Fusion>,
    /// The weight of the vector leg with [`Fusion::Sum`], 0 to 1; the keyword leg has the rest. 0.5 by default.
    pub alpha: Option<f64>,
    /// The weight of vectors with [`Fusion::Auto`], 0 to 4; that of the model in the schema by default.
    pub trust: Option<f64>,
    /// The number of candidates per leg: 1 to 10,000. By default 100, or twice a long page.
    pub candidates: Option<usize>,
    /// Lowers the scores of old records. Off by default.
    pub recency: Option<RecencyOptions>,
    /// The time that ages count from, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
    /// Conditions on attributes.
    pub filter: Option<Json>,
    /// Attributes whose values are counted over all matches.
    pub facets: Vec<String>,
    /// Weights by field, in place of the schema's.
    pub weights: Vec<(String, f64)>,
    /// Treats the last word as the beginning of a word. Off by default.
    pub as_you_type: bool,
    /// The number of typing errors allowed in a word that the index lacks: 0 to 2, 0 by default.
    pub typos: usize,
    /// Counts all matches. Off by default.
    pub count: bool,
    /// Fields that come back whole with their matches marked.
    pub highlight: Vec<String>,
    /// The form of snippets and highlights.
    pub snippet: SnippetOptions,
    /// A scoring rule in place of the built-in fusion: see [`Custom`](super::Custom).
    pub recipe: Option<Json>,
    /// The attributes of type keyword that hits are grouped by, at most two; the schema's by default, none if empty.
    ///
    /// Of all hits with the same value of the first attribute, the best becomes the hit of the group. The next three best
    /// become its children, each with another value of the second attribute.
    pub group_by: Option<Vec<String>>,
    /// Steps that run after scoring.
    pub stages: Stages,
    /// Adds an explanation to every hit. Off by default.
    pub explain: bool,
    /// Adds the whole record to every hit. Off by default.
    pub records: bool,
}

/// The rule by which the two legs of a search become one ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fusion {
    /// Adds the scores of the words to the distance of the vectors from an average record; `docs/fusion.md` describes it.
    #[default]
    Auto,
    /// Reciprocal rank fusion.
    Rrf,
    /// A weighted sum of both scores, each scaled to 0 to 1.
    Sum,
}

impl Fusion {
    /// All fusions.
    pub const ALL: [Fusion; 3] = [Fusion::Auto, Fusion::Rrf, Fusion::Sum];

    /// Returns the name of the fusion.
    pub fn name(self) -> &'static str {
        match self {
            Fusion::Auto => "auto",
            Fusion::Rrf => "rrf",
            Fusion::Sum => "sum",
        }
    }
}

impl SearchOptions {
    /// Reads the options from a JSON object, or from `null`, which means all defaults.
    ///
    /// # Errors
    /// Fails when an option is invalid or unknown. The error names every fault.
    pub fn read(json: &Json) -> Result<SearchOptions, OptionsError> {
        let mut read = Options::of(json);
        let options = SearchOptions::take(&mut read);
        read.finish()?;
        Ok(options)
    }

    /// Reads the options from among the options of a call. Faults stay in `read`.
    pub fn take(read: &mut Options) -> SearchOptions {
        read.host(&[("embed", "a function"), ("signal", "an AbortSignal")]);
        let vector = read.numbers("vector");
        SearchOptions {
            limit: read.count("limit", 1..=MAX_LIMIT),
            offset: read.count("offset", 0..=MAX_OFFSET),
            mode: read.one_of("mode", "mode", &Mode::ALL, Mode::name),
            vector: vector.map(|numbers| numbers.into_iter().map(|number| number as f32).collect()),
            model: read.text("model").map(str::to_owned),
            strict: read.flag("strict").unwrap_or_default(),
            fusion: read.one_of("fusion", "fusion", &Fusion::ALL, Fusion::name),
            alpha: read.number("alpha", 0.0..=1.0),
            trust: read.number("trust", 0.0..=MAX_TRUST),
            candidates: read.count("candidates", 1..=MAX_CANDIDATES),
            recency: read.object("recency", RecencyOptions::take),
            now: read.time("now"),
            filter: read.filter("filter").cloned(),
            facets: read.texts("facets").unwrap_or_default(),
            weights: read.numbers_by_name("weights").unwrap_or_default(),
            as_you_type: read.flag("asYouType").unwrap_or_default(),
            typos: read.count("typos", 0..=MAX_TYPOS).unwrap_or_default(),
            count: read.flag("count").unwrap_or_default(),
            highlight: read.texts("highlight").unwrap_or_default(),
            snippet: read.object("snippet", SnippetOptions::take).unwrap_or_default(),
            recipe: read.json("recipe").cloned(),
            group_by: match read.json("groupBy") {
                Some(Json::Bool(false)) => Some(Vec::new()),
                _ => read.texts("groupBy"),
            },
            stages: Stages::read(read),
            explain: read.flag("explain").unwrap_or_default(),
            records: read.flag("records").unwrap_or_default(),
        }
    }
}

impl<'de> Deserialize<'de> for SearchOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SearchOptions, D::Error> {
        options::deserialize(deserializer, SearchOptions::read)
    }
}

/// The options of `recency`, which lowers the scores of old records.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecencyOptions {
    /// The attribute of type `time` that holds a record's time; `createdAt` by default.
    pub field: Option<String>,
    /// The least factor that multiplies a score, 0 to 1; 0 by default.
    pub floor: f64,
}

impl RecencyOptions {
    fn take(read: &mut Options) -> RecencyOptions {
        RecencyOptions {
            field: read.text("field").map(str::to_owned),
            floor: read.number("floor", 0.0..=1.0).unwrap_or_default(),
        }
    }
}

/// The form of snippets and highlights.
#[derive(Clone, Debug, PartialEq)]
pub struct SnippetOptions {
    /// The field that a snippet is cut from; the field with the best matches by default.
    pub field: Option<String>,
    /// The number of tokens: 0 to 64, 24 by default. 0 gives no snippet.
    pub tokens: i64,
    /// The text before a match; `<mark>` by default.
    pub open: String,
    /// The text after a match; `</mark>` by default.
    pub close: String,
    /// The text in place of omitted words; `…` by default.
    pub ellipsis: String,
    /// Leaves the text unescaped. By default `& < > " '` are escaped for use as HTML.
    pub raw: bool,
}

impl Default for SnippetOptions {
    fn default() -> SnippetOptions {
        SnippetOptions {
            field: None,
            tokens: 24,
            open: "<mark>".to_owned(),
            close: "</mark>".to_owned(),
            ellipsis: "…".to_owned(),
            raw: false,
        }
    }
}

impl SnippetOptions {
    fn take(read: &mut Options) -> SnippetOptions {
        let usual = SnippetOptions::default();
        let mut text = |name, usual| read.text(name).map_or(usual, str::to_owned);
        SnippetOptions {
            open: text("open", usual.open),
            close: text("close", usual.close),
            ellipsis: text("ellipsis", usual.ellipsis),
            field: read.text("field").map(str::to_owned),
            tokens: read.integer("tokens").unwrap_or(usual.tokens),
            raw: read.flag("raw").unwrap_or(usual.raw),
        }
    }
}
