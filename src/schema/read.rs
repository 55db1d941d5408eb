//! How is a schema read from JSON?

use super::entries::Entries;
use super::{
    Cjk, EmbedderKind, MAX_TRUST, PresetName, RecipeName, Schema, SchemaError, TextField, VectorModel,
};
use crate::attributes::AttributeType;
use crate::json::Json;
use crate::options::{self, Options, OptionsError};
use crate::vector::{Encoding, Metric};
use serde::de::{Deserialize, Deserializer};

impl Schema {
    /// Reads a schema from JSON text. [`Schema::check`] validates its contents.
    ///
    /// ```
    /// use snapseek::Schema;
    ///
    /// let schema = Schema::parse(br#"{"fields": {"title": {"weight": 2}, "body": {}}}"#)?;
    /// assert_eq!(schema.field_names(), ["title", "body"]);
    /// assert_eq!(schema.weights(), [2.0, 1.0]);
    /// # Ok::<(), snapseek::SchemaError>(())
    /// ```
    ///
    /// # Errors
    /// Fails when the text is not JSON, is not a schema, or repeats a key.
    pub fn parse(text: &[u8]) -> Result<Schema, SchemaError> {
        Ok(Schema::read(&Json::parse_unrepeated(text)?)?)
    }

    /// Reads a schema from a JSON value.
    ///
    /// # Errors
    /// Fails when an entry is unknown or has the wrong type.
    pub fn read(json: &Json) -> Result<Schema, OptionsError> {
        let mut read = Options::of_required(json);
        let preset = read.one_of("preset", "preset", &PresetName::ALL, PresetName::name);
        let base = preset.map_or_else(Schema::bare, Schema::of_preset);
        let fields = read.by_name("fields", |fields, name| fields.object(name, TextField::read));
        let attributes = read.by_name("attributes", |attributes, name| {
            attributes.one_of(name, "type", &AttributeType::ALL, AttributeType::name)
        });
        let vectors = read.by_name("vectors", |vectors, name| vectors.object(name, VectorModel::read));
        let mut schema = Schema {
            tokenizer: read.text("tokenizer").map_or(base.tokenizer, str::to_owned),
            cjk: read.one_of("cjk", "way", &[Cjk::Bigrams], |Cjk::Bigrams| "bigrams"),
            forms: read.flag("forms").unwrap_or(base.forms),
            group_by: read.texts("groupBy").unwrap_or(base.group_by),
            recipe: read
                .one_of("recipe", "recipe", &RecipeName::ALL, RecipeName::name)
                .unwrap_or(base.recipe),
            fields: base.fields.with(fields),
            attributes: base.attributes.with(attributes),
            vectors: Entries(vectors.unwrap_or_default()),
        };
        if preset.is_some() {
            schema.embed_usual_fields();
        }
        read.finish()?;
        Ok(schema)
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Schema, D::Error> {
        options::deserialize(deserializer, Schema::read)
    }
}

impl TextField {
    fn read(read: &mut Options) -> TextField {
        TextField { weight: read.any_number("weight").unwrap_or(1.0) }
    }
}

impl VectorModel {
    fn read(read: &mut Options) -> VectorModel {
        VectorModel {
            encoding: read.one_of("encoding", "encoding", &Encoding::ALL, Encoding::name).unwrap_or_default(),
            metric: read.one_of("metric", "metric", &Metric::ALL, Metric::name).unwrap_or_default(),
            width: read.whole("width"),
            field: read.text("field").map(str::to_owned),
            text: read.texts("text").unwrap_or_default(),
            embedder: read.one_of("embedder", "embedder", &EmbedderKind::ALL, EmbedderKind::name),
            id: read.text("id").map(str::to_owned),
            fingerprint: read.text("fingerprint").map(str::to_owned),
            trust: read.number("trust", 0.0..=MAX_TRUST),
        }
    }
}
