//! Which schema fits given records, if nobody wrote one?

use super::{Schema, SchemaError, TextField};
use crate::attributes::{AttributeType, time_of};
use crate::document::Record;
use crate::json::Json;
use crate::order::Set;

/// The role that a field's values suggest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldRole {
    Text,
    Attribute(AttributeType),
    OnlyStored,
}

/// A field with this many values or more can be an enumeration.
const ENUMERATION_VALUES: usize = 10;
/// An enumeration has at most this many different values.
const ENUMERATION_SIZE: usize = 50;
/// Each value of an enumeration occurs this often, on average.
const ENUMERATION_REPEATS: usize = 4;
/// The length of a value in an enumeration, in bytes, and the number of its words.
const ENUMERATION_LEN: usize = 40;
const ENUMERATION_WORDS: usize = 3;

/// Names of fields that are text, even if their values repeat.
const TEXT_NAMES: [&str; 14] = [
    "title",
    "name",
    "text",
    "body",
    "content",
    "description",
    "summary",
    "heading",
    "question",
    "answer",
    "message",
    "note",
    "comment",
    "abstract",
];

/// Names of fields that identify something, and the ends of such names.
const CODE_NAMES: [&str; 14] = [
    "id", "uuid", "guid", "hash", "sha", "sha1", "sha256", "md5", "checksum", "url", "uri", "href", "path",
    "slug",
];

/// The properties that all values of a field share.
#[derive(Debug)]
struct FieldShape {
    role: FieldRole,
    /// The number of strings.
    count: usize,
    /// The different strings, until there are more than [`ENUMERATION_SIZE`].
    distinct: Set<String>,
    /// Whether every string is short enough for an enumeration.
    is_short: bool,
    /// Whether no string has white space, and whether every string is a URL, a path or a hash.
    is_single_words: bool,
    is_code: bool,
}

impl FieldShape {
    fn new(role: FieldRole) -> FieldShape {
        let distinct = Set::default();
        FieldShape { role, count: 0, distinct, is_short: true, is_single_words: true, is_code: true }
    }

    fn note(&mut self, value: &Json) {
        let Some(text) = value.as_str().map(str::trim).filter(|text| !text.is_empty()) else { return };
        self.count += 1;
        if self.distinct.len() <= ENUMERATION_SIZE {
            self.distinct.insert(text.to_owned());
        }
        self.is_short &=
            text.len() <= ENUMERATION_LEN && text.split_whitespace().count() <= ENUMERATION_WORDS;
        self.is_single_words &= !text.contains(char::is_whitespace);
        self.is_code &= is_code(text);
    }

    /// Returns the role that text with these values has; `None` if it is really text.
    fn instead_of_text(&self, name: &str) -> Option<FieldRole> {
        let words = words_of(name);
        let last = words.last().map_or("", String::as_str);
        if self.count == 0 || TEXT_NAMES.contains(&last) {
            return None;
        }
        let is_repeated = self.distinct.len() <= ENUMERATION_SIZE && self.distinct.len() * 2 <= self.count;
        let keyword = Some(FieldRole::Attribute(AttributeType::Keyword));
        if self.is_single_words && CODE_NAMES.contains(&last) || self.is_code {
            return if is_repeated || last == "id" { keyword } else { Some(FieldRole::OnlyStored) };
        }
        let is_enumeration = self.is_short
            && self.count >= ENUMERATION_VALUES
            && self.distinct.len() <= ENUMERATION_SIZE
            && self.distinct.len() * ENUMERATION_REPEATS <= self.count;
        if is_enumeration { keyword } else { None }
    }
}

impl Schema {
    /// Infers a schema from records.
    ///
    /// Strings are text, arrays of strings are keywords, numbers and booleans are attributes. ISO dates are times, and
    /// so are numbers in fields with names like `createdAt` or `validUntil`. A field whose values have different types
    /// is text if any value is a string, and only stored otherwise.
    ///
    /// Strings that nobody searches for by their words are no text: URLs, paths and hashes are stored, ids are keywords,
    /// and so are few short values that repeat. If no text remained, all strings are text.
    ///
    /// ```
    /// use snapseek::{Record, Schema, attributes::AttributeType, json::Json};
    ///
    /// let json = Json::parse(br#"{"id": "1", "title": "Quick fox", "legs": 4}"#)?;
    /// let schema = Schema::infer(&[Record::from_json(json)?])?;
    /// assert_eq!(schema.field_names(), ["title"]);
    /// assert_eq!(schema.attribute("legs"), Some((0, AttributeType::Number)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails when no field is text.
    pub fn infer<'a>(records: impl IntoIterator<Item = &'a Record>) -> Result<Schema, SchemaError> {
        let mut shapes: Vec<(String, FieldShape)> = Vec::new();
        for record in records {
            let Json::Object(entries) = record.json() else { continue };
            for (name, value) in
                entries.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "kind" | "$"))
            {
                let Some(role) = role_of(name, value) else { continue };
                let place = shapes.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                    shapes.push((name.clone(), FieldShape::new(role)));
                    shapes.len() - 1
                });
                let shape = &mut shapes[place].1;
                shape.role = common(shape.role, role);
                shape.note(value);
            }
        }
        let role = |(name, shape): &(String, FieldShape)| match shape.role {
            FieldRole::Text => shape.instead_of_text(name).unwrap_or(FieldRole::Text),
            other => other,
        };
        let mut roles = shapes.iter().map(role).collect::<Vec<_>>();
        if !roles.contains(&FieldRole::Text) {
            roles = shapes.iter().map(|(_, shape)| shape.role).collect::<Vec<_>>();
        }
        let mut schema = Schema::bare();
        for ((name, _), role) in shapes.into_iter().zip(roles) {
            match role {
                FieldRole::Text => schema.fields.0.push((name, TextField { weight: 1.0 })),
                FieldRole::Attribute(kind) => schema.attributes.0.push((name, kind)),
                FieldRole::OnlyStored => {}
            }
        }
        schema.check()?;
        Ok(schema)
    }
}

/// Whether a string is a URL, a path or a hash.
fn is_code(text: &str) -> bool {
    if text.contains(char::is_whitespace) {
        return false;
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_hash = text.len() >= 16
        && digits > 0
        && text.bytes().all(|byte| byte.is_ascii_hexdigit() || matches!(byte, b'-' | b':'));
    is_hash || text.contains("://") || text.contains(['/', '\\']) || text.starts_with("mailto:")
}

/// Splits a name such as `authorId` or `author_id` into words in lower case.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for letter in name.chars() {
        let starts_word = letter.is_ascii_uppercase() && was_lower;
        if (starts_word || !letter.is_alphanumeric()) && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        was_lower = letter.is_lowercase() || letter.is_ascii_digit();
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.push(letter.to_ascii_lowercase());
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

fn role_of(name: &str, value: &Json) -> Option<FieldRole> {
    let is_named_like_a_time = name.ends_with("At") || name.starts_with("valid");
    Some(match value {
        Json::Null => return None,
        Json::Bool(_) => FieldRole::Attribute(AttributeType::Bool),
        Json::Integer(_) | Json::Float(_) if is_named_like_a_time => {
            FieldRole::Attribute(AttributeType::Time)
        }
        Json::Integer(_) | Json::Float(_) => FieldRole::Attribute(AttributeType::Number),
        Json::String(_) if time_of(value).is_some() => FieldRole::Attribute(AttributeType::Time),
        Json::String(_) => FieldRole::Text,
        Json::Array(values) if values.is_empty() => return None,
        Json::Array(values) if values.iter().all(|value| value.as_str().is_some()) => {
            FieldRole::Attribute(AttributeType::Keywords)
        }
        Json::Array(_) | Json::Object(_) => FieldRole::OnlyStored,
    })
}

fn common(a: FieldRole, b: FieldRole) -> FieldRole {
    let is_stringlike = |role| matches!(role, FieldRole::Text | FieldRole::Attribute(AttributeType::Time));
    if a == b {
        a
    } else if is_stringlike(a) && is_stringlike(b) || a == FieldRole::Text || b == FieldRole::Text {
        FieldRole::Text
    } else {
        FieldRole::OnlyStored
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::SchemaFault;

    fn infer(lines: &[&str]) -> Result<Schema, SchemaError> {
        let records =
            lines.iter().map(|line| Record::from_json(Json::parse(line.as_bytes()).unwrap()).unwrap());
        Schema::infer(&records.collect::<Vec<_>>())
    }

    #[test]
    fn types_follow_the_values() {
        let schema = infer(&[
            r#"{"id":1,"title":"a","tags":["x"],"size":3,"open":true,"createdAt":1700000000000,"day":"2024-05-01"}"#,
            r#"{"id":2,"title":null,"body":"b","validUntil":5,"meta":{"a":1},"list":[1]}"#,
        ])
        .unwrap();
        assert_eq!(schema.field_names(), ["title", "body"]);
        let attributes = schema.attributes().map(|(name, kind)| format!("{name} {}", kind.name()));
        let expected =
            ["tags keywords", "size number", "open bool", "createdAt time", "day time", "validUntil time"];
        assert_eq!(attributes.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn a_field_of_mixed_types_is_text_if_any_value_is() {
        let schema =
            infer(&[r#"{"id":1,"a":"2024-05-01","b":1,"t":"x"}"#, r#"{"id":2,"a":"soon","b":true}"#])
                .unwrap();
        assert_eq!(schema.field_names(), ["a", "t"]);
        assert_eq!(schema.attributes().len(), 0);
    }

    #[test]
    fn records_without_text_have_no_schema() {
        assert_eq!(*infer(&[r#"{"id":1,"n":2}"#]).unwrap_err(), SchemaFault::NoFields);
    }

    #[test]
    fn ids_paths_urls_hashes_and_enumerations_are_no_text() {
        let lines = (0..20).map(|i| {
            format!(
                r#"{{"id":{i},"title":"Same","link":"https://a.example/{i}","file":"src/{i}.rs","sum":"d41d8cd98f00b204e9800998ecf8427{}","authorId":"u{}","status":"{}","city":"City {i}","page_path":"intro"}}"#,
                i % 10,
                i % 15,
                ["open", "in progress"][i % 2]
            )
        });
        let lines = lines.collect::<Vec<_>>();
        let schema = infer(&lines.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        assert_eq!(schema.field_names(), ["title", "city"]);
        let attributes = schema.attributes().map(|(name, kind)| format!("{name} {}", kind.name()));
        let expected = ["sum keyword", "authorId keyword", "status keyword", "page_path keyword"];
        assert_eq!(attributes.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn text_with_a_slash_is_text_and_something_is_always_text() {
        let schema = infer(&[r#"{"id":1,"a":"read/write","b":"read and/or write"}"#]).unwrap();
        assert_eq!(schema.field_names(), ["b"]);
        let schema = infer(&[r#"{"id":1,"url":"https://a.example"}"#]).unwrap();
        assert_eq!(schema.field_names(), ["url"]);
        assert_eq!(words_of("authorID_v2"), ["author", "id", "v2"]);
    }
}
