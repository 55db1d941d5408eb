//! The ranking of the default recipe.
//!
//! The keyword leg and the vector leg each return their best candidates. Every candidate then gets the signals of both legs,
//! so that none scores less only because one leg stopped at its limit. The fusion rule combines the signals; `recency`
//! lowers the scores of old records.

use super::custom::Custom;
use super::groups::{GroupValues, grouped};
use super::judged::Judged;
use super::options::Fusion;
use super::resolved::{Recency, ResolvedSearch};
use crate::bitmap::Bitmap;
use crate::order::sort_by;
use crate::pipeline::{Candidate, CandidateQuery, Candidates, Signal, Words};
use crate::pipeline::{Context, Explained, Rated};
use crate::pipeline::{RankedRow, Stages, relevance};
use crate::ranking::{
    self, Fused, QueryStatistics, QueryWords, RRF_K, auto, by_ranks, default_trust, recency_boost, sum,
};
use crate::retrieval::{KeywordResult, part_of, spread};
use crate::snapshot::SnapshotError;
use crate::vector;
use std::mem::take;

/// A row with its score and the values that made it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredRow {
    /// The row.
    pub row: u32,
    /// The score: higher is better.
    pub score: f64,
    /// The signal of the keyword leg.
    pub keyword: Option<Signal>,
    /// The signal of the vector leg.
    pub vector: Option<Signal>,
    /// The amounts that the keyword leg and the vector leg add to the score, before recency.
    pub parts: (f64, f64),
    /// The recency factor, if the search has one.
    pub recency: Option<f64>,
    /// The explanation of the score by the caller's own rule, if there is one.
    pub explained: Option<Explained>,
    /// Whether the row is pinned.
    pub is_pinned: bool,
    /// The rows that were folded under this one.
    pub folded: Vec<u32>,
    /// The next best rows of the same group.
    pub children: Vec<ScoredRow>,
}

/// The result of retrieval and ranking.
#[derive(Clone, Debug)]
pub struct Retrieved {
    /// The best rows, best first.
    pub rows: Vec<ScoredRow>,
    /// The result of the keyword leg; `None` if it did not run.
    pub keyword: Option<KeywordResult>,
    /// The number of candidates of the vector leg; `None` if it did not run.
    pub vector: Option<usize>,
    /// How well the best row belongs to the query, 0 to 1; `None` unless the default fusion ran.
    pub relevance: Option<f64>,
    /// Whether the candidates were left out because none belongs to the query.
    pub is_nothing: bool,
}

/// Finds the best rows: gathers candidates from the legs, scores them, and runs the stages.
///
/// # Errors
/// Fails when the snapshot is damaged.
pub(super) fn retrieve(
    context: &Context,
    search: &ResolvedSearch,
    words: Option<Words>,
    vector: Option<(usize, &vector::VectorQuery)>,
    allowed: Option<&[Bitmap]>,
) -> Result<Retrieved, SnapshotError> {
    let corpus = context.corpus;
    let limit = search.offset + search.limit;
    let is_fused = words.is_some() && vector.is_some();
    let is_simple = search.recency.is_none()
        && search.custom.is_none()
        && search.stages.are_none()
        && !is_fused
        && search.group_by.is_empty();
    let depth = if is_simple { limit } else { search.candidates.max(limit) };
    let ask = CandidateQuery { words, vector, depth, allowed, wants_all: search.wants_all };
    // Read the groups before the candidates may fail: what both lack is then fetched together.
    let groups = (!search.group_by.is_empty()).then(|| GroupValues::of(corpus, &search.group_by));
    let Candidates { rows: mut candidates, keyword, vector } = ask.candidates(corpus)?;
    search.stages.add_pinned(corpus, allowed, &mut candidates)?;
    if is_fused || !search.stages.pinned.is_empty() {
        ask.complete(corpus, &mut candidates)?;
    }
    let words = keyword.as_ref().map(|keyword| QueryWords::of(corpus.totals.rows, &keyword.hits));
    let statistics = match (&words, search.fusion) {
        (Some(words), Fusion::Auto) if search.custom.is_none() => statistics(context, search, &ask, words)?,
        _ => None,
    };
    let mut rows = match &search.custom {
        Some(custom) => by_own_rule(context, custom, &candidates)?,
        None => by_fusion(search, is_fused, statistics.as_ref(), candidates),
    };
    let judged = match (&words, &statistics) {
        (Some(words), Some(statistics)) => Judged::of(context, &ask, words, statistics, &rows)?,
        _ => None,
    };
    let mut is_nothing = false;
    if let Some(judged) = &judged {
        judged.scale(&mut rows);
        best_first(&mut rows);
        is_nothing = search.stages.min_relevance.is_none() && !judged.belongs();
        if is_nothing {
            let pinned = search.stages.pinned_rows(corpus)?;
            rows.retain(|scored| pinned.contains(&scored.row));
        }
    }
    if let Some(recency) = &search.recency {
        fade(context, recency, &mut rows)?;
    }
    if let Some(groups) = groups {
        let pinned = search.stages.pinned_rows(corpus)?;
        rows = grouped(&groups?, corpus, &pinned, rows);
    }
    if !search.stages.are_none() {
        rows = staged(context, &search.stages, limit, rows)?;
    }
    rows.truncate(limit);
    let relevance = judged.map(|judged| judged.relevance());
    Ok(Retrieved { rows, keyword, vector, relevance, is_nothing })
}

/// Returns the statistics of a search with both legs; `None` if one did not run.
fn statistics(
    context: &Context,
    search: &ResolvedSearch,
    ask: &CandidateQuery,
    words: &QueryWords,
) -> Result<Option<QueryStatistics>, SnapshotError> {
    let Some(nearest) = ask.nearest() else { return Ok(None) };
    let model = context.schema.models().nth(nearest.model);
    let trust = model.map(|(_, model)| model.trust.unwrap_or(default_trust(model.kind())));
    let spread = spread(context.corpus, &nearest)?;
    let trust = search.trust.or(trust).unwrap_or_default();
    Ok(Some(QueryStatistics::of(trust, words, (spread.mean, spread.deviation), spread.count)))
}

/// Scores candidates by their legs' signals, fused as requested. Returns them best first.
fn by_fusion(
    search: &ResolvedSearch,
    is_fused: bool,
    statistics: Option<&QueryStatistics>,
    candidates: Vec<Candidate>,
) -> Vec<ScoredRow> {
    let mut rows = candidates.into_iter().map(ScoredRow::by_its_leg).collect::<Vec<_>>();
    if is_fused {
        fuse(search, statistics, &mut rows);
    }
    best_first(&mut rows);
    rows
}

/// Scores candidates by the caller's own rule. Returns them best first.
fn by_own_rule(
    context: &Context,
    custom: &Custom,
    candidates: &[Candidate],
) -> Result<Vec<ScoredRow>, SnapshotError> {
    let scored = |(rated, explained): (Rated, Explained)| {
        let Rated { row, score, keyword, vector, .. } = rated;
        let bare = ScoredRow::by_its_leg(Candidate { row, keyword, vector });
        ScoredRow { score, explained: Some(explained), ..bare }
    };
    Ok(custom.rate(context, candidates)?.into_iter().map(scored).collect::<Vec<_>>())
}

/// Runs the stages on rows, best first.
fn staged(
    context: &Context,
    stages: &Stages,
    limit: usize,
    mut rows: Vec<ScoredRow>,
) -> Result<Vec<ScoredRow>, SnapshotError> {
    let ranked = |scored: &ScoredRow| RankedRow {
        row: scored.row,
        score: scored.score,
        relevance: relevance(scored.keyword, scored.vector),
    };
    let ranked = rows.iter().map(ranked).collect::<Vec<_>>();
    let staged = stages.run(context, &ranked, limit)?;
    let kept = staged.places.into_iter().zip(staged.folded).enumerate();
    let kept = kept.map(|(number, (place, folded))| {
        let is_pinned = number < staged.pinned;
        ScoredRow { folded, is_pinned, ..take(&mut rows[place]) }
    });
    Ok(kept.collect::<Vec<_>>())
}

impl ScoredRow {
    /// Creates a row with the score of its keyword leg, or else of its vector leg.
    fn by_its_leg(candidate: Candidate) -> ScoredRow {
        let Candidate { row, keyword, vector } = candidate;
        let score = |signal: Option<Signal>| signal.map_or(0.0, |signal| signal.score);
        let parts = (score(keyword), if keyword.is_some() { 0.0 } else { score(vector) });
        ScoredRow { row, score: parts.0 + parts.1, keyword, vector, parts, ..ScoredRow::default() }
    }
}

/// Sets the fused score of every row, and the amount that each leg adds to it.
fn fuse(search: &ResolvedSearch, statistics: Option<&QueryStatistics>, rows: &mut [ScoredRow]) {
    let score = |signal: Option<Signal>| signal.map(|signal| signal.score);
    let candidates = rows.iter().map(|scored| ranking::FusionCandidate {
        id: scored.row,
        keyword: score(scored.keyword),
        cosine: score(scored.vector),
    });
    let fused: Vec<Fused<u32>> = match search.fusion {
        Fusion::Rrf => {
            let place = |signal: Option<Signal>| signal.and_then(|signal| signal.place);
            let ranks = rows.iter().map(|scored| (scored.row, place(scored.keyword), place(scored.vector)));
            by_ranks(&ranks.collect::<Vec<_>>(), RRF_K)
        }
        Fusion::Sum => sum(&candidates.collect::<Vec<_>>(), search.alpha),
        Fusion::Auto => {
            let statistics = statistics.expect("the default fusion has statistics if both legs ran");
            auto(&candidates.collect::<Vec<_>>(), statistics).ranked
        }
    };
    for Fused { id, score, keyword, vector } in fused {
        let place = rows.binary_search_by_key(&id, |scored| scored.row);
        let scored = &mut rows[place.expect("every fused row was a candidate")];
        (scored.score, scored.parts) = (score, (keyword, vector));
    }
}

/// Multiplies each score by its recency factor and sorts by the result. A row without a time gets the least factor.
fn fade(context: &Context, recency: &Recency, rows: &mut [ScoredRow]) -> Result<(), SnapshotError> {
    let values = context.values()?;
    for scored in &mut *rows {
        let (part, document) = part_of(context.corpus, scored.row);
        let at = values[part].number(recency.attribute, document as usize);
        let left = at.map_or(recency.floor, |at| recency_boost(at, context.now, recency.floor));
        scored.recency = Some(left);
        scored.score *= left;
    }
    best_first(rows);
    Ok(())
}

fn best_first(rows: &mut [ScoredRow]) {
    sort_by(rows, |a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
}
