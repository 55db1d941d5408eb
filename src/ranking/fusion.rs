//! How are two legs fused by ranks, or by a sum with a fixed weight?

use crate::order::{Map, sort, sort_by};

/// The default `k` of reciprocal rank fusion.
pub const RRF_K: f64 = 60.0;

/// An id with its score; a higher score is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoredId<Id> {
    /// The id.
    pub id: Id,
    /// The score.
    pub score: f64,
}

/// An id with its fused score and the contribution of each leg.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fused<Id> {
    /// The id.
    pub id: Id,
    /// The sum of both contributions.
    pub score: f64,
    /// The contribution of the keyword leg.
    pub keyword: f64,
    /// The contribution of the vector leg.
    pub vector: f64,
}

impl<Id> Fused<Id> {
    pub(super) fn new(id: Id, keyword: f64, vector: f64) -> Fused<Id> {
        Fused { id, score: keyword + vector, keyword, vector }
    }
}

/// The signals of both legs for one record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FusionCandidate<Id> {
    /// The record. No two candidates have the same id.
    pub id: Id,
    /// The record's bm25 score as a positive number, if it matches.
    pub keyword: Option<f64>,
    /// The cosine of the record's vector and the query's, if the record has a vector. A non-finite value counts as none.
    pub cosine: Option<f64>,
}

impl<Id> FusionCandidate<Id> {
    pub(super) fn finite_cosine(&self) -> Option<f64> {
        self.cosine.filter(|cosine| cosine.is_finite())
    }

    /// Returns the bm25 score, or 0 if the record does not match.
    pub(super) fn keyword_or_zero(&self) -> f64 {
        self.keyword.filter(|score| score.is_finite()).map_or(0.0, |score| score.max(0.0))
    }
}

/// Fuses ranked lists of ids by ranks alone (P3): Σ 1 / (k + rank + 1), with ranks counted from 0.
///
/// An id that a list repeats counts once, at its best rank. The result is best first; ties are ordered by id.
///
/// ```
/// use snapseek::ranking::reciprocal_rank_fusion;
///
/// let fused = reciprocal_rank_fusion(&[&["a", "b"], &["b", "c"]], 60.0);
/// assert_eq!(fused[0].id, "b");
/// assert_eq!(fused[0].score, 1.0 / 61.0 + 1.0 / 62.0);
/// ```
pub fn reciprocal_rank_fusion<Id: Copy + Ord>(lists: &[&[Id]], k: f64) -> Vec<ScoredId<Id>> {
    let mut ranks: Map<Id, Vec<usize>> = Map::new();
    for list in lists {
        let mut best: Map<Id, usize> = Map::new();
        for (rank, id) in list.iter().enumerate() {
            best.or_insert(*id, rank);
        }
        for (id, rank) in best {
            ranks.or_default(id).push(rank);
        }
    }
    let score = |mut ranks: Vec<usize>| {
        // Add in the order of ranks, so that the last bit does not depend on the order of the lists.
        sort(&mut ranks);
        ranks.iter().map(|rank| rank_score(*rank, k)).sum()
    };
    let scored = ranks.into_iter().map(|(id, ranks)| ScoredId { id, score: score(ranks) });
    best_first(scored.collect::<Vec<_>>(), |scored| (scored.score, scored.id))
}

fn rank_score(rank: usize, k: f64) -> f64 {
    1.0 / (k + rank as f64 + 1.0)
}

/// Fuses two legs by ranks alone (P3) and divides by the greatest score (P4).
///
/// Each item is an id with its rank, counted from 0, in the keyword list and in the vector list, if it is in them. The
/// result keeps the contribution of each leg.
pub fn by_ranks<Id: Copy + Ord>(ranks: &[(Id, Option<usize>, Option<usize>)], k: f64) -> Vec<Fused<Id>> {
    let part = |rank: Option<usize>| rank.map_or(0.0, |rank| rank_score(rank, k));
    let greatest =
        ranks.iter().map(|(_, keyword, vector)| part(*keyword) + part(*vector)).fold(1e-10, f64::max);
    let fused = ranks
        .iter()
        .map(|(id, keyword, vector)| Fused::new(*id, part(*keyword) / greatest, part(*vector) / greatest));
    best_first(fused.collect::<Vec<_>>(), |fused| (fused.score, fused.id))
}

/// Divides scores by the greatest of them (P4), or by 1e-10 if none is greater. The order stays.
pub fn normalise<Id: Copy>(scored: &[ScoredId<Id>]) -> Vec<ScoredId<Id>> {
    let greatest = scored.iter().map(|scored| scored.score).fold(1e-10, f64::max);
    scored.iter().map(|scored| ScoredId { id: scored.id, score: scored.score / greatest }).collect::<Vec<_>>()
}

/// Fuses by a fixed weight: (1 − alpha) · bm25 / max + alpha · (cosine − min) / (max − min).
///
/// `alpha` ranges from 0 (keywords alone) to 1 (vectors alone). A missing signal counts as 0. If all cosines are equal,
/// they count as 1. Scores are 0 to 1, best first; ties are ordered by id.
pub fn sum<Id: Copy + Ord>(candidates: &[FusionCandidate<Id>], alpha: f64) -> Vec<Fused<Id>> {
    let alpha = alpha.clamp(0.0, 1.0);
    let most = candidates.iter().map(FusionCandidate::keyword_or_zero).fold(0.0, f64::max);
    let cosines = || candidates.iter().filter_map(FusionCandidate::finite_cosine);
    let (low, high) = (cosines().fold(f64::INFINITY, f64::min), cosines().fold(f64::NEG_INFINITY, f64::max));
    let keyword = |candidate: &FusionCandidate<Id>| match most > 0.0 {
        true => candidate.keyword_or_zero() / most,
        false => 0.0,
    };
    let vector = |candidate: &FusionCandidate<Id>| match candidate.finite_cosine() {
        Some(cosine) if high > low => (cosine - low) / (high - low),
        Some(_) => 1.0,
        None => 0.0,
    };
    let fused = candidates.iter().map(|candidate| {
        Fused::new(candidate.id, (1.0 - alpha) * keyword(candidate), alpha * vector(candidate))
    });
    best_first(fused.collect::<Vec<_>>(), |fused| (fused.score, fused.id))
}

/// Sorts by score, best first, and ties by id.
pub(super) fn best_first<T, Id: Ord>(mut all: Vec<T>, key: impl Fn(&T) -> (f64, Id)) -> Vec<T> {
    sort_by(&mut all, |a, b| {
        let ((a_score, a_id), (b_score, b_id)) = (key(a), key(b));
        // Adding 0.0 makes −0.0 and 0.0 equal for `total_cmp`.
        (b_score + 0.0).total_cmp(&(a_score + 0.0)).then_with(|| a_id.cmp(&b_id))
    });
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ids<Id: Copy>(scored: &[ScoredId<Id>]) -> Vec<Id> {
        scored.iter().map(|scored| scored.id).collect()
    }

    fn candidate(
        id: u32,
        keyword: impl Into<Option<f64>>,
        cosine: impl Into<Option<f64>>,
    ) -> FusionCandidate<u32> {
        FusionCandidate { id, keyword: keyword.into(), cosine: cosine.into() }
    }

    #[test]
    fn p3_an_id_in_both_lists_adds_up_and_stands_before_those_in_one() {
        let fused = reciprocal_rank_fusion(&[&[7, 3], &[9, 3]], 60.0);
        assert_eq!(ids(&fused), [3, 7, 9]);
        assert_eq!(fused[0].score, 1.0 / 62.0 + 1.0 / 62.0);
        assert_eq!(fused[1].score, 1.0 / 61.0);
    }

    #[test]
    fn p3_an_id_repeated_in_a_list_counts_once_at_its_best_rank() {
        let fused = reciprocal_rank_fusion(&[&[5, 5, 6, 5]], 60.0);
        assert_eq!(fused, [ScoredId { id: 5, score: 1.0 / 61.0 }, ScoredId { id: 6, score: 1.0 / 63.0 }]);
    }

    #[test]
    fn p3_the_order_of_lists_changes_no_bit() {
        let lists: [&[u32]; 3] = [&[4, 1, 8, 2], &[2, 9, 4], &[8, 4, 7]];
        let turned = [lists[2], lists[0], lists[1]];
        assert_eq!(reciprocal_rank_fusion(&lists, 60.0), reciprocal_rank_fusion(&turned, 60.0));
    }

    #[test]
    fn p3_one_list_alone_keeps_its_order_and_none_gives_none() {
        assert_eq!(ids(&reciprocal_rank_fusion(&[&["c", "a", "b"], &[]], RRF_K)), ["c", "a", "b"]);
        assert!(reciprocal_rank_fusion::<u32>(&[&[], &[]], RRF_K).is_empty());
    }

    #[test]
    fn p4_the_greatest_score_becomes_one() {
        let scored = [ScoredId { id: 1, score: 0.04 }, ScoredId { id: 2, score: 0.01 }];
        assert_eq!(normalise(&scored), [ScoredId { id: 1, score: 1.0 }, ScoredId { id: 2, score: 0.25 }]);
        assert_eq!(scored[0].score, 0.04, "the input is not changed");
    }

    #[test]
    fn p4_no_scores_stay_none_and_zeros_stay_zeros() {
        assert!(normalise::<u32>(&[]).is_empty());
        assert_eq!(normalise(&[ScoredId { id: 1, score: 0.0 }]), [ScoredId { id: 1, score: 0.0 }]);
    }

    #[test]
    fn a_sum_weighs_the_parts_by_alpha() {
        let candidates = [candidate(1, 4.0, 0.1), candidate(2, 2.0, 0.5), candidate(3, None, 0.9)];
        let scores = |alpha| sum(&candidates, alpha).iter().map(|s| (s.id, s.score)).collect::<Vec<_>>();
        assert_eq!(scores(0.0), [(1, 1.0), (2, 0.5), (3, 0.0)]);
        assert_eq!(scores(1.0), [(3, 1.0), (2, 0.5), (1, 0.0)]);
        assert_eq!(scores(0.25), [(1, 0.75), (2, 0.5), (3, 0.25)]);
    }

    #[test]
    fn a_sum_without_one_leg_keeps_the_order_of_the_other() {
        let order = |candidates: &[FusionCandidate<u32>]| {
            sum(candidates, 0.5).iter().map(|f| f.id).collect::<Vec<_>>()
        };
        let words = [candidate(1, 1.0, None), candidate(2, 3.0, None), candidate(3, 2.0, None)];
        assert_eq!(order(&words), [2, 3, 1]);
        let vectors = [candidate(1, None, -0.2), candidate(2, None, 0.3), candidate(3, None, f64::NAN)];
        assert_eq!(order(&vectors), [2, 1, 3]);
    }

    #[test]
    fn p3_p4_two_legs_fused_by_ranks_are_their_lists_fused_and_normalised() {
        let (words, vectors) = ([4, 1, 8, 2], [2, 9, 4]);
        let place = |list: &[u32], id: u32| list.iter().position(|other| *other == id);
        let ranks = [1, 2, 4, 8, 9].map(|id| (id, place(&words, id), place(&vectors, id)));
        let expected = normalise(&reciprocal_rank_fusion(&[&words, &vectors], RRF_K));
        for (fused, expected) in by_ranks(&ranks, RRF_K).iter().zip(&expected) {
            assert_eq!(fused.id, expected.id);
            // `by_ranks` adds two quotients; the expected value divides a sum.
            assert!((fused.score - expected.score).abs() < 1e-15);
        }
    }
}
