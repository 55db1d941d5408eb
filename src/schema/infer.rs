//! Which schema fits given records, if nobody wrote one?

use super::{Schema, SchemaError, TextField};
use crate::attributes::{AttributeType, time_of};
use crate::document::Record;
use crate::json::Json;

/// The role that a field's values suggest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldRole {
    Text,
    Attribute(AttributeType),
    OnlyStored,
}

impl Schema {
    /// Infers a schema from records.
    ///
    /// Strings are text, arrays of strings are keywords, numbers and booleans are attributes. ISO dates are times, and
    /// so are numbers in fields with names like `createdAt` or `validUntil`. A field whose values have different types
    /// is text if any value is a string, and only stored otherwise.
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
        let mut roles: Vec<(String, FieldRole)> = Vec::new();
        for record in records {
            let Json::Object(entries) = record.json() else { continue };
            for (name, value) in
                entries.iter().filter(|(name, _)| !matches!(name.as_str(), "id" | "kind" | "$"))
            {
                let Some(role) = role_of(name, value) else { continue };
                match roles.iter_mut().find(|(known, _)| known == name) {
                    Some((_, known)) => *known = common(*known, role),
                    None => roles.push((name.clone(), role)),
                }
            }
        }
        let mut schema = Schema::bare();
        for (name, role) in roles {
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
}
