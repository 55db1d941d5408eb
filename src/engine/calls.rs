//! The recipes' calls by their names: options in, an answer out, both as JSON. What JavaScript and the command line use.

use super::{Engine, SearchError};
use crate::json::Json;

/// The calls there are.
pub const CALLS: &[&str] = &["rag.index", "rag.remove", "rag.search"];

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
            "rag.index" => self.rag_index(options, vector),
            "rag.remove" => self.rag_remove(options),
            "rag.search" => self.rag_search(options, vector),
            _ => Err(SearchError::UnknownCall { name: name.to_owned() }),
        }
    }
}
