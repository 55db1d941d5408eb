//! How is a vault read? By its typed methods: search, load, weights.

use super::query::{VaultMode, VaultQuery};
use super::ranking::{MEMORY, VaultQuestion, Weights, base_weights, current_weights, keeps_all, rank, valid};
use super::response::{Signals, VaultLoaded, VaultResponse, VaultResult, VaultScan, VaultWeights};
use super::semantic::term_statistics;
use crate::bitmap::Bitmap;
use crate::document::{Key, Record};
use crate::engine::{Embedded, Engine, QueryVector, SearchError, passing, record_of, wrong};
use crate::json::Json;
use crate::options::Options;
use crate::order::sort_by_key;
use crate::pipeline::{Explain, Explained, Formula, Legs, Rated, Stages, key_of, rows_of};
use crate::query::{Query, any_term};
use crate::ranking::{Acceptance, acceptance, within_budget};
use crate::retrieval::{Corpus, Filter, Target, TermStatistics, Test, require};
use crate::schema::RecipeName;
use crate::snapshot::SnapshotError;
use crate::tokens::tokens_in_units;

/// The number of characters of a description in a scan (V11).
const SNIPPET_LEN: usize = 120;
const ELLIPSIS: &str = "...";
/// The texts of an entry, besides the text fields of the schema.
const TEXTS: [&str; 6] = ["title", "description", "context", "example", "counterExample", "why"];

/// The entries of an engine, for reading.
///
/// ```
/// use snapseek::json::Json;
/// use snapseek::{Embedded, Engine, Schema, VaultAdd, VaultQuery};
///
/// let mut engine = Engine::empty(&Schema::preset("vault").unwrap())?;
/// let entry = Json::parse(br#"{"id": "jwt-1", "title": "JWT validation", "severity": "critical"}"#)?;
/// engine.vault_mut().add(&VaultAdd::of([entry]), &Embedded::default())?;
/// let response = engine.vault().search(&VaultQuery::of("how does JWT validation work"), &Embedded::default())?;
/// assert_eq!(response.results[0].id, "jwt-1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Vault<'a> {
    pub(super) engine: &'a Engine,
}

/// The entries of an engine, for writing.
#[derive(Debug)]
pub struct VaultMut<'a> {
    pub(super) engine: &'a mut Engine,
}

impl Engine {
    /// Returns the vault recipe's calls that read.
    pub fn vault(&self) -> Vault<'_> {
        Vault { engine: self }
    }

    /// Returns the vault recipe's calls that write.
    pub fn vault_mut(&mut self) -> VaultMut<'_> {
        VaultMut { engine: self }
    }
}

impl<'a> Vault<'a> {
    /// Returns the entries and memories that answer a query, best first.
    ///
    /// # Errors
    /// When an option or the filter is faulty, or the snapshot is damaged.
    pub fn search(&self, query: &VaultQuery, embedded: &Embedded) -> Result<VaultResponse, SearchError> {
        self.respond(query, embedded, false)
    }

    /// Searches, and returns every candidate: a federation chooses among the candidates of all tiers.
    pub(super) fn every_candidate(
        &self,
        query: &VaultQuery,
        embedded: &Embedded,
    ) -> Result<VaultResponse, SearchError> {
        self.respond(query, embedded, true)
    }

    fn respond(
        &self,
        query: &VaultQuery,
        embedded: &Embedded,
        wants_all: bool,
    ) -> Result<VaultResponse, SearchError> {
        let engine = self.engine;
        let mut faults = Options::of(&Json::Null);
        query.check(&mut faults);
        faults.finish()?;
        let expression = any_term(&query.query);
        let words = Query::parse(&expression, &engine.schema.field_names(), &engine.analyzer)?;
        let (vector, warnings) = self.query_vector(query, embedded)?;
        let now = query.stages.as_of.unwrap_or_else(|| engine.now(query.now));
        let mut conditions = vec![valid(&engine.schema, now, query.include_expired, query.include_upcoming)];
        if let Some(filter) = &query.filter {
            conditions.push(Filter::parse(filter, &engine.schema)?);
        }
        conditions.extend(query.stages.filter(&engine.schema));
        let conditions = Filter::All(conditions);
        let weights = current_weights(vector.is_some(), self.acceptance()?);
        // The budget counts the texts that results estimate, not those of the stage.
        let stages = Stages { max_tokens: None, ..query.stages.clone() };
        engine.with_corpus(|corpus| {
            let context = engine.context(corpus, &query.query, now);
            let statistics = self.statistics(corpus)?;
            let mut entries = passing(corpus, &conditions)?;
            let memories = query.memories.then(|| memories(corpus, &entries)).transpose()?;
            for (entries, members) in entries.iter_mut().zip(statistics.members()) {
                entries.intersect(members);
            }
            let question = VaultQuestion {
                words: &words,
                vector: vector.as_ref().and_then(QueryVector::ready),
                entries: &entries,
                memories: memories.as_deref(),
                statistics,
                weights,
                domain: query.domain.as_deref(),
                tags: &query.tags,
                limit: query.limit,
                stages: &stages,
            };
            let mut ranking = rank(&context, &question)?;
            let is_all = wants_all || keeps_all(ranking.candidates, query.limit);
            let limit = if is_all { ranking.ranked.len() } else { query.limit };
            stages.run_on(&context, &mut ranking.ranked, limit)?;
            require(corpus, ranking.ranked.iter().map(|rated| rated.row))?;
            let result = |rated: &Rated| self.result(corpus, &ranking.formula, rated, query);
            let mut results = ranking.ranked.iter().map(result).collect::<Result<Vec<_>, _>>()?;
            if let Some(most) = query.stages.max_tokens.filter(|_| !wants_all) {
                results.truncate(within_budget(results.iter().map(|result| result.token_estimate), most));
            }
            Ok(VaultResponse {
                query: query.query.clone(),
                mode: query.mode,
                expression: expression.clone(),
                legs: Legs { keyword: Some(ranking.by_words), vector: ranking.by_vectors },
                weights: Signals::of(weights),
                degraded: !warnings.is_empty(),
                warnings: warnings.clone(),
                candidates: ranking.candidates,
                results,
            })
        })
    }

    /// Returns the vector of the query, and a warning where vectors should count and cannot (V14). A snapshot without vectors
    /// lacks nothing.
    fn query_vector(
        &self,
        query: &VaultQuery,
        embedded: &Embedded,
    ) -> Result<(Option<QueryVector>, Vec<String>), SearchError> {
        let model = query.model.as_deref();
        let vectors = embedded.vectors.clone().or(query.vector.clone());
        if self.engine.model(model)?.is_none() {
            return match vectors {
                Some(_) if !embedded.is_by_embed => {
                    Err(wrong("vector", "this snapshot has no vectors to compare it with".to_owned()))
                }
                _ => Ok((None, Vec::new())),
            };
        }
        let embedded = Embedded { vectors, ..embedded.clone() };
        let vector = self.engine.query_vector(&query.query, &embedded, model)?.strictly(query.strict)?;
        let warning = vector.missing().map(|reason| format!("{reason}; only keywords were searched"));
        Ok((Some(vector).filter(|vector| vector.ready().is_some()), warning.into_iter().collect()))
    }

    fn acceptance(&self) -> Result<Acceptance, SnapshotError> {
        Ok(acceptance(self.engine.state()?.feedback().map(|feedback| feedback.action.as_str())))
    }

    /// Returns the term statistics of all entries. They are computed once between two writes.
    fn statistics(&self, corpus: &Corpus) -> Result<&'a TermStatistics, SnapshotError> {
        let engine = self.engine;
        engine.derived(RecipeName::Vault, || {
            let entries = passing(corpus, &Filter::Not(Box::new(is_memory())))?;
            term_statistics(corpus, &engine.schema, &engine.analyzer, entries)
        })
    }

    fn result(
        &self,
        corpus: &Corpus,
        formula: &Formula,
        rated: &Rated,
        query: &VaultQuery,
    ) -> Result<VaultResult, SearchError> {
        let key = key_of(corpus, rated.row)?;
        let record = record_of(corpus, rated.row)?;
        let mut result = VaultResult {
            id: key.id.to_owned(),
            kind: key.kind.to_owned(),
            score: rated.score,
            token_estimate: self.token_estimate(&record),
            explain: query.explain.then(|| Explain::of(rated, explained(formula, rated))),
            ..VaultResult::default()
        };
        match query.mode {
            VaultMode::Scan => result.scan = Some(scan(&record)),
            VaultMode::Full => {
                // A memory has a score and no signals.
                let values = Weights::try_from(&rated.values[..]).unwrap_or_default();
                result.breakdown = Some(Signals { values, total: Some(rated.score) });
                result.entry = Some(record.json().clone());
            }
        }
        Ok(result)
    }

    /// Estimates the number of tokens of the texts of a record (P1).
    fn token_estimate(&self, record: &Record) -> usize {
        let own = self.engine.schema.field_names();
        let own = own.into_iter().filter(|name| !matches!(*name, "id" | "tags") && !TEXTS.contains(name));
        let texts = TEXTS.into_iter().chain(own).filter_map(|name| record.text(name));
        tokens_in_units(texts.map(|text| text.encode_utf16().count()).sum())
    }

    /// Returns whole records in the order of their ids. Where an entry and a memory share an id, it is the entry.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn load(&self, ids: &[String]) -> Result<VaultLoaded, SearchError> {
        self.require_documents(ids.iter().map(String::as_str))?;
        load(ids, |id| self.record(id))
    }

    /// Returns which of these ids a record has.
    pub(super) fn holds(&self, ids: &[String]) -> Result<Vec<bool>, SearchError> {
        ids.iter().map(|id| Ok(self.kind_of(id, true)?.is_some())).collect()
    }

    /// Returns the record with this id: an entry, or else a memory.
    pub(super) fn record(&self, id: &str) -> Result<Option<Record>, SnapshotError> {
        match self.kind_of(id, true)? {
            Some(kind) => self.engine.record(Key { id, kind }),
            None => Ok(None),
        }
    }

    /// Returns the entry with this id, which is no memory.
    pub(super) fn entry(&self, id: &str) -> Result<Option<Record>, SnapshotError> {
        match self.kind_of(id, false)? {
            Some(kind) => self.engine.record(Key { id, kind }),
            None => Ok(None),
        }
    }

    /// Returns the kind of the record with this id; entries come before memories.
    pub(super) fn kind_of(&self, id: &str, counts_memories: bool) -> Result<Option<&'a str>, SnapshotError> {
        for kind in self.kinds()? {
            if (counts_memories || kind != MEMORY) && self.engine.find(Key { id, kind })?.is_some() {
                return Ok(Some(kind));
            }
        }
        Ok(None)
    }

    /// Returns the kinds of all segments, memories last.
    pub(super) fn kinds(&self) -> Result<Vec<&'a str>, SnapshotError> {
        let mut kinds = Vec::new();
        for segment in self.engine.segments() {
            kinds.extend_from_slice(segment.keys()?.kinds());
        }
        sort_by_key(&mut kinds, |kind| (*kind == MEMORY, *kind));
        kinds.dedup();
        Ok(kinds)
    }

    /// Reports the blocks of all stored documents of these ids at once, where the snapshot keeps them in other files.
    pub(super) fn require_documents<'b>(
        &self,
        ids: impl Iterator<Item = &'b str>,
    ) -> Result<(), SearchError> {
        self.engine.with_corpus(|corpus| {
            let rows = ids.map(|id| rows_of(corpus, id, None)).collect::<Result<Vec<_>, _>>()?;
            Ok(require(corpus, rows.into_iter().flatten())?)
        })
    }

    /// Returns the weight of each signal, and the feedback behind it.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn weights(&self) -> Result<VaultWeights, SearchError> {
        let acceptance = self.acceptance()?;
        let has_vectors = self.engine.schema.models().len() > 0;
        Ok(VaultWeights {
            base: Signals::of(base_weights(has_vectors)),
            current: Signals::of(current_weights(has_vectors, acceptance)),
            n: acceptance.n,
            accept: acceptance.accept,
            degraded: false,
            warnings: Vec::new(),
        })
    }

    /// Returns the name and width of the model that a query uses; none where the snapshot has no vectors, or no such model.
    pub(super) fn model(&self, name: Option<&str>) -> Result<Option<(&'a str, Option<usize>)>, SearchError> {
        let mut models = self.engine.schema.models();
        let found = models.find(|(known, _)| name.is_none_or(|name| name == *known));
        Ok(found.map(|(name, model)| (name, model.width)))
    }
}

/// Loads ids with a function that finds one.
pub(super) fn load(
    ids: &[String],
    find: impl Fn(&str) -> Result<Option<Record>, SnapshotError>,
) -> Result<VaultLoaded, SearchError> {
    let mut loaded = VaultLoaded::default();
    for id in ids {
        match find(id)? {
            Some(record) => loaded.entries.push(record.json().clone()),
            None => loaded.missing.push(id.clone()),
        }
    }
    Ok(loaded)
}

fn is_memory() -> Filter {
    Filter::Test(Target::Kind, Test::AnyOf(vec![MEMORY.to_owned()]))
}

/// Returns, for each segment, the memories among the documents that pass.
fn memories(corpus: &Corpus, passing_all: &[Bitmap]) -> Result<Vec<Bitmap>, SnapshotError> {
    let mut memories = passing(corpus, &is_memory())?;
    memories.iter_mut().zip(passing_all).for_each(|(own, passing)| own.intersect(passing));
    Ok(memories)
}

/// Explains the score of an entry, or that of a memory: one part, the same for all memories.
fn explained(formula: &Formula, rated: &Rated) -> Explained {
    if rated.values.is_empty() {
        return Explained::sum(&[(MEMORY, 1.0, rated.score)]);
    }
    formula.explain(rated)
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

/// Returns the first characters of a text, and `...` where it is longer.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(SNIPPET_LEN) {
        Some((end, _)) => format!("{}{ELLIPSIS}", &text[..end]),
        None => text.to_owned(),
    }
}
