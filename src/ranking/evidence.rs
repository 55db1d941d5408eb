//! Does the best hit belong to the query at all?
//!
//! A vector search always finds a nearest record, also for gibberish. A hit is therefore judged by three numbers that
//! do not depend on the other hits: its cosine, the share of the query's words that it contains (rare words count for
//! more), and the share of the query's words that occur nowhere in the corpus.
//!
//! ```text
//! evidence = cosine + 0.4 · contained − 0.3 · size · unknown
//! size     = 0 up to 200 records, rising with their logarithm to 1 at 2,000
//! ```
//!
//! In a small corpus many useful words are unknown, so they say little. A query without any known word needs a nearer
//! record. The numbers were found on twelve collections with nonsense words and with questions of other collections;
//! docs/fusion.md has the figures.

use crate::schema::ModelKind;

/// The weight of the words that a record contains.
const CONTAINED: f64 = 0.4;
/// The weight of unknown words in a large corpus.
const UNKNOWN: f64 = 0.3;
/// The least weight of unknown words if the corpus knows none of the query's words.
const ALL_UNKNOWN: f64 = 0.1;
/// The number of records up to which unknown words have no weight, and the number from which they have their whole weight.
const SMALL: f64 = 200.0;
const LARGE: f64 = 2000.0;
/// The evidence of a record with the query's own vector and all of its words.
pub const FULL_EVIDENCE: f64 = 1.0 + CONTAINED;

/// Returns the evidence that a record belongs to a query: at most [`FULL_EVIDENCE`], and below 0 in a large corpus that
/// knows few of the query's words.
///
/// `contained` and `unknown` are shares of the query's [`word_weight`], 0 to 1. `rows` is the number of records.
pub fn evidence(cosine: f64, contained: f64, unknown: f64, rows: u64) -> f64 {
    let size = libm::log((rows as f64).max(SMALL) / SMALL) / libm::log(LARGE / SMALL);
    let least = if unknown >= 1.0 { ALL_UNKNOWN } else { 0.0 };
    let weight = (UNKNOWN * size.min(1.0)).max(least);
    cosine.clamp(0.0, 1.0) + CONTAINED * contained - weight * unknown
}

/// Returns the least evidence of a query's best hit; below it, nothing was found. `None` if no bar is known for such
/// a model.
pub fn least_evidence(kind: ModelKind) -> Option<f64> {
    match kind {
        ModelKind::Transformer => Some(0.36),
        ModelKind::StaticTable => Some(0.35),
        ModelKind::Hash => None,
    }
}

/// Returns how much a word that occurs in `hits` of `rows` records says about a query. It is positive for every word,
/// so shares of it are defined in a corpus of a few records as well.
pub fn word_weight(rows: u64, hits: u64) -> f64 {
    libm::log(1.0 + rows as f64 / (hits as f64 + 0.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evidence_rises_with_cosine_and_words_and_falls_with_unknown_words() {
        assert_eq!(evidence(1.0, 1.0, 0.0, 5000), FULL_EVIDENCE);
        assert_eq!(evidence(-0.5, 0.0, 0.0, 5000), 0.0);
        assert!(evidence(0.3, 0.5, 0.5, 5000) > evidence(0.2, 0.5, 0.5, 5000));
        assert!(evidence(0.3, 0.5, 0.5, 5000) > evidence(0.3, 0.4, 0.5, 5000));
        assert!(evidence(0.3, 0.5, 0.5, 5000) < evidence(0.3, 0.5, 0.4, 5000));
    }

    #[test]
    fn unknown_words_count_in_a_large_corpus_and_always_if_all_are_unknown() {
        assert_eq!(evidence(0.3, 0.0, 0.9, 150), 0.3);
        assert!(evidence(0.3, 0.0, 0.9, 700) < 0.3);
        assert!(evidence(0.3, 0.0, 0.9, 2000) < evidence(0.3, 0.0, 0.9, 700));
        assert_eq!(evidence(0.3, 0.0, 0.9, 2000), evidence(0.3, 0.0, 0.9, 1_000_000));
        assert!(evidence(0.3, 0.0, 1.0, 150) < 0.21);
    }

    #[test]
    fn rare_words_weigh_more_and_every_word_weighs_something() {
        assert!(word_weight(1000, 0) > word_weight(1000, 3));
        assert!(word_weight(1000, 3) > word_weight(1000, 900));
        assert!(word_weight(3, 3) > 0.5);
    }

    #[test]
    fn all_words_in_one_record_need_no_similarity() {
        let bar = least_evidence(ModelKind::Transformer).unwrap();
        assert!(evidence(0.0, 1.0, 0.0, 5000) >= bar);
        assert!(evidence(0.45, 0.0, 1.0, 5000) < bar, "words that the corpus lacks need a near record");
    }
}
