//! Can the stored documents of given rows be read now?

use super::{Corpus, part_of};
use crate::snapshot::SnapshotError;

/// Checks that the stored documents of all these rows can be read.
///
/// Call it before reading the records of several rows: blocks in separate files that are not loaded are then requested
/// together instead of one after the other.
///
/// # Errors
/// Fails when blocks must be supplied, naming all of them, or when the snapshot is damaged.
pub fn require(corpus: &Corpus, rows: impl IntoIterator<Item = u32>) -> Result<(), SnapshotError> {
    require_all(corpus, &rows.into_iter().collect::<Vec<_>>())
}

fn require_all(corpus: &Corpus, rows: &[u32]) -> Result<(), SnapshotError> {
    for (place, part) in corpus.parts.iter().enumerate() {
        if part.segment.outside().is_some() || part.segment.is_in_pieces() {
            let own = rows.iter().map(|&row| part_of(corpus, row)).filter(|(own, _)| *own == place);
            part.segment.stored()?.require(own.map(|(_, document)| document as usize))?;
        }
    }
    Ok(())
}
