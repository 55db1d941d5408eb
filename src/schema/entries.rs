//! How does a map keep its order? The order of text fields matters: it is FTS5's column order.

use serde::ser::{Serialize, Serializer};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entries<T>(pub Vec<(String, T)>);

impl<T> Entries<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds entries; one with the name of another takes its place.
    pub(super) fn with(mut self, more: Option<Vec<(String, T)>>) -> Entries<T> {
        for (name, value) in more.unwrap_or_default() {
            match self.0.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = value,
                None => self.0.push((name, value)),
            }
        }
        self
    }
}

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
