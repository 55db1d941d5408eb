//! Writes about memories: supersession, relationships, salience, sessions and deletion.

use super::ranking::SUPERSEDES;
use super::salience::{salience_of, time};
use super::{MemoryRecipe, key};
use crate::engine::{SearchError, WriteError, wrong};
use crate::json::Json;
use crate::options::Options;
use crate::ranking::{deemphasized, reinforced};
use crate::state::Subject;
use serde::Serialize;

/// The default share of `reinforce`.
pub(super) const REINFORCEMENT: f64 = 0.1;
/// The default share of `deemphasize`.
pub(super) const DEEMPHASIS: f64 = 0.2;
/// The default type of a relationship.
const RELATION: &str = "RELATED_TO";

/// A relationship to write.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewRelationship {
    /// The memory that the relationship starts from.
    pub source_id: String,
    /// The memory that it leads to.
    pub target_id: String,
    /// The type: `RELATED_TO` by default.
    pub relation: Option<String>,
    /// The moment it ends, in milliseconds since 1970; never by default.
    pub valid_until: Option<f64>,
}

impl NewRelationship {
    /// Reads `sourceId`, `targetId`, `type` and `validUntil`.
    pub fn take(read: &mut Options) -> NewRelationship {
        NewRelationship {
            source_id: read.required_id("sourceId"),
            target_id: read.required_id("targetId"),
            relation: read.text("type").map(str::to_owned),
            valid_until: read.time("validUntil"),
        }
    }
}

/// A session to begin, or fields to add to one. Times are milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewMemorySession {
    /// The id of the session.
    pub id: String,
    /// The moment it started. By default the first call sets it to now.
    pub started_at: Option<f64>,
    /// The moment it ended.
    pub ended_at: Option<f64>,
    /// The project it belongs to.
    pub project_id: Option<String>,
    /// A summary.
    pub summary: Option<String>,
}

impl NewMemorySession {
    /// Reads `id`, `startedAt`, `endedAt`, `projectId` and `summary`.
    pub fn take(read: &mut Options) -> NewMemorySession {
        NewMemorySession {
            id: read.required_id("id"),
            started_at: read.time("startedAt"),
            ended_at: read.time("endedAt"),
            project_id: read.id("projectId"),
            summary: read.text("summary").map(str::to_owned),
        }
    }
}

/// The response of `reinforce` and `deemphasize`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SalienceChange {
    /// The id of the memory.
    pub id: String,
    /// The salience now, 0 to 1.
    pub salience: f64,
}

impl MemoryRecipe<'_> {
    /// Marks a memory as superseded from now on, and links the new memory to it. A memory that was superseded before stays
    /// superseded since then.
    ///
    /// # Errors
    /// When a memory is missing, both are the same, or the schema has no `validUntil`.
    pub fn supersede(&mut self, old_id: &str, new_id: &str, now: Option<f64>) -> Result<(), SearchError> {
        let now = self.engine.now(now);
        if self.engine.schema.attribute("validUntil").is_none() {
            let reason = "the schema has no attribute \"validUntil\", so nothing can be superseded";
            return Err(wrong("oldId", reason.to_owned()));
        }
        if old_id == new_id {
            return Err(wrong("newId", "a memory cannot supersede itself".to_owned()));
        }
        let old = self.record(old_id)?;
        self.record(new_id)?;
        if time(old.json(), "validUntil").is_none_or(|end| end > now) {
            self.engine.set_field(key(old_id), "validUntil", Json::from_f64(now), Some(now))?;
        }
        self.link(new_id, old_id, SUPERSEDES, now)?;
        Ok(())
    }

    /// Relates two memories.
    ///
    /// # Errors
    /// When a memory is missing.
    pub fn relate(&mut self, relationship: &NewRelationship, now: Option<f64>) -> Result<(), SearchError> {
        let now = self.engine.now(now);
        let NewRelationship { source_id, target_id, relation, valid_until } = relationship;
        self.record(source_id)?;
        self.record(target_id)?;
        let link = self.link(source_id, target_id, relation.as_deref().unwrap_or(RELATION), now)?;
        if let Some(end) = valid_until {
            self.engine.set_subject(&link, "validUntil", Json::from_f64(*end), Some(now))?;
        }
        Ok(())
    }

    fn link(&mut self, from: &str, to: &str, relation: &str, now: f64) -> Result<Subject, WriteError> {
        let link = Subject::Link { from: from.to_owned(), to: to.to_owned(), relation: relation.to_owned() };
        self.engine.set_subject(&link, "at", Json::from_f64(now), Some(now))?;
        Ok(link)
    }

    /// Moves the salience of a memory towards 1 by a share of the distance.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn reinforce(
        &mut self,
        id: &str,
        amount: f64,
        now: Option<f64>,
    ) -> Result<SalienceChange, SearchError> {
        self.change_salience(id, amount, now, reinforced)
    }

    /// Lowers the salience of a memory by a share of it.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn deemphasize(
        &mut self,
        id: &str,
        amount: f64,
        now: Option<f64>,
    ) -> Result<SalienceChange, SearchError> {
        self.change_salience(id, amount, now, deemphasized)
    }

    fn change_salience(
        &mut self,
        id: &str,
        amount: f64,
        now: Option<f64>,
        change: fn(f64, f64) -> f64,
    ) -> Result<SalienceChange, SearchError> {
        let (now, decays) = (self.engine.now(now), self.settings().decay);
        let salience = change(salience_of(self.record(id)?.json(), decays, now), amount);
        self.set_salience(id, salience, now)?;
        Ok(SalienceChange { id: id.to_owned(), salience })
    }

    /// Writes the salience of a memory as of now; decay starts again from here.
    pub(super) fn set_salience(&mut self, id: &str, salience: f64, now: f64) -> Result<(), WriteError> {
        self.engine.set_field(key(id), "salience", Json::from_f64(salience), Some(now))?;
        self.engine.set_field(key(id), "lastAccessed", Json::from_f64(now), Some(now))?;
        Ok(())
    }

    /// Records that a session used a memory. `usage` is one of [`USAGES`](crate::state::USAGES).
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn link_to_session(
        &mut self,
        id: &str,
        session_id: &str,
        usage: &'static str,
        now: Option<f64>,
    ) -> Result<(), SearchError> {
        let now = self.engine.now(now);
        self.record(id)?;
        self.engine.note_usage(session_id, id, usage, now)?;
        Ok(())
    }

    /// Marks a memory as deleted: it stays stored and is not found any more. Where the schema has no `isDeleted`, the record
    /// is removed.
    ///
    /// # Errors
    /// When there is no such memory.
    pub fn delete(&mut self, id: &str, now: Option<f64>) -> Result<(), SearchError> {
        let now = self.engine.now(now);
        self.record(id)?;
        if self.engine.schema.attribute("isDeleted").is_some() {
            self.engine.set_field(key(id), "isDeleted", Json::Bool(true), Some(now))?;
        } else {
            self.engine.remove([key(id)])?;
        }
        Ok(())
    }

    /// Begins a session, or adds fields to one.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn session(&mut self, session: &NewMemorySession, now: Option<f64>) -> Result<(), SearchError> {
        let now = self.engine.now(now);
        let NewMemorySession { id, started_at, ended_at, project_id, summary } = session.clone();
        let is_started = self.engine.state()?.session(&id).is_some_and(|known| known.started_at.is_some());
        let fields = [
            ("startedAt", started_at.or((!is_started).then_some(now)).map(Json::from_f64)),
            ("endedAt", ended_at.map(Json::from_f64)),
            ("projectId", project_id.map(Json::String)),
            ("summary", summary.map(Json::String)),
        ];
        let subject = Subject::Session { id };
        for (name, value) in fields {
            if let Some(value) = value {
                self.engine.set_subject(&subject, name, value, Some(now))?;
            }
        }
        Ok(())
    }
}
