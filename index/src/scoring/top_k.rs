//! A bounded heap of the best rows.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A row with its rank. Lower ranks are better, as with FTS5's bm25().
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ranked {
    /// The row number, counted over all segments.
    pub row: u32,
    /// The rank.
    pub rank: f64,
}

impl Eq for Ranked {}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Ranked) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Ranked {
    /// Orders best first: by rank, then by row.
    fn cmp(&self, other: &Ranked) -> Ordering {
        // Adding zero turns -0.0 into 0.0. No rank is NaN, but the order must be total nevertheless.
        (self.rank + 0.0).total_cmp(&(other.rank + 0.0)).then(self.row.cmp(&other.row))
    }
}

/// A bounded heap that keeps the `limit` best rows pushed.
///
/// ```
/// use snapseek_index::scoring::{Ranked, TopK};
///
/// let mut top = TopK::new(2);
/// for (row, rank) in [(0, -1.0), (1, -3.0), (2, -2.0)] {
///     top.push(Ranked { row, rank });
/// }
/// assert_eq!(top.threshold(), -2.0);
/// assert_eq!(top.into_sorted().iter().map(|ranked| ranked.row).collect::<Vec<_>>(), [1, 2]);
/// ```
#[derive(Debug)]
pub struct TopK {
    limit: usize,
    worst_first: BinaryHeap<Ranked>,
}

impl TopK {
    /// Creates a heap of at most `limit` rows.
    pub fn new(limit: usize) -> TopK {
        TopK { limit, worst_first: BinaryHeap::new() }
    }

    /// Offers a row, which replaces the worst one when the heap is full.
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

    /// Returns the rank that a further row must be below to enter; infinite while the heap is not full.
    pub fn threshold(&self) -> f64 {
        if self.worst_first.len() < self.limit {
            return f64::INFINITY;
        }
        self.worst_first.peek().map_or(f64::NEG_INFINITY, |worst| worst.rank)
    }

    /// Returns the rows kept, best first.
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
