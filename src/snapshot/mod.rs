//! How do the stores become one file?
//!
//! Opening reads only the header and the section table. A section's checksum is verified when the section is first used.
//! So the cost of opening does not depend on the file's length, and damaged bytes are never used.

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

/// The bytes of a file, and its section table.
#[derive(Debug)]
pub struct Snapshot {
    bytes: Vec<u8>,
    sections: Vec<Section>,
    checked: Vec<AtomicBool>,
}

impl Snapshot {
    /// Opens the bytes of a file, which [`encode`] wrote.
    ///
    /// # Errors
    /// Fails when the bytes are not a snapshot, have another format or length than expected, or when the header is
    /// damaged.
    pub fn open(bytes: Vec<u8>) -> Result<Snapshot, SnapshotError> {
        let sections = sections::parse(&bytes)?;
        let checked = sections.iter().map(|_| AtomicBool::new(false)).collect::<Vec<_>>();
        Ok(Snapshot { bytes, sections, checked })
    }

    /// Returns the whole file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the section table.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the bytes of a section, or `None` if the file has no such section.
    ///
    /// # Errors
    /// Fails when the checksum does not match. It is computed only on first use.
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

    /// Returns the bytes of a required section.
    ///
    /// # Errors
    /// Fails when the section is missing or its checksum does not match.
    pub fn section(&self, kind: SectionKind) -> Result<&[u8], SnapshotError> {
        Ok(self.optional_section(kind)?.ok_or(SnapshotFault::MissingSection { section: kind })?)
    }

    /// Verifies all checksums again, and that only zeros lie between sections.
    ///
    /// # Errors
    /// Fails when a checksum does not match or another byte lies between sections.
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
