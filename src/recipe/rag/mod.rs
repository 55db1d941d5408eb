//! The RAG recipe: chunks of longer texts.

mod calls;
mod index;
mod ranking;
mod search;
mod sources;

pub(crate) use calls::{CALLS, call};
pub use ranking::{Quality, RagFound, RagHit, RagMode, RagPlan, RagSignals, SEMANTIC_SHARE, rag_search};
pub use sources::{Edge, Graph, GraphPlan, Node, Source, Sources};
