//! The rows of a state: links, sessions, usages and feedback.

use crate::json::Json;
use std::cmp::Ordering;

/// A record, session or link: anything whose fields are written one by one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A record, with the fields whose value changed after it was written.
    Record {
        /// Its id.
        id: String,
        /// Its kind.
        kind: String,
    },
    /// A session.
    Session {
        /// Its id.
        id: String,
    },
    /// A link between two records.
    Link {
        /// The id of its source.
        from: String,
        /// The id of its target.
        to: String,
        /// The name of the relation.
        relation: String,
    },
}

/// A link between two records, by their ids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link<'a> {
    /// The id of its source.
    pub from: &'a str,
    /// The id of its target.
    pub to: &'a str,
    /// The name of the relation.
    pub relation: &'a str,
    /// Its strength.
    pub weight: Option<f64>,
    /// When it was made, in milliseconds since 1970.
    pub at: Option<f64>,
    /// When it ends, in milliseconds since 1970.
    pub valid_until: Option<f64>,
}

impl<'a> Link<'a> {
    /// Whether the link has not ended at time `now`.
    pub fn is_live(&self, now: f64) -> bool {
        self.valid_until.is_none_or(|end| end > now)
    }

    /// Returns the id at the other end.
    pub fn other_end(&self, id: &str) -> &'a str {
        if self.from == id { self.to } else { self.from }
    }
}

/// A session: a period of work in which records were made and used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Session<'a> {
    /// Its id.
    pub id: &'a str,
    /// The project it belongs to.
    pub project_id: Option<&'a str>,
    /// When it began, in milliseconds since 1970.
    pub started_at: Option<f64>,
    /// When it ended, in milliseconds since 1970.
    pub ended_at: Option<f64>,
    /// A summary of the session.
    pub summary: Option<&'a str>,
}

/// A usage: something that a session did with a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// The record's id.
    pub record: String,
    /// When, in milliseconds since 1970.
    pub at: f64,
    /// The session.
    pub session: String,
    /// `created`, `recalled`, `updated` or `reinforced`.
    pub usage: String,
    /// Distinguishes usages that are otherwise equal. May be empty.
    pub id: String,
}

/// The allowed values of [`Usage::usage`].
pub const USAGES: [&str; 4] = ["created", "recalled", "updated", "reinforced"];

/// Feedback: what a person did with an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// When, in milliseconds since 1970.
    pub created_at: f64,
    /// The query.
    pub query: String,
    /// The id of the record in the answer.
    pub entry_id: String,
    /// `accepted`, `modified`, `dismissed` or `failed`.
    pub action: String,
    /// Distinguishes feedback that is otherwise equal. May be empty.
    pub id: String,
}

/// The allowed values of [`Feedback::action`].
pub const ACTIONS: [&str; 4] = ["accepted", "modified", "dismissed", "failed"];

impl Eq for Usage {}

impl PartialOrd for Usage {
    fn partial_cmp(&self, other: &Usage) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Usage {
    /// Compares the records, then the times.
    pub(super) fn moment_cmp(&self, other: &Usage) -> Ordering {
        self.record.cmp(&other.record).then(self.at.total_cmp(&other.at))
    }
}

impl Ord for Usage {
    /// Compares the records, then the times, then the texts.
    fn cmp(&self, other: &Usage) -> Ordering {
        self.moment_cmp(other)
            .then_with(|| self.session.cmp(&other.session))
            .then_with(|| self.usage.cmp(&other.usage))
            .then_with(|| self.id.cmp(&other.id))
    }
}

impl Eq for Feedback {}

impl PartialOrd for Feedback {
    fn partial_cmp(&self, other: &Feedback) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Feedback {
    /// Compares the times, then the texts.
    fn cmp(&self, other: &Feedback) -> Ordering {
        self.created_at
            .total_cmp(&other.created_at)
            .then_with(|| self.query.cmp(&other.query))
            .then_with(|| self.entry_id.cmp(&other.entry_id))
            .then_with(|| self.action.cmp(&other.action))
            .then_with(|| self.id.cmp(&other.id))
    }
}

/// Creates a JSON object of the entries that have a value.
pub(super) fn object<const N: usize>(entries: [(&str, Option<Json>); N]) -> Json {
    let present = entries.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Json::Object(present.collect::<Vec<_>>())
}
