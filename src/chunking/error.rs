//! Why are chunk sizes refused?

use super::{MAX_OVERLAP, MAX_SIZE};

/// The reasons why [`chunk_text`](super::chunk_text) refuses its sizes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChunkError {
    /// The size is out of range.
    #[error("a chunk cannot have {size} characters; 1 to {MAX_SIZE} are allowed")]
    BadSize {
        /// The requested size in characters.
        size: usize,
    },
    /// The overlap is out of range.
    #[error("chunks cannot overlap by {overlap} characters; 0 to {MAX_OVERLAP} are allowed")]
    BadOverlap {
        /// The requested overlap in characters.
        overlap: usize,
    },
    /// The overlap is not less than the size, so each chunk would start where the last one did.
    #[error(
        "chunks of {size} characters cannot overlap by {overlap}; the overlap has to be less than the size"
    )]
    OverlapNotLess {
        /// The requested size in characters.
        size: usize,
        /// The requested overlap in characters.
        overlap: usize,
    },
}
