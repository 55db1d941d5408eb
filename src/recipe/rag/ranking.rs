//! The RAG recipe: chunks of longer texts, found by words and meaning, with what stands beside them and what is linked.
//!
//! Candidates (R1), three signals (R2 to R4), one score (R5), a quality filter (R6), a page on which no source takes more
//! than its share (R7), neighbours (R8), the graph of sources (R9), and on request a rerank by it (R10).

use super::sources::{Graph, GraphPlan, Source, Sources};
use crate::bitmap::Bitmap;
use crate::order::{Map, sort_by, sort_by_key};
use crate::pipeline::Stages;
use crate::pipeline::{Candidate, CandidateQuery, Words};
use crate::pipeline::{Context, Curve, Explained, Formula, Measure, Rated, best_first, overlap, place_score};
use crate::ranking::{
    NearSeed, Placed, changed_ranks, diversified, graph_signals, share_at, with_neighbours,
};
use crate::retrieval::{TimeOrder, by_time};
use crate::snapshot::SnapshotError;
use crate::vector;
use serde::Serialize;
use std::mem::take;

/// What a semantic score counts where meaning is all that is asked for; overlap counts the rest.
pub const SEMANTIC_SHARE: f64 = 0.85;
/// What overlap counts beside the place of a keyword hit, in hybrid mode.
const OVERLAP_SCALE: f64 = 0.8;

/// What is looked for (R11).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RagMode {
    /// Words.
    Fts,
    /// Meaning, and the words that are shared.
    Semantic,
    /// Both.
    Hybrid,
}

impl RagMode {
    /// The mode with this name.
    pub fn named(name: &str) -> Option<RagMode> {
        match name {
            "fts" => Some(RagMode::Fts),
            "semantic" => Some(RagMode::Semantic),
            "hybrid" => Some(RagMode::Hybrid),
            _ => None,
        }
    }
}

/// What a candidate has to have at least (R6).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Of its score.
    pub min_score: f64,
    /// Of its semantic score.
    pub min_semantic_score: f64,
    /// Of the query's terms.
    pub min_token_overlap: usize,
}

impl Quality {
    /// What a mode asks for where nobody says otherwise.
    pub fn of_mode(mode: RagMode) -> Quality {
        let (min_score, min_semantic_score, min_token_overlap) = match mode {
            RagMode::Fts => (0.0, 0.0, 1),
            RagMode::Semantic => (0.15, 0.15, 0),
            RagMode::Hybrid => (0.10, 0.0, 0),
        };
        Quality { min_score, min_semantic_score, min_token_overlap }
    }
}

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct RagPlan<'a> {
    /// What is looked for.
    pub mode: RagMode,
    /// The words.
    pub words: Words<'a>,
    /// The place of the model, and the vector; none where there is nothing to compare.
    pub vector: Option<(usize, &'a vector::VectorQuery)>,
    /// By segment, the documents that may be hits; none where all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// How many seeds at most.
    pub limit: usize,
    /// How many candidates each leg gives at most.
    pub candidate_limit: usize,
    /// What meaning counts in hybrid mode; words count the rest.
    pub semantic_weight: f64,
    /// What candidates have to have.
    pub quality: Quality,
    /// How many seeds a source may have; none where any number.
    pub max_per_source: Option<usize>,
    /// How far neighbours reach.
    pub window: usize,
    /// How far the graph goes; none where there is to be none.
    pub graph: Option<GraphPlan>,
    /// What the graph counts; none where it does not.
    pub rerank: Option<f64>,
    /// What else chooses among scored candidates.
    pub stages: &'a Stages,
}

/// What was measured of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RagSignals {
    /// Its place among what the words found, 1 to 0 (R2).
    pub keyword_score: f64,
    /// The share of the query's terms that it has (R3).
    pub overlap_score: f64,
    /// How many of the query's terms it has.
    pub overlap_tokens: usize,
    /// How near its vector is, at least 0 (R4).
    pub semantic_score: f64,
}

/// A chunk that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct RagHit {
    /// Its row.
    pub row: u32,
    /// How well it fits.
    pub score: f64,
    /// What was measured of it; none for a neighbour that was no seed.
    pub signals: Option<RagSignals>,
    /// The seed that it owes its score to.
    pub near: Option<NearSeed>,
    /// Its score before the graph, and what the graph says; none where the graph does not count.
    pub rerank: Option<(f64, f64)>,
    /// How the score was made: by the formula, from a seed, or with the graph.
    pub explained: Explained,
    /// How the score before the graph was made.
    pub base_explained: Option<Explained>,
}

/// What was found, step by step.
#[derive(Clone, Debug, PartialEq)]
pub struct RagFound {
    /// Best first.
    pub hits: Vec<RagHit>,
    /// How many candidates the words gave.
    pub keyword: usize,
    /// How many candidates the vectors gave.
    pub vector: usize,
    /// How many candidates are there because they are the newest.
    pub newest: usize,
    /// How many candidates have what is asked for.
    pub passed: usize,
    /// How many of these became seeds.
    pub seeds: usize,
    /// How many seeds are beyond their source's share.
    pub refilled: usize,
    /// How many results moved because of the graph.
    pub changed_ranks: usize,
    /// The graph.
    pub graph: Option<Graph>,
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
    best_first(&mut rated);
    let pinned = plan.stages.pinned_rows(context.corpus)?;
    rated.retain(|rated| {
        is_good_enough(plan.quality, rated.score, &signals(rated.row)) || pinned.contains(&rated.row)
    });
    // Before sources get their shares of the page; on it, scores decide the order.
    plan.stages.run_on(context, &mut rated, usize::MAX)?;
    let passed = rated.len();

    let sources = Sources::new(context, plan.allowed)?;
    let (seeds, refilled) = seeds(&sources, plan, rated)?;
    let placed = expanded(&sources, plan, &seeds)?;
    let rows = placed.iter().map(|placed| placed.row).collect::<Vec<_>>();
    let graph = plan.graph.map(|plan| sources.graph(&rows, plan)).transpose()?;

    let hit = |placed: &Placed| RagHit {
        row: placed.row,
        score: placed.score,
        signals: seeds.get(&placed.row).map(|_| signals(placed.row)),
        near: placed.near,
        rerank: None,
        explained: match placed.near {
            Some(near) => explained_by_seed(seeds[&near.seed].score, near.distance),
            None => formula.explain(&seeds[&placed.row]),
        },
        base_explained: None,
    };
    let mut hits = placed.iter().map(hit).collect::<Vec<_>>();
    let mut changed = 0;
    if let (Some(weight), Some(graph)) = (plan.rerank, &graph) {
        rerank(&sources, graph, weight, &mut hits)?;
        changed = changed_ranks(&rows, &hits.iter().map(|hit| hit.row).collect::<Vec<_>>());
    }
    let Found { keyword, vector, newest, .. } = found;
    let seeds = seeds.len();
    Ok(RagFound { hits, keyword, vector, newest, passed, seeds, refilled, changed_ranks: changed, graph })
}

/// The candidates, in row order, and where they come from.
struct Found {
    rows: Vec<Candidate>,
    keyword: usize,
    vector: usize,
    newest: usize,
}

/// What words find, and beyond words what is near (R1, R4). Where words find nothing, the newest chunks stand in.
fn candidates(context: &Context, plan: &RagPlan) -> Result<Found, SnapshotError> {
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
    // A keyword score is a place among what the words found, so only vectors are looked up for the others.
    CandidateQuery { words: None, ..ask }.complete(context.corpus, &mut rows)?;
    let newest = rows.len() - known;
    Ok(Found { rows, keyword, vector: found.vector.unwrap_or(0), newest })
}

/// How a mode makes one score of the signals (R5).
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

/// The candidates with their scores, and the share of the query's terms that each has.
fn scored(
    context: &Context,
    plan: &RagPlan,
    found: &Found,
) -> Result<(Formula, Vec<Rated>, Vec<f64>), SnapshotError> {
    let shares = overlap(context, &found.rows)?;
    let formula = formula(plan, Measure::Given(shares.clone()));
    let rated = formula.rate(context, &found.rows)?;
    Ok((formula, rated, shares))
}

impl Found {
    /// What was measured of a row.
    fn signals(&self, row: u32, shares: &[f64], terms: usize) -> RagSignals {
        let place = self.rows.binary_search_by_key(&row, |candidate| candidate.row);
        let place = place.expect("what was rated was a candidate");
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

/// The seeds by row (R7), and how many of them are beyond their source's share.
fn seeds(
    sources: &Sources,
    plan: &RagPlan,
    mut rated: Vec<Rated>,
) -> Result<(Map<u32, Rated>, usize), SnapshotError> {
    let mut page = (0..rated.len().min(plan.limit)).collect::<Vec<_>>();
    let mut refilled = 0;
    if let Some(most) = plan.max_per_source {
        let groups = rated.iter().map(|rated| sources.of(rated.row)).collect::<Result<Vec<_>, _>>()?;
        let groups = groups.iter().map(Source::name).collect::<Vec<_>>();
        page = diversified(&groups, most, plan.limit);
        let mut counts = Map::<&str, usize>::new();
        page.iter().for_each(|place| *counts.or_default(&groups[*place]) += 1);
        refilled = counts.values().map(|count| count.saturating_sub(most)).sum();
    }
    let mut seeds = Map::new();
    for place in page {
        seeds.insert(rated[place].row, take(&mut rated[place]));
    }
    Ok((seeds, refilled))
}

/// Seeds and what stands beside them, best first (R8).
fn expanded(
    sources: &Sources,
    plan: &RagPlan,
    seeds: &Map<u32, Rated>,
) -> Result<Vec<Placed>, SnapshotError> {
    let mut near = Vec::new();
    for row in seeds.keys() {
        near.append(&mut sources.beside(*row, plan.window)?);
    }
    let scores = seeds.values().map(|rated| (rated.row, rated.score)).collect::<Vec<_>>();
    Ok(with_neighbours(&scores, &near))
}

/// Lets the graph count (R10).
fn rerank(sources: &Sources, graph: &Graph, weight: f64, hits: &mut [RagHit]) -> Result<(), SnapshotError> {
    let edges = graph.edges.iter().map(|edge| (edge.places.0, edge.places.1, edge.weight));
    let signals = graph_signals(graph.nodes.len(), &edges.collect::<Vec<_>>());
    let by_name = graph.nodes.iter().map(|node| node.id.as_str()).zip(signals).collect::<Map<_, _>>();
    for hit in hits.iter_mut() {
        let signal = by_name.get(sources.of(hit.row)?.name().as_str()).copied().unwrap_or(0.0);
        let explained = Explained::sum(&[("base", hit.score, 1.0 - weight), ("graph", signal, weight)]);
        hit.rerank = Some((hit.score, signal));
        hit.score = explained.score();
        hit.base_explained = Some(std::mem::replace(&mut hit.explained, explained));
    }
    // Equals stay in the order they are in.
    sort_by(hits, |a, b| (b.score + 0.0).total_cmp(&(a.score + 0.0)));
    Ok(())
}

fn explained_by_seed(score: f64, distance: usize) -> Explained {
    Explained::sum(&[("seed", score, share_at(distance))])
}
