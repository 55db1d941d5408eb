//! When was something written, and by whom?

use std::cmp::Ordering;

/// What puts writes in one order, everywhere: of two, the one with the greater stamp is the later.
///
/// A writer's clock never goes back behind what it has seen, so what somebody writes after reading a value is later than
/// that value, whatever the clocks say.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// Milliseconds since 1970.
    pub at: f64,
    /// The number of the write among those of the same millisecond.
    pub sequence: u32,
    /// Who wrote.
    pub writer: u64,
}

impl Stamp {
    /// Of what a snapshot holds: before every write.
    pub const BASE: Stamp = Stamp { at: f64::NEG_INFINITY, sequence: 0, writer: 0 };

    /// Whether it is that of a write, and not of what a snapshot holds.
    pub fn is_write(self) -> bool {
        self > Stamp::BASE
    }

    /// The first stamp of `writer` at this time that is after this one.
    pub fn next(self, at: f64, writer: u64) -> Stamp {
        match at > self.at {
            true => Stamp { at, sequence: 0, writer },
            false => Stamp { at: self.at, sequence: self.sequence.saturating_add(1), writer },
        }
    }
}

impl PartialEq for Stamp {
    fn eq(&self, other: &Stamp) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Stamp {}

impl PartialOrd for Stamp {
    fn partial_cmp(&self, other: &Stamp) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Stamp {
    fn cmp(&self, other: &Stamp) -> Ordering {
        let by_time = self.at.total_cmp(&other.at);
        by_time.then(self.sequence.cmp(&other.sequence)).then(self.writer.cmp(&other.writer))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_after_what_was_seen_even_if_the_clock_went_back() {
        let seen = Stamp { at: 50.0, sequence: 3, writer: 9 };
        for now in [f64::MIN, 0.0, 50.0, 51.0] {
            assert!(seen.next(now, 1) > seen, "at {now}");
        }
        assert!(Stamp::BASE.next(0.0, 0).is_write());
        assert!(!Stamp::BASE.is_write());
    }
}
