//! What there is beside records: links, sessions, uses and feedback.

use crate::json::Json;
use std::cmp::Ordering;

/// What has fields that are written one by one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Subject {
    /// A record: fields whose value changed since it was written.
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
        /// The id it comes from.
        from: String,
        /// The id it leads to.
        to: String,
        /// What it means.
        relation: String,
    },
}

/// A link between two records, by their ids.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Link<'a> {
    /// The id it comes from.
    pub from: &'a str,
    /// The id it leads to.
    pub to: &'a str,
    /// What it means.
    pub relation: &'a str,
    /// How strong it is.
    pub weight: Option<f64>,
    /// When it was made.
    pub at: Option<f64>,
    /// When it ends.
    pub valid_until: Option<f64>,
}

impl<'a> Link<'a> {
    /// Whether it has not ended.
    pub fn is_live(&self, now: f64) -> bool {
        self.valid_until.is_none_or(|end| end > now)
    }

    /// The other end.
    pub fn other_end(&self, id: &str) -> &'a str {
        if self.from == id { self.to } else { self.from }
    }
}

/// A session: a stretch of work in which records were made and used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Session<'a> {
    /// Its id.
    pub id: &'a str,
    /// The project it belongs to.
    pub project_id: Option<&'a str>,
    /// When it began.
    pub started_at: Option<f64>,
    /// When it ended.
    pub ended_at: Option<f64>,
    /// What it was about.
    pub summary: Option<&'a str>,
}

/// What a session did with a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Usage {
    /// The record's id.
    pub record: String,
    /// When.
    pub at: f64,
    /// The session.
    pub session: String,
    /// `created`, `recalled`, `updated` or `reinforced`.
    pub usage: String,
    /// What tells it from a use that is otherwise the same; empty where nothing has to.
    pub id: String,
}

/// The words a use may have.
pub const USAGES: [&str; 4] = ["created", "recalled", "updated", "reinforced"];

/// What a person did with an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedback {
    /// When.
    pub created_at: f64,
    /// What was asked.
    pub query: String,
    /// The id of the record that was answered.
    pub entry_id: String,
    /// `accepted`, `modified`, `dismissed` or `failed`.
    pub action: String,
    /// What tells it from feedback that is otherwise the same; empty where nothing has to.
    pub id: String,
}

/// The words feedback may have.
pub const ACTIONS: [&str; 4] = ["accepted", "modified", "dismissed", "failed"];

impl Eq for Usage {}

impl PartialOrd for Usage {
    fn partial_cmp(&self, other: &Usage) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Usage {
    /// By record, then by time.
    fn cmp(&self, other: &Usage) -> Ordering {
        self.record
            .cmp(&other.record)
            .then(self.at.total_cmp(&other.at))
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
    /// By time.
    fn cmp(&self, other: &Feedback) -> Ordering {
        self.created_at
            .total_cmp(&other.created_at)
            .then_with(|| self.query.cmp(&other.query))
            .then_with(|| self.entry_id.cmp(&other.entry_id))
            .then_with(|| self.action.cmp(&other.action))
            .then_with(|| self.id.cmp(&other.id))
    }
}

/// A JSON object of these entries; those without a value are left out.
pub(super) fn object<const N: usize>(entries: [(&str, Option<Json>); N]) -> Json {
    let present = entries.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Json::Object(present.collect::<Vec<_>>())
}
