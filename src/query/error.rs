//! What is wrong with an expression, in SQLite's words, and where.

use std::ops::Range;

use thiserror::Error;

use super::MAX_DEPTH;

/// Why an expression is not a query.
pub type QueryError = Box<QueryFault>;

/// What is wrong with an expression.
///
/// The message is SQLite's, to the letter. What SQLite does not say is in [`QueryFault::span`] and
/// [`QueryFault::remedy`]. Of several faults SQLite reports the first that its parser meets, and so does this.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum QueryFault {
    /// A token, or a character that starts none, stands where the language does not allow it.
    #[error("fts5: syntax error near \"{near}\"")]
    Syntax {
        /// The token or character; empty at the end of the expression.
        near: String,
        /// Where it stands.
        span: Range<usize>,
    },
    /// A quotation mark has no partner.
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
        /// Where it stands.
        span: Range<usize>,
    },
    /// The distance of a NEAR group is not a row of digits.
    #[error("expected integer, got \"{got}\"")]
    ExpectedInteger {
        /// What stands in place of the distance.
        got: String,
        /// Where it stands.
        span: Range<usize>,
    },
    /// Operators are nested deeper than [`MAX_DEPTH`].
    #[error("fts5 expression tree is too large (maximum depth {MAX_DEPTH})")]
    TooDeep {
        /// The operator at the top of the tree that is too deep.
        span: Range<usize>,
    },
    /// More is open at once, parentheses above all, than [`MAX_STACK`](super::MAX_STACK) allows.
    #[error("fts5: parser stack overflow")]
    StackOverflow {
        /// The token at which SQLite's parser gives up.
        span: Range<usize>,
    },
    /// The expression starts with `*`, which asks a table about itself instead of its rows.
    #[error("unknown special query: {name}")]
    UnknownSpecialQuery {
        /// The word after the `*`.
        name: String,
        /// The `*` and the word.
        span: Range<usize>,
    },
}

impl QueryFault {
    /// The bytes of the expression that are at fault; empty at its end when something is missing there.
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

    /// What the author of the expression can do about it, in one sentence.
    pub fn remedy(&self) -> &'static str {
        match self {
            QueryFault::Syntax { near, .. } if near.is_empty() => {
                "The expression ends too early: add a word, or close what is open."
            }
            QueryFault::Syntax { .. } => {
                "Put double quotes around text that is to be searched for as it stands."
            }
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
