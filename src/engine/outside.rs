//! Documents that are in other files: what a search needs of them, and how it gets it.
//!
//! Finding records needs no stored document; snippets, highlights, records and explanations do. Natively
//! [`Engine::attach`] names a source that is read on demand. Elsewhere a call that needs blocks fails with
//! [`StoreFault::Missing`](crate::document::StoreFault::Missing), all that it needs in one list; the caller fetches their
//! [`ranges`](Engine::ranges), [`supplies`](Engine::supply) them, calls again, and at last [`trims`](Engine::trim).

use super::{Engine, WriteError};
use crate::document::{BlockSource, DocumentsView, FileRange};
use crate::snapshot::{Section, Snapshot, SnapshotError, Split};

impl Engine {
    /// The stored documents of the snapshot, where they are in other files; none where they are in the snapshot.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn documents_outside(&self) -> Result<Option<DocumentsView<'_>>, SnapshotError> {
        // What is written at run time keeps its documents; only the snapshot that was opened may not have its own.
        match self.parts.first().filter(|part| part.segment.outside().is_some()) {
            Some(part) => Ok(Some(part.segment.stored()?)),
            None => Ok(None),
        }
    }

    /// Reads documents that are in other files from `source`, when they are needed.
    pub fn attach(&mut self, source: impl BlockSource + 'static) {
        if let Some(outside) = self.parts.first_mut().and_then(|part| part.segment.outside_mut()) {
            outside.attach(Box::new(source));
        }
    }

    /// Which bytes of which files hold these blocks; neighbours and near ones are one range.
    ///
    /// # Errors
    /// When there is no such block, or the snapshot is damaged.
    pub fn ranges(&self, blocks: &[u32]) -> Result<Vec<FileRange>, SnapshotError> {
        match self.documents_outside()? {
            Some(documents) => Ok(documents.ranges(blocks)?),
            None => Ok(Vec::new()),
        }
    }

    /// Takes bytes of a file of documents, from `start` on. Every whole block in it is checked and kept at hand.
    ///
    /// # Errors
    /// When a block is not what the snapshot says.
    pub fn supply(&self, file: u32, start: u64, bytes: &[u8]) -> Result<(), SnapshotError> {
        match self.documents_outside()? {
            Some(documents) => Ok(documents.supply(file, start, bytes)?),
            None => Ok(()),
        }
    }

    /// A fresh snapshot of all live records, its documents in files of at most `most` bytes: what `--split-docs` builds.
    ///
    /// # Errors
    /// As [`Engine::snapshot`]; and when a block of documents is longer than `most`.
    pub fn split_snapshot(&self, most: usize) -> Result<Split, WriteError> {
        let whole = Snapshot::open(self.snapshot()?)?;
        let bytes = |section: &Section| (section.kind, whole.bytes()[section.range.clone()].to_vec());
        Ok(Split::of(whole.sections().iter().map(bytes).collect::<Vec<_>>(), most)?)
    }

    /// Sets how many bytes of blocks are kept at hand: [`DEFAULT_CACHE`](crate::document::DEFAULT_CACHE) at first.
    pub fn set_document_cache(&self, bytes: usize) {
        if let Some(outside) = self.parts.first().and_then(|part| part.segment.outside()) {
            outside.set_cache(bytes);
        }
    }

    /// Drops the blocks beyond that number of bytes, those first that were not used for longest.
    ///
    /// Not done by [`Engine::supply`]: a call that needs more blocks than are kept would never have all of them.
    pub fn trim(&self) {
        if let Some(outside) = self.parts.first().and_then(|part| part.segment.outside()) {
            outside.trim();
        }
    }
}
