//! Products of bytes for WebAssembly without SIMD: two at a time in one 64-bit multiplication.
//!
//! Take a row's bytes a and b, and the query's p and q. (a + b·2³²)·(q + p·2³²) is a·q + (a·p + b·q)·2³², modulo 2⁶⁴:
//! the wanted sum stands in the upper half. Sums of many such products keep the halves apart, as long as each
//! fits into 31 bits, which 4096 products of bytes do.

/// A query of bytes.
#[derive(Clone, Debug)]
pub struct Bytes {
    /// For each eight bytes of a row, the four factors of bytes 0 and 4, 1 and 5, 2 and 6, 3 and 7.
    factors: Vec<[u64; 4]>,
    sum: i32,
}

/// Two bytes of a word, four apart.
const PAIR: u64 = 0x0000_00ff_0000_00ff;
/// What makes signed bytes unsigned ones, each 128 more.
const SIGNS: u64 = 0x8080_8080_8080_8080;

impl Bytes {
    /// The query of these bytes, as many as 16 divides.
    pub fn new(query: &[i8]) -> Bytes {
        let (eights, _) = query.as_chunks::<8>();
        let factor = |eight: &[i8; 8], low: usize| {
            let (first, second) = (i64::from(eight[low]), i64::from(eight[low + 4]));
            second.wrapping_add(first << 32).cast_unsigned()
        };
        let factors = eights.iter().map(|eight| [0, 1, 2, 3].map(|low| factor(eight, low))).collect();
        Bytes { factors, sum: query.iter().map(|&byte| i32::from(byte)).sum() }
    }

    /// Σ query · row.
    #[inline]
    pub fn dot(&self, row: &[u8]) -> i32 {
        let mut total = 0u64;
        let (words, _) = row.as_chunks::<8>();
        for (factors, word) in self.factors.iter().zip(words) {
            let word = u64::from_le_bytes(*word) ^ SIGNS;
            let first = (word & PAIR).wrapping_mul(factors[0]);
            let second = (word >> 8 & PAIR).wrapping_mul(factors[1]);
            let third = (word >> 16 & PAIR).wrapping_mul(factors[2]);
            let fourth = (word >> 24 & PAIR).wrapping_mul(factors[3]);
            total = total.wrapping_add(first.wrapping_add(second)).wrapping_add(third.wrapping_add(fourth));
        }
        let [a, b, c, d, rest @ ..] = total.to_le_bytes();
        // A lower half below zero has borrowed from the upper one.
        let borrowed = i32::from_le_bytes([a, b, c, d]) < 0;
        let upper = i32::from_le_bytes(rest).wrapping_add(i32::from(borrowed));
        upper.wrapping_sub(128 * self.sum)
    }
}
