//! The files of documents beside a snapshot, read in pieces.

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

/// Why the files of documents beside a snapshot cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DocumentFilesError {
    /// A file is not there.
    #[error("{} is missing: it holds documents of the snapshot, and has to stand beside it", .path.display())]
    Missing {
        /// Where it should be.
        path: PathBuf,
    },
    /// A file belongs to another snapshot, or is none of documents.
    #[error("{} does not belong to the snapshot beside it; put the files of one build together", .path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// A file ends too early, or goes on too long.
    #[error("{} has {found} bytes, the snapshot says {expected}; fetch or build both again", .path.display())]
    WrongLength {
        /// The file.
        path: PathBuf,
        /// What the snapshot says.
        expected: u64,
        /// What there is.
        found: u64,
    },
    /// A file cannot be read.
    #[error("{} cannot be read", .path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The snapshot itself is damaged.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// The open files of a snapshot's documents. Only what is asked for is read.
#[derive(Debug)]
pub struct DocumentFiles {
    files: Vec<SharedFile>,
}

impl DocumentFiles {
    /// Opens the files beside the snapshot at `path`; their names are its name and `.docs`, or `.docs.0` and so on.
    ///
    /// # Errors
    /// When one is missing, cannot be read, belongs to another snapshot or has another length than the snapshot says.
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
        // Ranges lie in their files: their lengths were compared with what the snapshot says.
        let len = range.bytes.end.saturating_sub(range.bytes.start);
        let mut bytes = vec![0; usize::try_from(len).map_err(|_| io::ErrorKind::OutOfMemory)?];
        file.read_exact_at(&mut bytes, range.bytes.start)?;
        Ok(bytes)
    }
}
