//! The calls of the memory recipe by name: options in, the JSON text of a response out.

use super::MemoryRecipe;
use super::query::{MemoryDocumentQuery, MemoryFtsQuery, MemoryQuery, MemoryVectorQuery};
use super::reads::{MAX_SIDE, SIDE};
use super::relations::{DEEMPHASIS, NewMemorySession, NewRelationship, REINFORCEMENT};
use super::settings::MemorySettings;
use super::writes::{MemoryChanges, NewMemory};
use crate::engine::{CallAnswer, Embedded, Engine, NamedCall, SearchError};
use crate::json::text_of;
use crate::options::Options;
use crate::state::USAGES;

/// The names of the calls that users make.
pub(crate) const CALLS: &[&str] = &[
    "memory.search",
    "memory.searchDocuments",
    "memory.searchFts",
    "memory.searchVector",
    "memory.get",
    "memory.timeline",
    "memory.sessionContext",
    "memory.create",
    "memory.update",
    "memory.supersede",
    "memory.relate",
    "memory.reinforce",
    "memory.deemphasize",
    "memory.linkToSession",
    "memory.delete",
    "memory.session",
    "memory.configure",
];

/// Answers a call of the recipe; none where the recipe has no call of this name.
pub(crate) fn call(engine: &mut Engine, call: &NamedCall) -> CallAnswer {
    let NamedCall { name, options, embedded } = *call;
    let mut read = Options::of(options);
    // `configure` is the only call that never waits.
    if name != "memory.configure" {
        read.host(&[("signal", "an AbortSignal")]);
    }
    answer(&mut engine.memory(), name, read, embedded).transpose()
}

fn answer(
    memory: &mut MemoryRecipe,
    name: &str,
    mut read: Options,
    embedded: &Embedded,
) -> Result<Option<String>, SearchError> {
    Ok(Some(match name {
        "memory.search" => {
            let query = MemoryQuery::take(&mut read);
            read.finish()?;
            text_of(&memory.search(&query, embedded)?)
        }
        "memory.searchDocuments" => {
            let query = MemoryDocumentQuery::take(&mut read);
            read.finish()?;
            text_of(&memory.search_documents(&query, embedded)?)
        }
        "memory.searchFts" => {
            let query = MemoryFtsQuery::take(&mut read);
            read.finish()?;
            text_of(&memory.search_fts(&query)?)
        }
        "memory.searchVector" => {
            let query = MemoryVectorQuery::take(&mut read);
            read.finish()?;
            text_of(&memory.search_vector(&query, embedded)?)
        }
        "memory.get" => {
            let (id, now) = (read.required_id("id"), read.time("now"));
            read.finish()?;
            text_of(&memory.get(&id, now)?)
        }
        "memory.timeline" => {
            let (id, now) = (read.required_id("id"), read.time("now"));
            let before = read.count("before", 0..=MAX_SIDE).unwrap_or(SIDE);
            let after = read.count("after", 0..=MAX_SIDE).unwrap_or(SIDE);
            read.finish()?;
            text_of(&memory.timeline(&id, before, after, now)?)
        }
        "memory.sessionContext" => {
            let id = read.required_id("id");
            read.finish()?;
            text_of(&memory.session_context(&id)?)
        }
        "memory.create" => {
            let (new, now) = (NewMemory::take(&mut read), read.time("now"));
            memory.check_new(&new, embedded, &mut read)?;
            read.finish()?;
            text_of(&memory.create(&new, embedded, now)?)
        }
        "memory.update" => {
            let (id, now) = (read.required_id("id"), read.time("now"));
            let changes = MemoryChanges::take(&mut read);
            memory.check_vector(embedded, &mut read);
            read.finish()?;
            text_of(&memory.update(&id, &changes, embedded, now)?)
        }
        // Hosts ask the next two before they write, so that they embed the text that the write needs, and no other.
        "memory.create.texts" => {
            let new = NewMemory::take(&mut read);
            read.time("now");
            memory.check_new(&new, embedded, &mut read)?;
            read.finish()?;
            text_of(&memory.text_of_new(&new)?)
        }
        "memory.update.texts" => {
            let id = read.required_id("id");
            let changes = MemoryChanges::take(&mut read);
            read.time("now");
            read.finish()?;
            text_of(&memory.text_of_update(&id, &changes)?)
        }
        "memory.supersede" => {
            let (old, new) = (read.required_id("oldId"), read.required_id("newId"));
            let now = read.time("now");
            read.finish()?;
            text_of(&memory.supersede(&old, &new, now)?)
        }
        "memory.relate" => {
            let (relationship, now) = (NewRelationship::take(&mut read), read.time("now"));
            read.finish()?;
            text_of(&memory.relate(&relationship, now)?)
        }
        "memory.reinforce" | "memory.deemphasize" => {
            let (id, now) = (read.required_id("id"), read.time("now"));
            let amount = read.number("amount", 0.0..=1.0);
            read.finish()?;
            let change = match name {
                "memory.reinforce" => memory.reinforce(&id, amount.unwrap_or(REINFORCEMENT), now)?,
                _ => memory.deemphasize(&id, amount.unwrap_or(DEEMPHASIS), now)?,
            };
            text_of(&change)
        }
        "memory.linkToSession" => {
            let (id, session) = (read.required_id("id"), read.required_id("sessionId"));
            read.require("usage");
            let (usage, now) = (read.word("usage", &USAGES).unwrap_or_default(), read.time("now"));
            read.finish()?;
            text_of(&memory.link_to_session(&id, &session, usage, now)?)
        }
        "memory.delete" => {
            let (id, now) = (read.required_id("id"), read.time("now"));
            read.finish()?;
            text_of(&memory.delete(&id, now)?)
        }
        "memory.session" => {
            let (session, now) = (NewMemorySession::take(&mut read), read.time("now"));
            read.finish()?;
            text_of(&memory.session(&session, now)?)
        }
        "memory.configure" => {
            let settings = MemorySettings::take(&mut read);
            read.finish()?;
            memory.configure(settings);
            text_of(&())
        }
        _ => return Ok(None),
    }))
}
