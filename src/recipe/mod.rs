//! The recipes: one module per source system, with its options, ranking, response and writes.
//!
//! A recipe reads the engine's segments and state, and runs the steps of the shared [`pipeline`](crate::pipeline).

pub mod hybrid;
pub mod memory;
pub mod rag;
pub mod unified;
pub mod vault;
