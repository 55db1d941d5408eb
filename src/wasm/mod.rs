//! The WebAssembly interface: each function converts its arguments, calls the engine, and converts the result.
//!
//! `js/src/index.ts` wraps these functions in the interface that users see. The rows of `match` cross as columns, because a
//! hundred rows as JSON objects took 1.7 times as long. Other options and responses cross as JSON text, bytes in
//! one copy, small results as JavaScript values.
//!
//! Strings and arrays are declared as JavaScript's own types: for `&str` and `Vec`, wasm-bindgen writes the conversion into
//! the glue of every function. Here the module converts them, in one place.
//!
//! A build without the cargo feature `write`, which `scripts/build-pkg` makes, exports no call that builds or changes a
//! snapshot.

#[cfg(feature = "write")]
mod build;
#[cfg(feature = "write")]
mod chunking;
mod convert;
mod error;
#[cfg(feature = "write")]
mod lines;
mod outside;
mod pieces;
mod receive;
#[cfg(feature = "write")]
mod recipes;
#[cfg(feature = "write")]
mod writing;

#[cfg(feature = "write")]
pub use build::Build;
#[cfg(feature = "write")]
pub use chunking::chunks;
pub use error::Failure;
pub use pieces::head_length;
pub use receive::Receiver;

use crate::document::Key;
use crate::json::Json;
use js_sys::{Array, Float32Array, JsString, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The records of a snapshot, open for searching and writing.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine(crate::Engine);

#[wasm_bindgen]
impl Engine {
    /// Opens a snapshot.
    ///
    /// # Errors
    /// Fails when the bytes are not a snapshot that this build can read.
    pub fn open(bytes: &Uint8Array) -> Result<Engine, Failure> {
        Ok(Engine::of(crate::Engine::open(convert::bytes(bytes)?)?))
    }

    /// Returns the rows that match an FTS5 expression as columns: ranks, ids, kinds, snippets, highlights. `options` is the
    /// JSON text of the expression and the options.
    ///
    /// # Errors
    /// Fails when the expression or an option is invalid, or the snapshot is damaged.
    #[wasm_bindgen(js_name = match)]
    pub fn matches(&self, options: &JsString) -> Result<Array, Failure> {
        let json = convert::options(options)?;
        let expression = json.get("expression").and_then(Json::as_str).unwrap_or_default();
        let found = self.0.matches_json(&json);
        Ok(convert::rows(&found.map_err(|error| Failure::of_search(&error, expression))?))
    }

    /// Returns the response to a query of plain words as JSON text. `options` is the JSON text of the query and the options.
    /// A vector has an argument of its own, because it would be slow as JSON.
    ///
    /// # Errors
    /// Fails when an option is invalid, or the snapshot is damaged.
    pub fn search(
        &self,
        options: &JsString,
        vector: Option<Float32Array>,
        host: Option<JsString>,
    ) -> Result<JsString, Failure> {
        let found = self.0.search_json(&convert::options(options)?, convert::embedded(vector, host)?);
        Ok(convert::json(&found.map_err(|error| Failure::of_search(&error, ""))?))
    }

    /// Returns the number of dimensions of a model's vectors, by default the first model; `undefined` while it is open.
    ///
    /// # Errors
    /// Fails when there is no such model.
    #[wasm_bindgen(js_name = modelWidth)]
    pub fn model_width(&self, model: Option<JsString>) -> Result<Option<usize>, Failure> {
        let model = model.map(String::from);
        self.0.model_width(model.as_deref()).map_err(|error| Failure::of_search(&error, ""))
    }

    /// Embeds a text for a model, by default the first; `undefined` if the snapshot has no embedder for it.
    ///
    /// # Errors
    /// Fails when there is no such model, or the snapshot is damaged.
    pub fn embed(&self, text: &JsString, model: Option<JsString>) -> Result<Option<Float32Array>, Failure> {
        let (text, model) = (String::from(text), model.map(String::from));
        let vector = self.0.embed(&text, model.as_deref());
        let vector = vector.map_err(|error| Failure::of_search(&error, &text))?;
        Ok(vector.map(|numbers| Float32Array::from(&numbers[..])))
    }

    /// Returns the words that start with the last word of `text`, and their counts: an array of pairs.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn suggest(&self, text: &JsString, limit: usize) -> Result<JsValue, Failure> {
        let text = String::from(text);
        let found = self.0.suggest(&text, limit);
        Ok(convert::value(&found.map_err(|error| Failure::of_search(&error, &text))?))
    }

    /// Checks every section: its checksum, and unless `checksums_only`, its contents.
    ///
    /// # Errors
    /// Fails with the first damage found.
    pub fn verify(&self, checksums_only: bool) -> Result<(), Failure> {
        let checked = if checksums_only { self.0.verify_checksums() } else { self.0.verify() };
        Ok(checked?)
    }

    /// Returns a record as JSON text; `undefined` if there is no such record.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn record(&self, id: &JsString, kind: Option<JsString>) -> Result<Option<JsString>, Failure> {
        let (id, kind) = (String::from(id), kind.map(String::from));
        let usual = self.0.usual_kind()?;
        let key = Key { id: &id, kind: kind.as_deref().unwrap_or(usual) };
        Ok(self.0.record(key)?.map(|record| record.json().to_text().into()))
    }

    /// Returns the schema as JSON text. An object could not hold a field called `__proto__`.
    pub fn schema(&self) -> JsString {
        convert::json(self.0.schema())
    }

    /// Returns the number of live records.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.0.len()
    }
}

impl Engine {
    /// Wraps an engine, with JavaScript's clock and a random writer number, which no other engine has.
    fn of(engine: crate::Engine) -> Engine {
        let random = || u64::from((js_sys::Math::random() * 4_294_967_296.0) as u32);
        Engine(engine.with_clock(js_sys::Date::now).with_writer(random() << 32 | random()))
    }
}
