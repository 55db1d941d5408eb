//! Fusion of any number of lists by rank, with a weight per list and a bonus for the first ranks.

use super::fusion::{RRF_K, best_first};
use crate::order::{Map, Set};

/// A key, its score, and the part that each list adds to it.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedFused<Key> {
    /// The key.
    pub key: Key,
    /// The score: the parts, added up in the order of the lists.
    pub score: f64,
    /// The part of each list; 0 where the list lacks the key.
    pub parts: Vec<f64>,
}

/// The numbers of a [`weighted_rank_fusion`]; all of them should be finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightedRule<'a> {
    /// The constant of reciprocal rank fusion; 60 by default.
    pub k: f64,
    /// The weight of each list; further lists have weight 1. 2 and 2 by default.
    pub weights: &'a [f64],
    /// The bonus of each rank, from 0; further ranks have none. 0.05, 0.02 and 0.02 by default.
    pub bonuses: &'a [f64],
}

impl Default for WeightedRule<'_> {
    fn default() -> Self {
        WeightedRule { k: RRF_K, weights: &[2.0, 2.0], bonuses: &[0.05, 0.02, 0.02] }
    }
}

impl WeightedRule<'_> {
    fn part(&self, list: usize, rank: usize) -> f64 {
        let weight = self.weights.get(list).copied().unwrap_or(1.0);
        let bonus = self.bonuses.get(rank).copied().unwrap_or(0.0);
        weight / (self.k + rank as f64 + 1.0) + bonus
    }
}

/// Fuses lists of keys, best first: Σ weight / (k + rank + 1) + bonus, with ranks from 0 (U5).
///
/// A key that a list repeats counts once in it, at its best rank. Returns the best first; of equal scores, the key that was
/// seen first: lists in their order, each from its best rank.
///
/// ```
/// use snapseek::primitives::{WeightedRule, weighted_rank_fusion};
///
/// let keyword = [("7", "observation"), ("7", "session")];
/// let vector = [("7", "session")];
/// let fused = weighted_rank_fusion(&[&keyword, &vector], &WeightedRule::default());
/// assert_eq!(fused[0].key, ("7", "session"));
/// assert_eq!(fused[0].score, (2.0 / 62.0 + 0.02) + (2.0 / 61.0 + 0.05));
/// ```
pub fn weighted_rank_fusion<Key: Copy + Ord>(
    lists: &[&[Key]],
    rule: &WeightedRule,
) -> Vec<WeightedFused<Key>> {
    let mut places: Map<Key, usize> = Map::new();
    let mut fused: Vec<WeightedFused<Key>> = Vec::new();
    for (number, list) in lists.iter().enumerate() {
        let mut seen: Set<Key> = Set::new();
        for (rank, &key) in list.iter().enumerate().filter(|(_, key)| seen.insert(**key)) {
            let place = *places.or_insert(key, fused.len());
            if place == fused.len() {
                fused.push(WeightedFused { key, score: 0.0, parts: vec![0.0; lists.len()] });
            }
            fused[place].parts[number] = rule.part(number, rank);
        }
    }
    for one in &mut fused {
        one.score = one.parts.iter().fold(0.0, |sum, part| sum + part);
    }
    best_first(fused, |one| (one.score, places[&one.key]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighted_fusion<Key: Copy + Ord>(lists: &[&[Key]]) -> Vec<WeightedFused<Key>> {
        weighted_rank_fusion(lists, &WeightedRule::default())
    }

    fn keys<Key: Copy>(fused: &[WeightedFused<Key>]) -> Vec<Key> {
        fused.iter().map(|one| one.key).collect()
    }

    #[test]
    fn inv_001_the_same_id_of_another_kind_is_another_result() {
        let (observation, session) = (("7", "observation"), ("7", "session"));
        let fused = weighted_fusion(&[&[observation, session], &[observation]]);
        assert_eq!(keys(&fused), [observation, session]);
        assert_eq!(fused[1].score, 2.0 / 62.0 + 0.02);
    }

    #[test]
    fn u5_edge_3_a_key_in_both_lists_has_the_parts_of_both() {
        let fused = weighted_fusion(&[&["a", "b"], &["b", "c"]]);
        assert_eq!(keys(&fused), ["b", "a", "c"]);
        assert_eq!(fused[0].score, (2.0 / 62.0 + 0.02) + (2.0 / 61.0 + 0.05));
    }

    #[test]
    fn inv_006_the_first_two_lists_count_twice_the_others_once() {
        let fused = weighted_fusion(&[&[1], &[2], &[3], &[4]]);
        let scores = fused.iter().map(|one| (one.key, one.score)).collect::<Vec<_>>();
        let (primary, further) = (2.0 / 61.0 + 0.05, 1.0 / 61.0 + 0.05);
        assert_eq!(scores, [(1, primary), (2, primary), (3, further), (4, further)]);
    }

    #[test]
    fn u5_the_first_three_places_of_each_list_have_a_bonus() {
        let fused = weighted_fusion(&[&[1, 2, 3, 4, 5]]);
        let bonuses = [0.05, 0.02, 0.02, 0.0, 0.0];
        for (one, (rank, bonus)) in fused.iter().zip(bonuses.into_iter().enumerate()) {
            assert_eq!(one.score, 2.0 / (60.0 + rank as f64 + 1.0) + bonus);
        }
    }

    #[test]
    fn inv_007_nothing_gives_nothing() {
        assert!(weighted_fusion::<u32>(&[]).is_empty());
        assert!(weighted_fusion::<u32>(&[&[], &[], &[]]).is_empty());
    }

    #[test]
    fn u5_of_equal_scores_the_key_seen_first_comes_first() {
        assert_eq!(keys(&weighted_fusion(&[&[9, 8], &[1, 2]])), [9, 1, 8, 2]);
    }

    #[test]
    fn u5_a_key_repeated_in_a_list_counts_once_at_its_best_rank() {
        let fused = weighted_fusion(&[&[5, 5, 6]]);
        assert_eq!(fused[0].score, 2.0 / 61.0 + 0.05);
        assert_eq!(fused[1].score, 2.0 / 63.0 + 0.02);
    }

    #[test]
    fn u5_a_list_without_weight_and_a_rank_without_bonus_add_nothing() {
        let rule = WeightedRule { k: 0.0, weights: &[0.0, 3.0], bonuses: &[] };
        let fused = weighted_rank_fusion(&[&[1, 2, 1], &[2]], &rule);
        assert_eq!(fused.iter().map(|one| (one.key, one.score)).collect::<Vec<_>>(), [(2, 3.0), (1, 0.0)]);
    }

    #[test]
    fn u5_scores_are_those_of_the_formula_written_out() {
        // Lists that look random: the same in every run.
        let mut random = 7u64;
        let mut below = |end: u64| {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) % end
        };
        for _ in 0..200 {
            let lists =
                (0..below(5)).map(|_| (0..below(9)).map(|_| below(12)).collect()).collect::<Vec<Vec<_>>>();
            let views = lists.iter().map(Vec::as_slice).collect::<Vec<_>>();
            let fused = weighted_fusion(&views);
            assert!(fused.is_sorted_by(|a, b| a.score >= b.score));
            for one in &fused {
                let naive = lists.iter().enumerate().fold(0.0, |sum, (number, list)| {
                    let Some(rank) = list.iter().position(|key| *key == one.key) else { return sum };
                    let weight = if number < 2 { 2.0 } else { 1.0 };
                    let bonus = [0.05, 0.02, 0.02].get(rank).copied().unwrap_or(0.0);
                    sum + (weight / (60.0 + rank as f64 + 1.0) + bonus)
                });
                assert_eq!(one.score, naive);
            }
            let all = lists.iter().flatten().collect::<std::collections::BTreeSet<_>>();
            assert_eq!(fused.len(), all.len());
        }
    }
}
