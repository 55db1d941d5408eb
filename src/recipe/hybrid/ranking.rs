//! The default recipe: words and meaning, fused.
//!
//! Keyword search and nearest vectors each give their best candidates. Every candidate is then looked up in both, so that
//! none counts less only because the other leg stopped short of it. Their scores are fused, and on request fade with age.

use super::custom::Custom;
use super::options::Fusion;
use super::resolved::{Recency, ResolvedSearch};
use crate::bitmap::Bitmap;
use crate::order::sort_by;
use crate::pipeline::{Candidate, CandidateQuery, Candidates, Signal, Words};
use crate::pipeline::{Context, Explained, Rated};
use crate::pipeline::{RankedRow, Stages, relevance};
use crate::ranking::{self, Fused, QueryStatistics, RRF_K, auto, by_ranks, recency_boost, sum};
use crate::retrieval::{KeywordResult, Spread, part_of, spread};
use crate::snapshot::SnapshotError;
use crate::vector;
use std::mem::take;

/// A row that was found, and why.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ScoredRow {
    /// The row.
    pub row: u32,
    /// How well it fits.
    pub score: f64,
    /// What words say.
    pub keyword: Option<Signal>,
    /// What vectors say.
    pub vector: Option<Signal>,
    /// What words and vectors give to the score, before it fades.
    pub parts: (f64, f64),
    /// What is left of the score.
    pub recency: Option<f64>,
    /// How the caller's own rule made the score.
    pub explained: Option<Explained>,
    /// Whether it is here because it was pinned.
    pub is_pinned: bool,
    /// The rows that are folded under it.
    pub folded: Vec<u32>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Retrieved {
    /// The best rows, best first.
    pub rows: Vec<ScoredRow>,
    /// What the words found.
    pub keyword: Option<KeywordResult>,
    /// How many candidates the vectors gave.
    pub vector: Option<usize>,
}

/// Finds the best rows: candidates from both legs, scored and sent through the stages.
///
/// # Errors
/// When the snapshot is damaged.
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
    let is_simple =
        search.recency.is_none() && search.custom.is_none() && search.stages.are_none() && !is_fused;
    let depth = if is_simple { limit } else { search.candidates.max(limit) };
    let ask = CandidateQuery { words, vector, depth, allowed, wants_all: search.wants_all };
    let Candidates { rows: mut candidates, keyword, vector } = ask.candidates(corpus)?;
    search.stages.add_pinned(corpus, allowed, &mut candidates)?;
    if is_fused || !search.stages.pinned.is_empty() {
        ask.complete(corpus, &mut candidates)?;
    }
    let mut rows = match &search.custom {
        Some(custom) => by_own_rule(context, custom, &candidates)?,
        None => by_fusion(context, search, &ask, keyword.as_ref(), candidates)?,
    };
    if !search.stages.are_none() {
        rows = staged(context, &search.stages, limit, rows)?;
    }
    rows.truncate(limit);
    Ok(Retrieved { rows, keyword, vector })
}

/// Scores candidates by their legs, fused where there are two, faded where that was asked for. Best first.
fn by_fusion(
    context: &Context,
    search: &ResolvedSearch,
    ask: &CandidateQuery,
    keyword: Option<&KeywordResult>,
    candidates: Vec<Candidate>,
) -> Result<Vec<ScoredRow>, SnapshotError> {
    let mut rows = candidates.into_iter().map(ScoredRow::by_its_leg).collect::<Vec<_>>();
    if let (Some(found), Some(nearest)) = (keyword, ask.nearest()) {
        let spread = match search.fusion {
            Fusion::Auto => spread(context.corpus, &nearest)?,
            Fusion::Rrf | Fusion::Sum => Spread::default(),
        };
        fuse(search, found, &spread, &mut rows);
    }
    if let Some(recency) = &search.recency {
        fade(context, recency, &mut rows)?;
    }
    sort_by(&mut rows, |a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    Ok(rows)
}

/// Scores candidates by the caller's own rule. Best first.
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

/// Puts rows, best first, through the stages.
fn staged(
    context: &Context,
    stages: &Stages,
    limit: usize,
    mut rows: Vec<ScoredRow>,
) -> Result<Vec<ScoredRow>, SnapshotError> {
    let standing = |scored: &ScoredRow| RankedRow {
        row: scored.row,
        score: scored.score,
        relevance: relevance(scored.keyword, scored.vector),
    };
    let standings = rows.iter().map(standing).collect::<Vec<_>>();
    let staged = stages.run(context, &standings, limit)?;
    let kept = staged.places.into_iter().zip(staged.folded).enumerate();
    let kept = kept.map(|(number, (place, folded))| {
        let is_pinned = number < staged.pinned;
        ScoredRow { folded, is_pinned, ..take(&mut rows[place]) }
    });
    Ok(kept.collect::<Vec<_>>())
}

impl ScoredRow {
    /// A row of one leg, with that leg's score.
    fn by_its_leg(candidate: Candidate) -> ScoredRow {
        let Candidate { row, keyword, vector } = candidate;
        let score = |signal: Option<Signal>| signal.map_or(0.0, |signal| signal.score);
        let parts = (score(keyword), if keyword.is_some() { 0.0 } else { score(vector) });
        ScoredRow { row, score: parts.0 + parts.1, keyword, vector, parts, ..ScoredRow::default() }
    }
}

/// Gives every row its score and what each leg gave to it.
fn fuse(search: &ResolvedSearch, found: &KeywordResult, spread: &Spread, rows: &mut [ScoredRow]) {
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
            let occurring = found.hits.iter().zip(&found.bm25.idf).filter(|(hits, _)| **hits > 0);
            let statistics = QueryStatistics {
                idf_sum: occurring.map(|(_, idf)| idf).sum(),
                average_length: found.bm25.average_length(),
                mean_cosine: spread.mean,
                cosine_deviation: spread.deviation,
            };
            auto(&candidates.collect::<Vec<_>>(), &statistics).ranked
        }
    };
    for Fused { id, score, keyword, vector } in fused {
        let place = rows.binary_search_by_key(&id, |scored| scored.row);
        let scored = &mut rows[place.expect("what is fused was a candidate")];
        (scored.score, scored.parts) = (score, (keyword, vector));
    }
}

/// Multiplies each score by what is left of it at its age; a row without a time counts as old as can be.
fn fade(context: &Context, recency: &Recency, rows: &mut [ScoredRow]) -> Result<(), SnapshotError> {
    let values = context.values()?;
    for scored in rows {
        let (part, document) = part_of(context.corpus, scored.row);
        let at = values[part].number(recency.attribute, document as usize);
        let left = at.map_or(recency.floor, |at| recency_boost(at, context.now, recency.floor));
        scored.recency = Some(left);
        scored.score *= left;
    }
    Ok(())
}
