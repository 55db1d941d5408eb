//! Why can a file not be read?

use super::sections::SectionKind;
use crate::document::{StoreError, StoreFault};
use crate::schema::SchemaError;
use crate::wire::Malformed;

/// A boxed [`SnapshotFault`].
pub type SnapshotError = Box<SnapshotFault>;

/// The reasons why bytes cannot be opened or read as a snapshot.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SnapshotFault {
    /// The bytes do not start with a snapshot's signature.
    #[error("this is not a snapseek snapshot; make one with `snapseek build`")]
    NotASnapshot,
    /// The bytes are an HTML page.
    #[error(
        "this is an HTML page, not a snapseek snapshot; the server probably answers with a page where there is no file: check the address"
    )]
    HtmlPage,
    /// The bytes are shorter or longer than the header says.
    #[error("the snapshot has {found} bytes, but its header says {expected}; download all of it again")]
    WrongLength {
        /// The length in the header, in bytes.
        expected: u64,
        /// The actual length, in bytes.
        found: u64,
    },
    /// The snapshot was written in a format this build cannot read.
    #[error(
        "snapshot format {found} is not supported; this build reads formats 1 to {supported}: update snapseek, or build the snapshot again"
    )]
    UnsupportedVersion {
        /// The snapshot's format.
        found: u32,
        /// The latest format this build reads.
        supported: u32,
    },
    /// A section's checksum does not match its bytes.
    #[error("the snapshot is damaged: the checksum of its {} section does not match; download or build it again", .section.name())]
    Checksum {
        /// The section.
        section: SectionKind,
    },
    /// The header's checksum does not match its bytes.
    #[error("the snapshot is damaged: the checksum of its header does not match; download or build it again")]
    HeaderChecksum,
    /// A fetched part of the file does not match its checksum.
    #[error(
        "a part of the snapshot does not match its checksum: the file was replaced since it was opened, or is damaged; open it again"
    )]
    Changed,
    /// The file has a format that can only be read whole.
    #[error("a snapshot of format 1 cannot be read in pieces; load it whole, or build it again")]
    NoPieces,
    /// The bytes are a set of changes to a snapshot.
    #[error("these are changes, not a snapshot; open the snapshot and apply them to it")]
    IsChanges,
    /// A required section is missing.
    #[error("the snapshot has no {} section; build it again", .section.name())]
    MissingSection {
        /// The section.
        section: SectionKind,
    },
    /// The bytes of a section are malformed.
    #[error("the snapshot is damaged: {0}; download or build it again")]
    Malformed(Malformed),
    /// Stored documents are in separate files and cannot be read from there.
    #[error(transparent)]
    Documents(StoreError),
    /// The snapshot's schema cannot be read.
    #[error("the snapshot is damaged: its schema cannot be read: {reason}; download or build it again")]
    Schema {
        /// The error message of the JSON reader.
        reason: String,
    },
    /// The snapshot's schema is invalid.
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
