//! Splits texts into chunks, for JavaScript.
//!
//! This runs in WebAssembly because grapheme boundaries depend on the version of Unicode, and JavaScript engines differ in
//! theirs.

use super::convert;
use super::error::Failure;
use crate::chunking::{Chunk, ChunkError, DEFAULT_OVERLAP, DEFAULT_SIZE, chunk_text};
use crate::json::float_text;
use js_sys::JsString;
use serde::Serialize;
use wasm_bindgen::prelude::wasm_bindgen;

/// A chunk as JavaScript sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Piece<'a> {
    chunk_text: &'a str,
    chunk_index: usize,
    token_count: usize,
    char_offset: usize,
}

impl<'a> From<Chunk<'a>> for Piece<'a> {
    fn from(chunk: Chunk<'a>) -> Piece<'a> {
        Piece {
            chunk_text: chunk.text,
            chunk_index: chunk.index,
            token_count: chunk.token_count,
            char_offset: chunk.char_offset,
        }
    }
}

/// Splits a text into chunks and returns them as JSON text.
///
/// # Errors
/// Fails when `size` or `overlap` is out of range.
#[wasm_bindgen(js_name = chunkText)]
pub fn chunks(body: &JsString, size: Option<f64>, overlap: Option<f64>) -> Result<JsString, Failure> {
    let size = whole(size, DEFAULT_SIZE, "size")?;
    let overlap = whole(overlap, DEFAULT_OVERLAP, "overlap")?;
    let body = String::from(body);
    let chunks = chunk_text(&body, size, overlap)?;
    Ok(convert::json(&chunks.into_iter().map(Piece::from).collect::<Vec<_>>()))
}

fn whole(given: Option<f64>, default: usize, name: &'static str) -> Result<usize, Failure> {
    let Some(number) = given else { return Ok(default) };
    if number.fract() != 0.0 || number < 0.0 {
        let message = format!("{name}: must be a whole number of characters, not {}", float_text(number));
        return Err(Failure::new(format!("option/{name}"), message));
    }
    // The cast saturates; `chunk_text` then refuses the number as out of range.
    Ok(number as usize)
}

impl From<ChunkError> for Failure {
    fn from(error: ChunkError) -> Failure {
        let name = match error {
            ChunkError::BadSize { .. } => "size",
            ChunkError::BadOverlap { .. } | ChunkError::OverlapNotLess { .. } => "overlap",
        };
        Failure::new(format!("option/{name}"), error.to_string()).at(&name)
    }
}
