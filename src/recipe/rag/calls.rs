//! The calls of the RAG recipe by their names: JSON in, JSON out.

use crate::engine::{Embedded, Engine, SearchError};
use crate::json::Json;

/// The calls of the recipe.
pub(crate) const CALLS: &[&str] = &["rag.index", "rag.remove", "rag.search"];

/// Answers a call of the recipe; none where it has no such call.
pub(crate) fn call(
    engine: &mut Engine,
    name: &str,
    options: &Json,
    embedded: &Embedded,
) -> Option<Result<String, SearchError>> {
    Some(match name {
        "rag.index" => engine.rag_index(options, embedded.clone()),
        "rag.remove" => engine.rag_remove(options),
        "rag.search" => engine.rag_search(options, embedded),
        _ => return None,
    })
}
