//! Snapshots of which only pieces are in memory; `js/src/pieces.ts` fetches them.

use super::{Engine, Failure, convert};
use crate::snapshot::Header;
use js_sys::{Float64Array, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;

/// Returns the length of the head of a snapshot that starts with these bytes, at least 48 of them; 0 if the file can only
/// be read whole.
///
/// # Errors
/// Fails when the bytes do not start a snapshot that this build can read.
#[wasm_bindgen(js_name = headLength)]
#[expect(clippy::cast_precision_loss, reason = "every file is shorter than 2^53 bytes")]
pub fn head_length(start: &Uint8Array) -> Result<f64, Failure> {
    Ok(Header::parse(&convert::bytes(start)?)?.head_len as f64)
}

#[wasm_bindgen]
impl Engine {
    /// Opens a snapshot of which only the head is in memory. More bytes than the head may follow it.
    ///
    /// # Errors
    /// Fails when the bytes are not the head of a snapshot that this build can read in pieces.
    #[wasm_bindgen(js_name = openInPieces)]
    pub fn open_in_pieces(head: &Uint8Array) -> Result<Engine, Failure> {
        Ok(Engine::of(crate::Engine::open_in_pieces(convert::bytes(head)?)?))
    }

    /// Returns the pieces that calls lacked since the last time, and forgets them: four numbers per piece, the start and end
    /// of the piece, and the start and end of the parts to fetch. A call that lacked pieces must be repeated.
    #[wasm_bindgen(js_name = takeMissing)]
    #[expect(clippy::cast_precision_loss, reason = "every file is shorter than 2^53 bytes")]
    pub fn take_missing(&self) -> Float64Array {
        let mut numbers = Vec::new();
        for piece in self.0.take_missing() {
            let ends = [piece.wanted.start, piece.wanted.end, piece.parts.start, piece.parts.end];
            numbers.extend(ends.map(|end| end as f64));
        }
        Float64Array::from(&numbers[..])
    }

    /// Adds the piece from `start` to `end`. `bytes` are the parts around it, from offset `parts_start` on.
    ///
    /// # Errors
    /// Fails with `snapshot/changed` when the parts do not match their checksums.
    #[wasm_bindgen(js_name = supplyPiece)]
    pub fn supply_piece(
        &mut self,
        start: usize,
        end: usize,
        parts_start: usize,
        bytes: &Uint8Array,
    ) -> Result<(), Failure> {
        Ok(self.0.supply_piece(start..end, parts_start, &convert::bytes(bytes)?)?)
    }

    /// Sets how many bytes of pieces stay in memory between calls.
    #[wasm_bindgen(js_name = setPieceBudget)]
    pub fn set_piece_budget(&mut self, bytes: usize) {
        self.0.set_piece_budget(bytes);
    }

    /// Returns the size of a part, where the first one starts, and the length of the file; `undefined` if the whole file is
    /// in memory.
    #[wasm_bindgen(js_name = partLayout)]
    #[expect(clippy::cast_precision_loss, reason = "every file is shorter than 2^53 bytes")]
    pub fn part_layout(&self) -> Option<Float64Array> {
        let (size, range) = self.0.part_layout()?;
        Some(Float64Array::from(&[size, range.start, range.end].map(|number| number as f64)[..]))
    }

    /// Returns the number of bytes of the snapshot that are in memory.
    #[wasm_bindgen(getter, js_name = bytesInMemory)]
    #[expect(clippy::cast_precision_loss, reason = "memory is smaller than 2^53 bytes")]
    pub fn bytes_in_memory(&self) -> f64 {
        self.0.bytes_in_memory() as f64
    }
}
