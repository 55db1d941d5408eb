//! Numbers distinct byte strings and stores each one once.

use crate::order::{radix_sort_by_key, sort_by};
use crate::wire::len32;
use xxhash_rust::xxh3::xxh3_64;

/// A hash table of distinct byte strings, numbered in order of first appearance.
///
/// ```
/// use snapseek_index::inverted::Interner;
///
/// let mut words = Interner::default();
/// assert_eq!(words.intern(b"pear"), (0, true));
/// assert_eq!(words.intern(b"apple"), (1, true));
/// assert_eq!(words.intern(b"pear"), (0, false));
/// assert_eq!(words.get(1), b"apple");
/// assert_eq!(words.sorted(), [1, 0]);
/// ```
#[derive(Debug, Default)]
pub struct Interner {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// A power of two of slots, at most half of them occupied. Probing is linear, from the slot that the tag selects.
    slots: Vec<Slot>,
}

/// A string's number, its location, and half of its hash. A lookup touches only the slot and the string.
#[derive(Clone, Copy, Debug)]
struct Slot {
    tag: u32,
    number: u32,
    start: u32,
    len: u32,
}

impl Slot {
    const FREE: Slot = Slot { tag: 0, number: u32::MAX, start: 0, len: 0 };
    /// The minimum number of slots.
    const FEWEST: usize = 16;

    fn is_free(&self) -> bool {
        self.number == u32::MAX
    }
}

impl Interner {
    /// Returns the number of `text`, and whether it is new.
    pub fn intern(&mut self, text: &[u8]) -> (u32, bool) {
        if self.ends.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let tag = hash(text);
        let mask = self.slots.len() - 1;
        let mut at = tag as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.is_free() {
                break;
            }
            if slot.tag == tag && is_same(&self.bytes[slot.start as usize..][..slot.len as usize], text) {
                return (slot.number, false);
            }
            at = (at + 1) & mask;
        }
        let number = len32(self.ends.len());
        self.slots[at] = Slot { tag, number, start: len32(self.bytes.len()), len: len32(text.len()) };
        self.bytes.extend_from_slice(text);
        self.ends.push(len32(self.bytes.len()));
        (number, true)
    }

    #[inline(never)]
    fn grow(&mut self) {
        let len = (2 * self.slots.len()).max(Slot::FEWEST);
        let before = std::mem::replace(&mut self.slots, vec![Slot::FREE; len]);
        for slot in before.iter().filter(|slot| !slot.is_free()) {
            let mut at = slot.tag as usize & (len - 1);
            while !self.slots[at].is_free() {
                at = (at + 1) & (len - 1);
            }
            self.slots[at] = *slot;
        }
    }

    /// Returns the string with this number.
    pub fn get(&self, number: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, number)
    }

    /// Returns the number of strings.
    #[expect(clippy::len_without_is_empty, reason = "no caller needs it")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the numbers, sorted by their strings.
    pub fn sorted(&self) -> Vec<u32> {
        // The first eight bytes, compared as one integer, decide most comparisons without touching the strings.
        let head = |number: u32| {
            let text = self.get(number);
            let mut head = [0; 8];
            head[..text.len().min(8)].copy_from_slice(&text[..text.len().min(8)]);
            u64::from_be_bytes(head)
        };
        let mut order = (0..len32(self.len())).map(|number| (head(number), number)).collect::<Vec<_>>();
        radix_sort_by_key(&mut order, |(head, _)| *head);
        for alike in order.chunk_by_mut(|a, b| a.0 == b.0).filter(|alike| alike.len() > 1) {
            sort_by(alike, |a, b| self.get(a.1).cmp(self.get(b.1)));
        }
        order.into_iter().map(|(_, number)| number).collect()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[u32], number: u32) -> &'a [u8] {
    let start = number.checked_sub(1).map_or(0, |before| ends[before as usize]);
    &bytes[start as usize..ends[number as usize] as usize]
}

/// Packs a word of at most 16 bytes into two integers. Two words of equal length are equal if and only if these are.
#[inline]
fn halves(text: &[u8]) -> Option<[u64; 2]> {
    Some(match text.len() {
        0..4 => {
            let at = |place: usize| u64::from(text.get(place).copied().unwrap_or(0));
            [at(0) | at(1) << 8 | at(2) << 16, 0]
        }
        4..8 => [four(text.first_chunk()), four(text.last_chunk())],
        8..=16 => [eight(text.first_chunk()), eight(text.last_chunk())],
        _ => return None,
    })
}

/// Hashes a word.
fn hash(text: &[u8]) -> u32 {
    let Some([low, high]) = halves(text) else { return (xxh3_64(text) >> 32) as u32 };
    let mixed = (low ^ text.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        ^ high.wrapping_mul(0xe703_7ed1_a0b4_28db).rotate_left(32);
    (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as u32
}

/// Reports whether two words are equal. Words are short, and comparing two integers is faster than a call.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len()
        && match halves(a) {
            Some(bytes) => halves(b) == Some(bytes),
            None => a == b,
        }
}

fn four(bytes: Option<&[u8; 4]>) -> u64 {
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes).into())
}

fn eight(bytes: Option<&[u8; 8]>) -> u64 {
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_strings_share_a_number_and_sort_by_their_bytes() {
        let mut interner = Interner::default();
        let words = ["pear", "apple", "applesauce", "", "applesauces", "pear", "zebra", "apple"];
        let numbers = words.map(|word| interner.intern(word.as_bytes()).0);
        assert_eq!(numbers, [0, 1, 2, 3, 4, 0, 5, 1]);
        let sorted = interner.sorted().into_iter().map(|number| interner.get(number).to_vec());
        let mut expected = words.map(|word| word.as_bytes().to_vec()).to_vec();
        expected.sort();
        expected.dedup();
        assert_eq!(sorted.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn numbers_agree_with_a_hash_map_for_many_strings() {
        let (mut interner, mut known) = (Interner::default(), std::collections::HashMap::new());
        let mut state = 7_u32;
        for _ in 0..30_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let text = format!("{:1$}", state >> 18, (state >> 8) as usize % 20);
            let (next, is_new) = (len32(known.len()), !known.contains_key(&text));
            let number = *known.entry(text.clone()).or_insert(next);
            assert_eq!(interner.intern(text.as_bytes()), (number, is_new));
            assert_eq!(interner.get(number), text.as_bytes());
        }
        assert_eq!(interner.len(), known.len());
    }
}
