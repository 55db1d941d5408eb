//! The errors of searches and writes.

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

/// The error of a search.
pub type SearchError = Box<SearchFault>;

/// The reasons why a search fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SearchFault {
    /// The expression does not parse.
    #[error(transparent)]
    Query(QueryError),
    /// The filter is invalid.
    #[error(transparent)]
    Filter(FilterError),
    /// One option is invalid.
    #[error("{option}: {reason}")]
    Option {
        /// The name of the option.
        option: &'static str,
        /// The fault, and the values that are allowed.
        reason: String,
    },
    /// Several options may be invalid; the message names every fault.
    #[error(transparent)]
    Options(OptionsError),
    /// The query or a text has no usable vector, and the caller asked for `strict`.
    #[error("{reason}")]
    Embedding {
        /// The reason.
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
        /// The kind of thing that the caller asked for, such as a memory.
        what: &'static str,
        /// Its id.
        id: String,
    },
    /// The call is a write, and the write failed.
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

/// Creates the error for an invalid option.
#[cold]
pub(crate) fn wrong(option: &'static str, reason: String) -> SearchError {
    Box::new(SearchFault::Option { option, reason })
}

/// The error of a write. A write that fails changes nothing.
pub type WriteError = Box<WriteFault>;

/// The reasons why a write fails.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WriteFault {
    /// A record does not fit the schema or a limit.
    #[error(transparent)]
    Record(BatchError),
    /// The records exceed a limit of the format.
    #[error(transparent)]
    Merge(MergeError),
    /// The schema is invalid.
    #[error(transparent)]
    Schema(SchemaError),
    /// The changes were made with another schema.
    #[error("the changes were made with another schema; apply them to the snapshot they came from")]
    OtherSchema,
    /// A line other than a record is invalid.
    #[error(transparent)]
    Line(LineError),
    /// The stored documents cannot be split into files of the requested size.
    #[error(transparent)]
    Files(TooSmallFiles),
    /// The snapshot or the changes are damaged.
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
