//! Which hits add something new?

/// Reorders hits by maximal marginal relevance and returns at most `limit` indexes into `scores`.
///
/// The next hit is the one with the greatest λ · score − (1 − λ) · s, where s is its greatest similarity to a hit chosen
/// before. `scores` are best first and are divided by the greatest of them. λ ranges from 0 (only novelty) to 1 (only
/// scores). Ties keep their order.
pub fn marginal_relevance(
    scores: &[f64],
    lambda: f64,
    limit: usize,
    mut similarity: impl FnMut(usize, usize) -> f64,
) -> Vec<usize> {
    let greatest = scores.iter().copied().fold(0.0, f64::max);
    let share = |score: f64| if greatest > 0.0 { score / greatest } else { 0.0 };
    let mut left = (0..scores.len()).collect::<Vec<_>>();
    let mut redundancy = vec![0.0f64; scores.len()];
    let mut chosen = Vec::new();
    while chosen.len() < limit && !left.is_empty() {
        let relevance = |hit: usize| lambda * share(scores[hit]) - (1.0 - lambda) * redundancy[hit];
        let best = (1..left.len())
            .fold(0, |best, at| if relevance(left[at]) > relevance(left[best]) { at } else { best });
        let hit = left.remove(best);
        for &other in &left {
            redundancy[other] = redundancy[other].max(similarity(hit, other));
        }
        chosen.push(hit);
    }
    chosen
}

/// Returns for each of `count` hits, best first, the better hit that it duplicates, if any.
///
/// That is the first hit that is no duplicate itself and whose similarity to it is at least `least`.
pub fn folded(
    count: usize,
    least: f64,
    mut similarity: impl FnMut(usize, usize) -> f64,
) -> Vec<Option<usize>> {
    let mut under: Vec<Option<usize>> = Vec::new();
    for hit in 0..count {
        let better = (0..hit).filter(|&better| under[better].is_none());
        let found = better.into_iter().find(|&better| similarity(better, hit) >= least);
        under.push(found);
    }
    under
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hits on a line; their similarity grows as their distance shrinks.
    fn near(places: &'static [f64]) -> impl Fn(usize, usize) -> f64 {
        move |a, b| 1.0 - (places[a] - places[b]).abs().min(1.0)
    }

    #[test]
    fn a_lambda_of_one_keeps_the_order_and_a_smaller_one_brings_what_is_new_forward() {
        let (scores, places) = ([1.0, 0.9, 0.5], &[0.0, 0.0, 1.0][..]);
        assert_eq!(marginal_relevance(&scores, 1.0, 3, near(places)), [0, 1, 2]);
        assert_eq!(marginal_relevance(&scores, 0.5, 3, near(places)), [0, 2, 1]);
        assert_eq!(marginal_relevance(&scores, 0.5, 2, near(places)), [0, 2]);
    }

    #[test]
    fn every_hit_is_chosen_once_whatever_the_scores() {
        let places = &[0.1, 0.2, 0.3, 0.4][..];
        for scores in [[0.0; 4], [-1.0; 4], [4.0, 3.0, 2.0, 1.0]] {
            let mut chosen = marginal_relevance(&scores, 0.3, 9, near(places));
            chosen.sort_unstable();
            assert_eq!(chosen, [0, 1, 2, 3]);
        }
        assert!(marginal_relevance(&[], 0.5, 3, near(places)).is_empty());
    }

    #[test]
    fn what_is_alike_is_folded_under_the_first_that_is_shown() {
        let places = &[0.0, 0.05, 0.5, 0.09][..];
        assert_eq!(folded(4, 0.9, near(places)), [None, Some(0), None, Some(0)]);
        assert_eq!(folded(4, 2.0, near(places)), [None; 4]);
    }
}
