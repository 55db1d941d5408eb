//! Any number of batches and segments become one segment.

mod documents;
mod forms;
mod terms;

use self::documents::merge_documents;
use self::forms::merge_forms;
use self::terms::{Plan, merge_shapes};
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

/// A segment takes at most this many bytes of records, as JSON: its parts then stay below 4 GiB.
pub const MAX_TEXT: usize = 2 << 30;

/// Why sources cannot become one segment.
pub type MergeError = Box<MergeFault>;

/// What keeps sources from becoming one segment.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeFault {
    /// There is too much text for one segment.
    #[error("the records have more than {MAX_TEXT} bytes; build several snapshots")]
    TooMuchText,
    /// The sources have too many kinds together.
    #[error("the records have more than {MAX_KINDS} kinds")]
    TooManyKinds,
    /// The vectors of a model do not fit each other.
    #[error("the vectors of \"{model}\" are not alike: {error}")]
    Vectors {
        /// The model.
        model: String,
        /// What differs.
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

/// What a segment is made of: consecutive rows, some of them dead.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// Rows that were gathered.
    Batch(&'a Batch),
    /// Rows of a segment, and which of them are dead.
    Segment(&'a Segment, &'a Bitmap),
}

impl Source<'_> {
    pub(super) fn dead(&self) -> &Bitmap {
        match self {
            Source::Batch(batch) => &batch.dead,
            Source::Segment(_, dead) => dead,
        }
    }
}

/// The bytes of one segment with the live rows of all sources, in order.
///
/// `threads` may be more than one natively; the bytes do not depend on it.
///
/// # Errors
/// When a segment among the sources is damaged, or there is too much for one segment.
pub fn merge(schema: &Schema, sources: &[Source], threads: usize) -> Result<Vec<u8>, MergeError> {
    Ok(snapshot::encode(&merge_sections(schema, sources, &[], threads)?))
}

/// The sections of such a segment, for a file that has others too, with vectors that came by themselves: of several for a
/// row the last one.
///
/// # Errors
/// As [`merge`].
pub fn merge_sections(
    schema: &Schema,
    sources: &[Source],
    loose: &[LooseRow],
    threads: usize,
) -> Result<Vec<(SectionKind, Vec<u8>)>, MergeError> {
    let text_len = sources.iter().map(|source| match source {
        Source::Batch(batch) => batch.text_len(),
        Source::Segment(segment, _) => segment.text_len(),
    });
    if text_len.fold(0usize, usize::saturating_add) > MAX_TEXT {
        return Err(MergeFault::TooMuchText.into());
    }
    // Before the work: who lacks documents will have to call again.
    for source in sources {
        if let Source::Segment(segment, _) = source {
            segment.stored()?.require_all()?;
        }
    }
    let numbers = renumberings(sources);
    let documents = numbers.iter().map(|(live, _)| *live as usize).sum();
    let rows = Rows { sources, numbers: &numbers };
    let (field_lengths, lengths) = merge_lengths(schema, sources)?;
    let (shapes, shape_numbers) = merge_shapes(sources)?;
    let weights = schema.bound_weights();
    let plan = Plan {
        rows,
        shape_numbers: &shape_numbers,
        shapes: &shapes,
        frequencies: shapes.iter().map(|shape| shape.frequency(FieldSet::ALL, &weights)).collect::<Vec<_>>(),
        norms: norms(&lengths),
    };
    let (terms, postings) = plan.encode_terms(threads)?;
    let (document_table, document_blocks) = merge_documents(sources)?;
    let (schema, vectors) = merge_vectors(schema, sources, loose, &numbers, documents)?;
    let mut parts = Vec::new();
    let mut put = |kind, bytes| parts.push((kind, bytes));
    put(SectionKind::Schema, text_of(&schema).into_bytes());
    put(SectionKind::Keys, merge_keys(sources)?);
    put(SectionKind::DocumentTable, document_table);
    put(SectionKind::Attributes, merge_attributes(&schema, sources, documents)?);
    put(SectionKind::Lengths, field_lengths.finish(documents));
    put(SectionKind::Shapes, shapes::encode(&shapes));
    put(SectionKind::Terms, terms);
    put(SectionKind::Postings, postings);
    if schema.keeps_forms() {
        put(SectionKind::Forms, merge_forms(&schema, sources)?);
    }
    if let Some(vectors) = vectors {
        put(SectionKind::Vectors, vectors);
    }
    // Last, so that a reader who wants the index alone can stop before it.
    put(SectionKind::Documents, document_blocks);
    Ok(parts)
}

/// For each source: how many of its rows are live, and their new numbers where some are dead.
type Numbers = Vec<(u32, NewNumbers)>;

#[derive(Debug)]
pub(super) enum NewNumbers {
    From(u32),
    Each(Vec<Option<u32>>),
}

impl NewNumbers {
    /// The new number of a row; none where it is dead.
    pub(super) fn of(&self, row: u32) -> Option<u32> {
        match self {
            NewNumbers::From(first) => Some(first + row),
            NewNumbers::Each(numbers) => numbers.get(row as usize).copied().flatten(),
        }
    }
}

fn renumberings(sources: &[Source]) -> Numbers {
    let mut first = 0;
    let number = |source: &Source| {
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
struct Rows<'a> {
    sources: &'a [Source<'a>],
    numbers: &'a Numbers,
}

impl<'a> Rows<'a> {
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

/// The table of lengths by field, and the length of each document over all fields.
fn merge_lengths(schema: &Schema, sources: &[Source]) -> Result<(LengthsWriter, Vec<u32>), MergeError> {
    let field_count = schema.field_count();
    let mut writer = LengthsWriter::new(field_count);
    let mut totals = Vec::new();
    let mut push = |lengths: &[u32]| {
        writer.push(lengths.iter().copied());
        totals.push(lengths.iter().fold(0, |sum: u32, &length| sum.saturating_add(length)));
    };
    for source in sources {
        match source {
            Source::Batch(batch) => {
                live_rows(&batch.dead)
                    .for_each(|row| push(&batch.lengths[row * field_count..][..field_count]));
            }
            Source::Segment(segment, dead) => {
                let view = segment.field_lengths()?;
                live_rows(dead).for_each(|row| push(&view.of_document(row).collect::<Vec<_>>()));
            }
        }
    }
    Ok((writer, totals))
}

/// By document: what its length adds to bm25, among these documents alone.
fn norms(lengths: &[u32]) -> Vec<f64> {
    let tokens = lengths.iter().map(|&length| u64::from(length)).sum();
    let average_length = Totals { rows: lengths.len() as u64, tokens }.average_length();
    lengths.iter().map(|&length| bm25::norm(length, average_length)).collect::<Vec<_>>()
}

fn merge_keys(sources: &[Source]) -> Result<Vec<u8>, MergeError> {
    let mut writer = KeysWriter::default();
    for source in sources {
        let view = match source {
            Source::Batch(_) => None,
            Source::Segment(segment, _) => Some(segment.keys()?),
        };
        for row in live_rows(source.dead()) {
            let key = match (source, &view) {
                (Source::Batch(batch), _) => batch.keys.get(row),
                (_, Some(view)) => view.get(row)?,
                (Source::Segment(..), None) => unreachable!("a segment's keys were read"),
            };
            if !writer.push(key) {
                return Err(MergeFault::TooManyKinds.into());
            }
        }
    }
    Ok(writer.finish())
}

fn merge_attributes(schema: &Schema, sources: &[Source], documents: usize) -> Result<Vec<u8>, MergeError> {
    let mut writers = schema.attributes().map(|(_, kind)| ColumnWriter::new(kind)).collect::<Vec<_>>();
    for source in sources {
        let views: Vec<ColumnView> = match source {
            Source::Batch(_) => Vec::new(),
            Source::Segment(segment, _) => segment.columns()?,
        };
        for (i, writer) in writers.iter_mut().enumerate() {
            for row in live_rows(source.dead()) {
                match source {
                    Source::Batch(batch) => writer.push_from_writer(&batch.columns[i], row),
                    Source::Segment(..) => writer.push_from(&views[i], row),
                }
            }
        }
    }
    Ok(attributes::encode(&writers, documents))
}
