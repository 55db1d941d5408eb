//! How are any number of lists fused by ranks if the first lists and the first ranks count more?

use super::fusion::{RRF_K, best_first};
use crate::order::Map;

/// The number of lists that have double weight: the keyword list and the vector list.
pub const PRIMARY_LISTS: usize = 2;

/// A key with its fused score and the contribution of each list.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedFused<Key> {
    /// The key.
    pub key: Key,
    /// The sum of the contributions, in the order of the lists.
    pub score: f64,
    /// The contribution of each list; 0 if the list lacks the key.
    pub parts: Vec<f64>,
}

/// Fuses ranked lists of keys: Σ weight / (60 + rank + 1) + bonus, with ranks counted from 0 (U5).
///
/// The first two lists have weight 2, the others 1. The bonus is 0.05 for the first key of a list and 0.02 for the next
/// two. A key that a list repeats counts once, at its best rank. The result is best first; ties are ordered by first
/// appearance.
pub fn weighted_fusion<Key: Copy + Ord>(lists: &[&[Key]]) -> Vec<WeightedFused<Key>> {
    let mut places: Map<Key, usize> = Map::new();
    let mut fused: Vec<WeightedFused<Key>> = Vec::new();
    for (number, list) in lists.iter().enumerate() {
        for (rank, &key) in list.iter().enumerate() {
            let place = *places.or_insert(key, fused.len());
            if place == fused.len() {
                fused.push(WeightedFused { key, score: 0.0, parts: vec![0.0; lists.len()] });
            }
            let part = &mut fused[place].parts[number];
            // Contributions are never 0, so a non-zero one came from a better rank of the same list.
            if *part == 0.0 {
                *part = weight(number) / (RRF_K + rank as f64 + 1.0) + bonus(rank);
            }
        }
    }
    for one in &mut fused {
        one.score = one.parts.iter().fold(0.0, |sum, part| sum + part);
    }
    best_first(fused, |one| (one.score, places[&one.key]))
}

fn weight(list: usize) -> f64 {
    if list < PRIMARY_LISTS { 2.0 } else { 1.0 }
}

fn bonus(rank: usize) -> f64 {
    match rank {
        0 => 0.05,
        1 | 2 => 0.02,
        _ => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn u5_edge_3_what_stands_in_both_lists_has_both_parts() {
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
    fn u5_of_equal_scores_the_one_seen_first_stands_first() {
        assert_eq!(keys(&weighted_fusion(&[&[9, 8], &[1, 2]])), [9, 1, 8, 2]);
    }

    #[test]
    fn u5_a_key_repeated_in_a_list_counts_once_at_its_best_rank() {
        let fused = weighted_fusion(&[&[5, 5, 6]]);
        assert_eq!(fused[0].score, 2.0 / 61.0 + 0.05);
        assert_eq!(fused[1].score, 2.0 / 63.0 + 0.02);
    }

    #[test]
    fn u5_scores_are_those_of_the_formula_written_out() {
        // Pseudo-random lists, the same in every run.
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
