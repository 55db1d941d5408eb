//! Writing memories, and what is known of them.

use super::question::MemoryQuestion;
use super::shown::time;
use crate::document::{Key, Record};
use crate::engine::event_id;
use crate::engine::wrong;
use crate::engine::{Embedded, Engine, NewRecord, SearchError, SearchFault, WriteError};
use crate::json::Json;
use crate::options::Options;
use crate::pipeline::Fields;
use crate::ranking::{deemphasized, reinforced};
use crate::recipe::memory::{MEMORY, RECALL, SUPERSEDES, salience_of};
use crate::state::{Subject, USAGES};

/// What `reinforce` adds, and `deemphasize` takes away, where nobody says.
const REINFORCEMENT: f64 = 0.1;
const DEEMPHASIS: f64 = 0.2;
/// What a memory is that does not say.
const SECTOR: &str = "semantic";
const TIER: &str = "project";
const TIERS: [&str; 3] = ["session", "project", "global"];
const IMPORTANCE: f64 = 0.5;
/// What a relationship is that does not say.
const RELATION: &str = "RELATED_TO";

impl Engine {
    /// `memory.create`.
    pub(crate) fn memory_create(&mut self, json: &Json, embedded: &Embedded) -> Result<String, SearchError> {
        let vector = embedded.vectors.as_deref();
        let mut options = Options::of(json);
        let now = self.now_in(&mut options);
        let id = options.id("id");
        let model = options.text("model").map(str::to_owned);
        let warnings = embedded.failure().map(str::to_owned).into_iter().collect::<Vec<_>>();
        let session = options.id("sessionId");
        let mut fields = new_memory(&mut options, now);
        if let Some(id) = &id
            && self.find(Key { id, kind: MEMORY })?.is_some()
        {
            options.complain("id", format!("there is a memory \"{id}\" already"));
        }
        let place = self.model(model.as_deref())?;
        if vector.is_some() && place.is_none() {
            options.complain("vector", "this snapshot has no vectors");
        }
        options.finish()?;
        let id = match id {
            Some(id) => id,
            None => self.new_id(now)?,
        };
        fields.0.insert(0, ("id".to_owned(), Json::String(id.clone())));
        let record =
            Record::from_json(Json::Object(fields.0)).map_err(|error| wrong("id", error.to_string()))?;
        let vectors = place.zip(vector.map(<[f32]>::to_vec)).into_iter().collect();
        self.add_with(&[NewRecord { record: &record, vectors }], Some(now))?;
        if let Some(session) = session {
            self.note_usage(&session, &id, "created", now)?;
        }
        let mut created = Fields::default();
        created.text("id", Some(&id));
        created.put("memory", record.json().clone());
        // Whether vectors can find it.
        created.flag("embedded", self.has_vector(key(&id), place)?);
        created.texts("warnings", warnings);
        Ok(created.into_text())
    }

    /// An id that no memory has: that of the write.
    fn new_id(&self, now: f64) -> Result<String, SearchError> {
        let mut stamp = self.stamp(Some(now))?;
        loop {
            let id = event_id(stamp);
            if self.find(Key { id: &id, kind: MEMORY })?.is_none() {
                return Ok(id);
            }
            // A snapshot forgets its stamps, so one may come again.
            stamp = stamp.next(stamp.at, stamp.writer);
        }
    }

    /// `memory.supersede`: from now on, one memory stands in place of another.
    pub(crate) fn memory_supersede(&mut self, json: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let (old, new) = (options.required_id("oldId"), options.required_id("newId"));
        let now = self.now_in(&mut options);
        if self.schema.attribute("validUntil").is_none() {
            options.complain(
                "oldId",
                "the schema has no attribute \"validUntil\", so nothing can be superseded",
            );
        }
        if old == new {
            options.complain("newId", "a memory cannot supersede itself");
        }
        options.finish()?;
        let record = self.memory(&old)?;
        self.memory(&new)?;
        // What was superseded before stays so from then on.
        if time(record.json(), "validUntil").is_none_or(|end| end > now) {
            self.set_field(key(&old), "validUntil", Json::from_f64(now), Some(now))?;
        }
        self.link(new, old, SUPERSEDES, now)?;
        Ok("null".to_owned())
    }

    /// `memory.relate`.
    pub(crate) fn memory_relate(&mut self, json: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let (from, to) = (options.required_id("sourceId"), options.required_id("targetId"));
        let relation = options.text("type").unwrap_or(RELATION);
        let valid_until = options.time("validUntil");
        let now = self.now_in(&mut options);
        options.finish()?;
        self.memory(&from)?;
        self.memory(&to)?;
        let link = self.link(from, to, relation, now)?;
        if let Some(end) = valid_until {
            self.set_subject(&link, "validUntil", Json::from_f64(end), Some(now))?;
        }
        Ok("null".to_owned())
    }

    fn link(&mut self, from: String, to: String, relation: &str, now: f64) -> Result<Subject, WriteError> {
        let link = Subject::Link { from, to, relation: relation.to_owned() };
        self.set_subject(&link, "at", Json::from_f64(now), Some(now))?;
        Ok(link)
    }

    /// `memory.reinforce`.
    pub(crate) fn memory_reinforce(&mut self, json: &Json) -> Result<String, SearchError> {
        self.memory_salience(json, REINFORCEMENT, reinforced)
    }

    /// `memory.deemphasize`.
    pub(crate) fn memory_deemphasize(&mut self, json: &Json) -> Result<String, SearchError> {
        self.memory_salience(json, DEEMPHASIS, deemphasized)
    }

    fn memory_salience(
        &mut self,
        json: &Json,
        default: f64,
        change: fn(f64, f64) -> f64,
    ) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let id = options.required_id("id");
        let amount = options.number("amount", 0.0..=1.0).unwrap_or(default);
        let decays = options.flag("decay").unwrap_or(false);
        let now = self.now_in(&mut options);
        options.finish()?;
        let salience = change(salience_of(self.memory(&id)?.json(), decays, now), amount);
        self.set_salience(&id, salience, now)?;
        let mut changed = Fields::default();
        changed.text("id", Some(&id));
        changed.float("salience", salience);
        Ok(changed.into_text())
    }

    /// Writes what a memory matters, as of now: what fades, fades from here on.
    fn set_salience(&mut self, id: &str, salience: f64, now: f64) -> Result<(), WriteError> {
        self.set_field(key(id), "salience", Json::from_f64(salience), Some(now))?;
        self.set_field(key(id), "lastAccessed", Json::from_f64(now), Some(now))?;
        Ok(())
    }

    /// Notes that memories were recalled, which mattered so much (M9): each matters a little more, and the session knows of it.
    pub(super) fn note_recall(
        &mut self,
        question: &MemoryQuestion,
        memories: &[(String, f64)],
    ) -> Result<(), WriteError> {
        let now = question.now;
        for (id, salience) in memories {
            self.set_salience(id, reinforced(*salience, RECALL), now)?;
            if let Some(session) = &question.recalled_in {
                self.note_usage(session, id, "recalled", now)?;
            }
        }
        Ok(())
    }

    /// `memory.linkToSession`.
    pub(crate) fn memory_link_to_session(&mut self, json: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let (id, session) = (options.required_id("id"), options.required_id("sessionId"));
        options.require("usage");
        let usage = options.word("usage", &USAGES).unwrap_or_default();
        let now = self.now_in(&mut options);
        options.finish()?;
        self.memory(&id)?;
        self.note_usage(&session, &id, usage, now)?;
        Ok("null".to_owned())
    }

    /// `memory.delete`: the memory is marked, and no longer found.
    pub(crate) fn memory_delete(&mut self, json: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let id = options.required_id("id");
        let now = self.now_in(&mut options);
        options.finish()?;
        self.memory(&id)?;
        if self.schema.attribute("isDeleted").is_some() {
            self.set_field(key(&id), "isDeleted", Json::Bool(true), Some(now))?;
        } else {
            // Nothing would tell it from the others.
            self.remove([key(&id)])?;
        }
        Ok("null".to_owned())
    }

    /// `memory.session`: begins a session, or says more of one.
    pub(crate) fn memory_session(&mut self, json: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let id = options.required_id("id");
        let now = self.now_in(&mut options);
        let is_known = self.state()?.session(&id).is_some_and(|session| session.started_at.is_some());
        let mut fields = Fields::default();
        fields.number("startedAt", options.time("startedAt").or((!is_known).then_some(now)));
        fields.number("endedAt", options.time("endedAt"));
        fields.text("projectId", options.id("projectId").as_deref());
        fields.text("summary", options.text("summary"));
        options.finish()?;
        let session = Subject::Session { id };
        for (name, value) in fields.0 {
            self.set_subject(&session, &name, value, Some(now))?;
        }
        Ok("null".to_owned())
    }

    /// The memory with this id.
    fn memory(&self, id: &str) -> Result<Record, SearchError> {
        let missing = || SearchFault::NotFound { what: "memory", id: id.to_owned() };
        Ok(self.record(key(id))?.ok_or_else(missing)?)
    }
}

fn key(id: &str) -> Key<'_> {
    Key { id, kind: MEMORY }
}

/// The fields of a new memory, as options name them, and what they are where they do not.
fn new_memory(options: &mut Options, now: f64) -> Fields {
    let mut fields = Fields::default();
    let content = options.required_text("content");
    let made = options.time("createdAt").unwrap_or(now);
    fields.text("kind", Some(MEMORY));
    fields.text("projectId", options.id("projectId").as_deref());
    fields.text("content", Some(content));
    fields.text("summary", options.text("summary"));
    fields.text("sector", options.text("sector").or(Some(SECTOR)));
    fields.text("tier", options.word("tier", &TIERS).or(Some(TIER)));
    for (name, usual) in [("salience", 1.0), ("importance", IMPORTANCE)] {
        fields.number(name, options.number(name, 0.0..=1.0).or(Some(usual)));
    }
    for name in ["tags", "concepts", "files"] {
        let texts = options.texts(name).unwrap_or_default().into_iter();
        fields.put(name, Json::Array(texts.map(Json::String).collect::<Vec<_>>()));
    }
    for name in ["createdAt", "updatedAt", "lastAccessed"] {
        fields.number(name, Some(made));
    }
    for name in ["validFrom", "validUntil"] {
        fields.number(name, options.time(name));
    }
    fields.put("isDeleted", Json::Bool(false));
    fields
}
