//! Which documents do several lists share?
//!
//! The rarest list leads, and the others only seek to its documents.

use crate::inverted::Cursor;
use crate::order::sort_indexes;
use crate::wire::Malformed;

/// A cursor over documents in ascending order.
pub trait DocCursor {
    /// Returns the current document, or [`Cursor::END`].
    fn doc(&self) -> u32;

    /// Moves forward to the first document that is at least `target`.
    ///
    /// # Errors
    /// Returns an error when the index is damaged.
    fn seek(&mut self, target: u32) -> Result<(), Malformed>;

    /// Returns an upper bound of the number of documents.
    fn max_documents(&self) -> usize;
}

/// Returns the indexes of the lists, the rarest first.
pub(super) fn rarest_first<D: DocCursor>(lists: &[D]) -> Vec<usize> {
    let mut order = (0..lists.len()).collect::<Vec<_>>();
    sort_indexes(&mut order, &mut |a, b| lists[a].max_documents().cmp(&lists[b].max_documents()));
    order
}

/// Moves all lists to the first common document from `target` on, and returns it.
///
/// Returns [`Cursor::END`] when there is none. `order` is the result of [`rarest_first`].
#[inline]
pub(super) fn next_common<D: DocCursor>(
    lists: &mut [D],
    order: &[usize],
    mut target: u32,
) -> Result<u32, Malformed> {
    let Some((&lead, others)) = order.split_first() else { return Ok(Cursor::END) };
    'lead: loop {
        lists[lead].seek(target)?;
        target = lists[lead].doc();
        if target == Cursor::END {
            return Ok(target);
        }
        for &other in others {
            lists[other].seek(target)?;
            let document = lists[other].doc();
            if document != target {
                if document == Cursor::END {
                    return Ok(document);
                }
                target = document;
                continue 'lead;
            }
        }
        return Ok(target);
    }
}
