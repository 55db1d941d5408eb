//! What is each phrase worth in each of its documents? Cursors for queries that bm25 alone decides.

use super::Part;
use super::lists::{PhraseList, Worked};
use super::positions::cursor;
use super::score_table::ScoreTable;
use crate::bitmap::Bitmap;
use crate::bm25::Bm25;
use crate::ids::FieldSet;
use crate::index::{Cursor, ListRef};
use crate::query::{Node, Query};
use crate::snapshot::SnapshotError;
use std::sync::Arc;

/// A segment, and what its documents are scored by.
#[derive(Clone, Copy, Debug)]
pub struct Scoring<'a> {
    /// The segment.
    pub part: &'a Part<'a>,
    /// The query.
    pub query: &'a Query,
    /// The weight of each field.
    pub weights: &'a [f64],
    /// bm25 for this query.
    pub bm25: &'a Bm25,
    /// The documents that may match; none where all may.
    pub allowed: Option<&'a Bitmap>,
}

impl<'a> Scoring<'a> {
    /// Whether a document may be a hit.
    pub fn is_allowed(&self, document: u32) -> bool {
        self.part.is_live(document) && self.allowed.is_none_or(|allowed| allowed.has(document as usize))
    }

    /// The source of a phrase with its idf; none where no document has it.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn source(
        &self,
        phrase: usize,
        list: PhraseList,
        table: &ScoreTable,
    ) -> Result<Option<Source<'a>>, SnapshotError> {
        let fields = self.query.phrases[phrase].fields;
        let counts_all = fields.is_all_among(self.part.segment.schema().field_count());
        Ok(match list {
            PhraseList::Empty => None,
            PhraseList::Worked(worked) => Some(Source::worked(worked, table)),
            PhraseList::Term(list) if counts_all => Some(Source::term(self.part, list, table)?),
            PhraseList::Term(list) => {
                Some(Source::worked(restrict(self.part, list, fields, self.weights)?, table))
            }
        })
    }
}

/// Whether a node is a single phrase.
pub fn is_phrase(node: &Node) -> bool {
    matches!(node, Node::Near(group) if group.phrases.len() == 1)
}

/// Whether all weights are above zero, so that a document matches exactly if its score is not zero.
pub fn are_positive(weights: &[f64]) -> bool {
    weights.iter().all(|&weight| weight > 0.0)
}

/// A phrase's documents in one segment, and what each is worth.
#[derive(Clone, Debug)]
pub enum Source<'a> {
    /// A term's list.
    Term {
        /// The list.
        cursor: Box<Cursor<'a>>,
        /// What the best document of a list of one block is worth; infinite for longer lists.
        bound: f64,
    },
    /// Documents that were worked out.
    Worked {
        /// The documents, ascending.
        documents: Arc<Vec<u32>>,
        /// What each is worth, before idf.
        worths: Arc<Vec<f64>>,
        /// What the best is worth.
        bound: f64,
        /// Where we stand.
        at: usize,
    },
}

impl<'a> Source<'a> {
    fn term(part: &Part<'a>, list: ListRef, table: &ScoreTable) -> Result<Source<'a>, SnapshotError> {
        let cursor = Box::new(cursor(part, list)?);
        let bound = cursor.only_block().map(|(documents, shapes)| {
            let worths = documents.iter().zip(shapes).map(|(&document, &shape)| table.worth(shape, document));
            worths.fold(0.0, f64::max)
        });
        Ok(Source::Term { cursor, bound: bound.unwrap_or(f64::INFINITY) })
    }

    fn worked(worked: Worked, table: &ScoreTable) -> Source<'a> {
        let Worked { documents, frequencies: mut worths } = worked;
        let mut bound = 0.0;
        for (&document, worth) in documents.iter().zip(&mut worths) {
            *worth = table.worth_of(*worth, document);
            bound = if *worth > bound { *worth } else { bound };
        }
        Source::Worked { documents: Arc::new(documents), worths: Arc::new(worths), bound, at: 0 }
    }

    /// The document it stands on, or [`Cursor::END`].
    pub fn doc(&self) -> u32 {
        match self {
            Source::Term { cursor, .. } => cursor.doc(),
            Source::Worked { documents, at, .. } => documents.get(*at).copied().unwrap_or(Cursor::END),
        }
    }

    /// Moves to the first document that is at least `target`; never back.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn seek(&mut self, target: u32) -> Result<(), SnapshotError> {
        match self {
            Source::Term { cursor, .. } => cursor.seek(target)?,
            Source::Worked { documents, at, .. } => {
                // Mostly it is near: the distance is doubled until it is reached.
                let left = &documents[*at..];
                let mut far = 1;
                while left.get(far).is_some_and(|&document| document < target) {
                    far *= 2;
                }
                let near = far / 2;
                let until = left.len().min(far);
                *at += near + left[near..until].partition_point(|&document| document < target);
            }
        }
        Ok(())
    }

    /// What the document it stands on is worth, before idf.
    pub fn worth(&self, table: &ScoreTable) -> f64 {
        match self {
            Source::Term { cursor, .. } => table.worth(cursor.shape_number(), cursor.doc()),
            Source::Worked { worths, at, .. } => worths[*at],
        }
    }

    /// No more documents than this follow.
    pub fn most_documents(&self) -> usize {
        match self {
            Source::Term { cursor, .. } => cursor.documents(),
            Source::Worked { documents, .. } => documents.len(),
        }
    }

    /// No document from where it stands to `end` is worth more.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn bound_until(&self, end: u32, table: &ScoreTable) -> Result<f64, SnapshotError> {
        if self.doc() >= end {
            return Ok(0.0);
        }
        Ok(match self {
            Source::Term { bound, .. } if bound.is_finite() => *bound,
            Source::Term { cursor, .. } => table.bound(cursor.worth_until(end)?),
            Source::Worked { bound, .. } => *bound,
        })
    }
}

/// A term's documents in some of its fields.
fn restrict(part: &Part, list: ListRef, fields: FieldSet, weights: &[f64]) -> Result<Worked, SnapshotError> {
    let shapes = part.segment.shapes()?.iter();
    let counted = shapes.map(|shape| shape.touches(fields).then(|| shape.frequency(fields, weights)));
    let counted = counted.collect::<Vec<_>>();
    let mut worked = Worked::default();
    let mut cursor = cursor(part, list)?;
    while cursor.doc() != Cursor::END {
        if let Some(frequency) = counted[cursor.shape_number() as usize] {
            worked.documents.push(cursor.doc());
            worked.frequencies.push(frequency);
        }
        cursor.advance()?;
    }
    Ok(worked)
}
