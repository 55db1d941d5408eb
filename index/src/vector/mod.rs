//! Which vectors are nearest?
//!
//! A model's vectors are a matrix with a row for each document that has one, at one of three precisions. Rows are used in
//! place. How far rows are from a query is for [`Query`] to say; which of them may be hits is for `retrieval`.

mod encoding;
pub mod kernel;
mod query;
mod rows;
mod section;

pub use encoding::{Encoding, MAX_WIDTH, Metric, VectorError, checked};
pub use query::Query;
pub use rows::{RowsView, RowsWriter};
pub use section::{encode, parse};
