//! Products of bytes for WebAssembly without SIMD: two per 64-bit multiplication.
//!
//! Take bytes a and b of the row, and p and q of the query. Then (a + b·2³²)·(q + p·2³²) = a·q + (a·p + b·q)·2³²,
//! modulo 2⁶⁴, so the upper half is the wanted sum. The halves of a sum of many such products stay separate as long as
//! each fits 31 bits, which 4,096 products of bytes do.

/// A query of signed bytes, packed into multiplication factors.
#[derive(Clone, Debug)]
pub struct WordBytes {
    /// Four factors per eight bytes of a row: for bytes 0 and 4, 1 and 5, 2 and 6, 3 and 7.
    factors: Vec<[u64; 4]>,
    sum: i32,
}

/// Selects two bytes of a word that are four apart.
const PAIR: u64 = 0x0000_00ff_0000_00ff;
/// Flips the sign bits, which adds 128 to each signed byte and makes it unsigned.
const SIGNS: u64 = 0x8080_8080_8080_8080;

impl WordBytes {
    /// Prepares a query whose length is a multiple of 16.
    pub fn new(query: &[i8]) -> WordBytes {
        let (eights, _) = query.as_chunks::<8>();
        let factor = |eight: &[i8; 8], low: usize| {
            let (first, second) = (i64::from(eight[low]), i64::from(eight[low + 4]));
            second.wrapping_add(first << 32).cast_unsigned()
        };
        let factors = eights.iter().map(|eight| [0, 1, 2, 3].map(|low| factor(eight, low))).collect();
        WordBytes { factors, sum: query.iter().map(|&byte| i32::from(byte)).sum() }
    }

    /// Computes Σ query · row, exactly.
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
        // A negative lower half has borrowed one from the upper half.
        let borrowed = i32::from_le_bytes([a, b, c, d]) < 0;
        let upper = i32::from_le_bytes(rest).wrapping_add(i32::from(borrowed));
        upper.wrapping_sub(128 * self.sum)
    }
}
