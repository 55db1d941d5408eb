//! How do records become a segment, and several segments one?
//!
//! A segment is the encoded form of consecutive records: what a snapshot holds, and what a write at run time adds. Records
//! are gathered in a [`Batch`]; [`merge()`] makes one segment of any number of batches and segments. Its bytes
//! depend on the live records and the schema alone, however the records were divided.

mod batch;
mod interner;
mod invert;
mod merge;

pub(crate) use batch::key_hash;
pub use batch::{Batch, BatchError, BatchWriter, MAX_RECORD_LEN};
pub use merge::{MAX_TEXT, MergeError, Source, merge, merge_sections};

use crate::attributes::{self, ColumnView};
use crate::document::{DocumentsView, KeysView, Record};
use crate::index::{LengthsView, Shape, TermsView, shapes};
use crate::json::Json;
use crate::schema::Schema;
use crate::snapshot::{SectionKind, Snapshot, SnapshotError};
use crate::wire::Malformed;
use std::sync::OnceLock;

/// An encoded segment, open for reading.
#[derive(Debug)]
pub struct Segment {
    snapshot: Snapshot,
    schema: Schema,
    documents: u32,
    shapes: OnceLock<Vec<Shape>>,
    lengths: OnceLock<Vec<u32>>,
    columns_are_ordered: OnceLock<bool>,
}

impl Segment {
    /// Opens the bytes that [`merge()`] wrote. Costs the same for any size.
    ///
    /// # Errors
    /// When the bytes are no snapshot, or the schema cannot be used.
    pub fn open(bytes: Vec<u8>) -> Result<Segment, SnapshotError> {
        let snapshot = Snapshot::open(bytes)?;
        let schema: Schema = serde_json::from_slice(snapshot.section(SectionKind::Schema)?)
            .map_err(|error| SnapshotError::Schema { reason: error.to_string() })?;
        schema.check()?;
        let table = snapshot.section(SectionKind::DocumentTable)?;
        let documents = DocumentsView::parse(table, &[])?.len();
        let documents = u32::try_from(documents).map_err(|_| Malformed("the table of documents"))?;
        Ok(Segment {
            snapshot,
            schema,
            documents,
            shapes: OnceLock::new(),
            lengths: OnceLock::new(),
            columns_are_ordered: OnceLock::new(),
        })
    }

    /// How many documents it holds, live or not.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// Its schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The file.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// The dictionary.
    ///
    /// # Errors
    /// When the section is damaged, as with every section below.
    pub fn terms(&self) -> Result<TermsView<'_>, SnapshotError> {
        Ok(TermsView::parse(self.snapshot.section(SectionKind::Terms)?)?)
    }

    /// The written forms; none where the schema does not keep them.
    ///
    /// # Errors
    /// When the section is damaged.
    pub fn forms(&self) -> Result<Option<TermsView<'_>>, SnapshotError> {
        match self.snapshot.optional_section(SectionKind::Forms)? {
            Some(bytes) => Ok(Some(TermsView::parse(bytes)?)),
            None => Ok(None),
        }
    }

    /// The postings' bytes.
    ///
    /// # Errors
    /// When the section is damaged.
    pub fn postings(&self) -> Result<&[u8], SnapshotError> {
        self.snapshot.section(SectionKind::Postings)
    }

    /// The shapes by number.
    ///
    /// # Errors
    /// When the section is damaged.
    pub fn shapes(&self) -> Result<&[Shape], SnapshotError> {
        if let Some(shapes) = self.shapes.get() {
            return Ok(shapes);
        }
        let bytes = self.snapshot.section(SectionKind::Shapes)?;
        let shapes = shapes::parse(bytes, self.schema.field_count(), self.stored()?.most_text())?;
        Ok(self.shapes.get_or_init(|| shapes))
    }

    /// The tokens of each document, field by field.
    ///
    /// # Errors
    /// When the section is damaged, or speaks of other documents.
    pub fn field_lengths(&self) -> Result<LengthsView<'_>, SnapshotError> {
        let view = LengthsView::parse(self.snapshot.section(SectionKind::Lengths)?)?;
        let fits =
            view.documents() == self.documents as usize && view.field_count() == self.schema.field_count();
        if fits { Ok(view) } else { Err(Malformed("the table of lengths").into()) }
    }

    /// The tokens of each document in all fields together.
    ///
    /// # Errors
    /// When the section is damaged.
    pub fn lengths(&self) -> Result<&[u32], SnapshotError> {
        if let Some(lengths) = self.lengths.get() {
            return Ok(lengths);
        }
        let totals = self.field_lengths()?.totals();
        Ok(self.lengths.get_or_init(|| totals))
    }

    /// The ids and kinds.
    ///
    /// # Errors
    /// When the section is damaged, or speaks of other documents.
    pub fn keys(&self) -> Result<KeysView<'_>, SnapshotError> {
        let keys = KeysView::parse(self.snapshot.section(SectionKind::Keys)?)?;
        if keys.len() == self.documents as usize {
            Ok(keys)
        } else {
            Err(Malformed("the table of ids").into())
        }
    }

    /// Whether it holds changes to a snapshot, and not a snapshot.
    pub fn is_changes(&self) -> bool {
        self.snapshot.sections().iter().any(|section| section.kind == SectionKind::Removed)
    }

    /// The stored documents.
    ///
    /// # Errors
    /// When a section is damaged.
    pub fn stored(&self) -> Result<DocumentsView<'_>, SnapshotError> {
        let table = self.snapshot.section(SectionKind::DocumentTable)?;
        Ok(DocumentsView::parse(table, self.snapshot.section(SectionKind::Documents)?)?)
    }

    /// The attributes, in the schema's order.
    ///
    /// # Errors
    /// When the section is damaged, or does not fit the schema.
    pub fn columns(&self) -> Result<Vec<ColumnView<'_>>, SnapshotError> {
        let bytes = self.snapshot.section(SectionKind::Attributes)?;
        let columns = attributes::parse(bytes, self.documents as usize)?;
        let kinds = columns.iter().map(ColumnView::kind);
        let are_ordered = || columns.iter().all(ColumnView::is_ordered);
        if kinds.eq(self.schema.attributes().map(|(_, kind)| kind))
            && *self.columns_are_ordered.get_or_init(are_ordered)
        {
            Ok(columns)
        } else {
            Err(Malformed("the table of attributes").into())
        }
    }

    /// A document, read back.
    ///
    /// # Errors
    /// When its block is damaged, or there is no such document.
    pub fn record(&self, document: u32) -> Result<Record, SnapshotError> {
        parse_record(self.stored()?.reader().get(document as usize)?)
    }

    /// Checks everything: checksums, and that every part can be read to its end.
    ///
    /// # Errors
    /// When something is damaged.
    pub fn verify(&self) -> Result<(), SnapshotError> {
        self.snapshot.verify()?;
        let mut list = crate::index::List::default();
        let mut walk = self.terms()?.walk();
        while walk.advance()? {
            list.clear();
            let mut cursor =
                crate::index::Cursor::new(self.postings()?, walk.list(), self.shapes()?, self.documents)?;
            cursor.drain_to(&mut list)?;
            if !list.documents.is_sorted_by(|a, b| a < b) {
                return Err(Malformed("a list of postings").into());
            }
        }
        if !self.field_lengths()?.adds_up() {
            return Err(Malformed("the table of lengths").into());
        }
        self.columns()?;
        if let Some(forms) = self.forms()? {
            let mut walk = forms.walk();
            while walk.advance()? {}
        }
        let keys = self.keys()?;
        for document in 0..keys.len() {
            let key = keys.get(document)?;
            if keys.find(key)? != Some(document) {
                return Err(Malformed("the table of ids").into());
            }
        }
        let mut seen = Ok(());
        self.stored()?.each_from(0, |_, text| {
            seen = parse_record(text).map(|_| ());
            seen.is_ok()
        })?;
        self.stored()?.verify()?;
        seen
    }
}

pub(crate) fn parse_record(text: &[u8]) -> Result<Record, SnapshotError> {
    let malformed = Malformed("a stored document");
    let json = Json::parse(text).map_err(|_| malformed)?;
    Ok(Record::from_json(json).map_err(|_| malformed)?)
}
