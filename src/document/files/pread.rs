//! Reading at a place, where the system can: threads do not wait for each other.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

#[derive(Debug)]
pub struct SharedFile(File);

impl SharedFile {
    pub fn new(file: File) -> SharedFile {
        SharedFile(file)
    }

    /// Fills `bytes` with what stands from `at` on.
    pub fn read_exact_at(&self, bytes: &mut [u8], at: u64) -> io::Result<()> {
        self.0.read_exact_at(bytes, at)
    }
}
