//! What can go wrong with a search, and with a write.

use crate::document::{StoreError, TooSmallFiles};
use crate::options::OptionsError;
use crate::pipeline::{InterpretError, InterpretFault};
use crate::query::QueryError;
use crate::retrieval::FilterError;
use crate::schema::SchemaError;
use crate::segment::{BatchError, MergeError};
use crate::snapshot::SnapshotError;
use crate::state::LineError;
use crate::wire::Malformed;

/// Why a search has no answer.
pub type SearchError = Box<SearchFault>;

/// What keeps a search from being answered.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchFault {
    /// The expression does not parse.
    #[error(transparent)]
    Query(QueryError),
    /// The filter cannot be used.
    #[error(transparent)]
    Filter(FilterError),
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
    Options(OptionsError),
    /// The query or a text has no usable vector, and the caller asked for `strict`.
    #[error("{reason}")]
    Embedding {
        /// Why there is no vector.
        reason: String,
    },
    /// There is no such call.
    #[error("there is no call \"{name}\"; the calls are {}", known)]
    UnknownCall {
        /// The name that was called.
        name: String,
        /// The names of all calls.
        known: String,
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
    Write(WriteError),
    /// The snapshot is damaged.
    #[error(transparent)]
    Snapshot(SnapshotError),
}

boxed_from!(SearchFault:
    Query(QueryError),
    Filter(FilterError),
    Options(OptionsError),
    Write(WriteError),
    Snapshot(SnapshotError),
);

impl From<InterpretError> for SearchError {
    fn from(error: InterpretError) -> SearchError {
        match *error {
            InterpretFault::Query(error) => error.into(),
            InterpretFault::Snapshot(error) => error.into(),
        }
    }
}

impl From<StoreError> for SearchError {
    fn from(error: StoreError) -> SearchError {
        SnapshotError::from(error).into()
    }
}

impl From<Malformed> for SearchError {
    fn from(error: Malformed) -> SearchError {
        SnapshotError::from(error).into()
    }
}

/// An option that cannot be used.
#[cold]
pub(crate) fn wrong(option: &'static str, reason: String) -> SearchError {
    Box::new(SearchFault::Option { option, reason })
}

/// Why a write cannot be done; then nothing of it is.
pub type WriteError = Box<WriteFault>;

/// What keeps a write from being done.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteFault {
    /// A record cannot be taken.
    #[error(transparent)]
    Record(BatchError),
    /// There is too much for one segment.
    #[error(transparent)]
    Merge(MergeError),
    /// The schema cannot be used.
    #[error(transparent)]
    Schema(SchemaError),
    /// The changes were made with another schema.
    #[error("the changes were made with another schema; apply them to the snapshot they came from")]
    OtherSchema,
    /// A line that is no record cannot be taken.
    #[error(transparent)]
    Line(LineError),
    /// The documents cannot be divided as was asked for.
    #[error(transparent)]
    Files(TooSmallFiles),
    /// The snapshot, or the changes, are damaged.
    #[error(transparent)]
    Snapshot(SnapshotError),
}

boxed_from!(WriteFault:
    Record(BatchError),
    Merge(MergeError),
    Schema(SchemaError),
    Line(LineError),
    Files(TooSmallFiles),
    Snapshot(SnapshotError),
);

impl From<Malformed> for WriteError {
    fn from(error: Malformed) -> WriteError {
        SnapshotError::from(error).into()
    }
}
