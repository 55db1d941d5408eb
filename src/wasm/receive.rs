//! A snapshot that arrives in pieces.
//!
//! Its memory is asked for once, here, and pieces are written where they stay: the file is never held twice.

use super::Engine;
use super::error::Failure;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::wasm_bindgen;

/// The bytes of a snapshot, as far as they have come.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Receiver(Vec<u8>);

#[wasm_bindgen]
impl Receiver {
    /// Makes room for as many bytes as are expected; more may come.
    ///
    /// # Errors
    /// When there is no memory for them.
    #[wasm_bindgen(constructor)]
    pub fn new(capacity: usize) -> Result<Receiver, Failure> {
        let mut receiver = Receiver(Vec::new());
        receiver.0.try_reserve_exact(capacity).map_err(|_| no_memory(capacity))?;
        Ok(receiver)
    }

    /// Takes the next piece.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn write(&mut self, piece: &Uint8Array) -> Result<(), Failure> {
        let start = self.0.len();
        let len = piece.length() as usize;
        self.0.try_reserve(len).map_err(|_| no_memory(start.saturating_add(len)))?;
        self.0.resize(start + len, 0);
        piece.copy_to(&mut self.0[start..]);
        Ok(())
    }

    /// Opens what has come.
    ///
    /// # Errors
    /// When it is no snapshot this build can read.
    pub fn finish(mut self) -> Result<Engine, Failure> {
        self.0.shrink_to_fit();
        Ok(Engine::of(crate::Engine::open(self.0)?))
    }
}

fn no_memory(len: usize) -> Failure {
    Failure::new("snapshot/too-large", format!("there is no memory for {len} bytes more"))
}
