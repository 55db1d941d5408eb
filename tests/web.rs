//! Do the wasm bindings work in a browser? `scripts/test-wasm` runs this suite.
#![cfg(target_arch = "wasm32")]

#[path = "support/wasm_suite.rs"]
mod wasm_suite;

wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
