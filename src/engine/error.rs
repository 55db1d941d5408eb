//! What can go wrong with a search, and with a write.

use super::calls::CALLS;
use crate::document::{StoreError, TooSmallFiles};
use crate::options::OptionsError;
use crate::query::QueryError;
use crate::recipe::InterpretError;
use crate::retrieval::FilterError;
use crate::schema::SchemaError;
use crate::segment::{BatchError, MergeError};
use crate::snapshot::SnapshotError;
use crate::state::LineError;
use crate::wire::Malformed;

/// Why a search has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchError {
    /// The expression does not parse.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// The filter cannot be used.
    #[error(transparent)]
    Filter(#[from] FilterError),
    /// An option cannot be used.
    #[error("{option}: {reason}")]
    Option {
        /// The option.
        option: &'static str,
        /// What is wrong, and what is allowed.
        reason: String,
    },
    /// Options cannot be used.
    #[error(transparent)]
    Options(#[from] OptionsError),
    /// There is no such call.
    #[error("there is no call {name:?}; there are {}", CALLS.join(", "))]
    UnknownCall {
        /// What was called.
        name: String,
    },
    /// There is no such record.
    #[error("{what} not found: {id}")]
    NotFound {
        /// What was looked for.
        what: &'static str,
        /// Its id.
        id: String,
    },
    /// What the call writes could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The snapshot is damaged.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl From<InterpretError> for SearchError {
    fn from(error: InterpretError) -> SearchError {
        match error {
            InterpretError::Query(error) => SearchError::Query(error),
            InterpretError::Snapshot(error) => SearchError::Snapshot(error),
        }
    }
}

impl From<StoreError> for SearchError {
    fn from(error: StoreError) -> SearchError {
        SearchError::Snapshot(error.into())
    }
}

impl From<Malformed> for SearchError {
    fn from(error: Malformed) -> SearchError {
        SearchError::Snapshot(error.into())
    }
}

/// Why a write cannot be done; then nothing of it is.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// A record cannot be taken.
    #[error(transparent)]
    Record(#[from] BatchError),
    /// There is too much for one segment.
    #[error(transparent)]
    Merge(#[from] MergeError),
    /// The schema cannot be used.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The changes were made with another schema.
    #[error("the changes were made with another schema; apply them to the snapshot they came from")]
    OtherSchema,
    /// A line that is no record cannot be taken.
    #[error(transparent)]
    Line(#[from] LineError),
    /// The documents cannot be divided as was asked for.
    #[error(transparent)]
    Files(#[from] TooSmallFiles),
    /// The snapshot, or the changes, are damaged.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

impl From<Malformed> for WriteError {
    fn from(error: Malformed) -> WriteError {
        WriteError::Snapshot(error.into())
    }
}
