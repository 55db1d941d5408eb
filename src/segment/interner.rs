//! Byte strings by number: each distinct one is kept once.

use crate::wire::len32;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use xxhash_rust::xxh3::xxh3_64;

/// A table of distinct byte strings, numbered in order of first appearance.
#[derive(Debug, Default)]
pub struct Interner {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    table: HashTable<(u32, u32)>,
}

impl Interner {
    /// The number of `text`, and whether it is new.
    pub fn intern(&mut self, text: &[u8]) -> (u32, bool) {
        let hash = hash(text);
        let (bytes, ends) = (&self.bytes, &self.ends);
        // The upper half of the hash stands beside the number: most lookups that meet a stranger end there.
        let tag = (hash >> 32) as u32;
        let same = |&(other, number): &(u32, u32)| other == tag && slice(bytes, ends, number) == text;
        match self.table.entry(hash, same, |&(_, number)| self::hash(slice(bytes, ends, number))) {
            Entry::Occupied(found) => (found.get().1, false),
            Entry::Vacant(free) => {
                let number = len32(self.ends.len());
                free.insert((tag, number));
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
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// The numbers in the order of their strings.
    pub fn sorted(&self) -> Vec<u32> {
        // Comparing the first eight bytes as one number settles most pairs without touching the strings.
        let head = |number: u32| {
            let text = self.get(number);
            let mut head = [0; 8];
            head[..text.len().min(8)].copy_from_slice(&text[..text.len().min(8)]);
            u64::from_be_bytes(head)
        };
        let mut order = (0..len32(self.len())).map(|number| (head(number), number)).collect::<Vec<_>>();
        order.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| self.get(a.1).cmp(self.get(b.1))));
        order.into_iter().map(|(_, number)| number).collect()
    }
}

fn slice<'a>(bytes: &'a [u8], ends: &[u32], number: u32) -> &'a [u8] {
    let start = number.checked_sub(1).map_or(0, |before| ends[before as usize]);
    &bytes[start as usize..ends[number as usize] as usize]
}

fn hash(text: &[u8]) -> u64 {
    xxh3_64(text)
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
