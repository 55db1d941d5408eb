//! Which calls does the vault have by name? Each reads its options and calls a typed method.

use super::query::VaultQuery;
use super::update::{VaultAdd, VaultFeedback, VaultLink, VaultUnlink, VaultUpdate};
use crate::engine::{CallAnswer, Engine, NamedCall, SearchError};
use crate::json::{Json, text_of};
use crate::options::Options;

/// The calls of the recipe.
pub(crate) const CALLS: &[&str] = &[
    "vault.search",
    "vault.load",
    "vault.add",
    "vault.update",
    "vault.remove",
    "vault.link",
    "vault.unlink",
    "vault.feedback",
    "vault.weights",
];

/// Answers a call of the recipe; none where it has no such call.
///
/// Hosts also use calls that [`CALLS`] does not list. `vault.tier` searches for a federation and returns every candidate;
/// `vault.model` names the model of a query; `vault.holds` looks for an id. `vault.add.texts` and `vault.update.texts` return
/// the texts that the host must embed before it writes.
pub(crate) fn call(engine: &mut Engine, call: &NamedCall) -> CallAnswer {
    let NamedCall { name, options, embedded } = *call;
    let vault = engine.vault();
    Some(match name {
        "vault.search" => answer(options, VaultQuery::take, |query| vault.search(query, embedded)),
        "vault.tier" => answer(options, VaultQuery::take, |query| vault.every_candidate(query, embedded)),
        "vault.model" => answer(options, model, |model| vault.model(model.as_deref())),
        "vault.load" => answer(options, ids, |ids| vault.load(ids)),
        "vault.holds" => answer(options, ids, |ids| vault.holds(ids)),
        "vault.weights" => answer(options, signal, |()| vault.weights()),
        "vault.add.texts" => answer(options, VaultAdd::take, |add| vault.texts_to_add(add)),
        "vault.update.texts" => answer(options, VaultUpdate::take, |update| vault.texts_to_update(update)),
        "vault.add" => answer(options, VaultAdd::take, |add| engine.vault_mut().add(add, embedded)),
        "vault.update" => {
            answer(options, VaultUpdate::take, |update| engine.vault_mut().update(update, embedded))
        }
        "vault.remove" => answer(options, removal, |(ids, now)| engine.vault_mut().remove(ids, *now)),
        "vault.link" => answer(options, VaultLink::take, |link| engine.vault_mut().link(link)),
        "vault.unlink" => answer(options, VaultUnlink::take, |link| engine.vault_mut().unlink(link)),
        "vault.feedback" => answer(options, VaultFeedback::take, |row| engine.vault_mut().feedback(row)),
        _ => return None,
    })
}

/// Reads the options of a call, calls `run`, and writes the response as JSON.
fn answer<T, R: serde::Serialize>(
    options: &Json,
    take: fn(&mut Options) -> T,
    run: impl FnOnce(&T) -> Result<R, SearchError>,
) -> Result<String, SearchError> {
    let mut read = Options::of(options);
    let taken = take(&mut read);
    read.finish()?;
    Ok(text_of(&run(&taken)?))
}

fn signal(read: &mut Options) {
    read.host(&[("signal", "an AbortSignal")]);
}

fn model(read: &mut Options) -> Option<String> {
    read.text("model").map(str::to_owned)
}

fn ids(read: &mut Options) -> Vec<String> {
    signal(read);
    read.require("ids");
    read.ids("ids").unwrap_or_default()
}

fn removal(read: &mut Options) -> (Vec<String>, Option<f64>) {
    (ids(read), read.time("now"))
}
