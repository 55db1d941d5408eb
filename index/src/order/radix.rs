//! A radix sort: many items by an integer key, byte by byte, without comparing items.

/// Below this number, items are sorted by insertion.
const FEW: usize = 48;

/// Sorts items by an integer key, in one pass per byte of the key that differs. The sort is stable.
pub fn radix_sort_by_key<T: Copy>(items: &mut Vec<T>, key: impl Fn(&T) -> u64) {
    if items.len() < FEW {
        for place in 1..items.len() {
            let mut at = place;
            while at > 0 && key(&items[at - 1]) > key(&items[at]) {
                items.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    let mut sorted = items.clone();
    for shift in (0..u64::BITS).step_by(8) {
        let digit = |item: &T| (key(item) >> shift) as usize & 0xff;
        let mut starts = [0; 256];
        items.iter().for_each(|item| starts[digit(item)] += 1);
        if starts[digit(&items[0])] == items.len() {
            continue;
        }
        let mut next = 0;
        for place in &mut starts {
            next += std::mem::replace(place, next);
        }
        for item in items.iter() {
            let place = &mut starts[digit(item)];
            sorted[*place] = *item;
            *place += 1;
        }
        std::mem::swap(items, &mut sorted);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_sorted_as_the_standard_library_sorts_them() {
        let mut state = 7_u64;
        for bits in [0, 1, 8, 20, 33, 64] {
            for len in (0..100).chain([1000, 5000]) {
                let numbers = (0..len).map(|place| {
                    state =
                        state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                    (state.checked_shr(u64::BITS - bits).unwrap_or(0), place)
                });
                let numbers = numbers.collect::<Vec<(u64, u32)>>();
                let (mut ours, mut theirs) = (numbers.clone(), numbers);
                radix_sort_by_key(&mut ours, |item| item.0);
                theirs.sort_by_key(|item| item.0);
                assert_eq!(ours, theirs, "{len} numbers of {bits} bits");
            }
        }
    }
}
