//! The calls that make and change snapshots; a build that only searches leaves them out.

use super::lines::{self, Line};
use super::{Engine, Failure, convert};
use crate::document::Key;
use crate::{Builder, Record, Schema, WriteError};
use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

/// Builds from an array of records or a text of JSON lines; the schema is inferred where none is given.
///
/// # Errors
/// When the schema or a record cannot be used.
#[wasm_bindgen]
pub fn build(records: &JsValue, schema: &JsValue) -> Result<Engine, Failure> {
    let builder = if schema.is_undefined() { build_inferred(records)? } else { build_with(records, schema)? };
    Ok(Engine::of(crate::Engine::open(builder.finish()?)?))
}

fn build_with(records: &JsValue, schema: &JsValue) -> Result<Builder, Failure> {
    let mut builder = Builder::new(&lines::schema(schema)?)?;
    lines::each_line(records, |line| take(&mut builder, &line))?;
    Ok(builder)
}

fn build_inferred(records: &JsValue) -> Result<Builder, Failure> {
    let mut lines = Vec::new();
    lines::each_line(records, |line| {
        lines.push(line);
        Ok(())
    })?;
    let schema = Schema::infer(lines.iter().filter_map(|line| match line {
        Line::Record(record) => Some(record),
        Line::Delete(_) | Line::Beside(..) => None,
    }))?;
    let mut builder = Builder::new(&schema)?;
    lines.iter().try_for_each(|line| take(&mut builder, line))?;
    Ok(builder)
}

fn take(builder: &mut Builder, line: &Line) -> Result<(), Failure> {
    match line {
        Line::Record(record) => builder.add(record)?,
        Line::Delete(record) => builder.remove(key_of(record)),
        Line::Beside(what, json) => builder.take_line(what, json).map_err(WriteError::from)?,
    }
    Ok(())
}

fn key_of(record: &Record) -> Key<'_> {
    Key { id: record.id(), kind: record.kind() }
}

#[wasm_bindgen]
impl Engine {
    /// An engine without records.
    ///
    /// # Errors
    /// When the schema cannot be used.
    pub fn empty(schema: &JsValue) -> Result<Engine, Failure> {
        Ok(Engine::of(crate::Engine::empty(&lines::schema(schema)?)?))
    }

    /// Adds records, all or none; how many are new or replace others, and how many were replaced.
    ///
    /// # Errors
    /// When one cannot be taken.
    pub fn add(&mut self, records: &JsValue) -> Result<Vec<u32>, Failure> {
        let (records, beside) = lines::additions(records)?;
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
}
