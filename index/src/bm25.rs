//! FTS5's bm25(): one formula, one file.
//!
//! The operations and their order are FTS5's, so that equal documents tie here where they tie there. Only the
//! logarithm can differ from SQLite's in the last bit; ours is the same on every target.

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// What a phrase's part of a score, before idf, stays below, however often the phrase occurs and whatever the weights.
pub const CEILING: f64 = K1 + 1.0;

/// What bm25 sums over: the live rows of all segments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Live rows.
    pub rows: u64,
    /// Their tokens, over all fields.
    pub tokens: u64,
}

impl Totals {
    /// Tokens a row.
    pub fn average_length(self) -> f64 {
        self.tokens as f64 / self.rows as f64
    }
}

/// How much a phrase found in `hits` of `rows` rows tells.
pub fn idf(rows: u64, hits: u64) -> f64 {
    let (rows, hits) = (rows as f64, hits as f64);
    let idf = libm::log((rows - hits + 0.5) / (hits + 0.5));
    // A phrase in more than half the rows would count against them. FTS5 floors it
    // instead, and equal scores with SQLite depend on this exact value.
    if idf > 0.0 { idf } else { 1e-6 }
}

/// bm25 for one query: the idf of each phrase, and the average length of a row.
#[derive(Clone, Debug)]
pub struct Bm25 {
    /// By phrase, in order of appearance.
    pub idf: Vec<f64>,
    average_length: f64,
}

impl Bm25 {
    /// For phrases found in `hits` rows each.
    pub fn new(totals: Totals, hits: impl IntoIterator<Item = u64>) -> Bm25 {
        Bm25 {
            idf: hits.into_iter().map(|hits| idf(totals.rows, hits)).collect(),
            average_length: totals.average_length(),
        }
    }

    /// The average length of a row.
    pub fn average_length(&self) -> f64 {
        self.average_length
    }

    /// What a row's length adds below the line.
    pub fn norm(&self, length: u32) -> f64 {
        norm(length, self.average_length)
    }

    /// The rank of a row of this length with these frequencies, a phrase each. Lower is better.
    pub fn rank(&self, frequencies: &[f64], length: u32) -> f64 {
        let norm = self.norm(length);
        let parts =
            self.idf.iter().zip(frequencies).map(|(idf, &frequency)| idf * saturation(frequency, norm));
        -parts.fold(0.0, |sum, part| sum + part)
    }
}

/// What a row's length adds below the line.
pub fn norm(length: u32, average_length: f64) -> f64 {
    K1 * (1.0 - B + B * f64::from(length) / average_length)
}

/// How far a phrase's frequency counts: from 0 towards 2.2.
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
