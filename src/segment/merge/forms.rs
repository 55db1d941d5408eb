//! How are the unstemmed words of several sources merged?

use super::documents::batch_documents;
use super::{MergeError, MergeSource};
use crate::analysis::Purpose;
use crate::bitmap::Bitmap;
use crate::document::DocumentsView;
use crate::inverted::{Interner, ListRef, TermEntries, TermsWriter};
use crate::schema::Schema;
use crate::segment::parse_record;

/// Encodes the unstemmed words of all live rows with their counts, in the format of the dictionary: its index and blocks.
pub(super) fn merge_forms(
    schema: &Schema,
    sources: &[MergeSource],
) -> Result<(Vec<u8>, Vec<u8>), MergeError> {
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
            // Forms do not record their documents, so if some documents are dead, the live ones are counted again.
            MergeSource::Batch(batch) if dead.count() > 0 => {
                let (table, blocks) = batch_documents(batch);
                count_forms(schema, DocumentsView::parse(&table, (&blocks).into())?, dead, &mut count)?;
            }
            MergeSource::Segment(segment, _) if dead.count() > 0 => {
                count_forms(schema, segment.stored()?, dead, &mut count)?;
            }
            MergeSource::Batch(batch) => batch.forms.iter().for_each(|(form, times)| count(form, *times)),
            MergeSource::Segment(segment, _) => {
                if let Some(forms) = segment.forms()? {
                    let mut walk = forms.walk();
                    while walk.advance()? {
                        count(walk.term(), walk.list().documents);
                    }
                }
            }
        }
    }
    let mut writer = TermsWriter::new(TermEntries::WithoutPositions);
    for form in forms.sorted() {
        writer.push(forms.get(form), ListRef { documents: counts[form as usize], ..ListRef::default() });
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
