//! Which numbers were out of range, and what was used instead?

use crate::order::Map;
use serde::Serialize;
use std::ops::RangeInclusive;

/// The numbers that a call clamped, by option.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Clamps(Map<&'static str, Clamp>);

#[derive(Clone, Debug, PartialEq, Serialize)]
struct Clamp {
    /// `null` in JSON where it is infinite.
    given: f64,
    used: f64,
}

impl Clamps {
    /// Whether every number was in its range.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Clamps `number` to a range and records the change from `given`.
    pub(crate) fn clamp(
        &mut self,
        name: &'static str,
        given: f64,
        number: f64,
        range: RangeInclusive<f64>,
    ) -> f64 {
        // `f64::clamp` panics on an empty range, and its message brings the printing of floats into the module.
        let used = number.max(*range.start()).min(*range.end());
        if given != used {
            self.0.insert(name, Clamp { given, used });
        }
        used
    }
}
