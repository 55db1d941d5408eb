//! Which sections does a file have? A table lists each with its range and checksum.

use super::error::{SnapshotError, SnapshotFault};
use super::header::{FORMAT, Header};
use crate::wire::{Malformed, Reader};
use std::io;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// The kinds of sections. The numbers are written to the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u32)]
pub enum SectionKind {
    /// The schema, as JSON.
    Schema = 1,
    /// The ids and kinds of the documents.
    Keys = 2,
    /// The location of each stored document.
    DocumentTable = 3,
    /// The stored documents.
    Documents = 4,
    /// The attribute columns.
    Attributes = 5,
    /// The dictionary.
    Terms = 6,
    /// The posting lists.
    Postings = 7,
    /// The table of shapes.
    Shapes = 8,
    /// The lengths of documents, in tokens.
    Lengths = 9,
    /// The unstemmed words; present only if the schema keeps them.
    Forms = 10,
    /// The keys that a set of changes removes; present only in changes.
    Removed = 11,
    /// The vectors; present only if the schema has a model.
    Vectors = 12,
    /// The embedders of the snapshot; present only if a model has one.
    Embedders = 13,
    /// Links, sessions, uses, feedback and changed fields; present only if there are any.
    State = 14,
    /// The list of files that hold the stored documents; present only if the snapshot does not hold them.
    DocumentFiles = 15,
}

impl SectionKind {
    /// Lists every kind of section.
    pub const ALL: [SectionKind; 15] = {
        use SectionKind::{
            Attributes, DocumentFiles, DocumentTable, Documents, Embedders, Forms, Keys, Lengths, Postings,
            Removed, Schema, Shapes, State, Terms, Vectors,
        };
        [
            Schema,
            Keys,
            DocumentTable,
            Documents,
            Attributes,
            Terms,
            Postings,
            Shapes,
            Lengths,
            Forms,
            Removed,
            Vectors,
            Embedders,
            State,
            DocumentFiles,
        ]
    };

    /// Returns the name of the section for messages.
    pub fn name(self) -> &'static str {
        match self {
            SectionKind::Schema => "schema",
            SectionKind::Keys => "keys",
            SectionKind::DocumentTable => "document table",
            SectionKind::Documents => "documents",
            SectionKind::Attributes => "attributes",
            SectionKind::Terms => "terms",
            SectionKind::Postings => "postings",
            SectionKind::Shapes => "shapes",
            SectionKind::Lengths => "lengths",
            SectionKind::Forms => "forms",
            SectionKind::Removed => "removed",
            SectionKind::Vectors => "vectors",
            SectionKind::Embedders => "embedders",
            SectionKind::State => "state",
            SectionKind::DocumentFiles => "document files",
        }
    }

    fn from_number(number: u32) -> Option<SectionKind> {
        SectionKind::ALL.into_iter().find(|kind| *kind as u32 == number)
    }
}

/// Sections start at multiples of this, in bytes.
const ALIGNMENT: usize = 16;

/// One row of the section table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// The kind of the section.
    pub kind: SectionKind,
    /// The range of the section's bytes in the file.
    pub range: Range<usize>,
    /// The checksum of its bytes.
    pub checksum: u64,
}

impl Section {
    /// The length of a table row in bytes: kind, zero, offset, length, checksum.
    const LEN: usize = 32;

    fn encode(&self) -> [u8; Section::LEN] {
        let mut row = [0; Section::LEN];
        row[..4].copy_from_slice(&(self.kind as u32).to_le_bytes());
        row[8..16].copy_from_slice(&(self.range.start as u64).to_le_bytes());
        row[16..24].copy_from_slice(&(self.range.len() as u64).to_le_bytes());
        row[24..].copy_from_slice(&self.checksum.to_le_bytes());
        row
    }

    fn parse(reader: &mut Reader, end: usize) -> Result<Section, Malformed> {
        let malformed = reader.malformed();
        let kind = SectionKind::from_number(reader.u32()?).ok_or(malformed)?;
        let reserved = reader.u32()?;
        let start = usize::try_from(reader.u64()?).map_err(|_| malformed)?;
        let len = usize::try_from(reader.u64()?).map_err(|_| malformed)?;
        let checksum = reader.u64()?;
        let last = start.checked_add(len).ok_or(malformed)?;
        if reserved != 0 || last > end || start % ALIGNMENT != 0 {
            return Err(malformed);
        }
        Ok(Section { kind, range: start..last, checksum })
    }
}

/// Inserts a section before the documents, which must come last.
pub fn insert(parts: &mut Vec<(SectionKind, Vec<u8>)>, kind: SectionKind, bytes: Vec<u8>) {
    let place = parts.iter().position(|(kind, _)| *kind == SectionKind::Documents).unwrap_or(parts.len());
    parts.insert(place, (kind, bytes));
}

/// Encodes a file of these sections, in this order; [`parse`] reads it.
pub fn encode(parts: &[(SectionKind, Vec<u8>)]) -> Vec<u8> {
    let lens = parts.iter().map(|(_, bytes)| Section::LEN + ALIGNMENT + bytes.len());
    let mut out = Vec::with_capacity(Header::LEN + lens.sum::<usize>());
    // `expect` would link the texts of all I/O errors into the WebAssembly module.
    assert!(write(parts, &mut out).is_ok(), "a vector takes everything");
    out
}

/// Writes a file of these sections, in this order, without copying it in memory; [`parse`] reads it.
///
/// # Errors
/// Fails when `out` does.
pub fn write(parts: &[(SectionKind, Vec<u8>)], out: &mut impl io::Write) -> io::Result<()> {
    let mut sections = Vec::with_capacity(parts.len());
    let mut at = Header::LEN + Section::LEN * parts.len();
    for (kind, bytes) in parts {
        let start = at.next_multiple_of(ALIGNMENT);
        at = start + bytes.len();
        sections.push(Section { kind: *kind, range: start..at, checksum: xxh3_64(bytes) });
    }
    let mut table = Vec::with_capacity(Section::LEN * parts.len());
    sections.iter().for_each(|section| table.extend_from_slice(&section.encode()));
    let header = Header {
        format: FORMAT,
        sections: crate::wire::len32(parts.len()),
        file_len: at as u64,
        table_checksum: xxh3_64(&table),
    };
    out.write_all(&header.encode())?;
    out.write_all(&table)?;
    let mut end = Header::LEN + table.len();
    for (section, (_, bytes)) in sections.iter().zip(parts) {
        out.write_all(&[0; ALIGNMENT][..section.range.start - end])?;
        out.write_all(bytes)?;
        end = section.range.end;
    }
    Ok(())
}

/// Reads the header and section table of a file that [`encode`] wrote. The checksums of sections are not verified.
///
/// # Errors
/// Fails when the bytes are not a snapshot, have another format or length than expected, or when header or table is
/// damaged.
pub fn parse(bytes: &[u8]) -> Result<Vec<Section>, SnapshotError> {
    let header = Header::parse(bytes)?;
    let mut reader = Reader::new(&bytes[Header::LEN..], "the table of sections");
    let count = header.sections as usize;
    let table_len = count.checked_mul(Section::LEN).ok_or(reader.malformed())?;
    let table = Reader::new(reader.rest(), "the table of sections").take(table_len)?;
    if xxh3_64(table) != header.table_checksum {
        return Err(SnapshotFault::HeaderChecksum.into());
    }
    let mut sections: Vec<Section> = Vec::with_capacity(count);
    for _ in 0..count {
        let section = Section::parse(&mut reader, bytes.len())?;
        let after = sections.last().map_or(Header::LEN + table_len, |last| last.range.end);
        let is_repeated = sections.iter().any(|other| other.kind == section.kind);
        if section.range.start < after || is_repeated {
            return Err(reader.malformed().into());
        }
        sections.push(section);
    }
    Ok(sections)
}
