//! How do the stores become one file?
//!
//! Opening reads the header and the table of sections and nothing else. A section's checksum is checked when it
//! is first used, so opening costs the same for any size, and a damaged file is still never believed.

mod error;
mod header;
mod sections;
mod split;

pub use error::{SnapshotError, SnapshotFault};
pub use header::{FORMAT, Header};
pub use sections::{Section, SectionKind, encode, insert, write};
pub use split::Split;

use std::sync::atomic::{AtomicBool, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// The bytes of a file, and where its sections stand.
#[derive(Debug)]
pub struct Snapshot {
    bytes: Vec<u8>,
    sections: Vec<Section>,
    checked: Vec<AtomicBool>,
}

impl Snapshot {
    /// Takes the bytes of a file; [`encode`] made them.
    ///
    /// # Errors
    /// When it is no snapshot, of another format, of another length than it says, or its header is damaged.
    pub fn open(bytes: Vec<u8>) -> Result<Snapshot, SnapshotError> {
        let sections = sections::parse(&bytes)?;
        let checked = sections.iter().map(|_| AtomicBool::new(false)).collect::<Vec<_>>();
        Ok(Snapshot { bytes, sections, checked })
    }

    /// The whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The table of sections.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The bytes of a section; none where the file has no such section.
    ///
    /// # Errors
    /// When its checksum does not fit. It is computed on first use only.
    pub fn optional_section(&self, kind: SectionKind) -> Result<Option<&[u8]>, SnapshotError> {
        let Some(place) = self.sections.iter().position(|section| section.kind == kind) else {
            return Ok(None);
        };
        let section = &self.sections[place];
        let bytes = &self.bytes[section.range.clone()];
        if !self.checked[place].load(Ordering::Relaxed) {
            if xxh3_64(bytes) != section.checksum {
                return Err(SnapshotFault::Checksum { section: kind }.into());
            }
            self.checked[place].store(true, Ordering::Relaxed);
        }
        Ok(Some(bytes))
    }

    /// The bytes of a section that every file has.
    ///
    /// # Errors
    /// When it is missing, or its checksum does not fit.
    pub fn section(&self, kind: SectionKind) -> Result<&[u8], SnapshotError> {
        Ok(self.optional_section(kind)?.ok_or(SnapshotFault::MissingSection { section: kind })?)
    }

    /// Checks every checksum again, and that nothing stands between the sections.
    ///
    /// # Errors
    /// When one does not fit.
    pub fn verify(&self) -> Result<(), SnapshotError> {
        let mut end = Header::LEN + 32 * self.sections.len();
        for section in &self.sections {
            if self.bytes[end..section.range.start].iter().any(|&byte| byte != 0) {
                return Err(SnapshotFault::HeaderChecksum.into());
            }
            if xxh3_64(&self.bytes[section.range.clone()]) != section.checksum {
                return Err(SnapshotFault::Checksum { section: section.kind }.into());
            }
            end = section.range.end;
        }
        if end == self.bytes.len() { Ok(()) } else { Err(SnapshotFault::HeaderChecksum.into()) }
    }
}
