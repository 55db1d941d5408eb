//! How is a MATCH expression represented? As a tree of operators over phrases, in FTS5's query language.
//!
//! bm25 counts per *phrase*, in order of appearance. Phrases are therefore kept in a list, and the tree refers to them by
//! their index in it.

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
    pub root: QueryNode,
    /// The phrases in order of appearance; [`NearGroup::phrases`] holds indexes into this list.
    pub phrases: Vec<Phrase>,
}

/// A node of the tree: an operator with its operands, or a NEAR group.
#[derive(Clone, Debug, PartialEq)]
pub enum QueryNode {
    /// Matches no document: a phrase without tokens, or with column filters that exclude each other.
    Nothing,
    /// Matches documents in which phrases are close to each other; a single phrase is a group of one.
    Near(NearGroup),
    /// Matches documents that match every operand.
    And(Vec<QueryNode>),
    /// Matches documents that match at least one operand.
    Or(Vec<QueryNode>),
    /// Matches documents that match the first operand and not the second.
    Not(Box<QueryNode>, Box<QueryNode>),
}

/// Phrases that must occur in one field within a distance of each other.
#[derive(Clone, Debug, PartialEq)]
pub struct NearGroup {
    /// Indexes into [`Query::phrases`]; at least one.
    pub phrases: Vec<usize>,
    /// The largest number of tokens between two phrases.
    pub distance: u32,
    /// The fields to search.
    pub fields: FieldSet,
}

/// Terms at consecutive positions of one field.
///
/// A phrase without terms or without fields belongs to no [`NearGroup`], but it keeps its index in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// The term at each position; empty if the text had no token.
    pub terms: Vec<QueryTerm>,
    /// Whether the phrase matches only at the start of a field (`^`).
    pub is_initial: bool,
    /// The fields to search, the same as in its [`NearGroup`]. The set is empty if column filters exclude each other.
    pub fields: FieldSet,
}

/// The terms that match at one position of a phrase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueryTerm {
    /// Exactly this term.
    Exact(Vec<u8>),
    /// Any term that starts with these bytes. It may also precede other terms, as in `ant* + bat`.
    Prefix(Vec<u8>),
    /// Any of these terms, sorted and distinct. Search as you type and typo tolerance use it; no expression produces it.
    AnyOf(Vec<Vec<u8>>),
}
