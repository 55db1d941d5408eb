//! What can be wrong with a file.

use super::sections::SectionKind;
use crate::document::{StoreError, StoreFault};
use crate::schema::SchemaError;
use crate::wire::Malformed;

/// Why bytes cannot be opened, or read further, as a snapshot.
pub type SnapshotError = Box<SnapshotFault>;

/// What is wrong with the bytes.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotFault {
    /// The bytes do not start like a snapshot.
    #[error("this is not a snapseek snapshot; make one with `snapseek build`")]
    NotASnapshot,
    /// The bytes end too early, or go on too long.
    #[error("the snapshot has {found} bytes, its header says {expected}; fetch it again, whole")]
    WrongLength {
        /// What the header says.
        expected: u64,
        /// What there is.
        found: u64,
    },
    /// The snapshot was written in a format this build cannot read.
    #[error(
        "snapshot format {found} is not supported; this build reads format {supported}: update snapseek, or build the snapshot again"
    )]
    UnsupportedVersion {
        /// The snapshot's format.
        found: u32,
        /// The format this build reads.
        supported: u32,
    },
    /// A section's bytes are not those that were written.
    #[error("the snapshot is damaged: the checksum of its {} section does not fit; fetch or build it again", .section.name())]
    Checksum {
        /// The section.
        section: SectionKind,
    },
    /// The header's bytes are not those that were written.
    #[error("the snapshot is damaged: the checksum of its header does not fit; fetch or build it again")]
    HeaderChecksum,
    /// The bytes are changes to a snapshot.
    #[error("these are changes, not a snapshot; open the snapshot and apply them to it")]
    IsChanges,
    /// A section is not there.
    #[error("the snapshot has no {} section; build it again", .section.name())]
    MissingSection {
        /// The section.
        section: SectionKind,
    },
    /// A section's bytes make no sense.
    #[error("the snapshot is damaged: {0}; fetch or build it again")]
    Malformed(Malformed),
    /// Stored documents are in other files, and cannot be had from there.
    #[error(transparent)]
    Documents(StoreError),
    /// Its schema cannot be read.
    #[error("the snapshot is damaged: its schema cannot be read: {reason}")]
    Schema {
        /// What the JSON reader says.
        reason: String,
    },
    /// Its schema cannot be used.
    #[error(transparent)]
    BadSchema(SchemaError),
}

boxed_from!(SnapshotFault: Malformed(Malformed), BadSchema(SchemaError));

impl From<StoreError> for SnapshotError {
    #[cold]
    fn from(error: StoreError) -> SnapshotError {
        Box::new(match *error {
            StoreFault::Malformed(malformed) => SnapshotFault::Malformed(malformed),
            _ => SnapshotFault::Documents(error),
        })
    }
}
