//! Hybrid search that ships as a file.
//!
//! A [`Builder`] turns records into the bytes of a snapshot. An [`Engine`] opens a snapshot and answers queries by keywords,
//! with the rows, order and scores of SQLite FTS5, by vectors, or by both.
//!
//! ```
//! use snapseek::json::Json;
//! use snapseek::{Builder, Engine, MatchOptions, Record, Schema, SearchOptions};
//!
//! let record = |text: &str| Record::from_json(Json::parse(text.as_bytes()).unwrap()).unwrap();
//! let schema = Schema::of_fields([("title", 10.0), ("body", 1.0)])?;
//! let mut builder = Builder::new(&schema)?;
//! builder.add(&record(r#"{"id": "1", "title": "Foxes", "body": "The quick brown fox jumps."}"#))?;
//! builder.add(&record(r#"{"id": "2", "title": "Dogs", "body": "The dog is lazy."}"#))?;
//! let mut engine = Engine::open(builder.finish()?)?;
//!
//! let response = engine.search("quick foxes", &SearchOptions::default())?;
//! assert_eq!(response.hits[0].id, "1");
//! let rows = engine.matches("title : dogs OR NEAR(brown jumps, 2)", &MatchOptions::default())?;
//! assert_eq!(rows.len(), 2);
//!
//! engine.add([&record(r#"{"id": "3", "title": "Cats"}"#)])?;
//! assert_eq!(engine.len(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Map
//!
//! | To | Use |
//! |---|---|
//! | describe records | [`Schema`], [`schema`] |
//! | build a snapshot | [`Builder`], [`segment`], [`snapshot`] |
//! | search by plain words | [`Engine::search`], [`SearchOptions`], [`recipe::hybrid`] |
//! | run an FTS5 expression | [`Engine::matches`], [`MatchOptions`], [`query`] |
//! | rank like one of the source systems | [`recipe::memory`], [`recipe::rag`], [`recipe::unified`], [`recipe::vault`] |
//! | call a recipe by name with JSON | [`Engine::call`], [`call_names`] |
//! | write at run time | [`Engine::add`], [`Engine::remove`], [`Engine::changes`], [`Engine::snapshot`] |
//! | embed texts without a model server | [`embed`], [`Engine::embed`] |
//! | fuse and score lists of your own | [`ranking`], [`primitives`] |
//!
//! Errors are enums in a box: an `…Error` is a `Box<…Fault>`. The modules are listed by layer in `ARCHITECTURE.md`.

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

pub use snapseek_index::{analysis, bitmap, bm25, bytes, ids, inverted, json, order, vector, wire};
use snapseek_index::{bits, codes, lz4, scoring};

pub use builder::{BuildError, BuildFault, Builder};
pub use calls::call_names;
pub use document::{Key, Record, RecordError};
pub use engine::{
    Clock, Column, Embedded, Engine, HighlightOptions, MatchOptions, MatchRow, MatchSnippet, MissingPiece,
    SearchError, SearchFault, TextsToEmbed, WriteError, WriteFault, Written,
};
pub use recipe::hybrid::{SearchOptions, SearchResponse};
pub use recipe::unified::{Unified, UnifiedHit, UnifiedQuery, UnifiedResponse, UnifiedStats};
pub use recipe::vault::{
    Federated, Federation, FederationTier, Signals, Tier, Vault, VaultAction, VaultAdd, VaultFeedback,
    VaultLink, VaultLinked, VaultLoaded, VaultMode, VaultMut, VaultQuery, VaultRemoved, VaultResponse,
    VaultResult, VaultScan, VaultUnlink, VaultUnlinked, VaultUpdate, VaultUpdated, VaultWeights,
    VaultWriteOptions, VaultWritten,
};
pub use schema::{Schema, SchemaError, SchemaFault};
pub use snapshot::{SnapshotError, SnapshotFault};
