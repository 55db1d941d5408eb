//! Which rows are the newest?

use super::top_k::TopK;
use super::{Corpus, Ranked};
use crate::bitmap::Bitmap;
use crate::snapshot::SnapshotError;

/// The newest live rows that are allowed, by an attribute of type time; those without a time come last, and where there
/// is no such attribute the rows written last come first.
///
/// # Errors
/// When the attributes are damaged.
pub fn newest(
    corpus: &Corpus,
    attribute: Option<usize>,
    limit: usize,
    allowed: Option<&[Bitmap]>,
) -> Result<Vec<u32>, SnapshotError> {
    let mut best = TopK::new(limit);
    for (place, part) in corpus.parts.iter().enumerate() {
        let values = part.values()?;
        let is_allowed = |document: u32| allowed.is_none_or(|allowed| allowed[place].has(document as usize));
        for document in (0..part.segment.documents()).filter(|&document| is_allowed(document)) {
            if part.is_live(document) {
                let row = part.first_row + document;
                let at = match attribute {
                    Some(attribute) => values.number(attribute, document as usize),
                    None => Some(f64::from(row)),
                };
                best.push(Ranked { row, rank: at.map_or(f64::INFINITY, |at| 0.0 - at) });
            }
        }
    }
    Ok(best.into_sorted().into_iter().map(|ranked| ranked.row).collect())
}
