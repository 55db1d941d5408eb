//! How does the salience of a memory grow with use and fade without it?

use super::exponential_decay;

/// The lowest salience to which a memory fades.
const FLOOR: f64 = 0.05;

/// Returns the salience of a memory after use (M9): the share `amount` of its distance to 1 is added.
pub fn reinforced(salience: f64, amount: f64) -> f64 {
    salience + amount * (1.0 - salience)
}

/// Returns the salience of a memory after it was de-emphasized: the share `amount` of it is subtracted.
pub fn deemphasized(salience: f64, amount: f64) -> f64 {
    salience - amount * salience
}

/// Returns the faded salience of a memory that was last used at `last_used` (M13); times are milliseconds.
///
/// It fades by `rate` per day, more slowly the more important the memory is, and not below 0.05 unless it was lower
/// before.
pub fn faded(salience: f64, rate: f64, importance: f64, last_used: f64, now: f64) -> f64 {
    let left = exponential_decay(last_used, now, rate / (importance.max(0.0) + 0.1));
    (salience * left).max(FLOOR.min(salience))
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: f64 = 86_400_000.0;

    #[test]
    fn m9_each_use_adds_a_share_of_what_is_lacking() {
        assert_eq!(reinforced(0.5, 0.02), 0.51);
        assert_eq!(reinforced(1.0, 0.02), 1.0);
        let many = (0..1000).fold(0.0, |salience, _| reinforced(salience, 0.02));
        assert!(many > 0.99 && many <= 1.0, "{many}");
    }

    #[test]
    fn what_is_deemphasized_stays_above_zero() {
        assert_eq!(deemphasized(0.5, 0.2), 0.4);
        let many = (0..1000).fold(1.0, |salience, _| deemphasized(salience, 0.2));
        assert!((0.0..1e-9).contains(&many), "{many}");
    }

    #[test]
    fn m13_a_memory_fades_by_its_rate_and_slower_the_more_important_it_is() {
        // A rate of 0.02 and an importance of 0.4 give 0.04 per day.
        let found = faded(0.8, 0.02, 0.4, 0.0, 10.0 * DAY);
        assert!((found - 0.8 * libm::exp(-0.4)).abs() < 1e-15, "{found}");
        assert!(faded(0.8, 0.02, 0.9, 0.0, 10.0 * DAY) > found);
        assert_eq!(faded(0.8, 0.02, 0.4, 10.0 * DAY, 0.0), 0.8);
    }

    #[test]
    fn m13_nothing_fades_below_the_floor_and_nothing_rises_to_it() {
        assert_eq!(faded(0.8, 0.02, 0.0, 0.0, 1e6 * DAY), 0.05);
        assert_eq!(faded(0.02, 0.02, 0.0, 0.0, 1e6 * DAY), 0.02);
    }
}
