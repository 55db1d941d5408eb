//! The bm25() formula of FTS5.
//!
//! The operations and their order are FTS5's, so documents that tie in SQLite tie here. Only the logarithm can differ
//! from SQLite's, in the last bit; it is the same on every target of this crate.
//!
//! ```text
//! rank = − Σ over phrases: idf · saturation
//! saturation = frequency · (k1 + 1) / (frequency + norm),  norm = k1 · (1 − b + b · length / average length)
//! idf = ln((rows − hits + 0.5) / (hits + 0.5)),  at least 1e-6;  k1 = 1.2, b = 0.75
//! ```

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The limit of [`saturation`]: no phrase contributes more before idf, at any frequency and with any weights.
pub const CEILING: f64 = K1 + 1.0;

/// The corpus statistics of bm25, summed over the live rows of all segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// The number of live rows.
    pub rows: u64,
    /// The number of tokens of the live rows, over all fields.
    pub tokens: u64,
}

impl Totals {
    /// Returns the average number of tokens per row.
    pub fn average_length(self) -> f64 {
        self.tokens as f64 / self.rows as f64
    }
}

/// Returns the inverse document frequency of a phrase that occurs in `hits` of `rows` rows; at least 1e-6.
pub fn idf(rows: u64, hits: u64) -> f64 {
    let (rows, hits) = (rows as f64, hits as f64);
    let idf = libm::log((rows - hits + 0.5) / (hits + 0.5));
    // A phrase in more than half the rows would count against them. FTS5 uses this floor instead, and equal scores with
    // SQLite depend on its exact value.
    if idf > 0.0 { idf } else { 1e-6 }
}

/// bm25 for one query: the inverse document frequency of each phrase, and the average row length.
///
/// ```
/// use snapseek_index::bm25::{Bm25, Totals};
///
/// // Ten rows of ten tokens each. The first phrase occurs in two of them, the second in one.
/// let bm25 = Bm25::new(Totals { rows: 10, tokens: 100 }, [2, 1]);
/// let with_one_phrase = bm25.rank(&[1.0, 0.0], 10);
/// let with_both = bm25.rank(&[1.0, 1.0], 10);
/// assert!(with_both < with_one_phrase && with_one_phrase < 0.0); // lower is better
/// ```
#[derive(Clone, Debug)]
pub struct Bm25 {
    /// The inverse document frequency of each phrase, in the order in which the query names them.
    pub idf: Vec<f64>,
    average_length: f64,
}

impl Bm25 {
    /// Creates the formula for phrases that occur in `hits` rows each.
    pub fn new(totals: Totals, hits: impl IntoIterator<Item = u64>) -> Bm25 {
        Bm25 {
            idf: hits.into_iter().map(|hits| idf(totals.rows, hits)).collect(),
            average_length: totals.average_length(),
        }
    }

    /// Returns the average row length in tokens.
    pub fn average_length(&self) -> f64 {
        self.average_length
    }

    /// Returns the length normalisation of a row of `length` tokens; see [`norm`].
    pub fn norm(&self, length: u32) -> f64 {
        norm(length, self.average_length)
    }

    /// Returns the rank of a row of `length` tokens, given one frequency per phrase. Lower is better; at most 0.
    pub fn rank(&self, frequencies: &[f64], length: u32) -> f64 {
        let norm = self.norm(length);
        let parts =
            self.idf.iter().zip(frequencies).map(|(idf, &frequency)| idf * saturation(frequency, norm));
        -parts.fold(0.0, |sum, part| sum + part)
    }
}

/// Returns the length normalisation: the term that a row's length adds to the denominator of [`saturation`].
pub fn norm(length: u32, average_length: f64) -> f64 {
    K1 * (1.0 - B + B * f64::from(length) / average_length)
}

/// Returns the contribution of a phrase before idf: 0 for frequency 0, rising towards 2.2.
#[inline]
pub fn saturation(frequency: f64, norm: f64) -> f64 {
    frequency * (K1 + 1.0) / (frequency + norm)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_in_more_than_half_the_rows_has_the_floor_and_no_other_has() {
        assert_eq!(idf(10, 5), 1e-6);
        assert_eq!(idf(10, 9), 1e-6);
        assert!(idf(1_000_000, 499_999) < 1e-5 && idf(1_000_000, 499_999) > 1e-6);
    }

    #[test]
    fn a_rank_is_the_sum_over_phrases_and_negative() {
        let bm25 = Bm25::new(Totals { rows: 10, tokens: 100 }, [2, 1]);
        let rank = bm25.rank(&[1.0, 0.0], 10);
        assert_eq!(rank, -(idf(10, 2) * (2.2 / 2.2)));
        assert!(bm25.rank(&[2.0, 1.0], 10) < rank);
    }
}
