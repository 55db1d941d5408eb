//! What the snapshot itself makes of a text.

use super::error::wrong;
use super::{Engine, SearchError};
use crate::document::Key;
use crate::segment::Embedders;
use crate::snapshot::SnapshotError;

impl Engine {
    /// The vector of a text, for a model or the first; none where the snapshot has no embedder for it.
    ///
    /// # Errors
    /// When there is no such model, or the snapshot is damaged.
    pub fn embed(&self, text: &str, model: Option<&str>) -> Result<Option<Vec<f32>>, SearchError> {
        match self.model(model)? {
            Some(place) => self.embed_with(place, text),
            None => Ok(None),
        }
    }

    /// Returns the number of numbers in the vectors of a model, or of the first one; none where no vector has settled it.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn model_width(&self, model: Option<&str>) -> Result<Option<usize>, SearchError> {
        Ok(self.model(model)?.and_then(|place| self.schema.models().nth(place)?.1.width))
    }

    /// The place of a model, or of the first; none where there is none at all.
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

    /// The vector of a text, for the model in this place; none where the snapshot has no embedder for it.
    pub(crate) fn embed_with(&self, model: usize, text: &str) -> Result<Option<Vec<f32>>, SearchError> {
        Ok(self.embedders()?.embed(model, text))
    }

    /// What the snapshot itself embeds texts with.
    pub(crate) fn embedders(&self) -> Result<Embedders<'_>, SnapshotError> {
        // Those of the snapshot that was opened: what is added since has none of its own.
        match self.parts.first() {
            Some(part) => part.segment.embedders(),
            None => Ok(Embedders::parse(&self.schema, None)?),
        }
    }

    /// Whether a record has a vector of the model in this place.
    pub(crate) fn has_vector(&self, key: Key, model: Option<usize>) -> Result<bool, SearchError> {
        let found = self.find(key)?.zip(model);
        let Some(((part, document), model)) = found else { return Ok(false) };
        let models = self.parts[part].segment.vectors()?;
        Ok(models.get(model).is_some_and(|rows| rows.row_of(document).is_some()))
    }
}
