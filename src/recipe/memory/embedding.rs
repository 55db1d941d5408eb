//! The text that a host embeds before it writes a memory.

use super::ranking::MEMORY;
use super::writes::{MemoryChanges, NewMemory, changed, record_of};
use super::{MemoryRecipe, key};
use crate::document::Record;
use crate::engine::{SearchError, TextsToEmbed};

impl MemoryRecipe<'_> {
    /// Returns the text to embed before [`MemoryRecipe::create`].
    ///
    /// # Errors
    /// When there is no such model.
    pub fn text_of_new(&self, memory: &NewMemory) -> Result<TextsToEmbed, SearchError> {
        // Any id does: no embedded text depends on an id that is still to be made.
        let record = record_of(memory.fields(memory.id.as_deref().unwrap_or(MEMORY), 0.0))?;
        self.text_to_embed(&record, None, memory.model.as_deref())
    }

    /// Returns the text to embed before [`MemoryRecipe::update`]; none where the embedded text stays the same.
    ///
    /// # Errors
    /// When there is no such memory or model.
    pub fn text_of_update(&self, id: &str, changes: &MemoryChanges) -> Result<TextsToEmbed, SearchError> {
        let old = self.record(id)?;
        let new = record_of(changed(old.json(), &changes.fields(0.0)))?;
        self.text_to_embed(&new, Some(&old), changes.model.as_deref())
    }

    fn text_to_embed(
        &self,
        new: &Record,
        old: Option<&Record>,
        model: Option<&str>,
    ) -> Result<TextsToEmbed, SearchError> {
        let Some(place) = self.engine.model(model)? else { return Ok(TextsToEmbed::default()) };
        let text_of = |record: &Record| self.engine.schema.embedded_text(place, record);
        let text = Some(text_of(new)).filter(|text| !text.trim().is_empty());
        let is_needed = match old {
            // A memory that has no vector yet gets one, even if its text stays the same.
            Some(old) => {
                text_of(old) != text_of(new) || !self.engine.has_vector(key(old.id()), Some(place))?
            }
            None => true,
        };
        let texts = text.filter(|_| is_needed).into_iter().collect();
        Ok(TextsToEmbed { texts, width: self.engine.model_width(model)? })
    }
}
