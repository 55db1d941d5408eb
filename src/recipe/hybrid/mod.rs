//! The default recipe, `engine.search`: keyword and vector candidates, fused.

mod custom;
mod options;
mod ranking;
mod request;
mod response;
mod search;

pub use custom::{Custom, Fuse};
pub use options::{RecencyOptions, SearchOptions, SnippetOptions};
pub use ranking::{Fusion, Plan, Recency, Retrieved, Scored, retrieve};
pub use request::MAX_LIMIT;
pub use response::{
    Explain, ExplainedKeyword, ExplainedPhrase, ExplainedVector, Facet, FacetValue, Hit, Mode, SearchResponse,
};
