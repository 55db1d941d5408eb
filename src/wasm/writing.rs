//! The calls that write. The search-only build leaves them out.

use super::lines::{self, Additions};
use super::{Engine, Failure, convert};
use crate::document::Key;
use crate::snapshot::encode;
use js_sys::{Array, Uint8Array};
use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// The result of a removal.
#[derive(Serialize)]
struct Removed {
    removed: usize,
    warnings: Vec<String>,
}

#[wasm_bindgen]
impl Engine {
    /// Adds records, all or none. Returns `{ added, replaced, warnings }`.
    ///
    /// # Errors
    /// Fails when a record is invalid.
    pub fn add(&mut self, records: &JsValue) -> Result<JsValue, Failure> {
        let Additions { records, vectors, beside } = lines::additions(records)?;
        let written = self.0.add_lines(&records, &vectors)?;
        beside.iter().try_for_each(|(what, line)| self.0.take_line(what, line))?;
        Ok(convert::value(&written))
    }

    /// Removes the records with these keys. Returns `{ removed, warnings }`; a key without a record is a warning.
    ///
    /// # Errors
    /// Fails when a key is invalid, or the snapshot is damaged.
    pub fn remove(&mut self, keys: &Array) -> Result<JsValue, Failure> {
        let (mut removed, mut warnings) = (0, Vec::new());
        for (id, kind) in lines::keys(keys, self.0.usual_kind()?)? {
            match self.0.remove([Key { id: &id, kind: &kind }])?.replaced {
                0 => warnings.push(format!("there is no record \"{id}\" of kind \"{kind}\"")),
                count => removed += count,
            }
        }
        Ok(convert::value(&Removed { removed, warnings }))
    }

    /// Encodes the writes since the snapshot was opened.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn changes(&self) -> Result<Uint8Array, Failure> {
        Ok(Uint8Array::from(&self.0.changes()?[..]))
    }

    /// Applies changes that `changes` encoded.
    ///
    /// # Errors
    /// Fails when the bytes are not changes, or were made with another schema.
    pub fn apply(&mut self, changes: &Uint8Array) -> Result<(), Failure> {
        Ok(self.0.apply(convert::bytes(changes)?)?)
    }

    /// Encodes a snapshot of all live records.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged, or the records exceed a limit of the format.
    pub fn snapshot(&self) -> Result<Uint8Array, Failure> {
        Ok(Uint8Array::from(&self.0.snapshot()?[..]))
    }

    /// Encodes a snapshot that also holds the stamps of all writes, for `snapseek/persist`.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged, or the records exceed a limit of the format.
    #[wasm_bindgen(js_name = compactedSnapshot)]
    pub fn compacted_snapshot(&self) -> Result<Uint8Array, Failure> {
        Ok(Uint8Array::from(&self.0.compacted_snapshot()?[..]))
    }

    /// Encodes every write that was made at run time, compacted ones included, for `snapseek/persist`; `undefined` when
    /// there is none.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    #[wasm_bindgen(js_name = allChanges)]
    pub fn all_changes(&self) -> Result<Option<Uint8Array>, Failure> {
        Ok(self.0.all_changes()?.map(|bytes| Uint8Array::from(&bytes[..])))
    }

    /// Moves the engine to another snapshot and applies its own changes there, for `snapseek/persist`.
    ///
    /// # Errors
    /// Fails when the bytes are not a snapshot, or have another schema; then the engine stays as it is.
    pub fn rebase(&mut self, snapshot: &Uint8Array) -> Result<(), Failure> {
        Ok(self.0.rebase(convert::bytes(snapshot)?)?)
    }

    /// Encodes a snapshot and the files of its documents, each of at most `most` bytes. Returns an array, the snapshot first.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged, the records exceed a limit, or a block of documents is longer than `most`.
    #[wasm_bindgen(js_name = splitSnapshot)]
    pub fn split_snapshot(&self, most: Option<usize>) -> Result<Array, Failure> {
        let split = self.0.split_snapshot(most.unwrap_or(usize::MAX))?;
        let files = Array::new();
        files.push(&Uint8Array::from(&encode(&split.sections)[..]));
        for file in 0..split.suffixes().len() {
            let mut bytes = Vec::new();
            assert!(split.write_file(file, &mut bytes).is_ok(), "writing to a vector never fails");
            files.push(&Uint8Array::from(&bytes[..]));
        }
        Ok(files)
    }
}
