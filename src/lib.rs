//! snapseek: hybrid search you can ship as a file.

#[macro_use]
mod boxed;

pub mod attributes;
mod builder;
pub mod chunking;
pub mod document;
pub mod embed;
mod engine;
pub mod issues;
pub mod options;
pub mod presentation;
pub mod primitives;
pub mod query;
pub mod ranking;
pub mod recipe;
pub mod retrieval;
pub mod schema;
pub mod segment;
pub mod snapshot;
pub mod state;
pub mod tokens;
mod unicode;
#[cfg(target_arch = "wasm32")]
pub mod wasm;

pub use snapseek_index::{analysis, bitmap, bm25, ids, inverted, json, order, vector, wire};
use snapseek_index::{bits, codes, lz4, scoring};

pub use builder::{BuildError, BuildFault, Builder};
pub use document::{Key, Record, RecordError};
pub use engine::{
    CALLS, Clock, Column, Engine, Federated, Federation, FederationTier, HighlightOptions, Loaded,
    MatchOptions, MatchRow, MatchSnippet, SearchError, SearchFault, Signals, Tier, VaultMode, VaultResponse,
    VaultResult, VaultScan, VaultWeights, WriteError, WriteFault, Written,
};
pub use recipe::{SearchOptions, SearchResponse};
pub use schema::{Schema, SchemaError, SchemaFault};
pub use snapshot::{SnapshotError, SnapshotFault};
