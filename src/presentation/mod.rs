//! How is a hit shown?
//!
//! Highlights and snippets equal FTS5's, token for token. They are lists of pieces, so that a caller can escape the
//! document's text but not the marks.

mod highlight;
mod passage;
mod pieces;
mod snippet;

pub use highlight::highlight;
pub use passage::{MAX_SENTENCES, passage};
pub use pieces::{Markers, Markup, Piece, render};
pub use snippet::{MAX_SNIPPET_TOKENS, snippet};

use crate::analysis::{Analyzer, Purpose, Span};

/// Returns the tokens of a text with the positions that the index uses.
pub fn tokens(analyzer: &Analyzer, text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    analyzer.spans(text, Purpose::Document, |span| spans.push(span));
    spans
}

/// A range of matched tokens in one field, first and last included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The position of the first token.
    pub first: u32,
    /// The position of the last token.
    pub last: u32,
}

/// Joins overlapping occurrences into ranges. An occurrence is a position and a length in tokens, sorted by position.
pub fn joined(occurrences: impl IntoIterator<Item = (u32, u32)>) -> Vec<Range> {
    let mut ranges: Vec<Range> = Vec::new();
    for (position, length) in occurrences {
        let last = position.saturating_add(length.saturating_sub(1));
        match ranges.last_mut() {
            Some(range) if position <= range.last => range.last = range.last.max(last),
            _ => ranges.push(Range { first: position, last }),
        }
    }
    ranges
}
