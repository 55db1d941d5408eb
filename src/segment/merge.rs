//! Any number of batches and segments become one segment.

use super::batch::Batch;
use super::loose::LooseRow;
use super::threads::on_threads;
use super::vectors::merge_vectors;
use super::{Segment, parse_record};
use crate::analysis::Purpose;
use crate::attributes::{self, ColumnView, ColumnWriter};
use crate::bitmap::Bitmap;
use crate::bm25::{self, Totals};
use crate::document::{DocumentsView, DocumentsWriter, GROUP, Group, KeysWriter, MAX_KINDS, StoreError};
use crate::gather::Gather;
use crate::ids::FieldSet;
use crate::index::{
    Cursor, Interner, LengthsWriter, List, ListRef, Lists, Renumbering, Shape, ShapesWriter, TermsWalk,
    TermsWriter, postings, renumber, shapes,
};
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
        frequencies: shapes.iter().map(|shape| shape.frequency(FieldSet::ALL, &weights)).gather(),
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
    sources.iter().map(number).gather()
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
                live_rows(dead).for_each(|row| push(&view.of_document(row).gather()));
            }
        }
    }
    Ok((writer, totals))
}

/// By document: what its length adds to bm25, among these documents alone.
fn norms(lengths: &[u32]) -> Vec<f64> {
    let tokens = lengths.iter().map(|&length| u64::from(length)).sum();
    let average_length = Totals { rows: lengths.len() as u64, tokens }.average_length();
    lengths.iter().map(|&length| bm25::norm(length, average_length)).gather()
}

/// The shapes by final number, and for each source the final number of each of its own.
fn merge_shapes(sources: &[Source]) -> Result<(Vec<Shape>, Vec<Vec<u32>>), MergeError> {
    let mut writer = ShapesWriter::default();
    let mut provisional = Vec::with_capacity(sources.len());
    for source in sources {
        provisional.push(match source {
            Source::Batch(batch) => {
                let shapes = &batch.inverted.shapes;
                let uses = if batch.dead.count() > 0 {
                    &batch.inverted.live_uses(&batch.dead)
                } else {
                    shapes.uses()
                };
                writer.absorb(shapes.shapes(), uses)
            }
            Source::Segment(segment, dead) => writer.absorb(segment.shapes()?, &live_uses(segment, dead)?),
        });
    }
    let (shapes, numbers) = writer.finish();
    for of_source in &mut provisional {
        of_source.iter_mut().for_each(|number| *number = numbers[*number as usize]);
    }
    Ok((shapes, provisional))
}

fn live_uses(segment: &Segment, dead: &Bitmap) -> Result<Vec<u64>, MergeError> {
    let lists = segment.lists()?;
    let mut uses = vec![0; lists.shapes.len()];
    let mut walk = segment.terms()?.walk();
    while walk.advance()? {
        let mut cursor = lists.cursor(walk.list())?;
        loop {
            let (documents, shapes) = cursor.run_until(Cursor::END);
            for (&document, &shape) in documents.iter().zip(shapes) {
                uses[shape as usize] += u64::from(!dead.has(document as usize));
            }
            if !cursor.enter_next_block()? {
                break;
            }
        }
    }
    Ok(uses)
}

/// All that encoding a term's list takes.
struct Plan<'a> {
    rows: Rows<'a>,
    shape_numbers: &'a [Vec<u32>],
    shapes: &'a [Shape],
    /// By shape and by document: what a posting's worth is reckoned from.
    frequencies: Vec<f64>,
    norms: Vec<f64>,
}

/// The encoded terms of a part of the dictionary.
#[derive(Default)]
struct EncodedTerms {
    terms: Vec<(Vec<u8>, ListRef)>,
    postings: Vec<u8>,
}

impl Plan<'_> {
    fn encode_terms(&self, threads: usize) -> Result<(Vec<u8>, Vec<u8>), MergeError> {
        let cuts = if threads > 1 { self.cuts(8 * threads)? } else { Vec::new() };
        let mut bounds = vec![None];
        bounds.extend(cuts.into_iter().map(Some));
        bounds.push(None);
        let ranges = bounds.windows(2).map(|pair| (pair[0].as_deref(), pair[1].as_deref())).gather();
        let parts = on_threads(threads, ranges.len(), |i| self.encode_range(ranges[i]));
        let mut terms = TermsWriter::default();
        let mut postings = Vec::new();
        for part in parts {
            let part = part?;
            let base = len32(postings.len());
            if postings.is_empty() {
                postings = part.postings;
            } else {
                postings.extend_from_slice(&part.postings);
            }
            for (term, list) in part.terms {
                terms.push(&term, ListRef { at: base + list.at, ..list });
            }
        }
        Ok((terms.finish(), postings))
    }

    /// Terms that cut the dictionary into about `parts` ranges of like work, taken from the largest source.
    fn cuts(&self, parts: usize) -> Result<Vec<Vec<u8>>, MergeError> {
        let largest = self.rows.sources.iter().max_by_key(|source| source.dead().len());
        let mut cuts = match largest {
            None => Vec::new(),
            Some(Source::Batch(batch)) => {
                let inverted = &batch.inverted;
                let all = inverted.postings_before(inverted.order.len());
                let place = |part: usize| inverted.place_after(all * part / parts);
                let term =
                    |place: usize| inverted.order.get(place).map(|&term| batch.terms.get(term).to_vec());
                (1..parts).filter_map(|part| term(place(part))).gather()
            }
            // Where each list stands is not known without a walk; ranges of like many terms will do.
            Some(Source::Segment(segment, _)) => {
                let terms = segment.terms()?;
                let mut cuts = Vec::new();
                for part in 1..parts {
                    cuts.extend(terms.nth(terms.len() * part / parts)?.map(|(term, _)| term));
                }
                cuts
            }
        };
        cuts.dedup();
        Ok(cuts)
    }

    fn encode_range(
        &self,
        (from, until): (Option<&[u8]>, Option<&[u8]>),
    ) -> Result<EncodedTerms, MergeError> {
        let from = from.unwrap_or(&[]);
        let mut streams = Vec::with_capacity(self.rows.sources.len());
        for (place, source) in self.rows.sources.iter().enumerate() {
            streams.push((place, Stream::new(source, from)?));
        }
        let mut encoded = EncodedTerms::default();
        let mut list = List::default();
        let mut scratch = List::default();
        loop {
            let least = streams.iter().filter_map(|(_, stream)| stream.term()).min();
            let Some(term) = least.filter(|term| until.is_none_or(|until| *term < until)) else { break };
            let term = term.to_vec();
            list.clear();
            for (place, stream) in &mut streams {
                if stream.term() == Some(&term) {
                    let renumbering = self.rows.renumbering(*place);
                    stream.take(renumbering, &self.shape_numbers[*place], &mut list, &mut scratch)?;
                }
            }
            // All its documents may be dead.
            if !list.documents.is_empty() {
                let worth = |shape: u32, document: u32| {
                    bm25::saturation(self.frequencies[shape as usize], self.norms[document as usize])
                };
                let at = postings::encode(&list, self.shapes, worth, &mut encoded.postings);
                encoded.terms.push((term, at));
            }
        }
        Ok(encoded)
    }
}

/// The terms of one source in order, from some term on.
enum Stream<'a> {
    Batch { batch: &'a Batch, place: usize },
    Segment { lists: Lists<'a>, walk: TermsWalk<'a>, is_done: bool },
}

impl<'a> Stream<'a> {
    fn new(source: &Source<'a>, from: &[u8]) -> Result<Stream<'a>, MergeError> {
        Ok(match *source {
            Source::Batch(batch) => {
                let place = batch.inverted.order.partition_point(|&term| batch.terms.get(term) < from);
                Stream::Batch { batch, place }
            }
            Source::Segment(segment, _) => {
                let mut walk = segment.terms()?.walk_from(from)?;
                let is_done = !walk.advance()?;
                Stream::Segment { lists: segment.lists()?, walk, is_done }
            }
        })
    }

    fn term(&self) -> Option<&[u8]> {
        match self {
            Stream::Batch { batch, place } => {
                batch.inverted.order.get(*place).map(|&term| batch.terms.get(term))
            }
            Stream::Segment { walk, is_done, .. } => (!is_done).then(|| walk.term()),
        }
    }

    /// Appends the term's live postings to `list`, and moves to the next term.
    fn take(
        &mut self,
        renumbering: Renumbering,
        shapes: &[u32],
        list: &mut List,
        scratch: &mut List,
    ) -> Result<(), MergeError> {
        match self {
            Stream::Batch { batch, place } => {
                batch.inverted.append_to(*place, renumbering, shapes, list);
                *place += 1;
            }
            Stream::Segment { lists, walk, is_done } => {
                scratch.clear();
                lists.cursor(walk.list())?.drain_to(scratch)?;
                let total = |shape: u32| lists.shapes[shape as usize].total() as usize;
                renumbering.append(
                    &scratch.documents,
                    &scratch.shapes,
                    &scratch.positions,
                    total,
                    shapes,
                    list,
                );
                *is_done = !walk.advance()?;
            }
        }
        Ok(())
    }
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
    let mut writers = schema.attributes().map(|(_, kind)| ColumnWriter::new(kind)).gather();
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

/// Collects documents into groups, copying those that are already packed the same way.
#[derive(Default)]
struct Regrouping {
    writer: DocumentsWriter,
    pending: Vec<Vec<u8>>,
}

impl Regrouping {
    fn push(&mut self, document: &[u8]) {
        self.pending.push(document.to_vec());
        if self.pending.len() == GROUP {
            self.flush();
        }
    }

    fn flush(&mut self) {
        self.writer.push(&Group::pack(self.pending.iter().map(Vec::as_slice)));
        self.pending.clear();
    }

    /// Whether the group of 32 rows that starts at `row` can be copied as it is.
    fn can_copy(&self, row: usize, dead: &Bitmap) -> bool {
        let rows = row..row + GROUP;
        self.pending.is_empty()
            && row.is_multiple_of(GROUP)
            && rows.end <= dead.len()
            && !rows.into_iter().any(|row| dead.has(row))
    }
}

fn merge_documents(sources: &[Source]) -> Result<(Vec<u8>, Vec<u8>), MergeError> {
    let mut regrouping = Regrouping::default();
    for source in sources {
        let dead = source.dead();
        // A batch is read through the view of a small file of its own: its groups are packed already.
        let (table, blocks);
        let view = match source {
            Source::Batch(batch) => {
                (table, blocks) = batch_documents(batch);
                DocumentsView::parse(&table, &blocks)?
            }
            Source::Segment(segment, _) => segment.stored()?,
        };
        let mut row = 0;
        while row < dead.len() {
            if regrouping.can_copy(row, dead) {
                regrouping.writer.push(&view.group(row)?);
                row += GROUP;
                continue;
            }
            let end = (row + 1).next_multiple_of(GROUP).min(dead.len());
            view.each_from(row, |at, document| {
                if at < end && !dead.has(at) {
                    regrouping.push(document);
                }
                at + 1 < end
            })?;
            row = end;
        }
    }
    if !regrouping.pending.is_empty() {
        regrouping.flush();
    }
    Ok(regrouping.writer.finish())
}

fn batch_documents(batch: &Batch) -> (Vec<u8>, Vec<u8>) {
    let mut writer = DocumentsWriter::default();
    batch.groups.iter().for_each(|group| writer.push(group));
    if !batch.tail.is_empty() {
        writer.push(&Group::pack(batch.tail.iter().map(Vec::as_slice)));
    }
    writer.finish()
}

/// The written forms of all live rows with their counts, in the dictionary's own format.
fn merge_forms(schema: &Schema, sources: &[Source]) -> Result<Vec<u8>, MergeError> {
    let (mut forms, mut counts) = (Interner::default(), Vec::<u32>::new());
    let mut count = |form: &[u8], times: u32| {
        let (number, is_new) = forms.intern(form);
        if is_new {
            counts.push(0);
        }
        let sum = &mut counts[number as usize];
        *sum = sum.saturating_add(times);
    };
    for source in sources {
        let dead = source.dead();
        match source {
            // Nothing says which document a form came from: where some are dead, the rest is counted anew.
            Source::Batch(batch) if dead.count() > 0 => {
                let (table, blocks) = batch_documents(batch);
                count_forms(schema, DocumentsView::parse(&table, &blocks)?, dead, &mut count)?;
            }
            Source::Segment(segment, _) if dead.count() > 0 => {
                count_forms(schema, segment.stored()?, dead, &mut count)?;
            }
            Source::Batch(batch) => batch.forms.iter().for_each(|(form, times)| count(form, *times)),
            Source::Segment(segment, _) => {
                if let Some(forms) = segment.forms()? {
                    let mut walk = forms.walk();
                    while walk.advance()? {
                        count(walk.term(), walk.list().documents);
                    }
                }
            }
        }
    }
    let mut writer = TermsWriter::default();
    for form in forms.sorted() {
        writer.push(forms.get(form), ListRef { at: 0, len: 0, documents: counts[form as usize] });
    }
    Ok(writer.finish())
}

fn count_forms(
    schema: &Schema,
    documents: DocumentsView,
    dead: &Bitmap,
    count: &mut dyn FnMut(&[u8], u32),
) -> Result<(), MergeError> {
    let analyzer = schema.analyzer().expect("the schema was checked when its segment was opened");
    let mut result = Ok(());
    let mut form = Vec::new();
    documents.each_from(0, |row, text| {
        if dead.has(row) {
            return true;
        }
        match parse_record(text) {
            Ok(record) => {
                for text in schema.field_names().into_iter().filter_map(|name| record.text(name)) {
                    analyzer.spans(&text, Purpose::Document, |span| {
                        analyzer.fold(&text[span.start..span.end], &mut form);
                        count(&form, 1);
                    });
                }
                true
            }
            Err(error) => {
                result = Err(error.into());
                false
            }
        }
    })?;
    result
}
