//! Reads at an offset with `pread`, so that threads do not block each other.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

#[derive(Debug)]
pub struct SharedFile(File);

impl SharedFile {
    pub fn new(file: File) -> SharedFile {
        SharedFile(file)
    }

    /// Fills `bytes` from the file, starting at byte `at`.
    pub fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.0.read_exact_at(bytes, at)
    }
}
