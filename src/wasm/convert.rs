//! Converts between JavaScript values and the engine's types.
//!
//! Options arrive as JSON text and responses leave as JSON text, rows as columns, small results as JavaScript values.

use super::error::Failure;
use crate::document::DEFAULT_KIND;
use crate::json::{Json, text_of};
use crate::{Embedded, MatchRow};
use js_sys::{Array, Float32Array, Float64Array, JsString, Uint8Array};
use serde::Serialize;
use std::hint::black_box;
use wasm_bindgen::JsValue;

/// Copies a `Uint8Array` into the memory of this module, once.
pub(super) fn bytes(array: &Uint8Array) -> Result<Vec<u8>, Failure> {
    // `to_vec` traps if memory runs out, so try to reserve the memory first.
    let len = array.length() as usize;
    if black_box(Vec::<u8>::new()).try_reserve_exact(len).is_err() {
        return Err(Failure::new(
            "snapshot/too-large",
            format!("there is not enough memory for {len} more bytes"),
        ));
    }
    Ok(array.to_vec())
}

/// Converts a value to the JavaScript value that `JSON.parse` would return. Every part of it costs a call, so use this for
/// small values only.
pub(super) fn value(value: &impl Serialize) -> JsValue {
    let serializer = serde_wasm_bindgen::Serializer::json_compatible();
    value.serialize(&serializer).expect("plain data has a JavaScript value")
}

/// Writes a value as JSON text.
pub(super) fn json(value: &impl Serialize) -> JsString {
    text_of(value).into()
}

/// Parses the JSON text of options. `js/src/plain.ts` writes it.
pub(super) fn options(text: &JsString) -> Result<Json, Failure> {
    Json::parse(String::from(text).as_bytes()).map_err(|error| Failure::new("option/invalid", error.reason()))
}

/// Reads the vectors and the host's part of a call.
pub(super) fn embedded(vectors: Option<Float32Array>, host: Option<JsString>) -> Result<Embedded, Failure> {
    let host = host.map_or(Ok(Json::Null), |text| options(&text))?;
    Embedded::read(&host, vectors.map(|numbers| numbers.to_vec()))
        .map_err(|error| Failure::new("option/invalid", error))
}

/// Converts rows to columns: ranks, ids, kinds, snippets, highlights. The kinds are undefined if every kind is the default,
/// the snippets and highlights if none was requested.
pub(super) fn rows(rows: &[MatchRow]) -> Array {
    let ranks = rows.iter().map(|row| row.rank).collect::<Vec<_>>();
    let strings = |text: fn(&MatchRow) -> Option<&str>| -> Array {
        rows.iter().map(|row| text(row).map_or(JsValue::NULL, JsValue::from_str)).collect()
    };
    let column = |is_there: bool, text| if is_there { strings(text).into() } else { JsValue::UNDEFINED };
    let has_kinds = rows.iter().any(|row| row.kind != DEFAULT_KIND);
    let columns = [
        Float64Array::from(&ranks[..]).into(),
        strings(|row| Some(&row.id)).into(),
        column(has_kinds, |row| Some(&row.kind)),
        column(rows.iter().any(|row| row.snippet.is_some()), |row| row.snippet.as_ref()?.as_deref()),
        column(rows.iter().any(|row| row.highlight.is_some()), |row| row.highlight.as_ref()?.as_deref()),
    ];
    columns.iter().collect()
}
