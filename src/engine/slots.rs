//! One slot per recipe for the values that it keeps between calls. The engine does not look inside.

use super::Engine;
use crate::schema::RecipeName;
use std::any::Any;
use std::fmt;
use std::sync::OnceLock;

type Value = Box<dyn Any + Send + Sync>;

/// One slot per recipe.
#[derive(Debug, Default)]
pub(crate) struct Slots([Slot; RecipeName::ALL.len()]);

#[derive(Default)]
struct Slot {
    /// Settings and caches that the recipe manages itself.
    kept: Option<Value>,
    /// A value derived from the records. Every write drops it.
    derived: OnceLock<Value>,
}

impl fmt::Debug for Slot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Slot")
    }
}

impl Slots {
    /// Drops every value that was derived from the records.
    pub fn forget_derived(&mut self) {
        self.0.iter_mut().for_each(|slot| drop(slot.derived.take()));
    }
}

impl Engine {
    /// Returns the value that a recipe keeps; creates the default if there is none. Each recipe keeps one type.
    pub(crate) fn kept_mut<T: Any + Default + Send + Sync>(&mut self, recipe: RecipeName) -> &mut T {
        let value = self.slots.0[recipe as usize].kept.get_or_insert_with(|| Box::<T>::default());
        value.downcast_mut().expect("each recipe keeps one type")
    }

    /// Returns the value that a recipe keeps; `None` if it has kept nothing yet.
    pub(crate) fn kept<T: Any>(&self, recipe: RecipeName) -> Option<&T> {
        self.slots.0[recipe as usize].kept.as_ref()?.downcast_ref()
    }

    /// Returns a value that a recipe derives from the records. `make` runs at most once between two writes.
    pub(crate) fn derived<T: Any + Send + Sync, E>(
        &self,
        recipe: RecipeName,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&T, E> {
        let slot = &self.slots.0[recipe as usize].derived;
        if slot.get().is_none() {
            let value: Value = Box::new(make()?);
            // Another thread may have been quicker; both values are equal.
            slot.set(value).ok();
        }
        let value = slot.get().expect("it was just set");
        Ok(value.downcast_ref().expect("each recipe derives one type"))
    }
}
