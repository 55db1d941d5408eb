//! Adds, replaces and removes records at run time.
//!
//! The new records of a write become a segment, encoded by the same writer as a snapshot. Replaced and removed records get a
//! tombstone. Segments of similar size are merged, so there are never many.

use super::{Engine, LivePart, WriteError};
use crate::document::{DEFAULT_KIND, Key, MAX_KINDS, Record};
use crate::order::{Map, Set};
use crate::segment::{BatchWriter, MergeError, MergeFault, MergeSource, Segment, merge};
use crate::snapshot::SnapshotError;
use crate::vector::RowsView;
use serde::Serialize;

/// The result of a write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Written {
    /// The number of records that were added.
    pub added: usize,
    /// The number of records that were replaced or removed.
    pub replaced: usize,
    /// Records that lost a vector, and the reason.
    pub warnings: Vec<String>,
}

/// Vectors by the places of their models.
type ModelVectors = Vec<(usize, Vec<f32>)>;

/// A record to add, with the vectors that come with it.
#[derive(Debug)]
pub(crate) struct NewRecord<'a> {
    pub record: &'a Record,
    pub vectors: ModelVectors,
}

/// The stored vector of a record that another one replaces.
#[derive(Debug)]
pub(crate) struct KeptVector<'a> {
    /// The index of the model.
    model: usize,
    rows: RowsView<'a>,
    row: usize,
}

impl<'a> NewRecord<'a> {
    /// Creates a record without vectors.
    pub fn bare(record: &'a Record) -> NewRecord<'a> {
        NewRecord { record, vectors: Vec::new() }
    }
}

impl Engine {
    /// Adds records. A record with the key of an existing record replaces it. Either all are added, or none.
    ///
    /// A record gets its vectors from the snapshot's own embedders. For other models it keeps the vector of the record that
    /// it replaces, as long as the embedded text is the same.
    ///
    /// ```
    /// use snapseek::json::Json;
    /// use snapseek::{Engine, Record, Schema};
    ///
    /// let record = |text: &str| Record::from_json(Json::parse(text.as_bytes()).unwrap()).unwrap();
    /// let mut engine = Engine::empty(&Schema::of_fields([("title", 1.0)])?)?;
    /// engine.add([&record(r#"{"id": "1", "title": "Foxes"}"#)])?;
    /// let written = engine.add([&record(r#"{"id": "1", "title": "Dogs"}"#)])?;
    /// assert_eq!((written.replaced, engine.len()), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails when a record does not fit the schema or a limit.
    pub fn add<'a>(&mut self, records: impl IntoIterator<Item = &'a Record>) -> Result<Written, WriteError> {
        self.add_with(&records.into_iter().map(NewRecord::bare).collect::<Vec<_>>(), None)
    }

    /// Adds records, and vectors from lines such as `{"$": "vector", "id": "7", "vector": […]}`. A vector line belongs to a
    /// record among `records` or to a record that the engine already holds.
    ///
    /// # Errors
    /// Fails as [`Engine::add`] does, and when no model accepts the vector of a line.
    pub fn add_lines(&mut self, records: &[Record], vectors: &[Record]) -> Result<Written, WriteError> {
        let mut by_key: Map<(&str, &str), ModelVectors> = Map::new();
        let reader = BatchWriter::new(&self.schema)?;
        for line in vectors {
            by_key.or_default((line.id(), line.kind())).push(reader.vector_of(line)?);
        }
        let mut all = Vec::new();
        // Of several records with the same key the last one stays, so it gets the vector.
        for record in records.iter().rev() {
            let vectors = by_key.remove(&(record.id(), record.kind())).unwrap_or_default();
            all.push(NewRecord { record, vectors });
        }
        all.reverse();
        let (mut held, mut warnings) = (Vec::new(), Vec::new());
        for ((id, kind), vectors) in by_key {
            match self.record(Key { id, kind })? {
                Some(record) => held.push((record, vectors)),
                None => warnings.push(format!("there is no record \"{id}\" of kind \"{kind}\" for a vector")),
            }
        }
        all.extend(held.iter().map(|(record, vectors)| NewRecord { record, vectors: vectors.clone() }));
        let mut written = self.add_with(&all, None)?;
        warnings.append(&mut written.warnings);
        // A record that only got a vector counts neither as added nor as replaced.
        Ok(Written { added: written.added - held.len(), replaced: written.replaced - held.len(), warnings })
    }

    /// Adds records as [`Engine::add`] does, with `now` or the clock's time as the time of the write.
    pub(crate) fn add_with(
        &mut self,
        records: &[NewRecord],
        now: Option<f64>,
    ) -> Result<Written, WriteError> {
        let mut writer = BatchWriter::new(&self.schema)?;
        let embedders = self.embedders()?;
        let mut lost = vec![0; self.schema.models().len()];
        for new in records {
            let mut vectors = embedders.vectors(&self.schema, new.record);
            for (model, vector) in &new.vectors {
                vectors[*model] = Some(vector.clone());
            }
            let mut kept = Vec::new();
            for (place, (_, model)) in self.schema.models().enumerate() {
                let carries =
                    model.field.as_ref().is_some_and(|field| new.record.json().get(field).is_some());
                if vectors[place].is_none() && model.embedder.is_none() && !carries {
                    kept.extend(self.kept_vector(new.record, place, &mut lost[place])?);
                }
            }
            writer.add_with(new.record, &vectors)?;
            for KeptVector { model, rows, row } in kept {
                writer.keep_vector(model, &rows, row)?;
            }
        }
        if writer.is_empty() {
            return Ok(Written::default());
        }
        let batch = writer.finish();
        let segment = Segment::open(merge(&self.schema, &[MergeSource::Batch(&batch)], 1)?)?;
        self.check_kinds(&segment, &[])?;
        let stamp = self.stamp(now)?;
        for key in keys_of(&segment)? {
            self.state_mut()?.write_record(key, stamp);
        }
        let warnings = self.lost_vectors(&lost);
        Ok(Written { warnings, ..self.push(segment)? })
    }

    /// Finds the vector of the record that `new` replaces if both have the same embedded text. Counts it as lost otherwise.
    pub(crate) fn kept_vector(
        &self,
        new: &Record,
        model: usize,
        lost: &mut usize,
    ) -> Result<Option<KeptVector<'_>>, WriteError> {
        let Some((part, document)) = self.find(Key { id: new.id(), kind: new.kind() })? else {
            return Ok(None);
        };
        let segment = &self.parts[part].segment;
        let Some((rows, row)) =
            segment.vectors()?.get(model).and_then(|rows| Some((*rows, rows.row_of(document)?)))
        else {
            return Ok(None);
        };
        // If the old document is in another file, its text counts as changed: a write must not wait for a fetch.
        let is_same = segment
            .record(document)
            .is_ok_and(|old| self.schema.embedded_text(model, &old) == self.schema.embedded_text(model, new));
        *lost += usize::from(!is_same);
        Ok(is_same.then_some(KeptVector { model, rows, row }))
    }

    fn lost_vectors(&self, lost: &[usize]) -> Vec<String> {
        let models = self.schema.models().zip(lost).filter(|(_, count)| **count > 0);
        let warning = |((name, _), count): ((&str, _), &usize)| {
            let records = if *count == 1 {
                "1 replaced record has".to_owned()
            } else {
                format!("{count} replaced records have")
            };
            format!(
                "{records} no vector of \"{name}\" any more: the text changed, or its document is in another file and not \
                 loaded; add the vector"
            )
        };
        models.map(warning).collect()
    }

    /// Returns the kind that an id without a kind refers to: the only kind if there is just one, otherwise `document`.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn usual_kind(&self) -> Result<&str, SnapshotError> {
        let mut kinds = Set::new();
        for part in &self.parts {
            for kind in part.segment.keys()?.kinds() {
                kinds.insert(*kind);
            }
        }
        let mut kinds = kinds.iter();
        match (kinds.next(), kinds.next()) {
            (Some(only), None) => Ok(only),
            _ => Ok(DEFAULT_KIND),
        }
    }

    /// Removes the records with these keys. Keys without a record are ignored.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn remove<'a>(&mut self, keys: impl IntoIterator<Item = Key<'a>>) -> Result<Written, WriteError> {
        let mut written = Written::default();
        let stamp = self.stamp(None)?;
        for key in keys {
            if self.kill(key)? {
                self.state_mut()?.write_record(key, stamp);
                written.replaced += 1;
            }
        }
        Ok(written)
    }

    /// Checks that the kinds of all records fit into one segment after the records of `segment` are added and the records
    /// with the keys in `removed` are gone.
    pub(crate) fn check_kinds(
        &self,
        segment: &Segment,
        removed: &[(String, String)],
    ) -> Result<(), WriteError> {
        let own = segment.keys()?.kinds().iter().copied().collect::<Set<_>>();
        let mut kinds = own.clone();
        for part in &self.parts {
            for kind in part.segment.keys()?.kinds() {
                kinds.insert(*kind);
            }
        }
        if kinds.len() <= MAX_KINDS {
            return Ok(());
        }
        // Some kinds may belong to dead records only, so count again without these.
        kinds = own;
        let removed = removed.iter().map(|(id, kind)| Key { id, kind }).collect::<Set<_>>();
        for part in &self.parts {
            for (document, key) in keys_of(&part.segment)?.into_iter().enumerate() {
                if !part.dead.has(document) && !removed.contains(&key) {
                    kinds.insert(key.kind);
                }
            }
        }
        if kinds.len() <= MAX_KINDS { Ok(()) } else { Err(MergeError::from(MergeFault::TooManyKinds).into()) }
    }

    /// Appends a segment of new records whose kinds were checked, and marks the records that it replaces dead.
    pub(crate) fn push(&mut self, segment: Segment) -> Result<Written, WriteError> {
        let mut written = Written { added: segment.documents() as usize, ..Written::default() };
        self.overrides.take();
        self.slots.forget_derived();
        for key in keys_of(&segment)? {
            written.replaced += usize::from(self.kill(key)?);
        }
        self.schema.settle_widths_of(segment.schema());
        let part = LivePart::new(segment, false);
        let totals = part.totals()?;
        self.totals.rows += totals.rows;
        self.totals.tokens = self.totals.tokens.saturating_add(totals.tokens);
        self.parts.push(part);
        self.merge_small()?;
        Ok(written)
    }

    /// Marks the live record with this key dead. Returns whether there was one.
    pub(crate) fn kill(&mut self, key: Key) -> Result<bool, WriteError> {
        let Some((number, document)) = self.find(key)? else { return Ok(false) };
        let part = &mut self.parts[number];
        let tokens = part.segment.lengths()?.get(document as usize).copied().map_or(0, u64::from);
        self.slots.forget_derived();
        part.dead.insert(document as usize);
        part.dead_count += 1;
        self.totals.rows -= 1;
        self.totals.tokens -= tokens.min(self.totals.tokens);
        Ok(true)
    }

    /// Merges the last two segments as long as the last has at least half as many live records as the one before it. Never
    /// merges the opened snapshot.
    fn merge_small(&mut self) -> Result<(), WriteError> {
        while let [.., before, last] = &self.parts[..]
            && !before.is_base
            && last.live() * 2 >= before.live()
        {
            let sources = [before, last].map(|part| MergeSource::Segment(&part.segment, &part.dead));
            let merged = Segment::open(merge(&self.schema, &sources, 1)?)?;
            self.parts.truncate(self.parts.len() - 2);
            self.parts.push(LivePart::new(merged, false));
        }
        Ok(())
    }
}

/// Returns the keys of all documents of a segment, in document order.
pub(crate) fn keys_of(segment: &Segment) -> Result<Vec<Key<'_>>, SnapshotError> {
    let keys = segment.keys()?;
    let mut all = Vec::new();
    for document in 0..keys.len() {
        all.push(keys.get(document)?);
    }
    Ok(all)
}
