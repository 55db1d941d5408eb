//! The short way for queries that are nothing but alternatives.
//!
//! Documents are taken in windows that fit the fastest cache. In each window every phrase adds what it is worth to a sum
//! per document; then the sums above the worst of the best so far are looked at. A window whose phrases could not reach
//! that together, by the maxima kept with the postings, is skipped. Sums are built in the order of phrases, as bm25 does,
//! so they are the same to the bit.

use super::bm25::{Bm25, norm, saturation};
use super::lists::{PhraseList, Worked};
use super::positions::cursor;
use super::top_k::{Ranked, TopK};
use super::{Part, ScoreTables};
use crate::bitmap::Bitmap;
use crate::ids::FieldSet;
use crate::index::{Cursor, Shape};
use crate::query::{Node, Query};
use crate::snapshot::SnapshotError;
use std::sync::{Arc, PoisonError};

const WINDOW: usize = 4096;
const WINDOW_DOCS: u32 = 4096;

/// Whether a query can take the short way: alternatives of single phrases, and weights above zero, so that a
/// document matches exactly if its sum is above zero.
pub fn applies(query: &Query, weights: &[f64]) -> bool {
    let is_phrase = |node: &Node| match node {
        Node::Near(group) => group.phrases.len() == 1,
        Node::Nothing => true,
        _ => false,
    };
    let shape_fits = match &query.root {
        Node::Or(nodes) => nodes.iter().all(is_phrase),
        node => is_phrase(node),
    };
    shape_fits && weights.iter().all(|&weight| weight > 0.0)
}

/// What a shape is worth at a length, before idf: for the usual shapes and lengths, worked out once.
#[derive(Debug)]
pub struct ScoreTable {
    /// By shape and length, for the first shapes and the shorter lengths.
    usual: Vec<f64>,
    /// By shape: its frequency.
    frequencies: Vec<f64>,
    /// By document: its length, or [`LONG`] where that is beyond the table.
    lengths: Vec<u16>,
}

const SHAPES: usize = 16;
const LENGTHS: usize = 512;
/// Takes any place in the table beyond its end.
const LONG: u16 = u16::MAX;

impl ScoreTable {
    fn new(shapes: &[Shape], lengths: &[u32], weights: &[f64], average_length: f64) -> ScoreTable {
        let frequencies =
            shapes.iter().map(|shape| shape.frequency(FieldSet::ALL, weights)).collect::<Vec<_>>();
        let norms = (0..512).map(|length| norm(length, average_length)).collect::<Vec<_>>();
        let usual = frequencies.iter().take(SHAPES);
        let usual = usual.flat_map(|&frequency| norms.iter().map(move |&norm| saturation(frequency, norm)));
        let class =
            |&length: &u32| u16::try_from(length).ok().filter(|&length| usize::from(length) < LENGTHS);
        ScoreTable {
            usual: usual.collect(),
            frequencies,
            lengths: lengths.iter().map(|length| class(length).unwrap_or(LONG)).collect(),
        }
    }
}

impl ScoreTables {
    /// The table for these weights; kept until others are asked for.
    fn get(
        &self,
        part: &Part,
        weights: &[f64],
        average_length: f64,
    ) -> Result<Arc<ScoreTable>, SnapshotError> {
        let key =
            (weights.iter().map(|weight| weight.to_bits()).collect::<Vec<_>>(), average_length.to_bits());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, table)) = &*kept
            && *known == key
        {
            return Ok(Arc::clone(table));
        }
        let segment = part.segment;
        let table = Arc::new(ScoreTable::new(segment.shapes()?, segment.lengths()?, weights, average_length));
        *kept = Some((key, Arc::clone(&table)));
        Ok(table)
    }
}

/// One alternative.
struct Alternative<'a> {
    idf: f64,
    source: Source<'a>,
    /// No document can be worth more.
    most: f64,
}

enum Source<'a> {
    Term(Box<Cursor<'a>>),
    Worked { worked: Worked, at: usize },
}

/// Offers every document of `part` that matches to `top`.
///
/// `lists` are the phrases' lists, in order; `allowed` the documents that may match, where not all may.
///
/// # Errors
/// When the index is damaged.
pub fn collect(
    part: &Part,
    query: &Query,
    lists: Vec<PhraseList>,
    weights: &[f64],
    bm25: &Bm25,
    allowed: Option<&Bitmap>,
    top: &mut TopK,
) -> Result<(), SnapshotError> {
    let field_count = part.segment.schema().field_count();
    let table = part.tables.get(part, weights, bm25.average_length())?;
    let heaviest = weights.iter().copied().fold(1.0, f64::max);
    let mut alternatives = Vec::new();
    for ((list, phrase), &idf) in lists.into_iter().zip(&query.phrases).zip(&bm25.idf) {
        let source = match list {
            PhraseList::Empty => continue,
            PhraseList::Worked(worked) => Source::Worked { worked, at: 0 },
            PhraseList::Term(list) if phrase.fields.is_all_among(field_count) => {
                Source::Term(Box::new(cursor(part, list)?))
            }
            PhraseList::Term(list) => {
                Source::Worked { worked: restrict(part, list, phrase.fields, weights)?, at: 0 }
            }
        };
        alternatives.push(Alternative { idf, source, most: 0.0 });
    }
    let mut collector = Collector {
        part,
        table: &table,
        bm25,
        allowed,
        heaviest,
        lengths: part.segment.lengths()?,
        sums: Box::new([0.0; WINDOW]),
    };
    let mut start = 0;
    while let Some(first) = alternatives.iter().map(Alternative::doc).filter(|&doc| doc != Cursor::END).min()
    {
        // Windows start where there is something.
        start = first.max(start);
        collector.window(&mut alternatives, start, top)?;
        start = start.saturating_add(WINDOW_DOCS);
    }
    Ok(())
}

/// A term's documents in some of its fields.
fn restrict(
    part: &Part,
    list: crate::index::ListRef,
    fields: FieldSet,
    weights: &[f64],
) -> Result<Worked, SnapshotError> {
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

impl Alternative<'_> {
    fn doc(&self) -> u32 {
        match &self.source {
            Source::Term(cursor) => cursor.doc(),
            Source::Worked { worked, at } => worked.documents.get(*at).copied().unwrap_or(Cursor::END),
        }
    }

    fn seek(&mut self, target: u32) -> Result<(), SnapshotError> {
        match &mut self.source {
            Source::Term(cursor) => cursor.seek(target)?,
            Source::Worked { worked, at } => {
                *at += worked.documents[*at..].partition_point(|&document| document < target);
            }
        }
        Ok(())
    }
}

struct Collector<'a> {
    part: &'a Part<'a>,
    table: &'a ScoreTable,
    bm25: &'a Bm25,
    allowed: Option<&'a Bitmap>,
    heaviest: f64,
    lengths: &'a [u32],
    sums: Box<[f64; WINDOW]>,
}

impl Collector<'_> {
    fn window(
        &mut self,
        alternatives: &mut [Alternative],
        start: u32,
        top: &mut TopK,
    ) -> Result<(), SnapshotError> {
        let end = start.saturating_add(WINDOW_DOCS);
        let threshold = -top.threshold();
        if threshold > 0.0 {
            let mut most = 0.0;
            for alternative in alternatives.iter_mut() {
                alternative.most = self.most_until(alternative, end)?;
                most += alternative.most;
            }
            // The slack covers the rounding of this very sum.
            if most * (1.0 + 1e-9) < threshold {
                return alternatives.iter_mut().try_for_each(|alternative| alternative.seek(end));
            }
        }
        for alternative in alternatives {
            self.add(alternative, start, end)?;
        }
        self.offer(start, top);
        Ok(())
    }

    /// No document from where the alternative stands to `end` can be worth more.
    fn most_until(&self, alternative: &Alternative, end: u32) -> Result<f64, SnapshotError> {
        let Source::Term(cursor) = &alternative.source else {
            return Ok(alternative.idf * saturation(1.0, 0.0));
        };
        let Some(maximum) = cursor.maximum_until(end)? else { return Ok(0.0) };
        let Some(occurrences) = maximum.occurrences else {
            return Ok(alternative.idf * saturation(1.0, 0.0));
        };
        let frequency = f64::from(occurrences) * self.heaviest;
        Ok(alternative.idf * saturation(frequency, self.bm25.norm(maximum.shortest)))
    }

    fn add(&mut self, alternative: &mut Alternative, start: u32, end: u32) -> Result<(), SnapshotError> {
        let idf = alternative.idf;
        match &mut alternative.source {
            Source::Term(cursor) => loop {
                let (documents, shapes) = cursor.run_until(end);
                self.add_run(idf, documents, shapes, start);
                if !cursor.enter_next_block()? {
                    return Ok(());
                }
            },
            Source::Worked { worked, at } => {
                while let Some(&document) = worked.documents.get(*at).filter(|&&document| document < end) {
                    let norm = self.bm25.norm(self.lengths[document as usize]);
                    self.sums[(document - start) as usize % WINDOW] +=
                        idf * saturation(worked.frequencies[*at], norm);
                    *at += 1;
                }
                Ok(())
            }
        }
    }

    /// The hot loop.
    #[inline]
    fn add_run(&mut self, idf: f64, documents: &[u32], shapes: &[u32], start: u32) {
        let Collector { table, sums, .. } = self;
        for (&document, &shape) in documents.iter().zip(shapes) {
            let length = usize::from(table.lengths[document as usize]);
            let worth = match table.usual.get(shape as usize * LENGTHS + length) {
                Some(&worth) if length < LENGTHS => worth,
                _ => saturation(
                    table.frequencies[shape as usize],
                    self.bm25.norm(self.lengths[document as usize]),
                ),
            };
            sums[document.wrapping_sub(start) as usize % WINDOW] += idf * worth;
        }
    }

    fn offer(&mut self, start: u32, top: &mut TopK) {
        let mut threshold = (-top.threshold()).max(0.0);
        for (at, eight) in (start..).step_by(8).zip(self.sums.chunks_exact_mut(8)) {
            // Most sums are below: one look at eight of them.
            if eight.iter().fold(false, |above, &sum| above | (sum > threshold)) {
                for (document, &sum) in (at..).zip(&*eight) {
                    let is_allowed = || {
                        self.part.is_live(document)
                            && self.allowed.is_none_or(|allowed| allowed.has(document as usize))
                    };
                    if sum > threshold && is_allowed() {
                        top.push(Ranked { row: self.part.first_row + document, rank: -sum });
                        threshold = (-top.threshold()).max(0.0);
                    }
                }
            }
            eight.fill(0.0);
        }
    }
}
