//! Where does each term occur?
//!
//! A dictionary maps a term to its posting list. A posting list holds the documents that contain the term, the number
//! of occurrences per field, and the positions. A query reads all of it in place: nothing is unpacked at opening, and
//! each block is unpacked when a query reaches it.

mod interner;
mod invert;
mod lengths;
mod posting_lists;
pub mod postings;
pub mod shapes;
mod terms;

pub use interner::Interner;
pub use invert::{InvertedBatch, Renumbering, renumber};
pub use lengths::{LengthsView, LengthsWriter, TotalLengths};
pub use posting_lists::PostingLists;
pub use postings::{Cursor, ListRef, MAX_IMPACT, PostingList};
pub use shapes::{Shape, ShapesWriter};
pub use terms::{TermEntries, TermsView, TermsWalk, TermsWriter};
