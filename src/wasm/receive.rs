//! Receives a snapshot in pieces.
//!
//! The receiver reserves the memory once and copies each piece to its final place, so the file is never in memory twice.

use super::Engine;
use super::error::Failure;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::wasm_bindgen;

/// The bytes of a snapshot that have arrived so far.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Receiver(Vec<u8>);

#[wasm_bindgen]
impl Receiver {
    /// Reserves memory for the expected number of bytes. More may arrive.
    ///
    /// # Errors
    /// Fails when there is not enough memory.
    #[wasm_bindgen(constructor)]
    pub fn new(capacity: usize) -> Result<Receiver, Failure> {
        let mut receiver = Receiver(Vec::new());
        receiver.0.try_reserve_exact(capacity).map_err(|_| no_memory(capacity))?;
        Ok(receiver)
    }

    /// Appends the next piece.
    ///
    /// # Errors
    /// Fails when there is not enough memory.
    pub fn write(&mut self, piece: &Uint8Array) -> Result<(), Failure> {
        let start = self.0.len();
        let len = piece.length() as usize;
        self.0.try_reserve(len).map_err(|_| no_memory(start.saturating_add(len)))?;
        self.0.resize(start + len, 0);
        piece.copy_to(&mut self.0[start..]);
        Ok(())
    }

    /// Opens the snapshot.
    ///
    /// # Errors
    /// Fails when the bytes are not a snapshot that this build can read.
    pub fn finish(mut self) -> Result<Engine, Failure> {
        self.0.shrink_to_fit();
        Ok(Engine::of(crate::Engine::open(self.0)?))
    }
}

fn no_memory(len: usize) -> Failure {
    Failure::new("snapshot/too-large", format!("there is not enough memory for {len} more bytes"))
}
