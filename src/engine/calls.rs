//! The recipes' calls by their names: options in, an answer out, both as JSON. What JavaScript and the command line use.

use super::{Engine, SearchError};
use crate::json::Json;

/// The calls there are.
pub const CALLS: &[&str] = &[
    "unified.search",
    "unified.early",
    "unified.decisions",
    "unified.changes",
    "unified.howItWorks",
    "unified.note",
    "unified.stats",
];

impl Engine {
    /// Answers a call such as `memory.search`; [`CALLS`] lists them. A query's vector may come by itself: as JSON it would
    /// be slow.
    ///
    /// # Errors
    /// When there is no such call, an option cannot be used, or the snapshot is damaged.
    pub fn call(
        &mut self,
        name: &str,
        options: &Json,
        vector: Option<Vec<f32>>,
    ) -> Result<String, SearchError> {
        match name {
            "unified.note" => self.unified_note(options),
            "unified.stats" => self.unified_stats(options),
            "unified.search" | "unified.early" | "unified.decisions" | "unified.changes"
            | "unified.howItWorks" => self.unified_search(name, options, vector),
            _ => Err(SearchError::UnknownCall { name: name.to_owned() }),
        }
    }
}
