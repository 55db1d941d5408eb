//! JavaScript values ↔ what the engine takes and gives.
//!
//! Values come in through `JSON.stringify`, one record at a time. A record given as an object and the same record in
//! a file of JSON lines then go the same way and give the same bytes: `undefined` is dropped, a `Date` is its ISO
//! string. It is also bounded: cycles and deep nesting are errors, where walking an object from here could trap.

use super::error::Failure;
use crate::document::DEFAULT_KIND;
use crate::json::Json;
use crate::schema::RecipeName;
use crate::state::{STATE_LINES, Stamp, State};
use crate::{MatchRow, Record, Schema, WriteError};
use js_sys::{Array, Float64Array, JSON, Uint8Array};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::hint::black_box;
use wasm_bindgen::JsValue;

/// The one copy of a `Uint8Array` into the memory of this module.
pub(super) fn bytes(array: &Uint8Array) -> Result<Vec<u8>, Failure> {
    // Where memory runs out, copying would be a trap: it is asked for beforehand.
    let len = array.length() as usize;
    if black_box(Vec::<u8>::new()).try_reserve_exact(len).is_err() {
        return Err(Failure::new("snapshot/too-large", format!("there is no memory for {len} bytes more")));
    }
    Ok(array.to_vec())
}

/// A value of ours as JavaScript's, as `JSON.parse` would give it. For small answers: it is a call for each part.
pub(super) fn value(value: &impl Serialize) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).expect("plain data has a JavaScript value")
}

/// The JSON text of a value; `wanted` says what it should have been.
fn json_text(value: &JsValue, wanted: &str) -> Result<String, String> {
    match JSON::stringify(value) {
        Ok(text) => text.as_string().ok_or_else(|| format!("{wanted} is wanted, not {}", name_of(value))),
        Err(thrown) => {
            let message = js_sys::Error::from(thrown).message();
            let reason = message.as_string().unwrap_or_default();
            Err(format!("this cannot be written as JSON: {}", reason.lines().next().unwrap_or_default()))
        }
    }
}

fn name_of(value: &JsValue) -> String {
    value.js_typeof().as_string().unwrap_or_default()
}

/// The reason, without a place in a text that the caller has not seen.
fn reason_of(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    message.strip_suffix(&place).unwrap_or(&message).to_owned()
}

/// Options; the defaults where none are given.
pub(super) fn options<T: DeserializeOwned + Default>(value: &JsValue) -> Result<T, Failure> {
    if value.is_undefined() || value.is_null() {
        return Ok(T::default());
    }
    if !value.is_object() || Array::is_array(value) {
        let found = if Array::is_array(value) { "array".to_owned() } else { name_of(value) };
        return Err(Failure::new(
            "option/invalid",
            format!("options are an object, not a value of type {found}"),
        ));
    }
    let invalid = |message| Failure::new("option/invalid", message);
    let text = json_text(value, "an object of options").map_err(invalid)?;
    serde_json::from_str(&text).map_err(|error| option_at_fault::<T>(&text, &error))
}

/// Options that a recipe reads by itself.
pub(super) fn object(value: &JsValue) -> Result<Json, Failure> {
    if value.is_undefined() {
        return Ok(Json::Null);
    }
    let invalid = |message| Failure::new("option/invalid", message);
    let text = json_text(value, "an object of options").map_err(invalid)?;
    Json::parse(text.as_bytes()).map_err(|error| invalid(reason_of(&error)))
}

/// Which option is at fault: the first that is refused alone, too.
fn option_at_fault<T: DeserializeOwned>(text: &str, error: &serde_json::Error) -> Failure {
    let Ok(Json::Object(entries)) = Json::parse(text.as_bytes()) else {
        return Failure::new("option/invalid", reason_of(error));
    };
    for (name, value) in entries {
        let alone = Json::Object(vec![(name.clone(), value)]).to_text();
        if let Err(error) = serde_json::from_str::<T>(&alone) {
            let reason = reason_of(&error);
            return match reason.starts_with(&format!("unknown field `{name}`")) {
                true => Failure::new("option/unknown", reason),
                false => Failure::new(format!("option/{name}"), reason).at(name),
            };
        }
    }
    Failure::new("option/invalid", reason_of(error))
}

/// A schema, or the name of a preset; whether it can be used is for the engine to say.
pub(super) fn schema(value: &JsValue) -> Result<Schema, Failure> {
    if let Some(name) = value.as_string() {
        return Schema::preset(&name).ok_or_else(|| {
            let names = RecipeName::ALL.map(RecipeName::name).join(", ");
            Failure::new("schema/unknown-preset", format!("there is no preset {name:?}; there are {names}"))
        });
    }
    let invalid = |message| Failure::new("schema/invalid", message).at("schema");
    let text = json_text(value, "an object").map_err(invalid)?;
    serde_json::from_str(&text).map_err(|error| invalid(reason_of(&error)))
}

/// What a line of JSON lines, or an element of an array of records, asks for.
#[derive(Debug)]
pub(super) enum Line {
    /// A record is to be there.
    Record(Record),
    /// The record with this id and kind is not to be there.
    Delete(Record),
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
            Some(Json::String(what)) if STATE_LINES.contains(&what.as_str()) => {
                Ok(Line::Beside(what.clone(), json))
            }
            Some(other) => Err(Failure::new(
                "record/unknown-line",
                format!(
                    "\"$\" is {}; this build knows \"delete\", \"{}\"",
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
    mut each: impl FnMut(Line) -> Result<(), Failure>,
) -> Result<u32, Failure> {
    if let Some(text) = source.as_string() {
        let mut number = first;
        for line in text.lines() {
            number += 1;
            if line.trim_ascii().is_empty() {
                continue;
            }
            Line::parse(line)
                .and_then(&mut each)
                .map_err(|failure| failure.at(format_args!("line {number}")))?;
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
            .and_then(&mut each)
            .map_err(|failure| failure.at(format_args!("records[{}]", first + number)))?;
    }
    Ok(first + records.length())
}

/// Every record of a text or array, and what is known beside them; other lines are refused.
pub(super) fn additions(source: &JsValue) -> Result<(Vec<Record>, Vec<(String, Json)>), Failure> {
    let (mut records, mut beside) = (Vec::new(), Vec::new());
    each_line(source, 0, |line| match line {
        Line::Record(record) => {
            records.push(record);
            Ok(())
        }
        Line::Beside(what, json) => {
            State::default().take_line(&what, &json, Stamp::BASE).map_err(WriteError::from)?;
            beside.push((what, json));
            Ok(())
        }
        Line::Delete(_) => {
            Err(Failure::new("record/unknown-line", "only records can be added; remove others by their keys"))
        }
    })?;
    Ok((records, beside))
}

/// Keys: ids alone, or objects with an id and a kind.
pub(super) fn keys(source: &Array) -> Result<Vec<(String, String)>, Failure> {
    let mut keys = Vec::new();
    for number in 0..source.length() {
        let value = source.get(number);
        let key = match value.as_string() {
            Some(id) => (id, DEFAULT_KIND.to_owned()),
            None => {
                let not_json = |message| Failure::new("record/not-json", message);
                let key = json_text(&value, "an id, or an object with an id and a kind").map_err(not_json);
                let line = key.and_then(|text| Line::parse(&text));
                match line.map_err(|failure| failure.at(format_args!("keys[{number}]")))? {
                    Line::Record(record) | Line::Delete(record) => {
                        (record.id().to_owned(), record.kind().to_owned())
                    }
                    Line::Beside(..) => {
                        let failure =
                            Failure::new("record/unknown-line", "a key is the id and kind of a record");
                        return Err(failure.at(format_args!("keys[{number}]")));
                    }
                }
            }
        };
        keys.push(key);
    }
    Ok(keys)
}

/// Rows, column by column: ranks, ids, kinds, snippets, highlights. The last three are undefined where every kind is
/// the default, and where no snippet or highlight was asked for.
pub(super) fn rows(rows: &[MatchRow]) -> Array {
    let ranks = rows.iter().map(|row| row.rank).collect::<Vec<_>>();
    let strings = |text: fn(&MatchRow) -> Option<&str>| -> Array {
        rows.iter().map(|row| text(row).map_or(JsValue::NULL, JsValue::from_str)).collect()
    };
    let column = |is_there: bool, text| if is_there { strings(text).into() } else { JsValue::UNDEFINED };
    let has_kinds = rows.iter().any(|row| row.kind != DEFAULT_KIND);
    Array::of5(
        &Float64Array::from(&ranks[..]),
        &strings(|row| Some(&row.id)),
        &column(has_kinds, |row| Some(&row.kind)),
        &column(rows.iter().any(|row| row.snippet.is_some()), |row| row.snippet.as_ref()?.as_deref()),
        &column(rows.iter().any(|row| row.highlight.is_some()), |row| row.highlight.as_ref()?.as_deref()),
    )
}
