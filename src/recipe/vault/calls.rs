//! The vault's calls: `search`, `load`, `feedback` and `weights`.

use super::options::VaultOptions;
use super::response::{Loaded, Signals, VaultMode, VaultResponse, VaultResult, VaultScan, VaultWeights};
use crate::bitmap::Bitmap;
use crate::document::{Key, Record};
use crate::engine::{Embedded, Engine, SearchError};
use crate::engine::{QueryVector, passing, record_of};
use crate::json::{Json, text_of};
use crate::options::Options;
use crate::order::sort_by_key;
use crate::pipeline::{Explained, Formula, Legs, Rated, ScorePart, key_of};
use crate::query::{Query, any_term};
use crate::ranking::{acceptance, within_budget};
use crate::recipe::vault::term_statistics;
use crate::recipe::vault::{self, MEMORY, Weights};
use crate::retrieval::{Corpus, Filter, Target, TermStatistics, Test, require};
use crate::schema::RecipeName;
use crate::snapshot::SnapshotError;
use crate::state::{ACTIONS, Feedback};
use crate::tokens::tokens_in_units;

/// So many characters of the description are its beginning (V11).
const SNIPPET_LEN: usize = 120;
const ELLIPSIS: &str = "...";
/// What an entry tells in words, besides the text fields of the schema.
const TEXTS: [&str; 6] = ["title", "description", "context", "example", "counterExample", "why"];

/// The calls of the recipe.
pub(crate) const CALLS: &[&str] = &["vault.search", "vault.load", "vault.feedback", "vault.weights"];

/// Answers a call of the recipe; none where it has no such call.
pub(crate) fn call(
    engine: &mut Engine,
    name: &str,
    options: &Json,
    embedded: &Embedded,
) -> Option<Result<String, SearchError>> {
    Some(match name {
        "vault.search" => engine.vault_search(options, embedded).map(|answer| text_of(&answer)),
        "vault.load" => engine.vault_load(options).map(|answer| text_of(&answer)),
        "vault.feedback" => engine.vault_feedback(options).map(|answer| text_of(&answer)),
        "vault.weights" => engine.vault_weights(options).map(|answer| text_of(&answer)),
        _ => return None,
    })
}

impl Engine {
    /// The entries and memories that answer a query; `options` are those of `vault.search`.
    ///
    /// # Errors
    /// When an option cannot be used, or the snapshot is damaged.
    pub fn vault_search(&self, options: &Json, embedded: &Embedded) -> Result<VaultResponse, SearchError> {
        self.vault_answer(&VaultOptions::read(options)?, embedded)
    }

    pub(crate) fn vault_answer(
        &self,
        options: &VaultOptions,
        embedded: &Embedded,
    ) -> Result<VaultResponse, SearchError> {
        let expression = any_term(options.query);
        let words = Query::parse(&expression, &self.schema.field_names(), &self.analyzer)?;
        let mut warnings = Vec::new();
        let vector = self.vault_vector(options, embedded, &mut warnings)?;
        let now = options.stages.as_of.unwrap_or_else(|| self.now(options.now));
        let mut conditions = vec![vault::valid(&self.schema, now, options.has_expired, options.has_upcoming)];
        if let Some(filter) = options.filter {
            conditions.push(Filter::parse(filter, &self.schema)?);
        }
        conditions.extend(options.stages.filter(&self.schema));
        let conditions = Filter::All(conditions);
        let acceptance = acceptance(self.state()?.feedback().map(|feedback| feedback.action.as_str()));
        let weights = vault::current_weights(vector.is_some(), acceptance);
        self.with_corpus(|corpus| {
            let context = self.context(corpus, options.query, now);
            let statistics = self.statistics(corpus)?;
            let mut entries = passing(corpus, &conditions)?;
            let memories = options.has_memories.then(|| memories(corpus, &entries)).transpose()?;
            for (entries, members) in entries.iter_mut().zip(statistics.members()) {
                entries.intersect(members);
            }
            let question = vault::Question {
                words: &words,
                vector: vector.as_ref().and_then(QueryVector::ready),
                entries: &entries,
                memories: memories.as_deref(),
                statistics,
                weights,
                domain: options.domain,
                tags: &options.tags,
                limit: options.limit,
                stages: &options.stages,
            };
            let mut answer = vault::rank(&context, &question)?;
            let is_all = options.wants_all || vault::keeps_all(answer.candidates, options.limit);
            let limit = if is_all { answer.ranked.len() } else { options.limit };
            answer.stage(&context, &options.stages, limit)?;
            require(corpus, answer.ranked.iter().map(|rated| rated.row))?;
            let mut results = Vec::new();
            for rated in &answer.ranked {
                results.push(self.vault_result(corpus, &answer.formula, rated, options)?);
            }
            if let Some(most) = options.max_tokens {
                results.truncate(within_budget(results.iter().map(|result| result.token_estimate), most));
            }
            Ok(VaultResponse {
                query: options.query.to_owned(),
                mode: options.mode,
                expression: expression.clone(),
                legs: Legs { keyword: Some(answer.by_words), vector: answer.by_vectors },
                weights: Signals { values: weights, total: None },
                degraded: !warnings.is_empty(),
                warnings: warnings.clone(),
                candidates: answer.candidates,
                results,
            })
        })
    }

    /// The query's vector, where vectors count; a warning where they should and cannot (V14).
    fn vault_vector(
        &self,
        options: &VaultOptions,
        embedded: &Embedded,
        warnings: &mut Vec<String>,
    ) -> Result<Option<QueryVector>, SearchError> {
        if self.schema.models().len() == 0 && options.model.is_none() && embedded.failure().is_none() {
            return Ok(None);
        }
        let vector = self.query_vector(options.query, embedded, options.model)?;
        if let Some(reason) = vector.missing() {
            warnings.push(format!("vector: {reason}, so only words were looked for"));
        }
        Ok(Some(vector).filter(|vector| vector.ready().is_some()))
    }

    /// What comparing entries by their terms needs.
    fn statistics(&self, corpus: &Corpus) -> Result<&TermStatistics, SnapshotError> {
        self.derived(RecipeName::Vault, || {
            let entries = passing(corpus, &Filter::Not(Box::new(is_memory())))?;
            term_statistics(corpus, &self.schema, &self.analyzer, entries)
        })
    }

    fn vault_result(
        &self,
        corpus: &Corpus,
        formula: &Formula,
        rated: &Rated,
        options: &VaultOptions,
    ) -> Result<VaultResult, SearchError> {
        let key = key_of(corpus, rated.row)?;
        let record = record_of(corpus, rated.row)?;
        let mut result = VaultResult {
            id: key.id.to_owned(),
            kind: key.kind.to_owned(),
            score: rated.score,
            token_estimate: self.token_estimate(&record),
            explain: options.wants_explain.then(|| explain(formula, rated)),
            ..VaultResult::default()
        };
        match options.mode {
            VaultMode::Scan => result.scan = Some(scan(&record)),
            VaultMode::Full => {
                // A memory has a score, and no signals.
                let values = Weights::try_from(&rated.values[..]).unwrap_or_default();
                result.breakdown = Some(Signals { values, total: Some(rated.score) });
                result.entry = Some(record.json().clone());
            }
        }
        Ok(result)
    }

    /// About how many tokens the texts of a record are (P1).
    fn token_estimate(&self, record: &Record) -> usize {
        let own = self.schema.field_names();
        let own = own.into_iter().filter(|name| !matches!(*name, "id" | "tags") && !TEXTS.contains(name));
        let texts = TEXTS.into_iter().chain(own).filter_map(|name| record.text(name));
        tokens_in_units(texts.map(|text| text.encode_utf16().count()).sum())
    }

    /// Whole entries by their ids, in the order asked; `options` are those of `vault.load`. Of an entry and a memory with
    /// one id, it is the entry.
    ///
    /// # Errors
    /// When an option cannot be used, or the snapshot is damaged.
    pub fn vault_load(&self, options: &Json) -> Result<Loaded, SearchError> {
        load(options, |id| self.vault_record(id))
    }

    pub(crate) fn vault_record(&self, id: &str) -> Result<Option<Record>, SnapshotError> {
        let mut kinds = Vec::new();
        for segment in self.segments() {
            kinds.extend_from_slice(segment.keys()?.kinds());
        }
        sort_by_key(&mut kinds, |kind| (*kind == MEMORY, *kind));
        kinds.dedup();
        for kind in kinds {
            if let Some(record) = self.record(Key { id, kind })? {
                return Ok(Some(record));
            }
        }
        Ok(None)
    }

    /// Notes what a person did with an answer; `options` are those of `vault.feedback`.
    ///
    /// # Errors
    /// When an option cannot be used, or the snapshot is damaged.
    pub fn vault_feedback(&mut self, options: &Json) -> Result<VaultWeights, SearchError> {
        let mut read = Options::of(options);
        let (query, entry_id, action) =
            (read.text("query"), read.id("entryId"), read.word("action", &ACTIONS));
        for name in ["query", "entryId", "action"] {
            read.require(name);
        }
        let (created_at, now) = (read.time("createdAt"), read.time("now"));
        read.finish()?;
        self.note_feedback(Feedback {
            created_at: created_at.unwrap_or_else(|| self.now(now)),
            query: query.unwrap_or_default().to_owned(),
            entry_id: entry_id.unwrap_or_default(),
            action: action.unwrap_or_default().to_owned(),
            id: String::new(),
        })?;
        self.current_vault_weights()
    }

    /// What each signal counts, and why; `options` are those of `vault.weights`.
    ///
    /// # Errors
    /// When an option cannot be used, or the snapshot is damaged.
    pub fn vault_weights(&self, options: &Json) -> Result<VaultWeights, SearchError> {
        let mut read = Options::of(options);
        read.time("now");
        read.finish()?;
        self.current_vault_weights()
    }

    fn current_vault_weights(&self) -> Result<VaultWeights, SearchError> {
        let acceptance = acceptance(self.state()?.feedback().map(|feedback| feedback.action.as_str()));
        let has_vectors = self.schema.models().len() > 0;
        let signals = |values| Signals { values, total: None };
        Ok(VaultWeights {
            base: signals(vault::base_weights(has_vectors)),
            current: signals(vault::current_weights(has_vectors, acceptance)),
            n: acceptance.n,
            accept: acceptance.accept,
        })
    }
}

/// What `find` finds for the ids of `vault.load`.
pub(crate) fn load(
    options: &Json,
    find: impl Fn(&str) -> Result<Option<Record>, SnapshotError>,
) -> Result<Loaded, SearchError> {
    let mut options = Options::of(options);
    let ids = options.ids("ids");
    options.require("ids");
    options.time("now");
    options.finish()?;
    let mut loaded = Loaded { entries: Vec::new(), missing: Vec::new() };
    for id in ids.unwrap_or_default() {
        match find(&id)? {
            Some(record) => loaded.entries.push(record.json().clone()),
            None => loaded.missing.push(id),
        }
    }
    Ok(loaded)
}

fn is_memory() -> Filter {
    Filter::Test(Target::Kind, Test::AnyOf(vec![MEMORY.to_owned()]))
}

/// By segment, those of the documents that are memories.
fn memories(corpus: &Corpus, passing_all: &[Bitmap]) -> Result<Vec<Bitmap>, SnapshotError> {
    let mut memories = passing(corpus, &is_memory())?;
    memories.iter_mut().zip(passing_all).for_each(|(own, passing)| own.intersect(passing));
    Ok(memories)
}

/// How the score of an entry was made, or that of a memory: a score for all, in one part.
fn explain(formula: &Formula, rated: &Rated) -> Explained {
    if !rated.values.is_empty() {
        return formula.explain(rated);
    }
    let part =
        ScorePart { name: MEMORY.to_owned(), value: 1.0, weight: Some(rated.score), product: rated.score };
    Explained { parts: vec![part], factors: Vec::new() }
}

fn scan(record: &Record) -> VaultScan {
    let text = |name: &str| record.text(name);
    let tags = match record.json().get("tags") {
        Some(Json::Array(tags)) => {
            tags.iter().filter_map(|tag| tag.as_str().map(str::to_owned)).collect::<Vec<_>>()
        }
        Some(Json::String(tag)) => vec![tag.clone()],
        _ => Vec::new(),
    };
    VaultScan {
        title: text("title").unwrap_or_default(),
        r#type: text("type"),
        domain: text("domain"),
        severity: text("severity"),
        tags,
        snippet: beginning(&text("description").unwrap_or_default()),
    }
}

/// The first characters of a text, and whether that is not all.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(SNIPPET_LEN) {
        Some((end, _)) => format!("{}{ELLIPSIS}", &text[..end]),
        None => text.to_owned(),
    }
}
