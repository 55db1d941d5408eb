//! How do the results of several vaults become one list? (V13)

use crate::order::{Set, sort_by};

/// The weights of the usual tiers.
const TIER_WEIGHTS: [(&str, f64); 3] = [("agent", 1.0), ("project", 0.8), ("team", 0.6)];

/// Returns the default weight of a tier with this name; none for other names.
pub fn tier_weight(name: &str) -> Option<f64> {
    TIER_WEIGHTS.iter().find(|(known, _)| *known == name).map(|(_, weight)| *weight)
}

/// A result of one tier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TierResult<'a> {
    /// The id and kind.
    pub key: (&'a str, &'a str),
    /// The score in its tier.
    pub score: f64,
}

/// A result in the merged list.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merged {
    /// The number of the tier.
    pub tier: usize,
    /// The place among the results of the tier.
    pub place: usize,
    /// The score, multiplied by the weight of the tier.
    pub score: f64,
}

/// Merges the results of tiers, each with its weight. A score is multiplied by the weight of its tier. If several tiers have
/// the same key, the result of the tier with the largest weight stays. The best scores come first; equal scores are in the
/// order of the tiers' weights, then in the order of the tier's results.
pub fn merge(tiers: &[(f64, Vec<TierResult>)]) -> Vec<Merged> {
    let mut order = (0..tiers.len()).collect::<Vec<_>>();
    sort_by(&mut order, |a, b| tiers[*b].0.total_cmp(&tiers[*a].0));
    let mut kept = Set::new();
    let mut merged = Vec::new();
    for tier in order {
        let (weight, results) = &tiers[tier];
        for (place, result) in results.iter().enumerate() {
            if kept.insert(result.key) {
                merged.push(Merged { tier, place, score: result.score * weight });
            }
        }
    }
    sort_by(&mut merged, |a, b| b.score.total_cmp(&a.score));
    merged
}
