//! Which documents match, and how well?
//!
//! Each phrase of a query becomes a list of documents with frequencies ([`phrase_lists`]). A tree of cursors over these
//! lists finds the matching documents ([`cursors`]), and bm25 scores them. The usual queries, an OR or an AND of phrases,
//! take faster paths with the same bits (`disjunction` and `conjunction` of the index package, which also holds the
//! cursors and all other hot loops).

mod by_time;
mod by_value;
mod contained;
mod cursors;
mod filter;
mod keys;
mod nearest;
mod needed;
mod occurrence;
mod phrase_lists;
mod phrase_matches;
mod search;
mod stored;
mod table_cache;
mod text_tokens;
mod tfidf;

pub use crate::scoring::Ranked;
pub use by_time::{TimeOrder, by_time};
pub use by_value::{ValueIndexes, each_row_with};
pub use contained::contained_phrases;
pub use filter::{Filter, FilterError, FilterFault, Target, Test};
pub use keys::keys_of;
pub use nearest::{Nearest, Spread, nearest, similarities, spread};
pub use needed::require_lists;
pub use occurrence::occurrences;
pub use phrase_matches::{MatchFinder, PhraseMatch, Wanted};
pub use search::{KeywordResult, Retrieval, facet_counts, search};
pub use stored::require;
pub use table_cache::TableCache;
pub use text_tokens::TextTokens;
pub use tfidf::{TermSelection, TermStatistics};

use crate::attributes::{AttributeValues, Overrides};
use crate::bitmap::Bitmap;
use crate::bm25::Totals;
use crate::document::Key;
use crate::scoring::Eligible;
use crate::segment::Segment;
use crate::snapshot::SnapshotError;
use crate::state::State;

/// A segment with its tombstones and its place in row order.
#[derive(Clone, Copy, Debug)]
pub struct LiveSegment<'a> {
    /// The segment.
    pub segment: &'a Segment,
    /// The dead documents; `None` if all are live.
    pub dead: Option<&'a Bitmap>,
    /// The row number of the segment's first document.
    pub first_row: u32,
    /// Tables that are kept between queries.
    pub tables: &'a TableCache,
    /// Inverted columns that are kept between queries.
    pub values_by: &'a ValueIndexes,
    /// The attribute values that changed since the segment was written.
    pub overrides: &'a Overrides,
}

impl<'a> LiveSegment<'a> {
    /// Returns the current attributes of the segment's documents.
    ///
    /// # Errors
    /// Fails when the attributes are damaged.
    pub fn values(&self) -> Result<AttributeValues<'a>, SnapshotError> {
        Ok(AttributeValues::new(self.segment.columns()?, self.overrides))
    }

    /// Returns which documents may be hits: the live ones among the allowed.
    pub fn eligible(&self, allowed: Option<&'a Bitmap>) -> Eligible<'a> {
        Eligible { first_row: self.first_row, dead: self.dead, allowed }
    }

    /// Returns whether a document is live.
    pub fn is_live(&self, document: u32) -> bool {
        self.dead.is_none_or(|dead| !dead.has(document as usize))
    }
}

/// Returns the index of the segment that holds a row, and the row's document number in it.
pub fn part_of(corpus: &Corpus, row: u32) -> (usize, u32) {
    // An empty segment has the same first row as the next segment; the last of them holds the row.
    let after = corpus.parts.partition_point(|part| part.first_row <= row);
    let place = after.saturating_sub(1);
    (place, row - corpus.parts[place].first_row)
}

/// Returns the row of the live record with this key, if any.
///
/// # Errors
/// Fails when the table of ids is damaged.
pub fn row_of(corpus: &Corpus, key: Key) -> Result<Option<u32>, SnapshotError> {
    for part in corpus.parts.iter().rev() {
        let document = part.segment.keys()?.find(key)?.and_then(|document| u32::try_from(document).ok());
        if let Some(document) = document.filter(|&document| part.is_live(document)) {
            return Ok(Some(part.first_row + document));
        }
    }
    Ok(None)
}

/// All segments of a snapshot and its changes, in row order.
#[derive(Clone, Copy, Debug)]
pub struct Corpus<'a> {
    /// The segments.
    pub parts: &'a [LiveSegment<'a>],
    /// The number of live rows and of their tokens.
    pub totals: Totals,
    /// The state of the records: links, sessions, uses, feedback and changed fields.
    pub state: &'a State,
}
