//! How many documents have each term, and how long is each document's vector of terms?
//!
//! One walk through the dictionary and all lists answers for every document, so that comparing a query with some of them
//! takes no more than the lists of its own terms. Good until the next write.

use super::{Corpus, Part};
use crate::bitmap::Bitmap;
use crate::ids::FieldSet;
use crate::inverted::{Cursor, TermsWalk};
use crate::snapshot::SnapshotError;
use crate::wire::len32;

/// What counts, and for how much.
#[derive(Clone, Copy)]
pub struct Terms<'a> {
    /// The fields whose terms count.
    pub fields: FieldSet,
    /// Whether a term counts.
    pub counts: &'a dyn Fn(&[u8]) -> bool,
    /// What a term tells, by how many documents there are and how many of them have it.
    pub idf: fn(u64, u64) -> f64,
}

/// How many documents have each term, and how long each document's vector is: the root of the sum, in byte order of the
/// terms, of the squares of how often a term occurs times what it tells.
#[derive(Clone, Debug)]
pub struct TermStatistics {
    /// By segment, the documents that count: the live ones of those that were given.
    members: Vec<Bitmap>,
    documents: u64,
    /// By segment and number of the term there, how many of its documents have the term.
    with_term: Vec<Vec<u32>>,
    /// By row.
    lengths: Vec<f64>,
}

impl TermStatistics {
    /// Walks through all lists. `members` are, by segment, the documents that count.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn gather(
        corpus: &Corpus,
        mut members: Vec<Bitmap>,
        terms: &Terms,
    ) -> Result<TermStatistics, SnapshotError> {
        let mut walks = Vec::with_capacity(corpus.parts.len());
        for (part, members) in corpus.parts.iter().zip(&mut members) {
            if let Some(dead) = part.dead {
                members.subtract(dead);
            }
            walks.push(Walk::new(part, terms.fields)?);
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

    /// By segment, the documents that count.
    pub fn members(&self) -> &[Bitmap] {
        &self.members
    }

    /// How many documents count.
    pub fn documents(&self) -> u64 {
        self.documents
    }

    /// How many of them have a term.
    ///
    /// # Errors
    /// When the dictionary is damaged.
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

    /// How long the vector of a row is; 0 where the row does not count.
    pub fn length(&self, row: u32) -> f64 {
        self.lengths[row as usize]
    }
}

/// A walk through the dictionary of one segment.
struct Walk<'a> {
    terms: TermsWalk<'a>,
    term_count: usize,
    is_over: bool,
    /// One for all lists, once there is a list.
    lists: Option<Box<Cursor<'a>>>,
    part: &'a Part<'a>,
    /// By shape, how often the term occurs in the fields that count.
    counts: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn new(part: &'a Part<'a>, fields: FieldSet) -> Result<Walk<'a>, SnapshotError> {
        let view = part.segment.terms()?;
        let counts = part.segment.shapes()?.iter().map(|shape| {
            let own = shape.counts().iter().filter(|(field, _)| fields.has(*field));
            own.fold(0, |sum: u32, (_, count)| sum.saturating_add(*count))
        });
        let mut terms = view.walk();
        let is_over = !terms.advance()?;
        let counts = counts.collect::<Vec<_>>();
        Ok(Walk { terms, term_count: view.len(), is_over, lists: None, part, counts })
    }

    /// Adds the rows of the members that have the term it stands on, and how often.
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
