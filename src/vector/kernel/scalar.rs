//! The portable backend, and the reference.

use super::LANES;

/// Σ query · row, over rows of little-endian `f32`.
#[inline]
pub fn dot_f32(query: &[f32], row: &[u8]) -> f32 {
    over_f32(query, row, |query, number| query * number)
}

/// Σ (query − row)².
#[inline]
pub fn squared_distance_f32(query: &[f32], row: &[u8]) -> f32 {
    over_f32(query, row, |query, number| (query - number) * (query - number))
}

/// Σ query · row, over rows of signed bytes.
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

/// Σ query · row, over rows of signed bytes and a query of such numbers, widened. Exact.
#[inline]
pub fn dot_i8(query: &[i16], row: &[u8]) -> i32 {
    let mut sums = [0i32; LANES];
    let ((queries, _), (rows, _)) = (query.as_chunks::<LANES>(), row.as_chunks::<LANES>());
    for (query, row) in queries.iter().zip(rows) {
        for lane in 0..LANES {
            sums[lane] += i32::from(query[lane]) * i32::from(row[lane].cast_signed());
        }
    }
    sums.iter().sum()
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

/// The sum of the sixteen: first those four apart, then pairs of what is left.
#[inline]
fn added_up(sums: [f32; LANES]) -> f32 {
    let four = |lane: usize| (sums[lane] + sums[lane + 4]) + (sums[lane + 8] + sums[lane + 12]);
    (four(0) + four(1)) + (four(2) + four(3))
}
