//! How many results fit into a token budget?

/// Returns how many of the first results cost at most `most` tokens together; at least 1 (V11).
///
/// ```
/// use snapseek::ranking::within_budget;
///
/// assert_eq!(within_budget([40, 30, 20, 5], 75), 2);
/// assert_eq!(within_budget([40, 30], 10), 1);
/// ```
pub fn within_budget(costs: impl IntoIterator<Item = usize>, most: usize) -> usize {
    let mut spent = 0usize;
    let fitting = costs.into_iter().enumerate().take_while(|(place, cost)| {
        spent = spent.saturating_add(*cost);
        *place == 0 || spent <= most
    });
    fitting.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v11_results_stop_before_the_budget_is_passed_and_the_first_stays() {
        assert_eq!(within_budget([10, 10, 10], 30), 3);
        assert_eq!(within_budget([10, 10, 10], 29), 2);
        assert_eq!(within_budget([10, 10, 1], 19), 1, "what would fit behind what does not is not taken");
        assert_eq!(within_budget([10], 0), 1);
        assert_eq!(within_budget([], 9), 0);
        assert_eq!(within_budget([usize::MAX, usize::MAX], usize::MAX), 2);
    }
}
