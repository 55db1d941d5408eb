//! Finds candidates: the best rows of the keyword leg and of the vector leg.

use crate::bitmap::Bitmap;
use crate::order::Map;
use crate::query::Query;
use crate::retrieval::{
    self, Corpus, KeywordResult, Nearest, Ranked, Retrieval, nearest, part_of, similarities,
};
use crate::snapshot::SnapshotError;
use crate::vector;
use serde::Serialize;

/// The number of rows per wanted row that the 1-bit first pass of a vector search keeps for exact scoring.
const CANDIDATES_OF_BITS: usize = 2;
/// The least number of rows that the 1-bit first pass keeps.
const MIN_CANDIDATES_OF_BITS: usize = 400;

/// A search for candidates in one or both legs.
#[derive(Clone, Copy, Debug)]
pub struct CandidateQuery<'a> {
    /// The words; `None` to run the vector leg only.
    pub words: Option<Words<'a>>,
    /// The index of the model and the query's vector; `None` to run the keyword leg only.
    pub vector: Option<(usize, &'a vector::VectorQuery)>,
    /// The maximum number of candidates per leg.
    pub depth: usize,
    /// For each segment, the documents that may be hits; `None` if all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// Whether to collect all matching rows of the keyword leg, for counts and facets.
    pub wants_all: bool,
}

/// The words of a query.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// The parsed query.
    pub query: &'a Query,
    /// The weight of each field.
    pub weights: &'a [f64],
}

/// A row that a leg returned, with the signals of both legs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The row.
    pub row: u32,
    /// The signal of the keyword leg.
    pub keyword: Option<Signal>,
    /// The signal of the vector leg.
    pub vector: Option<Signal>,
}

impl Candidate {
    /// Creates a candidate that no leg returned, such as a pinned record.
    pub fn of_row(row: u32) -> Candidate {
        Candidate { row, keyword: None, vector: None }
    }
}

/// The signal of one leg for a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// The BM25 score as a positive number, or the similarity: higher is better.
    pub score: f64,
    /// The rank among the leg's candidates, from 0; `None` if the leg did not return the row.
    pub place: Option<usize>,
}

/// The candidates of both legs.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// The distinct candidates, in row order.
    pub rows: Vec<Candidate>,
    /// The result of the keyword leg; `None` if it did not run.
    pub keyword: Option<KeywordResult>,
    /// The number of candidates of the vector leg; `None` if it did not run.
    pub vector: Option<usize>,
}

impl<'a> CandidateQuery<'a> {
    /// Returns the parameters of the vector leg, if it runs.
    pub fn nearest(&self) -> Option<Nearest<'a>> {
        let (model, query) = self.vector?;
        let candidates = MIN_CANDIDATES_OF_BITS.max(CANDIDATES_OF_BITS * self.depth);
        Some(Nearest { model, query, limit: self.depth, allowed: self.allowed, candidates })
    }

    /// Runs the legs. Each candidate has the signals of the legs that returned it.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn candidates(&self, corpus: &Corpus) -> Result<Candidates, SnapshotError> {
        let (allowed, wants_all) = (self.allowed, self.wants_all);
        let keyword = match self.words {
            Some(Words { query, weights }) => Some(retrieval::search(
                corpus,
                &Retrieval { query, weights, limit: self.depth, allowed, wants_all },
            )?),
            None => None,
        };
        let near = self.nearest().map(|asked| nearest(corpus, &asked)).transpose()?;
        let rows = united(
            keyword.as_ref().map_or(&[][..], |found| &found.rows),
            near.as_deref().unwrap_or_default(),
        );
        Ok(Candidates { rows, keyword, vector: near.map(|rows| rows.len()) })
    }

    /// Adds the missing signal to every candidate that only one leg returned, so that no candidate scores less only because
    /// a leg stopped at its limit. A candidate that does not match, or has no vector, stays without that signal.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn complete(&self, corpus: &Corpus, rows: &mut [Candidate]) -> Result<(), SnapshotError> {
        if let Some(words) = self.words {
            complete_keyword(corpus, words, rows)?;
        }
        if let Some(vector) = self.vector {
            complete_vector(corpus, vector, rows)?;
        }
        Ok(())
    }
}

fn united(keyword: &[Ranked], nearest: &[Ranked]) -> Vec<Candidate> {
    let mut rows = Map::<u32, Candidate>::new();
    // `-0.0` would show up as −0, so subtract instead of negating.
    let signal =
        |place: usize, ranked: &Ranked| Some(Signal { score: 0.0 - ranked.rank, place: Some(place) });
    for (place, ranked) in keyword.iter().enumerate() {
        rows.or_insert(ranked.row, Candidate::of_row(ranked.row)).keyword = signal(place, ranked);
    }
    for (place, ranked) in nearest.iter().enumerate() {
        rows.or_insert(ranked.row, Candidate::of_row(ranked.row)).vector = signal(place, ranked);
    }
    rows.into_iter().map(|(_, candidate)| candidate).collect::<Vec<_>>()
}

/// Scores the candidates that the keyword leg did not return.
fn complete_keyword(corpus: &Corpus, words: Words, rows: &mut [Candidate]) -> Result<(), SnapshotError> {
    let mut only =
        corpus.parts.iter().map(|part| Bitmap::none(part.segment.documents() as usize)).collect::<Vec<_>>();
    let mut count = 0;
    for candidate in rows.iter().filter(|candidate| candidate.keyword.is_none()) {
        let (part, document) = part_of(corpus, candidate.row);
        only[part].insert(document as usize);
        count += 1;
    }
    if count == 0 {
        return Ok(());
    }
    let Words { query, weights } = words;
    let retrieval = Retrieval { query, weights, limit: count, allowed: Some(&only), wants_all: false };
    for ranked in retrieval::search(corpus, &retrieval)?.rows {
        let place = rows.binary_search_by_key(&ranked.row, |candidate| candidate.row);
        if let Ok(place) = place {
            rows[place].keyword = Some(Signal { score: 0.0 - ranked.rank, place: None });
        }
    }
    Ok(())
}

/// Computes the similarity of the candidates that the vector leg did not return.
fn complete_vector(
    corpus: &Corpus,
    (model, query): (usize, &vector::VectorQuery),
    rows: &mut [Candidate],
) -> Result<(), SnapshotError> {
    let missing = (0..rows.len()).filter(|&place| rows[place].vector.is_none()).collect::<Vec<_>>();
    let found = similarities(corpus, model, query, missing.iter().map(|&place| rows[place].row))?;
    for (place, similarity) in missing.into_iter().zip(found) {
        rows[place].vector = similarity.map(|score| Signal { score: f64::from(score), place: None });
    }
    Ok(())
}

/// The number of candidates per leg; `None` for a leg that did not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Legs {
    /// The candidates of the keyword leg.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword: Option<usize>,
    /// The candidates of the vector leg.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector: Option<usize>,
}
