//! The documents of any of several lists, and what is counted in them.

use super::{Eligible, Worked};
use crate::bitmap::Bitmap;
use crate::inverted::{Cursor, ListRef, Lists};
use crate::wire::Malformed;

/// For each live document of any of the lists, the sum of `values` over its shapes; documents without a value are left
/// out. `sums` has a zero for each document of the segment, and has zeros again when this is done.
///
/// # Errors
/// When the index is damaged.
pub fn sum_by_document(
    lists: &Lists,
    of_term: &[ListRef],
    values: &[Option<f64>],
    eligible: &Eligible,
    sums: &mut [f64],
) -> Result<Worked, Malformed> {
    let mut worked = Worked::default();
    let Some(&first) = of_term.first() else { return Ok(worked) };
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
    worked.documents.reserve_exact(count);
    worked.frequencies.reserve_exact(count);
    for document in seen.iter() {
        let sum = std::mem::take(&mut sums[document]);
        let number = u32::try_from(document).expect("documents are numbered by u32");
        if eligible.is_live(number) {
            worked.documents.push(number);
            worked.frequencies.push(sum);
        }
    }
    Ok(worked)
}

/// The documents of a list whose shapes have a value, and the values.
///
/// # Errors
/// When the index is damaged.
pub fn restricted(mut cursor: Cursor, values: &[Option<f64>]) -> Result<Worked, Malformed> {
    let mut worked = Worked::default();
    each_posting(&mut cursor, |document, shape| {
        if let Some(value) = values[shape as usize] {
            worked.documents.push(document);
            worked.frequencies.push(value);
        }
    })?;
    Ok(worked)
}

/// How many live documents of a list have a shape with a value.
///
/// # Errors
/// When the index is damaged.
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
