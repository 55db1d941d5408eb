//! Links, sessions, usages and feedback as lines of JSON: `{"$": "link", "from": "a", "to": "b", …}`.

use super::rows::object;
use super::{ACTIONS, EXISTS, Feedback, Stamp, State, Subject, USAGES, Usage, in_written_order};
use crate::attributes::time_of;
use crate::json::Json;

/// The relation of a link that names none.
pub(crate) const DEFAULT_RELATION: &str = "related";

/// The values of `"$"` that mark a line as something other than a record.
pub const STATE_LINES: [&str; 4] = ["link", "session", "usage", "feedback"];

/// The reason why a line is rejected.
pub type LineError = Box<LineFault>;

/// A field of a line that is missing or has the wrong type.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a {what}'s \"{field}\" is {found}; {wanted} is wanted")]
pub struct LineFault {
    what: &'static str,
    field: &'static str,
    found: String,
    wanted: String,
}

/// Reads the fields of one line. It notes the first fault and reads on.
struct Line<'a> {
    what: &'static str,
    json: &'a Json,
    first_fault: Option<LineError>,
}

impl<'a> Line<'a> {
    fn new(what: &'static str, json: &'a Json) -> Line<'a> {
        Line { what, json, first_fault: None }
    }

    /// Returns the first fault, after all fields are read.
    fn finish(self) -> Result<(), LineError> {
        self.first_fault.map_or(Ok(()), Err)
    }

    fn complain(&mut self, field: &'static str, wanted: &str) {
        if self.first_fault.is_some() {
            return;
        }
        let found = match self.json.get(field) {
            None => "missing".to_owned(),
            Some(Json::String(text)) => format!("\"{text}\""),
            Some(value) => value.kind().to_owned(),
        };
        let fault = LineFault { what: self.what, field, found, wanted: wanted.to_owned() };
        self.first_fault = Some(Box::new(fault));
    }

    fn given(&self, field: &str) -> Option<&'a Json> {
        self.json.get(field).filter(|value| **value != Json::Null)
    }

    /// Reads a string; an integer becomes its decimal text.
    fn text(&mut self, field: &'static str) -> String {
        match self.given(field) {
            Some(Json::String(text)) if !text.is_empty() => text.clone(),
            Some(Json::Integer(number)) => number.to_string(),
            _ => {
                self.complain(field, "a string");
                String::new()
            }
        }
    }

    fn text_or(&mut self, field: &'static str, default: &str) -> String {
        if self.given(field).is_some() { self.text(field) } else { default.to_owned() }
    }

    fn word(&mut self, field: &'static str, words: &[&str]) -> String {
        let text = self.text(field);
        if !words.contains(&text.as_str()) {
            self.complain(field, &format!("one of {}", words.join(", ")));
        }
        text
    }

    fn time(&mut self, field: &'static str) -> Option<f64> {
        let time = time_of(self.given(field)?).filter(|time| time.is_finite());
        if time.is_none() {
            self.complain(field, "a time: milliseconds, or an ISO 8601 date");
        }
        time
    }

    fn number(&mut self, field: &'static str) -> Option<f64> {
        let number = self.given(field)?.as_f64();
        if number.is_none() {
            self.complain(field, "a number");
        }
        number
    }
}

impl State {
    /// Takes a line that is not a record. `what` is the value of its `"$"`, one of [`STATE_LINES`].
    ///
    /// A link or session that exists already takes over the fields of the line. Usages and feedback without a time get
    /// the time of the stamp, or 0 for [`Stamp::BASE`].
    ///
    /// # Errors
    /// When a field is missing or has the wrong type; then nothing is taken.
    pub fn take_line(&mut self, what: &str, json: &Json, stamp: Stamp) -> Result<(), LineError> {
        let now = if stamp.is_write() { stamp.at } else { 0.0 };
        match what {
            "link" => {
                let mut line = Line::new("link", json);
                let (from, to) = (line.text("from"), line.text("to"));
                let relation = line.text_or("relation", DEFAULT_RELATION);
                let fields = [
                    ("weight", line.number("weight")),
                    ("at", line.time("at")),
                    ("validUntil", line.time("validUntil")),
                ];
                line.finish()?;
                self.set_numbers(&Subject::Link { from, to, relation }, &fields, stamp);
            }
            "session" => {
                let mut line = Line::new("session", json);
                let subject = Subject::Session { id: line.text("id") };
                let texts =
                    [("projectId", line.text_or("projectId", "")), ("summary", line.text_or("summary", ""))];
                let times = [("startedAt", line.time("startedAt")), ("endedAt", line.time("endedAt"))];
                line.finish()?;
                for (field, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
                    self.set(&subject, field, Json::String(text), stamp);
                }
                self.set_numbers(&subject, &times, stamp);
            }
            "usage" => {
                let mut line = Line::new("usage", json);
                let usage = Usage {
                    record: line.text("record"),
                    at: line.time("at").unwrap_or(now),
                    session: line.text("session"),
                    usage: line.word("usage", &USAGES),
                    id: line.text_or("id", ""),
                };
                line.finish()?;
                self.add_usage(usage, stamp);
            }
            _ => {
                let mut line = Line::new("feedback", json);
                let feedback = Feedback {
                    created_at: line.time("createdAt").unwrap_or(now),
                    query: line.text_or("query", ""),
                    entry_id: line.text("entryId"),
                    action: line.word("action", &ACTIONS),
                    id: line.text_or("id", ""),
                };
                line.finish()?;
                self.add_feedback(feedback, stamp);
            }
        }
        Ok(())
    }

    /// Creates a link or session, and sets the fields that have a number.
    fn set_numbers(&mut self, subject: &Subject, fields: &[(&str, Option<f64>)], stamp: Stamp) {
        self.touch(subject);
        if stamp.is_write() {
            self.set(subject, EXISTS, Json::Bool(true), stamp);
        }
        for (field, number) in fields {
            if let Some(number) = number {
                self.set(subject, field, Json::from_f64(*number), stamp);
            }
        }
    }

    /// Returns the lines that [`State::take_line`] takes, for everything but the changed fields of records.
    pub fn lines(&self) -> Vec<Json> {
        let text = |text: &str| (!text.is_empty()).then(|| Json::String(text.to_owned()));
        let time = |at: f64| Some(Json::from_f64(at));
        let mut lines = Vec::new();
        for (subject, fields) in &self.subjects {
            let field = |name: &str| fields.get(name).map(|cell| cell.value.clone());
            match subject {
                Subject::Record { .. } => {}
                Subject::Session { id } => lines.push(object([
                    ("$", text("session")),
                    ("id", text(id)),
                    ("projectId", field("projectId")),
                    ("startedAt", field("startedAt")),
                    ("endedAt", field("endedAt")),
                    ("summary", field("summary")),
                ])),
                Subject::Link { from, to, relation } => lines.push(object([
                    ("$", text("link")),
                    ("from", text(from)),
                    ("to", text(to)),
                    ("relation", text(relation)),
                    ("weight", field("weight")),
                    ("at", field("at")),
                    ("validUntil", field("validUntil")),
                ])),
            }
        }
        lines.extend(in_written_order(self.usages.iter()).into_iter().map(|(usage, _)| {
            object([
                ("$", text("usage")),
                ("session", text(&usage.session)),
                ("record", text(&usage.record)),
                ("usage", text(&usage.usage)),
                ("at", time(usage.at)),
                ("id", text(&usage.id)),
            ])
        }));
        lines.extend(self.feedback.keys().map(|feedback| {
            object([
                ("$", text("feedback")),
                ("query", text(&feedback.query)),
                ("entryId", text(&feedback.entry_id)),
                ("action", text(&feedback.action)),
                ("createdAt", time(feedback.created_at)),
                ("id", text(&feedback.id)),
            ])
        }));
        lines
    }
}
