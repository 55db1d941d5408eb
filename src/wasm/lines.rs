//! Reads records, keys and schemas from JavaScript values.
//!
//! Values arrive through `JSON.stringify`, one record at a time. A record as an object and the same record in a file of
//! JSON lines therefore take the same path and give the same bytes: `undefined` is dropped, and a `Date` becomes its ISO
//! string. `JSON.stringify` reports cycles and deep nesting as errors; walking an object from here could overflow the stack
//! and trap.

use super::error::Failure;
use crate::json::Json;
use crate::schema::PresetName;
use crate::state::{STATE_LINES, Stamp, State};
use crate::{Record, Schema, WriteError};
use js_sys::{Array, JSON};
use wasm_bindgen::{JsCast, JsValue};

/// Reads a schema or the name of a preset. The engine checks the schema later.
pub(super) fn schema(value: &JsValue) -> Result<Schema, Failure> {
    if let Some(name) = value.as_string() {
        return Schema::preset(&name).ok_or_else(|| {
            let names = PresetName::ALL.map(PresetName::name).join(", ");
            Failure::new("schema/unknown-preset", format!("there is no preset \"{name}\"; there are {names}"))
        });
    }
    let invalid = |message| Failure::new("schema/invalid", message).at(&"schema");
    let text = json_text(value, "an object").map_err(invalid)?;
    let json = Json::parse(text.as_bytes()).map_err(|error| invalid(error.reason().to_owned()))?;
    Schema::read(&json).map_err(|error| invalid(error.to_string()))
}

/// A line of JSON lines, or an element of an array of records.
#[derive(Debug)]
pub(super) enum Line {
    /// Adds or replaces this record.
    Record(Record),
    /// Removes the record with this id and kind.
    Delete(Record),
    /// Gives the record with this id and kind a vector.
    Vector(Record),
    /// Adds a link, session, usage or feedback to the state. Holds the type of the line, and the line.
    Beside(String, Json),
}

impl Line {
    fn parse(text: &str) -> Result<Line, Failure> {
        let json = Json::parse(text.as_bytes())
            .map_err(|error| Failure::new("record/not-json", format!("this is not JSON: {error}")))?;
        match json.get("$") {
            None => Ok(Line::Record(Record::from_json(json)?)),
            Some(Json::String(what)) if what == "delete" => Ok(Line::Delete(Record::from_json(json)?)),
            Some(Json::String(what)) if what == "vector" => Ok(Line::Vector(Record::from_json(json)?)),
            Some(Json::String(what)) if STATE_LINES.contains(&what.as_str()) => {
                Ok(Line::Beside(what.clone(), json))
            }
            Some(other) => Err(Failure::new(
                "record/unknown-line",
                format!(
                    "\"$\" is {}; this build knows \"delete\", \"vector\", \"{}\"",
                    other.to_text(),
                    STATE_LINES.join("\", \"")
                ),
            )),
        }
    }
}

/// Calls `each` with every line of a string of JSON lines, or every element of an array of objects. Errors name the line or
/// element, counted from `first`. Returns the count after the last one.
pub(super) fn each_line(
    source: &JsValue,
    first: u32,
    each: &mut dyn FnMut(Line) -> Result<(), Failure>,
) -> Result<u32, Failure> {
    if let Some(text) = source.as_string() {
        let mut number = first;
        for line in text.lines() {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            Line::parse(line)
                .and_then(&mut *each)
                .map_err(|failure| failure.at(&format_args!("line {number}")))?;
        }
        return Ok(number);
    }
    if !Array::is_array(source) {
        let message = format!(
            "records must be an array or a string of JSON lines, not a value of type {}",
            name_of(source)
        );
        return Err(Failure::new("record/not-an-array", message));
    }
    let records = source.unchecked_ref::<Array>();
    for number in 0..records.length() {
        let not_json = |message| Failure::new("record/not-json", message);
        json_text(&records.get(number), "a record")
            .map_err(not_json)
            .and_then(|text| Line::parse(&text))
            .and_then(&mut *each)
            .map_err(|failure| failure.at(&format_args!("records[{}]", first + number)))?;
    }
    Ok(first + records.length())
}

/// Lines to add: records, vectors, and state.
#[derive(Default)]
pub(super) struct Additions {
    pub records: Vec<Record>,
    pub vectors: Vec<Record>,
    /// The state lines, each with its type.
    pub beside: Vec<(String, Json)>,
}

/// Reads the lines to add from a string or an array. Fails on a line that deletes a record.
pub(super) fn additions(source: &JsValue) -> Result<Additions, Failure> {
    let mut additions = Additions::default();
    each_line(source, 0, &mut |line| {
        match line {
            Line::Record(record) => additions.records.push(record),
            Line::Vector(line) => additions.vectors.push(line),
            Line::Beside(what, json) => {
                State::default().take_line(&what, &json, Stamp::BASE).map_err(WriteError::from)?;
                additions.beside.push((what, json));
            }
            Line::Delete(_) => {
                let message = "a line that deletes a record cannot be added; call remove with its key";
                return Err(Failure::new("record/unknown-line", message));
            }
        }
        Ok(())
    })?;
    Ok(additions)
}

/// Reads keys. A key is an id alone, for a record of kind `usual_kind`, or an object with an id and a kind.
pub(super) fn keys(source: &Array, usual_kind: &str) -> Result<Vec<(String, String)>, Failure> {
    let mut keys = Vec::new();
    for number in 0..source.length() {
        let value = source.get(number);
        let key = match value.as_string() {
            Some(id) => (id, usual_kind.to_owned()),
            None => {
                let not_json = |message| Failure::new("record/not-json", message);
                let key = json_text(&value, "an id, or an object with an id and a kind").map_err(not_json);
                let line = key.and_then(|text| Line::parse(&text));
                match line.map_err(|failure| failure.at(&format_args!("keys[{number}]")))? {
                    Line::Record(record) | Line::Delete(record) => {
                        let has_kind = record.json().get("kind").is_some();
                        let kind = if has_kind { record.kind() } else { usual_kind };
                        (record.id().to_owned(), kind.to_owned())
                    }
                    Line::Vector(_) | Line::Beside(..) => {
                        let failure =
                            Failure::new("record/unknown-line", "a key must be the id and kind of a record");
                        return Err(failure.at(&format_args!("keys[{number}]")));
                    }
                }
            }
        };
        keys.push(key);
    }
    Ok(keys)
}

/// Returns the JSON text of a value. `wanted` names the expected type in errors.
fn json_text(value: &JsValue, wanted: &str) -> Result<String, String> {
    match JSON::stringify(value) {
        Ok(text) => text.as_string().ok_or_else(|| format!("must be {wanted}, not {}", name_of(value))),
        Err(thrown) => {
            let message = js_sys::Error::from(thrown).message();
            let reason = message.as_string().unwrap_or_default();
            Err(format!("cannot be written as JSON: {}", reason.lines().next().unwrap_or_default()))
        }
    }
}

fn name_of(value: &JsValue) -> String {
    value.js_typeof().as_string().unwrap_or_default()
}
