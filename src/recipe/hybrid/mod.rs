//! The default recipe, `engine.search`: it fuses the candidates of the keyword and vector legs.

mod custom;
mod groups;
mod judged;
mod options;
mod ranking;
mod resolved;
mod response;
mod search;

pub use custom::{Custom, Fuse};
pub use options::{Fusion, MAX_LIMIT, RecencyOptions, SearchOptions, SnippetOptions};
pub use response::{Facet, FacetValue, Hit, Mode, SearchResponse};
