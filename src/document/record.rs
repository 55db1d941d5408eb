//! How is a document passed in? As a record, a flat JSON object with an `id` and a `kind`.

use crate::json::Json;

/// The kind of a record that has no `kind`.
pub const DEFAULT_KIND: &str = "document";

/// The greatest length of an id or a kind, in bytes.
pub const MAX_ID_LEN: usize = 1024;

/// A document as it comes in: a JSON object with a validated id and kind.
///
/// ```
/// use snapseek::{Record, json::Json};
///
/// let record = Record::from_json(Json::parse(br#"{"id": 7, "tags": ["red", "blue"]}"#)?)?;
/// assert_eq!((record.id(), record.kind()), ("7", "document"));
/// assert_eq!(record.text("tags").as_deref(), Some("red\nblue"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    id: String,
    kind: String,
    json: Json,
}

/// The reasons why a JSON value is not a record.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The value is not an object.
    #[error("a record is a JSON object with an \"id\", not {found}")]
    NotAnObject {
        /// The type of the value, with an article.
        found: &'static str,
    },
    /// The object has no `id`.
    #[error("the record has no \"id\"; give each record a string or an integer of its own")]
    MissingId,
    /// The id or the kind has the wrong type.
    #[error("\"{key}\" is {found}; it has to be a string{}", if *.key == "id" { " or an integer" } else { "" })]
    WrongType {
        /// The key with the wrong value: `id` or `kind`.
        key: &'static str,
        /// The type of its value, with an article.
        found: &'static str,
    },
    /// The id or the kind is empty or too long.
    #[error("\"{key}\" has {len} bytes; 1 to {MAX_ID_LEN} are allowed")]
    BadLength {
        /// The key with the wrong value: `id` or `kind`.
        key: &'static str,
        /// The length of its value, in bytes.
        len: usize,
    },
}

impl Record {
    /// Creates a record from a JSON object.
    ///
    /// # Errors
    /// Fails when `json` is not an object, or when its id or kind is missing, empty, too long or of the wrong type.
    pub fn from_json(json: Json) -> Result<Record, RecordError> {
        if !matches!(json, Json::Object(_)) {
            return Err(RecordError::NotAnObject { found: json.kind() });
        }
        let id = match json.get("id") {
            Some(Json::String(id)) => id.clone(),
            Some(Json::Integer(id)) => id.to_string(),
            Some(Json::Null) | None => return Err(RecordError::MissingId),
            Some(other) => return Err(RecordError::WrongType { key: "id", found: other.kind() }),
        };
        let kind = match json.get("kind") {
            Some(Json::String(kind)) => kind.clone(),
            Some(Json::Null) | None => DEFAULT_KIND.to_owned(),
            Some(other) => return Err(RecordError::WrongType { key: "kind", found: other.kind() }),
        };
        for (key, value) in [("id", &id), ("kind", &kind)] {
            if value.is_empty() || value.len() > MAX_ID_LEN {
                return Err(RecordError::BadLength { key, len: value.len() });
            }
        }
        Ok(Record { id, kind, json })
    }

    /// Returns the id.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Returns the kind; [`DEFAULT_KIND`] if the record has none.
    pub fn kind(&self) -> &str {
        &self.kind
    }

    /// Returns the whole record.
    pub fn json(&self) -> &Json {
        &self.json
    }

    /// Returns the text of a field, as the index, highlights and snippets see it.
    ///
    /// Numbers and booleans become text as JSON writes them. The strings of an array become one line each. Returns `None`
    /// if the field is absent or null, which FTS5 calls a NULL column, or if it holds an object.
    pub fn text(&self, field: &str) -> Option<String> {
        text_of(self.json.get(field)?)
    }
}

/// Returns the text of a JSON value; see [`Record::text`].
pub fn text_of(value: &Json) -> Option<String> {
    match value {
        Json::Null | Json::Object(_) => None,
        Json::String(text) => Some(text.clone()),
        Json::Bool(_) | Json::Integer(_) | Json::Float(_) => Some(value.to_text()),
        Json::Array(values) => Some(values.iter().filter_map(text_of).collect::<Vec<_>>().join("\n")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(text: &str) -> Result<Record, RecordError> {
        Record::from_json(Json::parse(text.as_bytes()).unwrap())
    }

    #[test]
    fn an_integer_id_is_kept_as_a_string() {
        let record = record(r#"{"id": 7, "title": "x"}"#).unwrap();
        assert_eq!((record.id(), record.kind()), ("7", "document"));
    }

    #[test]
    fn what_is_no_record_says_what_is_wrong_with_it() {
        let cases = [
            ("[1]", "a record is a JSON object with an \"id\", not an array"),
            ("{}", "the record has no \"id\"; give each record a string or an integer of its own"),
            (r#"{"id": 1.5}"#, "\"id\" is a number; it has to be a string or an integer"),
            (r#"{"id": "a", "kind": 3}"#, "\"kind\" is a number; it has to be a string"),
            (r#"{"id": ""}"#, "\"id\" has 0 bytes; 1 to 1024 are allowed"),
        ];
        for (text, message) in cases {
            assert_eq!(record(text).unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn every_scalar_and_array_has_a_text() {
        let record =
            record(r#"{"id":"a","n":1.5,"b":true,"l":["x","y z",null],"o":{"k":1},"e":null}"#).unwrap();
        assert_eq!(record.text("n").as_deref(), Some("1.5"));
        assert_eq!(record.text("b").as_deref(), Some("true"));
        assert_eq!(record.text("l").as_deref(), Some("x\ny z"));
        assert_eq!((record.text("o"), record.text("e"), record.text("none")), (None, None, None));
    }
}
