//! How often do given terms occur in given rows?
//!
//! The index answers this, so no text is read. Each posting list is traversed once, skipping from row to row.

use super::{Corpus, part_of};
use crate::ids::FieldSet;
use crate::snapshot::SnapshotError;

/// Returns, for each row and then for each term, how often the term occurs in `fields`; `rows` must ascend.
///
/// # Errors
/// Fails when the index is damaged.
pub fn occurrences(
    corpus: &Corpus,
    terms: &[Vec<u8>],
    rows: &[u32],
    fields: FieldSet,
) -> Result<Vec<Vec<u32>>, SnapshotError> {
    let mut counts = vec![vec![0; terms.len()]; rows.len()];
    let mut first = 0;
    while let Some(&row) = rows.get(first) {
        let (number, _) = part_of(corpus, row);
        let part = &corpus.parts[number];
        let own = rows[first..].iter().take_while(|row| part_of(corpus, **row).0 == number).count();
        let (dictionary, lists) = (part.segment.terms()?, part.segment.lists()?);
        for (place, term) in terms.iter().enumerate() {
            let Some(list) = dictionary.find(term)? else { continue };
            let mut cursor = lists.cursor(list)?;
            for (row, counts) in rows[first..first + own].iter().zip(&mut counts[first..]) {
                let document = row - part.first_row;
                cursor.seek(document)?;
                if cursor.doc() == document {
                    let shape = &lists.shapes[cursor.shape_number() as usize];
                    let own = shape.counts().iter().filter(|(field, _)| fields.has(*field));
                    counts[place] = own.map(|(_, count)| *count).fold(0, u32::saturating_add);
                }
            }
        }
        first += own;
    }
    Ok(counts)
}
