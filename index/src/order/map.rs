//! A map that iterates in key order.
//!
//! The compiler instantiates the maps of the standard library for every type of key and value, at some kilobytes of
//! WebAssembly each. Here keys and values are stored in the order of insertion, and code that is shared by all maps
//! keeps their indexes in key order ([`super::sorted_indexes`]).

use super::arrange;
use super::sorted_indexes::{ABSENT, IndexPosition, IndexRange, SortedIndexes};
use serde::{Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;
use std::ops::Index;

/// A map that iterates in key order.
#[derive(Clone)]
pub struct Map<K, V> {
    keys: Keys<K>,
    /// The values; entry `i` belongs to key `i`.
    values: Vec<V>,
}

impl<K: Ord, V> Map<K, V> {
    /// Creates an empty map.
    pub const fn new() -> Map<K, V> {
        Map { keys: Keys::new(), values: Vec::new() }
    }

    /// Returns the value of `key`.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.values.get(self.keys.index_of(key))
    }

    /// Returns the value of `key` for modification.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.values.get_mut(self.keys.index_of(key))
    }

    /// Returns the stored key that equals `key`, and its value.
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.entry(self.keys.index_of(key))
    }

    fn entry(&self, index: usize) -> Option<(&K, &V)> {
        self.keys.keys.get(index).zip(self.values.get(index))
    }

    /// Reports whether the map contains `key`.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.keys.index_of(key) != ABSENT
    }

    /// Sets the value of `key`. Returns the previous value, if any.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.values.get_mut(self.keys.enter(key)) {
            Some(known) => Some(std::mem::replace(known, value)),
            None => {
                self.values.push(value);
                None
            }
        }
    }

    /// Returns the value of `key`, after inserting `value` if the key is absent.
    pub fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let index = self.keys.enter(key);
        if index == self.values.len() {
            self.values.push(value);
        }
        &mut self.values[index]
    }

    /// Returns the value of `key`, after inserting the default if the key is absent.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert(key, V::default())
    }

    /// Removes `key` and returns its value.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let index = self.keys.remove(key);
        (index != ABSENT).then(|| self.values.swap_remove(index))
    }

    /// Removes the entries for which `keep` returns false.
    pub fn retain(&mut self, keep: impl Fn(&K, &V) -> bool) {
        let mut kept = Map::new();
        for (key, value) in std::mem::take(self) {
            if keep(&key, &value) {
                kept.insert(key, value);
            }
        }
        *self = kept;
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Reports whether the map is empty.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the entry with the greatest key.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next_back()
    }

    /// Returns the keys in order, without the values.
    pub fn into_keys(self) -> Vec<K> {
        let Keys { mut keys, indexes } = self.keys;
        arrange(&mut indexes.into_list(), &mut |a, b| keys.swap(a, b));
        keys
    }

    /// Iterates over the entries in key order.
    pub fn iter(&self) -> Iter<'_, K, V> {
        self.over(self.keys.indexes.all())
    }

    /// Iterates over the entries whose keys are at least `first`, in key order.
    pub fn from<Q: Ord + ?Sized>(&self, first: &Q) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let indexes = &self.keys.indexes;
        self.over(indexes.between(self.keys.position_of(first), indexes.end()))
    }

    /// Iterates over the entries whose keys are at least `first` and below `end`, in key order.
    pub fn between<Q: Ord + ?Sized>(&self, first: &Q, end: &Q) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let (first, end) = (self.keys.position_of(first), self.keys.position_of(end));
        self.over(self.keys.indexes.between(first, end))
    }

    fn over<'a>(&'a self, indexes: IndexRange<'a>) -> Iter<'a, K, V> {
        Iter { map: self, indexes }
    }

    /// Iterates over the keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.iter().map(|(key, _)| key)
    }

    /// Iterates over the values in key order.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.iter().map(|(_, value)| value)
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map { keys: Keys::new(), values: Vec::new() }
    }
}

impl<K: Ord, V: PartialEq> PartialEq for Map<K, V> {
    fn eq(&self, other: &Map<K, V>) -> bool {
        self.len() == other.len() && self.iter().eq(other.iter())
    }
}

impl<K: Ord + fmt::Debug, V: fmt::Debug> fmt::Debug for Map<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<K: Ord + Serialize, V: Serialize> Serialize for Map<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self)
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for Map<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Map<K, V> {
        let mut map = Map::new();
        for (key, value) in entries {
            map.insert(key, value);
        }
        map
    }
}

impl<'a, K: Ord, V> IntoIterator for &'a Map<K, V> {
    type Item = (&'a K, &'a V);
    type IntoIter = Iter<'a, K, V>;

    fn into_iter(self) -> Iter<'a, K, V> {
        self.iter()
    }
}

impl<K: Ord, V> IntoIterator for Map<K, V> {
    type Item = (K, V);
    type IntoIter = std::iter::Zip<std::vec::IntoIter<K>, std::vec::IntoIter<V>>;

    fn into_iter(self) -> Self::IntoIter {
        let Map { keys: Keys { mut keys, indexes }, mut values } = self;
        arrange(&mut indexes.into_list(), &mut |a, b| {
            keys.swap(a, b);
            values.swap(a, b);
        });
        keys.into_iter().zip(values)
    }
}

impl<K: Ord + Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for Map<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("indexing a map requires that it contains the key")
    }
}

/// An iterator over the entries of a [`Map`] in key order.
pub struct Iter<'a, K, V> {
    map: &'a Map<K, V>,
    indexes: IndexRange<'a>,
}

impl<'a, K: Ord, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        self.map.entry(self.indexes.next())
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.indexes.len();
        (len, Some(len))
    }
}

impl<'a, K: Ord, V> DoubleEndedIterator for Iter<'a, K, V> {
    fn next_back(&mut self) -> Option<(&'a K, &'a V)> {
        self.map.entry(self.indexes.next_back())
    }
}

impl<K: Ord, V> ExactSizeIterator for Iter<'_, K, V> {}

/// Keys in the order of insertion, and their sorted indexes. Maps with the same key type share this code.
#[derive(Clone)]
struct Keys<K> {
    keys: Vec<K>,
    indexes: SortedIndexes,
}

impl<K> Keys<K> {
    const fn new() -> Keys<K> {
        Keys { keys: Vec::new(), indexes: SortedIndexes::new() }
    }
}

impl<K: Ord> Keys<K> {
    /// Returns the index of `key`, or [`ABSENT`].
    fn index_of<Q: Ord + ?Sized>(&self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        self.indexes.index_of(&|index| self.keys[index].borrow().cmp(key))
    }

    /// Returns the sorted position of `key`, or where it would be inserted.
    fn position_of<Q: Ord + ?Sized>(&self, key: &Q) -> IndexPosition
    where
        K: Borrow<Q>,
    {
        self.indexes.find(&|index| self.keys[index].borrow().cmp(key)).place
    }

    /// Returns the index of `key`, after appending the key if it is absent.
    fn enter(&mut self, key: K) -> usize {
        let next = self.keys.len();
        let index = self.indexes.enter(next, &|index| self.keys[index].cmp(&key));
        if index == next {
            self.keys.push(key);
        }
        index
    }

    /// Removes `key` and returns its index, which the last key then takes; [`ABSENT`] when the key is absent.
    fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> usize
    where
        K: Borrow<Q>,
    {
        let index = self.indexes.remove(&|index| self.keys[index].borrow().cmp(key));
        if index != ABSENT {
            self.indexes.replace(index, &|index| self.keys[index].cmp(&self.keys[self.keys.len() - 1]));
            self.keys.swap_remove(index);
        }
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    fn random() -> impl FnMut(u32) -> u32 {
        let mut state = 7_u32;
        move |end| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) % end
        }
    }

    #[test]
    fn a_map_agrees_with_the_standard_library() {
        let mut below = random();
        for keys in [1, 5, 40, 3000] {
            let (mut ours, mut theirs) = (Map::new(), BTreeMap::new());
            for step in 0..6000 {
                let key = below(keys);
                match below(4) {
                    0 => assert_eq!(ours.remove(&key), theirs.remove(&key)),
                    1 => assert_eq!(ours.or_insert(key, step), theirs.entry(key).or_insert(step)),
                    _ => assert_eq!(ours.insert(key, step), theirs.insert(key, step)),
                }
                let key = below(keys);
                assert_eq!(ours.get(&key), theirs.get(&key));
                assert_eq!(ours.len(), theirs.len());
                assert_eq!(ours.last_key_value(), theirs.last_key_value());
            }
            assert!(ours.iter().eq(&theirs));
            assert!(ours.iter().rev().eq(theirs.iter().rev()));
            assert!(ours.clone().into_iter().eq(theirs));
        }
    }

    #[test]
    fn ranges_of_a_map_agree_with_the_standard_library() {
        let mut below = random();
        for len in [0, 1, 30, 5000] {
            let entries = (0..len).map(|_| (below(9000), ())).collect::<Vec<_>>();
            let ours = entries.iter().copied().collect::<Map<_, _>>();
            let theirs = entries.into_iter().collect::<BTreeMap<_, _>>();
            for _ in 0..100 {
                let (first, end) = (below(9000), below(9000));
                assert!(ours.from(&first).eq(theirs.range(first..)));
                assert_eq!(ours.from(&first).len(), theirs.range(first..).count());
                let part = || ours.between(&first, &end);
                let expected = theirs.iter().filter(|(key, _)| (first..end).contains(key));
                assert!(part().eq(expected.clone()));
                assert!(part().rev().eq(expected.clone().rev()));
                assert_eq!(part().len(), expected.count());
            }
        }
    }

    #[test]
    fn entries_inserted_ascending_or_descending_iterate_in_order() {
        let up = (0..5000).map(|key| (key, key)).collect::<Map<_, _>>();
        let down = (0..5000).rev().map(|key| (key, key)).collect::<Map<_, _>>();
        assert_eq!(up, down);
        assert!(up.keys().copied().eq(0..5000));
        assert_eq!(up[&17], 17);
    }
}
