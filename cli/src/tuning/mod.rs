//! Which settings suit these queries best, and is the gain more than chance?
//!
//! Coordinate descent over small grids finds the settings ([`descend`]). Cross-validation measures them on queries that had
//! no part in the choice ([`CrossValidation`]). [`EditableSchema`] writes them into a schema file.

mod axis;
mod cross_validation;
mod descent;
mod schema_edit;
mod trial;

pub use axis::{Axis, as_options};
use axis::{LegsInUse, axes};
pub use cross_validation::{CrossValidation, mean};
use descent::descend;
pub use schema_edit::{EditableSchema, ModelTrust, SchemaValues};
pub use trial::Trial;
