//! How are the document files beside a snapshot read? On demand, one range at a time.

#[cfg_attr(not(unix), path = "files/seek.rs")]
#[cfg_attr(unix, path = "files/pread.rs")]
mod read;

use super::outside::{BlockSource, FILE_HEAD, FileRange, StoreError, file_suffix};
use super::store::DocumentsView;
use read::SharedFile;
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The reasons why the document files beside a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentFilesError {
    /// A file is missing.
    #[error("{} is missing; it holds documents of the snapshot, so put it in the snapshot's folder", .path.display())]
    Missing {
        /// The expected path.
        path: PathBuf,
    },
    /// A file belongs to another snapshot, or is not a document file.
    #[error("{} does not belong to the snapshot beside it; put the files of one build together", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A file is shorter or longer than the snapshot expects.
    #[error("{} has {found} bytes, but the snapshot expects {expected}; download or build both again", .path.display())]
    WrongLength {
        /// The file.
        path: PathBuf,
        /// The length that the snapshot expects, in bytes.
        expected: u64,
        /// The length of the file, in bytes.
        found: u64,
    },
    /// A file cannot be read.
    #[error("{} cannot be read", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The snapshot itself is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The open document files of a snapshot; they are read on demand.
#[derive(Debug)]
pub struct DocumentFiles {
    files: Vec<SharedFile>,
}

impl DocumentFiles {
    /// Opens the document files beside the snapshot at `path`: its file name followed by `.docs`, or by `.docs.0`,
    /// `.docs.1` and so on if there are several.
    ///
    /// # Errors
    /// Fails when a file is missing, cannot be read, belongs to another snapshot or has an unexpected length.
    pub fn beside(path: &Path, documents: &DocumentsView) -> Result<DocumentFiles, DocumentFilesError> {
        let lens = documents.file_lens()?;
        let count = crate::wire::len32(lens.len());
        let mut files = Vec::with_capacity(lens.len());
        for (number, expected) in (0..).zip(lens) {
            let mut name = OsString::from(path);
            name.push(file_suffix(number, count));
            files.push(open(PathBuf::from(name), expected, documents)?);
        }
        Ok(DocumentFiles { files })
    }
}

fn open(path: PathBuf, expected: u64, documents: &DocumentsView) -> Result<SharedFile, DocumentFilesError> {
    let file = match File::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(DocumentFilesError::Missing { path });
        }
        Err(source) => return Err(DocumentFilesError::Io { path, source }),
    };
    let found = match file.metadata() {
        Ok(metadata) => metadata.len(),
        Err(source) => return Err(DocumentFilesError::Io { path, source }),
    };
    let file = SharedFile::new(file);
    let mut head = [0; FILE_HEAD];
    match file.read_exact_at(&mut head, 0) {
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            Err(DocumentFilesError::Io { path, source: error })
        }
        _ if !documents.outside().is_some_and(|outside| outside.owns(&head)) => {
            Err(DocumentFilesError::Foreign { path })
        }
        _ if found != expected => Err(DocumentFilesError::WrongLength { path, expected, found }),
        _ => Ok(file),
    }
}

impl BlockSource for DocumentFiles {
    fn read(&self, range: &FileRange) -> io::Result<Vec<u8>> {
        let file = self.files.get(range.file as usize).ok_or(io::ErrorKind::NotFound)?;
        // Every range lies within its file: `open` compared the file's length with the snapshot.
        let len = range.bytes.end.saturating_sub(range.bytes.start);
        let mut bytes = vec![0; usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?];
        file.read_exact_at(&mut bytes, range.bytes.start)?;
        Ok(bytes)
    }
}
