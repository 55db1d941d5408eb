//! Measures the quality of results: judgments, queries, clicks, the measures of trec_eval, and how sure a difference is.
//!
//! Every figure equals trec_eval's: scores are compared in single precision, ties go to the greater document id, gains
//! are the judged relevance, and negative relevance gains nothing. `scripts/gen-eval-fixture` records the figures of
//! trec_eval's C code, and a test compares these measures with them.

mod asking;
mod bootstrap;
mod clicks;
mod folds;
mod lines;
mod measures;
mod qrels;
mod queries;
mod report;

pub use asking::{AskArgs, AskedQuery, warn_of_unjudged};
pub use bootstrap::Interval;
pub use clicks::ClickLog;
pub use folds::folds;
pub use measures::Measures;
pub use qrels::Qrels;
pub use queries::{JudgedQuery, read_queries};
pub use report::{QueryReport, QueryRun, Report, evaluate};
