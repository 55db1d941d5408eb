//! Which rows have the vectors nearest to a query?
//!
//! - Rows of f32, and rows of bytes (i8) with another metric than the cosine, are all compared.
//! - For rows of bytes with the cosine, a first pass estimates each similarity from a quantised query. The error of the
//!   estimate is bounded, so the pass drops only rows that cannot be among the best, and the result is exact.
//! - For rows of bits (i1), a first pass keeps the candidates with the smallest Hamming distance. This is the only
//!   approximation; the candidates are then compared by their bytes.

use super::{Eligible, Ranked, TopK};
use crate::bitmap::Bitmap;
use crate::vector::{Encoding, MAX_WIDTH, Metric, RowsView, VectorQuery};

/// Returns the nearest rows, nearest first. The rank is the negated similarity; ties go by row.
///
/// For rows of bits, `candidates` is the number of rows that the second pass compares by their bytes.
pub fn nearest(matrices: &[Matrix], query: &VectorQuery, limit: usize, candidates: usize) -> Vec<Ranked> {
    let mut top = TopK::new(limit);
    let kind = matrices.first().map(|matrix| (matrix.rows.encoding(), matrix.rows.metric()));
    match kind {
        Some((Encoding::I8, Metric::Cosine)) => scan_bytes(matrices, query, limit, &mut top),
        Some((Encoding::I1, _)) => scan_bits(matrices, query, candidates.max(limit), &mut top),
        _ => scan_exact(matrices, query, &mut top),
    }
    top.into_sorted()
}

/// Returns the similarities of at most `most` rows, evenly spaced.
pub fn sample(matrices: &[Matrix], query: &VectorQuery, most: usize) -> Vec<f64> {
    let count: usize = matrices.iter().map(Matrix::count).sum();
    let step = count.div_ceil(most).max(1);
    let mut place = 0usize;
    let mut sample = Vec::with_capacity(count.min(most));
    for matrix in matrices {
        matrix.selected.each_run(|run| {
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
    selected: Bitmap,
}

impl<'a> Matrix<'a> {
    /// Selects the eligible vectors of a segment with `documents` documents.
    pub fn new(rows: RowsView<'a>, documents: u32, eligible: &Eligible) -> Matrix<'a> {
        let mut selected = match eligible.allowed {
            Some(allowed) => allowed.clone(),
            None => Bitmap::all(documents as usize),
        };
        if let Some(dead) = eligible.dead {
            selected.subtract(dead);
        }
        if !rows.is_complete() {
            selected = Bitmap::where_true(rows.len(), |row| selected.has(rows.document(row) as usize));
        }
        Matrix { rows, first_row: eligible.first_row, selected }
    }

    /// Returns the number of rows that may be hits.
    pub fn count(&self) -> usize {
        self.selected.count()
    }

    /// Calls `each` with every row that may be a hit, ascending, with its document and its numbers.
    ///
    /// Runs of consecutive rows are read together; often all rows are one run.
    #[inline]
    fn each(&self, mut each: impl FnMut(usize, u32, &[u8])) {
        self.selected.each_run(|run| {
            let numbers = self.rows.numbers_of(run.clone());
            run.zip(numbers).for_each(|(row, numbers)| each(row, self.rows.document(row), numbers));
        });
    }

    fn offer(&self, query: &VectorQuery, row: usize, document: u32, top: &mut TopK) {
        let similarity = query.similarity(&self.rows, row);
        if similarity.is_finite() {
            top.push(Ranked { row: self.first_row + document, rank: -f64::from(similarity) });
        }
    }
}

/// Compares all rows, at the precision at which they are stored.
fn scan_exact(matrices: &[Matrix], query: &VectorQuery, top: &mut TopK) {
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

/// Estimates all rows from the quantised query, then compares those that may be among the best.
fn scan_bytes(matrices: &[Matrix], query: &VectorQuery, limit: usize, top: &mut TopK) {
    let margin = 2.0 * query.max_estimate_error();
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

/// Ranks all rows by Hamming distance, then compares the nearest `candidates` by their bytes.
fn scan_bits(matrices: &[Matrix], query: &VectorQuery, candidates: usize, top: &mut TopK) {
    let mut nearest_rows = NearestByBits::new(candidates);
    for (number, matrix) in matrices.iter().enumerate() {
        if matrix.selected.count() == matrix.rows.len() {
            let mut row = 0;
            query.each_hamming_distance(&matrix.rows, |bits| {
                nearest_rows.offer_row(bits, number, row);
                row += 1;
            });
        } else {
            for row in matrix.selected.iter() {
                nearest_rows.offer_row(query.hamming_distance(&matrix.rows, row), number, row);
            }
        }
    }
    nearest_rows.each(|number, row| {
        let matrix = &matrices[number];
        matrix.offer(query, row, matrix.rows.document(row), top);
    });
}

/// Keeps the rows with the smallest Hamming distances; of rows with equal distance, the first ones.
struct NearestByBits {
    wanted: usize,
    /// The current limit: rows with a larger distance are dropped. `within` counts the rows kept at or below it.
    most: u32,
    within: usize,
    /// The number of rows kept per distance.
    counts: Vec<usize>,
    /// Distance, matrix index and row of every row kept so far.
    seen: Vec<(u32, usize, usize)>,
}

impl NearestByBits {
    fn new(wanted: usize) -> NearestByBits {
        let most = u32::try_from(MAX_WIDTH).expect("the maximum width fits 32 bits");
        NearestByBits { wanted, most, within: 0, counts: vec![0; MAX_WIDTH + 1], seen: Vec::new() }
    }

    /// Considers a row. Rows must come in order. After the first ones, nearly all exceed the limit.
    #[inline]
    fn offer_row(&mut self, bits: u32, matrix: usize, row: usize) {
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
