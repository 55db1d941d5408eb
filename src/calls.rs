//! Calls recipes by name, with options and responses as JSON. JavaScript and the command line use this.

use crate::engine::{Embedded, Engine, NamedCall, SearchError, SearchFault};
use crate::json::Json;
use crate::recipe::{memory, rag, unified, vault};

/// Returns the names of all calls, such as `memory.search`.
pub fn call_names() -> Vec<&'static str> {
    [memory::CALLS, rag::CALLS, unified::CALLS, vault::CALLS].concat()
}

impl Engine {
    /// Runs a call such as `memory.search` and returns its response as JSON text. [`call_names`] lists the calls.
    ///
    /// ```
    /// use snapseek::json::Json;
    /// use snapseek::{Embedded, Engine, Schema};
    ///
    /// let mut engine = Engine::empty(&Schema::preset("memory").expect("a preset"))?;
    /// let memory = Json::parse(br#"{"content": "The fox lives in the forest."}"#)?;
    /// engine.call("memory.create", &memory, Embedded::default())?;
    /// let response = engine.call("memory.search", &Json::parse(br#"{"query": "fox"}"#)?, Embedded::default())?;
    /// assert!(response.contains("lives in the forest"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails when there is no such call, an option is invalid, or the snapshot is damaged.
    pub fn call(
        &mut self,
        name: &str,
        options: &Json,
        embedded: impl Into<Embedded>,
    ) -> Result<String, SearchError> {
        let embedded = embedded.into();
        let recipes = [memory::call, rag::call, unified::call, vault::call];
        let named = NamedCall { name, options, embedded: &embedded };
        let answer = recipes.into_iter().find_map(|call| call(self, &named));
        answer.unwrap_or_else(|| {
            let known = call_names().join(", ");
            Err(SearchFault::UnknownCall { name: name.to_owned(), known }.into())
        })
    }
}
