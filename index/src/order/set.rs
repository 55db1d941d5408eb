//! A set that iterates in ascending order: a [`Map`] without values.

use super::Map;
use serde::{Serialize, Serializer};
use std::borrow::Borrow;
use std::fmt;

/// A set of distinct values in ascending order.
#[derive(Clone)]
pub struct Set<T>(Map<T, ()>);

impl<T: Ord> Set<T> {
    /// Creates an empty set.
    pub const fn new() -> Set<T> {
        Set(Map::new())
    }

    /// Adds a value. Returns whether it was absent.
    pub fn insert(&mut self, value: T) -> bool {
        self.0.insert(value, ()).is_none()
    }

    /// Reports whether the set contains `value`.
    pub fn contains<Q: Ord + ?Sized>(&self, value: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.contains_key(value)
    }

    /// Returns the number of values.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Reports whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the values in ascending order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + ExactSizeIterator {
        self.0.keys()
    }

    /// Iterates over the values from `first` on, in ascending order.
    pub fn from<'a, Q: Ord + ?Sized>(&'a self, first: &Q) -> impl Iterator<Item = &'a T> + use<'a, T, Q>
    where
        T: Borrow<Q>,
    {
        self.0.from(first).map(|(value, ())| value)
    }

    /// Returns the values in ascending order.
    pub fn into_sorted(self) -> Vec<T> {
        self.0.into_keys()
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
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Set<T> {
        Set(values.into_iter().map(|value| (value, ())).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_holds_each_thing_once() {
        let mut set = ["b", "a", "b"].into_iter().collect::<Set<_>>();
        assert!(set.insert("c") && !set.insert("a"));
        assert!(set.iter().eq(&["a", "b", "c"]));
        assert!(set.from("b").eq(&["b", "c"]));
        assert_eq!(format!("{set:?}"), r#"{"a", "b", "c"}"#);
    }
}
