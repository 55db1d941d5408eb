//! What `vault.search` can be told.

use super::VaultMode;
use crate::engine::SearchError;
use crate::json::Json;
use crate::options::Options;
use crate::pipeline::Stages;
use crate::recipe::hybrid::MAX_LIMIT;

const DEFAULT_LIMIT: usize = 10;

/// The options of a search, read.
#[derive(Clone)]
pub(crate) struct VaultOptions<'a> {
    pub query: &'a str,
    pub mode: VaultMode,
    pub limit: usize,
    pub max_tokens: Option<usize>,
    /// What else happens to the results; the budget of tokens is reckoned here, by what a result shows.
    pub stages: Stages,
    pub domain: Option<&'a str>,
    pub tags: Vec<String>,
    pub filter: Option<&'a Json>,
    pub has_expired: bool,
    pub has_upcoming: bool,
    pub has_memories: bool,
    pub wants_explain: bool,
    pub wants_all: bool,
    pub model: Option<&'a str>,
    pub now: Option<f64>,
}

impl<'a> VaultOptions<'a> {
    pub fn read(json: &'a Json) -> Result<VaultOptions<'a>, SearchError> {
        let mut options = Options::of(json);
        let query = options.required_text("query");
        let mode = options.word("mode", &["scan", "full"]);
        let stages = Stages::read(&mut options);
        let read = VaultOptions {
            query,
            mode: if mode == Some("scan") { VaultMode::Scan } else { VaultMode::Full },
            limit: options.count("limit", 1..=MAX_LIMIT).unwrap_or(DEFAULT_LIMIT),
            max_tokens: stages.max_tokens,
            stages: Stages { max_tokens: None, ..stages },
            domain: options.text("domain"),
            tags: options.texts("tags").unwrap_or_default(),
            filter: options.json("filter"),
            has_expired: options.flag("includeExpired").unwrap_or(false),
            has_upcoming: options.flag("includeUpcoming").unwrap_or(false),
            has_memories: options.flag("memories").unwrap_or(true),
            wants_explain: options.flag("explain").unwrap_or(false),
            wants_all: options.flag("all").unwrap_or(false),
            model: options.text("model"),
            now: options.time("now"),
        };
        options.finish()?;
        Ok(read)
    }

    /// What a federation asks each of its tiers: everything, for the choice is made among all.
    pub fn of_a_tier(&self) -> VaultOptions<'a> {
        VaultOptions { wants_all: true, max_tokens: None, ..self.clone() }
    }
}
