//! Which rows have a given value? An inverted column answers this; it is built when an attribute is first looked up.
//!
//! A filter scans every row. Following links, in contrast, looks up many values that few rows have.

use super::{Corpus, LiveSegment};
use crate::attributes::{AttributeValues, ColumnView, texts_of};
use crate::json::Json;
use crate::order::Map;
use std::sync::{Arc, Mutex, PoisonError};

/// The inverted columns of a segment, one per attribute that was looked up.
#[derive(Debug, Default)]
pub struct ValueIndexes(Mutex<Map<usize, Arc<ValueIndex>>>);

#[derive(Debug)]
struct ValueIndex {
    /// For each code, the index of its first document in `documents`, and a final end.
    firsts: Vec<u32>,
    /// The documents, grouped by code and ascending within each group.
    documents: Vec<u32>,
}

impl ValueIndex {
    fn of(column: &ColumnView, documents: u32) -> ValueIndex {
        let mut firsts = vec![0; column.string_count() + 1];
        let mut count = 0;
        let known = column.string_count();
        let each_code = |visit: &mut dyn FnMut(usize, u32)| {
            for document in 0..documents {
                let codes = column.codes(document as usize).filter(|code| *code < known);
                codes.for_each(|code| visit(code, document));
            }
        };
        each_code(&mut |code, _| {
            firsts[code + 1] += 1;
            count += 1;
        });
        (0..known).for_each(|code| firsts[code + 1] += firsts[code]);
        let mut next = firsts.clone();
        let mut by_code = vec![0; count];
        each_code(&mut |code, document| {
            by_code[next[code] as usize] = document;
            next[code] += 1;
        });
        ValueIndex { firsts, documents: by_code }
    }

    fn documents(&self, code: usize) -> &[u32] {
        &self.documents[self.firsts[code] as usize..self.firsts[code + 1] as usize]
    }
}

impl ValueIndexes {
    fn get(&self, attribute: usize, column: &ColumnView, documents: u32) -> Arc<ValueIndex> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(index) = known.get(&attribute) {
            return Arc::clone(index);
        }
        let index = Arc::new(ValueIndex::of(column, documents));
        known.insert(attribute, Arc::clone(&index));
        index
    }
}

/// Calls `visit` with each live row that has this string now, until it returns false.
///
/// Rows come in row order, except that rows whose value changed since they were written come last in their segment.
pub fn each_row_with(
    corpus: &Corpus,
    columns: &[AttributeValues],
    attribute: usize,
    text: &str,
    visit: &mut dyn FnMut(u32) -> bool,
) {
    for (part, values) in corpus.parts.iter().zip(columns) {
        if !each_of_part(part, values, attribute, text, visit) {
            return;
        }
    }
}

fn each_of_part(
    part: &LiveSegment,
    values: &AttributeValues,
    attribute: usize,
    text: &str,
    visit: &mut dyn FnMut(u32) -> bool,
) -> bool {
    let Some(column) = values.column(attribute) else { return true };
    let changed = values.overridden(attribute).collect::<Map<usize, &Json>>();
    let mut visit_live = |document: u32| !part.is_live(document) || visit(part.first_row + document);
    if let Some(code) = column.code_of(text) {
        let index = part.values_by.get(attribute, column, part.segment.documents());
        let own =
            index.documents(code).iter().filter(|document| !changed.contains_key(&(**document as usize)));
        if !own.copied().all(&mut visit_live) {
            return false;
        }
    }
    let has_it = |value: &Json| texts_of(value, column.kind()).iter().any(|own| own == text);
    let now = changed.iter().filter(|(_, value)| has_it(value));
    now.filter_map(|(document, _)| u32::try_from(*document).ok()).all(visit_live)
}
