//! How does a rank become a score?

/// Returns the score of a rank, from 0, among `total` (R2): 1 for the first, 0 for the last, and 1 where there is only one.
///
/// ```
/// use snapseek::primitives::normalize_rank_score;
///
/// assert_eq!([0, 1, 2].map(|rank| normalize_rank_score(rank, 3)), [1.0, 0.5, 0.0]);
/// assert_eq!(normalize_rank_score(0, 1), 1.0);
/// ```
pub fn normalize_rank_score(rank: usize, total: usize) -> f64 {
    if total <= 1 { 1.0 } else { 1.0 - rank as f64 / (total - 1) as f64 }
}
