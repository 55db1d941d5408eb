//! How are entries written?

use super::handle::{Vault, VaultMut};
use super::ranking::MEMORY;
use super::response::{VaultRemoved, VaultUpdated, VaultWeights, VaultWritten};
use super::update::{VaultAdd, VaultFeedback, VaultUpdate, VaultWriteOptions};
use crate::document::{DEFAULT_KIND, Key, Record};
use crate::engine::{Embedded, NewRecord, SearchError, SearchFault, TextsToEmbed, wrong};
use crate::json::Json;
use crate::options::Options;
use crate::order::{Map, Set};
use crate::state::Feedback;
use crate::vector::VectorQuery;

impl Vault<'_> {
    /// Returns the texts of entries that would have no vector.
    pub(super) fn texts_to_add(&self, add: &VaultAdd) -> Result<TextsToEmbed, SearchError> {
        self.texts_of(&self.new_records(add)?, &add.options)
    }

    /// Returns the text of an entry that would have no vector.
    pub(super) fn texts_to_update(&self, update: &VaultUpdate) -> Result<TextsToEmbed, SearchError> {
        self.texts_of(&[self.updated_record(update)?], &update.options)
    }

    fn texts_of(&self, records: &[Record], options: &VaultWriteOptions) -> Result<TextsToEmbed, SearchError> {
        let mut texts = Set::new();
        let Some(place) = self.written_model(options)? else {
            return Ok(TextsToEmbed::default());
        };
        for record in records {
            if options.vector.is_none()
                && let Some(text) = self.missing_vector(record, place)?
            {
                texts.insert(text);
            }
        }
        let width = self.engine.schema.models().nth(place).and_then(|(_, model)| model.width);
        Ok(TextsToEmbed { texts: texts.iter().cloned().collect(), width })
    }

    /// Returns the place of the model that vectors from outside belong to; none where every model embeds by itself.
    fn written_model(&self, options: &VaultWriteOptions) -> Result<Option<usize>, SearchError> {
        match &options.model {
            Some(name) => self.engine.model(Some(name)),
            None => Ok(self.engine.schema.models().position(|(_, model)| model.embedder.is_none())),
        }
    }

    /// Returns the text of a record that would have no vector of a model; none where the snapshot embeds the text, the record
    /// brings or keeps a vector, or there is no text.
    fn missing_vector(&self, record: &Record, place: usize) -> Result<Option<String>, SearchError> {
        let Some((_, model)) = self.engine.schema.models().nth(place) else { return Ok(None) };
        let brings = model.field.as_ref().is_some_and(|field| record.json().get(field).is_some());
        if model.embedder.is_some() || brings || self.engine.kept_vector(record, place, &mut 0)?.is_some() {
            return Ok(None);
        }
        let text = self.engine.schema.embedded_text(place, record);
        Ok(Some(text).filter(|text| !text.is_empty()))
    }

    /// Returns the records of new entries: with a kind, and the moments at which they were created and updated.
    fn new_records(&self, add: &VaultAdd) -> Result<Vec<Record>, SearchError> {
        let mut faults = Options::of(&Json::Null);
        add.check(&mut faults);
        faults.finish()?;
        let given = add.entries.iter().filter_map(|entry| Record::from_json(entry.clone()).ok());
        let given = given.collect::<Vec<_>>();
        self.require_documents(given.iter().map(Record::id))?;
        let now = Json::from_f64(self.engine.now(add.options.now));
        let mut records = Vec::new();
        for record in given {
            let id = record.id();
            let held = match record.json().get("kind") {
                Some(_) => self.engine.record(Key { id, kind: record.kind() })?,
                None => self.entry(id)?,
            };
            let Json::Object(mut fields) = record.json().clone() else { continue };
            let kind = match &held {
                Some(held) => held.kind(),
                None if record.json().get("kind").is_some() => record.kind(),
                None => self.usual_kind()?,
            };
            if kind != DEFAULT_KIND {
                set_absent(&mut fields, "kind", &Json::String(kind.to_owned()));
            }
            let created = held.as_ref().and_then(|held| held.json().get("createdAt"));
            set_absent(&mut fields, "createdAt", created.unwrap_or(&now));
            set_absent(&mut fields, "updatedAt", &now);
            records.push(record_of(fields)?);
        }
        Ok(records)
    }

    /// Returns the kind of entries that name none: the only kind of entries that the snapshot has, or else `document`.
    fn usual_kind(&self) -> Result<&str, SearchError> {
        let mut kinds = self.kinds()?.into_iter().filter(|kind| *kind != MEMORY);
        match (kinds.next(), kinds.next()) {
            (Some(only), None) => Ok(only),
            _ => Ok(DEFAULT_KIND),
        }
    }

    /// Returns an entry with changed fields.
    fn updated_record(&self, update: &VaultUpdate) -> Result<Record, SearchError> {
        let mut faults = Options::of(&Json::Null);
        update.check(&mut faults);
        faults.finish()?;
        let record = self.entry(&update.id)?.ok_or_else(|| not_found(&update.id))?;
        let Json::Object(mut fields) = record.json().clone() else { return Ok(record) };
        let now = Json::from_f64(self.engine.now(update.options.now));
        set(&mut fields, "updatedAt", &now);
        for (name, value) in &update.fields {
            set(&mut fields, name, value);
        }
        record_of(fields)
    }
}

impl VaultMut<'_> {
    /// Adds entries. An entry with the id of another replaces it.
    ///
    /// `createdAt` and `updatedAt` are set where an entry has none. An entry whose embedded text did not change keeps its
    /// vectors; the vectors of the other entries come from the snapshot's own embedder or from `embedded`, by their texts.
    ///
    /// # Errors
    /// When an entry or option is faulty, an entry would have no vector and the caller asked for `strict`, or the snapshot is
    /// damaged. Then nothing is written.
    pub fn add(&mut self, add: &VaultAdd, embedded: &Embedded) -> Result<VaultWritten, SearchError> {
        let records = Vault { engine: self.engine }.new_records(add)?;
        self.write(&records, &add.options, embedded)
    }

    /// Changes fields of an entry, and sets `updatedAt`. A field whose new value is null is removed.
    ///
    /// # Errors
    /// When there is no such entry, and as [`VaultMut::add`].
    pub fn update(&mut self, update: &VaultUpdate, embedded: &Embedded) -> Result<VaultUpdated, SearchError> {
        let record = Vault { engine: self.engine }.updated_record(update)?;
        let entry = self.engine.schema.stored_json(&record).into_owned();
        let written = self.write(std::slice::from_ref(&record), &update.options, embedded)?;
        let VaultWritten { embedded, degraded, warnings, .. } = written;
        Ok(VaultUpdated { entry, embedded, degraded, warnings })
    }

    fn write(
        &mut self,
        records: &[Record],
        options: &VaultWriteOptions,
        embedded: &Embedded,
    ) -> Result<VaultWritten, SearchError> {
        let vault = Vault { engine: self.engine };
        let place = vault.written_model(options)?;
        let given = self.given_vector(options, embedded, place)?;
        let made = MadeVectors::of(embedded);
        let (mut news, mut count) = (Vec::new(), 0);
        let mut missing: Map<(usize, &str), usize> = Map::new();
        for record in records {
            let mut vectors = Vec::new();
            for model in 0..self.engine.schema.models().len() {
                if let Some(given) = given.as_ref().filter(|_| place == Some(model)) {
                    vectors.push((model, given.clone()));
                    continue;
                }
                let Some(text) = vault.missing_vector(record, model)? else { continue };
                match made.get(&text).filter(|_| place == Some(model)) {
                    Some(Ok(vector)) => vectors.push((model, vector.to_vec())),
                    Some(Err(reason)) => *missing.or_insert((model, reason), 0) += 1,
                    None => *missing.or_insert((model, NOTHING_EMBEDS), 0) += 1,
                }
            }
            count += vectors.len();
            news.push(NewRecord { record, vectors });
        }
        let warnings = missing.iter().map(|((model, reason), count)| {
            let name = self.engine.schema.models().nth(*model).map_or("", |(name, _)| name);
            let entries =
                if *count == 1 { "1 entry has".to_owned() } else { format!("{count} entries have") };
            format!("{entries} no vector of \"{name}\": {reason}")
        });
        let warnings = warnings.collect::<Vec<_>>();
        if options.strict && !warnings.is_empty() {
            return Err(Box::new(SearchFault::Embedding { reason: warnings.join("; ") }));
        }
        let written = self.engine.add_with(&news, options.now)?;
        Ok(VaultWritten {
            ids: records.iter().map(|record| record.id().to_owned()).collect(),
            added: written.added,
            replaced: written.replaced,
            embedded: count,
            degraded: !warnings.is_empty(),
            warnings,
        })
    }

    /// Returns the vector that the caller passed for the only entry.
    fn given_vector(
        &self,
        options: &VaultWriteOptions,
        embedded: &Embedded,
        place: Option<usize>,
    ) -> Result<Option<Vec<f32>>, SearchError> {
        let given = embedded.vectors.clone().filter(|_| embedded.texts.is_empty()).or(options.vector.clone());
        let Some(vector) = given else { return Ok(None) };
        let model = place.and_then(|place| self.engine.schema.models().nth(place));
        let Some((name, model)) = model else {
            return Err(wrong("vector", "no model of this snapshot takes it".to_owned()));
        };
        let width = model.width.unwrap_or(vector.len());
        match VectorQuery::new(&vector, model.metric, width) {
            Ok(_) => Ok(Some(vector)),
            Err(error) => Err(wrong("vector", format!("\"{name}\" cannot take it: {error}"))),
        }
    }

    /// Removes the entries with these ids, and ends their links.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn remove(&mut self, ids: &[String], now: Option<f64>) -> Result<VaultRemoved, SearchError> {
        let mut removed = VaultRemoved::default();
        let now = self.engine.now(now);
        for id in ids {
            let kind = Vault { engine: self.engine }.kind_of(id, false)?.map(str::to_owned);
            let Some(kind) = kind else {
                removed.warnings.push(format!("there is no entry \"{id}\" to remove"));
                removed.missing.push(id.clone());
                continue;
            };
            removed.removed += self.engine.remove([Key { id, kind: &kind }])?.replaced;
            self.end_links(|link| link.from == id || link.to == id, id, now)?;
        }
        Ok(removed)
    }

    /// Records what a person did with a result, and returns the new weights.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn feedback(&mut self, feedback: &VaultFeedback) -> Result<VaultWeights, SearchError> {
        self.engine.note_feedback(Feedback {
            created_at: feedback.created_at.unwrap_or_else(|| self.engine.now(feedback.now)),
            query: feedback.query.clone(),
            entry_id: feedback.entry_id.clone(),
            action: feedback.action.name().to_owned(),
            id: String::new(),
        })?;
        self.engine.vault().weights()
    }
}

/// The reason of a missing vector where the caller passed no `embed` function.
const NOTHING_EMBEDS: &str = "nothing embeds its text; pass `embed` or a vector";

/// The vectors that the host made, by text, or the reason why a text has none.
struct MadeVectors<'a>(Map<&'a str, Result<&'a [f32], &'a str>>);

impl<'a> MadeVectors<'a> {
    fn of(embedded: &'a Embedded) -> MadeVectors<'a> {
        let failure = |place: usize| embedded.failures.get(place).and_then(Option::as_deref);
        let count = (0..embedded.texts.len()).filter(|place| failure(*place).is_none()).count();
        let vectors = embedded.vectors.as_deref().unwrap_or_default();
        let mut rows = vectors.chunks_exact((vectors.len() / count.max(1)).max(1));
        let mut made = Map::new();
        for (place, text) in embedded.texts.iter().enumerate() {
            match failure(place) {
                Some(reason) => drop(made.insert(text.as_str(), Err(reason))),
                None => drop(rows.next().map(|row| made.insert(text.as_str(), Ok(row)))),
            }
        }
        MadeVectors(made)
    }

    fn get(&self, text: &str) -> Option<Result<&'a [f32], &'a str>> {
        self.0.get(text).copied()
    }
}

pub(super) fn not_found(id: &str) -> SearchError {
    Box::new(SearchFault::NotFound { what: "entry", id: id.to_owned() })
}

fn record_of(fields: Vec<(String, Json)>) -> Result<Record, SearchError> {
    Record::from_json(Json::Object(fields)).map_err(|error| wrong("entries", error.to_string()))
}

/// Sets a field, or removes it where the value is null.
fn set(fields: &mut Vec<(String, Json)>, name: &str, value: &Json) {
    match fields.iter().position(|(known, _)| known == name) {
        Some(place) if *value == Json::Null => drop(fields.remove(place)),
        Some(place) => fields[place].1 = value.clone(),
        None if *value == Json::Null => {}
        None => fields.push((name.to_owned(), value.clone())),
    }
}

fn set_absent(fields: &mut Vec<(String, Json)>, name: &str, value: &Json) {
    if fields.iter().all(|(known, _)| known != name) {
        fields.push((name.to_owned(), value.clone()));
    }
}
