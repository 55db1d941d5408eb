//! Where does each term occur?
//!
//! A dictionary leads from a term to its list; a list holds the documents, how often the term occurs in each field
//! of each, and at which positions. Everything is used as it stands in the file: nothing is unpacked before
//! a query asks for it.

mod interner;
mod invert;
mod lengths;
mod lists;
pub mod postings;
pub mod shapes;
mod terms;

pub use interner::Interner;
pub use invert::{Inverted, Renumbering, renumber};
pub use lengths::{LengthsView, LengthsWriter};
pub use lists::Lists;
pub use postings::{Cursor, List, ListRef, MOST_WORTH};
pub use shapes::{Shape, ShapesWriter};
pub use terms::{TermsView, TermsWalk, TermsWriter};
