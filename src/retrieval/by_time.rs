//! Which rows are the newest or the oldest?

use super::{Corpus, part_of};
use crate::bitmap::Bitmap;
use crate::order;
use crate::scoring::{Ranked, TopK};
use crate::snapshot::SnapshotError;

/// The order of rows by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeOrder {
    /// Latest first.
    Newest,
    /// Earliest first.
    Oldest,
}

impl TimeOrder {
    /// Returns the sort key of a time, lowest first; rows without a time come last.
    fn rank(self, time: Option<f64>) -> f64 {
        match (self, time) {
            (_, None) => f64::INFINITY,
            (TimeOrder::Newest, Some(time)) => -time,
            (TimeOrder::Oldest, Some(time)) => time,
        }
    }

    /// Sorts rows by a time attribute. Rows with equal times keep their order.
    ///
    /// # Errors
    /// Fails when the attributes are damaged.
    pub fn sort<T>(
        self,
        corpus: &Corpus,
        attribute: Option<usize>,
        rows: &mut [T],
        row_of: impl Fn(&T) -> u32,
    ) -> Result<(), SnapshotError> {
        let values = corpus.parts.iter().map(|part| part.values()).collect::<Result<Vec<_>, _>>()?;
        let rank = |row: u32| {
            let (part, document) = part_of(corpus, row);
            self.rank(attribute.and_then(|attribute| values[part].number(attribute, document as usize)))
        };
        order::sort_by(rows, |a, b| rank(row_of(a)).total_cmp(&rank(row_of(b))));
        Ok(())
    }
}

/// Returns the first `limit` live rows in the order of a time attribute; ties are in row order.
///
/// Without an attribute, row numbers stand for ages: the row written last is the newest.
///
/// # Errors
/// Fails when the attributes are damaged.
pub fn by_time(
    corpus: &Corpus,
    attribute: Option<usize>,
    order: TimeOrder,
    limit: usize,
    allowed: Option<&[Bitmap]>,
) -> Result<Vec<u32>, SnapshotError> {
    let mut top = TopK::new(limit);
    for (number, part) in corpus.parts.iter().enumerate() {
        let values = part.values()?;
        for document in 0..part.segment.documents() {
            let is_allowed = allowed.is_none_or(|allowed| allowed[number].has(document as usize));
            if is_allowed && part.is_live(document) {
                let row = part.first_row + document;
                let time = match attribute {
                    Some(attribute) => values.number(attribute, document as usize),
                    None => Some(f64::from(row)),
                };
                top.push(Ranked { row, rank: order.rank(time) });
            }
        }
    }
    Ok(top.into_sorted().into_iter().map(|ranked| ranked.row).collect::<Vec<_>>())
}
