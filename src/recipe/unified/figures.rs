//! How many searches ran, and how long did they take (U11)?

use crate::order;
use serde::Serialize;

/// The number of searches whose latencies are kept.
const WINDOW: usize = 1000;

/// Counts, and the latencies of the last searches.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// The counts.
    pub counts: UnifiedCounts,
    /// Latencies in milliseconds: a ring of the last ones.
    latencies: Vec<f64>,
    /// The place of the oldest latency, once the ring is full.
    oldest: usize,
}

/// How often each event happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UnifiedCounts {
    /// All searches: hits, misses and coalesced ones.
    pub searches: u64,
    /// Searches answered from the cache.
    pub hits: u64,
    /// Searches that ranked the records.
    pub misses: u64,
    /// Searches that joined an equal one that was already running.
    pub coalesced: u64,
    /// Searches whose keyword results were confident enough to leave vectors out.
    pub short_circuits: u64,
    /// Searches whose query could not be embedded.
    pub vector_errors: u64,
}

/// Counts and latencies since the engine was opened.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct UnifiedStats {
    /// How often each event happened.
    #[serde(flatten)]
    pub counts: UnifiedCounts,
    /// How long the last searches took.
    pub latency: SearchLatency,
}

/// How long the last 1,000 searches took, in milliseconds; 0 where there were none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SearchLatency {
    /// The number of searches.
    pub count: usize,
    /// The latency that 50 % of the searches do not exceed.
    pub p50: f64,
    /// The latency that 95 % of the searches do not exceed.
    pub p95: f64,
    /// The latency that 99 % of the searches do not exceed.
    pub p99: f64,
}

impl Figures {
    /// Records how long a search took, in milliseconds.
    pub fn note_latency(&mut self, latency: f64) {
        if self.latencies.len() < WINDOW {
            self.latencies.push(latency);
        } else {
            self.latencies[self.oldest] = latency;
            self.oldest = (self.oldest + 1) % WINDOW;
        }
    }

    /// Computes the percentiles, and returns them with the counts.
    pub fn stats(&self) -> UnifiedStats {
        let mut sorted = self.latencies.clone();
        order::sort_by(&mut sorted, f64::total_cmp);
        let percentile = |share: usize| {
            let place = (sorted.len() * share).div_ceil(100).saturating_sub(1);
            sorted.get(place).copied().unwrap_or(0.0)
        };
        let latency = SearchLatency {
            count: sorted.len(),
            p50: percentile(50),
            p95: percentile(95),
            p99: percentile(99),
        };
        UnifiedStats { counts: self.counts, latency }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn u11_percentiles_are_those_of_the_last_thousand() {
        let mut figures = Figures::default();
        assert_eq!(figures.stats().latency, SearchLatency::default());
        (1..=100).rev().for_each(|latency| figures.note_latency(f64::from(latency)));
        assert_eq!(figures.stats().latency, SearchLatency { count: 100, p50: 50.0, p95: 95.0, p99: 99.0 });
        (0..950).for_each(|_| figures.note_latency(7.0));
        // Of the first hundred latencies, the greatest fifty came first and have left the ring.
        assert_eq!(figures.stats().latency, SearchLatency { count: 1000, p50: 7.0, p95: 7.0, p99: 40.0 });
    }

    #[test]
    fn u11_one_search_is_every_percentile() {
        let mut figures = Figures::default();
        figures.note_latency(3.5);
        assert_eq!(figures.stats().latency, SearchLatency { count: 1, p50: 3.5, p95: 3.5, p99: 3.5 });
    }
}
