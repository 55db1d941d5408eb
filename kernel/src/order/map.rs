//! Maps and sets in the order of their keys.
//!
//! Those of the standard library are compiled anew for every type of key and value, some kilobytes each in WebAssembly.
//! Here entries stand as they came, and one piece of code, the same for all of them, holds their numbers in the order of
//! their keys: in runs, so that a new entry moves a few hundred numbers at most, however many there are.

use super::arrange;
use serde::{Serialize, Serializer};
use std::borrow::Borrow;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Index;

/// Values by key, in the order of the keys.
#[derive(Clone)]
pub struct Map<K, V> {
    entries: Vec<(K, V)>,
    numbers: Numbers,
}

impl<K: Ord, V> Map<K, V> {
    /// A map of nothing.
    pub const fn new() -> Map<K, V> {
        Map { entries: Vec::new(), numbers: Numbers { runs: Vec::new() } }
    }

    /// Where a key is, or would be.
    fn find<Q: Ord + ?Sized>(&self, key: &Q) -> Result<Place, Place>
    where
        K: Borrow<Q>,
    {
        self.numbers.find(&|number| self.entries[number].0.borrow().cmp(key))
    }

    fn number_of<Q: Ord + ?Sized>(&self, key: &Q) -> Option<usize>
    where
        K: Borrow<Q>,
    {
        self.find(key).ok().map(|place| self.numbers.at(place))
    }

    /// The value of a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.number_of(key).map(|number| &self.entries[number].1)
    }

    /// The value of a key, to be changed.
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.number_of(key).map(|number| &mut self.entries[number].1)
    }

    /// A key as it stands here, and its value.
    pub fn get_key_value<Q: Ord + ?Sized>(&self, key: &Q) -> Option<(&K, &V)>
    where
        K: Borrow<Q>,
    {
        self.number_of(key).map(|number| self.entry(number))
    }

    fn entry(&self, number: usize) -> (&K, &V) {
        let (key, value) = &self.entries[number];
        (key, value)
    }

    /// Whether there is this key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.find(key).is_ok()
    }

    /// Gives a key this value; the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.find(&key) {
            Ok(place) => Some(std::mem::replace(&mut self.entries[self.numbers.at(place)].1, value)),
            Err(place) => {
                self.push(place, key, value);
                None
            }
        }
    }

    /// The value of a key, which is this one where the key had none.
    pub fn or_insert(&mut self, key: K, value: V) -> &mut V {
        let number = match self.find(&key) {
            Ok(place) => self.numbers.at(place),
            Err(place) => self.push(place, key, value),
        };
        &mut self.entries[number].1
    }

    /// The value of a key, which is the default where the key had none.
    pub fn or_default(&mut self, key: K) -> &mut V
    where
        V: Default,
    {
        self.or_insert(key, V::default())
    }

    fn push(&mut self, place: Place, key: K, value: V) -> usize {
        let number = self.entries.len();
        self.numbers.insert(place, number);
        self.entries.push((key, value));
        number
    }

    /// Takes a key and its value out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.find(key).ok()?;
        let (number, last) = (self.numbers.at(place), self.entries.len() - 1);
        // The last entry takes the place of the one that goes.
        if let Ok(of_last) = self.find::<K>(&self.entries[last].0) {
            self.numbers.runs[of_last.run][of_last.at] = number;
        }
        self.numbers.remove(place);
        Some(self.entries.swap_remove(number).1)
    }

    /// Takes out whatever is not to be kept.
    pub fn retain(&mut self, keep: impl Fn(&K, &V) -> bool) {
        let mut kept = Map::new();
        for (key, value) in std::mem::take(self) {
            if keep(&key, &value) {
                kept.insert(key, value);
            }
        }
        *self = kept;
    }

    /// How many keys there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The greatest key and its value.
    pub fn last_key_value(&self) -> Option<(&K, &V)> {
        self.iter().next_back()
    }

    /// Keys and values, in the order of the keys.
    pub fn iter(&self) -> Iter<'_, K, V> {
        Iter { entries: &self.entries, numbers: self.numbers.between(Place::FIRST, self.numbers.end()) }
    }

    /// Keys and values from this key on.
    pub fn from<Q: Ord + ?Sized>(&self, first: &Q) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let first = either(self.find(first));
        Iter { entries: &self.entries, numbers: self.numbers.between(first, self.numbers.end()) }
    }

    /// Keys and values from the first of these keys to before the second.
    pub fn between<Q: Ord + ?Sized>(&self, first: &Q, end: &Q) -> Iter<'_, K, V>
    where
        K: Borrow<Q>,
    {
        let (first, end) = (either(self.find(first)), either(self.find(end)));
        Iter { entries: &self.entries, numbers: self.numbers.between(first, end) }
    }

    /// The keys, in their order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> + ExactSizeIterator {
        self.iter().map(|(key, _)| key)
    }

    /// The values, in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> + ExactSizeIterator {
        self.iter().map(|(_, value)| value)
    }

    /// Keys and values, in the order of the keys.
    pub fn into_sorted(mut self) -> Vec<(K, V)> {
        let entries = &mut self.entries;
        arrange(&mut self.numbers.runs.concat(), &mut |a, b| entries.swap(a, b));
        self.entries
    }
}

impl<K, V> Default for Map<K, V> {
    fn default() -> Map<K, V> {
        Map { entries: Vec::new(), numbers: Numbers::default() }
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
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> std::vec::IntoIter<(K, V)> {
        self.into_sorted().into_iter()
    }
}

impl<K: Ord + Borrow<Q>, V, Q: Ord + ?Sized> Index<&Q> for Map<K, V> {
    type Output = V;

    fn index(&self, key: &Q) -> &V {
        self.get(key).expect("who asks for the value of a key by index knows that it is there")
    }
}

/// Things, each once, in their order.
#[derive(Clone)]
pub struct Set<T>(Map<T, ()>);

impl<T: Ord> Set<T> {
    /// A set of nothing.
    pub const fn new() -> Set<T> {
        Set(Map::new())
    }

    /// Adds a thing; whether it was not there.
    pub fn insert(&mut self, thing: T) -> bool {
        self.0.insert(thing, ()).is_none()
    }

    /// Whether there is this thing.
    pub fn contains<Q: Ord + ?Sized>(&self, thing: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(thing)
    }

    /// How many things there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The things, in their order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.0.keys()
    }

    /// The things from this one on.
    pub fn from<'a, Q: Ord + ?Sized>(&'a self, first: &Q) -> impl Iterator<Item = &'a T> + use<'a, T, Q>
    where
        T: Borrow<Q>,
    {
        self.0.from(first).map(|(thing, ())| thing)
    }

    /// The things, in their order.
    pub fn into_sorted(self) -> Vec<T> {
        self.0.into_iter().map(|(thing, ())| thing).collect()
    }
}

impl<T> Default for Set<T> {
    fn default() -> Set<T> {
        Set(Map::default())
    }
}

impl<T: Ord> PartialEq for Set<T> {
    fn eq(&self, other: &Set<T>) -> bool {
        self.0 == other.0
    }
}

impl<T: Ord + fmt::Debug> fmt::Debug for Set<T> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<T: Ord + Serialize> Serialize for Set<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<T: Ord> FromIterator<T> for Set<T> {
    fn from_iter<I: IntoIterator<Item = T>>(things: I) -> Set<T> {
        Set(things.into_iter().map(|thing| (thing, ())).collect())
    }
}

/// Keys and values of a [`Map`], in the order of the keys.
pub struct Iter<'a, K, V> {
    entries: &'a [(K, V)],
    numbers: Between<'a>,
}

impl<'a, K, V> Iterator for Iter<'a, K, V> {
    type Item = (&'a K, &'a V);

    fn next(&mut self) -> Option<(&'a K, &'a V)> {
        let (key, value) = &self.entries[self.numbers.next()?];
        Some((key, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let len = self.numbers.len();
        (len, Some(len))
    }
}

impl<'a, K, V> DoubleEndedIterator for Iter<'a, K, V> {
    fn next_back(&mut self) -> Option<(&'a K, &'a V)> {
        let (key, value) = &self.entries[self.numbers.next_back()?];
        Some((key, value))
    }
}

impl<K, V> ExactSizeIterator for Iter<'_, K, V> {}

/// A run that grows longer than this becomes two.
const LONGEST: usize = 512;

/// Numbers of entries in the order of their keys, in runs, none of which is empty.
#[derive(Clone, Default)]
struct Numbers {
    runs: Vec<Vec<usize>>,
}

/// A place among the numbers; the one after the last of a run is also the first of the next run.
#[derive(Clone, Copy)]
struct Place {
    run: usize,
    at: usize,
}

impl Place {
    const FIRST: Place = Place { run: 0, at: 0 };
}

fn either(found: Result<Place, Place>) -> Place {
    found.unwrap_or_else(|place| place)
}

impl Numbers {
    fn at(&self, place: Place) -> usize {
        self.runs[place.run][place.at]
    }

    fn end(&self) -> Place {
        Place { run: self.runs.len(), at: 0 }
    }

    /// Where something is, or would be; `compare` says how the entry with a number compares with it.
    fn find(&self, compare: &dyn Fn(usize) -> Ordering) -> Result<Place, Place> {
        let Some(last) = self.runs.last() else { return Err(Place::FIRST) };
        // What comes in order is common.
        if compare(last[last.len() - 1]).is_lt() {
            return Err(Place { run: self.runs.len() - 1, at: last.len() });
        }
        let run = self.runs.partition_point(|run| compare(run[0]).is_le()).saturating_sub(1);
        match self.runs[run].binary_search_by(|&number| compare(number)) {
            Ok(at) => Ok(Place { run, at }),
            Err(at) => Err(Place { run, at }),
        }
    }

    fn insert(&mut self, place: Place, number: usize) {
        let Some(run) = self.runs.get_mut(place.run) else {
            self.runs.push(vec![number]);
            return;
        };
        run.insert(place.at, number);
        if run.len() > LONGEST {
            let half = run.split_off(LONGEST / 2);
            self.runs.insert(place.run + 1, half);
        }
    }

    fn remove(&mut self, place: Place) {
        let run = &mut self.runs[place.run];
        run.remove(place.at);
        if run.is_empty() {
            self.runs.remove(place.run);
        }
    }

    /// The numbers from one place to before another.
    fn between(&self, first: Place, end: Place) -> Between<'_> {
        let mut between = Between { runs: &self.runs, first, end };
        between.settle();
        between
    }
}

/// Numbers from one place to before another.
struct Between<'a> {
    runs: &'a [Vec<usize>],
    first: Place,
    end: Place,
}

impl Between<'_> {
    /// Lets the first place be one where a number stands, unless it is the end of all.
    fn settle(&mut self) {
        if self.runs.get(self.first.run).is_some_and(|run| self.first.at == run.len()) {
            self.first = Place { run: self.first.run + 1, at: 0 };
        }
    }

    fn is_done(&self) -> bool {
        (self.first.run, self.first.at) >= (self.end.run, self.end.at)
    }

    fn next(&mut self) -> Option<usize> {
        if self.is_done() {
            return None;
        }
        let number = self.runs[self.first.run][self.first.at];
        self.first.at += 1;
        self.settle();
        Some(number)
    }

    fn next_back(&mut self) -> Option<usize> {
        if self.is_done() {
            return None;
        }
        if self.end.at == 0 {
            self.end.run -= 1;
            self.end.at = self.runs[self.end.run].len();
        }
        self.end.at -= 1;
        Some(self.runs[self.end.run][self.end.at])
    }

    fn len(&self) -> usize {
        if self.is_done() {
            return 0;
        }
        let whole = self.runs[self.first.run..self.end.run].iter().map(Vec::len).sum::<usize>();
        whole + self.end.at - self.first.at
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
    fn a_map_does_what_the_standard_librarys_does() {
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
    fn a_part_of_a_map_is_that_of_the_standard_librarys() {
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
    fn entries_that_come_in_order_or_against_it_stand_in_order() {
        let up = (0..5000).map(|key| (key, key)).collect::<Map<_, _>>();
        let down = (0..5000).rev().map(|key| (key, key)).collect::<Map<_, _>>();
        assert_eq!(up, down);
        assert!(up.keys().copied().eq(0..5000));
        assert_eq!(up[&17], 17);
    }

    #[test]
    fn a_set_holds_each_thing_once() {
        let mut set = ["b", "a", "b"].into_iter().collect::<Set<_>>();
        assert!(set.insert("c") && !set.insert("a"));
        assert!(set.iter().eq(&["a", "b", "c"]));
        assert!(set.from("b").eq(&["b", "c"]));
        assert_eq!(format!("{set:?}"), r#"{"a", "b", "c"}"#);
    }
}
