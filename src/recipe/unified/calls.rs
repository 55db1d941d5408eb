//! The unified recipe's calls: what is remembered between searches, and what hits look like.

use crate::engine::{Embedded, Engine, SearchError};
use crate::engine::{QueryVector, passing, record_of};
use crate::json::{Json, text_of};
use crate::options::Options;
use crate::pipeline::Fields;
use crate::pipeline::{Legs, ids_of, key_of};
use crate::recipe::unified::{
    self, AnswerKey, Answers, Figures, Found, Intent, Params, Plan, Route, Shown, Variant, Vocabulary,
    boosted, booster, intent,
};
use crate::retrieval::{Corpus, require};
use crate::schema::RecipeName;
use serde::Serialize;

/// What the recipe remembers.
#[derive(Debug, Default)]
pub(crate) struct Remembered {
    answers: Answers,
    figures: Figures,
    vocabulary: Option<KnownWords>,
}

/// A vocabulary, and what it was made of.
#[derive(Debug)]
struct KnownWords {
    writes: u64,
    model: usize,
    words: Vocabulary,
}

/// What a search says besides its parameters.
struct Delivery {
    now: f64,
    /// Whether it is run to renew its answer, and not for a caller.
    is_warming: bool,
    /// What made, or will make, the vector: then that counts in the cache, and not the vector.
    embedder: Option<String>,
}

/// What a search answers.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Response {
    query: String,
    mode: Route,
    legs: Legs,
    short_circuit: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    intent: Option<Intent>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    variants: Vec<Variant>,
    limit: usize,
    offset: usize,
    degraded: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
    hits: Vec<Json>,
}

/// The calls of the recipe.
pub(crate) const CALLS: &[&str] = &[
    "unified.search",
    "unified.early",
    "unified.decisions",
    "unified.changes",
    "unified.howItWorks",
    "unified.note",
    "unified.stats",
];

/// Answers a call of the recipe; none where it has no such call.
pub(crate) fn call(
    engine: &mut Engine,
    name: &str,
    options: &Json,
    embedded: &Embedded,
) -> Option<Result<String, SearchError>> {
    Some(match name {
        "unified.note" => engine.unified_note(options),
        "unified.stats" => engine.unified_stats(options),
        "unified.search" | "unified.early" | "unified.decisions" | "unified.changes"
        | "unified.howItWorks" => engine.unified_search(name, options, embedded),
        _ => return None,
    })
}

impl Engine {
    /// Answers a search, from the cache where it can. `unified.early` answers `null` where that takes a vector that the
    /// caller has still to make.
    pub(crate) fn unified_search(
        &mut self,
        call: &str,
        options: &Json,
        embedded: &Embedded,
    ) -> Result<String, SearchError> {
        let mut reading = Options::of(options);
        let mut params = Params::read(&mut reading);
        let delivery = self.delivery(&mut reading);
        reading.finish()?;
        params.query = boosted(&params.query, booster(call));
        let own = embedded.vectors.as_deref().filter(|_| delivery.embedder.is_none());
        let key = AnswerKey::of(booster(call), options, own);
        let writes = self.writes;
        self.remembered().answers.forget_unless(writes);
        let remembered = self.remembered();
        if !delivery.is_warming
            && let Some(answer) = remembered.answers.get(&key, delivery.now)
        {
            remembered.figures.counts.searches += 1;
            remembered.figures.counts.hits += 1;
            return Ok(answer.to_owned());
        }
        let Some(response) = self.answer(call, &params, &delivery, embedded)? else {
            return Ok("null".to_owned());
        };
        let counts = &mut self.remembered().figures.counts;
        counts.searches += u64::from(!delivery.is_warming);
        counts.misses += u64::from(!delivery.is_warming);
        counts.short_circuits += u64::from(response.short_circuit);
        let text = text_of(&response);
        // What was found without vectors because they failed is not kept: they may be back at once.
        if embedded.failure().is_none() {
            self.remembered().answers.put(key, delivery.now, text.clone());
        }
        Ok(text)
    }

    /// Notes how long a caller waited, and whether for a search that was already under way.
    pub(crate) fn unified_note(&mut self, options: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(options);
        options.time("now");
        let latency = options.number("latency", 0.0..=f64::MAX);
        let is_coalesced = options.flag("coalesced").unwrap_or(false);
        options.finish()?;
        let figures = &mut self.remembered().figures;
        figures.counts.searches += u64::from(is_coalesced);
        figures.counts.coalesced += u64::from(is_coalesced);
        latency.into_iter().for_each(|latency| figures.note_latency(latency));
        Ok("null".to_owned())
    }

    /// What was counted.
    pub(crate) fn unified_stats(&mut self, options: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(options);
        options.time("now");
        options.finish()?;
        Ok(text_of(&self.remembered().figures.told()))
    }

    fn remembered(&mut self) -> &mut Remembered {
        self.kept_mut(RecipeName::Unified)
    }

    fn delivery(&self, options: &mut Options) -> Delivery {
        Delivery {
            now: self.now_in(options),
            is_warming: options.flag("warming").unwrap_or(false),
            embedder: options.text("embedder").map(str::to_owned),
        }
    }

    fn answer(
        &mut self,
        call: &str,
        params: &Params,
        delivery: &Delivery,
        embedded: &Embedded,
    ) -> Result<Option<Response>, SearchError> {
        let mut warnings = Vec::new();
        let filter = params.filter(&self.schema, &mut warnings);
        let made = self.made_vector(call, params, embedded, &mut warnings)?;
        let asked = self.asked_of_vocabulary(params, &mut warnings)?;
        let remembered = self.kept::<Remembered>(RecipeName::Unified);
        let vocabulary = asked.as_deref().zip(remembered.and_then(|own| own.vocabulary.as_ref()));
        self.with_corpus(|corpus| {
            let allowed = filter.as_ref().map(|filter| passing(corpus, filter)).transpose()?;
            let plan = Plan {
                params,
                allowed: allowed.as_deref(),
                vector: match &made {
                    None => unified::DeferredVector::Later,
                    Some(made) => match made.ready() {
                        Some((model, query)) => unified::DeferredVector::Ready(model, query),
                        None => unified::DeferredVector::Missing,
                    },
                },
                vocabulary: vocabulary.map(|(vector, known)| (&known.words, vector)),
            };
            let context = self.context(corpus, &params.query, delivery.now);
            let Some(found) = unified::search(&context, &plan)? else { return Ok(None) };
            require(corpus, found.page.iter().map(|shown| shown.rated.row))?;
            let hits = found.page.iter().map(|shown| hit(corpus, &found, shown, params));
            let hits = hits.collect::<Result<Vec<_>, _>>()?;
            Ok::<_, SearchError>(Some(Response {
                query: params.query.clone(),
                mode: found.route,
                legs: found.legs,
                short_circuit: found.is_short_circuit,
                intent: params.expands.then(|| intent(&params.query)),
                variants: found.variants,
                limit: params.limit,
                offset: params.offset,
                degraded: !warnings.is_empty(),
                warnings,
                hits,
            }))
        })
    }

    /// The query's vector; none where it has still to be made.
    fn made_vector(
        &mut self,
        call: &str,
        params: &Params,
        embedded: &Embedded,
        warnings: &mut Vec<String>,
    ) -> Result<Option<QueryVector>, SearchError> {
        let has_models = self.schema.models().len() > 0;
        if params.query.is_empty() {
            return Ok(Some(QueryVector::Missing("the query is empty".to_owned())));
        }
        if call == "unified.early" && has_models && embedded.failure().is_none() {
            return Ok(None);
        }
        let made = self.query_vector(&params.query, embedded, params.model.as_deref())?;
        if let Some(reason) = made.missing() {
            let has_failed = embedded.failure().is_some() || embedded.is_by_embed;
            self.remembered().figures.counts.vector_errors += u64::from(has_failed);
            // A snapshot without vectors is no less for it, unless one was to be compared.
            if has_models || embedded.vectors.is_some() || has_failed {
                warnings.push(reason.to_owned());
            }
        }
        Ok(Some(made))
    }

    /// The query's vector for the vocabulary, which is made where there is none that is still true; none where it is not
    /// asked, or the snapshot has no embedder of its own.
    fn asked_of_vocabulary(
        &mut self,
        params: &Params,
        warnings: &mut Vec<String>,
    ) -> Result<Option<Vec<f32>>, SearchError> {
        if !params.expands || params.query.is_empty() {
            return Ok(None);
        }
        let model = self.model(params.model.as_deref())?;
        let vector = model.map(|model| self.embed_with(model, &params.query)).transpose()?.flatten();
        let (Some(model), Some(vector)) = (model, vector) else {
            let reason = "expand: this snapshot has no embedder, so its vocabulary was not looked at";
            warnings.push(reason.to_owned());
            return Ok(None);
        };
        let writes = self.writes;
        let is_true = |known: &KnownWords| known.writes == writes && known.model == model;
        if !self.remembered().vocabulary.as_ref().is_some_and(is_true) {
            let words = self.with_corpus(|corpus| {
                let embedders = self.embedders()?;
                Vocabulary::of(corpus, &self.analyzer, &|word| embedders.embed(model, word))
            })?;
            self.remembered().vocabulary = Some(KnownWords { writes, model, words });
        }
        Ok(Some(vector))
    }
}

/// A record that was found, as it is shown.
fn hit(corpus: &Corpus, found: &Found, shown: &Shown, params: &Params) -> Result<Json, SearchError> {
    let rated = &shown.rated;
    let key = key_of(corpus, rated.row)?;
    let record = record_of(corpus, rated.row)?;
    let mut hit = Fields::default();
    hit.text("id", Some(key.id));
    hit.text("kind", Some(key.kind));
    hit.float("score", rated.score);
    for name in ["title", "project", "obsType", "createdAt"] {
        if let Some(value) = record.json().get(name).filter(|value| **value != Json::Null) {
            hit.put(name, value.clone());
        }
    }
    if shown.is_pinned {
        hit.flag("pinned", true);
    }
    hit.texts("folded", ids_of(corpus, &shown.folded)?);
    if params.explains {
        let mut explain = Fields::default();
        rated.keyword.into_iter().for_each(|signal| explain.float("bm25", signal.score));
        rated.vector.into_iter().for_each(|signal| explain.float("similarity", signal.score));
        explain.explained(&found.formula.explain(rated));
        hit.object("explain", explain);
    }
    if params.is_full {
        hit.put("record", record.json().clone());
    }
    Ok(Json::Object(hit.0))
}
