//! Which fields of a record are text, which are attributes, and how is text split into terms?

mod entries;
mod infer;
mod presets;
mod read;
mod vectors;

pub use presets::{PresetName, RecipeName};
pub use vectors::{EmbedderKind, MAX_MODELS, MAX_TRUST, ModelKind, VectorModel};

use crate::analysis::{Analyzer, AnalyzerError};
use crate::attributes::AttributeType;
use crate::ids::FieldId;
use crate::json::JsonError;
use crate::options::OptionsError;
use entries::Entries;
use serde::Serialize;

/// The schema of a snapshot: its text fields, attributes, vector models and tokenizer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Schema {
    /// An FTS5 `tokenize=` string.
    tokenizer: String,
    /// How runs of CJK characters become terms. `None` keeps each run as one term, as in FTS5.
    #[serde(skip_serializing_if = "Option::is_none")]
    cjk: Option<Cjk>,
    /// Whether to keep unstemmed words beside their stems, for search as you type, suggestions and typo tolerance.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    forms: bool,
    /// The recipe that answers queries without a recipe.
    #[serde(skip_serializing_if = "RecipeName::is_default")]
    recipe: RecipeName,
    /// The attributes that a search groups hits by: first the group, then the part of the group that a hit is in.
    #[serde(rename = "groupBy", skip_serializing_if = "Vec::is_empty")]
    group_by: Vec<String>,
    fields: Entries<TextField>,
    attributes: Entries<AttributeType>,
    #[serde(skip_serializing_if = "Entries::is_empty")]
    vectors: Entries<VectorModel>,
}

/// The ways of splitting runs of CJK characters into terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cjk {
    /// Each pair of neighbouring characters is a term.
    Bigrams,
}

/// A searchable field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct TextField {
    /// The weight of an occurrence in this field, for bm25. Defaults to 1.
    #[serde(skip_serializing_if = "is_one")]
    pub weight: f64,
}

/// A boxed [`SchemaFault`].
pub type SchemaError = Box<SchemaFault>;

/// The reasons why a schema is invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemaFault {
    /// The schema has no text field.
    #[error("the schema has no text field; name at least one under [fields]")]
    NoFields,
    /// There are too many text fields.
    #[error("the schema has {found} text fields; at most {} are allowed", FieldId::LIMIT)]
    TooManyFields {
        /// The number of text fields.
        found: usize,
    },
    /// There are too many attributes.
    #[error("the schema has {found} attributes; at most {MAX_ATTRIBUTES} are allowed")]
    TooManyAttributes {
        /// The number of attributes.
        found: usize,
    },
    /// A name is empty, occurs twice in its list, or is reserved.
    #[error(
        "the name \"{name}\" cannot be used here; names must be non-empty and unique, and attributes must not be named \"id\" or \"kind\""
    )]
    BadName {
        /// The name.
        name: String,
    },
    /// Hits cannot be grouped by this attribute.
    #[error("groupBy: \"{name}\" cannot group hits; name one or two attributes of type keyword")]
    BadGroup {
        /// The name.
        name: String,
    },
    /// A weight is not a finite number.
    #[error("the weight of \"{field}\" must be a finite number")]
    BadWeight {
        /// The field.
        field: String,
    },
    /// There are too many models.
    #[error("the schema has {found} models; at most {MAX_MODELS} are allowed")]
    TooManyModels {
        /// The number of models.
        found: usize,
    },
    /// A model is invalid.
    #[error("vectors \"{model}\": {reason}")]
    BadModel {
        /// The model's name.
        model: String,
        /// The reason why it is invalid.
        reason: String,
    },
    /// The tokenizer is unknown.
    #[error(transparent)]
    Tokenizer(AnalyzerError),
    /// The schema's text is not JSON.
    #[error(transparent)]
    Json(JsonError),
    /// The schema has an unknown entry, or an entry of the wrong type.
    #[error(transparent)]
    Entries(OptionsError),
}

boxed_from!(SchemaFault: Tokenizer(AnalyzerError), Json(JsonError), Entries(OptionsError));

/// The largest number of attributes that hits are grouped by.
pub const MAX_GROUPS: usize = 2;

/// The largest number of attributes of a schema.
pub const MAX_ATTRIBUTES: usize = 256;

impl Schema {
    /// Creates a schema with these text fields, given as name and weight, and FTS5's default tokenizer.
    ///
    /// # Errors
    /// Fails when a name or a weight is invalid.
    pub fn of_fields<'a>(fields: impl IntoIterator<Item = (&'a str, f64)>) -> Result<Schema, SchemaError> {
        let fields = fields.into_iter().map(|(name, weight)| (name.to_owned(), TextField { weight }));
        let schema = Schema { fields: Entries(fields.collect::<Vec<_>>()), ..Schema::bare() };
        schema.check()?;
        Ok(schema)
    }

    fn bare() -> Schema {
        Schema {
            tokenizer: default_tokenizer(),
            cjk: None,
            forms: false,
            recipe: RecipeName::default(),
            group_by: Vec::new(),
            fields: Entries(Vec::new()),
            attributes: Entries(Vec::new()),
            vectors: Entries(Vec::new()),
        }
    }

    /// Replaces the tokenizer.
    ///
    /// # Errors
    /// Fails when the tokenizer is unknown.
    pub fn with_tokenizer(mut self, tokenizer: &str) -> Result<Schema, SchemaError> {
        self.tokenizer = tokenizer.to_owned();
        self.check()?;
        Ok(self)
    }

    /// Adds a text field.
    ///
    /// # Errors
    /// Fails when the name or the weight is invalid.
    pub fn with_field(mut self, name: &str, weight: f64) -> Result<Schema, SchemaError> {
        self.fields.0.push((name.to_owned(), TextField { weight }));
        self.check()?;
        Ok(self)
    }

    /// Adds an attribute.
    ///
    /// # Errors
    /// Fails when the name is invalid.
    pub fn with_attribute(mut self, name: &str, kind: AttributeType) -> Result<Schema, SchemaError> {
        self.attributes.0.push((name.to_owned(), kind));
        self.check()?;
        Ok(self)
    }

    /// Keeps unstemmed words beside their stems.
    #[must_use]
    pub fn with_forms(mut self) -> Schema {
        self.forms = true;
        self
    }

    /// Splits runs of CJK characters into bigrams.
    #[must_use]
    pub fn with_cjk_bigrams(mut self) -> Schema {
        self.cjk = Some(Cjk::Bigrams);
        self
    }

    /// Checks names, weights, limits, models and the tokenizer.
    ///
    /// # Errors
    /// Fails when one of them is invalid.
    pub fn check(&self) -> Result<(), SchemaError> {
        match self.fields.0.len() {
            0 => return Err(SchemaFault::NoFields.into()),
            found if found > FieldId::LIMIT => return Err(SchemaFault::TooManyFields { found }.into()),
            _ => {}
        }
        if self.attributes.0.len() > MAX_ATTRIBUTES {
            return Err(SchemaFault::TooManyAttributes { found: self.attributes.0.len() }.into());
        }
        let field_names = self.fields.0.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
        let attribute_names = self.attributes.0.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>();
        for names in [&field_names, &attribute_names] {
            for (i, name) in names.iter().enumerate() {
                // FTS5 ignores the case of column names, so names that differ only in case are equal.
                let is_repeated = names[..i].iter().any(|other| other.eq_ignore_ascii_case(name));
                if is_repeated || name.is_empty() {
                    return Err(SchemaFault::BadName { name: (*name).to_owned() }.into());
                }
            }
        }
        if let Some(name) = attribute_names.iter().find(|name| matches!(**name, "id" | "kind")) {
            return Err(SchemaFault::BadName { name: (*name).to_owned() }.into());
        }
        for (field, TextField { weight }) in &self.fields.0 {
            if !weight.is_finite() {
                return Err(SchemaFault::BadWeight { field: field.clone() }.into());
            }
        }
        for (place, name) in self.group_by.iter().enumerate() {
            if place >= MAX_GROUPS || !self.is_keyword(name) {
                return Err(SchemaFault::BadGroup { name: name.clone() }.into());
            }
        }
        self.check_vectors()?;
        Ok(Analyzer::check(&self.tokenizer)?)
    }

    fn is_keyword(&self, name: &str) -> bool {
        self.attribute(name).is_some_and(|(_, kind)| kind == AttributeType::Keyword)
    }

    /// Returns the attributes that a search groups hits by, unless it says otherwise.
    pub fn group_by(&self) -> &[String] {
        &self.group_by
    }

    /// Returns the analyzer that splits text into terms.
    ///
    /// # Errors
    /// Fails when the tokenizer is unknown; never for a schema that was [checked](Schema::check).
    pub fn analyzer(&self) -> Result<Analyzer, SchemaError> {
        let analyzer = Analyzer::parse(&self.tokenizer)?;
        Ok(match self.cjk {
            Some(Cjk::Bigrams) => analyzer.with_cjk_bigrams(),
            None => analyzer,
        })
    }

    /// Returns the `tokenize=` string.
    pub fn tokenizer(&self) -> &str {
        &self.tokenizer
    }

    /// Returns whether unstemmed words are kept.
    pub fn keeps_forms(&self) -> bool {
        self.forms
    }

    /// Returns the names of the text fields, in order.
    pub fn field_names(&self) -> Vec<&str> {
        self.fields.0.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>()
    }

    /// Returns the number of text fields.
    pub fn field_count(&self) -> usize {
        self.fields.0.len()
    }

    /// Returns the text field with this name, which is case-sensitive.
    pub fn field(&self, name: &str) -> Option<FieldId> {
        let place = self.fields.0.iter().position(|(field, _)| field == name)?;
        u8::try_from(place).ok().map(FieldId)
    }

    /// Returns the weights of the text fields, in order.
    pub fn weights(&self) -> Vec<f64> {
        self.fields.0.iter().map(|(_, field)| field.weight).collect::<Vec<_>>()
    }

    /// Returns the weights that score upper bounds in posting lists use: the schema's if all are positive, otherwise 1.
    pub fn bound_weights(&self) -> Vec<f64> {
        let weights = self.weights();
        if weights.iter().all(|&weight| weight > 0.0) { weights } else { vec![1.0; weights.len()] }
    }

    /// Returns the attributes, in order.
    pub fn attributes(&self) -> impl ExactSizeIterator<Item = (&str, AttributeType)> {
        self.attributes.0.iter().map(|(name, kind)| (name.as_str(), *kind))
    }

    /// Returns the index and type of the attribute with this name.
    pub fn attribute(&self, name: &str) -> Option<(usize, AttributeType)> {
        let place = self.attributes.0.iter().position(|(attribute, _)| attribute == name)?;
        Some((place, self.attributes.0[place].1))
    }
}

fn default_tokenizer() -> String {
    "porter unicode61".to_owned()
}

fn is_one(weight: &f64) -> bool {
    weight.to_bits() == 1f64.to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schema(text: &str) -> Result<Schema, String> {
        let schema = Schema::parse(text.as_bytes()).map_err(|error| error.to_string())?;
        schema.check().map_err(|error| error.to_string())?;
        Ok(schema)
    }

    #[test]
    fn a_schema_keeps_the_order_of_its_fields_and_has_one_written_form() {
        let text = r#"{"tokenizer":"porter unicode61","fields":{"z":{"weight":10.0},"a":{}},"attributes":{"tags":"keywords"}}"#;
        let schema = schema(text).unwrap();
        assert_eq!(schema.field_names(), ["z", "a"]);
        assert_eq!(schema.weights(), [10.0, 1.0]);
        assert_eq!(serde_json::to_string(&schema).unwrap(), text);
    }

    #[test]
    fn schemas_that_cannot_be_used_say_why() {
        let cases = [
            (r#"{"fields":{}}"#, "the schema has no text field; name at least one under [fields]"),
            (r#"{"fields":{"a":{},"A":{}}}"#, "the name \"A\" cannot be used here"),
            (r#"{"fields":{"a":{}},"attributes":{"id":"keyword"}}"#, "the name \"id\" cannot be used here"),
            (
                r#"{"fields":{"a":{}},"attributes":{"n":"integer"}}"#,
                "attributes.n: unknown type \"integer\"; use one of keyword, keywords, number, bool, time",
            ),
            (r#"{"fields":{"a":{"wieght":2}}}"#, "fields.a.wieght: unknown option; the options are weight"),
            (
                r#"{"feilds":{}}"#,
                "feilds: unknown option; the options are attributes, cjk, fields, forms, groupBy, preset, recipe, tokenizer, vectors",
            ),
            (r#"{"fields":{"a":{},"a":{}}}"#, "a key is repeated at line 1"),
            (
                r#"{"fields":{"a":{}},"attributes":{"n":"number"},"groupBy":["n"]}"#,
                "groupBy: \"n\" cannot group hits; name one or two attributes of type keyword",
            ),
            (r#"{"fields":{"a":null}}"#, "fields.a: must not be null"),
            (r#"{"fields":{"a":{"weight":null}}}"#, "fields.a.weight: must not be null"),
            (r#"{"fields":["a"]}"#, "fields: must be an object, not an array"),
            (
                r#"{"fields":{"a":{}},"vectors":{"m":{"metric":"l3"}}}"#,
                "vectors.m.metric: unknown metric \"l3\"",
            ),
            (r#"{"fields":{"a":{}},"vectors":{"m":{"width":0}}}"#, "vectors \"m\": its width is 0"),
            ("null", "(root): must be an object, not null"),
            ("{", "EOF while parsing an object at line 1 column 1"),
        ];
        for (text, message) in cases {
            let error = schema(text).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
        let fields = (0..65).map(|i| format!("\"f{i}\":{{}}")).collect::<Vec<_>>().join(",");
        assert!(schema(&format!("{{\"fields\":{{{fields}}}}}")).unwrap_err().contains("at most 64"));
        let endless = Schema::of_fields([("a", f64::INFINITY)]).unwrap_err();
        assert_eq!(endless.to_string(), "the weight of \"a\" must be a finite number");
        assert!(schema(r#"{"fields":{"a":{}},"tokenizer":"nonsense"}"#).is_err());
    }
}
