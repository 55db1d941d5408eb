//! Which documents do several lists share? The rarest leads, and the others only seek to its documents.

use crate::inverted::Cursor;
use crate::order::sort_numbers;
use crate::wire::Malformed;

/// Documents in ascending order.
pub trait Documents {
    /// The document it stands on, or [`Cursor::END`].
    fn doc(&self) -> u32;

    /// Moves to the first document that is at least `target`; never back.
    ///
    /// # Errors
    /// When the index is damaged.
    fn seek(&mut self, target: u32) -> Result<(), Malformed>;

    /// No more than this follow.
    fn most_documents(&self) -> usize;
}

/// The lists by number, the rarest first.
pub(super) fn rarest_first<D: Documents>(lists: &[D]) -> Vec<usize> {
    let mut order = (0..lists.len()).collect::<Vec<_>>();
    sort_numbers(&mut order, &mut |a, b| lists[a].most_documents().cmp(&lists[b].most_documents()));
    order
}

/// The first document from `target` on that all lists have, and they then stand on it; [`Cursor::END`] where there is none.
/// `order` is as [`rarest_first`] says.
#[inline]
pub(super) fn next_common<D: Documents>(
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
