//! The documents of a phrase with their impacts, for queries that bm25 alone ranks.

use super::{DocCursor, ScoreTable};
use crate::inverted::Cursor;
use crate::wire::Malformed;
use std::sync::Arc;

/// A materialised list: the documents that contain one or more phrases, with the frequency of each phrase.
#[derive(Clone, Debug, Default)]
pub struct MaterialisedList {
    /// The documents, ascending.
    pub documents: Vec<u32>,
    /// The frequencies: for each document, one per phrase.
    pub frequencies: Vec<f64>,
}

/// A cursor over the documents of a phrase in one segment, with the impact of each.
#[derive(Clone, Debug)]
pub enum ImpactCursor<'a> {
    /// The posting list of a single term.
    Term {
        /// The cursor over the list.
        cursor: Box<Cursor<'a>>,
        /// The maximum impact in a list of one block; infinite for longer lists, which have bounds per block.
        bound: f64,
    },
    /// A materialised list.
    Materialised {
        /// The documents, ascending.
        documents: Arc<Vec<u32>>,
        /// The impact of each document, before idf.
        impacts: Arc<Vec<f64>>,
        /// The maximum impact.
        bound: f64,
        /// The index of the current document.
        at: usize,
    },
}

impl<'a> ImpactCursor<'a> {
    /// Creates a cursor at the first document of a posting list.
    pub fn term(cursor: Cursor<'a>, table: &ScoreTable) -> ImpactCursor<'a> {
        let cursor = Box::new(cursor);
        let bound = cursor.only_block().map(|(documents, shapes)| {
            let impacts =
                documents.iter().zip(shapes).map(|(&document, &shape)| table.impact(shape, document));
            impacts.fold(0.0, f64::max)
        });
        ImpactCursor::Term { cursor, bound: bound.unwrap_or(f64::INFINITY) }
    }

    /// Creates a cursor at the first document of a materialised list with one phrase.
    pub fn materialised(list: MaterialisedList, table: &ScoreTable) -> ImpactCursor<'a> {
        let MaterialisedList { documents, frequencies: mut impacts } = list;
        let mut bound = 0.0;
        for (&document, impact) in documents.iter().zip(&mut impacts) {
            *impact = table.impact_of_frequency(*impact, document);
            bound = if *impact > bound { *impact } else { bound };
        }
        ImpactCursor::Materialised {
            documents: Arc::new(documents),
            impacts: Arc::new(impacts),
            bound,
            at: 0,
        }
    }

    /// Returns the impact of the current document, before idf.
    #[inline]
    pub fn impact(&self, table: &ScoreTable) -> f64 {
        match self {
            ImpactCursor::Term { cursor, .. } => table.impact(cursor.shape_number(), cursor.doc()),
            ImpactCursor::Materialised { impacts, at, .. } => impacts[*at],
        }
    }

    /// Returns an upper bound of the impacts from the current document up to `end`, exclusive.
    ///
    /// # Errors
    /// Returns an error when the index is damaged.
    pub fn bound_until(&self, end: u32, table: &ScoreTable) -> Result<f64, Malformed> {
        if self.doc() >= end {
            return Ok(0.0);
        }
        Ok(match self {
            ImpactCursor::Term { bound, .. } if bound.is_finite() => *bound,
            ImpactCursor::Term { cursor, .. } => table.bound(cursor.max_impact_until(end)?),
            ImpactCursor::Materialised { bound, .. } => *bound,
        })
    }
}

impl DocCursor for ImpactCursor<'_> {
    #[inline]
    fn doc(&self) -> u32 {
        match self {
            ImpactCursor::Term { cursor, .. } => cursor.doc(),
            ImpactCursor::Materialised { documents, at, .. } => {
                documents.get(*at).copied().unwrap_or(Cursor::END)
            }
        }
    }

    fn seek(&mut self, target: u32) -> Result<(), Malformed> {
        match self {
            ImpactCursor::Term { cursor, .. } => cursor.seek(target)?,
            ImpactCursor::Materialised { documents, at, .. } => {
                // The target is usually near, so gallop: double the distance until it is passed.
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

    fn max_documents(&self) -> usize {
        match self {
            ImpactCursor::Term { cursor, .. } => cursor.documents(),
            ImpactCursor::Materialised { documents, .. } => documents.len(),
        }
    }
}
