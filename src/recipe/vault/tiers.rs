//! How do the results of several vaults become one list? (V13)

use crate::order::{Set, sort_by};

/// What a result of each of the usual tiers counts.
const TIER_WEIGHTS: [(&str, f64); 3] = [("agent", 1.0), ("project", 0.8), ("team", 0.6)];

/// What results of a tier of this name count where nothing else is said; none for other names.
pub fn tier_weight(name: &str) -> Option<f64> {
    TIER_WEIGHTS.iter().find(|(known, _)| *known == name).map(|(_, weight)| *weight)
}

/// A result of one tier.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TierResult<'a> {
    /// Its id and kind.
    pub key: (&'a str, &'a str),
    /// What it scores in its tier.
    pub score: f64,
}

/// A result of all tiers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Merged {
    /// The number of its tier.
    pub tier: usize,
    /// Its place there.
    pub place: usize,
    /// Its score, times what its tier counts.
    pub score: f64,
}

/// Merges the results of tiers, each with what it counts: a score is multiplied by that, of one key in several tiers the
/// version of the tier that counts most stays, and the best come first. Of equals, those of the tier that counts more,
/// then those that came before.
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
