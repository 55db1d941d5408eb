//! How do records become a segment, and several segments one?
//!
//! A segment is the encoded form of consecutive records: what a snapshot holds, and what a write at run time adds. Records
//! are gathered in a [`Batch`]; [`merge()`] makes one segment of any number of batches and segments. Its bytes
//! depend on the live records and the schema alone, however the records were divided.

mod batch;
mod embedders;
mod loose;
mod merge;
mod rows;
#[cfg(not(target_arch = "wasm32"))]
mod threads;
#[cfg(target_arch = "wasm32")]
#[path = "no_threads.rs"]
mod threads;
mod vectors;

pub use batch::{Batch, BatchError, BatchFault, BatchWriter, MAX_RECORD_LEN};
pub use embedders::{Embedders, encode_tables};
pub use loose::LooseRow;
pub(crate) use loose::LooseVector;
pub use merge::{MAX_TEXT, MergeError, MergeFault, Source, merge, merge_sections};
pub(crate) use rows::{RowRef, Rows};

use crate::attributes::{self, ColumnView};
use crate::document::{DocumentsView, Key, KeysView, Outside, Record};
use crate::ids::FieldId;
use crate::inverted::{Cursor, LengthsView, ListRef, PostingLists, Shape, TermsView, TermsWalk, shapes};
use crate::json::Json;
use crate::schema::{Schema, VectorModel};
use crate::snapshot::{SectionKind, Snapshot, SnapshotError, SnapshotFault};
use crate::state::State;
use crate::vector::{self, RowsView};
use crate::wire::Malformed;
use std::sync::OnceLock;

/// An encoded segment, open for reading.
#[derive(Debug)]
pub struct Segment {
    snapshot: Snapshot,
    schema: Schema,
    documents: u32,
    /// Where the documents are, if not in the file.
    outside: Option<Outside>,
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
        let schema = Schema::parse(snapshot.section(SectionKind::Schema)?)
            .map_err(|error| SnapshotFault::Schema { reason: error.to_string() })?;
        schema.check()?;
        let table = snapshot.section(SectionKind::DocumentTable)?;
        let stored = DocumentsView::parse(table, &[])?;
        let documents = u32::try_from(stored.len()).map_err(|_| Malformed("the table of documents"))?;
        let outside = outside(&snapshot, stored.block_count())?;
        Ok(Segment {
            snapshot,
            schema,
            documents,
            outside,
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

    /// Its bytes without vectors and what makes them: these have no offsets into each other to keep small.
    pub fn text_len(&self) -> usize {
        let is_text =
            |kind| !matches!(kind, SectionKind::Vectors | SectionKind::Embedders | SectionKind::State);
        self.snapshot
            .sections()
            .iter()
            .filter(|section| is_text(section.kind))
            .map(|section| section.range.len())
            .fold(self.outside.as_ref().map_or(0, Outside::len), usize::saturating_add)
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

    /// The lists of terms.
    ///
    /// # Errors
    /// When a section is damaged.
    pub fn lists(&self) -> Result<PostingLists<'_>, SnapshotError> {
        Ok(PostingLists { postings: self.postings()?, shapes: self.shapes()?, documents: self.documents })
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
        let shapes = shapes::parse(bytes, self.schema.field_count(), self.most_occurrences()?)?;
        Ok(self.shapes.get_or_init(|| shapes))
    }

    /// No term occurs more often in one document, whatever the file says.
    fn most_occurrences(&self) -> Result<usize, SnapshotError> {
        let most_text = self.stored()?.most_text();
        // How long a file is that is not here is only a claim; but each position takes a bit of the postings.
        let bits = || Ok::<_, SnapshotError>(self.postings()?.len().saturating_mul(8).max(1));
        if self.outside.is_some() { Ok(most_text.min(bits()?)) } else { Ok(most_text) }
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

    /// The stored documents: the only way to them. Who wants several calls [`DocumentsView::require`] first, so that what
    /// is in another file and not at hand is asked for at once.
    ///
    /// # Errors
    /// When a section is damaged.
    pub fn stored(&self) -> Result<DocumentsView<'_>, SnapshotError> {
        let table = self.snapshot.section(SectionKind::DocumentTable)?;
        Ok(match &self.outside {
            Some(outside) => DocumentsView::parse_outside(table, outside)?,
            None => DocumentsView::parse(table, self.snapshot.section(SectionKind::Documents)?)?,
        })
    }

    /// Where its documents are; none where they are in its file.
    pub fn outside(&self) -> Option<&Outside> {
        self.outside.as_ref()
    }

    /// The same, to attach a source to it.
    pub fn outside_mut(&mut self) -> Option<&mut Outside> {
        self.outside.as_mut()
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

    /// The vectors, in the order of the schema's models.
    ///
    /// # Errors
    /// When the section is damaged, or does not fit the schema.
    pub fn vectors(&self) -> Result<Vec<RowsView<'_>>, SnapshotError> {
        if self.schema.models().len() == 0 {
            return Ok(Vec::new());
        }
        let rows = vector::parse(self.snapshot.section(SectionKind::Vectors)?, self.documents as usize)?;
        let fits = |rows: &RowsView, model: &VectorModel| {
            (rows.encoding(), rows.metric(), rows.width()) == (model.encoding, model.metric, model.width)
        };
        let fit = rows.iter().zip(self.schema.models()).all(|(rows, (_, model))| fits(rows, model));
        if fit && rows.len() == self.schema.models().len() {
            Ok(rows)
        } else {
            Err(Malformed("the table of vectors").into())
        }
    }

    /// What it embeds texts with by itself.
    ///
    /// # Errors
    /// When the section is damaged, or does not fit the schema.
    pub fn embedders(&self) -> Result<Embedders<'_>, SnapshotError> {
        Ok(Embedders::parse(&self.schema, self.snapshot.optional_section(SectionKind::Embedders)?)?)
    }

    /// Links, sessions, uses, feedback, changed fields.
    ///
    /// # Errors
    /// When the section is damaged.
    pub fn state(&self) -> Result<State, SnapshotError> {
        match self.snapshot.optional_section(SectionKind::State)? {
            Some(bytes) => Ok(State::parse(bytes)?),
            None => Ok(State::default()),
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
        self.verify_lists()?;
        self.columns()?;
        self.embedders()?.verify()?;
        self.state()?;
        for rows in self.vectors()? {
            rows.verify(self.documents as usize)?;
        }
        match self.forms()? {
            Some(forms) if self.schema.keeps_forms() => verify_order(forms.walk(), &mut |_| Ok(()))?,
            None if !self.schema.keeps_forms() => {}
            _ => return Err(Malformed("the dictionary of forms").into()),
        }
        self.verify_documents()
    }

    /// Reads every list to its end: positions lie in their fields, and there are as many as the lengths say.
    fn verify_lists(&self) -> Result<(), SnapshotError> {
        let (lists, lengths) = (self.lists()?, self.field_lengths()?);
        let mut list_end = 0;
        let mut tokens = 0;
        let mut positions = Vec::new();
        verify_order(self.terms()?.walk(), &mut |list| {
            list_end = list.at as usize + list.len as usize;
            let mut cursor = lists.cursor(list)?;
            while cursor.doc() != Cursor::END {
                positions.clear();
                cursor.positions(&mut positions)?;
                tokens += positions.len() as u64;
                for (field, length) in (0..).map(FieldId).zip(lengths.of_document(cursor.doc() as usize)) {
                    if positions.iter().any(|spot| spot.field() == field && spot.position() >= length) {
                        return Err(Malformed("a posting list"));
                    }
                }
                cursor.advance()?;
            }
            Ok(())
        })?;
        let all = (0..lengths.field_count()).map(|field| lengths.total_of_field(field));
        if !lengths.adds_up() || all.fold(0, u64::saturating_add) != tokens {
            return Err(Malformed("the table of lengths").into());
        }
        if list_end == lists.postings.len() { Ok(()) } else { Err(Malformed("the postings").into()) }
    }

    /// Reads every document: it is the record that the keys say, and found by its key.
    fn verify_documents(&self) -> Result<(), SnapshotError> {
        let keys = self.keys()?;
        let mut count = 0;
        let mut seen: Result<(), SnapshotError> = Ok(());
        let stored = self.stored()?;
        stored.require_all()?;
        stored.each_from(0, |document, text| {
            seen = verify_key(&keys, document, text);
            count += usize::from(document == count);
            seen.is_ok()
        })?;
        seen?;
        if count == self.documents as usize {
            Ok(())
        } else {
            Err(Malformed("the table of documents").into())
        }
    }
}

fn outside(snapshot: &Snapshot, blocks: usize) -> Result<Option<Outside>, SnapshotError> {
    let has = |kind| snapshot.sections().iter().any(|section| section.kind == kind);
    match snapshot.optional_section(SectionKind::DocumentFiles)? {
        // Changes are small, and have their documents with them.
        Some(_) if has(SectionKind::Documents) || has(SectionKind::Removed) => {
            Err(Malformed("the list of document files").into())
        }
        Some(section) => Ok(Some(Outside::parse(section, blocks)?)),
        None => Ok(None),
    }
}

fn verify_key(keys: &KeysView, document: usize, text: &[u8]) -> Result<(), SnapshotError> {
    let (record, key) = (parse_record(text)?, keys.get(document)?);
    let is_own = key == Key { id: record.id(), kind: record.kind() };
    let is_found = keys.find(key)? == Some(document);
    if is_own && is_found { Ok(()) } else { Err(Malformed("the table of ids").into()) }
}

/// Reads a dictionary to its end, and calls `each` with every list.
fn verify_order(
    mut walk: TermsWalk,
    each: &mut dyn FnMut(ListRef) -> Result<(), Malformed>,
) -> Result<(), SnapshotError> {
    let mut last: Option<Vec<u8>> = None;
    while walk.advance()? {
        if last.as_deref().is_some_and(|last| last >= walk.term()) {
            return Err(Malformed("the dictionary").into());
        }
        each(walk.list())?;
        last = Some(walk.term().to_vec());
    }
    Ok(())
}

pub(crate) fn parse_record(text: &[u8]) -> Result<Record, SnapshotError> {
    let malformed = Malformed("a stored document");
    let json = Json::parse(text).map_err(|_| malformed)?;
    Ok(Record::from_json(json).map_err(|_| malformed)?)
}
