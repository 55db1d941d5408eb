//! How much should vectors count compared with words, for this query? This is the default fusion.
//!
//! A bm25 score is divided by the best one. A cosine becomes its lift: how far it lies above the cosine of an average
//! record, in standard deviations, squared. Both are then added:
//!
//! ```text
//! score  = bm25 / best bm25 + weight · lift
//! lift   = z · |z|,  z = (cosine − mean) / deviation
//! weight = trust · exp(5 · (1 − size) · unknown − 0.14 · rarest − 0.9 · overlap)
//! ```
//!
//! `trust` belongs to the model: one number for transformers, a lower one for static tables ([`default_trust`]). The
//! square lets a record that stands out far from the corpus win over words, while records that are a little nearer than
//! the average hardly move. Words count for less if a small corpus lacks them: the query then says the same in other words.
//! They count for more if one of them is rare, and if both legs find the same records anyway. docs/fusion.md describes
//! how the rule was found, how it was evaluated on collections that were left out, and where it fails.

use super::fusion::{Fused, FusionCandidate, best_first};
use super::query_words::QueryWords;
use crate::schema::ModelKind;

/// The exponents of the weight, fitted together with the trust in each kind of model: docs/fusion.md describes how.
const UNKNOWN: f64 = 5.0;
const RAREST: f64 = -0.14;
const OVERLAP: f64 = -0.9;
/// The number of best records of each leg that are compared.
const BEST: usize = 10;
/// Cosines that differ by less than this are equal except for rounding.
const LEAST_DEVIATION: f64 = 1e-9;

/// Returns the default weight of a model's lift, relative to the best bm25 score, found on fourteen collections.
pub fn default_trust(kind: ModelKind) -> f64 {
    match kind {
        ModelKind::Transformer => 0.19,
        ModelKind::StaticTable => 0.11,
        ModelKind::Hash => 0.05,
    }
}

/// Statistics of a query in addition to its candidates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QueryStatistics {
    /// The weight of the vectors' lift, relative to the best bm25 score: see [`default_trust`].
    pub trust: f64,
    /// The mean cosine between the query and the eligible records, or a fair sample of them.
    pub mean_cosine: f64,
    /// The standard deviation of these cosines.
    pub cosine_deviation: f64,
    /// The number of eligible records that have a vector.
    pub records: usize,
    /// The share of the query's words that the corpus lacks: see [`QueryWords::unknown`].
    pub unknown: f64,
    /// The weight of the query's rarest word: see [`QueryWords::rarest`].
    pub rarest: f64,
    /// The size of the corpus, 0 to 1: see [`QueryWords::size`].
    pub size: f64,
}

impl QueryStatistics {
    /// Creates the statistics of a query from its words and the cosines of the records.
    ///
    /// `cosines` is their mean and their standard deviation, `records` their number.
    pub fn of(trust: f64, words: &QueryWords, cosines: (f64, f64), records: usize) -> QueryStatistics {
        let (mean_cosine, cosine_deviation) = cosines;
        let (unknown, rarest, size) = (words.unknown, words.rarest(), words.size);
        QueryStatistics { trust, mean_cosine, cosine_deviation, records, unknown, rarest, size }
    }

    /// Returns how far a cosine lies above the average, in standard deviations; 0 if all records are equally near.
    pub fn deviations(&self, cosine: f64) -> f64 {
        match self.cosine_deviation > LEAST_DEVIATION {
            true => (cosine - self.mean_cosine) / self.cosine_deviation,
            false => 0.0,
        }
    }
}

/// The result of the default fusion.
#[derive(Clone, Debug, PartialEq)]
pub struct Auto<Id> {
    /// The candidates with scores from 0 to 1, best first; ties are ordered by id. Only the best of both legs scores 1.
    pub ranked: Vec<Fused<Id>>,
    /// The share of a score of 1 that comes from vectors: 0 if words alone decided, 1 if vectors alone did.
    pub vector_share: f64,
}

/// Fuses the candidates of both legs.
///
/// Each candidate should carry both signals if it has them, whichever leg found it. A candidate without a vector counts
/// as average, a candidate that matches no word as 0. For a given query, raising a signal never lowers a score. If one
/// leg gives nothing, the order is that of the other.
pub fn auto<Id: Copy + Ord>(candidates: &[FusionCandidate<Id>], query: &QueryStatistics) -> Auto<Id> {
    let words = candidates.iter().map(FusionCandidate::keyword_or_zero).collect::<Vec<_>>();
    let best_words = words.iter().copied().fold(0.0, f64::max);
    let has_words = best_words > 0.0;
    // Without words any positive weight keeps the order of the vectors, also where the model is not trusted at all.
    let weight = if has_words { weight(candidates, query) } else { 1.0 };
    let lifts = candidates.iter().map(|candidate| lift(candidate, query, has_words)).collect::<Vec<_>>();
    // The average is the origin unless a candidate lies below it. Moving the origin keeps the order, and scores stay
    // positive.
    let origin = lifts.iter().copied().fold(0.0, f64::min);
    let best_vector = weight * (lifts.iter().copied().fold(origin, f64::max) - origin);
    let best = if has_words { 1.0 } else { 0.0 } + best_vector;
    let parts = |words: f64, lift: f64| match best > 0.0 {
        true => (if has_words { words / best_words / best } else { 0.0 }, weight * (lift - origin) / best),
        false => (0.0, 1.0),
    };
    let fused = candidates.iter().zip(words.iter().zip(&lifts)).map(|(candidate, (words, lift))| {
        let (keyword, vector) = parts(*words, *lift);
        // Rounding could raise the best score slightly above 1.
        Fused::new(candidate.id, keyword, vector.min(1.0 - keyword))
    });
    Auto {
        ranked: best_first(fused.collect::<Vec<_>>(), |fused| (fused.score, fused.id)),
        vector_share: if best > 0.0 { best_vector / best } else { 0.0 },
    }
}

/// Returns the weight of the vectors' lift, relative to the best bm25 score.
fn weight<Id: Copy + Ord>(candidates: &[FusionCandidate<Id>], query: &QueryStatistics) -> f64 {
    let exponent =
        UNKNOWN * (1.0 - query.size) * query.unknown + RAREST * query.rarest + OVERLAP * overlap(candidates);
    query.trust * libm::exp(exponent)
}

/// Returns the share of the ten best records that both legs have in common.
fn overlap<Id: Copy + Ord>(candidates: &[FusionCandidate<Id>]) -> f64 {
    let best = |score: &dyn Fn(&FusionCandidate<Id>) -> Option<f64>| {
        let scored = candidates.iter().filter_map(|one| score(one).map(|score| (score, one.id)));
        let mut ids = best_first(scored.collect::<Vec<_>>(), |one| *one);
        ids.truncate(BEST);
        ids
    };
    let words = best(&|one| Some(one.keyword_or_zero()).filter(|score| *score > 0.0));
    let vectors = best(&FusionCandidate::finite_cosine);
    let shared = words.iter().filter(|(_, id)| vectors.iter().any(|(_, other)| other == id));
    shared.count() as f64 / BEST as f64
}

/// Returns how far a candidate's cosine lies above the average, in standard deviations, squared with its sign.
fn lift<Id>(candidate: &FusionCandidate<Id>, query: &QueryStatistics, has_words: bool) -> f64 {
    let Some(cosine) = candidate.finite_cosine() else { return 0.0 };
    if query.cosine_deviation <= LEAST_DEVIATION && !has_words {
        // All records are equally near, and no word tells them apart: any scale keeps the order.
        return cosine - query.mean_cosine;
    }
    let deviations = query.deviations(cosine);
    deviations * deviations.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: QueryStatistics = QueryStatistics {
        trust: 0.22,
        mean_cosine: 0.1,
        cosine_deviation: 0.1,
        records: 5000,
        unknown: 0.0,
        rarest: 5.0,
        size: 1.0,
    };

    fn candidate(
        id: u32,
        keyword: impl Into<Option<f64>>,
        cosine: impl Into<Option<f64>>,
    ) -> FusionCandidate<u32> {
        FusionCandidate { id, keyword: keyword.into(), cosine: cosine.into() }
    }

    fn order(candidates: &[FusionCandidate<u32>], query: &QueryStatistics) -> Vec<u32> {
        auto(candidates, query).ranked.iter().map(|scored| scored.id).collect()
    }

    fn scores(candidates: &[FusionCandidate<u32>]) -> Vec<(u32, f64)> {
        auto(candidates, &PLAIN).ranked.iter().map(|fused| (fused.id, fused.score)).collect()
    }

    /// Returns a deterministic sequence of pseudo-random numbers.
    fn some_numbers(seed: u64) -> impl Iterator<Item = f64> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        })
    }

    fn some_candidates(seed: u64, count: u32) -> Vec<FusionCandidate<u32>> {
        let mut numbers = some_numbers(seed);
        let mut next = || numbers.next().unwrap();
        let one = |id| {
            let (keyword, cosine) =
                ((next() > 0.3).then(|| 20.0 * next()), (next() > 0.1).then(|| next() - 0.3));
            FusionCandidate { id, keyword, cosine }
        };
        (0..count).map(one).collect()
    }

    /// A query of the experiment: its statistics, and candidates numbered in row order.
    #[derive(serde::Deserialize)]
    struct Measured {
        trust: f64,
        mean_cosine: f64,
        cosine_deviation: f64,
        unknown: f64,
        rarest: f64,
        size: f64,
        keyword: Vec<f64>,
        cosine: Vec<f64>,
        order: Vec<u32>,
        score: Vec<f64>,
    }

    #[test]
    fn real_scores_come_in_the_order_and_with_the_scores_of_the_experiment() {
        let measured: Vec<Measured> =
            serde_json::from_str(include_str!("../../tests/golden/fusion.json")).unwrap();
        assert!(measured.len() >= 6);
        for query in measured {
            let Measured { trust, mean_cosine, cosine_deviation, unknown, rarest, size, .. } = query;
            let statistics =
                QueryStatistics { trust, mean_cosine, cosine_deviation, unknown, rarest, size, ..PLAIN };
            let both = query.keyword.iter().zip(&query.cosine).zip(0..);
            let candidates = both
                .map(|((keyword, cosine), id)| {
                    candidate(id, Some(*keyword).filter(|score| *score > 0.0), *cosine)
                })
                .collect::<Vec<_>>();
            assert_eq!(order(&candidates, &statistics), query.order);
            for (scored, expected) in auto(&candidates, &statistics).ranked.iter().zip(&query.score) {
                assert!((scored.score - expected).abs() < 1e-12, "{scored:?}, not {expected}");
            }
        }
    }

    #[test]
    fn scores_are_from_zero_to_one_and_best_first() {
        for seed in 0..200 {
            let fused = auto(&some_candidates(seed, 40), &PLAIN);
            assert!(fused.ranked.iter().all(|scored| (0.0..=1.0).contains(&scored.score)));
            assert!(fused.ranked.windows(2).all(|pair| pair[0].score >= pair[1].score));
            assert!(fused.ranked.iter().all(|one| one.keyword >= 0.0 && one.vector >= 0.0));
            assert!((0.0..=1.0).contains(&fused.vector_share));
        }
    }

    #[test]
    fn the_order_of_candidates_changes_no_bit() {
        for seed in 0..50 {
            let mut candidates = some_candidates(seed, 30);
            let fused = auto(&candidates, &PLAIN);
            candidates.reverse();
            candidates.rotate_left(seed as usize % 30);
            assert_eq!(auto(&candidates, &PLAIN), fused);
        }
    }

    #[test]
    fn a_candidate_does_not_fall_behind_one_that_neither_signal_puts_before_it() {
        for seed in 0..100 {
            let candidates = some_candidates(seed, 30);
            let ranked = order(&candidates, &PLAIN);
            let place = |id: u32| ranked.iter().position(|ranked| *ranked == id).unwrap();
            for a in &candidates {
                for b in
                    candidates.iter().filter(|b| a.cosine.is_some() && b.cosine.is_some() && a.id != b.id)
                {
                    let words = a.keyword.unwrap_or(0.0) >= b.keyword.unwrap_or(0.0);
                    if words && a.cosine > b.cosine {
                        assert!(place(a.id) < place(b.id), "{a:?} behind {b:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn without_words_the_order_is_that_of_vectors_even_below_the_average() {
        let candidates = [candidate(1, None, -0.4), candidate(2, None, 0.05), candidate(3, None, -0.1)];
        assert_eq!(order(&candidates, &PLAIN), [2, 3, 1]);
        assert_eq!(auto(&candidates, &PLAIN).vector_share, 1.0);
        let no_spread = QueryStatistics { cosine_deviation: 0.0, ..PLAIN };
        assert_eq!(order(&candidates, &no_spread), [2, 3, 1]);
    }

    #[test]
    fn without_vectors_the_order_is_that_of_words() {
        let candidates = [candidate(1, 2.0, None), candidate(2, 9.0, None), candidate(3, 4.0, f64::NAN)];
        let fused = auto(&candidates, &PLAIN);
        assert_eq!(fused.ranked.iter().map(|scored| scored.id).collect::<Vec<_>>(), [2, 3, 1]);
        assert_eq!((fused.ranked[0].score, fused.vector_share), (1.0, 0.0));
    }

    #[test]
    fn one_candidate_scores_one_and_none_give_none() {
        assert_eq!(scores(&[candidate(4, 3.0, 0.5)]), [(4, 1.0)]);
        assert_eq!(scores(&[candidate(4, None, None)]), [(4, 1.0)]);
        assert!(auto::<u32>(&[], &PLAIN).ranked.is_empty());
    }

    #[test]
    fn equal_candidates_come_in_the_order_of_ids() {
        let candidates = [candidate(9, 2.0, 0.3), candidate(2, 2.0, 0.3), candidate(5, 2.0, 0.3)];
        assert_eq!(order(&candidates, &PLAIN), [2, 5, 9]);
    }

    #[test]
    fn the_best_of_both_legs_scores_one() {
        let candidates = [candidate(1, 9.0, 0.6), candidate(2, 4.0, 0.2)];
        let (id, score) = scores(&candidates)[0];
        assert!(id == 1 && (1.0 - score) < 1e-15);
    }

    /// Returns the share of vectors for thirty records, with the best ten of both legs in common or apart.
    fn share(query: QueryStatistics, is_in_common: bool) -> f64 {
        let one = |id: u32| {
            let by_words = if is_in_common { id } else { 30 - id };
            candidate(id, 9.0 - f64::from(by_words) / 10.0, 0.4 - f64::from(id) / 100.0)
        };
        auto(&(0..30).map(one).collect::<Vec<_>>(), &query).vector_share
    }

    #[test]
    fn vectors_count_for_more_where_the_model_is_trusted() {
        let of = |kind| share(QueryStatistics { trust: default_trust(kind), ..PLAIN }, true);
        assert!(of(ModelKind::Transformer) > of(ModelKind::StaticTable));
        assert!(of(ModelKind::StaticTable) > of(ModelKind::Hash));
        assert_eq!(share(QueryStatistics { trust: 0.0, ..PLAIN }, true), 0.0);
    }

    #[test]
    fn words_count_for_more_where_one_is_rare_or_both_legs_agree() {
        assert!(share(QueryStatistics { rarest: 8.0, ..PLAIN }, false) < share(PLAIN, false));
        assert!(share(PLAIN, true) < share(PLAIN, false));
    }

    #[test]
    fn words_count_for_less_where_a_small_corpus_lacks_them() {
        let unknown = QueryStatistics { unknown: 0.4, ..PLAIN };
        assert_eq!(share(unknown, false), share(PLAIN, false), "a large corpus");
        assert!(share(QueryStatistics { size: 0.0, ..unknown }, false) > share(PLAIN, false));
    }

    #[test]
    fn the_legs_overlap_by_the_share_of_the_best_ten_in_common() {
        let both = (0..20).map(|id| candidate(id, 20.0 - f64::from(id), 0.5 - f64::from(id) / 100.0));
        assert_eq!(overlap(&both.collect::<Vec<_>>()), 1.0);
        let few = [candidate(1, 3.0, 0.1), candidate(2, None, 0.3), candidate(3, 2.0, None)];
        assert_eq!(overlap(&few), 0.1);
        assert_eq!(overlap::<u32>(&[]), 0.0);
    }

    #[test]
    fn a_model_without_trust_still_orders_records_that_match_no_word() {
        let untrusted = QueryStatistics { trust: 0.0, ..PLAIN };
        let candidates = [candidate(1, None, 0.2), candidate(2, None, 0.5)];
        assert_eq!(order(&candidates, &untrusted), [2, 1]);
    }

    #[test]
    fn a_record_far_above_the_average_wins_over_the_best_words() {
        let words = [candidate(1, 9.0, 0.1), candidate(2, 8.0, 0.1), candidate(3, None, 0.7)];
        assert_eq!(order(&words, &PLAIN)[0], 3);
        let near = [candidate(1, 9.0, 0.1), candidate(2, 8.0, 0.1), candidate(3, None, 0.2)];
        assert_eq!(order(&near, &PLAIN)[0], 1);
    }
}
