//! How good are the answers? Judgments, queries, and the measures of trec_eval.
//!
//! Every figure is trec_eval's, to its last habits: scores are compared in single precision and ties go to the greater
//! document id, gains are the judged relevance itself, a negative one gains nothing. `scripts/gen-eval-fixture` records
//! what its C code says, and a test holds these measures against that.

mod lines;
mod measures;
mod qrels;
mod queries;
mod report;

pub use measures::Measures;
pub use qrels::Qrels;
pub use queries::{Query, read_queries};
pub use report::{QueryReport, QueryRun, Report, evaluate};
