//! Several vaults, asked as one: each is searched on its own, and what they give is merged (V13).

use super::calls::load;
use super::options::VaultOptions;
use super::response::{Loaded, VaultMode, VaultResult, VaultWeights};
use crate::engine::{Embedded, Engine, SearchError};
use crate::json::Json;
use crate::order::sort_by;
use crate::pipeline::Factor;
use crate::ranking::within_budget;
use crate::recipe::vault::tiers::{Merged, TierResult, merge, tier_weight};
use crate::recipe::vault::{MEMORY, keeps_all};
use serde::Serialize;

/// A vault among others.
#[derive(Clone, Copy, Debug)]
pub struct Tier<'a> {
    /// What results say they are from.
    pub name: &'a str,
    /// What its scores are multiplied by: the more, the higher its priority.
    pub weight: f64,
    /// The vault.
    pub engine: &'a Engine,
}

impl<'a> Tier<'a> {
    /// A tier that counts what tiers of its name do: `agent` 1, `project` 0.8, `team` 0.6; others 1.
    pub fn new(name: &'a str, engine: &'a Engine) -> Tier<'a> {
        Tier { name, weight: tier_weight(name).unwrap_or(1.0), engine }
    }
}

/// Several vaults.
#[derive(Clone, Debug)]
pub struct Federation<'a> {
    /// By priority; of equal weights, as they were given.
    tiers: Vec<Tier<'a>>,
}

/// What a search of several vaults answers.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Federated {
    /// The query as it came.
    pub query: String,
    /// How much comes back of each result.
    pub mode: VaultMode,
    /// The tiers, by priority.
    pub tiers: Vec<FederationTier>,
    /// Whether one of them was without vectors that should have counted.
    pub degraded: bool,
    /// Why, each with its tier.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// How many entries there were to choose from; at least so many, where a tier has more than fifty.
    pub candidates: usize,
    /// The results, best first; each says its tier.
    pub results: Vec<VaultResult>,
}

/// A tier that was searched.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FederationTier {
    /// Its name.
    pub name: String,
    /// What its scores were multiplied by.
    pub weight: f64,
    /// How many entries it had to choose from.
    pub candidates: usize,
}

impl<'a> Federation<'a> {
    /// Vaults as one.
    pub fn new(tiers: impl IntoIterator<Item = Tier<'a>>) -> Federation<'a> {
        let mut tiers = tiers.into_iter().collect::<Vec<_>>();
        sort_by(&mut tiers, |a, b| b.weight.total_cmp(&a.weight));
        Federation { tiers }
    }

    /// The entries and memories of all tiers that answer a query; `options` are those of `vault.search`.
    ///
    /// # Errors
    /// When an option cannot be used, or a snapshot is damaged.
    pub fn search(&self, options: &Json, embedded: &Embedded) -> Result<Federated, SearchError> {
        let options = VaultOptions::read(options)?;
        let each = options.of_a_tier();
        let (mut answers, mut tiers, mut warnings) = (Vec::new(), Vec::new(), Vec::new());
        for tier in &self.tiers {
            let mut answer = tier.engine.vault_answer(&each, embedded)?;
            warnings.extend(answer.warnings.drain(..).map(|warning| format!("{}: {warning}", tier.name)));
            tiers.push(FederationTier {
                name: tier.name.to_owned(),
                weight: tier.weight,
                candidates: answer.candidates,
            });
            answers.push(answer.results);
        }
        let found = tiers.iter().zip(&answers).map(|(tier, results)| {
            let results = results.iter().map(|result| {
                let key = (result.id.as_str(), result.kind.as_str());
                TierResult { key, score: result.score }
            });
            (tier.weight, results.collect::<Vec<_>>())
        });
        let mut merged = merge(&found.collect::<Vec<_>>());
        let is_entry = |result: &&VaultResult| result.kind != MEMORY;
        let all = answers.iter().flatten().filter(is_entry).count();
        let kept = merged.iter().map(|place| &answers[place.tier][place.place]).filter(is_entry).count();
        let candidates = tiers.iter().map(|tier| tier.candidates).sum::<usize>() - (all - kept);
        if !keeps_all(candidates, options.limit) {
            merged.truncate(options.limit);
        }
        let of_tier = |place: &Merged| {
            let tier = &tiers[place.tier];
            let mut result = std::mem::take(&mut answers[place.tier][place.place]);
            result.score = place.score;
            result.tier = Some(tier.name.clone());
            if let Some(explain) = &mut result.explain {
                explain.factors.push(Factor { name: "tier".to_owned(), value: tier.weight });
            }
            result
        };
        let mut results = merged.iter().map(of_tier).collect::<Vec<_>>();
        if let Some(most) = options.max_tokens {
            results.truncate(within_budget(results.iter().map(|result| result.token_estimate), most));
        }
        Ok(Federated {
            query: options.query.to_owned(),
            mode: options.mode,
            tiers,
            degraded: !warnings.is_empty(),
            warnings,
            candidates,
            results,
        })
    }

    /// Whole entries by their ids, in the order asked, each from the first tier that has it; `options` are those of
    /// `vault.load`.
    ///
    /// # Errors
    /// When an option cannot be used, or a snapshot is damaged.
    pub fn load(&self, options: &Json) -> Result<Loaded, SearchError> {
        load(options, |id| {
            for tier in &self.tiers {
                if let Some(record) = tier.engine.vault_record(id)? {
                    return Ok(Some(record));
                }
            }
            Ok(None)
        })
    }

    /// By tier, what each signal counts, and why.
    ///
    /// # Errors
    /// When a snapshot is damaged.
    pub fn weights(&self) -> Result<Vec<(&'a str, VaultWeights)>, SearchError> {
        let weights = |tier: &Tier<'a>| Ok((tier.name, tier.engine.vault_weights(&Json::Null)?));
        self.tiers.iter().map(weights).collect()
    }
}
