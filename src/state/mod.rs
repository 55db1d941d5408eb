//! What has happened to the records?
//!
//! Beside the records there is what is known of them: links, sessions, which session used which record, what people did
//! with answers, and fields of records that changed since they were written, such as a salience that every recall
//! raises. A snapshot holds what is; changes also hold when it was written ([`Stamp`]), so that those of two tabs can be
//! brought together in any order: of a field the last write stays, uses and feedback are all kept.
//!
//! Links, uses and feedback name records by their ids.

mod encoding;
mod lines;
mod rows;
mod stamp;

pub use encoding::Stamps;
pub(crate) use lines::DEFAULT_RELATION;
pub use lines::{LineError, LineFault, STATE_LINES};
pub use rows::{ACTIONS, Feedback, Link, Session, Subject, USAGES, Usage};
pub use stamp::Stamp;

use crate::document::{Key, Record};
use crate::json::Json;
use crate::order::{Map, Set};

/// The value of a field, and when it was written.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// The value.
    pub value: Json,
    /// When it was written.
    pub stamp: Stamp,
}

type Fields = Map<String, Cell>;

/// Links, sessions, uses, feedback, and what changed of records.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    subjects: Map<Subject, Fields>,
    usages: Map<Usage, Stamp>,
    feedback: Map<Feedback, Stamp>,
    /// When each record was last written or removed, since the snapshot.
    writes: Map<(String, String), Stamp>,
    /// Links by the id they lead to: to, from, relation.
    links_to: Set<(String, String, String)>,
    /// By session, the ids of the records it used.
    used: Map<String, Set<String>>,
    latest: Option<Stamp>,
}

impl Default for State {
    /// Nothing. By itself, since an empty map is several words, and all of them would be written wherever it is called.
    #[inline(never)]
    fn default() -> State {
        State {
            subjects: Map::new(),
            usages: Map::new(),
            feedback: Map::new(),
            writes: Map::new(),
            links_to: Set::new(),
            used: Map::new(),
            latest: None,
        }
    }
}

impl State {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        !self.is_known() && self.writes.is_empty()
    }

    /// Whether a snapshot has anything to hold of it.
    pub fn is_known(&self) -> bool {
        !(self.subjects.is_empty() && self.usages.is_empty() && self.feedback.is_empty())
    }

    /// The latest stamp there is.
    pub fn latest(&self) -> Stamp {
        self.latest.unwrap_or(Stamp::BASE)
    }

    fn note(&mut self, stamp: Stamp) {
        self.latest = Some(self.latest().max(stamp));
    }

    /// Makes sure that a subject is there, with or without fields.
    fn touch(&mut self, subject: &Subject) -> &mut Fields {
        if !self.subjects.contains_key(subject)
            && let Subject::Link { from, to, relation } = subject
        {
            self.links_to.insert((to.clone(), from.clone(), relation.clone()));
        }
        self.subjects.or_default(subject.clone())
    }

    /// Writes a field, unless a later write is there already; whether it was written.
    pub fn set(&mut self, subject: &Subject, field: &str, value: Json, stamp: Stamp) -> bool {
        let fields = self.touch(subject);
        // No two writes have the same stamp; where forged ones have, the order in which they come must not matter.
        let is_later = |cell: &Cell| {
            cell.stamp > stamp
                || cell.stamp == stamp && stamp.is_write() && cell.value.to_text() > value.to_text()
        };
        if fields.get(field).is_some_and(is_later) {
            return false;
        }
        fields.insert(field.to_owned(), Cell { value, stamp });
        self.note(stamp);
        true
    }

    /// Notes a use.
    pub fn add_usage(&mut self, usage: Usage, stamp: Stamp) {
        self.used.or_default(usage.session.clone()).insert(usage.record.clone());
        let known = self.usages.or_insert(usage, stamp);
        *known = (*known).min(stamp);
        self.note(stamp);
    }

    /// Notes feedback.
    pub fn add_feedback(&mut self, feedback: Feedback, stamp: Stamp) {
        let known = self.feedback.or_insert(feedback, stamp);
        *known = (*known).min(stamp);
        self.note(stamp);
    }

    /// Notes that a record was written or removed: what was known of its fields before is no longer.
    pub fn write_record(&mut self, key: Key, stamp: Stamp) {
        let written = self.writes.or_insert((key.id.to_owned(), key.kind.to_owned()), stamp);
        *written = (*written).max(stamp);
        let stamp = *written;
        let subject = Subject::Record { id: key.id.to_owned(), kind: key.kind.to_owned() };
        if let Some(fields) = self.subjects.get_mut(&subject) {
            fields.retain(|_, cell| cell.stamp >= stamp);
            if fields.is_empty() {
                self.subjects.remove(&subject);
            }
        }
        self.note(stamp);
    }

    /// When a record was last written or removed.
    pub fn written(&self, key: Key) -> Stamp {
        let key = (key.id.to_owned(), key.kind.to_owned());
        self.writes.get(&key).copied().unwrap_or(Stamp::BASE)
    }

    /// The keys of the records that were written or removed since the snapshot.
    pub fn written_keys(&self) -> impl Iterator<Item = Key<'_>> {
        self.writes.keys().map(|(id, kind)| Key { id, kind })
    }

    /// Brings in what another state knows. In whatever order states are brought together, the result is the same.
    pub fn merge(&mut self, other: &State) {
        for ((id, kind), stamp) in &other.writes {
            self.write_record(Key { id, kind }, *stamp);
        }
        for (subject, fields) in &other.subjects {
            let written = match subject {
                Subject::Record { id, kind } => self.written(Key { id, kind }),
                _ => {
                    self.touch(subject);
                    Stamp::BASE
                }
            };
            for (field, cell) in fields.iter().filter(|(_, cell)| cell.stamp >= written) {
                self.set(subject, field, cell.value.clone(), cell.stamp);
            }
        }
        for (usage, stamp) in &other.usages {
            self.add_usage(usage.clone(), *stamp);
        }
        for (feedback, stamp) in &other.feedback {
            self.add_feedback(feedback.clone(), *stamp);
        }
    }

    /// What was written since the snapshot.
    pub fn since_snapshot(&self) -> State {
        let mut since = State { writes: self.writes.clone(), latest: self.latest, ..State::default() };
        for (subject, fields) in &self.subjects {
            for (field, cell) in fields.iter().filter(|(_, cell)| cell.stamp.is_write()) {
                since.set(subject, field, cell.value.clone(), cell.stamp);
            }
        }
        for (usage, stamp) in self.usages.iter().filter(|(_, stamp)| stamp.is_write()) {
            since.add_usage(usage.clone(), *stamp);
        }
        for (feedback, stamp) in self.feedback.iter().filter(|(_, stamp)| stamp.is_write()) {
            since.add_feedback(feedback.clone(), *stamp);
        }
        since
    }

    /// The fields of records that changed since they were written: the record's key, the field, its value.
    pub fn changed_fields(&self) -> impl Iterator<Item = (Key<'_>, &str, &Json)> {
        let mut changed = Vec::new();
        for (subject, fields) in &self.subjects {
            if let Subject::Record { id, kind } = subject {
                let key = Key { id, kind };
                fields.iter().for_each(|(name, cell)| changed.push((key, name.as_str(), &cell.value)));
            }
        }
        changed.into_iter()
    }

    /// The fields of one record that changed since it was written.
    pub fn changed_fields_of(&self, key: Key) -> impl Iterator<Item = (&str, &Json)> {
        let subject = Subject::Record { id: key.id.to_owned(), kind: key.kind.to_owned() };
        let fields = self.subjects.get(&subject).into_iter().flatten();
        fields.map(|(name, cell)| (name.as_str(), &cell.value))
    }

    /// A record with the fields that changed since it was written.
    pub fn as_it_is_now(&self, record: Record) -> Record {
        let key = Key { id: record.id(), kind: record.kind() };
        let changed = self.changed_fields_of(key).collect::<Vec<_>>();
        let mut entries = match record.json() {
            Json::Object(entries) if !changed.is_empty() => entries.clone(),
            _ => return record,
        };
        for (name, value) in changed {
            match entries.iter_mut().find(|(known, _)| known == name) {
                Some((_, known)) => *known = value.clone(),
                None => entries.push((name.to_owned(), value.clone())),
            }
        }
        Record::from_json(Json::Object(entries)).unwrap_or(record)
    }

    fn link<'a>(&'a self, subject: &'a Subject) -> Option<Link<'a>> {
        let Subject::Link { from, to, relation } = subject else { return None };
        let fields = self.subjects.get(subject)?;
        let number = |name: &str| fields.get(name)?.value.as_f64();
        let (weight, at, valid_until) = (number("weight"), number("at"), number("validUntil"));
        Some(Link { from, to, relation, weight, at, valid_until })
    }

    /// Every link that touches an id: those that come from it, then those that lead to it; one that does both once.
    pub fn links_of<'a>(&'a self, id: &'a str) -> impl Iterator<Item = Link<'a>> + 'a {
        let first = Subject::Link { from: id.to_owned(), to: String::new(), relation: String::new() };
        let mut links = Vec::new();
        for (subject, _) in self.subjects.from(&first) {
            match subject {
                Subject::Link { from, .. } if from == id => links.extend(self.link(subject)),
                _ => break,
            }
        }
        let first = (id.to_owned(), String::new(), String::new());
        for (to, from, relation) in self.links_to.from(&first).take_while(|(to, ..)| to == id) {
            let (from, to, relation) = (from.clone(), to.clone(), relation.clone());
            if from != id
                && let Some((subject, _)) = self.subjects.get_key_value(&Subject::Link { from, to, relation })
            {
                links.extend(self.link(subject));
            }
        }
        links.into_iter()
    }

    /// Whether there is any link.
    pub fn has_links(&self) -> bool {
        !self.links_to.is_empty()
    }

    /// A session; none where nothing is known of it.
    pub fn session<'a>(&'a self, id: &'a str) -> Option<Session<'a>> {
        let fields = self.subjects.get(&Subject::Session { id: id.to_owned() })?;
        let text = |name: &str| fields.get(name)?.value.as_str();
        let number = |name: &str| fields.get(name)?.value.as_f64();
        Some(Session {
            id,
            project_id: text("projectId"),
            started_at: number("startedAt"),
            ended_at: number("endedAt"),
            summary: text("summary"),
        })
    }

    /// What sessions did with a record, oldest first.
    pub fn usages_of<'a>(&'a self, record: &'a str) -> impl DoubleEndedIterator<Item = &'a Usage> {
        let bound = |at: f64| Usage {
            record: record.to_owned(),
            at,
            session: String::new(),
            usage: String::new(),
            id: String::new(),
        };
        // Times are finite.
        self.usages.between(&bound(f64::NEG_INFINITY), &bound(f64::INFINITY)).map(|(usage, _)| usage)
    }

    /// What a session did with a record last; of those of the same moment, what was written last.
    pub fn latest_usage_of<'a>(&'a self, record: &'a str) -> Option<&'a Usage> {
        let latest = self.usages_of(record).next_back()?;
        let of_that_moment = self.usages_of(record).rev().take_while(|usage| usage.at == latest.at);
        of_that_moment.reduce(|best, usage| {
            let is_later = self.usages.get(usage) > self.usages.get(best);
            if is_later { usage } else { best }
        })
    }

    /// The ids of the records that a session used.
    pub fn used_in(&self, session: &str) -> impl ExactSizeIterator<Item = &str> {
        static NONE: Set<String> = Set::new();
        self.used.get(session).unwrap_or(&NONE).iter().map(String::as_str)
    }

    /// All feedback, oldest first.
    pub fn feedback(&self) -> impl ExactSizeIterator<Item = &Feedback> {
        self.feedback.keys()
    }
}

#[cfg(test)]
mod tests;
