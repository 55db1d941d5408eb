//! How good are tuned settings on queries that had no part in the choice?

use super::descend;
use crate::evaluation::{Interval, folds};
use std::collections::HashMap;

/// Fewer queries than this are too few for a reliable choice.
const LEAST_QUERIES: usize = 20;

/// The result of tuning with cross-validation.
#[derive(Debug, PartialEq)]
pub struct CrossValidation {
    /// The score of each query with the defaults.
    pub default: Vec<f64>,
    /// The score of each query with the settings that were tuned on the other folds.
    pub held_out: Vec<f64>,
    /// The 95 % interval of the mean difference of a query's score, held out less default.
    pub interval: Interval,
    /// The settings tuned on all queries: for each axis, the place of its value. 0 is the default.
    pub chosen: Vec<usize>,
    /// The settings tuned without each fold.
    pub by_fold: Vec<Vec<usize>>,
    /// The number of settings that were measured.
    pub tried: usize,
}

impl CrossValidation {
    /// Tunes on all queries but one fold, for each fold, and then on all queries.
    ///
    /// `sizes` gives the number of values per axis. `measure` returns one score per query for a choice of values; it is
    /// called once per choice.
    ///
    /// # Errors
    /// When `measure` fails.
    pub fn run<E>(
        ids: &[&str],
        fold_count: usize,
        sizes: &[usize],
        mut measure: impl FnMut(&[usize]) -> Result<Vec<f64>, E>,
    ) -> Result<CrossValidation, E> {
        let folds = folds(ids, fold_count);
        let mut measured: HashMap<Vec<usize>, Vec<f64>> = HashMap::new();
        let mut tune_without = |left_out: Option<usize>| {
            descend(sizes, |choice| {
                if !measured.contains_key(choice) {
                    measured.insert(choice.to_vec(), measure(choice)?);
                }
                let kept = measured[choice].iter().zip(&folds).filter(|(_, fold)| Some(**fold) != left_out);
                Ok(mean(kept.map(|(score, _)| *score)))
            })
        };
        let by_fold = (0..fold_count).map(|fold| tune_without(Some(fold))).collect::<Result<Vec<_>, E>>()?;
        let chosen = tune_without(None)?;
        let held_out = folds.iter().enumerate().map(|(query, fold)| measured[&by_fold[*fold]][query]);
        let held_out = held_out.collect::<Vec<_>>();
        let default = measured[&vec![0; sizes.len()]].clone();
        let differences = held_out.iter().zip(&default).map(|(tuned, default)| tuned - default);
        Ok(CrossValidation {
            interval: Interval::of_mean(&differences.collect::<Vec<_>>()),
            default,
            held_out,
            chosen,
            by_fold,
            tried: measured.len(),
        })
    }

    /// Returns the mean difference of a query's score, held out less default.
    pub fn difference(&self) -> f64 {
        mean(self.held_out.iter().zip(&self.default).map(|(tuned, default)| tuned - default))
    }

    /// Whether there are too few queries for a reliable choice.
    pub fn has_too_few_queries(&self) -> bool {
        self.default.len() < LEAST_QUERIES
    }

    /// Whether the settings differ from the defaults, enough queries were measured, and the whole interval lies above 0.
    pub fn is_reliable(&self) -> bool {
        let is_changed = self.chosen.iter().any(|value| *value != 0);
        is_changed && !self.has_too_few_queries() && self.interval.low > 0.0
    }

    /// Returns the number of folds that chose the same value on an axis as all queries together.
    pub fn agreement(&self, axis: usize) -> usize {
        self.by_fold.iter().filter(|choice| choice[axis] == self.chosen[axis]).count()
    }
}

/// Returns the mean; 0 if there are no scores.
pub fn mean(scores: impl IntoIterator<Item = f64>) -> f64 {
    let (sum, count) = scores.into_iter().fold((0.0, 0.0), |(sum, count), score| (sum + score, count + 1.0));
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn run(queries: usize, measure: impl Fn(usize, &[usize]) -> f64) -> CrossValidation {
        let ids = (0..queries).map(|query| format!("q{query}")).collect::<Vec<_>>();
        let ids = ids.iter().map(String::as_str).collect::<Vec<_>>();
        let measure =
            |choice: &[usize]| Ok::<_, Infallible>((0..queries).map(|q| measure(q, choice)).collect());
        let Ok(result) = CrossValidation::run(&ids, 5, &[3, 2], measure);
        result
    }

    #[test]
    fn settings_that_help_every_query_are_a_reliable_gain() {
        let result = run(40, |query, choice| 0.3 + 0.2 * choice[0] as f64 + (query % 7) as f64 / 100.0);
        assert_eq!((result.chosen.as_slice(), result.agreement(0)), (&[2, 0][..], 5));
        assert!((result.difference() - 0.4).abs() < 1e-12);
        assert!(result.is_reliable());
        assert_eq!(result.tried, 4, "three values of the first axis, and one more of the second");
    }

    #[test]
    fn settings_fitted_to_chance_are_no_reliable_gain() {
        // Each value helps some queries and harms as many others, without any pattern that carries over.
        let noise = |query: usize, choice: &[usize]| {
            let mixed = (query * 31 + choice[0] * 17 + choice[1] * 7) * 2_654_435_761 % 1009;
            mixed as f64 / 1009.0
        };
        let result = run(60, noise);
        assert!(!result.is_reliable(), "{:?}", result.interval);
        assert!(result.interval.low < result.difference() && result.difference() < result.interval.high);
    }

    #[test]
    fn few_queries_are_never_a_reliable_gain() {
        let result = run(19, |_, choice| choice[0] as f64);
        assert!(result.interval.low > 0.0 && result.has_too_few_queries() && !result.is_reliable());
    }

    #[test]
    fn defaults_that_stay_are_no_gain() {
        let result = run(40, |_, _| 0.5);
        assert_eq!((result.chosen.as_slice(), result.difference()), (&[0, 0][..], 0.0));
        assert!(!result.is_reliable());
    }

    #[test]
    fn a_query_is_scored_with_settings_that_it_did_not_choose() {
        // One query alone gains from the second value, by more than all others lose.
        let score = |query: usize, choice: &[usize]| match (query, choice[0]) {
            (0, 1) => 100.0,
            (_, 1) => 0.4,
            _ => 0.5,
        };
        let result = run(30, score);
        assert_eq!(result.chosen, [1, 0]);
        assert_eq!(result.held_out[0], 0.5, "the other folds keep the default");
    }
}
