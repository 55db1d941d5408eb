//! Builds snapshots batch by batch, so that a page stays responsive between batches.

use super::Engine;
use super::convert;
use super::error::Failure;
use super::lines::{self, Line};
use crate::document::Key;
use crate::{Builder, Record, Schema, WriteError};
use js_sys::{Array, JsString, Uint8Array};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};

/// A build in progress.
#[wasm_bindgen]
#[derive(Debug)]
pub struct Build {
    /// The number of records or lines so far, for error messages.
    taken: u32,
    state: State,
}

#[derive(Debug)]
enum State {
    Building(Box<Builder>),
    /// Keeps all lines until the end, when the schema is inferred from them.
    Waiting(Vec<Line>),
}

#[wasm_bindgen]
impl Build {
    /// Starts a build with this schema, or with a schema to infer if it is `undefined`. `static_models` has the name and
    /// the table (a `Uint8Array`) of each static model, in turns.
    ///
    /// # Errors
    /// Fails when the schema is invalid, or a static model is missing or damaged.
    #[wasm_bindgen(constructor)]
    pub fn new(schema: &JsValue, static_models: &Array) -> Result<Build, Failure> {
        let state = match schema.is_undefined() {
            true => State::Waiting(Vec::new()),
            false => State::Building(Box::new(builder(&lines::schema(schema)?, static_models)?)),
        };
        Ok(Build { taken: 0, state })
    }

    /// Adds an array of records or a string of JSON lines. Errors number the records of all batches together.
    ///
    /// # Errors
    /// Fails when a record is invalid.
    pub fn add(&mut self, records: &JsValue) -> Result<(), Failure> {
        let state = &mut self.state;
        self.taken = lines::each_line(records, self.taken, &mut |line| match state {
            State::Building(builder) => take(builder, &line),
            State::Waiting(lines) => {
                lines.push(line);
                Ok(())
            }
        })?;
        Ok(())
    }

    /// Returns the texts of these records that an `embed` function has to embed: an array of `[id, kind, text, model]`,
    /// as JSON text. The model is the schema's first model without an embedder of its own.
    ///
    /// # Errors
    /// Fails when a record is invalid.
    pub fn texts(&self, records: &JsValue) -> Result<JsString, Failure> {
        let mut texts: Vec<(String, String, String, &str)> = Vec::new();
        let State::Building(builder) = &self.state else { return Ok(convert::json(&texts)) };
        let schema = builder.schema();
        let Some((place, (name, model))) =
            schema.models().enumerate().find(|(_, (_, model))| model.embedder.is_none())
        else {
            return Ok(convert::json(&texts));
        };
        lines::each_line(records, self.taken, &mut |line| {
            if let Line::Record(record) = line
                && model.field.as_ref().is_none_or(|field| record.json().get(field).is_none())
            {
                let text = schema.embedded_text(place, &record);
                if !text.is_empty() {
                    texts.push((record.id().to_owned(), record.kind().to_owned(), text, name));
                }
            }
            Ok(())
        })?;
        Ok(convert::json(&texts))
    }

    /// Finishes the build and opens the snapshot.
    ///
    /// # Errors
    /// Fails when no schema can be inferred, or the records exceed a limit of the format.
    pub fn finish(self) -> Result<Engine, Failure> {
        let builder = match self.state {
            State::Building(builder) => *builder,
            State::Waiting(lines) => inferred(&lines)?,
        };
        Ok(Engine::of(crate::Engine::open(builder.finish()?)?))
    }
}

fn builder(schema: &Schema, static_models: &Array) -> Result<Builder, Failure> {
    let mut builder = Builder::new(schema)?;
    for model in (0..static_models.length()).step_by(2) {
        let name = static_models.get(model).as_string().unwrap_or_default();
        let table = static_models.get(model + 1).unchecked_into::<Uint8Array>();
        builder = builder.with_static_model(&name, table.to_vec())?;
    }
    match builder.missing_static_model() {
        None => Ok(builder),
        Some(name) => {
            let message =
                format!("vectors \"{name}\": pass the bytes or the URL of the static model as model");
            Err(Failure::new("schema/bad-model", message))
        }
    }
}

fn inferred(lines: &[Line]) -> Result<Builder, Failure> {
    let schema = Schema::infer(lines.iter().filter_map(|line| match line {
        Line::Record(record) => Some(record),
        Line::Delete(_) | Line::Vector(_) | Line::Beside(..) => None,
    }))?;
    let mut builder = Builder::new(&schema)?;
    lines.iter().try_for_each(|line| take(&mut builder, line))?;
    Ok(builder)
}

fn take(builder: &mut Builder, line: &Line) -> Result<(), Failure> {
    match line {
        Line::Record(record) => builder.add(record)?,
        Line::Delete(record) => builder.remove(key_of(record)),
        Line::Vector(line) => builder.add_vector(line)?,
        Line::Beside(what, json) => builder.take_line(what, json).map_err(WriteError::from)?,
    }
    Ok(())
}

fn key_of(record: &Record) -> Key<'_> {
    Key { id: record.id(), kind: record.kind() }
}
