//! Reads and writes the state beside records, and derives the attribute values that it overrides.

use super::{Engine, WriteError};
use crate::attributes::Overrides;
use crate::document::Key;
use crate::json::{Json, float_text};
use crate::snapshot::SnapshotError;
use crate::state::{Feedback, Stamp, State, Subject, Usage};

impl Engine {
    /// Returns the state: links, sessions, usages, feedback, and changed fields of records.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn state(&self) -> Result<&State, SnapshotError> {
        if let Some(state) = self.state.get() {
            return Ok(state);
        }
        let state = match self.parts.first().filter(|part| part.is_base) {
            Some(part) => Box::new(part.segment.state()?),
            None => Box::default(),
        };
        Ok(self.state.get_or_init(|| state))
    }

    /// Returns the state for writing. Every write goes through this function, which counts them.
    pub(crate) fn state_mut(&mut self) -> Result<&mut State, SnapshotError> {
        self.state()?;
        self.writes += 1;
        Ok(self.state.get_mut().expect("it was just read"))
    }

    /// Returns the stamp of a new write, at time `now` or by the clock.
    pub(crate) fn stamp(&self, now: Option<f64>) -> Result<Stamp, SnapshotError> {
        let now = now.unwrap_or_else(self.clock);
        Ok(self.state()?.latest().next(now, self.writer))
    }

    /// Reads a line that is not a record into the state, as [`State::take_line`] does.
    ///
    /// # Errors
    /// Fails when a field is missing or has the wrong type, or the snapshot is damaged.
    pub fn take_line(&mut self, what: &str, line: &Json) -> Result<(), WriteError> {
        let stamp = self.stamp(None)?;
        Ok(self.state_mut()?.take_line(what, line, stamp)?)
    }

    /// Writes a field of a record without writing the record. Filters, recipes and [`Engine::record`] see the new value;
    /// texts are not indexed again. Returns whether the record exists.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn set_field(
        &mut self,
        key: Key,
        field: &str,
        value: Json,
        now: Option<f64>,
    ) -> Result<bool, WriteError> {
        let Some((part, document)) = self.find(key)? else { return Ok(false) };
        let stamp = self.stamp(now)?;
        if let Some((attribute, _)) = self.schema.attribute(field) {
            self.overrides()?;
            let overrides = self.overrides.get_mut().expect("they were just derived");
            overrides[part].set(attribute, document, value.clone());
        }
        let subject = Subject::Record { id: key.id.to_owned(), kind: key.kind.to_owned() };
        self.state_mut()?.set(&subject, field, value, stamp);
        Ok(true)
    }

    /// Writes a field of a session or link.
    pub(crate) fn set_subject(
        &mut self,
        subject: &Subject,
        field: &str,
        value: Json,
        now: Option<f64>,
    ) -> Result<(), WriteError> {
        let stamp = self.stamp(now)?;
        self.state_mut()?.set(subject, field, value, stamp);
        Ok(())
    }

    /// Records that a session used a record.
    pub(crate) fn note_usage(
        &mut self,
        session: &str,
        record: &str,
        usage: &str,
        now: f64,
    ) -> Result<(), WriteError> {
        let stamp = self.stamp(Some(now))?;
        let id = event_id(stamp);
        let usage = Usage {
            record: record.to_owned(),
            at: now,
            session: session.to_owned(),
            usage: usage.to_owned(),
            id,
        };
        self.state_mut()?.add_usage(usage, stamp);
        Ok(())
    }

    /// Records the feedback of a person on a response.
    pub(crate) fn note_feedback(&mut self, mut feedback: Feedback) -> Result<(), WriteError> {
        let stamp = self.stamp(Some(feedback.created_at))?;
        feedback.id = event_id(stamp);
        self.state_mut()?.add_feedback(feedback, stamp);
        Ok(())
    }

    /// Returns, for each part, the attribute values that differ from those in its columns.
    pub(crate) fn overrides(&self) -> Result<&[Overrides], SnapshotError> {
        if let Some(overrides) = self.overrides.get() {
            return Ok(overrides);
        }
        let mut overrides = self.parts.iter().map(|_| Overrides::default()).collect::<Vec<_>>();
        for (key, field, value) in self.state()?.changed_fields() {
            if let Some((attribute, _)) = self.schema.attribute(field)
                && let Some((part, document)) = self.find(key)?
            {
                overrides[part].set(attribute, document, value.clone());
            }
        }
        Ok(self.overrides.get_or_init(|| overrides))
    }
}

/// Returns a unique id for an event: its stamp as text.
pub(crate) fn event_id(stamp: Stamp) -> String {
    format!("{:x}-{}-{}", stamp.writer, float_text(stamp.at), stamp.sequence)
}
