//! The WebAssembly module: what `snapseek::wasm` exports, linked.

extern crate snapseek as _;
