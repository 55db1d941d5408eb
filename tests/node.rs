//! The wasm bindings in Node; `scripts/test-wasm` runs them.
#![cfg(target_arch = "wasm32")]

#[path = "support/wasm_suite.rs"]
mod wasm_suite;
