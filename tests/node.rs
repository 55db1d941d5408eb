//! Do the wasm bindings work in Node? `scripts/test-wasm` runs this suite.
#![cfg(target_arch = "wasm32")]

#[path = "support/wasm_suite.rs"]
mod wasm_suite;
