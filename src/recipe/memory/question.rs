//! What a caller asks of the memory recipe, read from options.

use crate::engine::{Engine, SearchError};
use crate::json::Json;
use crate::options::Options;
use crate::pipeline::Stages;
use crate::recipe::hybrid::MAX_LIMIT;
use crate::recipe::memory::{MemoryWeights, Wanted, expression};
use crate::schema::Schema;

/// A search for memories.
pub(super) struct MemoryQuestion {
    pub query: String,
    pub limit: usize,
    /// `hybrid`, `semantic` or `keyword`.
    pub mode: &'static str,
    pub wanted: Wanted,
    pub weights: MemoryWeights,
    pub model: Option<String>,
    /// Whether what is returned is reinforced, and noted in the session.
    pub tracks: bool,
    /// The session that recalls.
    pub recalled_in: Option<String>,
    /// Whether snippets are text, and not HTML.
    pub raw: bool,
    /// What happens to results once they are scored.
    pub stages: Stages,
    pub now: f64,
}

impl MemoryQuestion {
    pub fn read(engine: &Engine, json: &Json, limit: usize) -> Result<MemoryQuestion, SearchError> {
        let mut options = Options::of(json);
        let query = options.required_text("query").to_owned();
        let wanted = Wanted::read(&mut options);
        let question = MemoryQuestion {
            query,
            limit: options.count("limit", 1..=MAX_LIMIT).unwrap_or(limit),
            mode: options.word("mode", &["hybrid", "semantic", "keyword"]).unwrap_or("hybrid"),
            weights: MemoryWeights::read(&mut options),
            model: options.text("model").map(str::to_owned),
            tracks: options.flag("track").unwrap_or(true),
            recalled_in: options.id("recallSessionId").or_else(|| wanted.session.clone()),
            raw: options.flag("raw").unwrap_or(false),
            stages: Stages::read(&mut options),
            now: engine.now_in(&mut options),
            wanted,
        };
        options.finish()?;
        Ok(question)
    }

    /// The moment that is asked about: `asOf`, or now.
    pub fn at(&self) -> f64 {
        self.stages.as_of.unwrap_or(self.now)
    }

    /// The MATCH expression; one that matches nothing where there is no word.
    pub fn expression(&self) -> String {
        let expression = expression(&self.query);
        if expression.is_empty() { "\"\"".to_owned() } else { expression }
    }

    /// What is asked of attributes that the schema lacks: nothing has a value there, so nothing is found.
    pub fn warnings(&self, schema: &Schema) -> Vec<String> {
        let asked = [
            ("projectId", self.wanted.project.is_some()),
            ("sector", self.wanted.sectors.is_some()),
            ("tier", self.wanted.tiers.is_some()),
        ];
        let missing =
            asked.into_iter().filter(|(name, is_asked)| *is_asked && schema.attribute(name).is_none());
        missing
            .map(|(name, _)| format!("{name}: the schema has no such attribute, so no record has one"))
            .collect::<Vec<_>>()
    }
}
