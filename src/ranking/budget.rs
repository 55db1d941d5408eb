//! How many hits does a budget pay for?

/// How many of the first hits stay within a budget: those before the first that would pass it. The first is always kept.
pub fn within_budget(costs: &[usize], budget: usize) -> usize {
    let mut spent = 0usize;
    let is_paid = |cost: &&usize| {
        spent = spent.saturating_add(**cost);
        spent <= budget
    };
    costs.iter().take_while(is_paid).count().max(costs.len().min(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn v11_a_budget_stops_before_it_is_passed_and_keeps_the_first() {
        assert_eq!(within_budget(&[10, 10, 10], 20), 2);
        assert_eq!(within_budget(&[10, 10, 10], 29), 2);
        assert_eq!(within_budget(&[50, 1], 20), 1);
        assert_eq!(within_budget(&[10, 50, 1], 20), 1, "what comes after is not pulled forward");
        assert_eq!(within_budget(&[], 20), 0);
        assert_eq!(within_budget(&[usize::MAX - 1, 5], usize::MAX - 1), 1);
    }
}
