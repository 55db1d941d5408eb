//! Which documents does a union of posting lists contain, with which frequencies?

use super::{Eligible, MaterialisedList};
use crate::bitmap::Bitmap;
use crate::inverted::{Cursor, ListRef, PostingLists};
use crate::wire::Malformed;

/// Sums `values` by document over the shapes of several lists. Returns the live documents that have a value.
///
/// `sums` is a buffer with a zero per document of the segment; it is all zeros again on success.
///
/// # Errors
/// Returns an error when the index is damaged.
pub fn sum_by_document(
    lists: &PostingLists,
    of_term: &[ListRef],
    values: &[Option<f64>],
    eligible: &Eligible,
    sums: &mut [f64],
) -> Result<MaterialisedList, Malformed> {
    let mut list = MaterialisedList::default();
    let Some(&first) = of_term.first() else { return Ok(list) };
    let mut seen = Bitmap::none(sums.len());
    let mut cursor = lists.cursor(first)?;
    for &list in of_term {
        cursor.restart(list)?;
        each_posting(&mut cursor, |document, shape| {
            if let Some(value) = values[shape as usize] {
                sums[document as usize] += value;
                seen.insert(document as usize);
            }
        })?;
    }
    let count = seen.count();
    list.documents.reserve_exact(count);
    list.frequencies.reserve_exact(count);
    for document in seen.iter() {
        let sum = std::mem::take(&mut sums[document]);
        let number = u32::try_from(document).expect("document numbers fit 32 bits");
        if eligible.is_live(number) {
            list.documents.push(number);
            list.frequencies.push(sum);
        }
    }
    Ok(list)
}

/// Returns the documents of a list whose shapes have a value, with these values as frequencies.
///
/// # Errors
/// Returns an error when the index is damaged.
pub fn restricted(mut cursor: Cursor, values: &[Option<f64>]) -> Result<MaterialisedList, Malformed> {
    let mut list = MaterialisedList::default();
    each_posting(&mut cursor, |document, shape| {
        if let Some(value) = values[shape as usize] {
            list.documents.push(document);
            list.frequencies.push(value);
        }
    })?;
    Ok(list)
}

/// Counts the live documents of a list whose shapes have a value.
///
/// # Errors
/// Returns an error when the index is damaged.
pub fn count_live(mut cursor: Cursor, values: &[Option<f64>], eligible: &Eligible) -> Result<u64, Malformed> {
    let mut count = 0;
    each_posting(&mut cursor, |document, shape| {
        count += u64::from(values[shape as usize].is_some() && eligible.is_live(document));
    })?;
    Ok(count)
}

#[inline]
fn each_posting(cursor: &mut Cursor, mut each: impl FnMut(u32, u32)) -> Result<(), Malformed> {
    loop {
        let (documents, shapes) = cursor.run_until(Cursor::END);
        for (&document, &shape) in documents.iter().zip(shapes) {
            each(document, shape);
        }
        if !cursor.enter_next_block()? {
            return Ok(());
        }
    }
}
