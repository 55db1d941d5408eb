//! Coordinate descent: improves one setting at a time, until no single change helps.

/// The largest number of passes over all axes. Settings influence each other little, so the second pass seldom moves.
const PASSES: usize = 3;
/// A move must raise the score by more than this. Smaller differences are noise, and the earlier value is kept.
const LEAST_GAIN: f64 = 0.0005;

/// Returns the choice of one value per axis with the highest score that the descent finds.
///
/// `sizes` gives the number of values per axis. The descent starts with the first value of each.
///
/// # Errors
/// When `score` fails.
pub fn descend<E>(
    sizes: &[usize],
    mut score: impl FnMut(&[usize]) -> Result<f64, E>,
) -> Result<Vec<usize>, E> {
    let mut choice = vec![0; sizes.len()];
    let mut reached = score(&choice)?;
    for _ in 0..PASSES {
        let before = choice.clone();
        for (axis, size) in sizes.iter().enumerate() {
            let mut best = (reached, choice[axis]);
            for value in (0..*size).filter(|value| *value != choice[axis]) {
                let mut moved = choice.clone();
                moved[axis] = value;
                let candidate = score(&moved)?;
                if candidate > best.0 {
                    best = (candidate, value);
                }
            }
            if best.0 > reached + LEAST_GAIN {
                (reached, choice[axis]) = best;
            }
        }
        if choice == before {
            break;
        }
    }
    Ok(choice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn best(sizes: &[usize], score: impl Fn(&[usize]) -> f64) -> Vec<usize> {
        let Ok(choice) = descend(sizes, |choice| Ok::<_, Infallible>(score(choice)));
        choice
    }

    #[test]
    fn each_axis_moves_to_its_best_value() {
        let peak = |choice: &[usize]| -((choice[0] as f64 - 3.0).powi(2) + (choice[1] as f64 - 1.0).powi(2));
        assert_eq!(best(&[5, 3], peak), [3, 1]);
    }

    #[test]
    fn an_axis_moves_again_after_another_has_moved() {
        // The first axis pays only once the second has moved.
        let score = |choice: &[usize]| match choice {
            [0, 0] => 0.5,
            [0, 1] => 0.6,
            [1, 1] => 0.9,
            _ => 0.1,
        };
        assert_eq!(best(&[2, 2], score), [1, 1]);
    }

    #[test]
    fn ties_and_differences_within_noise_keep_the_first_value() {
        assert_eq!(best(&[4, 4], |_| 0.7), [0, 0]);
        assert_eq!(best(&[4], |choice| 0.7 + 0.0001 * choice[0] as f64), [0]);
        assert!(best(&[], |_| 0.7).is_empty());
    }
}
