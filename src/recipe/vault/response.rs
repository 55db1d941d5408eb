//! The responses of the vault's calls.

use super::query::VaultMode;
use super::ranking::{SIGNALS, Weights};
use crate::json::Json;
use crate::pipeline::{Explain, Legs};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// A number for each signal under its name, and the total where there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signals {
    /// The numbers in the order of [`SIGNALS`].
    pub values: Weights,
    /// The weighted sum.
    pub total: Option<f64>,
}

impl Signals {
    /// Numbers without a total.
    pub(super) fn of(values: Weights) -> Signals {
        Signals { values, total: None }
    }
}

impl Serialize for Signals {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in SIGNALS.iter().zip(&self.values) {
            map.serialize_entry(name, value)?;
        }
        if let Some(total) = &self.total {
            map.serialize_entry("total", total)?;
        }
        map.end()
    }
}

/// The response of `vault.search`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VaultResponse {
    /// The query as it came.
    pub query: String,
    /// How much of each result comes back.
    pub mode: VaultMode,
    /// The MATCH expression that stands for the query.
    pub expression: String,
    /// The number of candidates of each leg.
    pub legs: Legs,
    /// The weight of each signal.
    pub weights: Signals,
    /// Whether the snapshot has vectors and the search could not use them.
    pub degraded: bool,
    /// The reasons.
    pub warnings: Vec<String>,
    /// The number of entries to choose from; from fifty on, a lower bound.
    pub candidates: usize,
    /// The results, best first.
    pub results: Vec<VaultResult>,
}

/// An entry or memory that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VaultResult {
    /// The id.
    pub id: String,
    /// The kind: `memory`, or the kind of the entry.
    pub kind: String,
    /// The score: higher is better.
    pub score: f64,
    /// The estimated number of tokens of the texts.
    pub token_estimate: usize,
    /// The name of the tier, in a federation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// The fields of a scan.
    #[serde(flatten)]
    pub scan: Option<VaultScan>,
    /// The whole record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Json>,
    /// The value of each signal, and the score. A memory has no signals.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakdown: Option<Signals>,
    /// The explanation of the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explain>,
}

/// The fields that a reader needs to choose a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VaultScan {
    /// The title.
    pub title: String,
    /// The type of the entry, such as `rule`.
    pub r#type: Option<String>,
    /// The domain.
    pub domain: Option<String>,
    /// The severity: `critical`, `warning` or `suggestion`.
    pub severity: Option<String>,
    /// The tags.
    pub tags: Vec<String>,
    /// The first 120 characters of the description.
    pub snippet: String,
}

/// The response of `vault.load`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VaultLoaded {
    /// The entries, in the order of the ids.
    pub entries: Vec<Json>,
    /// The ids that no record has.
    pub missing: Vec<String>,
    /// Always false.
    pub degraded: bool,
    /// Always empty.
    pub warnings: Vec<String>,
}

/// The response of `vault.weights` and `vault.feedback`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VaultWeights {
    /// The weight of each signal before any feedback.
    pub base: Signals,
    /// The weight of each signal now.
    pub current: Signals,
    /// The number of feedback rows that count.
    pub n: usize,
    /// The share of accepted results; none without feedback.
    pub accept: Option<f64>,
    /// Always false.
    pub degraded: bool,
    /// Always empty.
    pub warnings: Vec<String>,
}

/// The response of `vault.add`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VaultWritten {
    /// The ids of the entries, in the order in which they were given.
    pub ids: Vec<String>,
    /// The number of entries that were written.
    pub added: usize,
    /// The number of entries among them that replaced another.
    pub replaced: usize,
    /// The number of vectors that were made for the entries.
    pub embedded: usize,
    /// Whether an entry has no vector of a model.
    pub degraded: bool,
    /// The reasons.
    pub warnings: Vec<String>,
}

/// The response of `vault.update`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VaultUpdated {
    /// The entry as it is now.
    pub entry: Json,
    /// The number of vectors that were made for the entry.
    pub embedded: usize,
    /// Whether the entry has no vector of a model.
    pub degraded: bool,
    /// The reasons.
    pub warnings: Vec<String>,
}

/// The response of `vault.remove`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VaultRemoved {
    /// The number of entries that were removed.
    pub removed: usize,
    /// The ids that no entry has.
    pub missing: Vec<String>,
    /// Always false.
    pub degraded: bool,
    /// One warning per id that no entry has.
    pub warnings: Vec<String>,
}

/// The response of `vault.link`: the link as it is now.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VaultLinked {
    /// The id of the entry that the link comes from.
    pub from: String,
    /// The id of the entry that the link leads to.
    pub to: String,
    /// The meaning of the link.
    pub relation: String,
    /// The strength of the link.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The moment at which the link ends, in milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_until: Option<f64>,
    /// Always false.
    pub degraded: bool,
    /// Always empty.
    pub warnings: Vec<String>,
}

/// The response of `vault.unlink`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VaultUnlinked {
    /// The number of links that were ended.
    pub unlinked: usize,
    /// Always false.
    pub degraded: bool,
    /// A warning where there was no such link.
    pub warnings: Vec<String>,
}
