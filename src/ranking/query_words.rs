//! How rare are a query's words in this corpus, and how many of them does it lack?

/// The number of records up to which a corpus is small, and the number from which it is large.
const SMALL: f64 = 200.0;
const LARGE: f64 = 2000.0;

/// The words of a query, weighed by their rarity.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryWords {
    weights: Vec<f64>,
    /// The share of the weight that belongs to words that occur nowhere in the corpus, 0 to 1.
    pub unknown: f64,
    /// The size of the corpus: 0 up to 200 records, rising with their logarithm to 1 at 2,000.
    pub size: f64,
}

impl QueryWords {
    /// Weighs the words of a query. `hits` has the number of records with each word, `rows` is the number of all records.
    pub fn of(rows: u64, hits: &[u64]) -> QueryWords {
        let weights = hits.iter().map(|hits| word_weight(rows, *hits)).collect::<Vec<_>>();
        let size = libm::log((rows as f64).max(SMALL) / SMALL) / libm::log(LARGE / SMALL);
        let mut words = QueryWords { weights, unknown: 0.0, size: size.min(1.0) };
        words.unknown = words.share(|word| hits[word] == 0);
        words
    }

    /// Returns the number of words.
    pub fn count(&self) -> usize {
        self.weights.len()
    }

    /// Returns the weight of the rarest word, 0 if there is none. Words that the corpus lacks are the rarest.
    pub fn rarest(&self) -> f64 {
        self.weights.iter().copied().fold(0.0, f64::max)
    }

    /// Returns the share of the weight that belongs to the chosen words, 0 to 1.
    pub fn share(&self, is_chosen: impl Fn(usize) -> bool) -> f64 {
        let all = self.weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let own = self.weights.iter().enumerate().filter(|(word, _)| is_chosen(*word));
        own.map(|(_, weight)| weight).sum::<f64>() / all
    }
}

/// Returns how much a word that occurs in `hits` of `rows` records says about a query. It is positive for every word,
/// so shares of it are defined in a corpus of a few records as well.
fn word_weight(rows: u64, hits: u64) -> f64 {
    libm::log(1.0 + rows as f64 / (hits as f64 + 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rare_words_weigh_more_and_every_word_weighs_something() {
        assert!(word_weight(1000, 0) > word_weight(1000, 3));
        assert!(word_weight(1000, 3) > word_weight(1000, 900));
        assert!(word_weight(3, 3) > 0.5);
    }

    #[test]
    fn shares_are_parts_of_the_whole_weight() {
        let words = QueryWords::of(1000, &[0, 3, 900]);
        assert_eq!(words.share(|_| true), 1.0);
        assert_eq!(words.unknown, words.share(|word| word == 0));
        assert!(words.unknown > words.share(|word| word == 1));
        assert_eq!((words.count(), words.rarest()), (3, word_weight(1000, 0)));
    }

    #[test]
    fn a_query_without_words_has_no_share_of_anything() {
        let words = QueryWords::of(1000, &[]);
        assert_eq!((words.count(), words.unknown, words.rarest()), (0, 0.0, 0.0));
    }

    #[test]
    fn a_corpus_is_small_up_to_200_records_and_large_from_2000() {
        let size = |rows| QueryWords::of(rows, &[]).size;
        assert_eq!((size(0), size(200), size(1_000_000)), (0.0, 0.0, 1.0));
        assert!((size(2000) - 1.0).abs() < 1e-15);
        assert!(size(500) > 0.3 && size(500) < 0.5);
    }
}
