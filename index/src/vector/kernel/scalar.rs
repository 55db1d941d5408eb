//! The portable backend, and the reference for the others.

use super::LANES;

/// Computes Σ query · row, for a row of little-endian `f32`.
#[inline]
pub fn dot_f32(query: &[f32], row: &[u8]) -> f32 {
    over_f32(query, row, |query, number| query * number)
}

/// Computes Σ (query − row)², for a row of little-endian `f32`.
#[inline]
pub fn squared_distance_f32(query: &[f32], row: &[u8]) -> f32 {
    over_f32(query, row, |query, number| (query - number) * (query - number))
}

/// Computes Σ query · row, for a row of signed bytes.
#[inline]
pub fn dot_f32_i8(query: &[f32], row: &[u8]) -> f32 {
    let mut sums = [0f32; LANES];
    let ((queries, _), (rows, _)) = (query.as_chunks::<LANES>(), row.as_chunks::<LANES>());
    for (query, row) in queries.iter().zip(rows) {
        for lane in 0..LANES {
            sums[lane] += query[lane] * f32::from(row[lane].cast_signed());
        }
    }
    added_up(sums)
}

/// A query of signed bytes, widened to 16 bits.
#[derive(Clone, Debug)]
pub struct ScalarBytes(Vec<i16>);

impl ScalarBytes {
    /// Prepares a query whose length is a multiple of 16.
    pub fn new(query: &[i8]) -> ScalarBytes {
        ScalarBytes(query.iter().map(|&byte| i16::from(byte)).collect())
    }

    /// Computes Σ query · row, exactly.
    #[inline]
    pub fn dot(&self, row: &[u8]) -> i32 {
        let products = self.0.iter().zip(row);
        products.map(|(&query, byte)| i32::from(query) * i32::from(i16::from(byte.cast_signed()))).sum()
    }
}

#[inline]
fn over_f32(query: &[f32], row: &[u8], term: impl Fn(f32, f32) -> f32) -> f32 {
    let mut sums = [0f32; LANES];
    let ((queries, _), (rows, _)) = (query.as_chunks::<LANES>(), row.as_chunks::<{ 4 * LANES }>());
    for (query, row) in queries.iter().zip(rows) {
        let (numbers, _) = row.as_chunks::<4>();
        for lane in 0..LANES {
            sums[lane] += term(query[lane], f32::from_le_bytes(numbers[lane]));
        }
    }
    added_up(sums)
}

/// Adds the 16 partial sums: first lanes that are four apart, then the four results in pairs.
#[inline]
fn added_up(sums: [f32; LANES]) -> f32 {
    let four = |lane: usize| (sums[lane] + sums[lane + 4]) + (sums[lane + 8] + sums[lane + 12]);
    (four(0) + four(1)) + (four(2) + four(3))
}
