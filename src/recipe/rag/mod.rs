//! The RAG recipe: sources are cut into chunks, and the chunks are found by words and vectors, with their neighbours and the
//! graph of their sources.
//!
//! [`Rag::index`] writes sources, [`Rag::search`] finds their chunks, [`Rag::remove`] removes a source.

mod calls;
mod index;
mod index_options;
mod index_response;
mod query;
mod ranking;
mod response;
mod search;
mod sources;

pub(crate) use calls::{CALLS, call};
pub use index_options::{RagIndexOptions, RagSource};
pub use index_response::{
    IndexEmbedding, PlannedSource, RagIndexPlan, RagIndexResponse, RagRemoveResponse, RagSourceReport,
    SkipReason,
};
pub use query::{RagFilters, RagQuery};
pub use ranking::{Quality, RagFound, RagHit, RagMode, RagPlan, RagSignals, SEMANTIC_SHARE, rag_search};
pub use response::{
    CandidateCounts, NeighborReport, QualityReport, QualityTier, QueryEmbedding, RagNeighbor, RagRerank,
    RagResponse, RagResult, RagWeights, RerankReport,
};
pub use sources::Sources;

use crate::engine::Engine;
use crate::schema::EmbedderKind;

/// The kind of the records that [`Rag::index`] writes.
const CHUNK: &str = "chunk";

/// The calls of the RAG recipe on an engine.
///
/// ```
/// use snapseek::recipe::rag::{RagIndexOptions, RagQuery, RagSource};
/// use snapseek::{Embedded, Engine, Schema};
///
/// let mut engine = Engine::empty(&Schema::preset("rag").expect("there is such a preset"))?;
/// let source = RagSource::of("context", "1", "Roll back with the previous snapshot.");
/// engine.rag().index(&RagIndexOptions::of(vec![source]), &Embedded::default())?;
/// let response = engine.rag().search(&RagQuery::of("roll back"), &Embedded::default())?;
/// assert_eq!(response.results[0].id(), "context:1#0");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Rag<'a> {
    engine: &'a mut Engine,
}

impl Engine {
    /// Returns the calls of the RAG recipe.
    pub fn rag(&mut self) -> Rag<'_> {
        Rag { engine: self }
    }
}

/// Returns the name of a snapshot's own embedder, as reports call it.
fn provider_of(embedder: Option<EmbedderKind>) -> &'static str {
    match embedder {
        Some(EmbedderKind::Hash) => "hash",
        Some(EmbedderKind::Static) => "static",
        None => "none",
    }
}
