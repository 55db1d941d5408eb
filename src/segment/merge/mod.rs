//! How do any number of batches and segments become one segment?

mod documents;
mod forms;
mod terms;

use self::documents::merge_documents;
use self::forms::merge_forms;
use self::terms::{TermEncoder, merge_shapes};
use super::Segment;
use super::batch::Batch;
use super::loose::LooseRow;
use super::vectors::merge_vectors;
use crate::attributes::{self, ColumnView, ColumnWriter};
use crate::bitmap::Bitmap;
use crate::bm25::{self, Totals};
use crate::document::{KeysWriter, MAX_KINDS, StoreError};
use crate::ids::FieldSet;
use crate::inverted::{LengthsWriter, Renumbering, renumber, shapes};
use crate::json::text_of;
use crate::schema::Schema;
use crate::snapshot::{self, SectionKind, SnapshotError};
use crate::vector::VectorError;
use crate::wire::{Malformed, len32};

/// The largest total length of a segment's records, in bytes of JSON. It keeps each section below 4 GiB.
pub const MAX_TEXT: usize = 2 << 30;

/// A boxed [`MergeFault`].
pub type MergeError = Box<MergeFault>;

/// The reasons why sources cannot be merged into one segment.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeFault {
    /// The records are too long for one segment.
    #[error("the records have more than {MAX_TEXT} bytes; build several snapshots")]
    TooMuchText,
    /// The sources have too many different kinds together.
    #[error(
        "the records have more than {MAX_KINDS} different kinds; use fewer kinds or build several snapshots"
    )]
    TooManyKinds,
    /// The vectors of a model cannot be combined.
    #[error("the vectors of \"{model}\" cannot be combined: {error}")]
    Vectors {
        /// The model.
        model: String,
        /// The difference between them.
        error: VectorError,
    },
    /// A segment cannot be read.
    #[error(transparent)]
    Snapshot(SnapshotError),
}

boxed_from!(MergeFault: Snapshot(SnapshotError));

impl From<StoreError> for MergeError {
    #[cold]
    fn from(error: StoreError) -> MergeError {
        SnapshotError::from(error).into()
    }
}

impl From<Malformed> for MergeError {
    #[cold]
    fn from(error: Malformed) -> MergeError {
        SnapshotError::from(error).into()
    }
}

/// A source of a merge: consecutive rows, some of them dead.
#[derive(Clone, Copy, Debug)]
pub enum MergeSource<'a> {
    /// Rows that are not encoded yet.
    Batch(&'a Batch),
    /// Rows of a segment, with its tombstones.
    Segment(&'a Segment, &'a Bitmap),
}

impl MergeSource<'_> {
    pub(super) fn dead(&self) -> &Bitmap {
        match self {
            MergeSource::Batch(batch) => &batch.dead,
            MergeSource::Segment(_, dead) => dead,
        }
    }
}

/// Merges the live rows of all sources, in order, into one segment.
///
/// `threads` above 1 has an effect only natively; the bytes do not depend on it.
///
/// # Errors
/// Fails when a segment among the sources is damaged, or when the records exceed the limits of one segment.
pub fn merge(schema: &Schema, sources: &[MergeSource], threads: usize) -> Result<Vec<u8>, MergeError> {
    Ok(snapshot::encode(&merge_sections(schema, sources, &[], threads)?))
}

/// Merges sources as [`merge`] does, and returns the sections, for a file that also has others.
///
/// `loose` holds vectors that arrived without their records. If a row has several, the last one wins.
///
/// # Errors
/// Fails as [`merge`] does.
pub fn merge_sections(
    schema: &Schema,
    sources: &[MergeSource],
    loose: &[LooseRow],
    threads: usize,
) -> Result<Vec<(SectionKind, Vec<u8>)>, MergeError> {
    let text_len = sources.iter().map(|source| match source {
        MergeSource::Batch(batch) => batch.text_len(),
        MergeSource::Segment(segment, _) => segment.text_len(),
    });
    if text_len.fold(0usize, usize::saturating_add) > MAX_TEXT {
        return Err(MergeFault::TooMuchText.into());
    }
    // Check for missing documents before the work starts: a caller that lacks some must call again.
    for source in sources {
        if let MergeSource::Segment(segment, _) = source {
            segment.snapshot().require_all()?;
            segment.stored()?.require_all()?;
        }
    }
    let numbers = renumberings(sources);
    let documents = numbers.iter().map(|(live, _)| *live as usize).sum();
    let rows = SourceRows { sources, numbers: &numbers };
    let (field_lengths, lengths) = merge_lengths(schema, sources)?;
    let (shapes, shape_numbers) = merge_shapes(sources)?;
    let weights = schema.bound_weights();
    let plan = TermEncoder {
        rows,
        shape_numbers: &shape_numbers,
        shapes: &shapes,
        frequencies: shapes.iter().map(|shape| shape.frequency(FieldSet::ALL, &weights)).collect::<Vec<_>>(),
        norms: norms(&lengths),
    };
    let dictionary = plan.encode_terms(threads)?;
    let (document_table, document_blocks) = merge_documents(sources)?;
    let (schema, vectors) = merge_vectors(schema, sources, loose, &numbers, documents)?;
    let mut parts = Vec::new();
    let mut put = |kind, bytes| parts.push((kind, bytes));
    put(SectionKind::Schema, text_of(&schema).into_bytes());
    put(SectionKind::Keys, merge_keys(sources)?);
    put(SectionKind::DocumentTable, document_table);
    put(SectionKind::Attributes, merge_attributes(&schema, sources, documents)?);
    put(SectionKind::TotalLengths, field_lengths.totals(documents));
    put(SectionKind::Lengths, field_lengths.finish(documents));
    put(SectionKind::Shapes, shapes::encode(&shapes));
    put(SectionKind::TermIndex, dictionary.index);
    put(SectionKind::Terms, dictionary.blocks);
    put(SectionKind::Postings, dictionary.postings);
    put(SectionKind::Positions, dictionary.positions);
    if schema.keeps_forms() {
        let (index, blocks) = merge_forms(&schema, sources)?;
        put(SectionKind::FormIndex, index);
        put(SectionKind::Forms, blocks);
    }
    if let Some(vectors) = vectors {
        put(SectionKind::Vectors, vectors);
    }
    put(SectionKind::Documents, document_blocks);
    Ok(parts)
}

/// For each source: the number of its live rows, and their new numbers.
type RowNumbers = Vec<(u32, NewNumbers)>;

#[derive(Debug)]
pub(super) enum NewNumbers {
    From(u32),
    Each(Vec<Option<u32>>),
}

impl NewNumbers {
    /// Returns the new number of a row, or `None` if the row is dead.
    pub(super) fn of(&self, row: u32) -> Option<u32> {
        match self {
            NewNumbers::From(first) => Some(first + row),
            NewNumbers::Each(numbers) => numbers.get(row as usize).copied().flatten(),
        }
    }
}

fn renumberings(sources: &[MergeSource]) -> RowNumbers {
    let mut first = 0;
    let number = |source: &MergeSource| {
        let dead = source.dead();
        let live = len32(dead.len() - dead.count());
        let numbers = if live as usize == dead.len() {
            NewNumbers::From(first)
        } else {
            NewNumbers::Each(renumber(dead, first))
        };
        first += live;
        (live, numbers)
    };
    sources.iter().map(number).collect::<Vec<_>>()
}

#[derive(Clone, Copy)]
struct SourceRows<'a> {
    sources: &'a [MergeSource<'a>],
    numbers: &'a RowNumbers,
}

impl<'a> SourceRows<'a> {
    fn renumbering(&self, source: usize) -> Renumbering<'a> {
        match &self.numbers[source].1 {
            NewNumbers::From(first) => Renumbering::From(*first),
            NewNumbers::Each(numbers) => Renumbering::Each(numbers),
        }
    }
}

fn live_rows(dead: &Bitmap) -> impl Iterator<Item = usize> {
    (0..dead.len()).filter(|&row| !dead.has(row))
}

/// Merges the lengths per field, and returns also the total length of each document, in tokens.
fn merge_lengths(schema: &Schema, sources: &[MergeSource]) -> Result<(LengthsWriter, Vec<u32>), MergeError> {
    let field_count = schema.field_count();
    let mut writer = LengthsWriter::new(field_count);
    let mut totals = Vec::new();
    let mut push = |lengths: &[u32]| {
        writer.push(lengths.iter().copied());
        totals.push(lengths.iter().fold(0, |sum: u32, &length| sum.saturating_add(length)));
    };
    for source in sources {
        match source {
            MergeSource::Batch(batch) => {
                live_rows(&batch.dead)
                    .for_each(|row| push(&batch.lengths[row * field_count..][..field_count]));
            }
            MergeSource::Segment(segment, dead) => {
                let view = segment.field_lengths()?;
                live_rows(dead).for_each(|row| push(&view.of_document(row).collect::<Vec<_>>()));
            }
        }
    }
    Ok((writer, totals))
}

/// Returns for each document the length term of bm25, relative to the average length of these documents.
fn norms(lengths: &[u32]) -> Vec<f64> {
    let tokens = lengths.iter().map(|&length| u64::from(length)).sum();
    let average_length = Totals { rows: lengths.len() as u64, tokens }.average_length();
    lengths.iter().map(|&length| bm25::norm(length, average_length)).collect::<Vec<_>>()
}

fn merge_keys(sources: &[MergeSource]) -> Result<Vec<u8>, MergeError> {
    let mut writer = KeysWriter::default();
    for source in sources {
        let view = match source {
            MergeSource::Batch(_) => None,
            MergeSource::Segment(segment, _) => Some(segment.keys()?),
        };
        for row in live_rows(source.dead()) {
            let key = match (source, &view) {
                (MergeSource::Batch(batch), _) => batch.keys.get(row),
                (_, Some(view)) => view.get(row)?,
                (MergeSource::Segment(..), None) => unreachable!("a segment's keys were read"),
            };
            if !writer.push(key) {
                return Err(MergeFault::TooManyKinds.into());
            }
        }
    }
    Ok(writer.finish())
}

fn merge_attributes(
    schema: &Schema,
    sources: &[MergeSource],
    documents: usize,
) -> Result<Vec<u8>, MergeError> {
    let mut writers = schema.attributes().map(|(_, kind)| ColumnWriter::new(kind)).collect::<Vec<_>>();
    for source in sources {
        let views: Vec<ColumnView> = match source {
            MergeSource::Batch(_) => Vec::new(),
            MergeSource::Segment(segment, _) => segment.columns()?,
        };
        for (i, writer) in writers.iter_mut().enumerate() {
            for row in live_rows(source.dead()) {
                match source {
                    MergeSource::Batch(batch) => writer.push_from_writer(&batch.columns[i], row),
                    MergeSource::Segment(..) => writer.push_from(&views[i], row),
                }
            }
        }
    }
    Ok(attributes::encode(&writers, documents))
}
