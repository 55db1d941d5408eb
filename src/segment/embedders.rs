//! Which embedders does a snapshot contain, one per model?

use crate::document::Record;
use crate::embed::{Embedder, HashEmbedder, StaticModelView};
use crate::schema::{EmbedderKind, Schema, VectorModel};
use crate::wire::{Malformed, blocks, put_blocks};

const WHAT: &str = "the table of embedders";

/// The embedders of a schema's models. A model may have none.
pub struct Embedders<'a> {
    by_model: Vec<Option<ModelEmbedder<'a>>>,
}

enum ModelEmbedder<'a> {
    Hash(Box<HashEmbedder>),
    Static(StaticModelView<'a>),
}

/// Encodes the section of embedding tables, one per model, empty if a model needs none; [`Embedders::parse`] reads it.
pub fn encode_tables(tables: &[Vec<u8>]) -> Vec<u8> {
    put_blocks(tables, |table, out| out.extend_from_slice(table))
}

/// Completes a model of a schema with the width, the id and the fingerprint of a static model.
pub fn with_static_model(model: VectorModel, table: &StaticModelView) -> VectorModel {
    VectorModel {
        width: Some(table.width()),
        embedder: Some(EmbedderKind::Static),
        id: Some(table.id().to_owned()),
        fingerprint: Some(table.fingerprint_text()),
        ..model
    }
}

impl<'a> Embedders<'a> {
    /// Reads the embedders of a snapshot from its section, if it has one.
    ///
    /// # Errors
    /// Fails when the section is damaged or does not fit the schema.
    pub fn parse(schema: &Schema, section: Option<&'a [u8]>) -> Result<Embedders<'a>, Malformed> {
        let tables = match section {
            Some(section) => blocks(section, WHAT)?,
            None => Vec::new(),
        };
        if section.is_some() && tables.len() != schema.models().len() {
            return Err(Malformed(WHAT));
        }
        Embedders::of(schema, &tables)
    }

    /// Creates embedders from tables, one per model, empty if a model needs none.
    ///
    /// # Errors
    /// Fails when a table cannot be read.
    pub fn with_tables(schema: &Schema, tables: &'a [Vec<u8>]) -> Result<Embedders<'a>, Malformed> {
        Embedders::of(schema, &tables.iter().map(Vec::as_slice).collect::<Vec<_>>())
    }

    fn of(schema: &Schema, tables: &[&'a [u8]]) -> Result<Embedders<'a>, Malformed> {
        let mut by_model = Vec::new();
        for (place, (_, model)) in schema.models().enumerate() {
            let table = tables.get(place).filter(|table| !table.is_empty());
            by_model.push(match (model.embedder, table) {
                (Some(EmbedderKind::Hash), None) => Some(ModelEmbedder::Hash(Box::new(HashEmbedder::new(
                    model.width.unwrap_or(HashEmbedder::WIDTH),
                )))),
                (Some(EmbedderKind::Static), Some(table)) => {
                    let view = StaticModelView::parse(table)?;
                    if model.width.is_some_and(|width| width != view.width()) {
                        return Err(Malformed(WHAT));
                    }
                    Some(ModelEmbedder::Static(view))
                }
                (Some(EmbedderKind::Static) | None, None) => None,
                (_, Some(_)) => return Err(Malformed(WHAT)),
            });
        }
        Ok(Embedders { by_model })
    }

    /// Checks every byte of the tables.
    ///
    /// # Errors
    /// Fails when a table is damaged.
    pub fn verify(&self) -> Result<(), Malformed> {
        for own in self.by_model.iter().flatten() {
            if let ModelEmbedder::Static(view) = own {
                view.verify()?;
            }
        }
        Ok(())
    }

    /// Embeds a text, or returns `None` if the model has no embedder. A text without known tokens gives zeros.
    pub fn embed(&self, model: usize, text: &str) -> Option<Vec<f32>> {
        Some(match self.by_model.get(model)?.as_ref()? {
            ModelEmbedder::Hash(embedder) => embedder.embed(text),
            ModelEmbedder::Static(view) => view.embed(text),
        })
    }

    /// Embeds a record with each model; `None` if a model has no embedder or finds nothing to embed.
    pub fn vectors(&self, schema: &Schema, record: &Record) -> Vec<Option<Vec<f32>>> {
        let vector = |model: usize| {
            self.by_model[model].as_ref()?;
            let vector = self.embed(model, &schema.embedded_text(model, record))?;
            vector.iter().any(|&number| number != 0.0).then_some(vector)
        };
        (0..self.by_model.len()).map(vector).collect::<Vec<_>>()
    }
}
