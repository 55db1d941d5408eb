//! Stored documents in other files, which `js/src/documents.ts` fetches.

use super::{Engine, Failure, convert};
use js_sys::{Float64Array, Uint8Array, Uint32Array};
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Engine {
    /// Returns the number of files with the snapshot's documents; 0 if the snapshot itself holds them.
    #[wasm_bindgen(getter, js_name = documentFiles)]
    pub fn document_files(&self) -> u32 {
        self.0
            .segments()
            .next()
            .and_then(crate::segment::Segment::outside)
            .map_or(0, |outside| outside.files())
    }

    /// Returns the byte ranges that hold these blocks: three numbers per range, its file, first byte, and end.
    ///
    /// # Errors
    /// Fails when a block number is too large, or the snapshot is damaged.
    #[expect(clippy::cast_precision_loss, reason = "every file is shorter than 2^53 bytes")]
    pub fn ranges(&self, blocks: &Uint32Array) -> Result<Float64Array, Failure> {
        let mut numbers = Vec::new();
        for range in self.0.ranges(&blocks.to_vec())? {
            numbers.extend([f64::from(range.file), range.bytes.start as f64, range.bytes.end as f64]);
        }
        Ok(Float64Array::from(&numbers[..]))
    }

    /// Adds bytes of a documents file, starting at offset `start`, to the cache.
    ///
    /// # Errors
    /// Fails when a block differs from its checksum in the snapshot.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the cast saturates, and an offset outside the file holds no block"
    )]
    pub fn supply(&self, file: u32, start: f64, bytes: &Uint8Array) -> Result<(), Failure> {
        Ok(self.0.supply(file, start as u64, &convert::bytes(bytes)?)?)
    }

    /// Sets the size of the block cache, in bytes.
    #[wasm_bindgen(js_name = setDocumentCache)]
    pub fn set_document_cache(&self, bytes: usize) {
        self.0.set_document_cache(bytes);
    }

    /// Drops the least recently used blocks and pieces until each of the two fits its size.
    pub fn trim(&mut self) {
        self.0.trim();
        self.0.trim_pieces();
    }
}
