//! Which sections does a file have? A table lists each with its range and checksum.

use super::error::{SnapshotError, SnapshotFault};
use super::header::{FORMAT, FORMAT_WITHOUT_HEAD, Header};
use super::parts;
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
    /// The index of the dictionary. Format 1 has it in the dictionary itself, as it has the next one.
    TermIndex = 16,
    /// The index of the unstemmed words.
    FormIndex = 17,
    /// The positions of terms in documents. Format 1 has them in the posting lists.
    Positions = 18,
    /// The checksum of each part of the file after the head; not in format 1.
    PartChecksums = 19,
    /// The lengths of documents over all fields. Format 1 has only those per field.
    TotalLengths = 20,
}

impl SectionKind {
    /// Lists every kind of section, in the order of the file: first the sections of the head, which opening needs, then
    /// the others. A query reads pieces of the index, then documents, so these come in this order as well.
    pub const ALL: [SectionKind; 20] = {
        use SectionKind::{
            Attributes, DocumentFiles, DocumentTable, Documents, Embedders, FormIndex, Forms, Keys, Lengths,
            PartChecksums, Positions, Postings, Removed, Schema, Shapes, State, TermIndex, Terms,
            TotalLengths, Vectors,
        };
        [
            Schema,
            PartChecksums,
            DocumentTable,
            DocumentFiles,
            TotalLengths,
            Shapes,
            TermIndex,
            FormIndex,
            Terms,
            Forms,
            Postings,
            Positions,
            Attributes,
            Keys,
            Lengths,
            Vectors,
            Embedders,
            State,
            Documents,
            Removed,
        ]
    };

    /// The number of kinds in [`SectionKind::ALL`] that belong to the head.
    const IN_HEAD: usize = 8;

    /// Returns the place of the section in the order of the file.
    fn place(self) -> usize {
        SectionKind::ALL.iter().position(|kind| *kind == self).unwrap_or(SectionKind::ALL.len())
    }

    /// Reports whether the section belongs to the head.
    fn is_in_head(self) -> bool {
        self.place() < SectionKind::IN_HEAD
    }

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
            SectionKind::TermIndex => "term index",
            SectionKind::FormIndex => "form index",
            SectionKind::Positions => "positions",
            SectionKind::PartChecksums => "part checksums",
            SectionKind::TotalLengths => "total lengths",
        }
    }

    fn from_number(number: u32, format: u32) -> Option<SectionKind> {
        let is_known = |kind: &SectionKind| {
            *kind as u32 == number
                && (format > FORMAT_WITHOUT_HEAD || number <= SectionKind::DocumentFiles as u32)
        };
        SectionKind::ALL.into_iter().find(is_known)
    }
}

/// Sections start at multiples of this, in bytes.
pub(super) const ALIGNMENT: usize = 16;

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

    fn parse(reader: &mut Reader, format: u32, end: usize) -> Result<Section, Malformed> {
        let malformed = reader.malformed();
        let kind = SectionKind::from_number(reader.u32()?, format).ok_or(malformed)?;
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

/// Encodes a file of these sections, in the order of [`SectionKind::ALL`]; [`parse`] reads it.
pub fn encode(parts: &[(SectionKind, Vec<u8>)]) -> Vec<u8> {
    let lens = parts.iter().map(|(_, bytes)| Section::LEN + ALIGNMENT + bytes.len());
    let mut out = Vec::with_capacity(Header::LEN + lens.sum::<usize>());
    // `expect` would link the texts of all I/O errors into the WebAssembly module.
    assert!(write(parts, &mut out).is_ok(), "a vector takes everything");
    out
}

/// Writes a file of these sections, in the order of [`SectionKind::ALL`], without copying it in memory; [`parse`] reads it.
///
/// The checksums of the parts are computed here; a section of them among `parts` is ignored.
///
/// # Errors
/// Fails when `out` does.
pub fn write(parts: &[(SectionKind, Vec<u8>)], out: &mut impl io::Write) -> io::Result<()> {
    let given = |kind: &SectionKind| parts.iter().find(|(other, _)| other == kind);
    let of_kinds = |kinds: &[SectionKind]| {
        let kinds = kinds.iter().filter(|kind| **kind != SectionKind::PartChecksums);
        kinds.filter_map(given).map(|(kind, bytes)| (*kind, &bytes[..])).collect::<Vec<_>>()
    };
    let (in_head, after_head) = SectionKind::ALL.split_at(SectionKind::IN_HEAD);
    let (mut head, body) = (of_kinds(in_head), of_kinds(after_head));
    let checksums = parts::encode(&body);
    head.insert(head.len().min(1), (SectionKind::PartChecksums, &checksums));
    let mut sections = Vec::with_capacity(head.len() + body.len());
    let mut at = Header::LEN + Section::LEN * (head.len() + body.len());
    for (kind, bytes) in head.iter().chain(&body) {
        let start = at.next_multiple_of(ALIGNMENT);
        at = start + bytes.len();
        sections.push(Section { kind: *kind, range: start..at, checksum: xxh3_64(bytes) });
    }
    let mut table = Vec::with_capacity(Section::LEN * sections.len());
    sections.iter().for_each(|section| table.extend_from_slice(&section.encode()));
    let header = Header {
        format: FORMAT,
        sections: crate::wire::len32(sections.len()),
        file_len: at as u64,
        table_checksum: xxh3_64(&table),
        head_len: sections.get(head.len()).map_or(at, |first| first.range.start) as u64,
    };
    out.write_all(&header.encode())?;
    out.write_all(&table)?;
    let mut end = Header::LEN + table.len();
    for (section, (_, bytes)) in sections.iter().zip(head.iter().chain(&body)) {
        out.write_all(&[0; ALIGNMENT][..section.range.start - end])?;
        out.write_all(bytes)?;
        end = section.range.end;
    }
    Ok(())
}

/// Reads the section table of a file that [`encode`] wrote. The checksums of sections are not verified.
///
/// `bytes` are the beginning of the file, at least its header and table, and `file_len` is the length of all of it.
///
/// # Errors
/// Fails when the file has another length than its header says, or when the table is damaged.
pub fn parse(header: &Header, bytes: &[u8], file_len: u64) -> Result<Vec<Section>, SnapshotError> {
    if header.file_len != file_len {
        return Err(SnapshotFault::WrongLength { expected: header.file_len, found: file_len }.into());
    }
    let mut reader = Reader::new(&bytes[Header::LEN..], "the table of sections");
    let count = header.sections as usize;
    let table_len = count.checked_mul(Section::LEN).ok_or(reader.malformed())?;
    let table = Reader::new(reader.rest(), "the table of sections").take(table_len)?;
    if xxh3_64(table) != header.table_checksum {
        return Err(SnapshotFault::HeaderChecksum.into());
    }
    let file_end = usize::try_from(file_len).map_err(|_| reader.malformed())?;
    let head_end = usize::try_from(header.head_len).map_err(|_| reader.malformed())?;
    let mut sections: Vec<Section> = Vec::with_capacity(count);
    for _ in 0..count {
        let section = Section::parse(&mut reader, header.format, file_end)?;
        let after = sections.last().map_or(Header::LEN + table_len, |last| last.range.end);
        let is_repeated = sections.iter().any(|other| other.kind == section.kind);
        // A reader of pieces has only the head, and checks everything after it by the checksums of parts.
        let is_in_place = match section.kind.is_in_head() {
            true => section.range.end <= head_end,
            false => section.range.start >= head_end,
        };
        let is_misplaced = header.format > FORMAT_WITHOUT_HEAD && !is_in_place;
        if section.range.start < after || is_repeated || is_misplaced {
            return Err(reader.malformed().into());
        }
        sections.push(section);
    }
    Ok(sections)
}
