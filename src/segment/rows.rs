//! Which row has the record with a given key? A hash table of rows answers this; the keys are stored elsewhere.
//!
//! Removing a record does not remove its entry: the row stays in the table and gets a tombstone in its part.

use crate::document::Key;
use xxhash_rust::xxh3::xxh3_64;

/// A row in one of several parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowRef {
    pub part: u32,
    pub row: u32,
}

/// Maps each key to the last row with that key.
#[derive(Debug, Default)]
pub(crate) struct RowsByKey {
    /// A power of two of slots, at most three quarters of them occupied, with linear probing from the hash of the key.
    slots: Vec<Option<Slot>>,
    taken: usize,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    hash: u32,
    at: RowRef,
}

impl RowsByKey {
    /// The smallest number of slots.
    const FEWEST: usize = 16;

    /// Finds the row with this key; `has_key` returns whether a row has the key.
    pub fn find(&self, key: Key, has_key: &dyn Fn(RowRef) -> bool) -> Option<RowRef> {
        self.slots.get(self.place(hash(key), has_key))?.map(|slot| slot.at)
    }

    /// Stores the row of a key, and returns the row that it replaces.
    pub fn replace(&mut self, key: Key, at: RowRef, has_key: &dyn Fn(RowRef) -> bool) -> Option<RowRef> {
        if self.taken * 4 >= self.slots.len() * 3 {
            self.resize((2 * self.slots.len()).max(RowsByKey::FEWEST), &|_| true);
        }
        let hash = hash(key);
        let place = self.place(hash, has_key);
        let before = self.slots[place].replace(Slot { hash, at });
        self.taken += usize::from(before.is_none());
        before.map(|slot| slot.at)
    }

    /// Removes all rows for which `is_kept` is false.
    pub fn retain(&mut self, is_kept: &dyn Fn(RowRef) -> bool) {
        self.resize(self.slots.len(), is_kept);
    }

    /// Returns the slot of the row with this hash for which `has_key` holds, or the free slot where it would be inserted.
    fn place(&self, hash: u32, has_key: &dyn Fn(RowRef) -> bool) -> usize {
        let mask = self.slots.len().wrapping_sub(1);
        let mut place = hash as usize & mask;
        while let Some(Some(slot)) = self.slots.get(place)
            && !(slot.hash == hash && has_key(slot.at))
        {
            place = (place + 1) & mask;
        }
        place
    }

    fn resize(&mut self, len: usize, is_kept: &dyn Fn(RowRef) -> bool) {
        let before = std::mem::replace(&mut self.slots, vec![None; len]);
        self.taken = 0;
        for slot in before.into_iter().flatten().filter(|slot| is_kept(slot.at)) {
            let place = self.place(slot.hash, &|_| false);
            self.slots[place] = Some(slot);
            self.taken += 1;
        }
    }
}

/// Hashes a key to 32 bits; different keys may collide.
fn hash(key: Key) -> u32 {
    (xxh3_64(key.id.as_bytes()) ^ xxh3_64(key.kind.as_bytes()).rotate_left(1)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    #[test]
    fn every_key_is_where_a_map_has_it() {
        let (mut rows, mut known) = (RowsByKey::default(), HashMap::new());
        let mut ids = Vec::new();
        let mut state = 7_u32;
        for row in 0..20_000 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            ids.push(format!("{}", state >> 19));
            let key = Key { id: &ids[row], kind: "document" };
            let at = RowRef { part: state & 1, row: u32::try_from(row).unwrap() };
            let has_key = |other: RowRef| ids[other.row as usize] == ids[row];
            let before = rows.replace(key, at, &has_key).map(|at| at.row);
            assert_eq!(before, known.insert(ids[row].clone(), at).map(|at| at.row));
        }
        rows.retain(&|at| at.part == 0);
        known.retain(|_, at| at.part == 0);
        for id in &ids {
            let key = Key { id, kind: "document" };
            let found = rows.find(key, &|other| ids[other.row as usize] == *id).map(|at| at.row);
            assert_eq!(found, known.get(id).map(|at| at.row));
        }
        assert!(RowsByKey::default().find(Key { id: "a", kind: "b" }, &|_| true).is_none());
    }
}
