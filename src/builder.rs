//! How do records become one snapshot? This module is the write path, and wiring only.
//!
//! The builder collects records in a batch. Full batches are encoded to segments once enough of them have gathered,
//! and [`Builder::finish`] merges all of them into the snapshot.

use crate::bitmap::Bitmap;
use crate::document::{Key, Record};
use crate::embed::StaticModelView;
use crate::json::Json;
use crate::schema::{EmbedderKind, Schema, SchemaError, SchemaFault};
use crate::segment::{
    Batch, BatchError, BatchFault, BatchWriter, Embedders, LooseRow, LooseVector, MergeError, MergeSource,
    RowRef, RowsByKey, Segment, encode_tables, merge, merge_sections, with_static_model,
};
use crate::snapshot::{self, SectionKind};
use crate::state::{LineError, Stamp, Stamps, State};
use crate::vector::VectorError;

/// A boxed [`BuildFault`].
pub type BuildError = Box<BuildFault>;

/// The reasons why a snapshot cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildFault {
    /// The schema is invalid.
    #[error(transparent)]
    Schema(SchemaError),
    /// A record was refused.
    #[error(transparent)]
    Record(BatchError),
    /// The records exceed a limit of the snapshot format, or segments could not be merged.
    #[error(transparent)]
    Merge(MergeError),
}

boxed_from!(BuildFault: Schema(SchemaError), Record(BatchError), Merge(MergeError));

/// Builds a snapshot from records.
///
/// ```
/// use snapseek::{Builder, Engine, Record, Schema, json::Json};
///
/// let schema = Schema::of_fields([("title", 2.0), ("body", 1.0)])?;
/// let mut builder = Builder::new(&schema)?;
/// let json = Json::parse(br#"{"id": "1", "title": "Quick fox", "body": "It jumps."}"#)?;
/// builder.add(&Record::from_json(json)?)?;
/// let engine = Engine::open(builder.finish()?)?;
/// assert_eq!(engine.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Builder {
    schema: Schema,
    threads: usize,
    /// The batch being filled. It is created on first use, because vector widths are known only then.
    open: Option<Box<BatchWriter>>,
    parts: Vec<BuilderPart>,
    /// Maps each key to the last record with that key.
    rows: RowsByKey,
    /// Vectors that arrived without their record. They are assigned to records when the snapshot is finished.
    loose: Vec<LooseVector>,
    gathered: usize,
    tables: Vec<Vec<u8>>,
    state: State,
}

/// A group of records: a batch at first, an encoded segment with its tombstones later.
#[derive(Debug)]
enum BuilderPart {
    Batch(Box<Batch>),
    Segment(Box<Segment>, Bitmap),
}

/// A batch is closed when it holds this many bytes of records.
const BATCH_LEN: usize = 16 << 20;
/// Batches are encoded when they hold this many bytes of records together. Encoding cuts their memory to a fifth.
const GATHERED_LEN: usize = 96 << 20;

impl Builder {
    /// Creates a builder without records.
    ///
    /// # Errors
    /// Fails when the schema is invalid.
    pub fn new(schema: &Schema) -> Result<Builder, SchemaError> {
        schema.check()?;
        Ok(Builder {
            schema: schema.clone(),
            threads: 1,
            open: None,
            parts: Vec::new(),
            rows: RowsByKey::default(),
            loose: Vec::new(),
            gathered: 0,
            tables: Vec::new(),
            state: State::default(),
        })
    }

    /// Sets the number of encoding threads; 0 counts as 1, which is the default.
    ///
    /// The snapshot's bytes do not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Builder {
        self.threads = threads.max(1);
        self
    }

    /// Sets the embedding tables: one per model, in schema order, empty for a model that needs none.
    ///
    /// # Errors
    /// Fails when a table cannot be read.
    pub fn with_tables(mut self, tables: Vec<Vec<u8>>) -> Result<Builder, BuildError> {
        Embedders::with_tables(&self.schema, &tables).map_err(MergeError::from)?;
        self.tables = tables;
        Ok(self)
    }

    /// Gives a model of the schema with the embedder `static` its table, as [`StaticModel::encode`] writes it.
    ///
    /// The model takes the width, the id and the fingerprint of the table. Call this before you add records.
    ///
    /// [`StaticModel::encode`]: crate::embed::StaticModel::encode
    ///
    /// # Errors
    /// Fails when the schema has no such model, or the table is damaged.
    pub fn with_static_model(mut self, name: &str, table: Vec<u8>) -> Result<Builder, BuildError> {
        let wrong = |reason: &str| {
            SchemaError::from(SchemaFault::BadModel { model: name.to_owned(), reason: reason.to_owned() })
        };
        let place = self.schema.model(name).filter(|(_, model)| model.embedder == Some(EmbedderKind::Static));
        let (place, model) =
            place.ok_or_else(|| wrong("a table of token vectors is for the embedder static"))?;
        let damaged = |_| wrong("this is not a static model, or it is damaged");
        let view = StaticModelView::parse(&table).map_err(damaged)?;
        view.verify().map_err(damaged)?;
        let model = with_static_model(model.clone(), &view);
        self.schema = self.schema.with_model(name, model)?;
        self.tables.resize(self.schema.models().len(), Vec::new());
        self.tables[place] = table;
        Ok(self)
    }

    /// Returns the first model whose embedder is `static` and that has no table.
    pub fn missing_static_model(&self) -> Option<&str> {
        let has_table = |place: usize| self.tables.get(place).is_some_and(|table| !table.is_empty());
        let mut models = self.schema.models().enumerate();
        let missing = models
            .find(|(place, (_, model))| model.embedder == Some(EmbedderKind::Static) && !has_table(*place));
        missing.map(|(_, (name, _))| name)
    }

    /// Adds a record and replaces an earlier record with the same key.
    ///
    /// For each model that has an embedder, the builder embeds the record unless the record brings its own vector.
    ///
    /// # Errors
    /// Fails when the record does not fit the schema or exceeds a limit. The record is left out, and the builder stays
    /// usable.
    pub fn add(&mut self, record: &Record) -> Result<(), BuildError> {
        let embedders = Embedders::with_tables(&self.schema, &self.tables).map_err(MergeError::from)?;
        let vectors = embedders.vectors(&self.schema, record);
        let open = self.open();
        open.add_with(record, &vectors)?;
        if open.text_len() >= BATCH_LEN {
            self.close()?;
        }
        Ok(())
    }

    fn open(&mut self) -> &mut BatchWriter {
        self.open
            .get_or_insert_with(|| Box::new(BatchWriter::new(&self.schema).expect("the schema was checked")))
    }

    /// Adds a vector that arrives without its record.
    ///
    /// `line` holds the key of the record, `vector`, and `model` if the schema has several models. If several lines name
    /// the same record and model, the last line wins, whether the record comes before or after it. A line for a record
    /// that never comes has no effect.
    ///
    /// # Errors
    /// Fails when the line has no vector that a model accepts. The line is left out and the builder stays usable.
    pub fn add_vector(&mut self, line: &Record) -> Result<(), BuildError> {
        Ok(self.open().add_vector(line)?)
    }

    /// Returns the schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Removes the record with this key, if there is one.
    pub fn remove(&mut self, key: Key) {
        self.open().remove(key);
    }

    /// Takes a line that is not a record; [`State::take_line`] lists the accepted lines.
    ///
    /// # Errors
    /// Fails when a field is missing or has the wrong type. The line is left out and the builder stays usable.
    pub fn take_line(&mut self, what: &str, line: &Json) -> Result<(), LineError> {
        self.state.take_line(what, line, Stamp::BASE)
    }

    /// Merges state that was collected elsewhere; it counts as newer than all state taken before.
    pub fn merge_state(&mut self, state: &State) {
        self.state.merge(state);
    }

    /// Appends records that were collected elsewhere, perhaps on another thread. They count as newer than all others.
    ///
    /// # Errors
    /// Fails when the records exceed the limits of one snapshot.
    pub fn push(&mut self, batch: Batch) -> Result<(), BuildError> {
        self.close()?;
        self.take(batch)
    }

    /// Counts the vectors whose record never came, among the batches that were pushed.
    ///
    /// A record that came and was removed later does not count as missing.
    pub fn stray_vectors(&self) -> usize {
        self.loose.iter().filter(|loose| self.find(loose.key()).is_none()).count()
    }

    /// Returns the snapshot's bytes.
    ///
    /// # Errors
    /// Fails when the records exceed the limits of one snapshot.
    pub fn finish(self) -> Result<Vec<u8>, BuildError> {
        Ok(snapshot::encode(&self.finish_sections()?))
    }

    /// Returns the snapshot's sections for [`snapshot::write`], so that a large snapshot is held in memory only once.
    ///
    /// # Errors
    /// Fails when the records exceed the limits of one snapshot.
    pub fn finish_sections(mut self) -> Result<Vec<(SectionKind, Vec<u8>)>, BuildError> {
        self.close()?;
        let mut sections = merge_sections(&self.schema, &self.sources(), &self.loose_rows(), self.threads)?;
        if self.tables.iter().any(|table| !table.is_empty()) {
            sections.push((SectionKind::Embedders, encode_tables(&self.tables)));
        }
        if self.state.is_known() {
            sections.push((SectionKind::State, self.state.encode(Stamps::Left)));
        }
        Ok(sections)
    }

    fn sources(&self) -> Vec<MergeSource<'_>> {
        self.parts.iter().map(BuilderPart::source).collect::<Vec<_>>()
    }

    fn loose_rows(&self) -> Vec<LooseRow<'_>> {
        let mut rows = Vec::new();
        for loose in &self.loose {
            if let Some(at) = self.find(loose.key()) {
                rows.push(LooseRow { model: loose.model, at, vector: &loose.vector });
            }
        }
        rows
    }

    fn close(&mut self) -> Result<(), BuildError> {
        match self.open.take() {
            Some(open) if !open.is_empty() => self.take(open.finish()),
            _ => Ok(()),
        }
    }

    fn take(&mut self, mut batch: Batch) -> Result<(), BuildError> {
        self.settle_widths(&batch)?;
        for loose in batch.take_loose() {
            self.settle_width(loose.model, loose.vector.len(), loose.key())?;
            self.loose.push(loose);
        }
        for key in batch.removed() {
            self.kill(key);
        }
        let part = u32::try_from(self.parts.len()).expect("fewer than 2^32 parts fit into memory");
        self.gathered += batch.text_len();
        let rows = (0..batch.len()).filter(|&row| !batch.is_dead(row)).collect::<Vec<_>>();
        self.parts.push(BuilderPart::Batch(Box::new(batch)));
        for row in rows {
            self.place(RowRef { part, row: u32::try_from(row).expect("a batch has fewer than 2^32 rows") });
        }
        if self.gathered >= GATHERED_LEN {
            self.encode_gathered()?;
        }
        Ok(())
    }

    /// Fixes the width of each model's vectors, or checks that the batch's vectors have the width fixed before.
    fn settle_widths(&mut self, batch: &Batch) -> Result<(), BuildError> {
        let models = self.schema.models().len();
        for model in 0..models {
            if let Some((found, key)) = batch.width(model) {
                self.settle_width(model, found, key)?;
            }
        }
        Ok(())
    }

    fn settle_width(&mut self, model: usize, found: usize, key: Key) -> Result<(), BuildError> {
        if self.schema.settle_width(model, found) {
            return Ok(());
        }
        let (name, known) = self.schema.models().nth(model).expect("the model index comes from the schema");
        let error = VectorError::OtherWidth { found, expected: known.width.unwrap_or(0) };
        let (id, model) = (key.id.to_owned(), name.to_owned());
        Err(BatchError::from(BatchFault::Vector { id, model, error }).into())
    }

    /// Stores where the record with this key is now, and writes a tombstone for the record it replaces.
    fn place(&mut self, at: RowRef) {
        let own = key_of(&self.parts, at);
        if let Some(replaced) = self.rows.replace(own, at, &|other| key_of(&self.parts, other) == own) {
            self.parts[replaced.part as usize].kill(replaced.row);
        }
    }

    fn kill(&mut self, key: Key) {
        if let Some(at) = self.find(key) {
            self.parts[at.part as usize].kill(at.row);
        }
    }

    /// Finds the last record with this key, even if it is dead.
    fn find(&self, key: Key) -> Option<RowRef> {
        self.rows.find(key, &|at| key_of(&self.parts, at) == key)
    }

    /// Encodes all batches that are not encoded yet into one segment.
    fn encode_gathered(&mut self) -> Result<(), BuildError> {
        let first = self.parts.iter().position(|part| matches!(part, BuilderPart::Batch(_))).unwrap_or(0);
        let bytes = merge(&self.schema, &self.sources()[first..], self.threads)?;
        let segment = Segment::open(bytes).map_err(MergeError::from)?;
        self.parts.truncate(first);
        self.gathered = 0;
        let documents = segment.documents();
        self.parts.push(BuilderPart::Segment(Box::new(segment), Bitmap::none(documents as usize)));
        // The merged rows have new numbers; rows of earlier parts keep theirs.
        let part = u32::try_from(first).expect("fewer than 2^32 parts fit into memory");
        self.rows.retain(&|at| at.part < part);
        (0..documents).for_each(|row| self.place(RowRef { part, row }));
        Ok(())
    }
}

fn key_of(parts: &[BuilderPart], at: RowRef) -> Key<'_> {
    parts[at.part as usize].key(at.row)
}

impl BuilderPart {
    fn source(&self) -> MergeSource<'_> {
        match self {
            BuilderPart::Batch(batch) => MergeSource::Batch(batch),
            BuilderPart::Segment(segment, dead) => MergeSource::Segment(segment, dead),
        }
    }

    fn key(&self, row: u32) -> Key<'_> {
        match self {
            BuilderPart::Batch(batch) => batch.key(row as usize),
            BuilderPart::Segment(segment, _) => {
                let keys = segment.keys().and_then(|keys| Ok(keys.get(row as usize)?));
                keys.expect("a segment that was just written can be read")
            }
        }
    }

    fn kill(&mut self, row: u32) {
        match self {
            BuilderPart::Batch(batch) => batch.kill(row as usize),
            BuilderPart::Segment(_, dead) => {
                dead.insert(row as usize);
            }
        }
    }
}
