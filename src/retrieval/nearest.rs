//! Which rows of all segments have the nearest vectors?

use super::{Corpus, part_of};
use crate::bitmap::Bitmap;
use crate::scoring::{self, Matrix, Ranked};
use crate::snapshot::SnapshotError;
use crate::vector::VectorQuery;

/// The number of rows from which [`spread`] estimates mean and deviation.
const SAMPLE: usize = 1024;

/// The parameters of a vector search.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<'a> {
    /// The index of the model in the schema.
    pub model: usize,
    /// The query vector.
    pub query: &'a VectorQuery,
    /// The largest number of rows to return.
    pub limit: usize,
    /// For each segment, the documents that may be hits; `None` if all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// The number of 1-bit candidates that are rescored with full precision.
    pub candidates: usize,
}

/// Returns the nearest rows, nearest first. The rank is the negated similarity; ties are in row order.
///
/// # Errors
/// Fails when the vectors are damaged.
pub fn nearest(corpus: &Corpus, nearest: &Nearest) -> Result<Vec<Ranked>, SnapshotError> {
    let matrices = matrices(corpus, nearest)?;
    Ok(scoring::nearest(&matrices, nearest.query, nearest.limit, nearest.candidates))
}

fn matrices<'a>(corpus: &Corpus<'a>, nearest: &Nearest<'a>) -> Result<Vec<Matrix<'a>>, SnapshotError> {
    let mut matrices = Vec::with_capacity(corpus.parts.len());
    for (number, part) in corpus.parts.iter().enumerate() {
        let Some(rows) = part.segment.vectors()?.get(nearest.model).copied() else { continue };
        if rows.width() == Some(nearest.query.width()) {
            let eligible = part.eligible(nearest.allowed.map(|allowed| &allowed[number]));
            matrices.push(Matrix::new(rows, part.segment.documents(), &eligible));
        }
    }
    Ok(matrices)
}

/// The distribution of similarities between a query and all rows.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The mean similarity.
    pub mean: f64,
    /// The standard deviation of similarities.
    pub deviation: f64,
    /// The number of rows.
    pub count: usize,
}

/// Returns the distribution of similarities of the eligible rows, from at most [`SAMPLE`] evenly spaced ones.
///
/// # Errors
/// Fails when the vectors are damaged.
pub fn spread(corpus: &Corpus, nearest: &Nearest) -> Result<Spread, SnapshotError> {
    let matrices = matrices(corpus, nearest)?;
    let count = matrices.iter().map(Matrix::count).sum();
    let mut sample = scoring::sample(&matrices, nearest.query, SAMPLE);
    sample.retain(|similarity| similarity.is_finite());
    let len = sample.len().max(1) as f64;
    let mean = sample.iter().sum::<f64>() / len;
    let square = sample.iter().map(|similarity| (similarity - mean) * (similarity - mean)).sum::<f64>() / len;
    Ok(Spread { mean, deviation: square.sqrt(), count })
}

/// Returns the similarity of each given row, in their order, or `None` for a row without a vector.
///
/// # Errors
/// Fails when the vectors are damaged.
pub fn similarities(
    corpus: &Corpus,
    model: usize,
    query: &VectorQuery,
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
    Ok(rows.into_iter().map(similarity).collect::<Vec<_>>())
}
