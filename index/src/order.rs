//! Sorting, and maps and sets in key order, with little code per type.
//!
//! The compiler instantiates the sorts of the standard library for every type and every comparison, at some kilobytes
//! of WebAssembly each. Here one merge sort, compiled once, sorts the indexes of the items; a small loop per type then
//! moves the items. [`radix_sort_by_key`] is a radix sort for millions of items.

mod map;
mod radix;
mod set;
mod sorted_indexes;

pub use map::Map;
pub use radix::radix_sort_by_key;
pub use set::Set;

use std::cmp::Ordering;

/// Sorts items. The sort is stable.
///
/// ```
/// use snapseek_index::order::{Map, sort};
///
/// let mut words = ["pear", "apple", "fig"];
/// sort(&mut words);
/// assert_eq!(words, ["apple", "fig", "pear"]);
///
/// let counts = [("pear", 2), ("apple", 1)].into_iter().collect::<Map<_, _>>();
/// assert_eq!(counts.iter().next(), Some((&"apple", &1)));
/// ```
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts items by a key. The sort is stable.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts items by a comparison. The sort is stable.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut indexes = sort_order(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    arrange(&mut indexes, &mut |a, b| items.swap(a, b));
}

/// Returns the indexes of `len` items in the order of the items.
#[inline(never)]
fn sort_order(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut indexes = (0..len).collect::<Vec<_>>();
    sort_indexes(&mut indexes, compare);
    indexes
}

/// Moves each item to the place of its index in `indexes`, by swaps.
#[inline(never)]
fn arrange(indexes: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    // Follow each cycle of the permutation once. An index that equals its place marks an item that is done.
    for start in 0..indexes.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut indexes[at], at);
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

/// Sorts indexes of items by comparing the items. The sort is stable.
#[inline(never)]
pub fn sort_indexes(indexes: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    // Strictly descending input is common.
    if indexes.windows(2).all(|two| compare(two[0], two[1]).is_gt()) {
        indexes.reverse();
    } else {
        merge_sort(indexes, &mut Vec::new(), compare);
    }
}

/// Up to this number, indexes are sorted by insertion.
const FEW: usize = 8;

fn merge_sort(
    indexes: &mut [usize],
    lower: &mut Vec<usize>,
    compare: &mut dyn FnMut(usize, usize) -> Ordering,
) {
    let (len, half) = (indexes.len(), indexes.len() / 2);
    if len <= FEW {
        for place in 1..len {
            let index = indexes[place];
            let mut at = place;
            while at > 0 && compare(indexes[at - 1], index).is_gt() {
                indexes[at] = indexes[at - 1];
                at -= 1;
            }
            indexes[at] = index;
        }
        return;
    }
    merge_sort(&mut indexes[..half], lower, compare);
    merge_sort(&mut indexes[half..], lower, compare);
    // Sorted input is common.
    if compare(indexes[half - 1], indexes[half]).is_le() {
        return;
    }
    lower.clear();
    lower.extend_from_slice(&indexes[..half]);
    // The merge never overwrites an unread index of the upper half, because it fills one place per index taken. The
    // outcome of each comparison is unpredictable, so the code selects the index without a branch.
    let (mut at, mut from_lower, mut from_upper) = (0, 0, half);
    while from_lower < half && from_upper < len {
        let (low, high) = (lower[from_lower], indexes[from_upper]);
        let is_upper = compare(low, high).is_gt();
        indexes[at] = if is_upper { high } else { low };
        from_upper += usize::from(is_upper);
        from_lower += usize::from(!is_upper);
        at += 1;
    }
    indexes[at..from_upper].copy_from_slice(&lower[from_lower..]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_as_the_standard_library_sorts_them() {
        let mut state = 7_u32;
        for len in (0..70).chain([1000]) {
            let items = (0..len).map(|place| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24 & 0xf, place)
            });
            let items = items.collect::<Vec<_>>();
            let (mut ours, mut theirs) = (items.clone(), items.clone());
            sort_by_key(&mut ours, |item| item.0);
            theirs.sort_by_key(|item| item.0);
            assert_eq!(ours, theirs);
            let (mut ours, mut theirs) = (items.clone(), items);
            sort_by(&mut ours, |a, b| b.cmp(a));
            theirs.sort_by(|a, b| b.cmp(a));
            assert_eq!(ours, theirs);
            sort(&mut ours);
            theirs.sort();
            assert_eq!(ours, theirs);
        }
    }
}
