//! Finds the best documents for a query of alternatives (OR), without scoring all of them.
//!
//! This is MaxScore (Turtle and Flood 1995) in windows of 2,048 documents, whose sums fit the fastest cache. Once the
//! top-k heap is full, a document needs a score above the heap's threshold. In each window, the lists are ordered by
//! their score upper bounds, from the bounds per block stored with the postings. The lists with the smallest bounds, as
//! long as their sum stays below the threshold, are *non-essential*: a document that only they contain cannot be a hit.
//! The essential lists are scanned and summed in the window. The non-essential lists are only looked up for candidates
//! that they could still lift over the threshold. Final scores are summed in the order of the phrases, as bm25 does, so
//! they are equal to the bit.

use super::{DocCursor, ImpactCursor, Ranked, ScoreTable, Scoring, TopK};
use crate::bitmap::Bitmap;
use crate::inverted::Cursor;
use crate::order::sort_indexes;
use crate::wire::Malformed;

/// The number of documents per window.
const WINDOW: usize = 2048;
const WINDOW_DOCS: u32 = 2048;
/// The number of sums per chunk; a window has 256 chunks.
const CHUNK: usize = WINDOW / 256;

/// Looking up one document takes as long as scanning this number of postings.
const POSTINGS_PER_LOOKUP: usize = 64;

/// Offers every document that may be among the best to `top`.
///
/// `cursors` holds one cursor per phrase, in order; `None` when no document of the segment contains the phrase.
///
/// # Errors
/// Returns an error when the index is damaged.
pub fn collect(
    scoring: &Scoring,
    cursors: Vec<Option<ImpactCursor>>,
    top: &mut TopK,
) -> Result<(), Malformed> {
    let is_alone = cursors.len() == 1;
    let mut alternatives = Vec::with_capacity(cursors.len());
    for (cursor, &idf) in cursors.into_iter().zip(scoring.idf) {
        if let Some(cursor) = cursor {
            let lookup = (!is_alone).then(|| cursor.clone());
            alternatives.push(Alternative { idf, lookup, scan: cursor, bound: 0.0 });
        }
    }
    let postings = alternatives.iter().map(|alternative| alternative.scan.max_documents()).sum::<usize>();
    if let Some(few) =
        scoring.eligible.allowed.filter(|allowed| POSTINGS_PER_LOOKUP * allowed.count() <= postings)
    {
        return look_up_each(scoring, few, &mut alternatives, top);
    }
    let mut collector =
        Collector { scoring, sums: Box::new([0.0; WINDOW]), touched: [0; 4], candidates: Vec::new() };
    let mut start = 0;
    // A window starts at the first document that some list still contains.
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

/// Scores a few allowed documents by looking each one up, instead of scanning the lists.
fn look_up_each(
    scoring: &Scoring,
    few: &Bitmap,
    alternatives: &mut [Alternative],
    top: &mut TopK,
) -> Result<(), Malformed> {
    let documents = few.iter().map(|document| u32::try_from(document).expect("document numbers fit 32 bits"));
    for document in documents.filter(|document| scoring.eligible.is_live(*document)) {
        let mut sum = 0.0;
        for alternative in alternatives.iter_mut() {
            sum += alternative.score_at(document, scoring.table)?;
        }
        if sum > (-top.threshold()).max(0.0) {
            top.push(Ranked { row: scoring.eligible.first_row + document, rank: -sum });
        }
    }
    Ok(())
}

/// One alternative of the query: a cursor for scanning, a second one for lookups if there are other alternatives, and
/// its score upper bound in the current window.
struct Alternative<'a> {
    idf: f64,
    scan: ImpactCursor<'a>,
    lookup: Option<ImpactCursor<'a>>,
    bound: f64,
}

/// The working memory for one window.
struct Collector<'a> {
    scoring: &'a Scoring<'a>,
    /// The partial score of each document in the window.
    sums: Box<[f64; WINDOW]>,
    /// One bit per chunk of sums, set when the chunk may contain a non-zero sum.
    touched: [u64; 4],
    /// Documents that may be hits, with their partial scores.
    candidates: Vec<(u32, f64)>,
}

/// A margin for the rounding of sums of bounds.
const ROUNDING: f64 = 1.0 + 1e-9;

impl Collector<'_> {
    /// Offers the hits among the documents from `start` to the end of the window to `top`.
    fn window(
        &mut self,
        alternatives: &mut [Alternative],
        start: u32,
        top: &mut TopK,
    ) -> Result<(), Malformed> {
        let end = start.saturating_add(WINDOW_DOCS);
        let threshold = (-top.threshold()).max(0.0);
        let non_essential_bound =
            if threshold > 0.0 { self.find_non_essential(alternatives, end, threshold)? } else { Some(0.0) };
        // When even all alternatives together stay below the threshold, the window contains no hit.
        let Some(non_essential_bound) = non_essential_bound else { return Ok(()) };
        // The partial score that a document needs before the non-essential lists are looked up. Without such lists, it
        // is the threshold.
        let needed = if non_essential_bound > 0.0 {
            (threshold / ROUNDING - non_essential_bound).max(0.0)
        } else {
            threshold
        };
        let mut essential = alternatives.iter_mut().filter(|alternative| alternative.bound >= 0.0);
        self.candidates.clear();
        match (essential.next(), essential.next()) {
            (Some(only), None) => self.gather_from(only, end, needed)?,
            (first, second) => {
                for alternative in first.into_iter().chain(second).chain(essential) {
                    self.add(alternative, start, end)?;
                }
                self.gather(start, needed);
            }
        }
        if non_essential_bound > 0.0 {
            return self.offer_candidates(alternatives, non_essential_bound, top);
        }
        for &(document, sum) in &self.candidates {
            top.push(Ranked { row: self.scoring.eligible.first_row + document, rank: -sum });
        }
        Ok(())
    }

    /// Collects the candidates from the only essential list, skipping blocks whose bound is below `needed`.
    fn gather_from(&mut self, alternative: &mut Alternative, end: u32, needed: f64) -> Result<(), Malformed> {
        let Collector { scoring, candidates, .. } = self;
        let table = scoring.table;
        let idf = alternative.idf;
        let mut note = |document: u32, impact: f64| {
            let value = idf * impact;
            if value > needed && scoring.eligible.has(document) {
                candidates.push((document, value));
            }
        };
        match &mut alternative.scan {
            ImpactCursor::Term { cursor, .. } => loop {
                let (documents, shapes) = cursor.run_until(end);
                for (&document, &shape) in documents.iter().zip(shapes) {
                    note(document, table.impact(shape, document));
                }
                // A block whose bound is too low is not even unpacked.
                if !cursor.enter_next_block_where(end, |kept| idf * table.bound(kept) >= needed)? {
                    return Ok(());
                }
            },
            ImpactCursor::Materialised { documents, impacts, at, .. } => {
                while let Some(&document) = documents.get(*at).filter(|&&document| document < end) {
                    note(document, impacts[*at]);
                    *at += 1;
                }
                Ok(())
            }
        }
    }

    /// Finds the non-essential alternatives of this window and negates their `bound`.
    ///
    /// Returns the sum of their bounds, or `None` when all alternatives are non-essential.
    fn find_non_essential(
        &self,
        alternatives: &mut [Alternative],
        end: u32,
        threshold: f64,
    ) -> Result<Option<f64>, Malformed> {
        for alternative in alternatives.iter_mut() {
            alternative.bound = alternative.idf * alternative.scan.bound_until(end, self.scoring.table)?;
        }
        let mut order = (0..alternatives.len()).collect::<Vec<_>>();
        sort_indexes(&mut order, &mut |a, b| alternatives[a].bound.total_cmp(&alternatives[b].bound));
        let mut bound_sum = 0.0;
        for &place in &order {
            let alternative = &mut alternatives[place];
            if (bound_sum + alternative.bound) * ROUNDING >= threshold {
                return Ok(Some(bound_sum));
            }
            bound_sum += alternative.bound;
            alternative.bound = -alternative.bound;
        }
        Ok(None)
    }

    /// Adds the scores of an alternative to the sums of its documents in the window.
    fn add(&mut self, alternative: &mut Alternative, start: u32, end: u32) -> Result<(), Malformed> {
        let Collector { scoring, sums, touched, .. } = self;
        let table = scoring.table;
        let idf = alternative.idf;
        let mut add = |document: u32, impact: f64| {
            let place = document.wrapping_sub(start) as usize % WINDOW;
            sums[place] += idf * impact;
            touched[place / CHUNK / 64] |= 1 << (place / CHUNK % 64);
        };
        match &mut alternative.scan {
            ImpactCursor::Term { cursor, .. } => loop {
                let (documents, shapes) = cursor.run_until(end);
                for (&document, &shape) in documents.iter().zip(shapes) {
                    add(document, table.impact(shape, document));
                }
                if !cursor.enter_next_block()? {
                    return Ok(());
                }
            },
            ImpactCursor::Materialised { documents, impacts, at, .. } => {
                while let Some(&document) = documents.get(*at).filter(|&&document| document < end) {
                    add(document, impacts[*at]);
                    *at += 1;
                }
                Ok(())
            }
        }
    }

    /// Collects the documents whose sums exceed `needed`, and resets all sums to zero.
    fn gather(&mut self, start: u32, needed: f64) {
        let Collector { scoring, sums, touched, candidates, .. } = self;
        for (chunk, sums) in sums.chunks_exact_mut(CHUNK).enumerate() {
            if touched[chunk / 64] >> (chunk % 64) & 1 == 0 {
                continue;
            }
            // Most chunks have no such sum, and one maximum rules them out.
            if highest(sums) > needed {
                let first = start + WINDOW_DOCS / 256 * chunk as u32;
                for (document, &sum) in (first..).zip(&*sums) {
                    if sum > needed && scoring.eligible.has(document) {
                        candidates.push((document, sum));
                    }
                }
            }
            sums.fill(0.0);
        }
        *touched = [0; 4];
    }

    /// Completes the candidates' scores from the non-essential alternatives, and offers those above the threshold.
    fn offer_candidates(
        &self,
        alternatives: &mut [Alternative],
        non_essential_bound: f64,
        top: &mut TopK,
    ) -> Result<(), Malformed> {
        let mut non_essential =
            (0..alternatives.len()).filter(|&place| alternatives[place].bound < 0.0).collect::<Vec<_>>();
        sort_indexes(&mut non_essential, &mut |a, b| alternatives[a].bound.total_cmp(&alternatives[b].bound));
        'candidates: for &(document, sum) in &self.candidates {
            let threshold = (-top.threshold()).max(0.0);
            let mut sum = sum;
            let mut left = non_essential_bound;
            // Look up the alternative with the highest bound first: most candidates fail there.
            for &place in &non_essential {
                if (sum + left) * ROUNDING < threshold {
                    continue 'candidates;
                }
                let alternative = &mut alternatives[place];
                left += alternative.bound;
                sum += alternative.score_at(document, self.scoring.table)?;
            }
            if sum * ROUNDING < threshold {
                continue;
            }
            // Sum again in the order of the phrases, because the order of additions decides the last bit.
            let mut exact = 0.0;
            for alternative in alternatives.iter_mut() {
                exact += alternative.score_at(document, self.scoring.table)?;
            }
            if exact > threshold {
                top.push(Ranked { row: self.scoring.eligible.first_row + document, rank: -exact });
            }
        }
        Ok(())
    }
}

impl Alternative<'_> {
    /// Returns the score of this alternative in a document. Documents must be requested in ascending order.
    #[inline]
    fn score_at(&mut self, document: u32, table: &ScoreTable) -> Result<f64, Malformed> {
        let lookup = self.lookup.as_mut().unwrap_or(&mut self.scan);
        lookup.seek(document)?;
        Ok(if lookup.doc() == document { self.idf * lookup.impact(table) } else { 0.0 })
    }
}

/// Returns the maximum of non-negative sums. It uses two lanes, which the compiler vectorises.
fn highest(sums: &[f64]) -> f64 {
    let mut lanes = [0.0f64; 2];
    for pair in sums.chunks_exact(2) {
        lanes[0] = if pair[0] > lanes[0] { pair[0] } else { lanes[0] };
        lanes[1] = if pair[1] > lanes[1] { pair[1] } else { lanes[1] };
    }
    lanes[0].max(lanes[1])
}
