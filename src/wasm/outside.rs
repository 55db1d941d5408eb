//! Documents in other files, as `js/src/documents.ts` fetches them.

use super::{Engine, Failure, convert};
use js_sys::Uint8Array;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Engine {
    /// In how many other files the snapshot's documents are; 0 where they are in the snapshot.
    #[wasm_bindgen(getter, js_name = documentFiles)]
    pub fn document_files(&self) -> u32 {
        self.0
            .segments()
            .next()
            .and_then(crate::segment::Segment::outside)
            .map_or(0, |outside| outside.files())
    }

    /// Which bytes hold these blocks: file, first byte, byte after the last, for each range.
    ///
    /// # Errors
    /// When there is no such block, or the snapshot is damaged.
    #[expect(clippy::cast_precision_loss, reason = "no file is so long that a double cannot count its bytes")]
    pub fn ranges(&self, blocks: &[u32]) -> Result<Vec<f64>, Failure> {
        let mut numbers = Vec::new();
        for range in self.0.ranges(blocks)? {
            numbers.extend([f64::from(range.file), range.bytes.start as f64, range.bytes.end as f64]);
        }
        Ok(numbers)
    }

    /// Takes bytes of a file of documents, from `start` on.
    ///
    /// # Errors
    /// When a block is not what the snapshot says.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "what is no place in a file is taken for one that holds no block"
    )]
    pub fn supply(&self, file: u32, start: f64, bytes: &Uint8Array) -> Result<(), Failure> {
        Ok(self.0.supply(file, start as u64, &convert::bytes(bytes)?)?)
    }

    /// Sets how many bytes of blocks are kept at hand.
    #[wasm_bindgen(js_name = setDocumentCache)]
    pub fn set_document_cache(&self, bytes: usize) {
        self.0.set_document_cache(bytes);
    }

    /// Drops the blocks beyond that.
    pub fn trim(&self) {
        self.0.trim();
    }
}
