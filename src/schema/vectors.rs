//! The vectors of a schema: which models there are, and where their vectors come from.

use super::{Schema, SchemaError, SchemaFault};
use crate::document::Record;
use crate::json::Json;
use crate::vector::{Encoding, MAX_WIDTH, Metric};
use serde::Serialize;

/// A schema names at most this many models.
pub const MAX_MODELS: usize = 16;

/// A model whose vectors records have.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct VectorModel {
    /// How precisely vectors are kept.
    pub encoding: Encoding,
    /// What near means.
    #[serde(skip_serializing_if = "is_default")]
    pub metric: Metric,
    /// How many numbers a vector has; found from the first one where it is not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub width: Option<usize>,
    /// The field of a record that holds its vector. It is not stored with the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// The text fields that are embedded, one after the other; all of them where none are named.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub text: Vec<String>,
    /// What the snapshot itself embeds queries and new records with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedder: Option<EmbedderKind>,
    /// Which model made the vectors: vectors of different models are never compared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// What tells two versions of a model with the same id apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

/// What a snapshot embeds text with by itself.
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
    /// The same schema with a model more. Where it does not say what it embeds, the recipe may: a vault leaves ids and tags
    /// out.
    ///
    /// # Errors
    /// When the name or the model cannot be used.
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

    /// The same schema with another model of a name that it has, or one more.
    ///
    /// # Errors
    /// When the model cannot be used.
    pub fn with_model(mut self, name: &str, model: VectorModel) -> Result<Schema, SchemaError> {
        match self.vectors.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, known)) => *known = model,
            None => return self.with_vectors(name, model),
        }
        self.check()?;
        Ok(self)
    }

    /// The models, in order.
    pub fn models(&self) -> impl ExactSizeIterator<Item = (&str, &VectorModel)> {
        self.vectors.0.iter().map(|(name, model)| (name.as_str(), model))
    }

    /// The model with this name: its place, and itself.
    pub fn model(&self, name: &str) -> Option<(usize, &VectorModel)> {
        let place = self.vectors.0.iter().position(|(model, _)| model == name)?;
        Some((place, &self.vectors.0[place].1))
    }

    /// Notes the width of a model's vectors; whether it is what was known of it before.
    pub fn settle_width(&mut self, model: usize, width: usize) -> bool {
        *self.vectors.0[model].1.width.get_or_insert(width) == width
    }

    /// Takes over the widths that `other` knows; whether the two are otherwise the same.
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

    /// The text of a record that a model embeds: its fields, one a line.
    pub fn embedded_text(&self, model: usize, record: &Record) -> String {
        let named = &self.vectors.0[model].1.text;
        let all = self.field_names();
        let names = if named.is_empty() { all } else { named.iter().map(String::as_str).collect::<Vec<_>>() };
        let texts = names.into_iter().filter_map(|name| record.text(name)).filter(|text| !text.is_empty());
        texts.collect::<Vec<_>>().join("\n")
    }

    /// A record as it is stored: without its vectors.
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
                return wrong("bits tell angles and not distances; take i8 or f32, or the cosine".to_owned());
            }
            if let Some(text) = model.text.iter().find(|text| self.field(text).is_none()) {
                return wrong(format!("there is no text field \"{text}\""));
            }
            if let Some(field) = &model.field {
                let is_taken = self.field(field).is_some() || self.attribute(field).is_some();
                if is_taken || matches!(field.as_str(), "" | "id" | "kind" | "$") {
                    return wrong(format!(
                        "the field \"{field}\" cannot hold a vector: it is something else"
                    ));
                }
            }
            if model.embedder.is_some() && model.metric != Metric::Cosine {
                return wrong("the snapshot's own embedders go with the cosine".to_owned());
            }
        }
        Ok(())
    }
}
