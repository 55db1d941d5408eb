//! How do values arrive that JSON cannot hold?
//!
//! A host such as JavaScript has values without a JSON form: NaN, functions, invalid dates. It writes each of them as
//! `{"$snapseek": "NaN"}`, with a name for messages, so that the reader can report them at their place.

use crate::json::Json;

/// The key of an object that stands for a value without a JSON form.
pub const FOREIGN: &str = "$snapseek";

/// Returns the name of a value without a JSON form; none for ordinary values.
fn foreign(value: &Json) -> Option<&str> {
    match value {
        Json::Object(entries) => match &entries[..] {
            [(key, Json::String(name))] if key == FOREIGN => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// Returns the infinity that a value stands for; none for other values.
pub(super) fn infinite(value: &Json) -> Option<f64> {
    match foreign(value)? {
        "Infinity" => Some(f64::INFINITY),
        "-Infinity" => Some(f64::NEG_INFINITY),
        _ => None,
    }
}

/// Names the kind of a value in a message.
pub(super) fn kind_of(value: &Json) -> &str {
    foreign(value).unwrap_or(value.kind())
}

/// Returns the path and name of the first value without a JSON form inside a value.
pub(super) fn first_foreign(value: &Json) -> Option<(Vec<String>, &str)> {
    if let Some(name) = foreign(value) {
        return Some((Vec::new(), name));
    }
    let inside =
        |key: String, value| first_foreign(value).map(|(path, name)| ([vec![key], path].concat(), name));
    match value {
        Json::Array(values) => {
            values.iter().enumerate().find_map(|(place, value)| inside(place.to_string(), value))
        }
        Json::Object(entries) => entries.iter().find_map(|(key, value)| inside(key.clone(), value)),
        _ => None,
    }
}
