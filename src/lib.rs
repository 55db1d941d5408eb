//! snapseek: hybrid search you can ship as a file.

pub mod analysis;
pub mod attributes;
pub mod bitmap;
mod bits;
pub mod bm25;
mod builder;
pub mod chunking;
pub mod decimal;
pub mod document;
pub mod embed;
mod engine;
pub mod ids;
pub mod index;
pub mod issues;
pub mod json;
pub mod options;
mod order;
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
pub mod vector;
#[cfg(target_arch = "wasm32")]
pub mod wasm;
pub mod wire;

pub use builder::{BuildError, Builder};
pub use document::{Key, Record, RecordError};
pub use engine::{
    CALLS, Clock, Column, Engine, Federated, Federation, FederationTier, HighlightOptions, Loaded,
    MatchOptions, MatchRow, MatchSnippet, SearchError, Signals, Tier, VaultMode, VaultResponse, VaultResult,
    VaultScan, VaultWeights, WriteError, Written,
};
pub use recipe::{SearchOptions, SearchResponse};
pub use schema::{Schema, SchemaError};
pub use snapshot::SnapshotError;
