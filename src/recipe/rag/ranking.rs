//! How are chunks ranked, expanded and linked?
//!
//! Candidates (R1) get three signals (R2 to R4) and one score (R5). A quality filter (R6) drops weak candidates, and no source
//! takes more than its share of the page (R7). Then neighbours join (R8), the graph of sources is built (R9), and on request
//! it reranks the page (R10).

use super::sources::Sources;
use crate::bitmap::Bitmap;
use crate::order::{Map, sort_by, sort_by_key};
use crate::pipeline::{
    Candidate, CandidateQuery, Context, Curve, Explain, Explained, Formula, Measure, Rated, Stages, Words,
    overlap, place_score,
};
use crate::ranking::{
    GraphOptions, GraphRerank, NearSeed, Placed, SourceGraph, SourceKey, apply_graph_rerank, diversified,
    share_at, source_graph, with_neighbours,
};
use crate::retrieval::{TimeOrder, by_time};
use crate::snapshot::SnapshotError;
use crate::vector;
use serde::Serialize;
use std::cmp::Ordering;
use std::mem::take;

/// The weight of the semantic score in semantic mode; overlap has the rest.
pub const SEMANTIC_SHARE: f64 = 0.85;
/// The scale of overlap next to the keyword score, in hybrid mode.
const OVERLAP_SCALE: f64 = 0.8;

/// The signals that a search scores chunks by (R11).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RagMode {
    /// Words alone.
    Fts,
    /// Vectors, and the words that a chunk shares with the query.
    Semantic,
    /// Words and vectors.
    #[default]
    Hybrid,
}

impl RagMode {
    /// All modes.
    pub const ALL: [RagMode; 3] = [RagMode::Fts, RagMode::Semantic, RagMode::Hybrid];

    /// Returns the name of the mode.
    pub fn name(self) -> &'static str {
        match self {
            RagMode::Fts => "fts",
            RagMode::Semantic => "semantic",
            RagMode::Hybrid => "hybrid",
        }
    }

    /// Returns the mode with this name; none where there is no such mode.
    pub fn named(name: &str) -> Option<RagMode> {
        RagMode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// The least values that a candidate must have (R6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// The least score.
    pub min_score: f64,
    /// The least semantic score.
    pub min_semantic_score: f64,
    /// The least number of the query's terms.
    pub min_token_overlap: usize,
}

impl Quality {
    /// Returns the defaults of a mode.
    pub fn of_mode(mode: RagMode) -> Quality {
        let (min_score, min_semantic_score, min_token_overlap) = match mode {
            RagMode::Fts => (0.0, 0.0, 1),
            RagMode::Semantic => (0.15, 0.15, 0),
            RagMode::Hybrid => (0.10, 0.0, 0),
        };
        Quality { min_score, min_semantic_score, min_token_overlap }
    }
}

/// A search with every setting resolved.
#[derive(Clone, Copy, Debug)]
pub struct RagPlan<'a> {
    /// The mode.
    pub mode: RagMode,
    /// The words of the query.
    pub words: Words<'a>,
    /// The place of the model and the query's vector; none where vectors are not compared.
    pub vector: Option<(usize, &'a vector::VectorQuery)>,
    /// For each segment, the documents that may be hits; none where all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// The greatest number of seeds.
    pub limit: usize,
    /// The greatest number of candidates per leg.
    pub candidate_limit: usize,
    /// The weight of the semantic score in hybrid mode; words have the rest.
    pub semantic_weight: f64,
    /// The least values of a candidate.
    pub quality: Quality,
    /// The greatest number of seeds per source; none where there is no bound.
    pub max_per_source: Option<usize>,
    /// The greatest distance of a neighbour.
    pub window: usize,
    /// How far the graph goes; none where no graph is built.
    pub graph: Option<GraphOptions>,
    /// Whether and how much the graph counts.
    pub rerank: GraphRerank,
    /// Steps that run after scoring.
    pub stages: &'a Stages,
}

/// The signals of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RagSignals {
    /// The rank among the keyword candidates, from 1 down to 0 (R2).
    pub keyword_score: f64,
    /// The share of the query's terms that the chunk has (R3).
    pub overlap_score: f64,
    /// The number of the query's terms that the chunk has.
    pub overlap_tokens: usize,
    /// The cosine of its vector and the query's, at least 0 (R4).
    pub semantic_score: f64,
}

/// A chunk on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct RagHit {
    /// The row of the chunk.
    pub row: u32,
    /// The final score.
    pub score: f64,
    /// The signals of a seed; none for a neighbour that is no seed.
    pub signals: Option<RagSignals>,
    /// The seed that the score comes from; none for a seed with a score of its own.
    pub near: Option<NearSeed>,
    /// The score before the graph and the signal of the graph; none where the graph does not count.
    pub rerank: Option<(f64, f64)>,
    /// The explanation of the final score.
    pub explain: Explain,
    /// The explanation of the score before the graph; none where the graph does not count.
    pub base_explain: Option<Explain>,
}

/// The page and the counts of every step.
#[derive(Clone, Debug, PartialEq)]
pub struct RagFound {
    /// The page, best first.
    pub hits: Vec<RagHit>,
    /// The number of keyword candidates.
    pub keyword: usize,
    /// The number of vector candidates.
    pub vector: usize,
    /// The number of candidates that joined because they are the newest.
    pub newest: usize,
    /// The number of candidates that passed the quality filter.
    pub passed: usize,
    /// The number of seeds.
    pub seeds: usize,
    /// The number of seeds beyond the share of their source.
    pub refilled: usize,
    /// The number of results that the graph moved.
    pub changed_ranks: usize,
    /// The graph.
    pub graph: Option<SourceGraph>,
}

/// Finds the best chunks.
///
/// # Errors
/// When the snapshot is damaged.
pub fn rag_search(context: &Context, plan: &RagPlan) -> Result<RagFound, SnapshotError> {
    let found = candidates(context, plan)?;
    let (formula, mut rated, shares) = scored(context, plan, &found)?;
    let terms = context.query_terms().len();
    let signals = |row: u32| found.signals(row, &shares, terms);
    sort_by(&mut rated, by_score_and_bm25);
    let pinned = plan.stages.pinned_rows(context.corpus)?;
    rated.retain(|rated| {
        is_good_enough(plan.quality, rated.score, &signals(rated.row)) || pinned.contains(&rated.row)
    });
    // The stages choose before sources get their shares of the page. On the page, scores decide the order.
    plan.stages.run_on(context, &mut rated, usize::MAX)?;
    let passed = rated.len();

    let sources = Sources::new(context, plan.allowed)?;
    let (seeds, refilled) = seeds(&sources, plan, rated)?;
    let placed = expanded(&sources, plan, &seeds)?;
    let rows = placed.iter().map(|placed| placed.row).collect::<Vec<_>>();
    let graph = plan.graph.map(|options| source_graph(&sources, &rows, options)).transpose()?;

    let by_row = seeds.iter().map(|seed| (seed.row, seed)).collect::<Map<_, _>>();
    let hit = |placed: &Placed| RagHit {
        row: placed.row,
        score: placed.score,
        signals: by_row.get(&placed.row).map(|_| signals(placed.row)),
        near: placed.near,
        rerank: None,
        explain: explain(&formula, &by_row, placed),
        base_explain: None,
    };
    let mut hits = placed.iter().map(hit).collect::<Vec<_>>();
    let mut changed_ranks = 0;
    if let Some(graph) = graph.as_ref().filter(|_| plan.rerank.enabled) {
        (hits, changed_ranks) = reranked(&sources, graph, plan.rerank, hits)?;
    }
    let RagCandidates { keyword, vector, newest, .. } = found;
    Ok(RagFound { hits, keyword, vector, newest, passed, seeds: seeds.len(), refilled, changed_ranks, graph })
}

/// Orders by score, best first. Equal scores go by BM25, then by row.
fn by_score_and_bm25(a: &Rated, b: &Rated) -> Ordering {
    // Adding zero turns −0 into 0.
    let bm25 = |rated: &Rated| rated.keyword.map_or(0.0, |signal| signal.score) + 0.0;
    let by_score = (b.score + 0.0).total_cmp(&(a.score + 0.0));
    by_score.then(bm25(b).total_cmp(&bm25(a))).then(a.row.cmp(&b.row))
}

/// The candidates, in row order, and their counts by origin.
struct RagCandidates {
    rows: Vec<Candidate>,
    keyword: usize,
    vector: usize,
    newest: usize,
}

/// Gathers the candidates of words and, except in fts mode, of vectors (R1, R4). If words find nothing, the newest chunks join.
fn candidates(context: &Context, plan: &RagPlan) -> Result<RagCandidates, SnapshotError> {
    let is_fts = plan.mode == RagMode::Fts;
    let vector = plan.vector.filter(|_| !is_fts);
    let (depth, allowed) = (plan.candidate_limit, plan.allowed);
    let ask = CandidateQuery { words: Some(plan.words), vector, depth, allowed, wants_all: false };
    let found = ask.candidates(context.corpus)?;
    let keyword = found.keyword.map_or(0, |found| found.rows.len());
    let mut rows = found.rows;
    let known = rows.len();
    if keyword == 0 && !is_fts {
        let created_at = context.schema.attribute("createdAt").map(|(place, _)| place);
        for row in by_time(context.corpus, created_at, TimeOrder::Newest, depth, allowed)? {
            if !rows[..known].iter().any(|candidate| candidate.row == row) {
                rows.push(Candidate::of_row(row));
            }
        }
        sort_by_key(&mut rows, |candidate| candidate.row);
    }
    plan.stages.add_pinned(context.corpus, allowed, &mut rows)?;
    // BM25 decides between equal scores, so vector candidates need theirs too, unless no chunk has any word. The keyword
    // score stays 0: it is a rank among the keyword candidates.
    let words = ask.words.filter(|_| keyword > 0);
    CandidateQuery { words, ..ask }.complete(context.corpus, &mut rows)?;
    let newest = rows.len() - known;
    Ok(RagCandidates { rows, keyword, vector: found.vector.unwrap_or(0), newest })
}

/// Returns the formula of a mode (R5).
fn formula(plan: &RagPlan, overlap: Measure) -> Formula {
    let (semantic, scale) = match plan.mode {
        RagMode::Fts => (None, 1.0),
        RagMode::Semantic => (Some(SEMANTIC_SHARE), 1.0),
        RagMode::Hybrid => (Some(plan.semantic_weight), OVERLAP_SCALE),
    };
    let mut formula = Formula::default();
    if let Some(weight) = semantic {
        formula.add("semantic", weight, Measure::Similarity(Curve::Positive));
    }
    let weight = 1.0 - semantic.unwrap_or(0.0);
    if plan.mode == RagMode::Semantic {
        formula.add("overlap", weight, overlap);
    } else {
        formula.add("words", weight, Measure::Greatest(vec![(1.0, Measure::Place), (scale, overlap)]));
    }
    formula
}

/// Returns the formula, the scored candidates, and each candidate's share of the query's terms.
fn scored(
    context: &Context,
    plan: &RagPlan,
    found: &RagCandidates,
) -> Result<(Formula, Vec<Rated>, Vec<f64>), SnapshotError> {
    let shares = overlap(context, &found.rows)?;
    let formula = formula(plan, Measure::Given(shares.clone()));
    let rated = formula.rate(context, &found.rows)?;
    Ok((formula, rated, shares))
}

impl RagCandidates {
    /// Returns the signals of a candidate.
    fn signals(&self, row: u32, shares: &[f64], terms: usize) -> RagSignals {
        let place = self.rows.binary_search_by_key(&row, |candidate| candidate.row);
        let place = place.expect("every rated row is a candidate");
        let (candidate, overlap_score) = (self.rows[place], shares[place]);
        RagSignals {
            keyword_score: place_score(candidate.keyword.and_then(|signal| signal.place), self.keyword),
            overlap_score,
            overlap_tokens: (overlap_score * terms as f64).round() as usize,
            semantic_score: candidate.vector.map_or(0.0, |signal| signal.score.max(0.0)),
        }
    }
}

fn is_good_enough(quality: Quality, score: f64, signals: &RagSignals) -> bool {
    score >= quality.min_score
        && signals.semantic_score >= quality.min_semantic_score
        && signals.overlap_tokens >= quality.min_token_overlap
}

/// Returns the seeds, best first (R7), and the number of them beyond the share of their source.
fn seeds(
    sources: &Sources,
    plan: &RagPlan,
    mut rated: Vec<Rated>,
) -> Result<(Vec<Rated>, usize), SnapshotError> {
    let mut page = (0..rated.len().min(plan.limit)).collect::<Vec<_>>();
    let mut refilled = 0;
    if let Some(most) = plan.max_per_source {
        let groups = rated.iter().map(|rated| sources.of(rated.row)).collect::<Result<Vec<_>, _>>()?;
        let groups = groups.iter().map(SourceKey::name).collect::<Vec<_>>();
        page = diversified(&groups, most, plan.limit);
        let mut counts = Map::<&str, usize>::new();
        page.iter().for_each(|place| *counts.or_default(&groups[*place]) += 1);
        refilled = counts.values().map(|count| count.saturating_sub(most)).sum();
    }
    let seeds = page.into_iter().map(|place| take(&mut rated[place])).collect::<Vec<_>>();
    Ok((seeds, refilled))
}

/// Returns seeds and their neighbours, best first (R8).
fn expanded(sources: &Sources, plan: &RagPlan, seeds: &[Rated]) -> Result<Vec<Placed>, SnapshotError> {
    let mut near = Vec::new();
    for seed in seeds {
        near.append(&mut sources.near(seed.row, plan.window)?);
    }
    let scores = seeds.iter().map(|seed| (seed.row, seed.score)).collect::<Vec<_>>();
    Ok(with_neighbours(&scores, &near))
}

/// Explains the score of a seed by the formula, and that of a neighbour by its seed.
fn explain(formula: &Formula, seeds: &Map<u32, &Rated>, placed: &Placed) -> Explain {
    let rated = seeds.get(&placed.row).copied();
    match (placed.near, rated) {
        (None, Some(rated)) => Explain::of(rated, formula.explain(rated)),
        (None, None) => Explain::default(),
        (Some(near), rated) => {
            let score = Explained::sum(&[("seed", seeds[&near.seed].score, share_at(near.distance))]);
            match rated {
                Some(rated) => Explain::of(rated, score),
                None => Explain { score, ..Explain::default() },
            }
        }
    }
}

/// Reranks hits by the graph (R10), and counts those that moved.
fn reranked(
    sources: &Sources,
    graph: &SourceGraph,
    options: GraphRerank,
    mut hits: Vec<RagHit>,
) -> Result<(Vec<RagHit>, usize), SnapshotError> {
    let scored = hits.iter().map(|hit| Ok((sources.of(hit.row)?, hit.score)));
    let scored = scored.collect::<Result<Vec<_>, SnapshotError>>()?;
    let reranked = apply_graph_rerank(&scored, graph, options);
    let mut left = hits.drain(..).map(Some).collect::<Vec<_>>();
    let moved = reranked.results.iter().map(|result| {
        let hit = left[result.index].take().expect("a rerank returns every result once");
        let parts = [("base", result.base, 1.0 - options.weight), ("graph", result.signal, options.weight)];
        let explain = Explain { score: Explained::sum(&parts), ..hit.explain.clone() };
        let rerank = Some((result.base, result.signal));
        RagHit { score: result.score, rerank, base_explain: Some(hit.explain), explain, ..hit }
    });
    Ok((moved.collect::<Vec<_>>(), reranked.changed_ranks))
}
