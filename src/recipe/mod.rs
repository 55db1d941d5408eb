//! How does each source system rank?
//!
//! Every recipe has one home: its options, ranking, response and writes stand together. A recipe reads the engine's segments
//! and state, runs the shared [`pipeline`](crate::pipeline), and owns no retrieval of its own.

pub mod hybrid;
pub mod memory;
pub mod rag;
pub mod unified;
pub mod vault;
