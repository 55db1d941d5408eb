//! The calls that make and change snapshots; a build that only searches leaves them out.

use super::lines::{self, Additions};
use super::{Engine, Failure, convert};
use crate::document::Key;
use crate::snapshot::encode;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

#[wasm_bindgen]
impl Engine {
    /// Adds records, all or none; how many are new or replace others, and how many were replaced.
    ///
    /// # Errors
    /// When one cannot be taken.
    pub fn add(&mut self, records: &JsValue) -> Result<Vec<u32>, Failure> {
        let Additions { records, beside } = lines::additions(records)?;
        let written = self.0.add(&records)?;
        beside.iter().try_for_each(|(what, line)| self.0.take_line(what, line))?;
        Ok([written.added, written.replaced].map(|count| u32::try_from(count).unwrap_or(u32::MAX)).to_vec())
    }

    /// Removes the records with these keys; how many there were.
    ///
    /// # Errors
    /// When a key is none, or the snapshot is damaged.
    pub fn remove(&mut self, keys: &Array) -> Result<usize, Failure> {
        let keys = lines::keys(keys)?;
        Ok(self.0.remove(keys.iter().map(|(id, kind)| Key { id, kind }))?.replaced)
    }

    /// Everything since the snapshot.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn changes(&self) -> Result<Uint8Array, Failure> {
        Ok(Uint8Array::from(&self.0.changes()?[..]))
    }

    /// Brings back what `changes` gave.
    ///
    /// # Errors
    /// When the bytes are no changes to this snapshot.
    pub fn apply(&mut self, changes: &Uint8Array) -> Result<(), Failure> {
        Ok(self.0.apply(convert::bytes(changes)?)?)
    }

    /// A fresh snapshot of all live records.
    ///
    /// # Errors
    /// When the snapshot is damaged, or there is too much for one.
    pub fn snapshot(&self) -> Result<Uint8Array, Failure> {
        Ok(Uint8Array::from(&self.0.snapshot()?[..]))
    }

    /// Encodes a snapshot that also holds the stamps of all writes, for `snapseek/persist`.
    ///
    /// # Errors
    /// When the snapshot is damaged, or the records exceed a limit of the format.
    #[wasm_bindgen(js_name = compactedSnapshot)]
    pub fn compacted_snapshot(&self) -> Result<Uint8Array, Failure> {
        Ok(Uint8Array::from(&self.0.compacted_snapshot()?[..]))
    }

    /// Encodes every write that was made at run time, compacted ones included, for `snapseek/persist`; `undefined` when
    /// there is none.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    #[wasm_bindgen(js_name = allChanges)]
    pub fn all_changes(&self) -> Result<Option<Uint8Array>, Failure> {
        Ok(self.0.all_changes()?.map(|bytes| Uint8Array::from(&bytes[..])))
    }

    /// Moves the engine to another snapshot and applies its own changes there, for `snapseek/persist`.
    ///
    /// # Errors
    /// When the bytes are not a snapshot, or have another schema; then the engine stays as it is.
    pub fn rebase(&mut self, snapshot: &Uint8Array) -> Result<(), Failure> {
        Ok(self.0.rebase(convert::bytes(snapshot)?)?)
    }

    /// A fresh snapshot and the files of its documents, each of at most `most` bytes: an array, the snapshot first.
    ///
    /// # Errors
    /// When the snapshot is damaged, there is too much for one, or a block of documents is longer than `most`.
    #[wasm_bindgen(js_name = splitSnapshot)]
    pub fn split_snapshot(&self, most: Option<usize>) -> Result<Array, Failure> {
        let split = self.0.split_snapshot(most.unwrap_or(usize::MAX))?;
        let files = Array::of1(&Uint8Array::from(&encode(&split.sections)[..]));
        for file in 0..split.suffixes().len() {
            let mut bytes = Vec::new();
            assert!(split.write_file(file, &mut bytes).is_ok(), "a vector takes everything");
            files.push(&Uint8Array::from(&bytes[..]));
        }
        Ok(files)
    }
}
