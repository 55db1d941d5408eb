//! Code that the fuzz targets share: valid snapshots, forged snapshots, and the calls to run on an engine.

pub mod ask;
pub mod forge;
pub mod samples;
pub mod seeds;

/// Returns the longest prefix of `input` that is valid UTF-8.
pub fn text(input: &[u8]) -> &str {
    input.utf8_chunks().next().map_or("", |chunk| chunk.valid())
}
