//! Which documents match a combination of phrases by AND, OR and NOT?
//!
//! Each operator is a cursor over its operands' cursors. Every match is scored.

use super::common::{next_common, rarest_first};
use super::{Documents, Eligible, Ranked, TopK, Worked};
use crate::bitmap::Bitmap;
use crate::bm25::Bm25;
use crate::inverted::Cursor;
use crate::wire::Malformed;
use std::sync::Arc;

/// A cursor over the documents that match a part of the query.
#[derive(Debug)]
pub enum Matching<'a> {
    /// No documents.
    Empty,
    /// The documents that contain a term in some fields.
    Term(Box<TermMatching<'a>>),
    /// A materialised list of documents, with frequencies of these phrases.
    Worked {
        /// The indexes of the phrases in the query.
        phrases: Vec<usize>,
        /// The documents, with one frequency per phrase.
        worked: Worked,
        /// The index of the current document.
        at: usize,
    },
    /// The documents that match all operands, and the indexes of the operands, the rarest first.
    And(Vec<Matching<'a>>, Vec<usize>),
    /// The documents that match any operand.
    Or(Vec<Matching<'a>>),
    /// The documents that match the first operand and not the second.
    Not(Box<Matching<'a>>, Box<Matching<'a>>),
}

/// A term's posting list, restricted to some fields.
#[derive(Debug)]
pub struct TermMatching<'a> {
    /// The index of the phrase in the query.
    pub phrase: usize,
    /// The cursor over the posting list.
    pub cursor: Cursor<'a>,
    /// The weighted frequency per shape number; `None` when the shape has no occurrence in the fields.
    pub frequencies: Arc<Vec<Option<f64>>>,
}

impl<'a> Matching<'a> {
    /// Combines operands by AND.
    pub fn and(operands: Vec<Matching<'a>>) -> Matching<'a> {
        let order = rarest_first(&operands);
        Matching::And(operands, order)
    }

    /// Writes the frequencies of the phrases that match in `document` into `out`, if the cursor is on it.
    pub fn frequencies(&self, document: u32, out: &mut [f64]) {
        if self.doc() != document {
            return;
        }
        match self {
            Matching::Empty => {}
            Matching::Term(term) => out[term.phrase] = term.frequency().unwrap_or(0.0),
            Matching::Worked { phrases, worked, at } => {
                let of_document = &worked.frequencies[at * phrases.len()..];
                phrases.iter().zip(of_document).for_each(|(&phrase, &frequency)| out[phrase] = frequency);
            }
            Matching::And(operands, _) | Matching::Or(operands) => {
                operands.iter().for_each(|operand| operand.frequencies(document, out));
            }
            Matching::Not(keep, _) => keep.frequencies(document, out),
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

impl Documents for Matching<'_> {
    fn doc(&self) -> u32 {
        match self {
            Matching::Empty => Cursor::END,
            Matching::Term(term) => term.cursor.doc(),
            Matching::Worked { worked, at, .. } => worked.documents.get(*at).copied().unwrap_or(Cursor::END),
            // When the operands share no further document, at least one of them is at the end.
            Matching::And(operands, _) => operands.iter().map(Matching::doc).max().unwrap_or(Cursor::END),
            Matching::Or(operands) => operands.iter().map(Matching::doc).min().unwrap_or(Cursor::END),
            Matching::Not(keep, _) => keep.doc(),
        }
    }

    fn seek(&mut self, target: u32) -> Result<(), Malformed> {
        match self {
            Matching::Empty => Ok(()),
            Matching::Term(term) => term.seek(target),
            Matching::Worked { worked, at, .. } => {
                *at += worked.documents[*at..].partition_point(|&document| document < target);
                Ok(())
            }
            Matching::And(operands, order) => next_common(operands, order, target).map(drop),
            Matching::Or(operands) => operands.iter_mut().try_for_each(|operand| operand.seek(target)),
            Matching::Not(keep, drop) => {
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

    fn most_documents(&self) -> usize {
        match self {
            Matching::Empty => 0,
            Matching::Term(term) => term.cursor.documents(),
            Matching::Worked { worked, .. } => worked.documents.len(),
            Matching::And(operands, _) => operands.iter().map(Matching::most_documents).min().unwrap_or(0),
            Matching::Or(operands) => {
                operands.iter().map(Matching::most_documents).fold(0, usize::saturating_add)
            }
            Matching::Not(keep, _) => keep.most_documents(),
        }
    }
}

impl TermMatching<'_> {
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
