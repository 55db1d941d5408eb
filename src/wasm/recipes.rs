//! The calls of recipes, through one function. The search-only build leaves them out.

use super::{Engine, Failure, convert};
use js_sys::{Float32Array, JsString};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Engine {
    /// Runs a call of a recipe, such as `memory.search`, and returns its response as JSON text.
    ///
    /// # Errors
    /// Fails when there is no such call, an option is invalid, or the snapshot is damaged.
    pub fn call(
        &mut self,
        name: &JsString,
        options: &JsString,
        vectors: Option<Float32Array>,
        host: Option<JsString>,
    ) -> Result<JsString, Failure> {
        let name = String::from(name);
        let found = self.0.call(&name, &convert::options(options)?, convert::embedded(vectors, host)?);
        Ok(found.map_err(|error| Failure::of_search(&error, &name))?.into())
    }

    /// Returns the number of writes since the engine was opened. An answer from before the last write is stale.
    #[wasm_bindgen(getter)]
    pub fn writes(&self) -> f64 {
        self.0.writes as f64
    }
}
