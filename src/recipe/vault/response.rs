//! What the vault's calls answer.

use crate::json::Json;
use crate::pipeline::{Explained, Legs};
use crate::recipe::vault::{SIGNALS, Weights};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// How much comes back of each result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VaultMode {
    /// What is needed to choose.
    Scan,
    /// The whole entry, and what made its score.
    Full,
}

/// A number for each signal, under its name; with a total, where there is one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signals {
    /// In the order of [`SIGNALS`].
    pub values: Weights,
    /// What they make together.
    pub total: Option<f64>,
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

/// What `vault.search` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VaultResponse {
    /// The query as it came.
    pub query: String,
    /// How much comes back of each result.
    pub mode: VaultMode,
    /// The MATCH expression that stands for the query.
    pub expression: String,
    /// How many candidates each leg gave.
    pub legs: Legs,
    /// What each signal counted.
    pub weights: Signals,
    /// Whether vectors should have counted and could not.
    pub degraded: bool,
    /// Why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// How many entries there were to choose from; beyond fifty, at least so many.
    pub candidates: usize,
    /// The results, best first.
    pub results: Vec<VaultResult>,
}

/// An entry or memory that was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VaultResult {
    /// Its id.
    pub id: String,
    /// Its kind: `memory`, or that of an entry.
    pub kind: String,
    /// How well it fits: higher is better.
    pub score: f64,
    /// About how many tokens its texts are.
    pub token_estimate: usize,
    /// The tier it is from, in a federation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// What is needed to choose it.
    #[serde(flatten)]
    pub scan: Option<VaultScan>,
    /// The whole of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<Json>,
    /// What each signal measured, and the score.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub breakdown: Option<Signals>,
    /// How the score was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Explained>,
}

/// What is needed to choose a result.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VaultScan {
    /// Its title.
    pub title: String,
    /// What sort of entry it is.
    pub r#type: Option<String>,
    /// Its domain.
    pub domain: Option<String>,
    /// How severe it is to ignore it.
    pub severity: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// How its description begins.
    pub snippet: String,
}

/// What `vault.load` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Loaded {
    /// The entries, in the order in which they were asked for.
    pub entries: Vec<Json>,
    /// The ids that nothing has.
    pub missing: Vec<String>,
}

/// What `vault.weights` answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct VaultWeights {
    /// What each signal counts where nobody has said anything.
    pub base: Signals,
    /// What it counts by now.
    pub current: Signals,
    /// How many rows of feedback count.
    pub n: usize,
    /// What share of answers was accepted; none without feedback.
    pub accept: Option<f64>,
}
