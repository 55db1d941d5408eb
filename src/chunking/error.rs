//! Why sizes cannot be used for chunks.

use super::{MAX_OVERLAP, MAX_SIZE};

/// Why text cannot be chunked as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkError {
    /// The size is out of range.
    #[error("a chunk cannot have {size} characters; 1 to {MAX_SIZE} are allowed")]
    BadSize {
        /// What was asked for.
        size: usize,
    },
    /// The overlap is out of range.
    #[error("chunks cannot overlap by {overlap} characters; 0 to {MAX_OVERLAP} are allowed")]
    BadOverlap {
        /// What was asked for.
        overlap: usize,
    },
    /// Chunks would not get on.
    #[error(
        "chunks of {size} characters cannot overlap by {overlap}; the overlap has to be less than the size"
    )]
    OverlapNotLess {
        /// The size.
        size: usize,
        /// The overlap.
        overlap: usize,
    },
}
