//! What does a caller ask of `search`?

use crate::json::Json;
use crate::options::{self, Options, OptionsError};
use serde::de::{Deserialize, Deserializer};

/// What a caller asks of `search`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchOptions {
    /// How many hits, best first: 1 to 1000, 10 by default.
    pub limit: Option<usize>,
    /// How many hits to leave out before the first: 0 by default.
    pub offset: Option<usize>,
    /// Which legs run: `keyword`, `vector` or `hybrid`. By default both, where the query has a vector.
    pub mode: Option<String>,
    /// The query's vector; by default the snapshot embeds the query itself, if it can.
    pub vector: Option<Vec<f32>>,
    /// Whose vectors are compared; the schema's first model by default.
    pub model: Option<String>,
    /// How the two legs become one: `auto`, the default, `rrf` or `sum`.
    pub fusion: Option<String>,
    /// What vectors count with `fusion: "sum"`, 0 to 1; words count the rest. 0.5 by default.
    pub alpha: Option<f64>,
    /// How many candidates each leg gives to be fused: 1 to 10,000. 100 by default, or twice a long page.
    pub candidates: Option<usize>,
    /// Lets scores fade with age. Off by default.
    pub recency: Option<RecencyOptions>,
    /// The time to reckon ages from, in milliseconds since 1970.
    pub now: Option<f64>,
    /// Conditions on attributes.
    pub filter: Option<Json>,
    /// Attributes whose values are counted over all matches.
    pub facets: Vec<String>,
    /// Weights by field, in place of the schema's.
    pub weights: Option<Json>,
    /// Takes the last word for the beginning of one. Off by default.
    pub as_you_type: bool,
    /// How many typing errors a word that the index lacks may have: 0 to 2, 0 by default.
    pub typos: u8,
    /// Counts all matches. Off by default: finding the best does not need it.
    pub count: bool,
    /// Which fields come back whole with their matches marked. None by default.
    pub highlight: Vec<String>,
    /// How the snippet of a hit is cut.
    pub snippet: SnippetOptions,
    /// A recipe in place of the built-in rule: see [`Custom`](super::Custom).
    pub recipe: Option<Json>,
    /// Drops hits that neither words nor vectors find so relevant, 0 to 1. Off by default.
    pub min_relevance: Option<Json>,
    /// The ids of records that come first, as far as they pass the filter. None by default.
    pub pinned: Option<Json>,
    /// Finds only what was there, and valid, at this moment.
    pub as_of: Option<Json>,
    /// Puts hits that are so much alike, 0 to 1, under the better one; `true` is 0.95. Off by default.
    pub fold: Option<Json>,
    /// λ of maximal marginal relevance: 1 is the order of scores, less brings what is new forward. Off by default.
    pub diversity: Option<Json>,
    /// Cuts the page before the texts of the hits have more tokens than this together. Off by default.
    pub max_tokens: Option<Json>,
    /// Whether hits explain their scores. Off by default.
    pub explain: bool,
    /// Whether hits carry their whole record. Off by default.
    pub records: bool,
}

impl SearchOptions {
    /// Reads options from a JSON object; null has none.
    ///
    /// # Errors
    /// When one has the wrong type, or there is no such option.
    pub fn read(json: &Json) -> Result<SearchOptions, OptionsError> {
        let mut read = Options::of(json);
        let options = SearchOptions {
            limit: read.whole("limit"),
            offset: read.whole("offset"),
            mode: read.text("mode").map(str::to_owned),
            vector: read
                .numbers("vector")
                .map(|numbers| numbers.into_iter().map(|number| number as f32).collect::<Vec<_>>()),
            model: read.text("model").map(str::to_owned),
            fusion: read.text("fusion").map(str::to_owned),
            alpha: read.any_number("alpha"),
            candidates: read.whole("candidates"),
            recency: read.object("recency", RecencyOptions::read),
            now: read.any_number("now"),
            filter: read.json("filter").cloned(),
            facets: read.texts("facets").unwrap_or_default(),
            weights: read.json("weights").cloned(),
            as_you_type: read.flag("asYouType").unwrap_or_default(),
            typos: read.whole("typos").map_or(0, |typos| u8::try_from(typos).unwrap_or(u8::MAX)),
            count: read.flag("count").unwrap_or_default(),
            highlight: read.texts("highlight").unwrap_or_default(),
            snippet: read.object("snippet", SnippetOptions::read).unwrap_or_default(),
            recipe: read.json("recipe").cloned(),
            min_relevance: read.json("minRelevance").cloned(),
            pinned: read.json("pinned").cloned(),
            as_of: read.json("asOf").cloned(),
            fold: read.json("fold").cloned(),
            diversity: read.json("diversity").cloned(),
            max_tokens: read.json("maxTokens").cloned(),
            explain: read.flag("explain").unwrap_or_default(),
            records: read.flag("records").unwrap_or_default(),
        };
        read.finish()?;
        Ok(options)
    }
}

impl<'de> Deserialize<'de> for SearchOptions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SearchOptions, D::Error> {
        options::deserialize(deserializer, SearchOptions::read)
    }
}

/// How scores fade with age.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RecencyOptions {
    /// The attribute that tells when, a `time`; `createdAt` by default.
    pub field: Option<String>,
    /// No score fades further than to this share, 0 to 1; 0 by default.
    pub floor: f64,
}

impl RecencyOptions {
    fn read(read: &mut Options) -> RecencyOptions {
        RecencyOptions {
            field: read.text("field").map(str::to_owned),
            floor: read.any_number("floor").unwrap_or_default(),
        }
    }
}

/// How snippets and highlights are cut and marked.
#[derive(Clone, Debug, PartialEq)]
pub struct SnippetOptions {
    /// The field it is cut from; the best one by default.
    pub field: Option<String>,
    /// Its tokens: 0 to 64, 24 by default. 0 gives no snippet.
    pub tokens: i64,
    /// What stands before a match.
    pub open: String,
    /// What stands after a match.
    pub close: String,
    /// What stands where text is left out.
    pub ellipsis: String,
    /// Whether the text comes as it is. By default `& < > " '` in it are escaped, for use as HTML.
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
    fn read(read: &mut Options) -> SnippetOptions {
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
