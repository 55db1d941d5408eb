//! How do records become a segment, and several segments one?
//!
//! A segment is the encoded form of consecutive records. A snapshot holds one, and every write at run time adds one.
//! Records are collected in a [`Batch`]; [`merge()`] makes one segment of any number of batches and segments. Its
//! bytes depend only on the live records and the schema, however the records were divided.

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
pub use embedders::{Embedders, encode_tables, with_static_model};
pub use loose::LooseRow;
pub(crate) use loose::LooseVector;
pub use merge::{MAX_TEXT, MergeError, MergeFault, MergeSource, merge, merge_sections};
pub(crate) use rows::{RowRef, RowsByKey};

use crate::attributes::{self, ColumnView};
use crate::bytes::Bytes;
use crate::codes::Codes;
use crate::document::{DocumentsView, Key, KeysView, Record, SeparateBlocks, TableFormat};
use crate::ids::FieldId;
use crate::inverted::{
    Cursor, LengthsView, ListRef, PostingLists, Shape, TermEntries, TermsView, TotalLengths, shapes,
};
use crate::json::Json;
use crate::schema::{Schema, VectorModel};
use crate::snapshot::{FORMAT_WITHOUT_HEAD, SectionKind, Snapshot, SnapshotError, SnapshotFault};
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
    /// The separate files that hold the documents; `None` if the segment's own file holds them.
    outside: Option<SeparateBlocks>,
    shapes: OnceLock<Vec<Shape>>,
    lengths: OnceLock<Vec<u32>>,
    columns_are_ordered: OnceLock<bool>,
}

impl Segment {
    /// Opens the bytes that [`merge()`] wrote. The cost does not depend on their length.
    ///
    /// # Errors
    /// Fails when the bytes are not a snapshot, or when its schema is invalid.
    pub fn open(bytes: Vec<u8>) -> Result<Segment, SnapshotError> {
        Segment::of(Snapshot::open(bytes)?)
    }

    /// Opens a file of which only the head is in memory; see [`Snapshot::open_in_pieces`].
    ///
    /// # Errors
    /// Fails when the bytes are not the head of a snapshot, or when its schema is invalid.
    pub fn open_in_pieces(head: Vec<u8>) -> Result<Segment, SnapshotError> {
        Segment::of(Snapshot::open_in_pieces(head)?)
    }

    fn of(snapshot: Snapshot) -> Result<Segment, SnapshotError> {
        let schema = Schema::parse(snapshot.section(SectionKind::Schema)?)
            .map_err(|error| SnapshotFault::Schema { reason: error.to_string() })?;
        schema.check()?;
        let table = snapshot.section(SectionKind::DocumentTable)?;
        let stored = DocumentsView::parse_as(table_format(&snapshot), table, Bytes::Whole(&[]))?;
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

    /// Returns the number of documents, live or dead.
    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// Returns the schema.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// Returns the file.
    pub fn snapshot(&self) -> &Snapshot {
        &self.snapshot
    }

    /// Returns the file, for adding pieces of it.
    pub fn snapshot_mut(&mut self) -> &mut Snapshot {
        &mut self.snapshot
    }

    /// Returns whether only pieces of the file are in memory.
    pub fn is_in_pieces(&self) -> bool {
        self.snapshot.pieces().is_some()
    }

    fn has_format_1(&self) -> bool {
        self.snapshot.format() == FORMAT_WITHOUT_HEAD
    }

    /// Returns the file's length in bytes, without vectors, embedders and state.
    ///
    /// Those sections do not contribute to the 32-bit offsets that limit the size of a segment.
    pub fn text_len(&self) -> usize {
        let is_text =
            |kind| !matches!(kind, SectionKind::Vectors | SectionKind::Embedders | SectionKind::State);
        self.snapshot
            .sections()
            .iter()
            .filter(|section| is_text(section.kind))
            .map(|section| section.range.len())
            .fold(self.outside.as_ref().map_or(0, SeparateBlocks::len), usize::saturating_add)
    }

    /// Returns the dictionary.
    ///
    /// # Errors
    /// Fails when the section is damaged, as do all methods below that read a section.
    pub fn terms(&self) -> Result<TermsView<'_>, SnapshotError> {
        let blocks = self.snapshot.bytes(SectionKind::Terms)?;
        if self.has_format_1() {
            return Ok(TermsView::parse_format_1(blocks.all()?)?);
        }
        let index = self.snapshot.section(SectionKind::TermIndex)?;
        Ok(TermsView::parse(index, blocks, TermEntries::WithPositions)?)
    }

    /// Returns the dictionary of unstemmed words, or `None` if the schema does not keep them.
    ///
    /// # Errors
    /// Fails when the section is damaged.
    pub fn forms(&self) -> Result<Option<TermsView<'_>>, SnapshotError> {
        let Some(blocks) = self.snapshot.optional_bytes(SectionKind::Forms)? else { return Ok(None) };
        if self.has_format_1() {
            return Ok(Some(TermsView::parse_format_1(blocks.all()?)?));
        }
        let index = self.snapshot.section(SectionKind::FormIndex)?;
        Ok(Some(TermsView::parse(index, blocks, TermEntries::WithoutPositions)?))
    }

    /// Returns the posting lists.
    ///
    /// # Errors
    /// Fails when a section is damaged.
    pub fn lists(&self) -> Result<PostingLists<'_>, SnapshotError> {
        let postings = self.snapshot.bytes(SectionKind::Postings)?;
        let positions = match self.has_format_1() {
            true => None,
            false => Some(self.snapshot.bytes(SectionKind::Positions)?),
        };
        Ok(PostingLists { postings, positions, shapes: self.shapes()?, documents: self.documents })
    }

    /// Returns the shapes by number.
    ///
    /// # Errors
    /// Fails when the section is damaged.
    pub fn shapes(&self) -> Result<&[Shape], SnapshotError> {
        if let Some(shapes) = self.shapes.get() {
            return Ok(shapes);
        }
        let bytes = self.snapshot.section(SectionKind::Shapes)?;
        let shapes = shapes::parse(bytes, self.schema.field_count(), self.most_occurrences()?)?;
        Ok(self.shapes.get_or_init(|| shapes))
    }

    /// Returns an upper bound for the occurrences of a term in one document, which a forged file cannot raise.
    fn most_occurrences(&self) -> Result<usize, SnapshotError> {
        let most_text = self.stored()?.most_text();
        if self.outside.is_none() {
            return Ok(most_text);
        }
        // The length of a separate file is only a claim. Each position, however, takes at least one bit of this section.
        let kind = if self.has_format_1() { SectionKind::Postings } else { SectionKind::Positions };
        Ok(most_text.min(self.snapshot.bytes(kind)?.len().saturating_mul(8).max(1)))
    }

    /// Returns the number of tokens of each document per field.
    ///
    /// # Errors
    /// Fails when the section is damaged or was written for other documents.
    pub fn field_lengths(&self) -> Result<LengthsView<'_>, SnapshotError> {
        let view = LengthsView::parse(self.snapshot.section(SectionKind::Lengths)?)?;
        let fits =
            view.documents() == self.documents as usize && view.field_count() == self.schema.field_count();
        if fits { Ok(view) } else { Err(Malformed("the table of lengths").into()) }
    }

    /// Returns the number of tokens of each document in all fields together.
    ///
    /// # Errors
    /// Fails when the section is damaged.
    pub fn lengths(&self) -> Result<&[u32], SnapshotError> {
        if let Some(lengths) = self.lengths.get() {
            return Ok(lengths);
        }
        let lengths = match self.total_lengths()? {
            Some(totals) => totals.lengths(),
            None => self.field_lengths()?.totals(),
        };
        Ok(self.lengths.get_or_init(|| lengths))
    }

    /// Returns the number of tokens of all documents.
    ///
    /// # Errors
    /// Fails when the section is damaged.
    pub fn tokens(&self) -> Result<u64, SnapshotError> {
        if let Some(totals) = self.total_lengths()? {
            return Ok(totals.tokens());
        }
        let lengths = self.field_lengths()?;
        let tokens = (0..lengths.field_count()).map(|field| lengths.total_of_field(field));
        Ok(tokens.fold(0, u64::saturating_add))
    }

    /// Returns the lengths over all fields, or `None` in format 1.
    fn total_lengths(&self) -> Result<Option<TotalLengths<'_>>, SnapshotError> {
        if self.has_format_1() {
            return Ok(None);
        }
        let totals = TotalLengths::parse(self.snapshot.section(SectionKind::TotalLengths)?)?;
        let fits = totals.documents() == self.documents as usize;
        if fits { Ok(Some(totals)) } else { Err(Malformed("the table of lengths").into()) }
    }

    /// Returns the ids and kinds.
    ///
    /// # Errors
    /// Fails when the section is damaged or was written for other documents.
    pub fn keys(&self) -> Result<KeysView<'_>, SnapshotError> {
        let keys = KeysView::parse(self.snapshot.section(SectionKind::Keys)?)?;
        if keys.len() == self.documents as usize {
            Ok(keys)
        } else {
            Err(Malformed("the table of ids").into())
        }
    }

    /// Returns whether the file holds changes to a snapshot instead of a snapshot.
    pub fn is_changes(&self) -> bool {
        self.snapshot.sections().iter().any(|section| section.kind == SectionKind::Removed)
    }

    /// Returns the stored documents; all access to them goes through this view.
    ///
    /// Before reading several documents, call [`DocumentsView::require`], so that all blocks that are in separate files
    /// and not loaded are requested at once.
    ///
    /// # Errors
    /// Fails when a section is damaged.
    pub fn stored(&self) -> Result<DocumentsView<'_>, SnapshotError> {
        let table = self.snapshot.section(SectionKind::DocumentTable)?;
        let format = table_format(&self.snapshot);
        Ok(match &self.outside {
            Some(outside) => DocumentsView::parse_outside(format, table, outside)?,
            None => DocumentsView::parse_as(format, table, self.snapshot.bytes(SectionKind::Documents)?)?,
        })
    }

    /// Returns the separate files that hold the documents, or `None` if the segment's own file holds them.
    pub fn outside(&self) -> Option<&SeparateBlocks> {
        self.outside.as_ref()
    }

    /// Returns the separate files that hold the documents, for attaching a source.
    pub fn outside_mut(&mut self) -> Option<&mut SeparateBlocks> {
        self.outside.as_mut()
    }

    /// Returns the attribute columns, in the schema's order.
    ///
    /// # Errors
    /// Fails when the section is damaged or does not fit the schema.
    pub fn columns(&self) -> Result<Vec<ColumnView<'_>>, SnapshotError> {
        let bytes = self.snapshot.section(SectionKind::Attributes)?;
        let columns = match self.has_format_1() {
            true => attributes::parse_format_1(bytes, self.documents as usize)?,
            false => attributes::parse(bytes, self.documents as usize)?,
        };
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

    /// Returns the codes of a `keyword` column without its strings; `None` in format 1, which stores them together.
    ///
    /// # Errors
    /// Fails when the section is damaged, or the attribute is not a keyword.
    pub fn keyword_codes(&self, attribute: usize) -> Result<Option<Codes<'_>>, SnapshotError> {
        if self.has_format_1() {
            return Ok(None);
        }
        let bytes = self.snapshot.bytes(SectionKind::Attributes)?;
        Ok(Some(attributes::keyword_codes(bytes, self.schema.attributes().len(), attribute)?))
    }

    /// Returns the vectors, in the order of the schema's models.
    ///
    /// # Errors
    /// Fails when the section is damaged or does not fit the schema.
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

    /// Returns the embedders that the snapshot contains.
    ///
    /// # Errors
    /// Fails when the section is damaged or does not fit the schema.
    pub fn embedders(&self) -> Result<Embedders<'_>, SnapshotError> {
        Ok(Embedders::parse(&self.schema, self.snapshot.optional_section(SectionKind::Embedders)?)?)
    }

    /// Returns the state: links, sessions, uses, feedback and changed fields.
    ///
    /// # Errors
    /// Fails when the section is damaged.
    pub fn state(&self) -> Result<State, SnapshotError> {
        match self.snapshot.optional_section(SectionKind::State)? {
            Some(bytes) => Ok(State::parse(bytes)?),
            None => Ok(State::default()),
        }
    }

    /// Reads a stored document.
    ///
    /// # Errors
    /// Fails when its block is damaged or `document` is out of range.
    pub fn record(&self, document: u32) -> Result<Record, SnapshotError> {
        parse_record(self.stored()?.reader().get(document as usize)?)
    }

    /// Checks all checksums, and reads every part to its end.
    ///
    /// # Errors
    /// Fails when something is damaged.
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
            Some(forms) if self.schema.keeps_forms() => verify_order(forms, &mut |_| Ok(()))?,
            None if !self.schema.keeps_forms() => {}
            _ => return Err(Malformed("the dictionary of forms").into()),
        }
        self.verify_documents()
    }

    /// Reads every posting list to its end, and checks that positions lie in their fields and match the lengths.
    fn verify_lists(&self) -> Result<(), SnapshotError> {
        let (lists, lengths) = (self.lists()?, self.field_lengths()?);
        let (mut list_end, mut positions_end) = (0, 0);
        let mut tokens = 0;
        let mut positions = Vec::new();
        verify_order(self.terms()?, &mut |list| {
            list_end = list.at as usize + list.len as usize;
            positions_end = list.positions_at as usize + list.positions_len as usize;
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
        let is_sum = all.fold(0, u64::saturating_add) == tokens && self.tokens()? == tokens;
        if !is_sum || !lengths.adds_up() || self.lengths()? != lengths.totals() {
            return Err(Malformed("the table of lengths").into());
        }
        let ends_with_lists = list_end == lists.postings.len()
            && lists.positions.is_none_or(|positions| positions_end == positions.len());
        if ends_with_lists { Ok(()) } else { Err(Malformed("the postings").into()) }
    }

    /// Reads every document, and checks that it has the key in the key table and is found by it.
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

fn table_format(snapshot: &Snapshot) -> TableFormat {
    if snapshot.format() == FORMAT_WITHOUT_HEAD { TableFormat::Plain } else { TableFormat::Packed }
}

fn outside(snapshot: &Snapshot, blocks: usize) -> Result<Option<SeparateBlocks>, SnapshotError> {
    let has = |kind| snapshot.sections().iter().any(|section| section.kind == kind);
    match snapshot.optional_section(SectionKind::DocumentFiles)? {
        // Changes are small and contain their documents.
        Some(_) if has(SectionKind::Documents) || has(SectionKind::Removed) => {
            Err(Malformed("the list of document files").into())
        }
        Some(section) => Ok(Some(SeparateBlocks::parse(section, blocks)?)),
        None => Ok(None),
    }
}

fn verify_key(keys: &KeysView, document: usize, text: &[u8]) -> Result<(), SnapshotError> {
    let (record, key) = (parse_record(text)?, keys.get(document)?);
    let is_own = key == Key { id: record.id(), kind: record.kind() };
    let is_found = keys.find(key)? == Some(document);
    if is_own && is_found { Ok(()) } else { Err(Malformed("the table of ids").into()) }
}

/// Reads a dictionary to its end, checks its order and its index, and calls `each` with every list.
fn verify_order(
    terms: TermsView,
    each: &mut dyn FnMut(ListRef) -> Result<(), Malformed>,
) -> Result<(), SnapshotError> {
    terms.verify_index()?;
    let mut walk = terms.walk();
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
