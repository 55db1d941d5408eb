//! The vault recipe: entries of knowledge, ranked by seven signals.
//!
//! [`Vault`] reads, [`VaultMut`] writes, [`Federation`] searches several vaults as one.

mod calls;
mod federation;
mod handle;
mod links;
mod query;
mod ranking;
mod response;
mod semantic;
mod tiers;
mod update;
mod writes;

pub(crate) use calls::{CALLS, call};
pub use federation::{Federated, Federation, FederationTier, Tier};
pub use handle::{Vault, VaultMut};
pub use query::{VaultMode, VaultQuery};
pub use ranking::{MEMORY, SIGNALS, Weights, base_weights, current_weights, depth, keeps_all};
pub use response::{
    Signals, VaultLinked, VaultLoaded, VaultRemoved, VaultResponse, VaultResult, VaultScan, VaultUnlinked,
    VaultUpdated, VaultWeights, VaultWritten,
};
pub use tiers::{Merged, TierResult, merge, tier_weight};
pub use update::{
    VaultAction, VaultAdd, VaultFeedback, VaultLink, VaultUnlink, VaultUpdate, VaultWriteOptions,
};
