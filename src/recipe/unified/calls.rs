//! The unified recipe's calls by name.
//!
//! A host that embeds queries itself first calls `NAME.early`. The response is that of `NAME` where it needs no vector, and
//! otherwise `{"embed": "…"}`, the text of which the host makes a vector for `NAME`.

use super::parameters::Booster;
use super::query::UnifiedQuery;
use super::search::SearchPurpose;
use crate::engine::{CallAnswer, Embedded, Engine, NamedCall, SearchError};
use crate::json::{Json, text_of};
use crate::options::Options;
use serde::Serialize;

/// The calls of the recipe.
pub(crate) const CALLS: &[&str] = &[
    "unified.search",
    "unified.decisions",
    "unified.changes",
    "unified.howItWorks",
    "unified.warm",
    "unified.stats",
];

/// The response to an early call that needs a vector.
#[derive(Serialize)]
struct VectorNeeded {
    /// The text to embed.
    embed: String,
}

/// Answers a call of the recipe; none where it has no such call.
pub(crate) fn call(engine: &mut Engine, call: &NamedCall) -> CallAnswer {
    let NamedCall { name, options, embedded } = *call;
    let name = name.strip_prefix("unified.")?;
    let (name, embedded) = match name.strip_suffix(".early") {
        Some(name) => (name, None),
        None => (name, Some(embedded)),
    };
    let mut search = |booster, purpose| Some(search(engine, options, booster, purpose, embedded));
    match name {
        "search" => search(None, SearchPurpose::Caller),
        "decisions" => search(Some(Booster::Decisions), SearchPurpose::Caller),
        "changes" => search(Some(Booster::Changes), SearchPurpose::Caller),
        "howItWorks" => search(Some(Booster::HowItWorks), SearchPurpose::Caller),
        "warm" => search(None, SearchPurpose::Warming),
        "note" => Some(note(engine, options)),
        "stats" => Some(stats(engine, options)),
        _ => None,
    }
}

fn search(
    engine: &mut Engine,
    options: &Json,
    booster: Option<Booster>,
    purpose: SearchPurpose,
    embedded: Option<&Embedded>,
) -> Result<String, SearchError> {
    let mut read = Options::of(options);
    if booster.is_some() {
        read.require("query");
    }
    let mut query = UnifiedQuery::take(&mut read);
    let clamped = read.finish()?;
    if let Some(booster) = booster {
        query = query.boosted(booster);
    }
    Ok(match engine.unified().run(&query, embedded, purpose)? {
        Some(mut response) => {
            response.clamped = clamped;
            text_of(&response)
        }
        None => text_of(&VectorNeeded { embed: query.query }),
    })
}

/// Records how long a caller waited, and whether it joined a search that was already running.
fn note(engine: &mut Engine, options: &Json) -> Result<String, SearchError> {
    let mut read = Options::of(options);
    let latency = read.number("latency", 0.0..=f64::MAX);
    let coalesced = read.flag("coalesced").unwrap_or(false);
    read.finish()?;
    let mut unified = engine.unified();
    if coalesced {
        unified.note_coalesced();
    }
    latency.into_iter().for_each(|latency| unified.note_latency(latency));
    Ok("null".to_owned())
}

fn stats(engine: &mut Engine, options: &Json) -> Result<String, SearchError> {
    Options::of(options).finish()?;
    Ok(text_of(&engine.unified().stats()))
}
