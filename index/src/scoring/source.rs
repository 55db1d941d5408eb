//! A phrase's documents, and what each is worth: cursors for queries that bm25 alone decides.

use super::{Documents, ScoreTable};
use crate::inverted::Cursor;
use crate::wire::Malformed;
use std::sync::Arc;

/// The documents of one or more phrases, worked out: for each document, a frequency for each phrase.
#[derive(Clone, Debug, Default)]
pub struct Worked {
    /// The documents, ascending.
    pub documents: Vec<u32>,
    /// For each document the frequency of each phrase.
    pub frequencies: Vec<f64>,
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
    /// The documents of a list, from its first on.
    pub fn term(cursor: Cursor<'a>, table: &ScoreTable) -> Source<'a> {
        let cursor = Box::new(cursor);
        let bound = cursor.only_block().map(|(documents, shapes)| {
            let worths = documents.iter().zip(shapes).map(|(&document, &shape)| table.worth(shape, document));
            worths.fold(0.0, f64::max)
        });
        Source::Term { cursor, bound: bound.unwrap_or(f64::INFINITY) }
    }

    /// Documents that were worked out.
    pub fn worked(worked: Worked, table: &ScoreTable) -> Source<'a> {
        let Worked { documents, frequencies: mut worths } = worked;
        let mut bound = 0.0;
        for (&document, worth) in documents.iter().zip(&mut worths) {
            *worth = table.worth_of(*worth, document);
            bound = if *worth > bound { *worth } else { bound };
        }
        Source::Worked { documents: Arc::new(documents), worths: Arc::new(worths), bound, at: 0 }
    }

    /// What the document it stands on is worth, before idf.
    #[inline]
    pub fn worth(&self, table: &ScoreTable) -> f64 {
        match self {
            Source::Term { cursor, .. } => table.worth(cursor.shape_number(), cursor.doc()),
            Source::Worked { worths, at, .. } => worths[*at],
        }
    }

    /// No document from where it stands to `end` is worth more.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn bound_until(&self, end: u32, table: &ScoreTable) -> Result<f64, Malformed> {
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

impl Documents for Source<'_> {
    #[inline]
    fn doc(&self) -> u32 {
        match self {
            Source::Term { cursor, .. } => cursor.doc(),
            Source::Worked { documents, at, .. } => documents.get(*at).copied().unwrap_or(Cursor::END),
        }
    }

    fn seek(&mut self, target: u32) -> Result<(), Malformed> {
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

    fn most_documents(&self) -> usize {
        match self {
            Source::Term { cursor, .. } => cursor.documents(),
            Source::Worked { documents, .. } => documents.len(),
        }
    }
}
