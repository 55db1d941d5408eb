//! The calls of the RAG recipe by their names: JSON in, JSON out.

use super::index_options::{RagIndexOptions, take_source_key};
use super::index_response::RagIndexResponse;
use super::query::RagQuery;
use super::response::RagResponse;
use crate::engine::{CallAnswer, Embedded, Engine, NamedCall, SearchError};
use crate::json::{Json, text_of};
use crate::options::Options;

/// The public calls of the recipe. `rag.plan` is for hosts that embed: see [`Rag::plan`](super::Rag::plan).
pub(crate) const CALLS: &[&str] = &["rag.index", "rag.remove", "rag.search"];

/// Answers a call of the recipe; none where the recipe has no such call.
pub(crate) fn call(engine: &mut Engine, call: &NamedCall) -> CallAnswer {
    let NamedCall { name, options, embedded } = *call;
    Some(match name {
        "rag.index" => index(engine, options, embedded),
        "rag.plan" => plan(engine, options, embedded),
        "rag.remove" => remove(engine, options),
        "rag.search" => search(engine, options, embedded),
        _ => return None,
    })
}

fn search(engine: &mut Engine, options: &Json, embedded: &Embedded) -> Result<String, SearchError> {
    let mut read = Options::of(options);
    let query = RagQuery::take(&mut read);
    let clamped = read.finish()?;
    let response = engine.rag().search(&query, embedded)?;
    Ok(text_of(&RagResponse { clamped, ..response }))
}

fn index(engine: &mut Engine, options: &Json, embedded: &Embedded) -> Result<String, SearchError> {
    let mut read = Options::of(options);
    let options = RagIndexOptions::take(&mut read);
    let clamped = read.finish()?;
    let response = engine.rag().index(&options, embedded)?;
    Ok(text_of(&RagIndexResponse { clamped, ..response }))
}

fn plan(engine: &mut Engine, options: &Json, embedded: &Embedded) -> Result<String, SearchError> {
    let mut read = Options::of(options);
    let options = RagIndexOptions::take(&mut read);
    read.finish()?;
    Ok(text_of(&engine.rag().plan(&options, embedded)?))
}

fn remove(engine: &mut Engine, options: &Json) -> Result<String, SearchError> {
    let mut read = Options::of(options);
    let source = take_source_key(&mut read);
    read.finish()?;
    Ok(text_of(&engine.rag().remove(&source)?))
}
