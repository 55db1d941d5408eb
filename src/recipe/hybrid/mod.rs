//! The default recipe, `engine.search`: keyword and vector candidates, fused.

mod custom;
mod options;
mod ranking;
mod resolved;
mod response;
mod search;

pub use custom::{Custom, Fuse};
pub use options::{Fusion, MAX_LIMIT, RecencyOptions, SearchOptions, SnippetOptions};
pub use response::{Facet, FacetValue, Hit, Mode, SearchResponse};
