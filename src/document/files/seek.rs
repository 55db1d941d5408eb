//! Reads at an offset with a seek under a lock, one thread at a time.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Mutex, PoisonError};

#[derive(Debug)]
pub struct SharedFile(Mutex<File>);

impl SharedFile {
    pub fn new(file: File) -> SharedFile {
        SharedFile(Mutex::new(file))
    }

    /// Fills `bytes` from the file, starting at byte `at`.
    pub fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        file.seek(SeekFrom::Start(at))?;
        file.read_exact(bytes)
    }
}
