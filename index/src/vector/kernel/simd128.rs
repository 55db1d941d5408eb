//! WebAssembly SIMD: computes the same sums as `scalar`, four or more at a time.

use super::LANES;
use core::arch::wasm32::{
    f32x4, f32x4_add, f32x4_convert_i32x4, f32x4_extract_lane, f32x4_mul, f32x4_splat, f32x4_sub,
    i16x8_extend_high_i8x16, i16x8_extend_low_i8x16, i32x4_add, i32x4_dot_i16x8, i32x4_extend_high_i16x8,
    i32x4_extend_low_i16x8, i32x4_extract_lane, i32x4_splat, u64x2, v128,
};

/// Computes Σ query · row, for a row of little-endian `f32`.
#[inline]
pub fn dot_f32(query: &[f32], row: &[u8]) -> f32 {
    over_f32(query, row, |query, numbers| f32x4_mul(query, numbers))
}

/// Computes Σ (query − row)², for a row of little-endian `f32`.
#[inline]
pub fn squared_distance_f32(query: &[f32], row: &[u8]) -> f32 {
    over_f32(query, row, |query, numbers| {
        let difference = f32x4_sub(query, numbers);
        f32x4_mul(difference, difference)
    })
}

/// Computes Σ query · row, for a row of signed bytes.
#[inline]
pub fn dot_f32_i8(query: &[f32], row: &[u8]) -> f32 {
    let mut sums = [f32x4_splat(0.0); 4];
    let ((queries, _), (rows, _)) = (query.as_chunks::<LANES>(), row.as_chunks::<LANES>());
    for (query, row) in queries.iter().zip(rows) {
        let bytes = load(row);
        let (low, high) = (i16x8_extend_low_i8x16(bytes), i16x8_extend_high_i8x16(bytes));
        let fours = [
            i32x4_extend_low_i16x8(low),
            i32x4_extend_high_i16x8(low),
            i32x4_extend_low_i16x8(high),
            i32x4_extend_high_i16x8(high),
        ];
        let (queries, _) = query.as_chunks::<4>();
        for four in 0..4 {
            let product = f32x4_mul(load_f32(&queries[four]), f32x4_convert_i32x4(fours[four]));
            sums[four] = f32x4_add(sums[four], product);
        }
    }
    added_up(sums)
}

/// A query of signed bytes, widened to 16 bits.
#[derive(Clone, Debug)]
pub struct SimdBytes(Vec<[v128; 2]>);

impl SimdBytes {
    /// Prepares a query whose length is a multiple of 16.
    pub fn new(query: &[i8]) -> SimdBytes {
        let (sixteens, _) = query.as_chunks::<LANES>();
        let halves = |sixteen: &[i8; LANES]| {
            let (halves, _) = sixteen.as_chunks::<8>();
            [load_i16(&halves[0].map(i16::from)), load_i16(&halves[1].map(i16::from))]
        };
        SimdBytes(sixteens.iter().map(halves).collect())
    }

    /// Computes Σ query · row, exactly.
    #[inline]
    pub fn dot(&self, row: &[u8]) -> i32 {
        let mut sums = [i32x4_splat(0); 2];
        let (rows, _) = row.as_chunks::<LANES>();
        for (query, row) in self.0.iter().zip(rows) {
            let bytes = load(row);
            let low = i32x4_dot_i16x8(i16x8_extend_low_i8x16(bytes), query[0]);
            let high = i32x4_dot_i16x8(i16x8_extend_high_i8x16(bytes), query[1]);
            sums = [i32x4_add(sums[0], low), i32x4_add(sums[1], high)];
        }
        let sum = i32x4_add(sums[0], sums[1]);
        i32x4_extract_lane::<0>(sum)
            + i32x4_extract_lane::<1>(sum)
            + i32x4_extract_lane::<2>(sum)
            + i32x4_extract_lane::<3>(sum)
    }
}

#[inline]
fn over_f32(query: &[f32], row: &[u8], term: impl Fn(v128, v128) -> v128) -> f32 {
    let mut sums = [f32x4_splat(0.0); 4];
    let ((queries, _), (rows, _)) = (query.as_chunks::<LANES>(), row.as_chunks::<{ 4 * LANES }>());
    for (query, row) in queries.iter().zip(rows) {
        let ((queries, _), (numbers, _)) = (query.as_chunks::<4>(), row.as_chunks::<16>());
        for four in 0..4 {
            sums[four] = f32x4_add(sums[four], term(load_f32(&queries[four]), load(&numbers[four])));
        }
    }
    added_up(sums)
}

/// Adds the 16 partial sums in the order of `scalar`.
#[inline]
fn added_up(sums: [v128; 4]) -> f32 {
    let fours = f32x4_add(f32x4_add(sums[0], sums[1]), f32x4_add(sums[2], sums[3]));
    (f32x4_extract_lane::<0>(fours) + f32x4_extract_lane::<1>(fours))
        + (f32x4_extract_lane::<2>(fours) + f32x4_extract_lane::<3>(fours))
}

// The first two of these compile to one `v128.load` each.

#[inline]
fn load(bytes: &[u8; 16]) -> v128 {
    let (words, _) = bytes.as_chunks::<8>();
    u64x2(u64::from_le_bytes(words[0]), u64::from_le_bytes(words[1]))
}

#[inline]
fn load_f32(numbers: &[f32; 4]) -> v128 {
    f32x4(numbers[0], numbers[1], numbers[2], numbers[3])
}

#[inline]
fn load_i16(numbers: &[i16; 8]) -> v128 {
    core::arch::wasm32::i16x8(
        numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], numbers[5], numbers[6], numbers[7],
    )
}
