//! Which characters form a grapheme, and how are they lower-cased? Both follow Unicode 17.
//!
//! Graphemes equal those of the crate unicode-segmentation, and lower case equals the standard library's; tests compare
//! both for every code point. The tables of those two take 35 kB of a module (9 kB with brotli). The combined table here
//! takes less than a tenth of that, and is unpacked on first use.

mod graphemes;
mod lower;
mod table;

pub use graphemes::Graphemes;
pub use lower::{lower, lower_case};
