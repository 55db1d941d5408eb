//! Does the best hit belong to the query at all?
//!
//! A vector search always finds a nearest record, also for gibberish. A hit is therefore judged by numbers that do not
//! depend on the other hits: its cosine, the share of the query's words that it contains (rare words count for more),
//! and the share of the query's words that occur nowhere in the corpus.
//!
//! ```text
//! evidence = cosine + 0.2 · contained − doubt · unknown
//! least    = bar + length · ln(1 + words) + caution · z
//! ```
//!
//! In a small corpus many useful words are unknown, so they say little. A long query shares some meaning with any text, so
//! it needs more evidence. z is how far the nearest record stands out from the corpus: a transformer's cosine that stands
//! out only because all other records are far away says little. A query without any known word has only its vector to show
//! for itself, so its nearest record must stand out further than chance explains. The numbers were found on fourteen
//! collections with nonsense words and with questions of other collections; docs/fusion.md has the figures.

use super::query_words::QueryWords;
use crate::schema::ModelKind;

/// The weight of the words that a record contains.
const CONTAINED: f64 = 0.2;
/// The evidence of a record with the query's own vector and all of its words.
pub const FULL_EVIDENCE: f64 = 1.0 + CONTAINED;
/// The least number of records of which the nearest is compared with chance. Fewer cosines have no distribution.
const LEAST_RECORDS: usize = 100;

/// Returns the evidence that a record belongs to a query: at most [`FULL_EVIDENCE`], and below 0 in a large corpus that
/// knows few of the query's words. `contained` is the share of the query's words that the record contains, 0 to 1.
pub fn evidence(kind: ModelKind, cosine: f64, contained: f64, words: &QueryWords) -> f64 {
    cosine.clamp(0.0, 1.0) + CONTAINED * contained - doubt(kind, words) * words.unknown
}

/// Returns the weight of unknown words.
fn doubt(kind: ModelKind, words: &QueryWords) -> f64 {
    match (kind, has_no_known_word(words)) {
        (ModelKind::Transformer, true) => 0.15,
        (ModelKind::Transformer, false) => 0.15 * words.size,
        (ModelKind::StaticTable | ModelKind::Hash, true) => 0.56 * words.size,
        (ModelKind::StaticTable | ModelKind::Hash, false) => 0.26 * words.size,
    }
}

/// Returns the least evidence of a query's best hit; below it, nothing was found. `None` if no bar is known for such
/// a model. `standout` is the number of standard deviations by which the nearest of `records` lies above the average.
pub fn least_evidence(kind: ModelKind, words: &QueryWords, standout: f64, records: usize) -> Option<f64> {
    let (bar, length, caution) = match kind {
        ModelKind::Transformer => (0.02, 0.06, 0.04),
        ModelKind::StaticTable => (0.28, 0.016, 0.0),
        ModelKind::Hash => return None,
    };
    if has_no_known_word(words) && is_chance(standout, records) {
        return Some(f64::INFINITY);
    }
    Some(bar + length * libm::log(1.0 + words.count() as f64) + caution * standout)
}

fn has_no_known_word(words: &QueryWords) -> bool {
    words.unknown >= 1.0
}

/// Returns whether the nearest record stands out no further than the nearest of as many random vectors: √(2 ln n).
fn is_chance(standout: f64, records: usize) -> bool {
    let expected = (2.0 * libm::log(records.max(1) as f64)).sqrt();
    records >= LEAST_RECORDS && standout < expected
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
    fn unknown_words_count_in_a_large_corpus_and_for_more_if_all_are_unknown() {
        let of = |rows, first| evidence(StaticTable, 0.3, 0.0, &words(rows, first));
        assert_eq!(of(150, 2), 0.3);
        assert!(of(700, 2) < 0.3);
        assert!(of(2000, 2) < of(700, 2));
        assert!(of(1_000_000, 0) < of(1_000_000, 2));
        assert!(evidence(Transformer, 0.3, 0.0, &words(150, 0)) < 0.3);
    }

    #[test]
    fn unknown_words_cast_more_doubt_on_a_static_table_than_on_a_transformer() {
        let of = |kind| evidence(kind, 0.4, 0.0, &words(5000, 0));
        assert!(of(Transformer) > of(StaticTable));
    }

    #[test]
    fn a_long_query_needs_more_evidence_and_a_hash_has_no_bar() {
        let least = |kind, hits: &[u64]| least_evidence(kind, &QueryWords::of(5000, hits), 4.0, 5000);
        assert!(least(Transformer, &[5; 20]) > least(Transformer, &[5; 2]));
        assert_eq!(least(Hash, &[5; 2]), None);
    }

    #[test]
    fn the_nearest_record_of_a_query_far_from_all_records_needs_a_higher_cosine_by_a_transformer() {
        let least = |kind, standout| least_evidence(kind, &words(5000, 3), standout, 5000).unwrap();
        assert!(least(Transformer, 8.0) > least(Transformer, 3.0));
        assert_eq!(least(StaticTable, 8.0), least(StaticTable, 3.0));
    }

    #[test]
    fn without_a_known_word_the_nearest_record_must_stand_out_further_than_chance() {
        let least = |first, standout, records| {
            least_evidence(Transformer, &words(300, first), standout, records).unwrap()
        };
        assert_eq!(least(0, 3.0, 300), f64::INFINITY);
        assert!(least(0, 3.6, 300) < 1.0, "√(2 ln 300) is 3.38");
        assert!(least(2, 3.0, 300) < 1.0, "one word is known");
        assert!(least(0, 1.0, 20) < 1.0, "twenty records are too few to say");
    }
}
