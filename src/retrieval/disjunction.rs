//! The short way for queries that are nothing but alternatives: the best documents, without looking at all of them.
//!
//! Documents are taken in windows that fit the fastest cache. Once there are enough hits, a document has to be worth more
//! than the worst of them. Alternatives that could not be worth that much together, by the bounds kept with the postings,
//! are *lesser* in this window: only the others are read through, and a lesser one is looked up for the few documents
//! that it could still lift high enough (MaxScore, Turtle and Flood 1995). The final sums are built in the order
//! of phrases, as bm25 does, so they are the same to the bit.

use super::Part;
use super::lists::{PhraseList, Worked};
use super::positions::cursor;
use super::score_table::ScoreTable;
use super::top_k::{Ranked, TopK};
use crate::bitmap::Bitmap;
use crate::bm25::Bm25;
use crate::ids::FieldSet;
use crate::index::{Cursor, ListRef};
use crate::query::{Node, Query};
use crate::snapshot::SnapshotError;

const WINDOW: usize = 2048;
const WINDOW_DOCS: u32 = 2048;
/// Sums are looked at in chunks of this many: a window has 256 of them.
const CHUNK: usize = WINDOW / 256;

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

/// Offers every document of `part` that may be among the best to `top`.
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
    let mut alternatives = Vec::new();
    for ((list, phrase), &idf) in lists.into_iter().zip(&query.phrases).zip(&bm25.idf) {
        let source = match list {
            PhraseList::Empty => continue,
            PhraseList::Worked(worked) => Source::worked(worked, &table),
            PhraseList::Term(list) if phrase.fields.is_all_among(field_count) => {
                Source::term(part, list, &table)?
            }
            PhraseList::Term(list) => Source::worked(restrict(part, list, phrase.fields, weights)?, &table),
        };
        alternatives.push(Alternative { idf, look: source.clone(), scan: source, most: 0.0 });
    }
    let mut collector = Collector {
        part,
        table: &table,
        allowed,
        sums: Box::new([0.0; WINDOW]),
        touched: [0; 4],
        candidates: Vec::new(),
    };
    let mut start = 0;
    // Windows start where there is something.
    while let Some(first) = alternatives.iter().map(|alternative| alternative.scan.doc()).min() {
        if first == Cursor::END {
            return Ok(());
        }
        start = first.max(start);
        collector.window(&mut alternatives, start, top)?;
        start = start.saturating_add(WINDOW_DOCS);
        for alternative in &mut alternatives {
            alternative.scan.seek(start)?;
        }
    }
    Ok(())
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

/// One alternative: a cursor that is read through, one that is looked up in, and its bound in the window.
struct Alternative<'a> {
    idf: f64,
    scan: Source<'a>,
    look: Source<'a>,
    most: f64,
}

#[derive(Clone)]
enum Source<'a> {
    /// A term's list; the bound is for lists of one block, which keep none.
    Term { cursor: Box<Cursor<'a>>, bound: f64 },
    /// Documents and what each is worth.
    Worked { documents: std::sync::Arc<[u32]>, worths: std::sync::Arc<[f64]>, bound: f64, at: usize },
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
        let pairs = worked.documents.iter().zip(&worked.frequencies);
        let worths =
            pairs.map(|(&document, &frequency)| table.worth_of(frequency, document)).collect::<Vec<_>>();
        let bound = worths.iter().copied().fold(0.0, f64::max);
        Source::Worked { documents: worked.documents.into(), worths: worths.into(), bound, at: 0 }
    }

    fn doc(&self) -> u32 {
        match self {
            Source::Term { cursor, .. } => cursor.doc(),
            Source::Worked { documents, at, .. } => documents.get(*at).copied().unwrap_or(Cursor::END),
        }
    }

    fn seek(&mut self, target: u32) -> Result<(), SnapshotError> {
        match self {
            Source::Term { cursor, .. } => cursor.seek(target)?,
            Source::Worked { documents, at, .. } => {
                *at += documents[*at..].partition_point(|&document| document < target);
            }
        }
        Ok(())
    }

    /// What the document it stands on is worth, before idf.
    fn worth(&self, table: &ScoreTable) -> f64 {
        match self {
            Source::Term { cursor, .. } => table.worth(cursor.shape_number(), cursor.doc()),
            Source::Worked { worths, at, .. } => worths[*at],
        }
    }

    /// No document from where it stands to `end` is worth more.
    fn bound_until(&self, end: u32, table: &ScoreTable) -> Result<f64, SnapshotError> {
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

struct Collector<'a> {
    part: &'a Part<'a>,
    table: &'a ScoreTable,
    allowed: Option<&'a Bitmap>,
    sums: Box<[f64; WINDOW]>,
    /// Which chunks of sums are not zero.
    touched: [u64; 4],
    candidates: Vec<(u32, f64)>,
}

/// Covers the rounding of sums of bounds.
const ROUNDING: f64 = 1.0 + 1e-9;

impl Collector<'_> {
    fn window(
        &mut self,
        alternatives: &mut [Alternative],
        start: u32,
        top: &mut TopK,
    ) -> Result<(), SnapshotError> {
        let end = start.saturating_add(WINDOW_DOCS);
        let threshold = (-top.threshold()).max(0.0);
        let lesser_most =
            if threshold > 0.0 { self.find_lesser(alternatives, end, threshold)? } else { Some(0.0) };
        // Without a limit to what they could be worth, all of them together are not worth enough.
        let Some(lesser_most) = lesser_most else { return Ok(()) };
        // What a document needs before the lesser alternatives are looked up; without any, more than the threshold.
        let enough =
            if lesser_most > 0.0 { (threshold / ROUNDING - lesser_most).max(0.0) } else { threshold };
        let mut greater = alternatives.iter_mut().filter(|alternative| alternative.most >= 0.0);
        self.candidates.clear();
        match (greater.next(), greater.next()) {
            (Some(only), None) => self.gather_from(only, end, enough)?,
            (first, second) => {
                for alternative in first.into_iter().chain(second).chain(greater) {
                    self.add(alternative, start, end)?;
                }
                self.gather(start, enough);
            }
        }
        if lesser_most > 0.0 {
            return self.offer_candidates(alternatives, lesser_most, top);
        }
        for &(document, sum) in &self.candidates {
            top.push(Ranked { row: self.part.first_row + document, rank: -sum });
        }
        Ok(())
    }

    /// Notes every document of an alternative that is alone worth more than `enough`; blocks that hold none are skipped.
    fn gather_from(
        &mut self,
        alternative: &mut Alternative,
        end: u32,
        enough: f64,
    ) -> Result<(), SnapshotError> {
        let Collector { part, table, allowed, candidates, .. } = self;
        let idf = alternative.idf;
        let mut note = |document: u32, worth: f64| {
            let value = idf * worth;
            if value > enough && is_allowed(part, *allowed, document) {
                candidates.push((document, value));
            }
        };
        match &mut alternative.scan {
            Source::Term { cursor, .. } => loop {
                let (documents, shapes) = cursor.run_until(end);
                for (&document, &shape) in documents.iter().zip(shapes) {
                    note(document, table.worth(shape, document));
                }
                // A block that is worth too little is not even unpacked.
                if !cursor.enter_next_block_where(end, |kept| idf * table.bound(kept) >= enough)? {
                    return Ok(());
                }
            },
            Source::Worked { documents, worths, at, .. } => {
                while let Some(&document) = documents.get(*at).filter(|&&document| document < end) {
                    note(document, worths[*at]);
                    *at += 1;
                }
                Ok(())
            }
        }
    }

    /// Finds the alternatives that together cannot lift a document over the threshold in this window: their `most` becomes
    /// negative. The answer is what they could be worth together; none where that holds of all alternatives.
    fn find_lesser(
        &self,
        alternatives: &mut [Alternative],
        end: u32,
        threshold: f64,
    ) -> Result<Option<f64>, SnapshotError> {
        for alternative in alternatives.iter_mut() {
            alternative.most = alternative.idf * alternative.scan.bound_until(end, self.table)?;
        }
        let mut order = (0..alternatives.len()).collect::<Vec<_>>();
        order.sort_unstable_by(|&a, &b| alternatives[a].most.total_cmp(&alternatives[b].most));
        let mut together = 0.0;
        for &place in &order {
            let alternative = &mut alternatives[place];
            if (together + alternative.most) * ROUNDING >= threshold {
                return Ok(Some(together));
            }
            together += alternative.most;
            alternative.most = -alternative.most;
        }
        Ok(None)
    }

    /// Adds what an alternative is worth to the sums of its documents in the window.
    fn add(&mut self, alternative: &mut Alternative, start: u32, end: u32) -> Result<(), SnapshotError> {
        let Collector { table, sums, touched, .. } = self;
        let idf = alternative.idf;
        let mut add = |document: u32, worth: f64| {
            let place = document.wrapping_sub(start) as usize % WINDOW;
            sums[place] += idf * worth;
            touched[place / CHUNK / 64] |= 1 << (place / CHUNK % 64);
        };
        match &mut alternative.scan {
            Source::Term { cursor, .. } => loop {
                let (documents, shapes) = cursor.run_until(end);
                for (&document, &shape) in documents.iter().zip(shapes) {
                    add(document, table.worth(shape, document));
                }
                if !cursor.enter_next_block()? {
                    return Ok(());
                }
            },
            Source::Worked { documents, worths, at, .. } => {
                while let Some(&document) = documents.get(*at).filter(|&&document| document < end) {
                    add(document, worths[*at]);
                    *at += 1;
                }
                Ok(())
            }
        }
    }

    /// Notes every document whose sum is above `enough`, and sets all sums to zero.
    fn gather(&mut self, start: u32, enough: f64) {
        let Collector { part, allowed, sums, touched, candidates, .. } = self;
        for (chunk, sums) in sums.chunks_exact_mut(CHUNK).enumerate() {
            if touched[chunk / 64] >> (chunk % 64) & 1 == 0 {
                continue;
            }
            // Most sums are below: one look at all of them.
            if highest(sums) > enough {
                let first = start + WINDOW_DOCS / 256 * chunk as u32;
                for (document, &sum) in (first..).zip(&*sums) {
                    if sum > enough && is_allowed(part, *allowed, document) {
                        candidates.push((document, sum));
                    }
                }
            }
            sums.fill(0.0);
        }
        *touched = [0; 4];
    }

    /// Looks the lesser alternatives up for the candidates, and offers those that remain.
    fn offer_candidates(
        &self,
        alternatives: &mut [Alternative],
        lesser_most: f64,
        top: &mut TopK,
    ) -> Result<(), SnapshotError> {
        let mut lesser =
            (0..alternatives.len()).filter(|&place| alternatives[place].most < 0.0).collect::<Vec<_>>();
        lesser.sort_unstable_by(|&a, &b| alternatives[a].most.total_cmp(&alternatives[b].most));
        'candidates: for &(document, sum) in &self.candidates {
            let threshold = (-top.threshold()).max(0.0);
            let mut sum = sum;
            let mut left = lesser_most;
            // The one that could add most is looked up first: most candidates fail there.
            for &place in &lesser {
                if (sum + left) * ROUNDING < threshold {
                    continue 'candidates;
                }
                let alternative = &mut alternatives[place];
                left += alternative.most;
                sum += alternative.value_at(document, self.table)?;
            }
            if sum * ROUNDING < threshold {
                continue;
            }
            // Once more, in the order of phrases: the order of additions decides the last bit.
            let mut exact = 0.0;
            for alternative in alternatives.iter_mut() {
                exact += alternative.value_at(document, self.table)?;
            }
            if exact > threshold {
                top.push(Ranked { row: self.part.first_row + document, rank: -exact });
            }
        }
        Ok(())
    }
}

impl Alternative<'_> {
    /// What it is worth in a document; documents are asked for in order.
    fn value_at(&mut self, document: u32, table: &ScoreTable) -> Result<f64, SnapshotError> {
        self.look.seek(document)?;
        Ok(if self.look.doc() == document { self.idf * self.look.worth(table) } else { 0.0 })
    }
}

fn is_allowed(part: &Part, allowed: Option<&Bitmap>, document: u32) -> bool {
    part.is_live(document) && allowed.is_none_or(|allowed| allowed.has(document as usize))
}

/// The highest of sums that are not negative; in two lanes, which compilers make vectors of.
fn highest(sums: &[f64]) -> f64 {
    let mut lanes = [0.0f64; 2];
    for pair in sums.chunks_exact(2) {
        lanes[0] = if pair[0] > lanes[0] { pair[0] } else { lanes[0] };
        lanes[1] = if pair[1] > lanes[1] { pair[1] } else { lanes[1] };
    }
    lanes[0].max(lanes[1])
}
