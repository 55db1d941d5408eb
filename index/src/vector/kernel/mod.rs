//! Inner products and distances: the hot loops of vector search.
//!
//! Every backend adds the same 16 partial sums in the same order, so a score does not depend on the machine that
//! computed it. Sums of bytes are exact in any order. Tests compare backends bit for bit. Rows and queries are padded
//! with zeros to a multiple of [`LANES`] numbers.

pub mod scalar;
#[cfg(target_feature = "simd128")]
pub mod simd128;
pub mod words;

#[cfg(not(any(target_feature = "simd128", target_arch = "wasm32")))]
pub use scalar::ScalarBytes as QueryBytes;
#[cfg(not(target_feature = "simd128"))]
pub use scalar::{dot_f32, dot_f32_i8, squared_distance_f32};
#[cfg(target_feature = "simd128")]
pub use simd128::{SimdBytes as QueryBytes, dot_f32, dot_f32_i8, squared_distance_f32};
#[cfg(all(target_arch = "wasm32", not(target_feature = "simd128")))]
pub use words::WordBytes as QueryBytes;

/// The number of partial sums.
pub const LANES: usize = 16;

/// Calls `each` with the Hamming distance between the query and every row, starting with the first.
///
/// The usual widths have unrolled loops: one population count per word, and no loop overhead.
#[inline]
pub fn each_hamming(query: &[u64], rows: &[u8], mut each: impl FnMut(u32)) {
    match query.len() {
        2 => over_rows::<2>(query, rows, each),
        4 => over_rows::<4>(query, rows, each),
        6 => over_rows::<6>(query, rows, each),
        8 => over_rows::<8>(query, rows, each),
        12 => over_rows::<12>(query, rows, each),
        16 => over_rows::<16>(query, rows, each),
        24 => over_rows::<24>(query, rows, each),
        0 => {}
        len => rows.chunks_exact(8 * len).for_each(|row| each(hamming(query, row))),
    }
}

#[inline]
fn over_rows<const WORDS: usize>(query: &[u64], rows: &[u8], mut each: impl FnMut(u32)) {
    let Some(query) = query.first_chunk::<WORDS>() else { return };
    let (words, _) = rows.as_chunks::<8>();
    let (rows, _) = words.as_chunks::<WORDS>();
    for row in rows {
        let mut sum = 0;
        for word in 0..WORDS {
            sum += (query[word] ^ u64::from_le_bytes(row[word])).count_ones();
        }
        each(sum);
    }
}

/// Returns the Hamming distance: the number of bits in which a row differs from the query.
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
    fn bits_that_differ_are_counted_in_rows_of_every_length() {
        for words in 1..=26u64 {
            let query = (0..words).map(|word| word.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect::<Vec<_>>();
            let rows =
                (0..5 * words).map(|word| word.wrapping_mul(0xc2b2_ae3d_27d4_eb4f)).collect::<Vec<_>>();
            let expected = rows.chunks(query.len()).map(|row| {
                row.iter()
                    .zip(&query)
                    .flat_map(|(a, b)| (0..64).map(move |bit| u32::from((a ^ b) >> bit & 1 == 1)))
                    .sum()
            });
            let bytes = rows.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>();
            let mut found = Vec::new();
            each_hamming(&query, &bytes, |differing| found.push(differing));
            assert_eq!(found, expected.collect::<Vec<u32>>());
            assert_eq!(hamming(&query, &bytes[..8 * query.len()]), found[0]);
        }
    }

    #[test]
    fn products_of_bytes_are_exact_in_every_backend() {
        let mut state = 1u32;
        let mut byte = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0].cast_signed()
        };
        for len in [16, 48, 384, 4096] {
            let mut pairs: Vec<(Vec<i8>, Vec<i8>)> =
                vec![(vec![-128; len], vec![-128; len]), (vec![127; len], vec![-128; len])];
            pairs.push(((0..len).map(|_| byte()).collect(), (0..len).map(|_| byte()).collect()));
            for (query, row) in pairs {
                let expected: i32 = query.iter().zip(&row).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
                let row = row.iter().map(|byte| byte.cast_unsigned()).collect::<Vec<_>>();
                assert_eq!(scalar::ScalarBytes::new(&query).dot(&row), expected);
                assert_eq!(words::WordBytes::new(&query).dot(&row), expected);
            }
        }
    }
}
