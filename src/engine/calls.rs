//! The recipes' calls by their names: options in, an answer out, both as JSON. What JavaScript and the command line use.

use super::{Engine, SearchError};
use crate::json::Json;

/// The calls there are.
pub const CALLS: &[&str] = &["vault.search", "vault.load", "vault.feedback", "vault.weights"];

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
            "vault.search" => Ok(answer(&self.vault_search(options, vector.as_deref())?)),
            "vault.load" => Ok(answer(&self.vault_load(options)?)),
            "vault.feedback" => Ok(answer(&self.vault_feedback(options)?)),
            "vault.weights" => Ok(answer(&self.vault_weights(options)?)),
            _ => Err(SearchError::UnknownCall { name: name.to_owned() }),
        }
    }
}

/// An answer as JSON.
fn answer(answer: &impl serde::Serialize) -> String {
    serde_json::to_string(answer).expect("texts and finite numbers can be written as JSON")
}
