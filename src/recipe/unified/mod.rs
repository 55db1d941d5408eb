//! The unified recipe: one search over observations, sessions and prompts.
//!
//! [`Engine::unified`](crate::Engine::unified) gives access to it. A search reads a [`UnifiedQuery`], looks for a cached
//! answer, ranks the records, and returns a [`UnifiedResponse`].

mod answers;
mod calls;
mod figures;
mod parameters;
mod query;
mod ranking;
mod response;
mod search;
mod variants;
mod vocabulary;

pub(crate) use calls::{CALLS, call};
pub use figures::{SearchLatency, UnifiedCounts, UnifiedStats};
pub use parameters::{Booster, ShortCircuit, UnifiedFormat, UnifiedKind};
pub use query::UnifiedQuery;
pub use response::{UnifiedHit, UnifiedMode, UnifiedResponse};
pub use search::Unified;
pub use variants::{Intent, Variant};
