//! How do searches fare? Counts, and how long the last of them took (U11).

use crate::order;
use serde::Serialize;

/// The latencies of so many searches are kept.
const WINDOW: usize = 1000;

/// What was counted.
#[derive(Debug, Default)]
pub struct Figures {
    /// What is told as it is.
    pub counts: Counts,
    /// In milliseconds; a ring of the last ones.
    latencies: Vec<f64>,
    /// The place of the oldest, once the ring is full.
    oldest: usize,
}

/// How often each thing happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    /// All searches: answered from the cache, worked out, or joined.
    pub searches: u64,
    /// Answered from the cache.
    pub hits: u64,
    /// Worked out.
    pub misses: u64,
    /// Joined to one that was under way.
    pub coalesced: u64,
    /// Words were so sure that vectors were not asked.
    pub short_circuits: u64,
    /// The query could not be embedded.
    pub vector_errors: u64,
}

/// What is told of searches.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Told {
    /// How often each thing happened.
    #[serde(flatten)]
    pub counts: Counts,
    /// How long the last searches took.
    pub latency: Latency,
}

/// How long searches took, in milliseconds; 0 where none was noted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Latency {
    /// How many were noted, of those that are kept.
    pub count: usize,
    /// Half of them took no longer.
    pub p50: f64,
    /// Nineteen of twenty.
    pub p95: f64,
    /// Ninety-nine of a hundred.
    pub p99: f64,
}

impl Figures {
    /// Notes how long a search took, in milliseconds.
    pub fn note_latency(&mut self, latency: f64) {
        if self.latencies.len() < WINDOW {
            self.latencies.push(latency);
        } else {
            self.latencies[self.oldest] = latency;
            self.oldest = (self.oldest + 1) % WINDOW;
        }
    }

    /// What is told.
    pub fn told(&self) -> Told {
        let mut sorted = self.latencies.clone();
        order::sort_by(&mut sorted, f64::total_cmp);
        // The least one that so many of a hundred are no greater than.
        let percentile = |share: usize| {
            let place = (sorted.len() * share).div_ceil(100).saturating_sub(1);
            sorted.get(place).copied().unwrap_or(0.0)
        };
        let latency =
            Latency { count: sorted.len(), p50: percentile(50), p95: percentile(95), p99: percentile(99) };
        Told { counts: self.counts, latency }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u11_percentiles_are_those_of_the_last_thousand() {
        let mut figures = Figures::default();
        assert_eq!(figures.told().latency, Latency::default());
        (1..=100).rev().for_each(|latency| figures.note_latency(f64::from(latency)));
        assert_eq!(figures.told().latency, Latency { count: 100, p50: 50.0, p95: 95.0, p99: 99.0 });
        (0..950).for_each(|_| figures.note_latency(7.0));
        // Of the first hundred, the greatest fifty came first and are gone.
        assert_eq!(figures.told().latency, Latency { count: 1000, p50: 7.0, p95: 7.0, p99: 40.0 });
    }

    #[test]
    fn u11_one_search_is_every_percentile() {
        let mut figures = Figures::default();
        figures.note_latency(3.5);
        assert_eq!(figures.told().latency, Latency { count: 1, p50: 3.5, p95: 3.5, p99: 3.5 });
    }
}
