//! How are vectors stored and compared?
//!
//! The vectors of a model form a matrix with one row per document that has a vector, at one of three precisions
//! ([`Encoding`]). Rows are used in place. [`VectorQuery`] computes how near a row is to a query; `scoring` decides which
//! rows may be hits and scans them.

mod encoding;
pub mod kernel;
mod query;
mod rows;
mod section;

pub use encoding::{Encoding, MAX_WIDTH, Metric, VectorError, check_vector};
pub use query::VectorQuery;
pub use rows::{RowsView, RowsWriter};
pub use section::{encode, parse};
