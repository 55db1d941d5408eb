//! The memory recipe: what an assistant remembers.

mod calls;
mod question;
mod ranking;
mod salience;
mod sessions;
mod shown;
mod timeline;
mod wanted;
mod writes;

pub(crate) use calls::{CALLS, call};
pub use ranking::*;
pub use salience::{Fading, salience_of};
pub use timeline::timeline;
pub use wanted::Wanted;
