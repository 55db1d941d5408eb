//! What the fuzz targets share: good snapshots to start from, forged ones, and everything there is to ask of an engine.

pub mod ask;
pub mod forge;
pub mod samples;
pub mod seeds;

/// The text at the start of `input`, as far as it is UTF-8.
pub fn text(input: &[u8]) -> &str {
    input.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}
