//! The best rows so far, and no more of them than asked for.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A row and its rank: bm25's, where lower is better.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The row.
    pub row: u32,
    /// Its rank.
    pub rank: f64,
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    /// Best first: by rank, equal ranks in row order.
    fn cmp(&self, other: &Ranked) -> Ordering {
        // Adding zero makes the two zeros one; no rank is NaN, but an order must be total all the same.
        (self.rank + 0.0).total_cmp(&(other.rank + 0.0)).then(self.row.cmp(&other.row))
    }
}

/// Keeps the `limit` best of what is pushed.
#[derive(Debug)]
pub struct TopK {
    limit: usize,
    worst_first: BinaryHeap<Ranked>,
}

impl TopK {
    /// Keeps at most `limit`.
    pub fn new(limit: usize) -> TopK {
        TopK { limit, worst_first: BinaryHeap::new() }
    }

    /// Offers a row.
    #[inline]
    pub fn push(&mut self, ranked: Ranked) {
        if self.worst_first.len() < self.limit {
            self.worst_first.push(ranked);
        } else if let Some(mut worst) = self.worst_first.peek_mut()
            && ranked < *worst
        {
            *worst = ranked;
        }
    }

    /// The rank that a later row has to be below; infinite while there is room.
    pub fn threshold(&self) -> f64 {
        if self.worst_first.len() < self.limit {
            return f64::INFINITY;
        }
        self.worst_first.peek().map_or(f64::NEG_INFINITY, |worst| worst.rank)
    }

    /// The best, best first.
    pub fn into_sorted(self) -> Vec<Ranked> {
        self.worst_first.into_sorted_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_are_kept_in_order_and_ties_go_by_row() {
        let ranks = [-1.0, -3.0, -2.0, -3.0, 0.0, -0.0, -3.0];
        let all = ranks.iter().zip(0..).map(|(&rank, row)| Ranked { row, rank }).collect::<Vec<_>>();
        let mut sorted = all.clone();
        sorted.sort();
        for limit in 0..=all.len() {
            let mut top = TopK::new(limit);
            all.iter().for_each(|&ranked| top.push(ranked));
            assert_eq!(top.into_sorted(), sorted[..limit]);
        }
        assert_eq!(sorted.iter().map(|ranked| ranked.row).collect::<Vec<_>>(), [1, 3, 6, 2, 0, 4, 5]);
    }
}
