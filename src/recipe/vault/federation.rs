//! How are several vaults searched as one? Each is searched on its own, and the results are merged (V13).

use super::handle::load;
use super::query::{VaultMode, VaultQuery};
use super::ranking::{MEMORY, keeps_all};
use super::response::{VaultLoaded, VaultResult, VaultWeights};
use super::tiers::{Merged, TierResult, merge, tier_weight};
use crate::engine::{Embedded, Engine, SearchError};
use crate::json::{Json, float_text};
use crate::options::{Options, OptionsError};
use crate::order::{Set, sort_by, sort_by_key};
use crate::pipeline::Factor;
use crate::ranking::within_budget;
use serde::Serialize;

/// A vault of a federation.
#[derive(Clone, Copy, Debug)]
pub struct Tier<'a> {
    /// The name, which results repeat. It is unique in a federation.
    pub name: &'a str,
    /// The factor of the scores, 0 or more. A larger weight also means a higher priority.
    pub weight: f64,
    /// The vault.
    pub engine: &'a Engine,
}

impl<'a> Tier<'a> {
    /// A tier with the default weight of its name: `agent` 1, `project` 0.8, `team` 0.6, any other 1.
    pub fn new(name: &'a str, engine: &'a Engine) -> Tier<'a> {
        Tier { name, weight: tier_weight(name).unwrap_or(1.0), engine }
    }
}

/// Several vaults that are searched as one.
#[derive(Clone, Debug)]
pub struct Federation<'a> {
    /// The tiers, largest weight first; tiers of equal weight are in the order in which they were given.
    tiers: Vec<Tier<'a>>,
}

/// The response of a search of several vaults.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Federated {
    /// The query as it came.
    pub query: String,
    /// How much of each result comes back.
    pub mode: VaultMode,
    /// The tiers, highest priority first.
    pub tiers: Vec<FederationTier>,
    /// Whether a tier has vectors and the search could not use them.
    pub degraded: bool,
    /// The reasons, each with the name of its tier.
    pub warnings: Vec<String>,
    /// The number of entries to choose from; a lower bound where a tier has fifty or more.
    pub candidates: usize,
    /// The results, best first, each with the name of its tier.
    pub results: Vec<VaultResult>,
}

/// A tier that was searched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FederationTier {
    /// The name.
    pub name: String,
    /// The factor of the scores.
    pub weight: f64,
    /// The number of entries to choose from.
    pub candidates: usize,
}

impl<'a> Federation<'a> {
    /// Joins vaults.
    ///
    /// # Errors
    /// When there is no tier, a weight is negative or not finite, or a name is empty or given twice.
    pub fn new(tiers: impl IntoIterator<Item = Tier<'a>>) -> Result<Federation<'a>, OptionsError> {
        let mut tiers = tiers.into_iter().collect::<Vec<_>>();
        let mut faults = Options::of(&Json::Null);
        let mut names = Set::new();
        if tiers.is_empty() {
            faults.complain("tiers", "must have at least one tier");
        }
        for (place, Tier { name, weight, .. }) in tiers.iter().enumerate() {
            if name.is_empty() {
                faults.complain("tiers", format!("tier {place} must have a name"));
            } else if !names.insert(*name) {
                faults.complain("tiers", format!("tier {place} has the name \"{name}\" of another tier"));
            }
            if !weight.is_finite() || *weight < 0.0 {
                let weight = float_text(*weight);
                faults
                    .complain("tiers", format!("the weight of tier {place} must be 0 or more, not {weight}"));
            }
        }
        faults.finish()?;
        sort_by(&mut tiers, |a, b| b.weight.total_cmp(&a.weight));
        Ok(Federation { tiers })
    }

    /// Returns the entries and memories of all tiers that answer a query. If several tiers have an entry, it comes from the tier
    /// with the highest priority. The stages `fold` and `diversity` run within each tier.
    ///
    /// # Errors
    /// When an option or the filter is faulty, or a snapshot is damaged.
    pub fn search(&self, query: &VaultQuery, embedded: &Embedded) -> Result<Federated, SearchError> {
        let (mut found, mut tiers, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        for tier in &self.tiers {
            let mut response = tier.engine.vault().every_candidate(query, embedded)?;
            warnings.extend(response.warnings.drain(..).map(|warning| format!("{}: {warning}", tier.name)));
            tiers.push(FederationTier {
                name: tier.name.to_owned(),
                weight: tier.weight,
                candidates: response.candidates,
            });
            found.push(response.results);
        }
        let weighted = tiers.iter().zip(&found).map(|(tier, results)| {
            let results = results.iter().map(|result| {
                let key = (result.id.as_str(), result.kind.as_str());
                TierResult { key, score: result.score }
            });
            (tier.weight, results.collect::<Vec<_>>())
        });
        let mut merged = merge(&weighted.collect::<Vec<_>>());
        // The sort is stable: results that are not pinned stay in the order of their scores.
        sort_by_key(&mut merged, |place| {
            let id = &found[place.tier][place.place].id;
            query.stages.pinned.iter().position(|pinned| pinned == id).unwrap_or(usize::MAX)
        });
        let is_entry = |result: &&VaultResult| result.kind != MEMORY;
        let all = found.iter().flatten().filter(is_entry).count();
        let kept = merged.iter().map(|place| &found[place.tier][place.place]).filter(is_entry).count();
        let candidates = tiers.iter().map(|tier| tier.candidates).sum::<usize>() - (all - kept);
        if !keeps_all(candidates, query.limit) {
            merged.truncate(query.limit);
        }
        let of_tier = |place: &Merged| {
            let tier = &tiers[place.tier];
            let mut result = std::mem::take(&mut found[place.tier][place.place]);
            result.score = place.score;
            result.tier = Some(tier.name.clone());
            if let Some(explain) = &mut result.explain {
                explain.score.factors.push(Factor { name: "tier".to_owned(), value: tier.weight });
            }
            result
        };
        let mut results = merged.iter().map(of_tier).collect::<Vec<_>>();
        if let Some(most) = query.stages.max_tokens {
            results.truncate(within_budget(results.iter().map(|result| result.token_estimate), most));
        }
        Ok(Federated {
            query: query.query.clone(),
            mode: query.mode,
            tiers,
            degraded: !warnings.is_empty(),
            warnings,
            candidates,
            results,
        })
    }

    /// Returns whole records in the order of their ids, each from the first tier that has it.
    ///
    /// # Errors
    /// When a snapshot is damaged.
    pub fn load(&self, ids: &[String]) -> Result<VaultLoaded, SearchError> {
        load(ids, |id| {
            for tier in &self.tiers {
                if let Some(record) = tier.engine.vault().record(id)? {
                    return Ok(Some(record));
                }
            }
            Ok(None)
        })
    }

    /// Returns the weight of each signal, and the feedback behind it, for each tier.
    ///
    /// # Errors
    /// When a snapshot is damaged.
    pub fn weights(&self) -> Result<Vec<(&'a str, VaultWeights)>, SearchError> {
        self.tiers.iter().map(|tier| Ok((tier.name, tier.engine.vault().weights()?))).collect()
    }
}
