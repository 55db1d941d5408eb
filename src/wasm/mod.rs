//! The engine as JavaScript calls it: convert, call, convert back.
//!
//! What stands here is raw: `js/src/index.ts` gives it the face that users see. Rows of `match` cross as columns,
//! since a hundred of them as JSON objects took 1.7 times as long; responses of `search` cross as JSON text, bytes as one
//! copy, small answers as values.

mod build;
mod chunking;
mod convert;
mod error;
mod outside;
mod receive;

pub use build::{Build, build};
pub use chunking::chunks;
pub use error::Failure;
pub use receive::Receiver;

use crate::document::{DEFAULT_KIND, Key};
use crate::{Record, SearchOptions};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Records, open for searching and writing.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Engine(crate::Engine);

fn key_of(record: &Record) -> Key<'_> {
    Key { id: record.id(), kind: record.kind() }
}

#[wasm_bindgen]
impl Engine {
    /// Opens a snapshot.
    ///
    /// # Errors
    /// When the bytes are no snapshot this build can read.
    pub fn open(bytes: &Uint8Array) -> Result<Engine, Failure> {
        Ok(Engine::of(crate::Engine::open(convert::bytes(bytes)?)?))
    }

    /// An engine without records.
    ///
    /// # Errors
    /// When the schema cannot be used.
    pub fn empty(schema: &JsValue) -> Result<Engine, Failure> {
        Ok(Engine::of(crate::Engine::empty(&convert::schema(schema)?)?))
    }

    /// The rows that match an FTS5 expression, as columns: ranks, ids, kinds, snippets, highlights.
    ///
    /// # Errors
    /// When the expression or an option cannot be used, or the snapshot is damaged.
    #[wasm_bindgen(js_name = match)]
    pub fn matches(&self, expression: &str, options: &JsValue) -> Result<Array, Failure> {
        let found = self.0.matches(expression, &convert::options(options)?);
        Ok(convert::rows(&found.map_err(|error| Failure::of_search(&error, expression))?))
    }

    /// The response to a query of plain words, as JSON text. Its vector may come by itself: as JSON it would be slow.
    ///
    /// # Errors
    /// When an option cannot be used, or the snapshot is damaged.
    pub fn search(
        &self,
        query: &str,
        options: &JsValue,
        vector: Option<Vec<f32>>,
    ) -> Result<String, Failure> {
        let mut options: SearchOptions = convert::options(options)?;
        options.vector = vector.or(options.vector);
        let found = self.0.search(query, &options);
        Ok(json(&found.map_err(|error| Failure::of_search(&error, query))?))
    }

    /// The answer to a call of a recipe, such as `memory.search`, as JSON text.
    ///
    /// # Errors
    /// When there is no such call, an option cannot be used, or the snapshot is damaged.
    pub fn call(
        &mut self,
        name: &str,
        options: &JsValue,
        vector: Option<Vec<f32>>,
    ) -> Result<String, Failure> {
        let found = self.0.call(name, &convert::object(options)?, vector);
        found.map_err(|error| Failure::of_search(&error, name))
    }

    /// The vector of a text, for a model or the first; none where the snapshot has no embedder for it.
    ///
    /// # Errors
    /// When there is no such model, or the snapshot is damaged.
    pub fn embed(&self, text: &str, model: Option<String>) -> Result<Option<Vec<f32>>, Failure> {
        let vector = self.0.embed(text, model.as_deref());
        vector.map_err(|error| Failure::of_search(&error, text))
    }

    /// Words that start like the last word of `text` and how often they occur: an array of pairs.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn suggest(&self, text: &str, limit: usize) -> Result<JsValue, Failure> {
        let found = self.0.suggest(text, limit);
        Ok(convert::value(&found.map_err(|error| Failure::of_search(&error, text))?))
    }

    /// Adds records, all or none; how many are new or replace others, and how many were replaced.
    ///
    /// # Errors
    /// When one cannot be taken.
    pub fn add(&mut self, records: &JsValue) -> Result<Vec<u32>, Failure> {
        let (records, beside) = convert::additions(records)?;
        let written = self.0.add(&records)?;
        beside.iter().try_for_each(|(what, line)| self.0.take_line(what, line))?;
        Ok([written.added, written.replaced].map(|count| u32::try_from(count).unwrap_or(u32::MAX)).to_vec())
    }

    /// Removes the records with these keys; how many there were.
    ///
    /// # Errors
    /// When a key is none, or the snapshot is damaged.
    pub fn remove(&mut self, keys: &Array) -> Result<usize, Failure> {
        let keys = convert::keys(keys)?;
        Ok(self.0.remove(keys.iter().map(|(id, kind)| Key { id, kind }))?.replaced)
    }

    /// Everything since the snapshot.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn changes(&self) -> Result<Uint8Array, Failure> {
        Ok(Uint8Array::from(&self.0.changes()?[..]))
    }

    /// Brings back what `changes` gave.
    ///
    /// # Errors
    /// When the bytes are no changes to this snapshot.
    pub fn apply(&mut self, changes: &Uint8Array) -> Result<(), Failure> {
        Ok(self.0.apply(convert::bytes(changes)?)?)
    }

    /// A fresh snapshot of all live records.
    ///
    /// # Errors
    /// When the snapshot is damaged, or there is too much for one.
    pub fn snapshot(&self) -> Result<Uint8Array, Failure> {
        Ok(Uint8Array::from(&self.0.snapshot()?[..]))
    }

    /// Checks everything there is.
    ///
    /// # Errors
    /// When something is damaged.
    pub fn verify(&self) -> Result<(), Failure> {
        Ok(self.0.verify()?)
    }

    /// Checks checksums alone.
    ///
    /// # Errors
    /// When one does not fit.
    #[wasm_bindgen(js_name = verifyChecksums)]
    pub fn verify_checksums(&self) -> Result<(), Failure> {
        Ok(self.0.verify_checksums()?)
    }

    /// A record, as JSON text; none where there is none.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn record(&self, id: &str, kind: Option<String>) -> Result<Option<String>, Failure> {
        let key = Key { id, kind: kind.as_deref().unwrap_or(DEFAULT_KIND) };
        Ok(self.0.record(key)?.map(|record| record.json().to_text()))
    }

    /// The schema, as JSON text: a field called `__proto__` stays one, where setting it on an object would not.
    pub fn schema(&self) -> String {
        json(self.0.schema())
    }

    /// How many live records there are.
    #[wasm_bindgen(getter)]
    pub fn length(&self) -> usize {
        self.0.len()
    }
}

impl Engine {
    /// With JavaScript's clock, and as a writer that no other engine is.
    fn of(engine: crate::Engine) -> Engine {
        let random = || u64::from((js_sys::Math::random() * 4_294_967_296.0) as u32);
        Engine(engine.with_clock(js_sys::Date::now).with_writer(random() << 32 | random()))
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("what is written here has only string keys and finite numbers")
}
