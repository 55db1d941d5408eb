//! The response of `search`.

use crate::json::Json;
use crate::pipeline::{Correction, Explain, Legs};
use serde::Serialize;

/// Which legs of a search run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Words alone.
    Keyword,
    /// Vectors alone.
    Vector,
    /// Both, fused.
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

/// What `search` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SearchResponse {
    /// The query as it came.
    pub query: String,
    /// Which legs ran.
    pub mode: Mode,
    /// How many candidates each leg gave.
    pub legs: Legs,
    /// Whose vectors were compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How the two became one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fusion: Option<&'static str>,
    /// The MATCH expression that stands for the query, before completions and corrections.
    pub expression: String,
    /// Words that the index lacks, and what was looked for instead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub corrected: Vec<Correction>,
    /// Whether something that was asked for could not be done.
    pub degraded: bool,
    /// What, and why.
    pub warnings: Vec<String>,
    /// How many records match; only where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// The hits, best first.
    pub hits: Vec<Hit>,
    /// The counts that were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<Facet>,
}

/// A record that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    /// Its id.
    pub id: String,
    /// Its kind.
    pub kind: String,
    /// How well it fits: higher is better.
    pub score: f64,
    /// A few words around the matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<String>,
    /// The fields that were to be highlighted; null where the record lacks one.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "as_map")]
    pub highlights: Vec<(String, Option<String>)>,
    /// Whether it is here because it was pinned.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// The ids of the records that are folded under it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub folded: Vec<String>,
    /// What made the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
    /// The record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Json>,
}

/// The values of an attribute among the matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Facet {
    /// The attribute.
    pub attribute: String,
    /// Its values and how often they occur, most frequent first.
    pub values: Vec<FacetValue>,
}

/// One value of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FacetValue {
    /// The value.
    pub value: String,
    /// How many matches have it.
    pub count: u64,
}

fn as_map<S: serde::Serializer>(
    entries: &[(String, Option<String>)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().map(|(name, value)| (name, value)))
}
