//! How do the stores become one file?
//!
//! Opening reads only the header and the section table. A section's checksum is verified when the section is first used.
//! So the cost of opening does not depend on the file's length, and damaged bytes are never used.
//!
//! A file need not be in memory as a whole: [`Snapshot::open_in_pieces`] needs only its head.

mod error;
mod header;
mod parts;
mod pieces;
mod sections;
mod split;

pub use error::{SnapshotError, SnapshotFault};
pub use header::{FORMAT, FORMAT_WITHOUT_HEAD, Header};
pub use parts::Parts;
pub use pieces::FilePieces;
pub use sections::{Section, SectionKind, encode, write};
pub use split::Split;

use crate::bytes::Bytes;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// The bytes of a file, and its section table.
#[derive(Debug)]
pub struct Snapshot {
    format: u32,
    content: Content,
    sections: Vec<Section>,
    checked: Vec<AtomicBool>,
}

#[derive(Debug)]
enum Content {
    Whole(Vec<u8>),
    InPieces(FilePieces),
}

impl Snapshot {
    /// Opens the bytes of a file, which [`encode`] wrote.
    ///
    /// # Errors
    /// Fails when the bytes are not a snapshot, have another format or length than expected, or when the header is
    /// damaged.
    pub fn open(bytes: Vec<u8>) -> Result<Snapshot, SnapshotError> {
        let header = Header::parse(&bytes)?;
        let sections = sections::parse(&header, &bytes, bytes.len() as u64)?;
        let checked = sections.iter().map(|_| AtomicBool::new(false)).collect::<Vec<_>>();
        Ok(Snapshot { format: header.format, content: Content::Whole(bytes), sections, checked })
    }

    /// Opens a file of which only the head is in memory. [`Header::head_len`] tells its length.
    ///
    /// # Errors
    /// Fails as [`Snapshot::open`] does, when `head` is not the whole head, and when the format has no head.
    pub fn open_in_pieces(mut head: Vec<u8>) -> Result<Snapshot, SnapshotError> {
        let header = Header::parse(&head)?;
        if header.format == FORMAT_WITHOUT_HEAD {
            return Err(SnapshotFault::NoPieces.into());
        }
        let (expected, found) = (header.head_len, head.len() as u64);
        if found < expected {
            return Err(SnapshotFault::WrongLength { expected, found }.into());
        }
        head.truncate(usize::try_from(expected).unwrap_or(usize::MAX));
        let sections = sections::parse(&header, &head, header.file_len)?;
        let in_head = |section: &&Section| section.range.end <= head.len();
        for section in sections.iter().filter(in_head) {
            if xxh3_64(&head[section.range.clone()]) != section.checksum {
                return Err(SnapshotFault::Checksum { section: section.kind }.into());
            }
        }
        let kind = SectionKind::PartChecksums;
        let checksums = sections.iter().find(|section| section.kind == kind);
        let checksums = checksums.ok_or(SnapshotFault::MissingSection { section: kind })?;
        let end = usize::try_from(header.file_len).unwrap_or(usize::MAX);
        let parts = Parts::parse(&head[checksums.range.clone()], head.len()..end)?;
        let content = Content::InPieces(FilePieces::new(head, parts));
        Ok(Snapshot { format: header.format, content, sections, checked: Vec::new() })
    }

    /// Returns the format of the file.
    pub fn format(&self) -> u32 {
        self.format
    }

    /// Returns the length of the whole file, in bytes.
    pub fn file_len(&self) -> usize {
        match &self.content {
            Content::Whole(bytes) => bytes.len(),
            Content::InPieces(pieces) => pieces.parts().range.end,
        }
    }

    /// Returns the pieces that are in memory, or `None` if the whole file is.
    pub fn pieces(&self) -> Option<&FilePieces> {
        match &self.content {
            Content::Whole(_) => None,
            Content::InPieces(pieces) => Some(pieces),
        }
    }

    /// Returns the pieces that are in memory, for adding and dropping some.
    pub fn pieces_mut(&mut self) -> Option<&mut FilePieces> {
        match &mut self.content {
            Content::Whole(_) => None,
            Content::InPieces(pieces) => Some(pieces),
        }
    }

    /// Returns a range of the file, which is within its bounds.
    fn range(&self, range: Range<usize>) -> Bytes<'_> {
        match &self.content {
            Content::Whole(bytes) => Bytes::Whole(&bytes[range]),
            Content::InPieces(pieces) => Bytes::InPieces { pieces, start: range.start, len: range.len() },
        }
    }

    /// Returns the section table.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// Returns the section's bytes, of which some may not be in memory, or `None` if the file has no such section.
    ///
    /// # Errors
    /// Fails when the checksum does not match. It is computed only on first use. The pieces of a file that is not whole were
    /// checked when they arrived.
    pub fn optional_bytes(&self, kind: SectionKind) -> Result<Option<Bytes<'_>>, SnapshotError> {
        let Some(place) = self.sections.iter().position(|section| section.kind == kind) else {
            return Ok(None);
        };
        let section = &self.sections[place];
        let bytes = self.range(section.range.clone());
        if let (Bytes::Whole(bytes), Some(checked)) = (bytes, self.checked.get(place))
            && !checked.load(Ordering::Relaxed)
        {
            if xxh3_64(bytes) != section.checksum {
                return Err(SnapshotFault::Checksum { section: kind }.into());
            }
            checked.store(true, Ordering::Relaxed);
        }
        Ok(Some(bytes))
    }

    /// Returns the bytes of a required section, of which some may not be in memory.
    ///
    /// # Errors
    /// Fails when the section is missing or its checksum does not match.
    pub fn bytes(&self, kind: SectionKind) -> Result<Bytes<'_>, SnapshotError> {
        Ok(self.optional_bytes(kind)?.ok_or(SnapshotFault::MissingSection { section: kind })?)
    }

    /// Returns all bytes of a section, or `None` if the file has no such section.
    ///
    /// # Errors
    /// Fails when the checksum does not match, or when some bytes are not in memory.
    pub fn optional_section(&self, kind: SectionKind) -> Result<Option<&[u8]>, SnapshotError> {
        Ok(self.optional_bytes(kind)?.map(|bytes| bytes.all()).transpose()?)
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
    /// Fails when a checksum does not match, another byte lies between sections, or not all of the file is in memory.
    pub fn verify(&self) -> Result<(), SnapshotError> {
        self.require_all()?;
        let mut end = Header::LEN + 32 * self.sections.len();
        for section in &self.sections {
            if self.range(end..section.range.start).all()?.iter().any(|&byte| byte != 0) {
                return Err(SnapshotFault::HeaderChecksum.into());
            }
            if xxh3_64(self.range(section.range.clone()).all()?) != section.checksum {
                return Err(SnapshotFault::Checksum { section: section.kind }.into());
            }
            end = section.range.end;
        }
        if end != self.file_len() {
            return Err(SnapshotFault::HeaderChecksum.into());
        }
        self.verify_parts()
    }

    /// Checks that the whole file is in memory, and asks for everything that is missing at once.
    ///
    /// # Errors
    /// Fails when some bytes are not in memory.
    pub fn require_all(&self) -> Result<(), SnapshotError> {
        if let Some(pieces) = self.pieces() {
            self.range(pieces.parts().range.clone()).all()?;
        }
        Ok(())
    }

    /// Checks that the checksums of the parts belong to the bytes after the head.
    fn verify_parts(&self) -> Result<(), SnapshotError> {
        let Content::Whole(bytes) = &self.content else { return Ok(()) };
        if self.format == FORMAT_WITHOUT_HEAD {
            return Ok(());
        }
        let kind = SectionKind::PartChecksums;
        let start = usize::try_from(Header::parse(bytes)?.head_len).unwrap_or(usize::MAX);
        let parts = Parts::parse(self.section(kind)?, start..bytes.len())?;
        if parts.are(start, &bytes[start..]) {
            Ok(())
        } else {
            Err(SnapshotFault::Checksum { section: kind }.into())
        }
    }
}
