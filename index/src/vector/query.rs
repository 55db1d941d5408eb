//! How near is a row to a query vector?

use super::encoding::{Encoding, Metric, VectorError, check_vector};
use super::kernel;
use super::rows::{RowsView, narrowed, quantised, signs, stride_of};

/// A query vector, prepared for comparison with rows of every precision.
///
/// ```
/// use snapseek_index::vector::{Encoding, Metric, VectorQuery, RowsView, RowsWriter};
///
/// let mut writer = RowsWriter::new(Encoding::F32, Metric::Cosine, Some(2));
/// writer.push(0, &[1.0, 0.0])?;
/// writer.push(1, &[3.0, 4.0])?;
/// let mut bytes = Vec::new();
/// writer.encode(2, &mut bytes);
///
/// let rows = RowsView::parse(&bytes, 2).unwrap();
/// let query = VectorQuery::new(&[0.0, 2.0], Metric::Cosine, 2)?;
/// assert_eq!(query.similarity(&rows, 0), 0.0);
/// assert_eq!(query.similarity(&rows, 1), 0.8);
/// # Ok::<(), snapseek_index::vector::VectorError>(())
/// ```
#[derive(Clone, Debug)]
pub struct VectorQuery {
    metric: Metric,
    width: usize,
    /// The components, scaled to length 1 for the cosine, and padded like rows.
    numbers: Vec<f32>,
    /// The sum of the squared components.
    square: f64,
    /// The components quantised to bytes; `step` is the value of one unit.
    bytes: kernel::QueryBytes,
    step: f64,
    /// The Euclidean distance between the quantised and the exact vector.
    quantisation_error: f64,
    /// The signs of the quantised components, packed like those of rows.
    bits: Vec<u64>,
}

impl VectorQuery {
    /// Prepares a query for vectors of `width` components.
    ///
    /// # Errors
    /// Returns an error when `vector` is not usable or has another width.
    pub fn new(vector: &[f32], metric: Metric, width: usize) -> Result<VectorQuery, VectorError> {
        let length = check_vector(vector, Some(width))?;
        let scale = if metric == Metric::Cosine { 1.0 / length } else { 1.0 };
        let mut numbers =
            vector.iter().map(|&number| narrowed(f64::from(number) * scale)).collect::<Vec<_>>();
        let square = numbers.iter().map(|&number| f64::from(number) * f64::from(number)).sum();
        let (mut small, step) = quantised(&numbers);
        let off =
            numbers.iter().zip(&small).map(|(&number, &byte)| f64::from(number) - f64::from(byte) * step);
        let quantisation_error = off.map(|off| off * off).sum::<f64>().sqrt();
        let signs = signs(&small.iter().map(|byte| byte.cast_unsigned()).collect::<Vec<_>>(), width);
        let (words, _) = signs.as_chunks::<8>();
        let bits = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        small.resize(stride_of(width), 0);
        let bytes = kernel::QueryBytes::new(&small);
        numbers.resize(stride_of(width), 0.0);
        Ok(VectorQuery { metric, width, numbers, square, bytes, step, quantisation_error, bits })
    }

    /// Returns the number of components.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the similarity to a row, at the precision at which the row is stored. Higher is nearer.
    ///
    /// # Panics
    /// Panics when the row does not exist or has another width.
    #[inline]
    pub fn similarity(&self, rows: &RowsView, row: usize) -> f32 {
        self.similarity_to(rows, row, rows.numbers(row))
    }

    /// Returns the similarity to a row whose numbers the caller has already read.
    #[inline]
    pub fn similarity_to(&self, rows: &RowsView, row: usize, numbers: &[u8]) -> f32 {
        if rows.encoding() == Encoding::F32 {
            return match self.metric {
                Metric::Cosine | Metric::Dot => kernel::dot_f32(&self.numbers, numbers),
                Metric::Euclidean => -kernel::squared_distance_f32(&self.numbers, numbers).sqrt(),
            };
        }
        let dot = kernel::dot_f32_i8(&self.numbers, numbers) * rows.factor(row);
        match self.metric {
            Metric::Cosine | Metric::Dot => dot,
            Metric::Euclidean => {
                let factor = f64::from(rows.factor(row));
                let own = factor * factor * f64::from(rows.square(row));
                let squared = self.square - 2.0 * f64::from(dot) + own;
                -narrowed(squared.max(0.0).sqrt())
            }
        }
    }

    /// Estimates the cosine similarity to a row of bytes from the quantised query.
    ///
    /// The estimate differs from the similarity by at most [`VectorQuery::max_estimate_error`].
    #[inline]
    pub fn estimate(&self, rows: &RowsView, row: usize, numbers: &[u8]) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "max_estimate_error covers the loss")]
        let sum = self.bytes.dot(numbers) as f32;
        sum * rows.factor(row) * narrowed(self.step)
    }

    /// Returns the maximum error of [`VectorQuery::estimate`].
    pub fn max_estimate_error(&self) -> f32 {
        // A row has length 1, so the error is at most the quantisation error of the query. The rest covers rounding: a
        // similarity is the sum of width / 16 products in each of 16 lanes, each rounded to 24 bits.
        #[expect(clippy::cast_precision_loss, reason = "at most 4096")]
        let rounding = 2e-6 + 1e-8 * self.width as f64;
        narrowed(self.quantisation_error * 1.001 + rounding)
    }

    /// Returns the Hamming distance to a row of bits: the number of signs that differ.
    #[inline]
    pub fn hamming_distance(&self, rows: &RowsView, row: usize) -> u32 {
        kernel::hamming(&self.bits, rows.bits(row))
    }

    /// Calls `each` with the Hamming distance to every row, starting with the first.
    #[inline]
    pub fn each_hamming_distance(&self, rows: &RowsView, each: impl FnMut(u32)) {
        kernel::each_hamming(&self.bits, rows.all_bits(), each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vector::RowsWriter;

    fn naive(metric: Metric, a: &[f32], b: &[f32]) -> f64 {
        let sum = |term: fn(f64, f64) -> f64| -> f64 {
            a.iter().zip(b).map(|(&a, &b)| term(f64::from(a), f64::from(b))).sum()
        };
        let dot = sum(|a, b| a * b);
        match metric {
            Metric::Dot => dot,
            Metric::Cosine => dot / (sum(|a, _| a * a).sqrt() * sum(|_, b| b * b).sqrt()),
            Metric::Euclidean => -sum(|a, b| (a - b) * (a - b)).sqrt(),
        }
    }

    #[test]
    fn similarities_agree_with_the_vectors_that_rows_represent() {
        let vector = |seed: i16| {
            (0..37i16).map(|i| f32::from((i * 79 + seed * 104) % 211 - 105) / 97.0).collect::<Vec<f32>>()
        };
        for metric in [Metric::Cosine, Metric::Dot, Metric::Euclidean] {
            for encoding in [Encoding::F32, Encoding::I8, Encoding::I1] {
                let mut writer = RowsWriter::new(encoding, metric, None);
                (0..20).for_each(|row| writer.push(row, &vector(i16::try_from(row).unwrap())).unwrap());
                let mut bytes = Vec::new();
                writer.encode(20, &mut bytes);
                let rows = RowsView::parse(&bytes, 20).unwrap();
                let wanted = vector(77);
                let query = VectorQuery::new(&wanted, metric, 37).unwrap();
                for row in 0..20 {
                    let similarity = f64::from(query.similarity(&rows, row));
                    let expected = naive(metric, &wanted, &rows.vector(row));
                    // The rounding of 37 f32 sums stays below this tolerance.
                    assert!((similarity - expected).abs() < 1e-4, "{similarity} {expected}");
                    if encoding != Encoding::F32 && metric == Metric::Cosine {
                        let apart = (query.estimate(&rows, row, rows.numbers(row))
                            - query.similarity(&rows, row))
                        .abs();
                        assert!(apart <= query.max_estimate_error(), "{apart}");
                    }
                    if encoding == Encoding::I1 {
                        let kept = rows.vector(row);
                        let differ = wanted.iter().zip(&kept).filter(|(a, b)| (**a >= 0.0) != (**b >= 0.0));
                        // Quantisation can change the sign of a component near zero.
                        assert!(query.hamming_distance(&rows, row).abs_diff(len(differ.count())) <= 1);
                    }
                }
            }
        }
    }

    fn len(count: usize) -> u32 {
        u32::try_from(count).unwrap()
    }

    #[test]
    fn a_query_of_another_width_or_without_direction_is_refused() {
        let new = |vector: &[f32]| VectorQuery::new(vector, Metric::Cosine, 2).map(|query| query.width());
        assert_eq!(new(&[1.0]), Err(VectorError::OtherWidth { found: 1, expected: 2 }));
        assert_eq!(new(&[1.0, f32::NAN]), Err(VectorError::NotFinite { place: 1 }));
        assert_eq!(new(&[0.0, 0.0]), Err(VectorError::Zero));
        assert_eq!(new(&[0.0, 1.0]), Ok(2));
    }
}
