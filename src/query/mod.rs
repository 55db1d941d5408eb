//! What did the user ask? The tree of FTS5's MATCH language.
//!
//! A query is a tree of operators over phrases. bm25 counts per *phrase*, in order of appearance,
//! so the phrases stand in a list of their own and the tree names them by their place in it.

mod error;
mod lexer;
mod parser;
mod terms;
mod words;

pub use error::{QueryError, QueryFault};
pub use parser::{MAX_DEPTH, MAX_STACK};
pub use terms::any_term;
pub use words::{all_words, any_beginning, any_word, words};

use crate::ids::FieldSet;

/// A parsed MATCH expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// The tree of operators.
    pub root: Node,
    /// The phrases in order of appearance; [`Near::phrases`] are places in this list.
    pub phrases: Vec<Phrase>,
}

/// An operator, or what it operates on.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Matches no document: a phrase without tokens, or whose column filters exclude each other.
    Nothing,
    /// Phrases close to each other; a phrase by itself is a group of one.
    Near(Near),
    /// Documents that match every operand.
    And(Vec<Node>),
    /// Documents that match at least one operand.
    Or(Vec<Node>),
    /// Documents that match the first operand and not the second.
    Not(Box<Node>, Box<Node>),
}

/// Phrases that must occur in one field, within a distance.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// Places in [`Query::phrases`]; at least one.
    pub phrases: Vec<usize>,
    /// The most tokens allowed between two phrases.
    pub distance: u32,
    /// The fields that count.
    pub fields: FieldSet,
}

/// Terms at consecutive positions of one field.
///
/// A phrase without terms, or without fields, is in no [`Near`] but keeps its place in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// What stands at each position. Empty where the text had no token.
    pub terms: Vec<Term>,
    /// Whether it counts only at the very start of a field (`^`).
    pub is_initial: bool,
    /// The fields that count; the same as those of its [`Near`]. None where column filters exclude each other.
    pub fields: FieldSet,
}

/// What may stand at one position of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// This term.
    Exact(Vec<u8>),
    /// Any term that starts with these bytes. Not only at the end of a phrase: `ant* + bat` is one, too.
    Prefix(Vec<u8>),
    /// Any of these terms, sorted and distinct. The language cannot say this; as-you-type and typo tolerance do.
    AnyOf(Vec<Vec<u8>>),
}
