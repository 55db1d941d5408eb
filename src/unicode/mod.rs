//! Which characters belong together, and what is their lower case? As Unicode 17 has it.
//!
//! Graphemes are those of the crate unicode-segmentation and lower case is the standard library's, which tests compare
//! on every code point. Their tables take 35 kB of a module (9 kB, brotli); the one here, of both, takes less than a
//! tenth, and is unpacked when it is first asked.

mod graphemes;
mod lower;
mod table;

pub use graphemes::Graphemes;
pub use lower::{lower, lower_case};
