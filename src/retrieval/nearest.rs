//! The rows whose vectors are nearest.
//!
//! Rows at full precision are all compared. Of rows of bytes, a first look with a query of bytes leaves out those that
//! cannot be among the best, however wrong it is: the answer is that of comparing all. Of rows of bits, a first look
//! keeps the [`Nearest::candidates`] that differ in the fewest; what it misses stays out.

use super::top_k::{Ranked, TopK};
use super::{Corpus, Part, part_of};
use crate::bitmap::Bitmap;
use crate::snapshot::SnapshotError;
use crate::vector::{Encoding, MAX_WIDTH, Metric, Query, RowsView};

/// So many rows tell how near rows are on the whole.
const SAMPLE: usize = 1024;

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<'a> {
    /// The place of the model in the schema.
    pub model: usize,
    /// The query.
    pub query: &'a Query,
    /// How many rows at most.
    pub limit: usize,
    /// By segment, the documents that may be hits; none where all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// How many rows of bits are compared at their full precision.
    pub candidates: usize,
}

/// The nearest rows, nearest first; a rank is the similarity, negated. Ties go by row.
///
/// # Errors
/// When the vectors are damaged.
pub fn nearest(corpus: &Corpus, nearest: &Nearest) -> Result<Vec<Ranked>, SnapshotError> {
    let matrices = matrices(corpus, nearest)?;
    let mut top = TopK::new(nearest.limit);
    let kind = matrices.first().map(|matrix| (matrix.rows.encoding(), matrix.rows.metric()));
    match kind {
        Some((Encoding::I8, Metric::Cosine)) => by_bytes(&matrices, nearest, &mut top),
        Some((Encoding::I1, _)) => by_bits(&matrices, nearest, &mut top),
        _ => by_numbers(&matrices, nearest.query, &mut top),
    }
    Ok(top.into_sorted())
}

fn matrices<'a>(corpus: &Corpus<'a>, nearest: &Nearest<'a>) -> Result<Vec<Matrix<'a>>, SnapshotError> {
    let mut matrices = Vec::with_capacity(corpus.parts.len());
    for (number, part) in corpus.parts.iter().enumerate() {
        let Some(rows) = part.segment.vectors()?.get(nearest.model).copied() else { continue };
        if rows.width() == Some(nearest.query.width()) {
            let allowed = nearest.allowed.map(|allowed| &allowed[number]);
            matrices.push(Matrix { part, rows, open: open_rows(part, &rows, allowed) });
        }
    }
    Ok(matrices)
}

/// How near rows are on the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The mean similarity.
    pub mean: f64,
    /// The standard deviation of similarities.
    pub deviation: f64,
}

/// How near the rows are that may be hits, by at most [`SAMPLE`] of them, evenly spaced.
///
/// # Errors
/// When the vectors are damaged.
pub fn spread(corpus: &Corpus, nearest: &Nearest) -> Result<Spread, SnapshotError> {
    let matrices = matrices(corpus, nearest)?;
    let count: usize = matrices.iter().map(|matrix| matrix.open.count()).sum();
    let step = count.div_ceil(SAMPLE).max(1);
    let mut place = 0usize;
    let mut sample = Vec::with_capacity(count.min(SAMPLE));
    for matrix in &matrices {
        matrix.open.each_run(|run| {
            let skipped = place.next_multiple_of(step) - place;
            place += run.len();
            for row in run.skip(skipped).step_by(step) {
                sample.push(f64::from(nearest.query.similarity(&matrix.rows, row)));
            }
        });
    }
    sample.retain(|similarity| similarity.is_finite());
    let len = sample.len().max(1) as f64;
    let mean = sample.iter().sum::<f64>() / len;
    let square = sample.iter().map(|similarity| (similarity - mean) * (similarity - mean)).sum::<f64>() / len;
    Ok(Spread { mean, deviation: libm::sqrt(square) })
}

/// How near given rows are: by row, in their order; none where one has no vector.
///
/// # Errors
/// When the vectors are damaged.
pub fn similarities(
    corpus: &Corpus,
    model: usize,
    query: &Query,
    rows: impl IntoIterator<Item = u32>,
) -> Result<Vec<Option<f32>>, SnapshotError> {
    let mut views = Vec::with_capacity(corpus.parts.len());
    for part in corpus.parts {
        let view = part.segment.vectors()?.get(model).copied();
        views.push(view.filter(|view| view.width() == Some(query.width())));
    }
    let similarity = |row: u32| {
        let (part, document) = part_of(corpus, row);
        let view = views[part]?;
        let place = view.row_of(document)?;
        Some(query.similarity(&view, place)).filter(|similarity| similarity.is_finite())
    };
    Ok(rows.into_iter().map(similarity).collect())
}

/// The rows that may be hits.
fn open_rows(part: &Part, rows: &RowsView, allowed: Option<&Bitmap>) -> Bitmap {
    let mut open = match allowed {
        Some(allowed) => allowed.clone(),
        None => Bitmap::all(part.segment.documents() as usize),
    };
    if let Some(dead) = part.dead {
        open.subtract(dead);
    }
    if rows.is_complete() {
        return open;
    }
    Bitmap::where_true(rows.len(), |row| open.has(rows.document(row) as usize))
}

/// The vectors of a segment, and which of them may be hits.
struct Matrix<'a> {
    part: &'a Part<'a>,
    rows: RowsView<'a>,
    open: Bitmap,
}

impl Matrix<'_> {
    /// Calls `each` with every row that may be a hit, ascending, its document and its numbers. The rows of a run follow
    /// each other, and mostly all rows are one run.
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
            top.push(Ranked { row: self.part.first_row + document, rank: -f64::from(similarity) });
        }
    }
}

fn by_numbers(matrices: &[Matrix], query: &Query, top: &mut TopK) {
    for matrix in matrices {
        let mut least = least_of(top);
        matrix.each(|row, document, numbers| {
            let similarity = query.similarity_to(&matrix.rows, row, numbers);
            // Rows come in order, so a later one has to be nearer. What is no number is never.
            if similarity > least && similarity < f32::INFINITY {
                top.push(Ranked { row: matrix.part.first_row + document, rank: -f64::from(similarity) });
                least = least_of(top);
            }
        });
    }
}

fn by_bytes(matrices: &[Matrix], nearest: &Nearest, top: &mut TopK) {
    let margin = 2.0 * nearest.query.estimate_off_by();
    let mut best = TopK::new(nearest.limit);
    let mut least = f32::NEG_INFINITY;
    let mut seen = Vec::new();
    for (number, matrix) in matrices.iter().enumerate() {
        matrix.each(|row, document, numbers| {
            let estimate = nearest.query.estimate(&matrix.rows, row, numbers);
            if estimate >= least {
                seen.push((estimate, number, row, document));
                best.push(Ranked { row: matrix.part.first_row + document, rank: -f64::from(estimate) });
                // If `limit` rows are estimated higher by more than both errors, they are nearer.
                least = least_of(&best) - margin;
            }
        });
    }
    for (estimate, number, row, document) in seen {
        if estimate >= least {
            matrices[number].offer(nearest.query, row, document, top);
        }
    }
}

fn by_bits(matrices: &[Matrix], nearest: &Nearest, top: &mut TopK) {
    let mut fewest = Fewest::new(nearest.candidates.max(nearest.limit));
    for (number, matrix) in matrices.iter().enumerate() {
        if matrix.open.count() == matrix.rows.len() {
            let mut row = 0;
            nearest.query.differing_bits_of_each(&matrix.rows, |bits| {
                fewest.note(bits, number, row);
                row += 1;
            });
        } else {
            for row in matrix.open.iter() {
                fewest.note(nearest.query.differing_bits(&matrix.rows, row), number, row);
            }
        }
    }
    fewest.each(|number, row| {
        let matrix = &matrices[number];
        matrix.offer(nearest.query, row, matrix.rows.document(row), top);
    });
}

/// The rows that differ in the fewest bits, and the first of those that differ in as many.
struct Fewest {
    wanted: usize,
    /// A row that differs in more bits is none of them: so many differ in this many or fewer.
    most: u32,
    within: usize,
    counts: Vec<usize>,
    seen: Vec<(u32, usize, usize)>,
}

impl Fewest {
    fn new(wanted: usize) -> Fewest {
        let most = u32::try_from(MAX_WIDTH).expect("it is a few thousand");
        Fewest { wanted, most, within: 0, counts: vec![0; MAX_WIDTH + 1], seen: Vec::new() }
    }

    /// Takes a row into account; rows come in order. After the first ones nearly all are passed over.
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

    /// Calls `each` with the matrix and the row of each.
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

/// What a similarity has to be above to be among the best.
#[expect(clippy::cast_possible_truncation, reason = "ranks come from similarities, which are f32")]
fn least_of(top: &TopK) -> f32 {
    -(top.threshold() as f32)
}
