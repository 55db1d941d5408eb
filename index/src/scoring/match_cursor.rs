//! Which documents match a combination of phrases by AND, OR and NOT?
//!
//! Each operator is a cursor over its operands' cursors. Every match is scored.

use super::intersection::{next_common, rarest_first};
use super::{DocCursor, Eligible, MaterialisedList, Ranked, TopK};
use crate::bitmap::Bitmap;
use crate::bm25::Bm25;
use crate::inverted::Cursor;
use crate::wire::Malformed;
use std::sync::Arc;

/// A cursor over the documents that match a part of the query.
#[derive(Debug)]
pub enum MatchCursor<'a> {
    /// No documents.
    Empty,
    /// The documents that contain a term in some fields.
    Term(Box<TermMatch<'a>>),
    /// A materialised list of documents, with frequencies of these phrases.
    Materialised {
        /// The indexes of the phrases in the query.
        phrases: Vec<usize>,
        /// The documents, with one frequency per phrase.
        list: MaterialisedList,
        /// The index of the current document.
        at: usize,
    },
    /// The documents that match all operands, and the indexes of the operands, the rarest first.
    And(Vec<MatchCursor<'a>>, Vec<usize>),
    /// The documents that match any operand.
    Or(Vec<MatchCursor<'a>>),
    /// The documents that match the first operand and not the second.
    Not(Box<MatchCursor<'a>>, Box<MatchCursor<'a>>),
}

/// A term's posting list, restricted to some fields.
#[derive(Debug)]
pub struct TermMatch<'a> {
    /// The index of the phrase in the query.
    pub phrase: usize,
    /// The cursor over the posting list.
    pub cursor: Cursor<'a>,
    /// The weighted frequency per shape number; `None` when the shape has no occurrence in the fields.
    pub frequencies: Arc<Vec<Option<f64>>>,
}

impl<'a> MatchCursor<'a> {
    /// Combines operands by AND.
    pub fn and(operands: Vec<MatchCursor<'a>>) -> MatchCursor<'a> {
        let order = rarest_first(&operands);
        MatchCursor::And(operands, order)
    }

    /// Writes the frequencies of the phrases that match in `document` into `out`, if the cursor is on it.
    pub fn frequencies(&self, document: u32, out: &mut [f64]) {
        if self.doc() != document {
            return;
        }
        match self {
            MatchCursor::Empty => {}
            MatchCursor::Term(term) => out[term.phrase] = term.frequency().unwrap_or(0.0),
            MatchCursor::Materialised { phrases, list, at } => {
                let of_document = &list.frequencies[at * phrases.len()..];
                phrases.iter().zip(of_document).for_each(|(&phrase, &frequency)| out[phrase] = frequency);
            }
            MatchCursor::And(operands, _) | MatchCursor::Or(operands) => {
                operands.iter().for_each(|operand| operand.frequencies(document, out));
            }
            MatchCursor::Not(keep, _) => keep.frequencies(document, out),
        }
    }

    /// Offers every eligible match to `top` and records it in `all`.
    ///
    /// `lengths` holds the number of tokens per document.
    ///
    /// # Errors
    /// Returns an error when the index is damaged.
    pub fn collect(
        mut self,
        eligible: &Eligible,
        bm25: &Bm25,
        lengths: &[u32],
        mut all: Option<&mut Bitmap>,
        top: &mut TopK,
    ) -> Result<(), Malformed> {
        let mut frequencies = vec![0.0; bm25.idf.len()];
        while self.doc() != Cursor::END {
            let document = self.doc();
            if eligible.has(document) {
                frequencies.fill(0.0);
                self.frequencies(document, &mut frequencies);
                let rank = bm25.rank(&frequencies, lengths[document as usize]);
                top.push(Ranked { row: eligible.first_row + document, rank });
                if let Some(all) = &mut all {
                    all.insert(document as usize);
                }
            }
            self.seek(document + 1)?;
        }
        Ok(())
    }
}

impl DocCursor for MatchCursor<'_> {
    fn doc(&self) -> u32 {
        match self {
            MatchCursor::Empty => Cursor::END,
            MatchCursor::Term(term) => term.cursor.doc(),
            MatchCursor::Materialised { list, at, .. } => {
                list.documents.get(*at).copied().unwrap_or(Cursor::END)
            }
            // When the operands share no further document, at least one of them is at the end.
            MatchCursor::And(operands, _) => {
                operands.iter().map(MatchCursor::doc).max().unwrap_or(Cursor::END)
            }
            MatchCursor::Or(operands) => operands.iter().map(MatchCursor::doc).min().unwrap_or(Cursor::END),
            MatchCursor::Not(keep, _) => keep.doc(),
        }
    }

    fn seek(&mut self, target: u32) -> Result<(), Malformed> {
        match self {
            MatchCursor::Empty => Ok(()),
            MatchCursor::Term(term) => term.seek(target),
            MatchCursor::Materialised { list, at, .. } => {
                *at += list.documents[*at..].partition_point(|&document| document < target);
                Ok(())
            }
            MatchCursor::And(operands, order) => next_common(operands, order, target).map(drop),
            MatchCursor::Or(operands) => operands.iter_mut().try_for_each(|operand| operand.seek(target)),
            MatchCursor::Not(keep, drop) => {
                keep.seek(target)?;
                loop {
                    let document = keep.doc();
                    if document == Cursor::END {
                        return Ok(());
                    }
                    drop.seek(document)?;
                    if drop.doc() != document {
                        return Ok(());
                    }
                    keep.seek(document + 1)?;
                }
            }
        }
    }

    fn max_documents(&self) -> usize {
        match self {
            MatchCursor::Empty => 0,
            MatchCursor::Term(term) => term.cursor.documents(),
            MatchCursor::Materialised { list, .. } => list.documents.len(),
            MatchCursor::And(operands, _) => {
                operands.iter().map(MatchCursor::max_documents).min().unwrap_or(0)
            }
            MatchCursor::Or(operands) => {
                operands.iter().map(MatchCursor::max_documents).fold(0, usize::saturating_add)
            }
            MatchCursor::Not(keep, _) => keep.max_documents(),
        }
    }
}

impl TermMatch<'_> {
    fn frequency(&self) -> Option<f64> {
        self.frequencies[self.cursor.shape_number() as usize]
    }

    fn seek(&mut self, target: u32) -> Result<(), Malformed> {
        self.cursor.seek(target)?;
        while self.cursor.doc() != Cursor::END && self.frequency().is_none() {
            self.cursor.advance()?;
        }
        Ok(())
    }
}
