//! How does a unified search run? From the cache where it can, otherwise by ranking the records.

use super::answers::{AnswerKey, Answers};
use super::figures::{Figures, UnifiedStats};
use super::parameters::{Booster, UnifiedFormat};
use super::query::UnifiedQuery;
use super::ranking::{PageHit, UnifiedPlan, UnifiedRanking, VectorState, ranked};
use super::response::{UnifiedHit, UnifiedResponse};
use super::variants::intent;
use super::vocabulary::Vocabulary;
use crate::document::Record;
use crate::engine::{Embedded, Engine, QueryVector, SearchError, passing, records_of, wrong};
use crate::json::Json;
use crate::pipeline::{Explain, ids_of, key_of};
use crate::retrieval::Corpus;
use crate::schema::RecipeName;

/// The unified recipe of an engine: one search over observations, sessions and prompts.
///
/// ```
/// use snapseek::json::Json;
/// use snapseek::{Embedded, Engine, Record, Schema, UnifiedQuery};
///
/// let mut engine = Engine::empty(&Schema::preset("unified").expect("there is such a preset"))?;
/// let record = br#"{"id": "1", "kind": "observation", "title": "Chose SQLite for the ledger"}"#;
/// engine.add([&Record::from_json(Json::parse(record)?)?])?;
/// let response = engine.unified().search(&UnifiedQuery::of("ledger"), &Embedded::default())?;
/// assert_eq!(response.hits[0].id, "1");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Unified<'a> {
    engine: &'a mut Engine,
}

impl Engine {
    /// Returns the unified recipe of this engine.
    pub fn unified(&mut self) -> Unified<'_> {
        Unified { engine: self }
    }
}

/// Why a search runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SearchPurpose {
    /// A caller wants the response. A cached one will do.
    Caller,
    /// The cached response is to be renewed (U10). The search is not counted.
    Warming,
}

/// The values that the recipe keeps between calls.
#[derive(Debug, Default)]
struct UnifiedState {
    answers: Answers,
    figures: Figures,
    vocabulary: Option<CachedVocabulary>,
}

/// A vocabulary, with the engine's count of writes and the model that it was made with.
#[derive(Debug)]
struct CachedVocabulary {
    writes: u64,
    model: usize,
    words: Vocabulary,
}

/// A response, and whether it may be cached.
struct RankedResponse {
    response: UnifiedResponse,
    /// Whether the host's embedder failed. It may work again at once, so the response is not cached.
    has_vector_error: bool,
}

/// The vector of a query.
#[derive(Default)]
struct ResolvedVector {
    /// None where the host has still to make it, or must not search without it.
    vector: Option<QueryVector>,
    /// Whether the host's embedder failed.
    has_error: bool,
    /// The error of a `strict` search that turns out to need the missing vector.
    strict_error: Option<SearchError>,
}

impl Unified<'_> {
    /// Returns the records that fit a query, from the cache where it has the answer.
    ///
    /// # Errors
    /// When a parameter is faulty, the snapshot is damaged, or the query has no usable vector and is `strict`.
    pub fn search(
        &mut self,
        query: &UnifiedQuery,
        embedded: &Embedded,
    ) -> Result<UnifiedResponse, SearchError> {
        self.run_now(query, embedded, SearchPurpose::Caller)
    }

    /// Searches for decisions: appends [`Booster::Decisions`] to the query.
    ///
    /// # Errors
    /// As [`Unified::search`].
    pub fn decisions(
        &mut self,
        query: &UnifiedQuery,
        embedded: &Embedded,
    ) -> Result<UnifiedResponse, SearchError> {
        self.search(&query.clone().boosted(Booster::Decisions), embedded)
    }

    /// Searches for changes: appends [`Booster::Changes`] to the query.
    ///
    /// # Errors
    /// As [`Unified::search`].
    pub fn changes(
        &mut self,
        query: &UnifiedQuery,
        embedded: &Embedded,
    ) -> Result<UnifiedResponse, SearchError> {
        self.search(&query.clone().boosted(Booster::Changes), embedded)
    }

    /// Searches for explanations: appends [`Booster::HowItWorks`] to the query.
    ///
    /// # Errors
    /// As [`Unified::search`].
    pub fn how_it_works(
        &mut self,
        query: &UnifiedQuery,
        embedded: &Embedded,
    ) -> Result<UnifiedResponse, SearchError> {
        self.search(&query.clone().boosted(Booster::HowItWorks), embedded)
    }

    /// Runs a search again and renews its cached answer (U10). The search is not counted.
    ///
    /// # Errors
    /// As [`Unified::search`].
    pub fn warm(
        &mut self,
        query: &UnifiedQuery,
        embedded: &Embedded,
    ) -> Result<UnifiedResponse, SearchError> {
        self.run_now(query, embedded, SearchPurpose::Warming)
    }

    /// Returns counts and latencies since the engine was opened (U11).
    pub fn stats(&mut self) -> UnifiedStats {
        self.state().figures.stats()
    }

    /// Records how long a caller waited for a search, in milliseconds.
    pub fn note_latency(&mut self, milliseconds: f64) {
        self.state().figures.note_latency(milliseconds);
    }

    /// Counts a search that joined an equal one (U9).
    pub fn note_coalesced(&mut self) {
        let counts = &mut self.state().figures.counts;
        counts.searches += 1;
        counts.coalesced += 1;
    }

    fn run_now(
        &mut self,
        query: &UnifiedQuery,
        embedded: &Embedded,
        purpose: SearchPurpose,
    ) -> Result<UnifiedResponse, SearchError> {
        let response = self.run(query, Some(embedded), purpose)?;
        Ok(response.expect("only a search whose vector is still to be made has no response"))
    }

    /// Runs a search. Without `embedded`, the host can still make the vector of the query: the search then has no response
    /// where it needs one.
    pub(super) fn run(
        &mut self,
        query: &UnifiedQuery,
        embedded: Option<&Embedded>,
        purpose: SearchPurpose,
    ) -> Result<Option<UnifiedResponse>, SearchError> {
        let (query, clamped) = query.checked()?;
        let (now, writes) = (self.engine.now(query.now), self.engine.writes);
        let (given, is_by_embed) = match embedded {
            None => (None, true),
            Some(embedded) if embedded.is_by_embed || embedded.failure().is_some() => (None, true),
            Some(embedded) => (embedded.vectors.as_deref(), false),
        };
        let key = AnswerKey::of(&query, given, is_by_embed);
        let state = self.state();
        if purpose == SearchPurpose::Caller
            && let Some(answer) = state.answers.get(&key, writes, now)
        {
            let answer = UnifiedResponse { clamped, ..answer.clone() };
            state.figures.counts.searches += 1;
            state.figures.counts.hits += 1;
            return Ok(Some(answer));
        }
        let Some(answer) = self.rank(&query, embedded, now)? else { return Ok(None) };
        let RankedResponse { response, has_vector_error } = answer;
        let state = self.state();
        let counts = &mut state.figures.counts;
        if purpose == SearchPurpose::Caller {
            counts.searches += 1;
            counts.misses += 1;
        }
        counts.short_circuits += u64::from(response.short_circuit);
        if !has_vector_error {
            state.answers.put(key, writes, now, response.clone());
        }
        Ok(Some(UnifiedResponse { clamped, ..response }))
    }

    fn state(&mut self) -> &mut UnifiedState {
        self.engine.kept_mut(RecipeName::Unified)
    }

    /// Ranks the records; none where that takes a vector that the host has still to make.
    fn rank(
        &mut self,
        query: &UnifiedQuery,
        embedded: Option<&Embedded>,
        now: f64,
    ) -> Result<Option<RankedResponse>, SearchError> {
        let mut warnings = Vec::new();
        let filter = query.filter(&self.engine.schema, &mut warnings);
        let ResolvedVector { vector, has_error, strict_error } =
            self.query_vector(query, embedded, &mut warnings)?;
        let near = self.vocabulary_vector(query, &mut warnings)?;
        let engine = &*self.engine;
        let kept = engine.kept::<UnifiedState>(RecipeName::Unified);
        let vocabulary = near.as_deref().zip(kept.and_then(|state| state.vocabulary.as_ref()));
        let answer = engine.with_corpus(|corpus| {
            let allowed = filter.as_ref().map(|filter| passing(corpus, filter)).transpose()?;
            let plan = UnifiedPlan {
                query,
                allowed: allowed.as_deref(),
                vector: match &vector {
                    None => VectorState::Pending,
                    Some(vector) => match vector.ready() {
                        Some((model, query)) => VectorState::Ready(model, query),
                        None => VectorState::Missing,
                    },
                },
                vocabulary: vocabulary.map(|(vector, cached)| (&cached.words, vector)),
            };
            let context = engine.context(corpus, &query.query, now);
            let Some(ranking) = ranked(&context, &plan)? else { return Ok(None) };
            let hits = hits(corpus, &ranking, query)?;
            let response = UnifiedResponse {
                query: query.query.clone(),
                mode: ranking.mode,
                legs: ranking.legs,
                short_circuit: ranking.is_short_circuit,
                intent: query.expand.then(|| intent(&query.query)),
                variants: ranking.variants,
                limit: query.limit,
                offset: query.offset,
                clamped: Default::default(),
                degraded: !warnings.is_empty(),
                warnings,
                hits,
            };
            Ok::<_, SearchError>(Some(RankedResponse { response, has_vector_error: has_error }))
        })?;
        // Count only now: a call that lacks pieces of the snapshot fails above, and is repeated.
        self.state().figures.counts.vector_errors += u64::from(has_error);
        match strict_error.filter(|_| answer.is_none()) {
            Some(error) => Err(error),
            None => Ok(answer),
        }
    }

    /// Resolves the vector of the query: the host's, or the snapshot's own.
    fn query_vector(
        &self,
        query: &UnifiedQuery,
        embedded: Option<&Embedded>,
        warnings: &mut Vec<String>,
    ) -> Result<ResolvedVector, SearchError> {
        self.engine.model(query.model.as_deref())?;
        if query.query.is_empty() {
            let vector = Some(QueryVector::Missing("the query is empty".to_owned()));
            return Ok(ResolvedVector { vector, ..ResolvedVector::default() });
        }
        let has_models = self.engine.schema.models().len() > 0;
        let Some(embedded) = embedded.cloned().or((!has_models).then(Embedded::default)) else {
            return Ok(ResolvedVector::default());
        };
        let vectors = embedded.vectors.or_else(|| query.vector.clone());
        let embedded = Embedded { vectors, ..embedded };
        if !has_models && embedded.vectors.is_some() && !embedded.is_by_embed {
            return Err(wrong("vector", "this snapshot has no vectors to compare it with".to_owned()));
        }
        let vector = self.engine.query_vector(&query.query, &embedded, query.model.as_deref())?;
        let has_error = vector.missing().is_some() && (embedded.failure().is_some() || embedded.is_by_embed);
        match vector.strictly(query.strict) {
            Err(error) => Ok(ResolvedVector { vector: None, has_error, strict_error: Some(error) }),
            Ok(vector) => {
                // Without vectors in the snapshot, a keyword search is all that the caller can expect.
                if let Some(reason) = vector.missing().filter(|_| has_models) {
                    warnings.push(format!("{reason}; only keywords were searched"));
                }
                Ok(ResolvedVector { vector: Some(vector), has_error, strict_error: None })
            }
        }
    }

    /// Returns the vector that the vocabulary is compared with, and brings the cached vocabulary up to date. None where the
    /// search does not use the vocabulary, or the snapshot has no embedder of its own.
    fn vocabulary_vector(
        &mut self,
        query: &UnifiedQuery,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Vec<f32>>, SearchError> {
        if !query.expand || !query.vocabulary || query.query.is_empty() {
            return Ok(None);
        }
        let model = self.engine.model(query.model.as_deref())?;
        let vector = model.map(|model| self.engine.embed_with(model, &query.query)).transpose()?.flatten();
        let (Some(model), Some(vector)) = (model, vector) else {
            let reason = "expand: this snapshot has no embedder, so the words of its index were not used; \
                pass `vocabulary: false` to do without them";
            warnings.push(reason.to_owned());
            return Ok(None);
        };
        let writes = self.engine.writes;
        let is_current = |cached: &CachedVocabulary| cached.writes == writes && cached.model == model;
        if !self.state().vocabulary.as_ref().is_some_and(is_current) {
            let engine = &*self.engine;
            let words = engine.with_corpus(|corpus| {
                let embedders = engine.embedders()?;
                Vocabulary::of(corpus, &engine.analyzer, &|word| embedders.embed(model, word))
            })?;
            self.state().vocabulary = Some(CachedVocabulary { writes, model, words });
        }
        Ok(Some(vector))
    }
}

fn hits(
    corpus: &Corpus,
    ranking: &UnifiedRanking,
    query: &UnifiedQuery,
) -> Result<Vec<UnifiedHit>, SearchError> {
    let rows = ranking.page.iter().map(|hit| hit.rated.row).collect::<Vec<_>>();
    let records = records_of(corpus, &rows)?;
    let hits =
        ranking.page.iter().zip(&records).map(|(hit, record)| shown(corpus, ranking, hit, record, query));
    hits.collect()
}

fn shown(
    corpus: &Corpus,
    ranking: &UnifiedRanking,
    hit: &PageHit,
    record: &Record,
    query: &UnifiedQuery,
) -> Result<UnifiedHit, SearchError> {
    let key = key_of(corpus, hit.rated.row)?;
    let value = |name: &str| record.json().get(name).filter(|value| **value != Json::Null).cloned();
    Ok(UnifiedHit {
        id: key.id.to_owned(),
        kind: key.kind.to_owned(),
        score: hit.rated.score,
        title: value("title"),
        project: value("project"),
        obs_type: value("obsType"),
        created_at: value("createdAt"),
        pinned: hit.is_pinned,
        folded: ids_of(corpus, &hit.folded)?,
        explain: query.explain.then(|| Explain::of(&hit.rated, ranking.formula.explain(&hit.rated))),
        record: (query.format == UnifiedFormat::Full).then(|| record.json().clone()),
    })
}
