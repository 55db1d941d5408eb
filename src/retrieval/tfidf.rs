//! How many documents have each term, and how long is each document's term vector?
//!
//! One pass over the dictionary and all posting lists answers both for every document. Comparing a query with some
//! documents then reads only the lists of the query's own terms. The result is valid until the next write.

use super::{Corpus, LiveSegment};
use crate::bitmap::Bitmap;
use crate::ids::FieldSet;
use crate::inverted::{Cursor, TermsWalk};
use crate::snapshot::SnapshotError;
use crate::wire::len32;

/// Selects and weighs the terms.
#[derive(Clone, Copy)]
pub struct TermSelection<'a> {
    /// The fields whose terms count.
    pub fields: FieldSet,
    /// Returns whether a term counts.
    pub counts: &'a dyn Fn(&[u8]) -> bool,
    /// Returns the inverse document frequency, given the number of documents and of those that have the term.
    pub idf: fn(u64, u64) -> f64,
}

/// Document frequencies and the lengths of all documents' term vectors.
///
/// The length of a vector is the square root of Σ (frequency · idf)², added in byte order of the terms.
#[derive(Clone, Debug)]
pub struct TermStatistics {
    /// For each segment, the documents that count: the live ones among those that were given.
    members: Vec<Bitmap>,
    documents: u64,
    /// For each segment and term number, how many of the counted documents have the term.
    with_term: Vec<Vec<u32>>,
    /// The length of each row's vector.
    lengths: Vec<f64>,
}

impl TermStatistics {
    /// Computes the statistics in one pass over all posting lists; `members` are the documents that count, per segment.
    ///
    /// # Errors
    /// Fails when the index is damaged.
    pub fn gather(
        corpus: &Corpus,
        mut members: Vec<Bitmap>,
        terms: &TermSelection,
    ) -> Result<TermStatistics, SnapshotError> {
        let mut walks = Vec::with_capacity(corpus.parts.len());
        for (part, members) in corpus.parts.iter().zip(&mut members) {
            if let Some(dead) = part.dead {
                members.subtract(dead);
            }
            walks.push(SegmentWalk::new(part, terms.fields)?);
        }
        let documents = members.iter().map(|members| members.count() as u64).sum();
        let rows = corpus.parts.last().map_or(0, |part| part.first_row + part.segment.documents());
        let mut squares = vec![0.0; rows as usize];
        let mut with_term = walks.iter().map(|walk| vec![0; walk.term_count]).collect::<Vec<_>>();
        let mut found: Vec<(u32, u32)> = Vec::new();
        let mut term = Vec::new();
        while let Some(next) = walks.iter().filter(|walk| !walk.is_over).map(|walk| walk.terms.term()).min() {
            term.clear();
            term.extend_from_slice(next);
            let counts = (terms.counts)(&term);
            found.clear();
            for (number, walk) in walks.iter_mut().enumerate() {
                if walk.is_over || walk.terms.term() != term {
                    continue;
                }
                if counts {
                    let before = found.len();
                    walk.occurrences(&members[number], &mut found)?;
                    with_term[number][walk.terms.number()] = len32(found.len() - before);
                }
                walk.is_over = !walk.terms.advance()?;
            }
            let idf = (terms.idf)(documents, found.len() as u64);
            for (row, count) in &found {
                let weight = f64::from(*count) * idf;
                squares[*row as usize] += weight * weight;
            }
        }
        let lengths = squares.into_iter().map(f64::sqrt).collect::<Vec<_>>();
        Ok(TermStatistics { members, documents, with_term, lengths })
    }

    /// Returns for each segment the documents that count.
    pub fn members(&self) -> &[Bitmap] {
        &self.members
    }

    /// Returns the number of documents that count.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// Returns how many of the counted documents have a term.
    ///
    /// # Errors
    /// Fails when the dictionary is damaged.
    pub fn with_term(&self, corpus: &Corpus, term: &[u8]) -> Result<u64, SnapshotError> {
        let mut sum = 0;
        for (part, with_term) in corpus.parts.iter().zip(&self.with_term) {
            let mut walk = part.segment.terms()?.walk_from(term)?;
            if walk.advance()? && walk.term() == term {
                sum += u64::from(with_term[walk.number()]);
            }
        }
        Ok(sum)
    }

    /// Returns the length of a row's vector; 0 if the row does not count.
    pub fn length(&self, row: u32) -> f64 {
        self.lengths[row as usize]
    }
}

/// A pass over the dictionary of one segment.
struct SegmentWalk<'a> {
    terms: TermsWalk<'a>,
    term_count: usize,
    is_over: bool,
    /// The cursor for all lists, created with the first list.
    lists: Option<Box<Cursor<'a>>>,
    part: &'a LiveSegment<'a>,
    /// For each shape, how often the term occurs in the fields that count.
    counts: Vec<u32>,
}

impl<'a> SegmentWalk<'a> {
    fn new(part: &'a LiveSegment<'a>, fields: FieldSet) -> Result<SegmentWalk<'a>, SnapshotError> {
        let view = part.segment.terms()?;
        let counts = part.segment.shapes()?.iter().map(|shape| {
            let own = shape.counts().iter().filter(|(field, _)| fields.has(*field));
            own.fold(0, |sum: u32, (_, count)| sum.saturating_add(*count))
        });
        let mut terms = view.walk();
        let is_over = !terms.advance()?;
        let counts = counts.collect::<Vec<_>>();
        Ok(SegmentWalk { terms, term_count: view.len(), is_over, lists: None, part, counts })
    }

    /// Appends the member rows that have the current term, with its frequency.
    fn occurrences(&mut self, members: &Bitmap, found: &mut Vec<(u32, u32)>) -> Result<(), SnapshotError> {
        let list = self.terms.list();
        let lists = match &mut self.lists {
            Some(lists) => {
                lists.restart(list)?;
                lists
            }
            empty => empty.insert(Box::new(self.part.segment.lists()?.cursor(list)?)),
        };
        loop {
            let (documents, shapes) = lists.run_until(Cursor::END);
            for (document, shape) in documents.iter().zip(shapes) {
                let count = self.counts[*shape as usize];
                if count > 0 && members.has(*document as usize) {
                    found.push((self.part.first_row + document, count));
                }
            }
            if !lists.enter_next_block()? {
                return Ok(());
            }
        }
    }
}
