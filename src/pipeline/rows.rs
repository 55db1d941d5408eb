//! Translates rows to keys and ids to rows.

use crate::bitmap::Bitmap;
use crate::document::Key;
use crate::retrieval::{Corpus, keys_of, part_of};
use crate::snapshot::SnapshotError;

/// Returns the key of a row.
///
/// # Errors
/// Fails when the snapshot is damaged.
pub fn key_of<'a>(corpus: &Corpus<'a>, row: u32) -> Result<Key<'a>, SnapshotError> {
    let (part, document) = part_of(corpus, row);
    Ok(corpus.parts[part].segment.keys()?.get(document as usize)?)
}

/// Returns the ids of rows.
///
/// # Errors
/// Fails when the snapshot is damaged.
pub fn ids_of(corpus: &Corpus, rows: &[u32]) -> Result<Vec<String>, SnapshotError> {
    Ok(keys_of(corpus, rows)?.into_iter().map(|(id, _)| id).collect::<Vec<_>>())
}

/// Returns the live rows with this id, of any kind. `allowed` restricts them per segment.
pub(crate) fn rows_of(
    corpus: &Corpus,
    id: &str,
    allowed: Option<&[Bitmap]>,
) -> Result<Vec<u32>, SnapshotError> {
    let mut rows = Vec::new();
    for (number, part) in corpus.parts.iter().enumerate() {
        let keys = part.segment.keys()?;
        for kind in keys.kinds() {
            if let Some(document) = keys.find(Key { id, kind })?
                && allowed.is_none_or(|allowed| allowed[number].has(document))
                && let Ok(document) = u32::try_from(document)
                && part.is_live(document)
            {
                rows.push(part.first_row + document);
            }
        }
    }
    Ok(rows)
}
