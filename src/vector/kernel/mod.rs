//! Inner products and distances: the hot loops of vector search.
//!
//! Every backend adds the same sixteen partial sums in the same order, so a score does not depend on the machine that
//! computed it. Tests compare backends bit for bit. Rows are as long as a multiple of [`LANES`] numbers; what is past a
//! vector's width is zero in rows and queries.

#[cfg(any(test, not(target_feature = "simd128")))]
pub mod scalar;
#[cfg(target_feature = "simd128")]
pub mod simd128;

#[cfg(not(target_feature = "simd128"))]
pub use scalar::{dot_f32, dot_f32_i8, dot_i8, squared_distance_f32};
#[cfg(target_feature = "simd128")]
pub use simd128::{dot_f32, dot_f32_i8, dot_i8, squared_distance_f32};

/// How many partial sums there are.
pub const LANES: usize = 16;

/// In how many bits two rows of bits differ. One instruction a word on every target.
#[inline]
pub fn hamming(query: &[u64], row: &[u8]) -> u32 {
    let (words, _) = row.as_chunks::<8>();
    query
        .iter()
        .zip(words)
        .fold(0, |sum, (query, word)| sum + (query ^ u64::from_le_bytes(*word)).count_ones())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_that_differ_are_counted() {
        let (a, b) = ([0b1011u64, u64::MAX], [0b0110u64, 0]);
        let row = b.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
        assert_eq!(hamming(&a, &row), 3 + 64);
    }
}
