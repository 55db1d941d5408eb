//! The memory recipe: how does an assistant remember?
//!
//! Memories are records of kind `memory`. [`Engine::memory`](crate::Engine::memory) returns a [`MemoryRecipe`], whose methods
//! search memories and documents, look around a memory in time, and write memories, sessions and relationships. The numbers
//! M1 to M13 are those of `docs/spec/1-memory.md`.

mod calls;
mod embedding;
mod filter;
mod present;
mod query;
mod ranking;
mod reads;
mod relations;
mod response;
mod salience;
mod score;
mod search;
mod settings;
mod timeline;
mod writes;

pub(crate) use calls::{CALLS, call};
pub use filter::MemoryFilter;
pub use query::{MemoryDocumentQuery, MemoryFtsQuery, MemoryMode, MemoryQuery, MemoryVectorQuery};
pub use ranking::{DOCUMENT, MEMORY, RECALL, SUPERSEDES, expression};
pub use relations::{NewMemorySession, NewRelationship, SalienceChange};
pub use response::{
    MemoryChunk, MemoryDocumentResult, MemoryFtsResult, MemoryGot, MemoryHit, MemoryPreview, MemoryResponse,
    MemoryResult, MemorySession, MemorySessionContext, MemoryTimeline, MemoryVectorResult, MemoryWritten,
};
pub use salience::salience_of;
pub use score::{MemoryWeightChanges, MemoryWeights, ScoredMemory, compute_score};
pub use settings::MemorySettings;
pub use writes::{MemoryChanges, MemoryTier, NewMemory};

use crate::document::{Key, Record};
use crate::engine::{Engine, SearchError, SearchFault};

/// The calls of the memory recipe on an engine.
///
/// ```
/// use snapseek::recipe::memory::{MemoryQuery, NewMemory};
/// use snapseek::{Embedded, Engine, Schema};
///
/// let mut engine = Engine::empty(&Schema::preset("memory").unwrap())?;
/// let memory = NewMemory { content: "Deploy with make release".to_owned(), ..NewMemory::default() };
/// engine.memory().create(&memory, &Embedded::default(), None)?;
/// let query = MemoryQuery { query: "deploy".to_owned(), ..MemoryQuery::default() };
/// let response = engine.memory().search(&query, &Embedded::default())?;
/// assert_eq!(response.results.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct MemoryRecipe<'a> {
    engine: &'a mut Engine,
}

impl Engine {
    /// Returns the calls of the memory recipe.
    pub fn memory(&mut self) -> MemoryRecipe<'_> {
        MemoryRecipe { engine: self }
    }
}

impl MemoryRecipe<'_> {
    /// Returns the record of a memory, as it is now.
    fn record(&self, id: &str) -> Result<Record, SearchError> {
        let missing = || SearchFault::NotFound { what: "memory", id: id.to_owned() };
        Ok(self.engine.record(key(id))?.ok_or_else(missing)?)
    }
}

fn key(id: &str) -> Key<'_> {
    Key { id, kind: MEMORY }
}
