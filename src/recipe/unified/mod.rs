//! The unified recipe: observations, sessions and prompts.

mod answers;
mod calls;
mod figures;
mod params;
mod ranking;
mod variants;
mod vocabulary;

pub use answers::{AnswerKey, Answers};
pub(crate) use calls::{CALLS, call};
pub use figures::{Counts, Figures, Latency, Told};
pub use params::Params;
pub use ranking::*;
pub use variants::{Intent, Variant, intent, variants};
pub use vocabulary::{NearWord, Vocabulary};
