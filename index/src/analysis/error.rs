//! Why was a `tokenize=` string refused?

use thiserror::Error;

/// Why [`Analyzer::parse`](super::Analyzer::parse) refused a `tokenize=` string.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AnalyzerError {
    /// The string consists of spaces. FTS5 refuses it too.
    #[error("the tokenizer is blank; name one, as in \"porter unicode61\", or leave it empty for unicode61")]
    Blank,

    /// A quoted value has no closing quote.
    #[error("the quote opened at {quoted} is not closed; end it with ' and write a quote inside it as ''")]
    UnclosedQuote {
        /// The rest of the string, starting with the opening quote.
        quoted: String,
    },

    /// A character outside quotes is not a letter, a digit, `_` or a space.
    #[error("\"{}\" must be in quotes, as in tokenchars '-_'; words are separated by spaces", .found.escape_default())]
    UnquotedCharacter {
        /// The first such character.
        found: char,
    },

    /// FTS5 has no tokenizer of this name.
    #[error("there is no tokenizer {name}; use unicode61 or porter unicode61")]
    UnknownTokenizer {
        /// The name as given.
        name: String,
    },

    /// FTS5 has this tokenizer, but snapseek does not.
    #[error("the tokenizer {name} is not supported; use unicode61 or porter unicode61")]
    UnsupportedTokenizer {
        /// The name as given.
        name: String,
    },

    /// unicode61 has no option of this name.
    #[error("unicode61 has no option {option}; use remove_diacritics, tokenchars or separators")]
    UnknownOption {
        /// The option as given.
        option: String,
    },

    /// FTS5 can select token characters by Unicode category; snapseek cannot.
    #[error("the option categories is not supported; use tokenchars and separators to name characters")]
    UnsupportedCategories,

    /// The string ends after the name of an option.
    #[error("the option {option} has no value; write it after the name, as in tokenchars '-_'")]
    MissingValue {
        /// The option as given.
        option: String,
    },

    /// `remove_diacritics` has another value than 0, 1 or 2.
    #[error("remove_diacritics is 0, 1 or 2, not {value}")]
    InvalidRemoveDiacritics {
        /// The value as given.
        value: String,
    },
}
