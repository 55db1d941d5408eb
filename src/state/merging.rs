//! Brings the writes of several writers together, and selects the writes that travel with changes.

use super::stamp::WriteMark;
use super::{Stamp, State, Subject, in_written_order};
use crate::document::Key;

impl State {
    /// Takes over everything that another state knows. The order in which states are merged does not matter.
    pub fn merge(&mut self, other: &State) {
        for ((id, kind), mark) in &other.writes {
            self.write_record(Key { id, kind }, mark.stamp);
        }
        for (subject, fields) in &other.subjects {
            let written = match subject {
                Subject::Record { id, kind } => self.written(Key { id, kind }),
                _ => {
                    self.touch(subject);
                    Stamp::BASE
                }
            };
            for (field, cell) in fields.iter().filter(|(_, cell)| cell.mark.stamp >= written) {
                self.set(subject, field, cell.value.clone(), cell.mark.stamp);
            }
        }
        for (usage, placed) in in_written_order(other.usages.iter()) {
            self.add_usage(usage.clone(), placed.mark.stamp);
        }
        for (feedback, mark) in &other.feedback {
            self.add_feedback(feedback.clone(), mark.stamp);
        }
    }

    /// Returns the writes that the opened snapshot does not hold.
    pub fn since_snapshot(&self) -> State {
        self.select(|mark| !mark.in_base)
    }

    /// Returns every write that was made at run time, including those that the opened snapshot holds because a store
    /// compacted them into it.
    pub fn since_first_snapshot(&self) -> State {
        self.select(|mark| mark.stamp.is_write())
    }

    fn select(&self, is_wanted: impl Fn(WriteMark) -> bool) -> State {
        let mut selected = State::default();
        for (key, mark) in self.writes.iter().filter(|(_, mark)| is_wanted(**mark)) {
            selected.writes.insert(key.clone(), *mark);
            selected.advance(mark.stamp);
        }
        for (subject, fields) in &self.subjects {
            for (field, cell) in fields.iter().filter(|(_, cell)| is_wanted(cell.mark)) {
                selected.set(subject, field, cell.value.clone(), cell.mark.stamp);
            }
        }
        for (usage, placed) in self.usages.iter().filter(|(_, placed)| is_wanted(placed.mark)) {
            selected.add_usage(usage.clone(), placed.mark.stamp);
        }
        for (feedback, mark) in self.feedback.iter().filter(|(_, mark)| is_wanted(**mark)) {
            selected.add_feedback(feedback.clone(), mark.stamp);
        }
        selected
    }
}
