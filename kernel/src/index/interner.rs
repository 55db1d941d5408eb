//! Byte strings by number: each distinct one is kept once.

use crate::order::{sort_by, sort_by_number};
use crate::wire::len32;
use hashbrown::{HashTable, hash_table};
use xxhash_rust::xxh3::xxh3_64;

/// A table of distinct byte strings, numbered in order of first appearance.
#[derive(Debug, Default)]
pub struct Interner {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    table: HashTable<Entry>,
}

/// A string's number, where it stands, and half of its hash: a lookup touches the table and the string, nothing else.
#[derive(Clone, Copy, Debug)]
struct Entry {
    tag: u32,
    number: u32,
    start: u32,
    len: u32,
}

impl Interner {
    /// The number of `text`, and whether it is new.
    pub fn intern(&mut self, text: &[u8]) -> (u32, bool) {
        let hash = hash(text);
        let tag = (hash >> 32) as u32;
        let bytes = &self.bytes;
        let string = |entry: &Entry| &bytes[entry.start as usize..][..entry.len as usize];
        let is_same = |entry: &Entry| entry.tag == tag && string(entry) == text;
        match self.table.entry(hash, is_same, |entry| self::hash(string(entry))) {
            hash_table::Entry::Occupied(found) => (found.get().number, false),
            hash_table::Entry::Vacant(free) => {
                let number = len32(self.ends.len());
                free.insert(Entry { tag, number, start: len32(self.bytes.len()), len: len32(text.len()) });
                self.bytes.extend_from_slice(text);
                self.ends.push(len32(self.bytes.len()));
                (number, true)
            }
        }
    }

    /// The string with this number.
    pub fn get(&self, number: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, number)
    }

    /// How many there are.
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The numbers in the order of their strings.
    pub fn sorted(&self) -> Vec<u32> {
        // The first eight bytes as one number settle most of it without touching the strings.
        let head = |number: u32| {
            let text = self.get(number);
            let mut head = [0; 8];
            head[..text.len().min(8)].copy_from_slice(&text[..text.len().min(8)]);
            u64::from_be_bytes(head)
        };
        let mut order = (0..len32(self.len())).map(|number| (head(number), number)).collect::<Vec<_>>();
        sort_by_number(&mut order, |(head, _)| *head);
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

/// A hash of a word. Words are short: for them two overlapping halves and one multiplication do.
fn hash(text: &[u8]) -> u64 {
    let (low, high) = match text.len() {
        0..4 => {
            let at = |place: usize| u64::from(text.get(place).copied().unwrap_or(0));
            (at(0) | at(1) << 8 | at(2) << 16, 0)
        }
        4..8 => (half::<4>(text), half_at_end::<4>(text)),
        8..=16 => (half::<8>(text), half_at_end::<8>(text)),
        _ => return xxh3_64(text),
    };
    let (low, high) = (low ^ 0x9e37_79b9_7f4a_7c15, high ^ text.len() as u64 ^ 0xe703_7ed1_a0b4_28db);
    let product = u128::from(low) * u128::from(high);
    (product as u64) ^ (product >> 64) as u64
}

fn half<const N: usize>(text: &[u8]) -> u64 {
    text.first_chunk::<N>().map_or(0, |bytes| number(bytes))
}

fn half_at_end<const N: usize>(text: &[u8]) -> u64 {
    text.last_chunk::<N>().map_or(0, |bytes| number(bytes))
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
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
}
