//! How are vectors taken that arrive separately from their records, before or after them? As lines like
//! `{"$": "vector", "id": "7", "model": "minilm", "vector": [0.1, …]}`.

use super::batch::{Batch, BatchError, BatchFault};
use super::rows::RowRef;
use super::vectors::carried;
use crate::document::{Key, Record};
use crate::json::Json;
use crate::vector::check_vector;

/// A vector that arrived without its record, with the key of that record.
#[derive(Debug)]
pub(crate) struct LooseVector {
    id: String,
    kind: String,
    pub model: usize,
    pub vector: Vec<f32>,
}

/// A vector that arrived without its record, with the row of that record.
#[derive(Debug)]
pub struct LooseRow<'a> {
    pub(crate) model: usize,
    pub(crate) at: RowRef,
    pub(crate) vector: &'a [f32],
}

impl LooseVector {
    /// Reads a line's vector for the model that the line names, or for the schema's only model.
    pub(super) fn read(line: &Record, batch: &Batch) -> Result<LooseVector, BatchError> {
        let (id, schema) = (line.id().to_owned(), batch.schema());
        let found = match (line.json().get("model"), schema.models().len()) {
            (Some(Json::String(name)), _) => schema
                .model(name)
                .map(|(place, _)| place)
                .ok_or_else(|| format!("the schema has no model \"{name}\"")),
            (Some(other), _) => Err(format!("its \"model\" is {}; use the name of a model", other.kind())),
            (None, 0) => Err("the schema has no vectors".to_owned()),
            (None, 1) => Ok(0),
            (None, _) => Err("it has no \"model\", but the schema has several models; name one".to_owned()),
        };
        let model = match found {
            Ok(model) => model,
            Err(reason) => return Err(BatchFault::NoModel { id, reason }.into()),
        };
        let Some(vector) = carried(line, "vector")? else {
            return Err(BatchFault::NotAVector { id, field: "vector".to_owned(), found: "missing" }.into());
        };
        let loose = LooseVector { id, kind: line.kind().to_owned(), model, vector };
        check_vector(&loose.vector, batch.vectors[model].width()).map_err(|error| {
            let model = schema.models().nth(model).map_or("", |(name, _)| name).to_owned();
            BatchFault::Vector { id: loose.id.clone(), model, error }
        })?;
        Ok(loose)
    }

    pub fn key(&self) -> Key<'_> {
        Key { id: &self.id, kind: &self.kind }
    }
}
