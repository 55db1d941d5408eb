//! Which keys do rows have?

use super::{Corpus, part_of, require};
use crate::snapshot::SnapshotError;

/// If only pieces of a file are in memory, the keys of at most this many rows are read from their records. The records of
/// hits are needed in any case, and the table of all keys may be large.
const MAX_FROM_RECORDS: usize = 100;

/// Returns the id and the kind of each row.
///
/// # Errors
/// Fails when the snapshot is damaged.
pub fn keys_of(corpus: &Corpus, rows: &[u32]) -> Result<Vec<(String, String)>, SnapshotError> {
    let is_short = rows.len() <= MAX_FROM_RECORDS;
    let reads_record = |part: usize| is_short && corpus.parts[part].segment.is_in_pieces();
    require(corpus, rows.iter().copied().filter(|row| reads_record(part_of(corpus, *row).0)))?;
    let key = |row: &u32| {
        let (part, document) = part_of(corpus, *row);
        let segment = corpus.parts[part].segment;
        if reads_record(part) {
            let record = segment.record(document)?;
            return Ok((record.id().to_owned(), record.kind().to_owned()));
        }
        let key = segment.keys()?.get(document as usize)?;
        Ok((key.id.to_owned(), key.kind.to_owned()))
    };
    rows.iter().map(key).collect::<Result<Vec<_>, _>>()
}
