//! Can the stored documents of these rows be read now?

use super::{Corpus, part_of};
use crate::snapshot::SnapshotError;

/// Makes sure that the stored documents of all these rows can be read. Who reads the records of several rows asks this
/// first: blocks that are in other files and not at hand are then fetched together, not one after the other.
///
/// # Errors
/// When blocks have to be supplied, all of them in one error, or the snapshot is damaged.
pub fn require(corpus: &Corpus, rows: impl IntoIterator<Item = u32>) -> Result<(), SnapshotError> {
    require_all(corpus, &rows.into_iter().collect::<Vec<_>>())
}

fn require_all(corpus: &Corpus, rows: &[u32]) -> Result<(), SnapshotError> {
    for (place, part) in corpus.parts.iter().enumerate() {
        if part.segment.outside().is_some() {
            let own = rows.iter().map(|&row| part_of(corpus, row)).filter(|(own, _)| *own == place);
            part.segment.stored()?.require(own.map(|(_, document)| document as usize))?;
        }
    }
    Ok(())
}
