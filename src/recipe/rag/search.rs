//! `rag.search`: options in, chunks out, and every step between them told.

use crate::document::Record;
use crate::engine::wrong;
use crate::engine::{Embedded, Engine, SearchError};
use crate::engine::{QueryVector, passing, records_of};
use crate::json::{Json, text_of};
use crate::options::{Clamps, Options};
use crate::pipeline::Fields;
use crate::pipeline::{Stages, WordRule, Words, interpret, key_of};
use crate::recipe::rag::{
    Graph, GraphPlan, Quality, RagFound, RagHit, RagMode, RagPlan, SEMANTIC_SHARE, rag_search,
};
use crate::retrieval::{Corpus, Filter, Target, Test};
use crate::schema::EmbedderKind;
use serde::Serialize;

/// The kind of the records that `rag.index` writes.
pub(super) const CHUNK: &str = "chunk";

/// What the caller asks, read and checked.
struct Request<'a> {
    query: &'a str,
    stages: Stages,
    mode: RagMode,
    limit: usize,
    candidate_limit: usize,
    semantic_weight: f64,
    min_score: Option<f64>,
    min_semantic_score: Option<f64>,
    min_token_overlap: Option<usize>,
    diversify_by_source: bool,
    max_per_source: usize,
    window: usize,
    include_graph: bool,
    graph: GraphPlan,
    rerank: bool,
    rerank_weight: f64,
    filters: Filters,
    model: Option<&'a str>,
    now: Option<f64>,
    strict: bool,
    explain: bool,
    clamped: Clamps,
    warnings: Vec<String>,
}

/// What hits have to be of.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Filters {
    source_type: Option<Vec<String>>,
    session_id: Option<String>,
    context_id: Option<String>,
}

impl<'a> Request<'a> {
    fn read(json: &'a Json) -> Result<Request<'a>, SearchError> {
        let mut options = Options::of(json);
        let o = &mut options;
        let mut warnings = Vec::new();
        let query = o.required_text("query");
        let named = o.text("mode");
        let mode = named.map_or(Some(RagMode::Hybrid), RagMode::named).unwrap_or_else(|| {
            let name = named.unwrap_or_default();
            warnings.push(format!(
                "mode: unknown mode \"{name}\", so hybrid was used; there are fts, semantic, hybrid"
            ));
            RagMode::Hybrid
        });
        let limit = o.clamped_count("limit", 1..=100).unwrap_or(10);
        let candidate_limit = o.clamped_count("candidateLimit", limit..=500);
        let request = Request {
            query,
            mode,
            limit,
            candidate_limit: candidate_limit.unwrap_or((6 * limit).clamp(60, 500)),
            semantic_weight: o.clamped_number("semanticWeight", 0.0..=1.0).unwrap_or(0.7),
            min_score: o.clamped_number("minScore", 0.0..=1.0),
            min_semantic_score: o.clamped_number("minSemanticScore", 0.0..=1.0),
            min_token_overlap: o.clamped_count("minTokenOverlap", 0..=1000),
            diversify_by_source: o.flag("diversifyBySource").unwrap_or(true),
            max_per_source: o.clamped_count("maxPerSource", 1..=20).unwrap_or(3),
            window: o.clamped_count("neighborWindow", 0..=5).unwrap_or(0),
            include_graph: o.flag("includeGraph").unwrap_or(true),
            graph: GraphPlan {
                node_limit: o.clamped_count("nodeLimit", 1..=500).unwrap_or(60),
                include_session: o.flag("includeSession").unwrap_or(false),
            },
            rerank: o.flag("graphRerank").unwrap_or(false),
            rerank_weight: o.clamped_number("graphRerankWeight", 0.0..=0.75).unwrap_or(0.2),
            filters: Filters {
                source_type: o.texts("sourceType"),
                session_id: o.id("sessionId"),
                context_id: o.id("contextId"),
            },
            model: o.text("model"),
            now: o.time("now"),
            strict: o.flag("strict").unwrap_or(false),
            explain: o.flag("explain").unwrap_or(false),
            stages: Stages::read(o),
            clamped: Clamps::default(),
            warnings,
        };
        Ok(Request { clamped: options.finish()?, ..request })
    }

    fn quality(&self, mode: RagMode) -> Quality {
        let usual = Quality::of_mode(mode);
        // Without vectors no semantic score is above 0, so nothing is asked of it.
        let min_semantic = self.min_semantic_score.filter(|_| mode != RagMode::Fts);
        Quality {
            min_score: self.min_score.unwrap_or(usual.min_score),
            min_semantic_score: min_semantic.unwrap_or(usual.min_semantic_score),
            min_token_overlap: self.min_token_overlap.unwrap_or(usual.min_token_overlap),
        }
    }
}

/// What `rag.search` answers (R12).
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Response<'a> {
    success: bool,
    query: &'a str,
    mode: RagMode,
    limit: usize,
    candidate_limit: usize,
    weights: Weights,
    quality: QualityReport,
    neighbor: NeighborReport,
    rerank: RerankReport,
    degraded: bool,
    quality_tier: &'static str,
    embedding: Option<&'a Embedding>,
    filters: &'a Filters,
    count: usize,
    results: &'a [Json],
    graph: Option<&'a Graph>,
    #[serde(skip_serializing_if = "Clamps::is_empty")]
    clamped: &'a Clamps,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    warnings: &'a [String],
}

/// What meaning and words count.
#[derive(Serialize)]
struct Weights {
    semantic: f64,
    keyword: f64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct QualityReport {
    min_score: f64,
    min_semantic_score: f64,
    min_token_overlap: usize,
    candidates: CandidateCounts,
    passed: usize,
    diversify_by_source: bool,
    max_per_source: usize,
    refilled: usize,
}

#[derive(Serialize)]
struct CandidateCounts {
    keyword: usize,
    vector: usize,
    newest: usize,
}

#[derive(Serialize)]
struct NeighborReport {
    window: usize,
    seeds: usize,
    added: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RerankReport {
    enabled: bool,
    weight: f64,
    changed_ranks: usize,
}

/// What the query's vector was made with.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Embedding {
    provider: &'static str,
    model: String,
    dimensions: Option<usize>,
    fallback_used: bool,
    fallback_reason: Option<String>,
}

impl Engine {
    pub(crate) fn rag_search(&self, json: &Json, embedded: &Embedded) -> Result<String, SearchError> {
        let mut request = Request::read(json)?;
        let (vector, embedding) = match request.mode {
            RagMode::Fts => (QueryVector::NearNothing, None),
            _ => self.rag_vector(&request, embedded)?,
        };
        let reason = vector.missing().map(str::to_owned);
        let reason = reason.or_else(|| embedding.as_ref().and_then(|own| own.fallback_reason.clone()));
        if let Some(reason) = reason.clone().filter(|_| request.strict) {
            return Err(wrong("strict", reason));
        }
        let mode = if vector.missing().is_some() { RagMode::Fts } else { request.mode };
        if let Some(reason) = &reason {
            let instead = match &embedding {
                Some(Embedding { model, .. }) => format!("the vectors of \"{model}\" were compared"),
                None => "only words were looked for".to_owned(),
            };
            request.warnings.push(format!("{reason}; {instead}"));
        }
        let quality = request.quality(mode);
        self.with_corpus(|corpus| {
            let interpretation =
                interpret(request.query, WordRule::Any, corpus, &self.schema, &self.analyzer, false, 0)?;
            let mut filters = self.rag_filter(corpus, &request.filters)?;
            filters.extend(request.stages.filter(&self.schema));
            let allowed = match filters.is_empty() {
                true => None,
                false => Some(passing(corpus, &Filter::All(filters))?),
            };
            let context = self.context(corpus, request.query, self.now(request.now));
            let plan = RagPlan {
                mode,
                words: Words { query: &interpretation.query, weights: &self.schema.weights() },
                vector: vector.ready(),
                allowed: allowed.as_deref(),
                limit: request.limit,
                candidate_limit: request.candidate_limit,
                semantic_weight: request.semantic_weight,
                quality,
                max_per_source: request.diversify_by_source.then_some(request.max_per_source),
                window: request.window,
                graph: (request.include_graph || request.rerank).then_some(request.graph),
                rerank: request.rerank.then_some(request.rerank_weight),
                stages: &request.stages,
            };
            let found = rag_search(&context, &plan)?;
            let rows = found.hits.iter().map(|hit| hit.row).collect::<Vec<_>>();
            let hits = found.hits.iter().zip(records_of(corpus, &rows)?);
            let results = hits.map(|(hit, record)| result(corpus, hit, &record, request.explain));
            let results = results.collect::<Result<Vec<_>, _>>()?;
            let tier = match (&reason, embedded.vectors.is_some() && embedding.is_some()) {
                (Some(_), _) => "degraded",
                (None, true) => "high",
                (None, false) => "local",
            };
            let degraded = reason.is_some();
            let embedding = embedding.as_ref();
            Ok(text_of(&request.response(mode, quality, &found, &results, embedding, tier, degraded)))
        })
    }

    /// The query's vector and what made it. Where the one that was asked for is missing, a model that the snapshot embeds
    /// by itself stands in.
    fn rag_vector(
        &self,
        request: &Request,
        embedded: &Embedded,
    ) -> Result<(QueryVector, Option<Embedding>), SearchError> {
        let mut place = self.model(request.model)?;
        let mut vector = self.query_vector(request.query, embedded, request.model)?;
        let reason = vector.missing().map(str::to_owned);
        if reason.is_some()
            && let Some((own, (name, _))) =
                self.schema.models().enumerate().find(|(_, (_, model))| model.embedder.is_some())
        {
            let instead = self.query_vector(request.query, &Embedded::default(), Some(name))?;
            if instead.missing().is_none() {
                (vector, place) = (instead, Some(own));
            }
        }
        let model = place.and_then(|place| self.schema.models().nth(place));
        let embedding = model.filter(|_| vector.missing().is_none()).map(|(name, model)| Embedding {
            provider: if embedded.vectors.is_some() { "embed" } else { provider_of(model.embedder) },
            model: model.id.clone().unwrap_or_else(|| name.to_owned()),
            dimensions: model.width,
            fallback_used: reason.is_some(),
            fallback_reason: reason,
        });
        Ok((vector, embedding))
    }

    /// What hits have to be of. Where the snapshot has chunks, nothing else is a hit.
    fn rag_filter(&self, corpus: &Corpus, filters: &Filters) -> Result<Vec<Filter>, SearchError> {
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
            let Some((place, _)) = self.schema.attribute(option) else {
                let reason = "there is no such attribute; the preset rag has it".to_owned();
                return Err(wrong(option, reason));
            };
            all.push(Filter::Test(Target::Attribute(place), Test::AnyOf(wanted)));
        }
        Ok(all)
    }
}

impl<'a> Request<'a> {
    #[expect(clippy::too_many_arguments, reason = "one of each part of the response")]
    fn response(
        &'a self,
        mode: RagMode,
        quality: Quality,
        found: &'a RagFound,
        results: &'a [Json],
        embedding: Option<&'a Embedding>,
        quality_tier: &'static str,
        degraded: bool,
    ) -> Response<'a> {
        let semantic = match mode {
            RagMode::Fts => 0.0,
            RagMode::Semantic => SEMANTIC_SHARE,
            RagMode::Hybrid => self.semantic_weight,
        };
        Response {
            success: true,
            query: self.query,
            mode,
            limit: self.limit,
            candidate_limit: self.candidate_limit,
            weights: Weights { semantic, keyword: 1.0 - semantic },
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
                diversify_by_source: self.diversify_by_source,
                max_per_source: self.max_per_source,
                refilled: found.refilled,
            },
            neighbor: NeighborReport {
                window: self.window,
                seeds: found.seeds,
                added: found.hits.len() - found.seeds,
            },
            rerank: RerankReport {
                enabled: self.rerank,
                weight: self.rerank_weight,
                changed_ranks: found.changed_ranks,
            },
            degraded,
            quality_tier,
            embedding,
            filters: &self.filters,
            count: results.len(),
            results,
            graph: found.graph.as_ref().filter(|_| self.include_graph),
            clamped: &self.clamped,
            warnings: &self.warnings,
        }
    }
}

/// The name of an embedder of the snapshot's own.
pub(crate) fn provider_of(embedder: Option<EmbedderKind>) -> &'static str {
    match embedder {
        Some(EmbedderKind::Hash) => "hash",
        Some(EmbedderKind::Static) => "static",
        None => "none",
    }
}

/// A hit as it is shown: the chunk's own fields, and beside them what the search says of it.
fn result(corpus: &Corpus, hit: &RagHit, record: &Record, explain: bool) -> Result<Json, SearchError> {
    let mut said = Fields::default();
    said.number("score", Some(hit.score));
    if let Some(signals) = &hit.signals {
        said.number("keywordScore", Some(signals.keyword_score));
        said.number("overlapScore", Some(signals.overlap_score));
        said.number("overlapTokens", Some(signals.overlap_tokens as f64));
        said.number("semanticScore", Some(signals.semantic_score));
    }
    if let Some(near) = hit.near {
        let mut neighbor = Fields::default();
        neighbor.text("seed", Some(key_of(corpus, near.seed)?.id));
        neighbor.number("distance", Some(near.distance as f64));
        said.put("neighbor", Json::Object(neighbor.0));
    }
    if let Some((base, signal)) = hit.rerank {
        let mut rerank = Fields::default();
        rerank.number("base", Some(base));
        rerank.number("signal", Some(signal));
        said.put("rerank", Json::Object(rerank.0));
    }
    if explain {
        said.put("explain", json(&hit.explained));
        if let Some(base) = &hit.base_explained {
            said.put("baseExplain", json(base));
        }
    }
    let is_said = |name: &str| said.0.iter().any(|(known, _)| known == name);
    let mut all = match record.json() {
        Json::Object(entries) => {
            entries.iter().filter(|(name, _)| !is_said(name)).cloned().collect::<Vec<_>>()
        }
        _ => Vec::new(),
    };
    all.append(&mut said.0);
    Ok(Json::Object(all))
}

fn json(value: &impl Serialize) -> Json {
    Json::parse(text_of(value).as_bytes()).expect("what was just written is JSON")
}
