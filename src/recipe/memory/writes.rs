//! Creating and updating memories.

use super::ranking::MEMORY;
use super::response::MemoryWritten;
use super::salience::{NEW, as_read};
use super::{MemoryRecipe, key};
use crate::document::Record;
use crate::engine::{Embedded, NewRecord, SearchError, event_id, wrong};
use crate::json::Json;
use crate::options::Options;

/// The default sector of a memory.
const SECTOR: &str = "semantic";
/// The default importance of a memory.
const IMPORTANCE: f64 = 0.5;

/// How far a memory reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryTier {
    /// One session.
    Session,
    /// One project.
    #[default]
    Project,
    /// Everything.
    Global,
}

impl MemoryTier {
    /// All tiers.
    pub const ALL: [MemoryTier; 3] = [MemoryTier::Session, MemoryTier::Project, MemoryTier::Global];

    /// Returns the name of the tier.
    pub fn name(self) -> &'static str {
        match self {
            MemoryTier::Session => "session",
            MemoryTier::Project => "project",
            MemoryTier::Global => "global",
        }
    }

    fn take(read: &mut Options) -> Option<MemoryTier> {
        read.one_of("tier", "tier", &MemoryTier::ALL, MemoryTier::name)
    }
}

/// A memory to create. Times are milliseconds since 1970.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewMemory {
    /// The id. By default one that no other memory has.
    pub id: Option<String>,
    /// The text.
    pub content: String,
    /// A summary.
    pub summary: Option<String>,
    /// The project.
    pub project_id: Option<String>,
    /// The session that creates the memory; it gets a usage row `created`.
    pub session_id: Option<String>,
    /// The sector: `semantic` by default.
    pub sector: Option<String>,
    /// The tier: project by default.
    pub tier: MemoryTier,
    /// The salience, 0 to 1: 1 by default.
    pub salience: Option<f64>,
    /// The importance, 0 to 1: 0.5 by default. Important memories fade more slowly.
    pub importance: Option<f64>,
    /// Tags.
    pub tags: Vec<String>,
    /// Concepts.
    pub concepts: Vec<String>,
    /// Paths of files.
    pub files: Vec<String>,
    /// The moment of creation; now by default.
    pub created_at: Option<f64>,
    /// The moment from which the memory is valid.
    pub valid_from: Option<f64>,
    /// The moment from which the memory is superseded.
    pub valid_until: Option<f64>,
    /// The model of the vector that the host hands over; the schema's first by default.
    pub model: Option<String>,
}

impl NewMemory {
    /// Reads the fields of a memory. Faults stay in `read`.
    pub fn take(read: &mut Options) -> NewMemory {
        host_options(read);
        NewMemory {
            id: read.id("id"),
            content: read.required_text("content").to_owned(),
            summary: read.text("summary").map(str::to_owned),
            project_id: read.id("projectId"),
            session_id: read.id("sessionId"),
            sector: read.text("sector").map(str::to_owned),
            tier: MemoryTier::take(read).unwrap_or_default(),
            salience: read.number("salience", 0.0..=1.0),
            importance: read.number("importance", 0.0..=1.0),
            tags: read.texts("tags").unwrap_or_default(),
            concepts: read.texts("concepts").unwrap_or_default(),
            files: read.texts("files").unwrap_or_default(),
            created_at: read.time("createdAt"),
            valid_from: read.time("validFrom"),
            valid_until: read.time("validUntil"),
            model: read.text("model").map(str::to_owned),
        }
    }

    /// Returns the fields of the record.
    pub(super) fn fields(&self, id: &str, now: f64) -> Vec<(String, Json)> {
        let created = Json::from_f64(self.created_at.unwrap_or(now));
        let text = |text: &str| Some(Json::String(text.to_owned()));
        let fields = [
            ("id", text(id)),
            ("kind", text(MEMORY)),
            ("projectId", self.project_id.as_deref().and_then(text)),
            ("content", text(&self.content)),
            ("summary", self.summary.as_deref().and_then(text)),
            ("sector", text(self.sector.as_deref().unwrap_or(SECTOR))),
            ("tier", text(self.tier.name())),
            ("salience", Some(Json::from_f64(self.salience.unwrap_or(NEW)))),
            ("importance", Some(Json::from_f64(self.importance.unwrap_or(IMPORTANCE)))),
            ("tags", Some(texts(&self.tags))),
            ("concepts", Some(texts(&self.concepts))),
            ("files", Some(texts(&self.files))),
            ("createdAt", Some(created.clone())),
            ("updatedAt", Some(created.clone())),
            ("lastAccessed", Some(created)),
            ("validFrom", self.valid_from.map(Json::from_f64)),
            ("validUntil", self.valid_until.map(Json::from_f64)),
            ("isDeleted", Some(Json::Bool(false))),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
    }
}

/// Changes to a memory: an absent field stays as it is. `Some(None)` removes a field that may be removed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemoryChanges {
    /// The text.
    pub content: Option<String>,
    /// A summary.
    pub summary: Option<Option<String>>,
    /// The project.
    pub project_id: Option<Option<String>>,
    /// The sector.
    pub sector: Option<String>,
    /// The tier.
    pub tier: Option<MemoryTier>,
    /// The salience, 0 to 1. Decay starts again from now.
    pub salience: Option<f64>,
    /// The importance, 0 to 1.
    pub importance: Option<f64>,
    /// Tags.
    pub tags: Option<Option<Vec<String>>>,
    /// Concepts.
    pub concepts: Option<Option<Vec<String>>>,
    /// Paths of files.
    pub files: Option<Option<Vec<String>>>,
    /// The moment from which the memory is valid, in milliseconds since 1970.
    pub valid_from: Option<Option<f64>>,
    /// The moment from which the memory is superseded, in milliseconds since 1970.
    pub valid_until: Option<Option<f64>>,
    /// The session that updates the memory; it gets a usage row `updated`.
    pub session_id: Option<String>,
    /// The model of the vector that the host hands over; the schema's first by default.
    pub model: Option<String>,
}

impl MemoryChanges {
    /// Reads the fields to change. Faults stay in `read`.
    pub fn take(read: &mut Options) -> MemoryChanges {
        host_options(read);
        let mut removable_texts = |name| read.removable(name, |read, name| read.texts(name));
        let [tags, concepts, files] = ["tags", "concepts", "files"].map(&mut removable_texts);
        MemoryChanges {
            content: read.text("content").map(str::to_owned),
            summary: read.removable("summary", |read, name| read.text(name).map(str::to_owned)),
            project_id: read.removable("projectId", |read, name| read.id(name)),
            sector: read.text("sector").map(str::to_owned),
            tier: MemoryTier::take(read),
            salience: read.number("salience", 0.0..=1.0),
            importance: read.number("importance", 0.0..=1.0),
            tags,
            concepts,
            files,
            valid_from: read.removable("validFrom", |read, name| read.time(name)),
            valid_until: read.removable("validUntil", |read, name| read.time(name)),
            session_id: read.id("sessionId"),
            model: read.text("model").map(str::to_owned),
        }
    }

    /// Returns the fields to write; none removes a field.
    pub(super) fn fields(&self, now: f64) -> Vec<(&'static str, Option<Json>)> {
        let text = |text: &String| Json::String(text.clone());
        let removable = |value: &Option<Option<Vec<String>>>| {
            value.as_ref().map(|value| value.as_ref().map(|all| texts(all)))
        };
        let fields = [
            ("content", self.content.as_ref().map(|value| Some(text(value)))),
            ("summary", self.summary.as_ref().map(|value| value.as_ref().map(text))),
            ("projectId", self.project_id.as_ref().map(|value| value.as_ref().map(text))),
            ("sector", self.sector.as_ref().map(|value| Some(text(value)))),
            ("tier", self.tier.map(|tier| Some(Json::String(tier.name().to_owned())))),
            ("salience", self.salience.map(|value| Some(Json::from_f64(value)))),
            ("lastAccessed", self.salience.map(|_| Some(Json::from_f64(now)))),
            ("importance", self.importance.map(|value| Some(Json::from_f64(value)))),
            ("tags", removable(&self.tags)),
            ("concepts", removable(&self.concepts)),
            ("files", removable(&self.files)),
            ("validFrom", self.valid_from.map(|value| value.map(Json::from_f64))),
            ("validUntil", self.valid_until.map(|value| value.map(Json::from_f64))),
            ("updatedAt", Some(Some(Json::from_f64(now)))),
        ];
        fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
    }
}

/// Declares the options of a write that hosts read themselves.
fn host_options(read: &mut Options) {
    read.host(&[("embed", "a function"), ("vector", "an array of finite numbers")]);
}

fn texts(texts: &[String]) -> Json {
    Json::Array(texts.iter().cloned().map(Json::String).collect())
}

impl MemoryRecipe<'_> {
    /// Creates a memory. Its vector comes from the host, or from the snapshot's own embedder; where the host's `embed` failed,
    /// the memory has none and the response is degraded.
    ///
    /// # Errors
    /// When there is a memory with this id, no such model, or the vector does not fit.
    pub fn create(
        &mut self,
        memory: &NewMemory,
        embedded: &Embedded,
        now: Option<f64>,
    ) -> Result<MemoryWritten, SearchError> {
        let mut faults = Options::of(&Json::Null);
        self.check_new(memory, embedded, &mut faults)?;
        faults.finish()?;
        let now = self.engine.now(now);
        let id = match &memory.id {
            Some(id) => id.clone(),
            None => self.new_id(now)?,
        };
        let record = record_of(memory.fields(&id, now))?;
        let warnings = self.write(&record, memory.model.as_deref(), embedded, now)?;
        if let Some(session) = &memory.session_id {
            self.engine.note_usage(session, &id, "created", now)?;
        }
        self.written(id, memory.model.as_deref(), warnings, now)
    }

    /// Checks what the options of a new memory do not show by themselves. Faults go into `faults`.
    pub(super) fn check_new(
        &self,
        memory: &NewMemory,
        embedded: &Embedded,
        faults: &mut Options,
    ) -> Result<(), SearchError> {
        if let Some(id) = &memory.id
            && self.engine.find(key(id))?.is_some()
        {
            faults.complain("id", format!("there is a memory \"{id}\" already"));
        }
        self.check_vector(embedded, faults);
        Ok(())
    }

    /// Complains where there is a vector and the snapshot has no vectors.
    pub(super) fn check_vector(&self, embedded: &Embedded, faults: &mut Options) {
        if embedded.vectors.is_some() && self.engine.schema.models().len() == 0 {
            faults.complain("vector", "this snapshot has no vectors");
        }
    }

    /// Returns an id that no memory has: that of the write.
    fn new_id(&self, now: f64) -> Result<String, SearchError> {
        let mut stamp = self.engine.stamp(Some(now))?;
        loop {
            let id = event_id(stamp);
            if self.engine.find(key(&id))?.is_none() {
                return Ok(id);
            }
            // A snapshot forgets its stamps, so a stamp may return.
            stamp = stamp.next(stamp.at, stamp.writer);
        }
    }

    /// Changes fields of a memory. Where an embedded text changes, the memory is indexed and embedded again; a vector whose
    /// text stays the same is kept.
    ///
    /// # Errors
    /// When there is no such memory or model, or the vector does not fit.
    pub fn update(
        &mut self,
        id: &str,
        changes: &MemoryChanges,
        embedded: &Embedded,
        now: Option<f64>,
    ) -> Result<MemoryWritten, SearchError> {
        let mut faults = Options::of(&Json::Null);
        self.check_vector(embedded, &mut faults);
        faults.finish()?;
        let now = self.engine.now(now);
        let model = changes.model.as_deref();
        self.engine.model(model)?;
        let old = self.record(id)?;
        let fields = changes.fields(now).into_iter();
        let fields =
            fields.filter(|(name, value)| old.json().get(name) != value.as_ref()).collect::<Vec<_>>();
        // Only a new version of the record can lose a field, or change an indexed text or a vector.
        let is_rewritten = embedded.vectors.is_some()
            || fields.iter().any(|(name, value)| value.is_none() || self.is_text(name));
        let warnings = if is_rewritten {
            let record = record_of(changed(old.json(), &fields))?;
            self.write(&record, model, embedded, now)?
        } else {
            for (name, value) in fields {
                self.engine.set_field(key(id), name, value.unwrap_or(Json::Null), Some(now))?;
            }
            embedded.failure().map(str::to_owned).into_iter().collect()
        };
        if let Some(session) = &changes.session_id {
            self.engine.note_usage(session, id, "updated", now)?;
        }
        self.written(id.to_owned(), model, warnings, now)
    }

    /// Whether the index or a model reads the text of a field.
    fn is_text(&self, name: &str) -> bool {
        let schema = &self.engine.schema;
        schema.field(name).is_some()
            || schema.models().any(|(_, model)| model.text.iter().any(|text| text == name))
    }

    /// Writes the record of a memory with the vector of the host. Returns the reasons for missing vectors.
    fn write(
        &mut self,
        record: &Record,
        model: Option<&str>,
        embedded: &Embedded,
        now: f64,
    ) -> Result<Vec<String>, SearchError> {
        let place = self.engine.model(model)?;
        let vectors = place.zip(embedded.vectors.clone()).into_iter().collect();
        let written = self.engine.add_with(&[NewRecord { record, vectors }], Some(now))?;
        let failure = embedded.failure().map(str::to_owned);
        Ok(failure.into_iter().chain(written.warnings).collect())
    }

    fn written(
        &self,
        id: String,
        model: Option<&str>,
        warnings: Vec<String>,
        now: f64,
    ) -> Result<MemoryWritten, SearchError> {
        let memory = as_read(self.record(&id)?.json().clone(), self.settings().decay, now);
        let embedded = self.engine.has_vector(key(&id), self.engine.model(model)?)?;
        Ok(MemoryWritten { id, memory, embedded, degraded: !warnings.is_empty(), warnings })
    }
}

pub(super) fn record_of(fields: Vec<(String, Json)>) -> Result<Record, SearchError> {
    Record::from_json(Json::Object(fields)).map_err(|error| wrong("id", error.to_string()))
}

/// Returns the fields of a record with changes; a change without a value removes its field.
pub(super) fn changed(record: &Json, changes: &[(&'static str, Option<Json>)]) -> Vec<(String, Json)> {
    let Json::Object(entries) = record else { return Vec::new() };
    let mut entries = entries.clone();
    for (name, value) in changes {
        let place = entries.iter().position(|(known, _)| known == name);
        match (place, value) {
            (Some(place), Some(value)) => entries[place].1 = value.clone(),
            (Some(place), None) => drop(entries.remove(place)),
            (None, Some(value)) => entries.push(((*name).to_owned(), value.clone())),
            (None, None) => {}
        }
    }
    entries
}
