//! AND, OR, NOT over the phrases' lists: which documents match, one after the other.

use super::common::{next_common, rarest_first};
use super::{Documents, Eligible, Ranked, TopK, Worked};
use crate::bitmap::Bitmap;
use crate::bm25::Bm25;
use crate::inverted::Cursor;
use crate::wire::Malformed;
use std::sync::Arc;

/// A cursor over the documents that a part of the query matches.
#[derive(Debug)]
pub enum Matching<'a> {
    /// None.
    Empty,
    /// Those of a term, in some of its fields.
    Term(Box<TermMatching<'a>>),
    /// Those that were worked out, for these phrases.
    Worked {
        /// The phrases, by place in the query.
        phrases: Vec<usize>,
        /// Their documents.
        worked: Worked,
        /// Where we stand.
        at: usize,
    },
    /// Those of all, and their numbers, the rarest first.
    And(Vec<Matching<'a>>, Vec<usize>),
    /// Those of any.
    Or(Vec<Matching<'a>>),
    /// Those of the first that are not those of the second.
    Not(Box<Matching<'a>>, Box<Matching<'a>>),
}

/// A term's list, and what each shape counts.
#[derive(Debug)]
pub struct TermMatching<'a> {
    /// The phrase, by place in the query.
    pub phrase: usize,
    /// Its list.
    pub cursor: Cursor<'a>,
    /// By shape number: the frequency, or none where the shape touches none of the fields.
    pub frequencies: Arc<Vec<Option<f64>>>,
}

impl<'a> Matching<'a> {
    /// Those of all.
    pub fn and(operands: Vec<Matching<'a>>) -> Matching<'a> {
        let order = rarest_first(&operands);
        Matching::And(operands, order)
    }

    /// Writes the frequencies of the phrases that take part in the match of `document`, where it stands.
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

    /// Offers every eligible match to `top`, and notes it in `all`. `lengths` are the documents'.
    ///
    /// # Errors
    /// When the index is damaged.
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
            // Where they do not share one, some stand at the end.
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
