//! The default recipe: words and meaning, fused.
//!
//! Keyword search and nearest vectors each give their best candidates. Every candidate is then looked up in both, so that
//! none counts less only because the other leg stopped short of it. Their scores are fused, and on request fade with age.

use crate::bitmap::Bitmap;
use crate::query::Query;
use crate::ranking::{Candidate, Fused, QueryStatistics, RRF_K, auto, by_ranks, recency_boost, sum};
use crate::retrieval::{
    self, Corpus, Found, Nearest, Part, Ranked, Retrieval, Spread, nearest, part_of, similarities, spread,
};
use crate::snapshot::SnapshotError;
use crate::vector;
use std::collections::BTreeMap;

/// How many rows of bits are looked at again, for one that is wanted.
const CANDIDATES_OF_BITS: usize = 2;
/// And at least so many.
const MIN_CANDIDATES_OF_BITS: usize = 400;

/// How two legs become one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fusion {
    /// The rule that evaluation found best.
    Auto,
    /// By places alone.
    Rrf,
    /// By scores, each brought to 0 to 1.
    Sum {
        /// What vectors count; words count the rest.
        alpha: f64,
    },
}

impl Fusion {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Fusion::Auto => "auto",
            Fusion::Rrf => "rrf",
            Fusion::Sum { .. } => "sum",
        }
    }
}

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The words; none where only vectors are asked.
    pub words: Option<Words<'a>>,
    /// The vector; none where only words are asked.
    pub vector: Option<(usize, &'a vector::Query)>,
    /// How many rows at most.
    pub limit: usize,
    /// How many candidates each leg gives, where both are asked or scores fade.
    pub candidates: usize,
    /// By segment, the documents that may be hits; none where all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// Whether to find out which rows match, all of them.
    pub wants_all: bool,
    /// How the two become one.
    pub fusion: Fusion,
    /// How scores fade.
    pub recency: Option<Recency>,
}

/// The words of a query.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// As they are looked for.
    pub query: &'a Query,
    /// The weight of each field.
    pub weights: &'a [f64],
}

/// How scores fade with age.
#[derive(Clone, Copy, Debug)]
pub struct Recency {
    /// The place of the attribute that tells when.
    pub attribute: usize,
    /// Now, in milliseconds.
    pub now: f64,
    /// No score fades further than to this share.
    pub floor: f64,
}

/// A row that was found, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scored {
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
}

/// What one leg says of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// bm25, or the similarity: higher is better.
    pub score: f64,
    /// Its place among the leg's own candidates, from 0; none where it is not one of them.
    pub place: Option<usize>,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Retrieved {
    /// The best rows, best first.
    pub rows: Vec<Scored>,
    /// What the words found.
    pub keyword: Option<Found>,
    /// How many candidates the vectors gave.
    pub vector: Option<usize>,
}

/// Finds the best rows.
///
/// # Errors
/// When the snapshot is damaged.
pub fn retrieve(corpus: &Corpus, plan: &Plan) -> Result<Retrieved, SnapshotError> {
    let is_simple = plan.recency.is_none() && (plan.words.is_none() || plan.vector.is_none());
    let depth = if is_simple { plan.limit } else { plan.candidates.max(plan.limit) };
    let keyword = plan.words.map(|words| keyword_leg(corpus, plan, words, depth)).transpose()?;
    let nearest = plan.vector.map(|vector| nearest(corpus, &nearest_of(plan, vector, depth))).transpose()?;
    let keyword_rows = keyword.as_ref().map_or(&[][..], |found| &found.rows);
    let nearest_rows = nearest.as_deref().unwrap_or_default();
    let mut rows = united(keyword_rows, nearest_rows);
    if let (Some(words), Some(vector)) = (plan.words, plan.vector) {
        complete_keyword(corpus, words, &mut rows)?;
        complete_vector(corpus, vector, &mut rows)?;
        let spread = match plan.fusion {
            Fusion::Auto => spread(corpus, &nearest_of(plan, vector, depth))?,
            Fusion::Rrf | Fusion::Sum { .. } => Spread::default(),
        };
        let found = keyword.as_ref().expect("the words were looked for");
        fuse(plan.fusion, found, &spread, &mut rows);
    }
    if let Some(recency) = &plan.recency {
        fade(corpus, recency, &mut rows)?;
    }
    rows.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.row.cmp(&b.row)));
    rows.truncate(plan.limit);
    let vector = nearest.map(|rows| rows.len());
    Ok(Retrieved { rows, keyword, vector })
}

fn keyword_leg(corpus: &Corpus, plan: &Plan, words: Words, depth: usize) -> Result<Found, SnapshotError> {
    let Words { query, weights } = words;
    let (allowed, wants_all) = (plan.allowed, plan.wants_all);
    retrieval::search(corpus, &Retrieval { query, weights, limit: depth, allowed, wants_all })
}

fn nearest_of<'a>(plan: &Plan<'a>, (model, query): (usize, &'a vector::Query), depth: usize) -> Nearest<'a> {
    let candidates = MIN_CANDIDATES_OF_BITS.max(CANDIDATES_OF_BITS * depth);
    Nearest { model, query, limit: depth, allowed: plan.allowed, candidates }
}

/// The candidates of both legs, by row, each with what its own leg says.
fn united(keyword: &[Ranked], nearest: &[Ranked]) -> Vec<Scored> {
    let mut rows = BTreeMap::<u32, Scored>::new();
    // Negating a zero would show as −0.
    let signal = |place: usize, ranked: &Ranked| Signal { score: 0.0 - ranked.rank, place: Some(place) };
    let blank = |row: u32, signal: Signal| Scored {
        row,
        score: signal.score,
        keyword: None,
        vector: None,
        parts: (0.0, 0.0),
        recency: None,
    };
    for (place, ranked) in keyword.iter().enumerate() {
        let signal = signal(place, ranked);
        rows.entry(ranked.row).or_insert_with(|| blank(ranked.row, signal)).keyword = Some(signal);
    }
    for (place, ranked) in nearest.iter().enumerate() {
        let signal = signal(place, ranked);
        rows.entry(ranked.row).or_insert_with(|| blank(ranked.row, signal)).vector = Some(signal);
    }
    rows.into_values().collect()
}

/// Looks up in the index the rows that only the vectors gave; those that do not match stay without.
fn complete_keyword(corpus: &Corpus, words: Words, rows: &mut [Scored]) -> Result<(), SnapshotError> {
    let mut only =
        corpus.parts.iter().map(|part| Bitmap::none(part.segment.documents() as usize)).collect::<Vec<_>>();
    let mut count = 0;
    for scored in rows.iter().filter(|scored| scored.keyword.is_none()) {
        let (part, document) = part_of(corpus, scored.row);
        only[part].insert(document as usize);
        count += 1;
    }
    if count == 0 {
        return Ok(());
    }
    let Words { query, weights } = words;
    let retrieval = Retrieval { query, weights, limit: count, allowed: Some(&only), wants_all: false };
    for ranked in retrieval::search(corpus, &retrieval)?.rows {
        let place = rows.binary_search_by_key(&ranked.row, |scored| scored.row);
        if let Ok(place) = place {
            rows[place].keyword = Some(Signal { score: 0.0 - ranked.rank, place: None });
        }
    }
    Ok(())
}

/// Looks up the vectors of the rows that only the words gave; some may have none.
fn complete_vector(
    corpus: &Corpus,
    (model, query): (usize, &vector::Query),
    rows: &mut [Scored],
) -> Result<(), SnapshotError> {
    let missing = (0..rows.len()).filter(|&place| rows[place].vector.is_none()).collect::<Vec<_>>();
    let found = similarities(corpus, model, query, missing.iter().map(|&place| rows[place].row))?;
    for (place, similarity) in missing.into_iter().zip(found) {
        rows[place].vector = similarity.map(|score| Signal { score: f64::from(score), place: None });
    }
    Ok(())
}

/// Gives every row its score and what each leg gave to it.
fn fuse(fusion: Fusion, found: &Found, spread: &Spread, rows: &mut [Scored]) {
    let score = |signal: Option<Signal>| signal.map(|signal| signal.score);
    let candidates = rows.iter().map(|scored| Candidate {
        id: scored.row,
        keyword: score(scored.keyword),
        cosine: score(scored.vector),
    });
    let fused: Vec<Fused<u32>> = match fusion {
        Fusion::Rrf => {
            let place = |signal: Option<Signal>| signal.and_then(|signal| signal.place);
            let ranks = rows.iter().map(|scored| (scored.row, place(scored.keyword), place(scored.vector)));
            by_ranks(&ranks.collect::<Vec<_>>(), RRF_K)
        }
        Fusion::Sum { alpha } => sum(&candidates.collect::<Vec<_>>(), alpha),
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
fn fade(corpus: &Corpus, recency: &Recency, rows: &mut [Scored]) -> Result<(), SnapshotError> {
    let values = corpus.parts.iter().map(Part::values).collect::<Result<Vec<_>, _>>()?;
    for scored in rows {
        let (part, document) = part_of(corpus, scored.row);
        let at = values[part].number(recency.attribute, document as usize);
        let left = at.map_or(recency.floor, |at| recency_boost(at, recency.now, recency.floor));
        scored.recency = Some(left);
        scored.score *= left;
    }
    Ok(())
}
