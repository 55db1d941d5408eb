//! How does a map keep its order? The order of text fields matters: it is FTS5's column order.

use serde::ser::{Serialize, Serializer};

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Entries<T>(pub Vec<(String, T)>);

impl<T> Entries<T> {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
