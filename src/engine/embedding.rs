//! Embeds texts with the embedders that the snapshot carries.

use super::error::wrong;
use super::{Engine, SearchError};
use crate::document::Key;
use crate::segment::Embedders;
use crate::snapshot::SnapshotError;

impl Engine {
    /// Embeds a text with the snapshot's own embedder for `model`, by default the schema's first model.
    ///
    /// Returns `None` if the snapshot has no embedder for the model.
    ///
    /// # Errors
    /// Fails when there is no such model, or the snapshot is damaged.
    pub fn embed(&self, text: &str, model: Option<&str>) -> Result<Option<Vec<f32>>, SearchError> {
        match self.model(model)? {
            Some(place) => self.embed_with(place, text),
            None => Ok(None),
        }
    }

    /// Returns the number of dimensions of a model's vectors. `model` defaults to the schema's first model.
    ///
    /// Returns `None` as long as the schema leaves the width open and no record has a vector.
    ///
    /// # Errors
    /// Fails when there is no such model.
    pub fn model_width(&self, model: Option<&str>) -> Result<Option<usize>, SearchError> {
        Ok(self.model(model)?.and_then(|place| self.schema.models().nth(place)?.1.width))
    }

    /// Returns the index of a model, by default the first; `None` if the schema has no model.
    pub(crate) fn model(&self, name: Option<&str>) -> Result<Option<usize>, SearchError> {
        let Some(name) = name else { return Ok((self.schema.models().len() > 0).then_some(0)) };
        let known = || self.schema.models().map(|(name, _)| name).collect::<Vec<_>>().join(", ");
        let unknown = || {
            let instead = match self.schema.models().len() {
                0 => ": this snapshot has no vectors".to_owned(),
                _ => format!("; there are {}", known()),
            };
            wrong("model", format!("there is no model \"{name}\"{instead}"))
        };
        self.schema.model(name).map(|(place, _)| Some(place)).ok_or_else(unknown)
    }

    /// Embeds a text for the model at this index; `None` if the snapshot has no embedder for it.
    pub(crate) fn embed_with(&self, model: usize, text: &str) -> Result<Option<Vec<f32>>, SearchError> {
        Ok(self.embedders()?.embed(model, text))
    }

    /// Returns the snapshot's own embedders.
    pub(crate) fn embedders(&self) -> Result<Embedders<'_>, SnapshotError> {
        // Only the opened snapshot carries embedders; segments written at run time do not.
        match self.parts.first() {
            Some(part) => part.segment.embedders(),
            None => Ok(Embedders::parse(&self.schema, None)?),
        }
    }

    /// Returns whether a record has a vector of the model at this index.
    pub(crate) fn has_vector(&self, key: Key, model: Option<usize>) -> Result<bool, SearchError> {
        let found = self.find(key)?.zip(model);
        let Some(((part, document), model)) = found else { return Ok(false) };
        let models = self.parts[part].segment.vectors()?;
        Ok(models.get(model).is_some_and(|rows| rows.row_of(document).is_some()))
    }
}
