//! When is a request repeated, and how soon?

use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, SystemTime};

/// How often a request is repeated, and how long to wait in between.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// The number of attempts, the first included.
    pub attempts: u32,
    /// The wait after the first failed attempt. It doubles with each further one.
    pub first_wait: Duration,
    /// The longest wait, whatever a server asks for.
    pub longest_wait: Duration,
}

impl Default for Patience {
    fn default() -> Patience {
        let first_wait = Duration::from_millis(500);
        Patience { attempts: 3, first_wait, longest_wait: Duration::from_secs(60) }
    }
}

impl Patience {
    /// Returns the wait after attempt number `attempt`, counted from 0: the server's own value, or else the doubled
    /// wait.
    pub fn wait(&self, attempt: u32, asked: Option<Duration>) -> Duration {
        let wait = asked.unwrap_or_else(|| jittered(self.first_wait.saturating_mul(1 << attempt.min(16))));
        wait.min(self.longest_wait)
    }
}

/// Returns between half and all of `wait`, so that requests that failed together are not repeated together.
fn jittered(wait: Duration) -> Duration {
    // The standard library has no random numbers, but a hasher with random keys.
    let share = RandomState::new().hash_one(0) as f64 / u64::MAX as f64;
    wait.mul_f64(0.5 + share / 2.0)
}

/// Parses a `Retry-After` header: seconds, or a date.
pub fn retry_after(header: &str, now: SystemTime) -> Option<Duration> {
    let header = header.trim();
    if let Ok(seconds) = header.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = httpdate::parse_http_date(header).ok()?;
    // A date in the past asks for no wait.
    Some(date.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn v15_waits_double_with_jitter_up_to_the_longest() {
        let patience = Patience { attempts: 9, first_wait: SECOND, longest_wait: SECOND * 5 };
        for attempt in 0..3 {
            let whole = SECOND * (1 << attempt);
            let wait = patience.wait(attempt, None);
            assert!(whole / 2 <= wait && wait <= whole, "{wait:?} after attempt {attempt}");
        }
        assert_eq!(patience.wait(30, None), SECOND * 5);
    }

    #[test]
    fn what_the_server_asks_for_goes_first_but_not_beyond_the_longest() {
        let patience = Patience::default();
        assert_eq!(patience.wait(0, Some(SECOND * 7)), SECOND * 7);
        assert_eq!(patience.wait(0, Some(SECOND * 86_400)), patience.longest_wait);
    }

    #[test]
    fn retry_after_is_read_as_seconds_and_as_a_date() {
        let now = httpdate::parse_http_date("Wed, 21 Oct 2015 07:28:00 GMT").unwrap();
        assert_eq!(retry_after(" 120 ", now), Some(SECOND * 120));
        assert_eq!(retry_after("0.5", now), Some(SECOND / 2));
        assert_eq!(retry_after("Wed, 21 Oct 2015 07:28:09 GMT", now), Some(SECOND * 9));
        assert_eq!(retry_after("Wed, 21 Oct 2015 07:27:00 GMT", now), Some(Duration::ZERO));
        for nonsense in ["", "soon", "-1", "NaN", "1e300"] {
            assert_eq!(retry_after(nonsense, now), None, "{nonsense}");
        }
    }
}
