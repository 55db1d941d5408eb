//! What has happened to the records?
//!
//! A state holds everything that is known about records beside the records themselves: links, sessions, which session
//! used which record, what people did with answers, and fields that changed after a record was written, such as a
//! salience that every recall raises. Links, usages and feedback name records by their ids.
//!
//! A snapshot holds the current values. Changes also hold the [`Stamp`] of every write, so that the changes of two tabs
//! can be merged in any order: the last write of a field wins, usages and feedback accumulate.

mod encoding;
mod lines;
mod merging;
mod rows;
mod stamp;

pub use encoding::Stamps;
pub(crate) use lines::DEFAULT_RELATION;
pub use lines::{LineError, LineFault, STATE_LINES};
pub use rows::{ACTIONS, Feedback, Link, Session, Subject, USAGES, Usage};
pub use stamp::Stamp;

use crate::document::{Key, Record};
use crate::json::Json;
use crate::order::{Map, Set, sort_by_key};
use stamp::WriteMark;

/// The value of a field and the mark of its last write.
#[derive(Clone, Debug, PartialEq)]
struct Cell {
    value: Json,
    mark: WriteMark,
}

type Fields = Map<String, Cell>;

/// The field of a link or session that says that it exists. Its value is `true`.
///
/// Without it, a link or session that was written with no other field would leave no stamp, and changes would not carry
/// it. Snapshots leave the field out: there a link or session exists by being listed.
const EXISTS: &str = "";

/// The mark of a usage, and its place among the usages that a snapshot holds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct UsageMark {
    mark: WriteMark,
    /// Orders the usages of one record and millisecond that have no stamp. 0 for those with one: their stamps order
    /// them.
    place: usize,
}

impl UsageMark {
    fn order(self) -> (Stamp, usize) {
        (self.mark.stamp, self.place)
    }
}

/// Links, sessions, usages, feedback, changed fields of records, and when records were written.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    subjects: Map<Subject, Fields>,
    usages: Map<Usage, UsageMark>,
    feedback: Map<Feedback, WriteMark>,
    /// The last write or removal of each record, by id and kind. A record that was built into the snapshot and not
    /// written since has none.
    writes: Map<(String, String), WriteMark>,
    /// Links ordered by target: to, from, relation.
    links_to: Set<(String, String, String)>,
    /// For each session, the ids of the records that it used.
    used: Map<String, Set<String>>,
    latest: Option<Stamp>,
}

impl Default for State {
    /// Creates an empty state. The function is not inlined: an empty map is several words long, and every caller would
    /// repeat them.
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
    /// Whether the state holds nothing at all, not even the stamp of a record.
    pub fn is_empty(&self) -> bool {
        !self.is_known() && self.writes.is_empty()
    }

    /// Whether the state holds anything that a snapshot without stamps has to store.
    pub fn is_known(&self) -> bool {
        !(self.subjects.is_empty() && self.usages.is_empty() && self.feedback.is_empty())
    }

    /// Returns the latest stamp of all writes, or [`Stamp::BASE`].
    pub fn latest(&self) -> Stamp {
        self.latest.unwrap_or(Stamp::BASE)
    }

    /// Makes every later write of this state later than `stamp`.
    pub fn advance(&mut self, stamp: Stamp) {
        self.latest = Some(self.latest().max(stamp));
    }

    /// Creates a subject if it is missing, and returns its fields.
    fn touch(&mut self, subject: &Subject) -> &mut Fields {
        if !self.subjects.contains_key(subject)
            && let Subject::Link { from, to, relation } = subject
        {
            self.links_to.insert((to.clone(), from.clone(), relation.clone()));
        }
        self.subjects.or_default(subject.clone())
    }

    /// Writes a field, unless a later write of it is known. Returns whether the field has this value now because of this
    /// call.
    pub fn set(&mut self, subject: &Subject, field: &str, value: Json, stamp: Stamp) -> bool {
        let fields = self.touch(subject);
        if let Some(cell) = fields.get(field) {
            // Two writes never have the same stamp, unless somebody forged one. The greater value wins then, so that the
            // order in which they arrive does not matter. An equal value is the same write.
            let is_known = match cell.mark.stamp == stamp {
                true if stamp.is_write() => cell.value.to_text() >= value.to_text(),
                _ => cell.mark.stamp > stamp,
            };
            if is_known {
                return false;
            }
        }
        fields.insert(field.to_owned(), Cell { value, mark: WriteMark::fresh(stamp) });
        self.advance(stamp);
        true
    }

    /// Notes that a session used a record.
    pub fn add_usage(&mut self, usage: Usage, stamp: Stamp) {
        self.add_marked_usage(usage, WriteMark::fresh(stamp));
    }

    fn add_marked_usage(&mut self, usage: Usage, mark: WriteMark) {
        self.used.or_default(usage.session.clone()).insert(usage.record.clone());
        let place = if mark.stamp.is_write() { 0 } else { self.usages.len() };
        let known = self.usages.or_insert(usage, UsageMark { mark, place });
        if mark.stamp < known.mark.stamp {
            (known.mark.stamp, known.place) = (mark.stamp, place);
        }
        self.advance(mark.stamp);
    }

    /// Notes feedback.
    pub fn add_feedback(&mut self, feedback: Feedback, stamp: Stamp) {
        let known = self.feedback.or_insert(feedback, WriteMark::fresh(stamp));
        known.stamp = known.stamp.min(stamp);
        self.advance(stamp);
    }

    /// Notes that a record was written or removed. Fields that were set before this write are dropped.
    pub fn write_record(&mut self, key: Key, stamp: Stamp) {
        let written =
            self.writes.or_insert((key.id.to_owned(), key.kind.to_owned()), WriteMark::fresh(stamp));
        if written.stamp < stamp {
            *written = WriteMark::fresh(stamp);
        }
        let stamp = written.stamp;
        let subject = Subject::Record { id: key.id.to_owned(), kind: key.kind.to_owned() };
        if let Some(fields) = self.subjects.get_mut(&subject) {
            fields.retain(|_, cell| cell.mark.stamp >= stamp);
            if fields.is_empty() {
                self.subjects.remove(&subject);
            }
        }
        self.advance(stamp);
    }

    /// Returns the stamp of the last write or removal of a record, or [`Stamp::BASE`] if it was only built.
    pub fn written(&self, key: Key) -> Stamp {
        let key = (key.id.to_owned(), key.kind.to_owned());
        self.writes.get(&key).map_or(Stamp::BASE, |mark| mark.stamp)
    }

    /// Returns the keys of all records that have a write stamp: written or removed at run time.
    pub fn written_keys(&self) -> impl Iterator<Item = Key<'_>> {
        self.writes.keys().map(|(id, kind)| Key { id, kind })
    }

    /// Returns every record field that changed after its record was written: the record's key, the field, the value.
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

    /// Returns the fields of one record that changed after it was written.
    pub fn changed_fields_of(&self, key: Key) -> impl Iterator<Item = (&str, &Json)> {
        let subject = Subject::Record { id: key.id.to_owned(), kind: key.kind.to_owned() };
        let fields = self.subjects.get(&subject).into_iter().flatten();
        fields.map(|(name, cell)| (name.as_str(), &cell.value))
    }

    /// Returns the record with the fields that changed after it was written.
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

    /// Returns every link of an id: first the links from it, then the links to it. A link from an id to itself comes
    /// once.
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

    /// Returns a session, or `None` when nothing is known about it.
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

    /// Returns the usages of a record, oldest first. Usages of the same millisecond come in the order in which they were
    /// written.
    pub fn usages_of<'a>(&'a self, record: &'a str) -> impl DoubleEndedIterator<Item = &'a Usage> {
        in_written_order(self.marked_usages_of(record)).into_iter().map(|(usage, _)| usage)
    }

    /// Returns the latest usage of a record; of several in the same millisecond, the one that was written last.
    pub fn latest_usage_of<'a>(&'a self, record: &'a str) -> Option<&'a Usage> {
        let (latest, _) = self.marked_usages_of(record).next_back()?;
        let of_that_moment =
            self.marked_usages_of(record).rev().take_while(|(usage, _)| usage.moment_cmp(latest).is_eq());
        let latest =
            of_that_moment.reduce(|best, next| if next.1.order() > best.1.order() { next } else { best });
        latest.map(|(usage, _)| usage)
    }

    fn marked_usages_of(&self, record: &str) -> impl DoubleEndedIterator<Item = (&Usage, &UsageMark)> {
        let bound = |at: f64| Usage {
            record: record.to_owned(),
            at,
            session: String::new(),
            usage: String::new(),
            id: String::new(),
        };
        // Times are finite.
        self.usages.between(&bound(f64::NEG_INFINITY), &bound(f64::INFINITY))
    }

    /// Returns the ids of the records that a session used.
    pub fn used_in(&self, session: &str) -> impl ExactSizeIterator<Item = &str> {
        static NONE: Set<String> = Set::new();
        self.used.get(session).unwrap_or(&NONE).iter().map(String::as_str)
    }

    /// Returns all feedback, oldest first.
    pub fn feedback(&self) -> impl ExactSizeIterator<Item = &Feedback> {
        self.feedback.keys()
    }
}

/// Puts usages of the same record and millisecond in the order in which they were written. The usages come ordered by
/// record, then by time.
fn in_written_order<'a>(
    usages: impl Iterator<Item = (&'a Usage, &'a UsageMark)>,
) -> Vec<(&'a Usage, &'a UsageMark)> {
    let mut usages = usages.collect::<Vec<_>>();
    for moment in usages.chunk_by_mut(|(a, _), (b, _)| a.moment_cmp(b).is_eq()) {
        sort_by_key(moment, |(_, mark)| mark.order());
    }
    usages
}

#[cfg(test)]
mod tests;
