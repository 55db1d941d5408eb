//! The vault recipe: entries of knowledge, ranked by seven signals.

mod calls;
mod federation;
mod options;
mod ranking;
mod response;
mod semantic;
pub mod tiers;

pub(crate) use calls::{CALLS, call};
pub use federation::{Federated, Federation, FederationTier, Tier};
pub use ranking::*;
pub use response::{Loaded, Signals, VaultMode, VaultResponse, VaultResult, VaultScan, VaultWeights};
pub use semantic::term_statistics;
