//! Records, keys and schemas as JavaScript gives them to be written.
//!
//! Values come in through `JSON.stringify`, one record at a time. A record given as an object and the same record in
//! a file of JSON lines then go the same way and give the same bytes: `undefined` is dropped, a `Date` is its ISO
//! string.

use super::convert::{json_text, name_of};
use super::error::Failure;
use crate::json::Json;
use crate::schema::RecipeName;
use crate::state::{STATE_LINES, Stamp, State};
use crate::{Record, Schema, WriteError};
use js_sys::Array;
use wasm_bindgen::JsValue;

/// A schema, or the name of a preset; whether it can be used is for the engine to say.
pub(super) fn schema(value: &JsValue) -> Result<Schema, Failure> {
    if let Some(name) = value.as_string() {
        return Schema::preset(&name).ok_or_else(|| {
            let names = RecipeName::ALL.map(RecipeName::name).join(", ");
            Failure::new("schema/unknown-preset", format!("there is no preset \"{name}\"; there are {names}"))
        });
    }
    let invalid = |message| Failure::new("schema/invalid", message).at(&"schema");
    let text = json_text(value, "an object").map_err(invalid)?;
    let json = Json::parse(text.as_bytes()).map_err(|error| invalid(error.reason().to_owned()))?;
    Schema::read(&json).map_err(|error| invalid(error.to_string()))
}

/// What a line of JSON lines, or an element of an array of records, asks for.
#[derive(Debug)]
pub(super) enum Line {
    /// A record is to be there.
    Record(Record),
    /// The record with this id and kind is not to be there.
    Delete(Record),
    /// The record with this id and kind has this vector.
    Vector(Record),
    /// What is known beside records: a link, session, usage or feedback.
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

/// Calls `each` with every line of a text of JSON lines, or every element of an array of objects. An error names the
/// line or element, counted from `first` on; so is what is returned, the number of the next one.
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
    let Some(records) = Array::is_array(source).then(|| Array::from(source)) else {
        let message =
            format!("records are an array or a text of JSON lines, not a value of type {}", name_of(source));
        return Err(Failure::new("record/not-an-array", message));
    };
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

/// Lines to add: records, vectors on lines of their own, and state.
#[derive(Default)]
pub(super) struct Additions {
    pub records: Vec<Record>,
    pub vectors: Vec<Record>,
    /// The type of each state line, and the line.
    pub beside: Vec<(String, Json)>,
}

/// Reads the lines to add from a text or an array. Deletions are refused.
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
                let message = "only records can be added; remove others by their keys";
                return Err(Failure::new("record/unknown-line", message));
            }
        }
        Ok(())
    })?;
    Ok(additions)
}

/// Reads keys: ids alone, which name records of the usual kind, or objects with an id and a kind.
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
                            Failure::new("record/unknown-line", "a key is the id and kind of a record");
                        return Err(failure.at(&format_args!("keys[{number}]")));
                    }
                }
            }
        };
        keys.push(key);
    }
    Ok(keys)
}
