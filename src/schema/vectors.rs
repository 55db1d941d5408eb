//! Which vector models does a schema have, and where do their vectors come from?

use super::{Schema, SchemaError, SchemaFault};
use crate::document::Record;
use crate::json::Json;
use crate::vector::{Encoding, MAX_WIDTH, Metric};
use serde::Serialize;

/// The largest weight of a model's vectors in the default fusion.
pub const MAX_TRUST: f64 = 4.0;
/// The largest number of models of a schema.
pub const MAX_MODELS: usize = 16;

/// A vector model of a schema.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VectorModel {
    /// The stored precision of vectors.
    pub encoding: Encoding,
    /// The similarity metric.
    #[serde(skip_serializing_if = "is_default")]
    pub metric: Metric,
    /// The number of dimensions; taken from the first vector if it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<usize>,
    /// The record field that holds the vector. It is not stored with the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The text fields to embed, in this order; empty means all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// The embedder in the snapshot that embeds queries and new records.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedder: Option<EmbedderKind>,
    /// The id of the model that made the vectors. Vectors of different models are never compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// A string that distinguishes versions of a model with the same id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
    /// The weight of these vectors in the default fusion, 0 to 4; by default that of the kind of embedder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trust: Option<f64>,
}

impl VectorModel {
    /// Returns the kind of model that made the vectors, as far as the schema knows.
    pub fn kind(&self) -> ModelKind {
        match self.embedder {
            None => ModelKind::Transformer,
            Some(EmbedderKind::Static) => ModelKind::StaticTable,
            Some(EmbedderKind::Hash) => ModelKind::Hash,
        }
    }
}

/// The kinds of models that make vectors, as far as a schema tells them apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelKind {
    /// A model of unknown origin, most likely a transformer.
    Transformer,
    /// A table of token vectors.
    StaticTable,
    /// Hashed character sequences, which know no synonyms.
    Hash,
}

/// The embedders that a snapshot can contain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum EmbedderKind {
    /// The hash embedding, which needs no file.
    Hash,
    /// A static model that the snapshot carries.
    Static,
}

impl EmbedderKind {
    pub(super) const ALL: [EmbedderKind; 2] = [EmbedderKind::Hash, EmbedderKind::Static];

    pub(super) fn name(self) -> &'static str {
        match self {
            EmbedderKind::Hash => "hash",
            EmbedderKind::Static => "static",
        }
    }
}

fn is_default(metric: &Metric) -> bool {
    *metric == Metric::default()
}

impl Schema {
    /// Adds a model.
    ///
    /// If the model does not name the fields to embed, the recipe's defaults apply: a vault, for example, leaves out ids
    /// and tags.
    ///
    /// # Errors
    /// Fails when the name or the model is invalid.
    pub fn with_vectors(mut self, name: &str, model: VectorModel) -> Result<Schema, SchemaError> {
        self.vectors.0.push((name.to_owned(), model));
        self.embed_usual_fields();
        self.check()?;
        Ok(self)
    }

    /// Lets every model that names no fields embed the fields that the recipe specifies.
    pub(super) fn embed_usual_fields(&mut self) {
        let usual = self.recipe.embedded_fields();
        if usual.iter().all(|field| self.field(field).is_some()) {
            for (_, model) in self.vectors.0.iter_mut().filter(|(_, model)| model.text.is_empty()) {
                model.text = usual.iter().map(|field| (*field).to_owned()).collect();
            }
        }
    }

    /// Replaces the model with this name, or adds it.
    ///
    /// # Errors
    /// Fails when the model is invalid.
    pub fn with_model(mut self, name: &str, model: VectorModel) -> Result<Schema, SchemaError> {
        match self.vectors.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = model,
            None => return self.with_vectors(name, model),
        }
        self.check()?;
        Ok(self)
    }

    /// Returns the models, in order.
    pub fn models(&self) -> impl ExactSizeIterator<Item = (&str, &VectorModel)> {
        self.vectors.0.iter().map(|(name, model)| (name.as_str(), model))
    }

    /// Returns the index of the model with this name, and the model.
    pub fn model(&self, name: &str) -> Option<(usize, &VectorModel)> {
        let place = self.vectors.0.iter().position(|(model, _)| model == name)?;
        Some((place, &self.vectors.0[place].1))
    }

    /// Sets the width of a model's vectors if it is unknown, and returns whether it equals `width` now.
    pub fn settle_width(&mut self, model: usize, width: usize) -> bool {
        *self.vectors.0[model].1.width.get_or_insert(width) == width
    }

    /// Copies the widths that `other` knows, and returns whether the two schemas are equal apart from that.
    pub fn settle_widths_of(&mut self, other: &Schema) -> bool {
        let mut own = self.clone();
        let mut theirs = other.clone();
        for ((_, own), (_, theirs)) in own.vectors.0.iter_mut().zip(&mut theirs.vectors.0) {
            own.width = own.width.or(theirs.width);
            theirs.width = theirs.width.or(own.width);
        }
        let is_same = own == theirs;
        if is_same {
            *self = own;
        }
        is_same
    }

    /// Returns the text of a record that a model embeds: its fields, one per line.
    pub fn embedded_text(&self, model: usize, record: &Record) -> String {
        let named = &self.vectors.0[model].1.text;
        let all = self.field_names();
        let names = if named.is_empty() { all } else { named.iter().map(String::as_str).collect::<Vec<_>>() };
        let texts = names.into_iter().filter_map(|name| record.text(name)).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// Returns a record as it is stored, without its vectors.
    pub fn stored_json<'a>(&self, record: &'a Record) -> std::borrow::Cow<'a, Json> {
        let is_vector = |name: &str| self.models().any(|(_, model)| model.field.as_deref() == Some(name));
        match record.json() {
            Json::Object(entries) if entries.iter().any(|(name, _)| is_vector(name)) => {
                let kept = entries.iter().filter(|(name, _)| !is_vector(name)).cloned();
                std::borrow::Cow::Owned(Json::Object(kept.collect::<Vec<_>>()))
            }
            json => std::borrow::Cow::Borrowed(json),
        }
    }

    pub(super) fn check_vectors(&self) -> Result<(), SchemaError> {
        if self.vectors.0.len() > MAX_MODELS {
            return Err(SchemaFault::TooManyModels { found: self.vectors.0.len() }.into());
        }
        for (place, (name, model)) in self.vectors.0.iter().enumerate() {
            if name.is_empty() || self.vectors.0[..place].iter().any(|(other, _)| other == name) {
                return Err(SchemaFault::BadName { name: name.clone() }.into());
            }
            let wrong = |reason: String| Err(SchemaFault::BadModel { model: name.clone(), reason }.into());
            if let Some(width) = model.width.filter(|width| !(1..=MAX_WIDTH).contains(width)) {
                return wrong(format!("its width is {width}; 1 to {MAX_WIDTH} are allowed"));
            }
            if model.encoding == Encoding::I1 && model.metric == Metric::Euclidean {
                return wrong(
                    "1-bit vectors preserve only angles; use the encoding i8 or f32, or the metric cosine"
                        .to_owned(),
                );
            }
            if let Some(text) = model.text.iter().find(|text| self.field(text).is_none()) {
                return wrong(format!("there is no text field \"{text}\""));
            }
            if let Some(field) = &model.field {
                let is_taken = self.field(field).is_some() || self.attribute(field).is_some();
                if is_taken || matches!(field.as_str(), "" | "id" | "kind" | "$") {
                    return wrong(format!(
                        "the field \"{field}\" cannot hold a vector, because it is a text field, an attribute or a reserved name"
                    ));
                }
            }
            if model.embedder.is_some() && model.metric != Metric::Cosine {
                return wrong("an embedder in the snapshot requires the metric cosine".to_owned());
            }
        }
        Ok(())
    }
}
