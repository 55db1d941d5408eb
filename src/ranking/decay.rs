//! How much does a record lose with age?

const MILLISECONDS_A_DAY: f64 = 86_400_000.0;

/// Returns the recency factor of a record (P5): 1 when new, 0.59 after a day, 0.32 after a week, never below `floor`.
///
/// Both times are milliseconds since 1970. A time in the future counts as now.
///
/// ```
/// use snapseek::ranking::recency_boost;
///
/// assert_eq!(recency_boost(0.0, 0.0, 0.1), 1.0);
/// let week = 7.0 * 86_400_000.0;
/// assert!((recency_boost(0.0, week, 0.1) - 0.32).abs() < 0.01);
/// ```
pub fn recency_boost(created_at: f64, now: f64, floor: f64) -> f64 {
    let days = (now - created_at).max(0.0) / MILLISECONDS_A_DAY;
    (1.0 / (1.0 + libm::log(1.0 + days))).max(floor)
}

/// Returns e^(−rate · days) for the age of a record; times are milliseconds. A time in the future counts as now.
pub fn exponential_decay(created_at: f64, now: f64, rate: f64) -> f64 {
    let days = (now - created_at).max(0.0) / MILLISECONDS_A_DAY;
    libm::exp(-rate * days)
}

/// Returns 0.5^(age / days) for the age of a record; times are milliseconds. A time in the future counts as now.
pub fn half_life_decay(created_at: f64, now: f64, days: f64) -> f64 {
    exponential_decay(created_at, now, std::f64::consts::LN_2 / days)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: f64 = 86_400_000.0;
    const NOW: f64 = 1_700_000_000_000.0;

    #[test]
    fn p5_an_age_in_days_gives_the_specified_boost() {
        for (days, boost) in [(0, 1.0), (1, 0.5906), (7, 0.3247), (30, 0.2255), (365, 0.1449)] {
            let found = recency_boost(NOW - f64::from(days) * DAY, NOW, 0.0);
            assert!((found - boost).abs() < 5e-5, "{days} days: {found}");
        }
    }

    #[test]
    fn p5_a_date_in_the_future_counts_as_now() {
        assert_eq!(recency_boost(NOW + 9.0 * DAY, NOW, 0.0), 1.0);
        assert_eq!(recency_boost(f64::MAX, f64::MIN, 0.0), 1.0);
    }

    #[test]
    fn p5_no_boost_is_below_the_floor() {
        assert_eq!(recency_boost(NOW - 365.0 * DAY, NOW, 0.25), 0.25);
        assert_eq!(recency_boost(NOW, NOW, 0.25), 1.0);
    }

    #[test]
    fn p5_a_boost_falls_with_age_and_stays_above_zero_however_old() {
        let boosts =
            (0..4000).map(|days| recency_boost(NOW - f64::from(days) * DAY, NOW, 0.0)).collect::<Vec<_>>();
        assert!(boosts.windows(2).all(|pair| pair[0] > pair[1]));
        assert!(recency_boost(-1e300, 1e300, 0.0) > 0.0);
    }
}
