//! Stored documents in other files than the snapshot.
//!
//! Matching and ranking need no stored documents; snippets, highlights, records and explanations do. Native programs call
//! [`Engine::attach`] with a source that the engine reads on demand. In WebAssembly, a call that needs blocks fails with
//! [`StoreFault::Missing`](crate::document::StoreFault::Missing), which lists all of them. The host fetches their
//! [`ranges`](Engine::ranges), passes the bytes to [`supply`](Engine::supply), repeats the call, and finally calls
//! [`trim`](Engine::trim).

use super::{Engine, WriteError};
use crate::document::{BlockSource, DocumentsView, FileRange};
use crate::snapshot::{Section, Snapshot, SnapshotError, Split};

impl Engine {
    /// Returns the stored documents if they are in other files; `None` if the snapshot itself holds them.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn documents_outside(&self) -> Result<Option<DocumentsView<'_>>, SnapshotError> {
        // Segments written at run time always hold their documents; only the opened snapshot may lack them.
        match self.parts.first().filter(|part| part.segment.outside().is_some()) {
            Some(part) => Ok(Some(part.segment.stored()?)),
            None => Ok(None),
        }
    }

    /// Sets the source that the engine reads documents in other files from, on demand.
    pub fn attach(&mut self, source: impl BlockSource + 'static) {
        if let Some(outside) = self.parts.first_mut().and_then(|part| part.segment.outside_mut()) {
            outside.attach(Box::new(source));
        }
    }

    /// Returns the byte ranges that hold these blocks. Blocks next to or close to each other share a range.
    ///
    /// # Errors
    /// Fails when a block number is too large, or the snapshot is damaged.
    pub fn ranges(&self, blocks: &[u32]) -> Result<Vec<FileRange>, SnapshotError> {
        match self.documents_outside()? {
            Some(documents) => Ok(documents.ranges(blocks)?),
            None => Ok(Vec::new()),
        }
    }

    /// Adds bytes of a documents file, starting at offset `start`, to the cache. The engine checks and keeps every block that
    /// the bytes hold completely.
    ///
    /// # Errors
    /// Fails when a block differs from its checksum in the snapshot.
    pub fn supply(&self, file: u32, start: u64, bytes: &[u8]) -> Result<(), SnapshotError> {
        match self.documents_outside()? {
            Some(documents) => Ok(documents.supply(file, start, bytes)?),
            None => Ok(()),
        }
    }

    /// Encodes a snapshot of all live records with its documents in files of at most `most` bytes, as
    /// `snapseek build --split-docs` does.
    ///
    /// # Errors
    /// Fails as [`Engine::snapshot`] does, and when a block of documents is longer than `most`.
    pub fn split_snapshot(&self, most: usize) -> Result<Split, WriteError> {
        let whole = Snapshot::open(self.snapshot()?)?;
        let mut sections = Vec::with_capacity(whole.sections().len());
        for Section { kind, .. } in whole.sections() {
            sections.push((*kind, whole.section(*kind)?.to_vec()));
        }
        Ok(Split::of(sections, most)?)
    }

    /// Sets the size of the block cache, in bytes. Defaults to [`DEFAULT_CACHE`](crate::document::DEFAULT_CACHE).
    pub fn set_document_cache(&self, bytes: usize) {
        if let Some(outside) = self.parts.first().and_then(|part| part.segment.outside()) {
            outside.set_cache(bytes);
        }
    }

    /// Drops the least recently used blocks until the cache fits its size.
    ///
    /// [`Engine::supply`] does not trim: a call that needs more blocks than the cache may hold could never get all of them.
    pub fn trim(&self) {
        if let Some(outside) = self.parts.first().and_then(|part| part.segment.outside()) {
            outside.trim();
        }
    }
}
