//! How are vectors taken from records and merged?

use super::batch::{Batch, BatchError, BatchFault};
use super::loose::LooseRow;
use super::merge::{MergeError, MergeFault, MergeSource, NewNumbers};
use crate::document::{Key, Record};
use crate::json::Json;
use crate::order::sort_by;
use crate::schema::{Schema, VectorModel};
use crate::vector::{self, RowsView, RowsWriter, VectorError, check_vector};
use crate::wire::Malformed;
use std::borrow::Cow;

/// Creates a vector writer for each model of a schema.
pub(super) fn rows_writers(schema: &Schema) -> Vec<RowsWriter> {
    let writer = |(_, model): (_, &VectorModel)| RowsWriter::new(model.encoding, model.metric, model.width);
    schema.models().map(writer).collect::<Vec<_>>()
}

impl Batch {
    /// Returns a record's checked vectors, one per model: the record's own, or else the `given` one.
    pub(super) fn vectors_of<'a>(
        &self,
        record: &Record,
        given: &'a [Option<Vec<f32>>],
    ) -> Result<Vec<Option<Cow<'a, [f32]>>>, BatchError> {
        let mut vectors = Vec::with_capacity(self.vectors.len());
        for (place, (name, model)) in self.schema().models().enumerate() {
            let own = match &model.field {
                Some(field) => carried(record, field)?,
                None => None,
            };
            let given = given.get(place).and_then(Option::as_deref).map(Cow::Borrowed);
            let vector = own.map(Cow::Owned).or(given);
            if let Some(vector) = &vector {
                let (id, model) = (record.id().to_owned(), name.to_owned());
                check_vector(vector, self.vectors[place].width()).map_err(|error| BatchFault::Vector {
                    id,
                    model,
                    error,
                })?;
            }
            vectors.push(vector);
        }
        Ok(vectors)
    }

    /// Returns the width of a model's vectors and the first record that has one, or `None` if no record has a vector.
    pub(crate) fn width(&self, model: usize) -> Option<(usize, Key<'_>)> {
        let rows = self.vectors[model].view();
        let first = (!rows.is_empty()).then(|| rows.document(0) as usize)?;
        Some((rows.width()?, self.keys.get(first)))
    }
}

/// Reads the vector in a field of a record.
pub(super) fn carried(record: &Record, field: &str) -> Result<Option<Vec<f32>>, BatchError> {
    let not_a_vector = |found| {
        let (id, field) = (record.id().to_owned(), field.to_owned());
        Box::new(BatchFault::NotAVector { id, field, found })
    };
    match record.json().get(field) {
        None | Some(Json::Null) => Ok(None),
        Some(Json::Array(numbers)) => {
            let mut vector = Vec::with_capacity(numbers.len());
            for number in numbers {
                let number = number.as_f64().ok_or_else(|| not_a_vector("an array of other things"))?;
                #[expect(clippy::cast_possible_truncation, reason = "vectors have the precision of an f32")]
                vector.push(number as f32);
            }
            Ok(Some(vector))
        }
        Some(other) => Err(not_a_vector(other.kind())),
    }
}

/// Merges the vectors of all live rows, and completes the schema with their widths.
///
/// A vector in `loose` replaces the one that came with the row's record.
pub(super) fn merge_vectors(
    schema: &Schema,
    sources: &[MergeSource],
    loose: &[LooseRow],
    numbers: &[(u32, NewNumbers)],
    documents: usize,
) -> Result<(Schema, Option<Vec<u8>>), MergeError> {
    let mut schema = schema.clone();
    let mut writers = rows_writers(&schema);
    let mut views: Vec<Vec<RowsView>> = Vec::with_capacity(sources.len());
    for source in sources {
        views.push(match source {
            MergeSource::Batch(batch) => batch.vectors.iter().map(RowsWriter::view).collect::<Vec<_>>(),
            MergeSource::Segment(segment, _) => segment.vectors()?,
        });
    }
    for (model, (writer, (name, _))) in writers.iter_mut().zip(schema.models()).enumerate() {
        let mut merging = ModelMerge { writer, name, loose: Vec::new() };
        for row in loose.iter().rev().filter(|row| row.model == model) {
            let document = numbers[row.at.part as usize].1.of(row.at.row);
            merging.loose.extend(document.map(|document| (document, row.vector)));
        }
        // The last of several vectors for a document comes first here, so `dedup` keeps it.
        sort_by(&mut merging.loose, |(a, _), (b, _)| b.cmp(a));
        merging.loose.dedup_by_key(|(document, _)| *document);
        for ((source, (_, numbers)), views) in sources.iter().zip(numbers).zip(&views) {
            merging.append(&views[model], source.dead().len(), numbers)?;
        }
        merging.append_loose_until(u32::MAX)?;
    }
    for (model, writer) in writers.iter().enumerate() {
        if let Some(width) = writer.width() {
            schema.settle_width(model, width);
        }
    }
    let vectors = (!writers.is_empty()).then(|| vector::encode(&writers, documents));
    Ok((schema, vectors))
}

/// The state of merging the vectors of one model.
struct ModelMerge<'a> {
    writer: &'a mut RowsWriter,
    name: &'a str,
    /// Sorted by document in descending order.
    loose: Vec<(u32, &'a [f32])>,
}

impl ModelMerge<'_> {
    /// Appends the live rows of a view.
    fn append(&mut self, view: &RowsView, documents: usize, numbers: &NewNumbers) -> Result<(), MergeError> {
        let mut next = 0;
        for row in 0..view.len() {
            let document = view.document(row);
            // Refuse rows that do not ascend, because the merged table would be damaged as well.
            if document < next || document as usize >= documents {
                return Err(Malformed("the table of vectors").into());
            }
            next = document + 1;
            let Some(document) = numbers.of(document) else { continue };
            self.append_loose_until(document)?;
            if self.loose.last().is_none_or(|(other, _)| *other != document) {
                let pushed = self.writer.push_from(document, view, row);
                pushed.map_err(|error| not_alike(self.name, error))?;
            }
        }
        Ok(())
    }

    /// Appends the loose vectors of all documents before `end`.
    fn append_loose_until(&mut self, end: u32) -> Result<(), MergeError> {
        while let Some((document, vector)) = self.loose.pop_if(|(document, _)| *document < end) {
            self.writer.push(document, vector).map_err(|error| not_alike(self.name, error))?;
        }
        Ok(())
    }
}

fn not_alike(model: &str, error: VectorError) -> MergeError {
    MergeFault::Vectors { model: model.to_owned(), error }.into()
}
