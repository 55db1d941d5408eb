//! How are documents moved to separate files, so that a page or a worker can load the index alone?

use super::sections::SectionKind;
use crate::document::{FILE_HEAD, TooSmallFiles, divide, file_head, file_suffix};
use crate::wire::len32;
use std::io;
use std::ops::Range;
use xxhash_rust::xxh3::xxh3_64;

/// A snapshot whose documents are in separate files.
#[derive(Debug)]
pub struct Split {
    /// The sections of the snapshot itself, for [`super::write`].
    pub sections: Vec<(SectionKind, Vec<u8>)>,
    blocks: Vec<u8>,
    head: [u8; FILE_HEAD],
    files: Vec<Range<usize>>,
}

impl Split {
    /// Moves the documents of a snapshot's sections to files of at most `most` bytes.
    ///
    /// # Errors
    /// Fails when a single block of documents does not fit a file.
    ///
    /// # Panics
    /// Panics when the sections are not those of a whole snapshot.
    pub fn of(mut sections: Vec<(SectionKind, Vec<u8>)>, most: usize) -> Result<Split, TooSmallFiles> {
        let place = |kind| sections.iter().position(|(other, _)| *other == kind);
        let table = place(SectionKind::DocumentTable).expect("every snapshot has a table of documents");
        let documents = place(SectionKind::Documents).expect("a whole snapshot has documents");
        let (section, files) = divide(&sections[table].1, &sections[documents].1, most)?;
        let head = file_head(xxh3_64(&section));
        let (_, blocks) = std::mem::replace(&mut sections[documents], (SectionKind::DocumentFiles, section));
        Ok(Split { sections, blocks, head, files })
    }

    /// Returns for each document file the suffix that is appended to the snapshot's file name.
    pub fn suffixes(&self) -> impl ExactSizeIterator<Item = String> {
        let count = len32(self.files.len());
        (0..count).map(move |file| file_suffix(file, count))
    }

    /// Writes document file number `file`.
    ///
    /// # Errors
    /// Fails when `out` does.
    ///
    /// # Panics
    /// Panics when `file` is out of range.
    pub fn write_file(&self, file: usize, out: &mut impl io::Write) -> io::Result<()> {
        out.write_all(&self.head)?;
        out.write_all(&self.blocks[self.files[file].clone()])
    }
}
