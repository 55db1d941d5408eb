//! The response of `search`.

use crate::json::Json;
use crate::pipeline::{Correction, Explain, Legs};
use serde::Serialize;

/// The legs of a search that run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The keyword leg alone.
    Keyword,
    /// The vector leg alone.
    Vector,
    /// Both legs, fused.
    Hybrid,
}

impl Mode {
    /// All modes.
    pub const ALL: [Mode; 3] = [Mode::Keyword, Mode::Vector, Mode::Hybrid];

    /// Returns the name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Keyword => "keyword",
            Mode::Vector => "vector",
            Mode::Hybrid => "hybrid",
        }
    }
}

/// The response of [`Engine::search`](crate::Engine::search).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResponse {
    /// The query, unchanged.
    pub query: String,
    /// The legs that ran.
    pub mode: Mode,
    /// The number of candidates of each leg.
    pub legs: Legs,
    /// The model whose vectors were compared, if the vector leg ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The fusion of the two legs: its name, `custom` for the caller's own rule, absent if only one leg ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fusion: Option<&'static str>,
    /// The MATCH expression of the query, before completions and corrections.
    pub expression: String,
    /// Words that the index lacks, and the words that were searched instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrected: Vec<Correction>,
    /// Whether a part of the request could not be met; the warnings say which.
    pub degraded: bool,
    /// The unmet parts of the request, and the reasons.
    pub warnings: Vec<String>,
    /// The number of matching records, with the option `count`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// How well the best candidate belongs to the query, 0 to 1, with the default fusion. If it is too low, there are no
    /// hits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f64>,
    /// Queries with corrected spelling, if this query found nothing and a corrected one would.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Vec<String>,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The values of the requested attributes among all matches.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<Facet>,
}

/// A hit of a search.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// The id of the record.
    pub id: String,
    /// The kind of the record.
    pub kind: String,
    /// The score: higher is better. With the default fusion, the best hit's score is the response's `relevance`, so scores
    /// of different queries are comparable; other scores are comparable only within a response.
    pub score: f64,
    /// A few words around the matches, with the matches marked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The requested highlights by field; null if the record lacks the field.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    pub highlights: Vec<(String, Option<String>)>,
    /// Whether the record is pinned.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The ids of the records that were folded under this hit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
    /// The next best hits of the same group, at most three, if the search groups hits.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub children: Vec<Hit>,
    /// The explanation of the score, with the option `explain`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
    /// The whole record, with the option `records`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Json>,
}

/// The values of an attribute among the matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Facet {
    /// The name of the attribute.
    pub attribute: String,
    /// The values, most frequent first.
    pub values: Vec<FacetValue>,
}

/// One value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FacetValue {
    /// The value.
    pub value: String,
    /// The number of matches with this value.
    pub count: u64,
}

fn as_map<S: serde::Serializer>(
    entries: &[(String, Option<String>)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(name, value)| (name, value)))
}
