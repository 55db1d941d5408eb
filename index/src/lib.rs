//! The hot loops of snapseek: text analysis, posting lists, vector comparison and scoring.
//!
//! This is a crate of its own because the WebAssembly build compiles it for speed and everything else for size alone.
//! Small functions that loops call are marked `#[inline]`; at this optimisation level the compiler would not inline
//! them by itself.
//!
//! Read the modules in this order:
//!
//! - [`analysis`] turns text into terms, as SQLite's FTS5 does.
//! - [`inverted`] stores where each term occurs: a dictionary, posting lists, document lengths.
//! - [`scoring`] walks posting lists and vector rows and keeps the best documents; [`bm25`] is the formula.
//! - [`vector`] stores embeddings and compares them with a query.
//! - [`bits`], [`codes`], [`bitmap`], [`bytes`], [`wire`], [`lz4`], [`json`] and [`order`] are the encodings and containers below.

pub mod analysis;
pub mod bitmap;
pub mod bits;
pub mod bm25;
pub mod bytes;
pub mod codes;
pub mod ids;
pub mod inverted;
pub mod json;
pub mod lz4;
pub mod order;
pub mod scoring;
pub mod vector;
pub mod wire;
