//! What does a hit look like?
//!
//! Highlights and snippets are FTS5's, token for token. They come as pieces, so that the text between the marks can be
//! escaped and the marks not.

mod highlight;
mod pieces;
mod snippet;

pub use highlight::highlight;
pub use pieces::{Markers, Markup, Piece, render};
pub use snippet::{MAX_SNIPPET_TOKENS, snippet};

use crate::analysis::{Analyzer, Purpose, Span};

/// The tokens of a text, as the index counts them.
pub fn tokens(analyzer: &Analyzer, text: &str) -> Vec<Span> {
    let mut spans = Vec::new();
    analyzer.spans(text, Purpose::Document, |span| spans.push(span));
    spans
}

/// Matched tokens of one field, from the first to the last, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The position of the first token.
    pub first: u32,
    /// The position of the last.
    pub last: u32,
}

/// Joins ranges that overlap; `occurrences` are positions and lengths, ascending by position.
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
