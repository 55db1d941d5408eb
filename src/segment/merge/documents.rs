//! How are stored documents merged? Groups that keep their rows are copied without unpacking.

use super::{MergeError, MergeSource};
use crate::bitmap::Bitmap;
use crate::document::{DocumentsView, DocumentsWriter, GROUP, Group};
use crate::segment::batch::Batch;

/// Collects documents into groups, and copies groups that are already packed the same way.
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

    /// Returns whether the group of 32 rows that starts at `row` can be copied unchanged.
    fn can_copy(&self, row: usize, dead: &Bitmap) -> bool {
        let rows = row..row + GROUP;
        self.pending.is_empty()
            && row.is_multiple_of(GROUP)
            && rows.end <= dead.len()
            && !rows.into_iter().any(|row| dead.has(row))
    }
}

pub(super) fn merge_documents(sources: &[MergeSource]) -> Result<(Vec<u8>, Vec<u8>), MergeError> {
    let mut regrouping = Regrouping::default();
    for source in sources {
        let dead = source.dead();
        // A batch's groups are already packed, so encode them as a small section and read it like a segment's.
        let (table, blocks);
        let view = match source {
            MergeSource::Batch(batch) => {
                (table, blocks) = batch_documents(batch);
                DocumentsView::parse(&table, (&blocks).into())?
            }
            MergeSource::Segment(segment, _) => segment.stored()?,
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

pub(super) fn batch_documents(batch: &Batch) -> (Vec<u8>, Vec<u8>) {
    let mut writer = DocumentsWriter::default();
    batch.groups.iter().for_each(|group| writer.push(group));
    if !batch.tail.is_empty() {
        writer.push(&Group::pack(batch.tail.iter().map(Vec::as_slice)));
    }
    writer.finish()
}
