//! The write path: records in, one snapshot out. Wiring only.

use crate::bitmap::Bitmap;
use crate::document::{Key, Record};
use crate::json::Json;
use crate::schema::{Schema, SchemaError};
use crate::segment::{
    Batch, BatchError, BatchFault, BatchWriter, Embedders, LooseRow, LooseVector, MergeError, RowRef, Rows,
    Segment, Source, encode_tables, merge, merge_sections,
};
use crate::snapshot::{self, SectionKind};
use crate::state::{LineError, Stamp, Stamps, State};
use crate::vector::VectorError;

/// Why a snapshot cannot be built.
pub type BuildError = Box<BuildFault>;

/// What keeps a snapshot from being built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildFault {
    /// The schema cannot be used.
    #[error(transparent)]
    Schema(SchemaError),
    /// A record cannot be taken.
    #[error(transparent)]
    Record(BatchError),
    /// There is too much for one snapshot.
    #[error(transparent)]
    Merge(MergeError),
}

boxed_from!(BuildFault: Schema(SchemaError), Record(BatchError), Merge(MergeError));

/// Builds a snapshot.
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
    /// Made when it is first needed: by then it is known how wide vectors are.
    open: Option<Box<BatchWriter>>,
    parts: Vec<Part>,
    /// Where the last record with each key is.
    rows: Rows,
    /// Vectors that came by themselves: whose they are is known when all is there.
    loose: Vec<LooseVector>,
    gathered: usize,
    tables: Vec<Vec<u8>>,
    state: State,
}

/// What was gathered: as a batch at first, encoded once there is much of it.
#[derive(Debug)]
enum Part {
    Batch(Box<Batch>),
    Segment(Box<Segment>, Bitmap),
}

/// A batch is closed at this many bytes of records.
const BATCH_LEN: usize = 16 << 20;
/// Batches are encoded at this many bytes of records together: an encoded segment takes a fifth of their memory.
const GATHERED_LEN: usize = 96 << 20;

impl Builder {
    /// A builder without records.
    ///
    /// # Errors
    /// When the schema cannot be used.
    pub fn new(schema: &Schema) -> Result<Builder, SchemaError> {
        schema.check()?;
        Ok(Builder {
            schema: schema.clone(),
            threads: 1,
            open: None,
            parts: Vec::new(),
            rows: Rows::default(),
            loose: Vec::new(),
            gathered: 0,
            tables: Vec::new(),
            state: State::default(),
        })
    }

    /// The same builder, using this many threads to encode. The snapshot does not depend on it.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Builder {
        self.threads = threads.max(1);
        self
    }

    /// The same builder, with the tables that models embed with: one a model, empty where it needs none.
    ///
    /// # Errors
    /// When a table cannot be read.
    pub fn with_tables(mut self, tables: Vec<Vec<u8>>) -> Result<Builder, BuildError> {
        Embedders::with_tables(&self.schema, &tables).map_err(MergeError::from)?;
        self.tables = tables;
        Ok(self)
    }

    /// Adds a record; one with the same key is replaced. Where a model has an embedder and the record no vector, it gets
    /// one.
    ///
    /// # Errors
    /// When the record does not fit the schema or a limit. It is left out; the builder can go on.
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

    /// Takes a vector that comes by itself: a line with the key of a record, and `vector`, and `model` where there are
    /// several. Of the lines for one record and model the last one counts, wherever the record stands; a line for a
    /// record that is not there does nothing.
    ///
    /// # Errors
    /// When the line has no vector that a model can take. It is left out; the builder can go on.
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

    /// Takes a line that is no record; [`State::take_line`] says what it may be.
    ///
    /// # Errors
    /// When a field is missing or of the wrong type. It is left out; the builder can go on.
    pub fn take_line(&mut self, what: &str, line: &Json) -> Result<(), LineError> {
        self.state.take_line(what, line, Stamp::BASE)
    }

    /// Takes what was gathered elsewhere beside records, after all that came before.
    pub fn merge_state(&mut self, state: &State) {
        self.state.merge(state);
    }

    /// Adds records that were gathered elsewhere, perhaps on another thread, after all others.
    ///
    /// # Errors
    /// When there is too much for one snapshot.
    pub fn push(&mut self, batch: Batch) -> Result<(), BuildError> {
        self.close()?;
        self.take(batch)
    }

    /// How many vectors came by themselves for records that never came, in batches that were pushed; a record that was removed
    /// did come.
    pub fn stray_vectors(&self) -> usize {
        self.loose.iter().filter(|loose| self.find(loose.key()).is_none()).count()
    }

    /// The snapshot's bytes.
    ///
    /// # Errors
    /// When there is too much for one snapshot.
    pub fn finish(self) -> Result<Vec<u8>, BuildError> {
        Ok(snapshot::encode(&self.finish_sections()?))
    }

    /// The snapshot's sections, for [`snapshot::write`]: a large snapshot then stands in memory once.
    ///
    /// # Errors
    /// When there is too much for one snapshot.
    pub fn finish_sections(mut self) -> Result<Vec<(SectionKind, Vec<u8>)>, BuildError> {
        self.close()?;
        let mut sections = merge_sections(&self.schema, &self.sources(), &self.loose_rows(), self.threads)?;
        if self.tables.iter().any(|table| !table.is_empty()) {
            snapshot::insert(&mut sections, SectionKind::Embedders, encode_tables(&self.tables));
        }
        if self.state.is_known() {
            snapshot::insert(&mut sections, SectionKind::State, self.state.encode(Stamps::Left));
        }
        Ok(sections)
    }

    fn sources(&self) -> Vec<Source<'_>> {
        self.parts.iter().map(Part::source).collect::<Vec<_>>()
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
        let part = u32::try_from(self.parts.len()).expect("few batches");
        self.gathered += batch.text_len();
        let rows = (0..batch.len()).filter(|&row| !batch.is_dead(row)).collect::<Vec<_>>();
        self.parts.push(Part::Batch(Box::new(batch)));
        for row in rows {
            self.place(RowRef { part, row: u32::try_from(row).expect("a batch has few rows") });
        }
        if self.gathered >= GATHERED_LEN {
            self.encode_gathered()?;
        }
        Ok(())
    }

    /// Notes how wide the vectors are; those of a batch are as wide as all before them.
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
        let (name, known) = self.schema.models().nth(model).expect("it is one of the models");
        let error = VectorError::OtherWidth { found, expected: known.width.unwrap_or(0) };
        let (id, model) = (key.id.to_owned(), name.to_owned());
        Err(BatchError::from(BatchFault::Vector { id, model, error }).into())
    }

    /// Notes where the record with this key is now, and marks the one it replaces.
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

    /// Where the last record with this key is, live or not.
    fn find(&self, key: Key) -> Option<RowRef> {
        self.rows.find(key, &|at| key_of(&self.parts, at) == key)
    }

    /// Encodes the batches there are to one segment.
    fn encode_gathered(&mut self) -> Result<(), BuildError> {
        let first = self.parts.iter().position(|part| matches!(part, Part::Batch(_))).unwrap_or(0);
        let bytes = merge(&self.schema, &self.sources()[first..], self.threads)?;
        let segment = Segment::open(bytes).map_err(MergeError::from)?;
        self.parts.truncate(first);
        self.gathered = 0;
        let documents = segment.documents();
        self.parts.push(Part::Segment(Box::new(segment), Bitmap::none(documents as usize)));
        // Rows have new numbers; what came before keeps its own.
        let part = u32::try_from(first).expect("few parts");
        self.rows.retain(&|at| at.part < part);
        (0..documents).for_each(|row| self.place(RowRef { part, row }));
        Ok(())
    }
}

fn key_of(parts: &[Part], at: RowRef) -> Key<'_> {
    parts[at.part as usize].key(at.row)
}

impl Part {
    fn source(&self) -> Source<'_> {
        match self {
            Part::Batch(batch) => Source::Batch(batch),
            Part::Segment(segment, dead) => Source::Segment(segment, dead),
        }
    }

    fn key(&self, row: u32) -> Key<'_> {
        match self {
            Part::Batch(batch) => batch.key(row as usize),
            Part::Segment(segment, _) => {
                let keys = segment.keys().and_then(|keys| Ok(keys.get(row as usize)?));
                keys.expect("a segment that was just written can be read")
            }
        }
    }

    fn kill(&mut self, row: u32) {
        match self {
            Part::Batch(batch) => batch.kill(row as usize),
            Part::Segment(_, dead) => {
                dead.insert(row as usize);
            }
        }
    }
}
