//! Which calls do recipes have by name? Options in, a response out, both as JSON: for JavaScript and the command line.

use crate::engine::{Embedded, Engine, SearchError, SearchFault};
use crate::json::Json;
use crate::recipe::{memory, rag, unified, vault};

/// Returns the names of all calls, such as `memory.search`.
pub fn call_names() -> Vec<&'static str> {
    [memory::CALLS, rag::CALLS, unified::CALLS, vault::CALLS].concat()
}

impl Engine {
    /// Answers a call such as `memory.search`; [`call_names`] lists them.
    ///
    /// # Errors
    /// When there is no such call, an option is faulty, or the snapshot is damaged.
    pub fn call(
        &mut self,
        name: &str,
        options: &Json,
        embedded: impl Into<Embedded>,
    ) -> Result<String, SearchError> {
        let embedded = embedded.into();
        let recipes = [memory::call, rag::call, unified::call, vault::call];
        let answer = recipes.into_iter().find_map(|call| call(self, name, options, &embedded));
        answer.unwrap_or_else(|| {
            let known = call_names().join(", ");
            Err(SearchFault::UnknownCall { name: name.to_owned(), known }.into())
        })
    }
}
