//! `rag.search`: resolves a query, runs the ranking, and reports every step.

use super::query::{RagFilters, RagQuery};
use super::ranking::{Quality, RagFound, RagHit, RagMode, RagPlan, SEMANTIC_SHARE, rag_search};
use super::response::{
    CandidateCounts, NeighborReport, QualityReport, QualityTier, QueryEmbedding, RagNeighbor, RagRerank,
    RagResponse, RagResult, RagWeights, RerankReport,
};
use super::{CHUNK, Rag, provider_of};
use crate::document::Record;
use crate::engine::{Embedded, Engine, QueryVector, SearchError, SearchFault, passing, records_of, wrong};
use crate::json::Json;
use crate::options::Clamps;
use crate::pipeline::{WordRule, Words, interpret, key_of};
use crate::retrieval::{Corpus, Filter, Target, Test};

/// The query's vector, its maker, and the reason where it is not the vector that it should be.
struct ResolvedVector {
    vector: QueryVector,
    embedding: Option<QueryEmbedding>,
    fallback: Option<String>,
    tier: QualityTier,
}

impl Rag<'_> {
    /// Finds the best chunks for a query.
    ///
    /// `embedded` holds the query's vector, or the reason why the host could not make one. Where the vector is missing, a
    /// model that the snapshot embeds itself stands in; if there is none, only words count. Both are `degraded`.
    ///
    /// # Errors
    /// When an option does not fit the snapshot, the query has no usable vector and is `strict`, or the snapshot is damaged.
    pub fn search(&self, query: &RagQuery, embedded: &Embedded) -> Result<RagResponse, SearchError> {
        let engine = &*self.engine;
        let resolved = resolve_vector(engine, query, embedded)?;
        if let Some(reason) = resolved.fallback.clone().filter(|_| query.strict) {
            return Err(Box::new(SearchFault::Embedding { reason }));
        }
        let mode = if resolved.vector.missing().is_some() { RagMode::Fts } else { query.mode };
        let quality = query.quality(mode);
        engine.with_corpus(|corpus| {
            let words =
                interpret(&query.query, WordRule::Any, corpus, &engine.schema, &engine.analyzer, false, 0)?;
            let mut filters = filters_of(engine, corpus, &query.filters)?;
            filters.extend(query.stages.filter(&engine.schema));
            let allowed = match filters.is_empty() {
                true => None,
                false => Some(passing(corpus, &Filter::All(filters))?),
            };
            let context = engine.context(corpus, &query.query, engine.now(query.now));
            let plan = RagPlan {
                mode,
                words: Words { query: &words.query, weights: &engine.schema.weights() },
                vector: resolved.vector.ready(),
                allowed: allowed.as_deref(),
                limit: query.limit,
                candidate_limit: query.candidate_limit,
                semantic_weight: query.semantic_weight,
                quality,
                max_per_source: query.diversify_by_source.then_some(query.max_per_source),
                window: query.neighbor_window,
                graph: (query.include_graph || query.rerank.enabled).then_some(query.graph),
                rerank: query.rerank,
                stages: &query.stages,
            };
            let found = rag_search(&context, &plan)?;
            let rows = found.hits.iter().map(|hit| hit.row).collect::<Vec<_>>();
            let hits = found.hits.iter().zip(records_of(corpus, &rows)?);
            let results = hits.map(|(hit, record)| result(corpus, hit, &record, query.explain));
            let results = results.collect::<Result<Vec<_>, _>>()?;
            Ok(response(query, mode, quality, found, results, resolved))
        })
    }
}

/// Resolves the query's vector. Where the vector is missing that the query should have, a model that the snapshot embeds
/// itself stands in.
fn resolve_vector(
    engine: &Engine,
    query: &RagQuery,
    embedded: &Embedded,
) -> Result<ResolvedVector, SearchError> {
    let mut place = engine.model(query.model.as_deref())?;
    if query.mode == RagMode::Fts {
        let vector = QueryVector::NearNothing;
        return Ok(ResolvedVector { vector, embedding: None, fallback: None, tier: QualityTier::Local });
    }
    let vectors = embedded.vectors.clone().or_else(|| query.vector.clone());
    let is_given = vectors.is_some();
    let embedded = Embedded { vectors, ..embedded.clone() };
    let mut vector = engine.query_vector(&query.query, &embedded, query.model.as_deref())?;
    let fallback = vector.missing().map(str::to_owned);
    if fallback.is_some()
        && let Some((own, (name, _))) =
            engine.schema.models().enumerate().find(|(_, (_, model))| model.embedder.is_some())
    {
        let instead = engine.query_vector(&query.query, &Embedded::default(), Some(name))?;
        if instead.missing().is_none() {
            (vector, place) = (instead, Some(own));
        }
    }
    let model = place.and_then(|place| engine.schema.models().nth(place));
    let embedding = model.filter(|_| vector.missing().is_none()).map(|(name, model)| QueryEmbedding {
        provider: if is_given && fallback.is_none() { "embed" } else { provider_of(model.embedder) },
        model: model.id.clone().unwrap_or_else(|| name.to_owned()),
        dimensions: model.width,
        fallback_used: fallback.is_some(),
        fallback_reason: fallback.clone(),
    });
    let tier = match (&fallback, is_given) {
        (Some(_), _) => QualityTier::Degraded,
        (None, true) => QualityTier::High,
        (None, false) => QualityTier::Local,
    };
    Ok(ResolvedVector { vector, embedding, fallback, tier })
}

/// Returns the conditions on hits. If the snapshot has chunks and other kinds of records, only chunks are hits.
fn filters_of(engine: &Engine, corpus: &Corpus, filters: &RagFilters) -> Result<Vec<Filter>, SearchError> {
    let mut all = Vec::new();
    let (mut has_chunks, mut has_others) = (false, false);
    for part in corpus.parts {
        for kind in part.segment.keys()?.kinds() {
            *(if *kind == CHUNK { &mut has_chunks } else { &mut has_others }) = true;
        }
    }
    if has_chunks && has_others {
        all.push(Filter::Test(Target::Kind, Test::AnyOf(vec![CHUNK.to_owned()])));
    }
    let one = |text: &Option<String>| text.clone().map(|text| vec![text]);
    for (option, wanted) in [
        ("sourceType", filters.source_type.clone()),
        ("sessionId", one(&filters.session_id)),
        ("contextId", one(&filters.context_id)),
    ] {
        let Some(wanted) = wanted else { continue };
        let Some((place, _)) = engine.schema.attribute(option) else {
            let reason = "the schema has no such attribute; build with the preset rag".to_owned();
            return Err(wrong(option, reason));
        };
        all.push(Filter::Test(Target::Attribute(place), Test::AnyOf(wanted)));
    }
    Ok(all)
}

fn response(
    query: &RagQuery,
    mode: RagMode,
    quality: Quality,
    found: RagFound,
    results: Vec<RagResult>,
    resolved: ResolvedVector,
) -> RagResponse {
    let semantic = match mode {
        RagMode::Fts => 0.0,
        RagMode::Semantic => SEMANTIC_SHARE,
        RagMode::Hybrid => query.semantic_weight,
    };
    RagResponse {
        success: true,
        query: query.query.clone(),
        mode,
        limit: query.limit,
        candidate_limit: query.candidate_limit,
        weights: RagWeights { semantic, keyword: 1.0 - semantic },
        quality: QualityReport {
            min_score: quality.min_score,
            min_semantic_score: quality.min_semantic_score,
            min_token_overlap: quality.min_token_overlap,
            candidates: CandidateCounts {
                keyword: found.keyword,
                vector: found.vector,
                newest: found.newest,
            },
            passed: found.passed,
            diversify_by_source: query.diversify_by_source,
            max_per_source: query.max_per_source,
            refilled: found.refilled,
        },
        neighbor: NeighborReport {
            window: query.neighbor_window,
            seeds: found.seeds,
            added: found.hits.len() - found.seeds,
        },
        rerank: RerankReport {
            enabled: query.rerank.enabled,
            weight: query.rerank.weight,
            changed_ranks: found.changed_ranks,
        },
        degraded: resolved.fallback.is_some(),
        quality_tier: resolved.tier,
        warnings: warnings(query, &resolved),
        embedding: resolved.embedding,
        filters: query.filters.clone(),
        count: results.len(),
        results,
        graph: found.graph.filter(|_| query.include_graph),
        clamped: Clamps::default(),
    }
}

fn warnings(query: &RagQuery, resolved: &ResolvedVector) -> Vec<String> {
    let unknown_mode = query.unknown_mode.as_ref().map(|name| {
        let known = RagMode::ALL.map(RagMode::name).join(", ");
        format!("mode: unknown mode \"{name}\"; hybrid was used instead (the modes are {known})")
    });
    let fallback = resolved.fallback.as_ref().map(|reason| match &resolved.embedding {
        Some(QueryEmbedding { model, .. }) => {
            format!("{reason}; the vectors of \"{model}\" were compared instead")
        }
        None => format!("{reason}; only words were searched"),
    });
    unknown_mode.into_iter().chain(fallback).collect()
}

/// Shows a hit: the fields of the chunk, and the fields that the search adds.
fn result(corpus: &Corpus, hit: &RagHit, record: &Record, explain: bool) -> Result<RagResult, SearchError> {
    let fields = match record.json() {
        Json::Object(entries) => &entries[..],
        _ => &[],
    };
    let own = fields.iter().filter(|(name, _)| !RagResult::NAMES.contains(&name.as_str()));
    let seed = hit.near.map(|near| key_of(corpus, near.seed)).transpose()?;
    Ok(RagResult {
        record: Json::Object(own.cloned().collect()),
        score: hit.score,
        signals: hit.signals,
        neighbor: hit
            .near
            .zip(seed)
            .map(|(near, seed)| RagNeighbor { seed: seed.id.to_owned(), distance: near.distance }),
        rerank: hit.rerank.map(|(base, signal)| RagRerank { base, signal }),
        explain: explain.then(|| hit.explain.clone()),
        base_explain: hit.base_explain.clone().filter(|_| explain),
    })
}
