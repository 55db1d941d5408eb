//! Does the best hit belong to the query at all?
//!
//! A vector search always finds a nearest record, also for gibberish. A hit is therefore judged by numbers that do not
//! depend on the other hits: its cosine, the share of the query's words that it contains (rare words count for more),
//! and the share of the query's words that occur nowhere in the corpus.
//!
//! ```text
//! evidence = cosine + 0.2 · contained − doubt · size · unknown
//! size     = 0 up to 200 records, rising with their logarithm to 1 at 2,000; 1 if all words are unknown
//! least    = bar + 0.06 · ln(1 + words) + caution · z
//! ```
//!
//! In a small corpus many useful words are unknown, so they say little. A long query shares some meaning with any text, so
//! it needs more evidence. z is how far the nearest record stands out from the corpus: a transformer's cosine that stands
//! out only because all other records are far away says little. The numbers were found on fourteen collections with
//! nonsense words and with questions of other collections; docs/fusion.md has the figures.

use super::query_words::QueryWords;
use crate::schema::ModelKind;

/// The weight of the words that a record contains.
const CONTAINED: f64 = 0.2;
/// The evidence that a query needs for the logarithm of its length.
const LENGTH: f64 = 0.06;
/// The evidence of a record with the query's own vector and all of its words.
pub const FULL_EVIDENCE: f64 = 1.0 + CONTAINED;

/// Returns the evidence that a record belongs to a query: at most [`FULL_EVIDENCE`], and below 0 in a large corpus that
/// knows few of the query's words. `contained` is the share of the query's words that the record contains, 0 to 1.
pub fn evidence(kind: ModelKind, cosine: f64, contained: f64, words: &QueryWords) -> f64 {
    let doubt = match kind {
        ModelKind::Transformer => 0.15,
        ModelKind::StaticTable | ModelKind::Hash => 0.45,
    };
    let size = if words.unknown >= 1.0 { 1.0 } else { words.size };
    cosine.clamp(0.0, 1.0) + CONTAINED * contained - doubt * size * words.unknown
}

/// Returns the least evidence of a query's best hit; below it, nothing was found. `None` if no bar is known for such
/// a model. `standout` is the number of standard deviations by which the nearest record lies above the average one.
pub fn least_evidence(kind: ModelKind, words: &QueryWords, standout: f64) -> Option<f64> {
    let (bar, caution) = match kind {
        ModelKind::Transformer => (0.02, 0.04),
        ModelKind::StaticTable => (0.20, -0.017),
        ModelKind::Hash => return None,
    };
    Some(bar + LENGTH * libm::log(1.0 + words.count() as f64) + caution * standout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ModelKind::{Hash, StaticTable, Transformer};

    /// Two words, of which the corpus knows one or none.
    fn words(rows: u64, first: u64) -> QueryWords {
        QueryWords::of(rows, &[first, 0])
    }

    #[test]
    fn evidence_rises_with_cosine_and_words_and_falls_with_unknown_words() {
        let known = QueryWords::of(5000, &[3, 7]);
        assert_eq!(evidence(Transformer, 1.0, 1.0, &known), FULL_EVIDENCE);
        assert_eq!(evidence(Transformer, -0.5, 0.0, &known), 0.0);
        assert!(evidence(Transformer, 0.3, 0.5, &known) > evidence(Transformer, 0.2, 0.5, &known));
        assert!(evidence(Transformer, 0.3, 0.5, &known) > evidence(Transformer, 0.3, 0.4, &known));
        assert!(evidence(Transformer, 0.3, 0.5, &words(5000, 3)) < evidence(Transformer, 0.3, 0.5, &known));
    }

    #[test]
    fn unknown_words_count_in_a_large_corpus_and_always_if_all_are_unknown() {
        let of = |rows, first| evidence(StaticTable, 0.3, 0.0, &words(rows, first));
        assert_eq!(of(150, 2), 0.3);
        assert!(of(700, 2) < 0.3);
        assert!(of(2000, 2) < of(700, 2));
        assert_eq!(of(150, 0), of(1_000_000, 0));
        assert!(of(150, 0) < 0.0);
    }

    #[test]
    fn unknown_words_cast_more_doubt_on_a_static_table_than_on_a_transformer() {
        let of = |kind| evidence(kind, 0.4, 0.0, &words(5000, 0));
        assert!(of(Transformer) > of(StaticTable));
    }

    #[test]
    fn a_long_query_needs_more_evidence_and_a_hash_has_no_bar() {
        let least = |kind, hits: &[u64]| least_evidence(kind, &QueryWords::of(5000, hits), 4.0);
        assert!(least(Transformer, &[5; 20]) > least(Transformer, &[5; 2]));
        assert_eq!(least(Hash, &[5; 2]), None);
    }

    #[test]
    fn the_nearest_record_of_a_query_far_from_all_records_needs_a_higher_cosine_by_a_transformer() {
        let least = |kind, standout| least_evidence(kind, &words(5000, 3), standout).unwrap();
        assert!(least(Transformer, 8.0) > least(Transformer, 3.0));
        assert!(least(StaticTable, 8.0) < least(StaticTable, 3.0));
    }
}
