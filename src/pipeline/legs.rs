//! Which rows are candidates? What words find, and what vectors find.

use crate::bitmap::Bitmap;
use crate::order::Map;
use crate::query::Query;
use crate::retrieval::{
    self, Corpus, KeywordResult, Nearest, Ranked, Retrieval, nearest, part_of, similarities,
};
use crate::snapshot::SnapshotError;
use crate::vector;
use serde::Serialize;

/// How many rows of bits are looked at again, for one that is wanted.
const CANDIDATES_OF_BITS: usize = 2;
/// And at least so many.
const MIN_CANDIDATES_OF_BITS: usize = 400;

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct CandidateQuery<'a> {
    /// The words; none where only vectors are asked.
    pub words: Option<Words<'a>>,
    /// The place of the model, and the vector; none where only words are asked.
    pub vector: Option<(usize, &'a vector::VectorQuery)>,
    /// How many candidates each leg gives at most.
    pub depth: usize,
    /// By segment, the documents that may be hits; none where all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// Whether to find out which rows match, all of them.
    pub wants_all: bool,
}

/// The words of a query.
#[derive(Clone, Copy, Debug)]
pub struct Words<'a> {
    /// As they are looked for.
    pub query: &'a Query,
    /// The weight of each field.
    pub weights: &'a [f64],
}

/// A row that a leg gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The row.
    pub row: u32,
    /// What words say.
    pub keyword: Option<Signal>,
    /// What vectors say.
    pub vector: Option<Signal>,
}

impl Candidate {
    /// A row that no leg gave.
    pub fn of_row(row: u32) -> Candidate {
        Candidate { row, keyword: None, vector: None }
    }
}

/// What one leg says of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// bm25, or the similarity: higher is better.
    pub score: f64,
    /// Its place among the leg's own candidates, from 0; none where it is not one of them.
    pub place: Option<usize>,
}

/// The candidates of both legs.
#[derive(Clone, Debug)]
pub struct Candidates {
    /// In row order, each once.
    pub rows: Vec<Candidate>,
    /// What the words found; none where they were not asked.
    pub keyword: Option<KeywordResult>,
    /// How many the vectors gave; none where they were not asked.
    pub vector: Option<usize>,
}

impl<'a> CandidateQuery<'a> {
    /// What is asked of the vectors, where they are asked.
    pub fn nearest(&self) -> Option<Nearest<'a>> {
        let (model, query) = self.vector?;
        let candidates = MIN_CANDIDATES_OF_BITS.max(CANDIDATES_OF_BITS * self.depth);
        Some(Nearest { model, query, limit: self.depth, allowed: self.allowed, candidates })
    }

    /// The candidates, each with what its own leg says.
    ///
    /// # Errors
    /// When the snapshot is damaged.
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

    /// Looks every candidate up in the leg that did not give it, so that none counts less only because a leg stopped
    /// short of it. What does not match, or has no vector, stays without.
    ///
    /// # Errors
    /// When the snapshot is damaged.
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
    // Negating a zero would show as −0.
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

/// Looks up in the index the rows that the words did not give.
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

/// Looks up the vectors of the rows that the vectors did not give.
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

/// How many candidates each leg gave; none where it did not run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Legs {
    /// Of the words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword: Option<usize>,
    /// Of the vectors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector: Option<usize>,
}
