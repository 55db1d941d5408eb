//! What snapseek does in loops: the analysis of text, postings, vectors, scores.
//!
//! A crate of its own because in WebAssembly this is compiled with some regard for speed, and everything else for size
//! alone. Small functions that loops call are marked `#[inline]`: at this level they would stay calls otherwise.

pub mod analysis;
pub mod bitmap;
pub mod bits;
pub mod bm25;
pub mod codes;
pub mod ids;
pub mod inverted;
pub mod json;
pub mod lz4;
pub mod order;
pub mod scoring;
pub mod vector;
pub mod wire;
