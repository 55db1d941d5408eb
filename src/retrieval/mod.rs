//! Which documents match, and how well?
//!
//! Every phrase of a query becomes a list of documents with a frequency each ([`phrase_lists`]); a tree of cursors
//! over these lists finds the documents that match ([`cursors`]), and bm25 scores them. The usual queries, any or all
//! of some phrases, take shorter ways (`disjunction` and `conjunction` of the index package, which also has the cursors
//! and all other loops); all give the same bits.

mod by_time;
mod by_value;
mod cursors;
mod filter;
mod nearest;
mod occurrence;
mod phrase_lists;
mod places;
mod search;
mod stored;
mod table_cache;
mod tfidf;

pub use crate::scoring::Ranked;
pub use by_time::{TimeOrder, by_time};
pub use by_value::{ValueIndexes, each_row_with};
pub use filter::{Filter, FilterError, FilterFault, Target, Test};
pub use nearest::{Nearest, Spread, nearest, similarities, spread};
pub use occurrence::occurrences;
pub use places::{Place, PlaceFinder};
pub use search::{Found, Retrieval, facet_counts, search};
pub use stored::require;
pub use table_cache::TableCache;
pub use tfidf::{TermStatistics, Terms};

use crate::attributes::{Overrides, Values};
use crate::bitmap::Bitmap;
use crate::bm25::Totals;
use crate::document::Key;
use crate::scoring::Eligible;
use crate::segment::Segment;
use crate::snapshot::SnapshotError;
use crate::state::State;

/// A segment with what is dead in it, and its place in row order.
#[derive(Clone, Copy, Debug)]
pub struct Part<'a> {
    /// The segment.
    pub segment: &'a Segment,
    /// Its dead documents; none where all are live.
    pub dead: Option<&'a Bitmap>,
    /// The row number of its first document.
    pub first_row: u32,
    /// Tables that outlive a query.
    pub tables: &'a TableCache,
    /// Its documents by their values, which outlive a query as well.
    pub values_by: &'a ValueIndexes,
    /// What changed of its attributes since it was written.
    pub overrides: &'a Overrides,
}

impl<'a> Part<'a> {
    /// The attributes of its documents, as they are now.
    ///
    /// # Errors
    /// When the attributes are damaged.
    pub fn values(&self) -> Result<Values<'a>, SnapshotError> {
        Ok(Values::new(self.segment.columns()?, self.overrides))
    }

    /// Which of its documents may be hits: the live ones of those that are allowed.
    pub fn eligible(&self, allowed: Option<&'a Bitmap>) -> Eligible<'a> {
        Eligible { first_row: self.first_row, dead: self.dead, allowed }
    }

    /// Whether a document is live.
    pub fn is_live(&self, document: u32) -> bool {
        self.dead.is_none_or(|dead| !dead.has(document as usize))
    }
}

/// The place of a row's segment, and the document in it.
pub fn part_of(corpus: &Corpus, row: u32) -> (usize, u32) {
    // Segments without documents share their first row with the next one; the last of them has the row.
    let after = corpus.parts.partition_point(|part| part.first_row <= row);
    let place = after.saturating_sub(1);
    (place, row - corpus.parts[place].first_row)
}

/// The row of the live record with this key; none where there is none.
///
/// # Errors
/// When the table of ids is damaged.
pub fn row_of(corpus: &Corpus, key: Key) -> Result<Option<u32>, SnapshotError> {
    for part in corpus.parts.iter().rev() {
        let document = part.segment.keys()?.find(key)?.and_then(|document| u32::try_from(document).ok());
        if let Some(document) = document.filter(|&document| part.is_live(document)) {
            return Ok(Some(part.first_row + document));
        }
    }
    Ok(None)
}

/// All segments, in row order.
#[derive(Clone, Copy, Debug)]
pub struct Corpus<'a> {
    /// The segments.
    pub parts: &'a [Part<'a>],
    /// Their live rows.
    pub totals: Totals,
    /// What is known of the records.
    pub state: &'a State,
}
