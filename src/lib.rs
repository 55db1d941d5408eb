//! snapseek: hybrid search you can ship as a file.

#[macro_use]
mod boxed;

pub mod attributes;
mod builder;
mod calls;
pub mod chunking;
pub mod document;
pub mod embed;
mod engine;
pub mod issues;
pub mod options;
pub mod pipeline;
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
pub use calls::call_names;
pub use document::{Key, Record, RecordError};
pub use engine::{
    Clock, Column, Embedded, Engine, HighlightOptions, MatchOptions, MatchRow, MatchSnippet, SearchError,
    SearchFault, WriteError, WriteFault, Written,
};
pub use recipe::hybrid::{SearchOptions, SearchResponse};
pub use recipe::vault::{
    Federated, Federation, FederationTier, Signals, Tier, Vault, VaultAction, VaultAdd, VaultFeedback,
    VaultLink, VaultLinked, VaultLoaded, VaultMode, VaultMut, VaultQuery, VaultRemoved, VaultResponse,
    VaultResult, VaultScan, VaultUnlink, VaultUnlinked, VaultUpdate, VaultUpdated, VaultWeights,
    VaultWriteOptions, VaultWritten,
};
pub use schema::{Schema, SchemaError, SchemaFault};
pub use snapshot::{SnapshotError, SnapshotFault};
