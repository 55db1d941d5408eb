//! How is a whole field shown with its matches marked? This module implements FTS5's highlight().

use super::{Piece, Range};
use crate::analysis::Span;

/// Returns the pieces of `text` with marks around the matched `ranges` of its `tokens`.
///
/// ```
/// use snapseek::analysis::Analyzer;
/// use snapseek::presentation::{Markers, Markup, Range, highlight, render, tokens};
///
/// let analyzer = Analyzer::parse("unicode61")?;
/// let text = "The quick brown fox";
/// let pieces = highlight(text, &tokens(&analyzer, text), &[Range { first: 1, last: 2 }]);
/// let markers = Markers { open: "<b>", close: "</b>", ellipsis: "…" };
/// assert_eq!(render(&pieces, markers, Markup::EscapedHtml), "The <b>quick brown</b> fox");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn highlight<'a>(text: &'a str, tokens: &[Span], ranges: &[Range]) -> Vec<Piece<'a>> {
    let mut marking = Marking::new(text, ranges);
    marking.tokens(tokens, None);
    marking.rest();
    marking.pieces
}

/// The first and the last token to show. The numbers are signed as in FTS5; the last may be −1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub first: i64,
    pub last: i64,
}

/// Copies text token by token and puts marks around ranges.
///
/// The order of the cases follows FTS5: ranges with no text between them share one pair of marks.
pub(super) struct Marking<'a, 'r> {
    text: &'a str,
    ranges: std::slice::Iter<'r, Range>,
    range: Option<Range>,
    copied: usize,
    is_open: bool,
    pub pieces: Vec<Piece<'a>>,
}

impl<'a, 'r> Marking<'a, 'r> {
    pub fn new(text: &'a str, ranges: &'r [Range]) -> Marking<'a, 'r> {
        let mut ranges = ranges.iter();
        let range = ranges.next().copied();
        Marking { text, ranges, range, copied: 0, is_open: false, pieces: Vec::new() }
    }

    pub fn tokens(&mut self, tokens: &[Span], window: Option<Window>) {
        for (position, span) in (0i64..).zip(tokens) {
            if let Some(window) = window {
                if position < window.first || position > window.last {
                    continue;
                }
                if window.first > 0 && position == window.first {
                    self.copied = span.start;
                }
            }
            let is_last = window.is_some_and(|window| position == window.last);
            self.token(position, *span, is_last);
        }
        if self.is_open {
            self.close();
        }
    }

    fn token(&mut self, position: i64, span: Span, is_last: bool) {
        let starts_at = |range: Option<Range>| range.map(|range| i64::from(range.first));
        let ends_at = |range: Option<Range>| range.map(|range| i64::from(range.last));
        let is_before_next = starts_at(self.range).is_none_or(|first| position <= first);
        if self.is_open && is_before_next && span.start > self.copied {
            self.close();
        }
        if starts_at(self.range) == Some(position) && !self.is_open {
            self.copy_to(span.start);
            self.open();
            self.copied = span.start;
        }
        if ends_at(self.range) == Some(position) {
            if !self.is_open {
                self.open();
            }
            self.copy_to(span.end);
            self.range = self.ranges.next().copied();
        }
        if is_last {
            if self.is_open {
                if starts_at(self.range).is_some_and(|first| position >= first) {
                    self.copy_to(span.end);
                }
                self.close();
            }
            self.copy_to(span.end);
        }
    }

    /// Copies the rest of the text.
    pub fn rest(&mut self) {
        self.copy_to(self.text.len());
    }

    fn copy_to(&mut self, end: usize) {
        if let Some(text) = self.text.get(self.copied..end).filter(|text| !text.is_empty()) {
            self.pieces.push(Piece::Text(text));
        }
        self.copied = end;
    }

    fn open(&mut self) {
        self.pieces.push(Piece::Open);
        self.is_open = true;
    }

    fn close(&mut self) {
        self.pieces.push(Piece::Close);
        self.is_open = false;
    }
}
