//! Why is an expression refused? Messages are SQLite's; spans and remedies are added.

use std::ops::Range;

use thiserror::Error;

use super::MAX_DEPTH;

/// A boxed [`QueryFault`].
pub type QueryError = Box<QueryFault>;

/// The reasons why an expression is not a query.
///
/// The message equals SQLite's to the letter. [`QueryFault::span`] and [`QueryFault::remedy`] add what SQLite does not
/// report. If an expression has several faults, the reported one is the first that SQLite's parser meets.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryFault {
    /// A token is misplaced, or a character starts no token.
    #[error("fts5: syntax error near \"{near}\"")]
    Syntax {
        /// The token or character; empty at the end of the expression.
        near: String,
        /// Its bytes in the expression.
        span: Range<usize>,
    },
    /// A quotation mark has no closing counterpart.
    #[error("unterminated string")]
    UnterminatedString {
        /// From the quotation mark to the end.
        span: Range<usize>,
    },
    /// A column filter names a column that the table does not have.
    #[error("no such column: {name}")]
    NoSuchColumn {
        /// The name, without its quotation marks.
        name: String,
        /// Its bytes in the expression.
        span: Range<usize>,
    },
    /// The distance of a NEAR group is not a sequence of digits.
    #[error("expected integer, got \"{got}\"")]
    ExpectedInteger {
        /// The token in place of the distance.
        got: String,
        /// Its bytes in the expression.
        span: Range<usize>,
    },
    /// Operators are nested deeper than [`MAX_DEPTH`].
    #[error("fts5 expression tree is too large (maximum depth {MAX_DEPTH})")]
    TooDeep {
        /// The operator at the root of the tree that is too deep.
        span: Range<usize>,
    },
    /// Too many symbols are unfinished at once, mostly parentheses; [`MAX_STACK`](super::MAX_STACK) is the limit.
    #[error("fts5: parser stack overflow")]
    StackOverflow {
        /// The token at which SQLite's parser gives up.
        span: Range<usize>,
    },
    /// The expression starts with `*`, which asks FTS5 about the table instead of its rows.
    #[error("unknown special query: {name}")]
    UnknownSpecialQuery {
        /// The word after the `*`.
        name: String,
        /// The `*` and the word.
        span: Range<usize>,
    },
}

impl QueryFault {
    /// Returns the bytes of the expression that are at fault. The range is empty if something is missing at the end.
    pub fn span(&self) -> Range<usize> {
        match self {
            QueryFault::Syntax { span, .. }
            | QueryFault::UnterminatedString { span }
            | QueryFault::NoSuchColumn { span, .. }
            | QueryFault::ExpectedInteger { span, .. }
            | QueryFault::TooDeep { span }
            | QueryFault::StackOverflow { span }
            | QueryFault::UnknownSpecialQuery { span, .. } => span.clone(),
        }
    }

    /// Returns a sentence that tells the author of the expression how to repair it.
    pub fn remedy(&self) -> &'static str {
        match self {
            QueryFault::Syntax { near, .. } if near.is_empty() => {
                "The expression ends too early: add a word, or close an open parenthesis or brace."
            }
            QueryFault::Syntax { .. } => "Put double quotes around text to search for it literally.",
            QueryFault::UnterminatedString { .. } => {
                "Close the string with a double quote; write a double quote inside a string twice."
            }
            QueryFault::NoSuchColumn { .. } => {
                "Name a column of the table before the colon, or put double quotes around the whole text."
            }
            QueryFault::ExpectedInteger { .. } => "Give the distance as digits: NEAR(one two, 5).",
            QueryFault::TooDeep { .. } => "Shorten the chain of NOT: exclude a group, a NOT (b OR c).",
            QueryFault::StackOverflow { .. } => "Remove parentheses that are not needed.",
            QueryFault::UnknownSpecialQuery { .. } => "Put the asterisk after the start of a word: inst*.",
        }
    }
}
