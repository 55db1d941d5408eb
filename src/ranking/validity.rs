//! How much does an entry count while it is valid?

use super::decay::half_life_decay;

/// The number of days after which an entry without an end counts half.
const HALF_LIFE_DAYS: f64 = 365.0;
/// The last share of the validity window, during which an entry fades.
const FADING_SHARE: f64 = 0.25;

/// The validity window and age of an entry, in milliseconds since 1970, as far as they are known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Validity {
    /// The start of validity.
    pub from: Option<f64>,
    /// The end of validity.
    pub until: Option<f64>,
    /// The time of creation.
    pub created_at: Option<f64>,
    /// The time of the last change.
    pub updated_at: Option<f64>,
}

impl Validity {
    /// Returns the temporal factor of the entry, 0 to 1 (V7).
    ///
    /// With an end: 1 until the last quarter of the window, then linearly down to 0. The window starts at `from`, or else
    /// at `created_at`. Without an end: 0.5 to the power of the years since `updated_at`, or else since `created_at`.
    pub fn temporal_factor(&self, now: f64) -> f64 {
        let Some(until) = self.until else {
            // An entry without a date has no age.
            let at = self.updated_at.or(self.created_at);
            return at.map_or(1.0, |at| half_life_decay(at, now, HALF_LIFE_DAYS));
        };
        let left = until - now;
        let fading = self.from.or(self.created_at).map_or(0.0, |from| (until - from) * FADING_SHARE);
        if left <= 0.0 {
            0.0
        } else if left > fading {
            1.0
        } else {
            left / fading
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: f64 = 86_400_000.0;
    const NOW: f64 = 1_700_000_000_000.0;

    #[test]
    fn v7_without_a_window_half_is_left_after_a_year_of_no_change() {
        let aged = |days: f64| Validity { updated_at: Some(NOW - days * DAY), ..Validity::default() };
        assert_eq!(aged(0.0).temporal_factor(NOW), 1.0);
        assert!((aged(365.0).temporal_factor(NOW) - 0.5).abs() < 1e-15);
        assert!((aged(730.0).temporal_factor(NOW) - 0.25).abs() < 1e-15);
        assert_eq!(aged(-9.0).temporal_factor(NOW), 1.0);
        let created = Validity { created_at: Some(NOW - 365.0 * DAY), ..Validity::default() };
        assert_eq!(created.temporal_factor(NOW), aged(365.0).temporal_factor(NOW));
        let both = Validity { updated_at: Some(NOW), ..created };
        assert_eq!(both.temporal_factor(NOW), 1.0, "the last change counts");
        assert_eq!(Validity::default().temporal_factor(NOW), 1.0);
    }

    #[test]
    fn v7_with_a_window_the_last_quarter_is_a_line_to_zero() {
        let window = Validity { from: Some(0.0), until: Some(100.0), ..Validity::default() };
        let at = |now: f64| window.temporal_factor(now);
        assert_eq!([at(0.0), at(74.0), at(75.0), at(80.0), at(90.0)], [1.0, 1.0, 1.0, 0.8, 0.4]);
        assert_eq!([at(100.0), at(101.0)], [0.0, 0.0]);
        let made = Validity { from: None, created_at: Some(0.0), updated_at: Some(50.0), ..window };
        assert_eq!(made.temporal_factor(90.0), 0.4, "a window without a beginning begins with the entry");
        let old = Validity { created_at: Some(-1e12), ..window };
        assert_eq!(old.temporal_factor(50.0), 1.0, "age does not count within a window");
        let endless = Validity { until: Some(100.0), ..Validity::default() };
        assert_eq!([endless.temporal_factor(99.0), endless.temporal_factor(100.0)], [1.0, 0.0]);
        let backwards = Validity { from: Some(200.0), until: Some(100.0), ..Validity::default() };
        assert_eq!([backwards.temporal_factor(99.0), backwards.temporal_factor(100.0)], [1.0, 0.0]);
    }
}
