//! Which weights and which decay hold for all calls of an engine?

use super::MemoryRecipe;
use super::score::{MemoryWeightChanges, MemoryWeights};
use crate::options::Options;
use crate::schema::RecipeName;

/// Settings that hold for all memory calls of an engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MemorySettings {
    /// The weights of the score (M4). A search may change them for itself.
    pub weights: MemoryWeights,
    /// Whether salience fades while a memory is not accessed (M13). Off by default.
    pub decay: bool,
}

impl MemorySettings {
    /// Reads `weights` and `decay`; absent ones have their defaults.
    pub fn take(read: &mut Options) -> MemorySettings {
        let changes = MemoryWeightChanges::take(read);
        MemorySettings {
            weights: changes.applied_to(&MemoryWeights::default()),
            decay: read.flag("decay").unwrap_or(false),
        }
    }
}

impl MemoryRecipe<'_> {
    /// Replaces the settings of the engine. Settings last as long as the engine; no snapshot keeps them.
    pub fn configure(&mut self, settings: MemorySettings) {
        *self.engine.kept_mut::<MemorySettings>(RecipeName::Memory) = settings;
    }

    /// Returns the settings of the engine.
    pub fn settings(&self) -> MemorySettings {
        self.engine.kept::<MemorySettings>(RecipeName::Memory).cloned().unwrap_or_default()
    }
}
