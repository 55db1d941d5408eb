//! How is the score of a memory made (M4)? By a formula that callers can also apply themselves.
//!
//! `js/src/memory-score.ts` has the same function; `tests/primitives.json` holds both to the same bits.

use super::salience;
use crate::options::Options;
use crate::ranking::exponential_decay;

/// A bm25 of this size or more gets the full keyword signal.
pub(super) const FULL_BM25: f64 = 10.0;
/// The exponent by which recency falls per day.
pub(super) const AGEING: f64 = 0.05;
/// The factor of superseded memories.
pub(super) const SUPERSEDED: f64 = 0.5;

/// The boosts of the sectors; any other sector has 1.
const SECTOR_BOOSTS: [(&str, f64); 5] =
    [("reflective", 1.2), ("semantic", 1.1), ("procedural", 1.0), ("emotional", 0.9), ("episodic", 0.8)];

/// The weights of the four signals of a score, and the boosts of sectors.
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryWeights {
    /// The weight of the similarity: 0.4 by default.
    pub semantic: f64,
    /// The weight of the keyword signal: 0.25 by default.
    pub keyword: f64,
    /// The weight of the salience: 0.2 by default.
    pub salience: f64,
    /// The weight of the recency: 0.15 by default.
    pub recency: f64,
    /// The factor of each sector. A sector that is not listed has 1.
    pub sector_boost: Vec<(String, f64)>,
}

impl Default for MemoryWeights {
    fn default() -> MemoryWeights {
        MemoryWeights {
            semantic: 0.4,
            keyword: 0.25,
            salience: 0.2,
            recency: 0.15,
            sector_boost: SECTOR_BOOSTS
                .iter()
                .map(|(sector, boost)| ((*sector).to_owned(), *boost))
                .collect(),
        }
    }
}

impl MemoryWeights {
    fn boost_of(&self, sector: Option<&str>) -> f64 {
        let own = self.sector_boost.iter().find(|(known, _)| Some(known.as_str()) == sector);
        own.map_or(1.0, |(_, boost)| *boost)
    }
}

/// Changes to weights. An absent weight stays as it is; boosts change sector by sector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryWeightChanges {
    /// The weight of the similarity.
    pub semantic: Option<f64>,
    /// The weight of the keyword signal.
    pub keyword: Option<f64>,
    /// The weight of the salience.
    pub salience: Option<f64>,
    /// The weight of the recency.
    pub recency: Option<f64>,
    /// Factors of sectors.
    pub sector_boost: Vec<(String, f64)>,
}

impl MemoryWeightChanges {
    /// Reads `weights: { semantic, keyword, salience, recency, sectorBoost }`.
    pub fn take(read: &mut Options) -> MemoryWeightChanges {
        let changes = read.object("weights", |weights| MemoryWeightChanges {
            semantic: weights.any_number("semantic"),
            keyword: weights.any_number("keyword"),
            salience: weights.any_number("salience"),
            recency: weights.any_number("recency"),
            sector_boost: weights.numbers_by_name("sectorBoost").unwrap_or_default(),
        });
        changes.unwrap_or_default()
    }

    /// Returns these weights with the changes.
    pub fn applied_to(&self, weights: &MemoryWeights) -> MemoryWeights {
        let mut sector_boost = weights.sector_boost.clone();
        for (sector, boost) in &self.sector_boost {
            sector_boost.retain(|(known, _)| known != sector);
            sector_boost.push((sector.clone(), *boost));
        }
        MemoryWeights {
            semantic: self.semantic.unwrap_or(weights.semantic),
            keyword: self.keyword.unwrap_or(weights.keyword),
            salience: self.salience.unwrap_or(weights.salience),
            recency: self.recency.unwrap_or(weights.recency),
            sector_boost,
        }
    }
}

/// The fields of a memory that its score depends on. Times are milliseconds since 1970.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ScoredMemory<'a> {
    /// The salience, 0 to 1. A memory without one counts as new, with 1.
    pub salience: Option<f64>,
    /// The moment of creation. A memory without one gets no recency.
    pub created_at: Option<f64>,
    /// The sector.
    pub sector: Option<&'a str>,
    /// The moment from which the memory is superseded.
    pub valid_until: Option<f64>,
}

/// Computes the score of a memory, 0 to 1, from its similarity to the query and its FTS5 rank, both 0 where a leg did not find
/// it.
///
/// ```
/// use snapseek::recipe::memory::{MemoryWeights, ScoredMemory, compute_score};
///
/// let memory = ScoredMemory { sector: Some("reflective"), created_at: Some(0.0), ..ScoredMemory::default() };
/// let score = compute_score(&memory, 0.5, -5.0, &MemoryWeights::default(), 0.0);
/// assert_eq!(score, (0.4 * 0.5 + 0.25 * 0.5 + 0.2 + 0.15) * 1.2);
/// ```
pub fn compute_score(
    memory: &ScoredMemory,
    semantic_sim: f64,
    fts_rank: f64,
    weights: &MemoryWeights,
    now: f64,
) -> f64 {
    let keyword = (fts_rank.abs() / FULL_BM25).min(1.0);
    let recency = memory.created_at.map_or(0.0, |at| exponential_decay(at, now, AGEING));
    let sum = weights.semantic * semantic_sim
        + weights.keyword * keyword
        + weights.salience * memory.salience.unwrap_or(salience::NEW)
        + weights.recency * recency;
    let is_superseded = memory.valid_until.is_some_and(|end| end <= now);
    let score = sum * weights.boost_of(memory.sector) * if is_superseded { SUPERSEDED } else { 1.0 };
    score.clamp(0.0, 1.0)
}
