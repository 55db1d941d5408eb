//! When was something written, and by whom?

use std::cmp::Ordering;

/// A logical timestamp that puts all writes of all writers in one order. Of two writes, the one with the greater stamp
/// is the later one.
///
/// A writer never goes back behind a stamp that it has seen. A write that follows the reading of a value is therefore
/// later than that value, whatever the clocks say.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    /// Milliseconds since 1970.
    pub at: f64,
    /// The number of the write among those of the same millisecond.
    pub sequence: u32,
    /// The number of the writer.
    pub writer: u64,
}

impl Stamp {
    /// The stamp of everything that was built into a snapshot. It is before every write.
    pub const BASE: Stamp = Stamp { at: f64::NEG_INFINITY, sequence: 0, writer: 0 };

    /// Whether this is the stamp of a write at run time, and not [`Stamp::BASE`].
    pub fn is_write(self) -> bool {
        self > Stamp::BASE
    }

    /// Returns the first stamp of `writer` at time `at` that is later than this one.
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

/// The stamp of a write, and whether the snapshot that was opened holds the write.
///
/// Changes carry the writes that the snapshot does not hold. The stamp alone cannot tell them apart: a snapshot that a
/// store has compacted keeps the stamps of its writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct WriteMark {
    pub stamp: Stamp,
    pub in_base: bool,
}

impl WriteMark {
    /// The mark of a write since the snapshot was opened.
    pub fn fresh(stamp: Stamp) -> WriteMark {
        WriteMark { stamp, in_base: false }
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
