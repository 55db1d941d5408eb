//! Which rows have the vectors nearest to a query?
//!
//! - Rows at full precision (f32) are all compared.
//! - For rows of bytes (i8), a first pass estimates each similarity from a quantised query. The error of the estimate
//!   is bounded, so the pass drops only rows that cannot be among the best, and the result is exact.
//! - For rows of bits (i1), a first pass keeps the candidates with the smallest Hamming distance. This is the only
//!   approximation; the candidates are then compared at full precision.

use super::{Eligible, Ranked, TopK};
use crate::bitmap::Bitmap;
use crate::vector::{Encoding, MAX_WIDTH, Metric, Query, RowsView};

/// Returns the nearest rows, nearest first. The rank is the negated similarity; ties go by row.
///
/// For rows of bits, `candidates` is the number of rows that are compared at full precision.
pub fn nearest(matrices: &[Matrix], query: &Query, limit: usize, candidates: usize) -> Vec<Ranked> {
    let mut top = TopK::new(limit);
    let kind = matrices.first().map(|matrix| (matrix.rows.encoding(), matrix.rows.metric()));
    match kind {
        Some((Encoding::I8, Metric::Cosine)) => by_bytes(matrices, query, limit, &mut top),
        Some((Encoding::I1, _)) => by_bits(matrices, query, candidates.max(limit), &mut top),
        _ => by_numbers(matrices, query, &mut top),
    }
    top.into_sorted()
}

/// Returns the similarities of at most `most` rows, evenly spaced.
pub fn sample(matrices: &[Matrix], query: &Query, most: usize) -> Vec<f64> {
    let count: usize = matrices.iter().map(|matrix| matrix.open.count()).sum();
    let step = count.div_ceil(most).max(1);
    let mut place = 0usize;
    let mut sample = Vec::with_capacity(count.min(most));
    for matrix in matrices {
        matrix.open.each_run(|run| {
            let skipped = place.next_multiple_of(step) - place;
            place += run.len();
            for row in run.skip(skipped).step_by(step) {
                sample.push(f64::from(query.similarity(&matrix.rows, row)));
            }
        });
    }
    sample
}

/// The vectors of a segment, and which of them may be hits.
#[derive(Clone, Debug)]
pub struct Matrix<'a> {
    rows: RowsView<'a>,
    first_row: u32,
    open: Bitmap,
}

impl<'a> Matrix<'a> {
    /// Selects the eligible vectors of a segment with `documents` documents.
    pub fn new(rows: RowsView<'a>, documents: u32, eligible: &Eligible) -> Matrix<'a> {
        let mut open = match eligible.allowed {
            Some(allowed) => allowed.clone(),
            None => Bitmap::all(documents as usize),
        };
        if let Some(dead) = eligible.dead {
            open.subtract(dead);
        }
        if !rows.is_complete() {
            open = Bitmap::where_true(rows.len(), |row| open.has(rows.document(row) as usize));
        }
        Matrix { rows, first_row: eligible.first_row, open }
    }

    /// Calls `each` with every row that may be a hit, ascending, with its document and its numbers.
    ///
    /// Runs of consecutive rows are read together; often all rows are one run.
    #[inline]
    fn each(&self, mut each: impl FnMut(usize, u32, &[u8])) {
        self.open.each_run(|run| {
            let numbers = self.rows.numbers_of(run.clone());
            run.zip(numbers).for_each(|(row, numbers)| each(row, self.rows.document(row), numbers));
        });
    }

    fn offer(&self, query: &Query, row: usize, document: u32, top: &mut TopK) {
        let similarity = query.similarity(&self.rows, row);
        if similarity.is_finite() {
            top.push(Ranked { row: self.first_row + document, rank: -f64::from(similarity) });
        }
    }
}

fn by_numbers(matrices: &[Matrix], query: &Query, top: &mut TopK) {
    for matrix in matrices {
        let mut least = least_of(top);
        matrix.each(|row, document, numbers| {
            let similarity = query.similarity_to(&matrix.rows, row, numbers);
            // Rows come in order, so a later row must be strictly nearer. NaN fails both comparisons.
            if similarity > least && similarity < f32::INFINITY {
                top.push(Ranked { row: matrix.first_row + document, rank: -f64::from(similarity) });
                least = least_of(top);
            }
        });
    }
}

fn by_bytes(matrices: &[Matrix], query: &Query, limit: usize, top: &mut TopK) {
    let margin = 2.0 * query.estimate_off_by();
    let mut best = TopK::new(limit);
    let mut least = f32::NEG_INFINITY;
    let mut seen = Vec::new();
    for (number, matrix) in matrices.iter().enumerate() {
        matrix.each(|row, document, numbers| {
            let estimate = query.estimate(&matrix.rows, row, numbers);
            if estimate >= least {
                seen.push((estimate, number, row, document));
                best.push(Ranked { row: matrix.first_row + document, rank: -f64::from(estimate) });
                // If `limit` rows are estimated higher by more than both errors, they are nearer.
                least = least_of(&best) - margin;
            }
        });
    }
    for (estimate, number, row, document) in seen {
        if estimate >= least {
            matrices[number].offer(query, row, document, top);
        }
    }
}

fn by_bits(matrices: &[Matrix], query: &Query, candidates: usize, top: &mut TopK) {
    let mut fewest = Fewest::new(candidates);
    for (number, matrix) in matrices.iter().enumerate() {
        if matrix.open.count() == matrix.rows.len() {
            let mut row = 0;
            query.differing_bits_of_each(&matrix.rows, |bits| {
                fewest.note(bits, number, row);
                row += 1;
            });
        } else {
            for row in matrix.open.iter() {
                fewest.note(query.differing_bits(&matrix.rows, row), number, row);
            }
        }
    }
    fewest.each(|number, row| {
        let matrix = &matrices[number];
        matrix.offer(query, row, matrix.rows.document(row), top);
    });
}

/// Keeps the rows with the smallest Hamming distances; of rows with equal distance, the first ones.
struct Fewest {
    wanted: usize,
    /// The current limit: rows with a larger distance are dropped. `within` counts the rows kept at or below it.
    most: u32,
    within: usize,
    counts: Vec<usize>,
    seen: Vec<(u32, usize, usize)>,
}

impl Fewest {
    fn new(wanted: usize) -> Fewest {
        let most = u32::try_from(MAX_WIDTH).expect("the maximum width fits 32 bits");
        Fewest { wanted, most, within: 0, counts: vec![0; MAX_WIDTH + 1], seen: Vec::new() }
    }

    /// Considers a row. Rows must come in order. After the first ones, nearly all exceed the limit.
    #[inline]
    fn note(&mut self, bits: u32, matrix: usize, row: usize) {
        if bits <= self.most {
            self.keep(bits, matrix, row);
        }
    }

    fn keep(&mut self, bits: u32, matrix: usize, row: usize) {
        self.seen.push((bits, matrix, row));
        self.counts[bits as usize] += 1;
        self.within += 1;
        while self.within - self.counts[self.most as usize] >= self.wanted {
            self.within -= self.counts[self.most as usize];
            self.most -= 1;
        }
    }

    /// Calls `each` with the matrix index and row of every row kept.
    fn each(self, mut each: impl FnMut(usize, usize)) {
        let mut left = self.wanted.saturating_sub(self.within - self.counts[self.most as usize]);
        for (bits, matrix, row) in self.seen {
            let is_last = bits == self.most && left > 0;
            left -= usize::from(is_last);
            if bits < self.most || is_last {
                each(matrix, row);
            }
        }
    }
}

/// Returns the similarity that a row must exceed to be among the best.
#[expect(clippy::cast_possible_truncation, reason = "ranks come from similarities, which are f32")]
fn least_of(top: &TopK) -> f32 {
    -(top.threshold() as f32)
}
