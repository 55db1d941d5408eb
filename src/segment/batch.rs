//! How do records become postings? A batch holds consecutive records that are inverted but not encoded.

use super::loose::LooseVector;
use super::rows::{RowRef, RowsByKey};
use super::vectors::rows_writers;
use crate::analysis::{Analyzer, Purpose};
use crate::attributes::{AttributeType, ColumnWriter};
use crate::bitmap::Bitmap;
use crate::document::{GROUP, Group, Key, KeysWriter, MAX_KINDS, Record, text_of};
use crate::inverted::{Interner, InvertedBatch};
use crate::json::Json;
use crate::schema::{Schema, SchemaError};
use crate::vector::{RowsView, RowsWriter, VectorError};
use crate::wire::len32;

/// The largest length of a record, in bytes of JSON.
pub const MAX_RECORD_LEN: usize = 16 << 20;

/// A boxed [`BatchFault`].
pub type BatchError = Box<BatchFault>;

/// The reasons why a record is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BatchFault {
    /// The record is too long.
    #[error("record \"{id}\" has {len} bytes; at most {MAX_RECORD_LEN} are allowed: split it")]
    TooLong {
        /// The record's id.
        id: String,
        /// The record's length, in bytes of JSON.
        len: usize,
    },
    /// An attribute's value has the wrong type.
    #[error("record \"{id}\": \"{attribute}\" is {found}, but the schema declares it as {}", .expected.name())]
    WrongType {
        /// The record's id.
        id: String,
        /// The attribute.
        attribute: String,
        /// The type of the value, with an article.
        found: &'static str,
        /// The type that the schema declares.
        expected: AttributeType,
    },
    /// A text field holds an object.
    #[error("record \"{id}\": \"{field}\" is an object, but the schema declares it as text")]
    NotText {
        /// The record's id.
        id: String,
        /// The field.
        field: String,
    },
    /// A vector is invalid.
    #[error("record \"{id}\": its vector for \"{model}\" cannot be used: {error}")]
    Vector {
        /// The record's id.
        id: String,
        /// The model.
        model: String,
        /// The reason why it is invalid.
        error: VectorError,
    },
    /// The value of a vector field is not a vector.
    #[error("record \"{id}\": \"{field}\" is {found}, but must be a vector: an array of numbers")]
    NotAVector {
        /// The record's id.
        id: String,
        /// The field.
        field: String,
        /// The type of the value, with an article.
        found: &'static str,
    },
    /// No model fits a vector that arrived without its record.
    #[error("the vector of \"{id}\" cannot be used: {reason}")]
    NoModel {
        /// The id of the record.
        id: String,
        /// The reason why no model fits.
        reason: String,
    },
    /// The record's kind exceeds the allowed number of kinds.
    #[error(
        "record \"{id}\" has a new kind, but at most {MAX_KINDS} different kinds are allowed; use fewer kinds"
    )]
    TooManyKinds {
        /// The record's id.
        id: String,
    },
}

/// Collects consecutive records in row order; [`BatchWriter::finish`] turns them into a [`Batch`].
#[derive(Debug)]
pub struct BatchWriter {
    analyzer: Analyzer,
    /// The names of the text fields.
    fields: Vec<String>,
    /// Maps each key to the last record with that key. All rows belong to one part.
    rows: RowsByKey,
    tokens: Vec<u32>,
    words: Words,
    batch: Batch,
}

/// Consecutive records in row order: their postings per term, and everything else a segment stores.
#[derive(Debug)]
pub struct Batch {
    schema: Schema,
    pub(super) keys: KeysWriter,
    pub(super) dead: Bitmap,
    removed: Vec<(String, String)>,
    pub(super) columns: Vec<ColumnWriter>,
    /// The vectors, one writer per model.
    pub(super) vectors: Vec<RowsWriter>,
    loose: Vec<LooseVector>,
    /// The number of tokens per document and field, all fields of a document together.
    pub(super) lengths: Vec<u32>,
    pub(super) groups: Vec<Group>,
    pub(super) tail: Vec<Vec<u8>>,
    pub(super) terms: Interner,
    pub(super) inverted: InvertedBatch,
    /// The unstemmed words with their counts, sorted; empty unless the schema keeps them.
    pub(super) forms: Vec<(Vec<u8>, u32)>,
    text_len: usize,
}

/// The term and form of each distinct word of the source text. Words recur, so each is folded and stemmed only once.
#[derive(Debug, Default)]
struct Words {
    surfaces: Interner,
    term_of: Vec<u32>,
    form_of: Vec<u32>,
    forms: Interner,
    form_counts: Vec<u32>,
}

impl BatchWriter {
    /// Creates a writer without records.
    ///
    /// # Errors
    /// Fails when the schema is invalid.
    pub fn new(schema: &Schema) -> Result<BatchWriter, SchemaError> {
        schema.check()?;
        Ok(BatchWriter {
            analyzer: schema.analyzer()?,
            fields: schema.field_names().into_iter().map(str::to_owned).collect::<Vec<_>>(),
            rows: RowsByKey::default(),
            tokens: Vec::new(),
            words: Words::default(),
            batch: Batch {
                keys: KeysWriter::default(),
                dead: Bitmap::none(0),
                removed: Vec::new(),
                columns: schema.attributes().map(|(_, kind)| ColumnWriter::new(kind)).collect::<Vec<_>>(),
                vectors: rows_writers(schema),
                loose: Vec::new(),
                lengths: Vec::new(),
                groups: Vec::new(),
                tail: Vec::new(),
                terms: Interner::default(),
                inverted: InvertedBatch::default(),
                forms: Vec::new(),
                text_len: 0,
                schema: schema.clone(),
            },
        })
    }

    /// Returns the number of added records, including replaced ones.
    pub fn len(&self) -> usize {
        self.batch.keys.len()
    }

    /// Returns whether nothing was added or removed.
    pub fn is_empty(&self) -> bool {
        let Batch { keys, removed, loose, .. } = &self.batch;
        keys.is_empty() && removed.is_empty() && loose.is_empty()
    }

    /// Returns the length of all records, in bytes of JSON.
    pub fn text_len(&self) -> usize {
        self.batch.text_len
    }

    /// Appends a record and replaces an earlier record with the same key in this batch.
    ///
    /// # Errors
    /// Fails when the record does not fit the schema or exceeds a limit. Nothing is appended in that case.
    pub fn add(&mut self, record: &Record) -> Result<(), BatchError> {
        self.add_with(record, &[])
    }

    /// Appends a record with given vectors, one per model. A vector in the record itself takes precedence.
    ///
    /// # Errors
    /// Fails as [`BatchWriter::add`] does.
    pub fn add_with(&mut self, record: &Record, vectors: &[Option<Vec<f32>>]) -> Result<(), BatchError> {
        let batch = &mut self.batch;
        let mut stored = Vec::new();
        batch.schema.stored_json(record).write(&mut stored);
        batch.check(record, stored.len())?;
        let vectors = batch.vectors_of(record, vectors)?;
        let key = Key { id: record.id(), kind: record.kind() };
        if !batch.keys.push(key) {
            return Err(BatchFault::TooManyKinds { id: record.id().to_owned() }.into());
        }
        batch.dead.push(false);
        let document = len32(batch.keys.len() - 1);
        for (rows, vector) in batch.vectors.iter_mut().zip(&vectors) {
            if let Some(vector) = vector {
                rows.push(document, vector).expect("the vector was checked");
            }
        }
        for ((name, _), column) in batch.schema.attributes().zip(&mut batch.columns) {
            assert!(column.push(record.json().get(name)), "the value was checked");
        }
        batch.text_len += stored.len();
        batch.store(stored);
        self.replace_row(self.len() - 1);
        for place in 0..self.fields.len() {
            let before = self.tokens.len();
            match record.json().get(&self.fields[place]) {
                // Tokenize a string, the common case, without copying it.
                Some(Json::String(text)) => self.tokenize(text),
                Some(other) => self.tokenize(&text_of(other).unwrap_or_default()),
                None => {}
            }
            self.batch.lengths.push(len32(self.tokens.len() - before));
        }
        Ok(())
    }

    /// Gives the record that was added last a copy of a stored vector. The copy has the same bits.
    ///
    /// # Errors
    /// When the model's other vectors have another width.
    pub(crate) fn keep_vector(
        &mut self,
        model: usize,
        rows: &RowsView,
        row: usize,
    ) -> Result<(), BatchError> {
        let batch = &mut self.batch;
        let document = batch.keys.len() - 1;
        batch.vectors[model].push_from(len32(document), rows, row).map_err(|error| {
            let id = batch.keys.get(document).id.to_owned();
            let name = batch.schema.models().nth(model).map_or("", |(name, _)| name);
            BatchFault::Vector { id, model: name.to_owned(), error }.into()
        })
    }

    /// Reads a vector on a line of its own, and returns it with the place of its model.
    ///
    /// # Errors
    /// As [`BatchWriter::add_vector`].
    pub fn vector_of(&self, line: &Record) -> Result<(usize, Vec<f32>), BatchError> {
        let loose = LooseVector::read(line, &self.batch)?;
        Ok((loose.model, loose.vector))
    }

    /// Adds a vector that arrives without its record.
    ///
    /// `line` holds the key of the record, `vector`, and `model` if the schema has several models. The vector replaces
    /// one that came with the record, whichever part the record is in.
    ///
    /// # Errors
    /// Fails when the line has no vector that a model accepts.
    pub fn add_vector(&mut self, line: &Record) -> Result<(), BatchError> {
        self.batch.loose.push(LooseVector::read(line, &self.batch)?);
        Ok(())
    }

    /// Removes the record with this key from this batch, and from everything the batch is added to.
    pub fn remove(&mut self, key: Key) {
        let batch = &mut self.batch;
        if let Some(at) = self.rows.find(key, &|at| batch.keys.get(at.row as usize) == key) {
            batch.dead.insert(at.row as usize);
        }
        batch.removed.push((key.id.to_owned(), key.kind.to_owned()));
    }

    /// Returns the batch of all added records.
    pub fn finish(self) -> Batch {
        let BatchWriter { tokens, words, mut batch, .. } = self;
        batch.inverted =
            InvertedBatch::of(&tokens, &batch.terms, &batch.lengths, batch.schema().field_count());
        if batch.schema.keeps_forms() {
            batch.forms = words.sorted_forms();
        }
        batch
    }

    fn replace_row(&mut self, row: usize) {
        let Batch { keys, dead, .. } = &mut self.batch;
        let key = keys.get(row);
        let at = RowRef { part: 0, row: len32(row) };
        if let Some(before) = self.rows.replace(key, at, &|other| keys.get(other.row as usize) == key) {
            dead.insert(before.row as usize);
        }
    }

    fn tokenize(&mut self, text: &str) {
        let BatchWriter { analyzer, words, tokens, batch, .. } = self;
        let keeps_forms = batch.schema.keeps_forms();
        let mut buffer = Vec::new();
        analyzer.spans(text, Purpose::Document, |span| {
            let surface = &text[span.start..span.end];
            let (word, is_new) = words.surfaces.intern(surface.as_bytes());
            if is_new {
                analyzer.fold(surface, &mut buffer);
                if keeps_forms {
                    words.form_of.push(words.forms.intern(&buffer).0);
                    words.form_counts.resize(words.forms.len(), 0);
                }
                analyzer.stem(&mut buffer);
                words.term_of.push(batch.terms.intern(&buffer).0);
            }
            if keeps_forms {
                words.form_counts[words.form_of[word as usize] as usize] += 1;
            }
            tokens.push(words.term_of[word as usize]);
        });
    }
}

impl Words {
    fn sorted_forms(&self) -> Vec<(Vec<u8>, u32)> {
        let order = self.forms.sorted().into_iter();
        order.map(|form| (self.forms.get(form).to_vec(), self.form_counts[form as usize])).collect::<Vec<_>>()
    }
}

impl Batch {
    /// Returns the schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the number of added records, including replaced ones.
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns whether no record was added.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the length of all records, in bytes of JSON.
    pub fn text_len(&self) -> usize {
        self.text_len
    }

    /// Returns the keys that were removed, whether before or after a record with that key was added.
    pub fn removed(&self) -> impl Iterator<Item = Key<'_>> {
        self.removed.iter().map(|(id, kind)| Key { id, kind })
    }

    /// Moves the vectors that arrived without their records out of the batch.
    pub(crate) fn take_loose(&mut self) -> Vec<LooseVector> {
        std::mem::take(&mut self.loose)
    }

    /// Returns the key of the record in a row of this batch.
    pub fn key(&self, row: usize) -> Key<'_> {
        self.keys.get(row)
    }

    /// Returns whether the record in this row was replaced or removed.
    pub fn is_dead(&self, row: usize) -> bool {
        self.dead.has(row)
    }

    /// Marks the record in this row as replaced or removed.
    pub fn kill(&mut self, row: usize) {
        self.dead.insert(row);
    }

    fn check(&self, record: &Record, len: usize) -> Result<(), BatchError> {
        let id = || record.id().to_owned();
        if len > MAX_RECORD_LEN {
            return Err(BatchFault::TooLong { id: id(), len }.into());
        }
        for name in self.schema.field_names() {
            if let Some(Json::Object(_)) = record.json().get(name) {
                return Err(BatchFault::NotText { id: id(), field: name.to_owned() }.into());
            }
        }
        for (name, expected) in self.schema.attributes() {
            let value = record.json().get(name);
            if !ColumnWriter::new(expected).push(value) {
                let found = value.map_or("nothing", Json::kind);
                return Err(
                    BatchFault::WrongType { id: id(), attribute: name.to_owned(), found, expected }.into()
                );
            }
        }
        Ok(())
    }

    fn store(&mut self, document: Vec<u8>) {
        self.tail.push(document);
        if self.tail.len() == GROUP {
            self.groups.push(Group::pack(self.tail.iter().map(Vec::as_slice)));
            self.tail.clear();
        }
    }
}
