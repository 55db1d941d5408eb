//! The options of `vault.search`.

use crate::json::Json;
use crate::options::Options;
use crate::pipeline::Stages;
use crate::recipe::hybrid::MAX_LIMIT;
use serde::Serialize;

const DEFAULT_LIMIT: usize = 10;

/// How much of each result comes back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum VaultMode {
    /// The fields that a reader needs to choose a result.
    Scan,
    /// The whole entry and the signals of its score.
    #[default]
    Full,
}

impl VaultMode {
    /// All modes.
    pub const ALL: [VaultMode; 2] = [VaultMode::Scan, VaultMode::Full];

    /// Returns the name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            VaultMode::Scan => "scan",
            VaultMode::Full => "full",
        }
    }
}

/// A question to a vault.
#[derive(Clone, Debug, PartialEq)]
pub struct VaultQuery {
    /// The query, in plain words.
    pub query: String,
    /// How much of each result comes back: [`VaultMode::Full`] by default.
    pub mode: VaultMode,
    /// The number of results: 1 to 1,000, 10 by default. A small vault may return more (V10).
    pub limit: usize,
    /// The domain whose entries rank higher. None by default.
    pub domain: Option<String>,
    /// The tags whose entries rank higher. None by default.
    pub tags: Vec<String>,
    /// Conditions on attributes.
    pub filter: Option<Json>,
    /// Also finds entries whose `validUntil` has passed. Off by default.
    pub include_expired: bool,
    /// Also finds entries whose `validFrom` lies ahead. Off by default.
    pub include_upcoming: bool,
    /// Whether records of kind `memory` join the results. On by default.
    pub memories: bool,
    /// Steps that run after scoring. `max_tokens` counts the texts that [`VaultResult`](super::VaultResult) estimates.
    pub stages: Stages,
    /// The vector of the query. By default the snapshot embeds the query itself, if it can.
    pub vector: Option<Vec<f32>>,
    /// The model whose vectors are compared; the schema's first by default.
    pub model: Option<String>,
    /// Makes it an error where the snapshot has vectors and the query has no usable one. Off by default.
    pub strict: bool,
    /// Adds an explanation to every result. Off by default.
    pub explain: bool,
    /// The moment that ages count from, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
}

impl Default for VaultQuery {
    fn default() -> VaultQuery {
        VaultQuery {
            query: String::new(),
            mode: VaultMode::default(),
            limit: DEFAULT_LIMIT,
            domain: None,
            tags: Vec::new(),
            filter: None,
            include_expired: false,
            include_upcoming: false,
            memories: true,
            stages: Stages::default(),
            vector: None,
            model: None,
            strict: false,
            explain: false,
            now: None,
        }
    }
}

impl VaultQuery {
    /// Asks for a text, with the default of every option.
    pub fn of(query: &str) -> VaultQuery {
        VaultQuery { query: query.to_owned(), ..VaultQuery::default() }
    }

    /// Reads the query and its options. Faults stay in `read`.
    pub fn take(read: &mut Options) -> VaultQuery {
        let usual = VaultQuery::default();
        read.host(&[("embed", "a function"), ("signal", "an AbortSignal")]);
        VaultQuery {
            query: read.required_text("query").to_owned(),
            mode: read.one_of("mode", "mode", &VaultMode::ALL, VaultMode::name).unwrap_or_default(),
            limit: read.count("limit", 1..=MAX_LIMIT).unwrap_or(usual.limit),
            domain: read.text("domain").map(str::to_owned),
            tags: read.texts("tags").unwrap_or_default(),
            filter: read.filter("filter").cloned(),
            include_expired: read.flag("includeExpired").unwrap_or_default(),
            include_upcoming: read.flag("includeUpcoming").unwrap_or_default(),
            memories: read.flag("memories").unwrap_or(usual.memories),
            stages: Stages::read(read),
            vector: vector(read),
            model: read.text("model").map(str::to_owned),
            strict: read.flag("strict").unwrap_or_default(),
            explain: read.flag("explain").unwrap_or_default(),
            now: read.time("now"),
        }
    }

    /// Records the faults of a query that was not read from options.
    pub(super) fn check(&self, faults: &mut Options) {
        if !(1..=MAX_LIMIT).contains(&self.limit) {
            faults.complain("limit", format!("must be 1 to {MAX_LIMIT}, not {}", self.limit));
        }
    }
}

/// Reads the option `vector`.
pub(super) fn vector(read: &mut Options) -> Option<Vec<f32>> {
    Some(read.numbers("vector")?.into_iter().map(|number| number as f32).collect())
}
