//! A vector that others are compared with.

use super::encoding::{Encoding, Metric, VectorError, checked};
use super::kernel;
use super::rows::{RowsView, narrowed, quantised, signs, stride_of};

/// A query, made ready for rows of every precision.
#[derive(Clone, Debug)]
pub struct Query {
    metric: Metric,
    width: usize,
    /// Of length 1 with the cosine; padded as rows are.
    numbers: Vec<f32>,
    square: f64,
    /// The same, a byte each; and what 1 of them stands for.
    bytes: kernel::Bytes,
    step: f64,
    /// How far the bytes are from the numbers.
    bytes_off_by: f64,
    bits: Vec<u64>,
}

impl Query {
    /// A query of vectors of this width.
    ///
    /// # Errors
    /// When it is no vector, or of another width.
    pub fn new(vector: &[f32], metric: Metric, width: usize) -> Result<Query, VectorError> {
        let length = checked(vector, Some(width))?;
        let scale = if metric == Metric::Cosine { 1.0 / length } else { 1.0 };
        let mut numbers =
            vector.iter().map(|&number| narrowed(f64::from(number) * scale)).collect::<Vec<_>>();
        let square = numbers.iter().map(|&number| f64::from(number) * f64::from(number)).sum();
        let (mut small, step) = quantised(&numbers);
        let off =
            numbers.iter().zip(&small).map(|(&number, &byte)| f64::from(number) - f64::from(byte) * step);
        let bytes_off_by = off.map(|off| off * off).sum::<f64>().sqrt();
        let signs = signs(&small.iter().map(|byte| byte.cast_unsigned()).collect::<Vec<_>>(), width);
        let (words, _) = signs.as_chunks::<8>();
        let bits = words.iter().map(|word| u64::from_le_bytes(*word)).collect();
        small.resize(stride_of(width), 0);
        let bytes = kernel::Bytes::new(&small);
        numbers.resize(stride_of(width), 0.0);
        Ok(Query { metric, width, numbers, square, bytes, step, bytes_off_by, bits })
    }

    /// How many numbers it has.
    pub fn width(&self) -> usize {
        self.width
    }

    /// How near a row is, as precisely as it is kept: higher is nearer.
    ///
    /// # Panics
    /// When the row is of another width.
    #[inline]
    pub fn similarity(&self, rows: &RowsView, row: usize) -> f32 {
        self.similarity_to(rows, row, rows.numbers(row))
    }

    /// The same, for the numbers of a row that are already at hand.
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

    /// About how near a row of bytes is, with the cosine; it differs from the similarity by at most
    /// [`Query::estimate_off_by`].
    #[inline]
    pub fn estimate(&self, rows: &RowsView, row: usize, numbers: &[u8]) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "what is lost is in estimate_off_by")]
        let sum = self.bytes.dot(numbers) as f32;
        sum * rows.factor(row) * narrowed(self.step)
    }

    /// The most that an estimate is off by.
    pub fn estimate_off_by(&self) -> f32 {
        // A row has length 1, so it is off by as much as the query's bytes are. The rest is for rounding: a similarity
        // is the sum of width / 16 products in each of sixteen lanes, each rounded to 24 bits.
        #[expect(clippy::cast_precision_loss, reason = "at most 4096")]
        let rounding = 2e-6 + 1e-8 * self.width as f64;
        narrowed(self.bytes_off_by * 1.001 + rounding)
    }

    /// In how many signs a row of bits differs.
    #[inline]
    pub fn differing_bits(&self, rows: &RowsView, row: usize) -> u32 {
        kernel::hamming(&self.bits, rows.bits(row))
    }

    /// Calls `each` with the number of signs in which each row differs, from the first row on.
    #[inline]
    pub fn differing_bits_of_each(&self, rows: &RowsView, each: impl FnMut(u32)) {
        kernel::hamming_of_each(&self.bits, rows.all_bits(), each);
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
    fn similarities_are_those_of_the_vectors_that_rows_stand_for() {
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
                let query = Query::new(&wanted, metric, 37).unwrap();
                for row in 0..20 {
                    let similarity = f64::from(query.similarity(&rows, row));
                    let expected = naive(metric, &wanted, &rows.vector(row));
                    // Sums of f32 are rounded; 37 of them by less than this.
                    assert!((similarity - expected).abs() < 1e-4, "{similarity} {expected}");
                    if encoding != Encoding::F32 && metric == Metric::Cosine {
                        let apart = (query.estimate(&rows, row, rows.numbers(row))
                            - query.similarity(&rows, row))
                        .abs();
                        assert!(apart <= query.estimate_off_by(), "{apart}");
                    }
                    if encoding == Encoding::I1 {
                        let kept = rows.vector(row);
                        let differ = wanted.iter().zip(&kept).filter(|(a, b)| (**a >= 0.0) != (**b >= 0.0));
                        // A number near zero may have lost its sign with its precision.
                        assert!(query.differing_bits(&rows, row).abs_diff(len(differ.count())) <= 1);
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
        let new = |vector: &[f32]| Query::new(vector, Metric::Cosine, 2).map(|query| query.width());
        assert_eq!(new(&[1.0]), Err(VectorError::OtherWidth { found: 1, expected: 2 }));
        assert_eq!(new(&[1.0, f32::NAN]), Err(VectorError::NotFinite { place: 1 }));
        assert_eq!(new(&[0.0, 0.0]), Err(VectorError::Zero));
        assert_eq!(new(&[0.0, 1.0]), Ok(2));
    }
}
