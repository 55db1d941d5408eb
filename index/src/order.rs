//! In which order do things stand? One sort for all of them.
//!
//! The sorts of the standard library are compiled anew for every type and every comparison, some kilobytes each in
//! WebAssembly. Here numbers of items are sorted, by one piece of code, and the items are then put in their places.
//! What is sorted by the million at once goes by numbers ([`sort_by_number`]).

mod digits;
mod map;
mod numbers;
mod set;

pub use digits::sort_by_number;
pub use map::Map;
pub use set::Set;

use std::cmp::Ordering;

/// Sorts items; equal ones stay as they stand.
pub fn sort<T: Ord>(items: &mut [T]) {
    sort_by(items, T::cmp);
}

/// Sorts items by a key; equal ones stay as they stand.
pub fn sort_by_key<T, K: Ord>(items: &mut [T], key: impl Fn(&T) -> K) {
    sort_by(items, |a, b| key(a).cmp(&key(b)));
}

/// Sorts items by a comparison; equal ones stay as they stand.
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut numbers = sorted_numbers(items.len(), &mut |a, b| compare(&items[a], &items[b]));
    arrange(&mut numbers, &mut |a, b| items.swap(a, b));
}

/// The numbers of so many items, in the order of the items.
#[inline(never)]
fn sorted_numbers(len: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut numbers = (0..len).collect::<Vec<_>>();
    sort_numbers(&mut numbers, compare);
    numbers
}

/// Puts items in the places that their numbers have, two of them at a time.
#[inline(never)]
fn arrange(numbers: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    // Each cycle of items that take each other's places is gone round once; where an item is right, its number says so.
    for start in 0..numbers.len() {
        let mut at = start;
        loop {
            let from = std::mem::replace(&mut numbers[at], at);
            if from == start {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

/// Sorts numbers of items by comparing the items; equal ones stay as they stand.
#[inline(never)]
pub fn sort_numbers(numbers: &mut [usize], compare: &mut dyn FnMut(usize, usize) -> Ordering) {
    // What stands the wrong way round, no two alike, is common too.
    if numbers.windows(2).all(|two| compare(two[0], two[1]).is_gt()) {
        numbers.reverse();
    } else {
        merge_sort(numbers, &mut Vec::new(), compare);
    }
}

/// So few numbers are put in their places one by one.
const FEW: usize = 8;

fn merge_sort(
    numbers: &mut [usize],
    lower: &mut Vec<usize>,
    compare: &mut dyn FnMut(usize, usize) -> Ordering,
) {
    let (len, half) = (numbers.len(), numbers.len() / 2);
    if len <= FEW {
        for place in 1..len {
            let number = numbers[place];
            let mut at = place;
            while at > 0 && compare(numbers[at - 1], number).is_gt() {
                numbers[at] = numbers[at - 1];
                at -= 1;
            }
            numbers[at] = number;
        }
        return;
    }
    merge_sort(&mut numbers[..half], lower, compare);
    merge_sort(&mut numbers[half..], lower, compare);
    // What is in order already is common.
    if compare(numbers[half - 1], numbers[half]).is_le() {
        return;
    }
    lower.clear();
    lower.extend_from_slice(&numbers[..half]);
    // No number of the upper half is written over before it is read: as many places are filled as numbers are taken. Which
    // is taken cannot be foretold, so that it is chosen without a branch.
    let (mut at, mut from_lower, mut from_upper) = (0, 0, half);
    while from_lower < half && from_upper < len {
        let (low, high) = (lower[from_lower], numbers[from_upper]);
        let is_upper = compare(low, high).is_gt();
        numbers[at] = if is_upper { high } else { low };
        from_upper += usize::from(is_upper);
        from_lower += usize::from(!is_upper);
        at += 1;
    }
    numbers[at..from_upper].copy_from_slice(&lower[from_lower..]);
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
