//! Deleted memories in plain searches of a memory snapshot.

use serde_json::{Value, json};
use snapseek::json::Json;
use snapseek::recipe::memory::NewMemory;
use snapseek::{Embedded, Engine, MatchOptions, Schema, SearchOptions};

/// A memory snapshot with a deleted memory and a live one.
fn with_deleted() -> Engine {
    let mut engine = Engine::empty(&Schema::preset("memory").unwrap()).unwrap();
    for id in ["live", "deleted"] {
        let memory = NewMemory {
            id: Some(id.to_owned()),
            content: "a word to remember".to_owned(),
            ..NewMemory::default()
        };
        engine.memory().create(&memory, &Embedded::default(), None).unwrap();
    }
    engine.memory().delete("deleted", None).unwrap();
    engine
}

fn filter(json: Value) -> Option<Json> {
    Some(Json::parse(json.to_string().as_bytes()).unwrap())
}

fn searched(engine: &Engine, filter: Option<Json>) -> Vec<String> {
    let options = SearchOptions { filter, ..SearchOptions::default() };
    let mut ids =
        engine.search("word", &options).unwrap().hits.into_iter().map(|hit| hit.id).collect::<Vec<_>>();
    ids.sort();
    ids
}

fn matched(engine: &Engine, filter: Option<Json>) -> Vec<String> {
    let options = MatchOptions { filter, ..MatchOptions::default() };
    let mut ids = engine.matches("word", &options).unwrap().into_iter().map(|row| row.id).collect::<Vec<_>>();
    ids.sort();
    ids
}

#[test]
fn search_does_not_return_deleted_memories() {
    assert_eq!(searched(&with_deleted(), None), ["live"]);
    assert_eq!(searched(&with_deleted(), filter(json!({ "tier": "project" }))), ["live"]);
}

#[test]
fn match_does_not_return_deleted_memories() {
    assert_eq!(matched(&with_deleted(), None), ["live"]);
    assert_eq!(matched(&with_deleted(), filter(json!({ "tier": "project" }))), ["live"]);
}

#[test]
fn a_filter_on_is_deleted_still_finds_deleted_memories() {
    let engine = with_deleted();
    let deleted = || filter(json!({ "isDeleted": true }));
    assert_eq!(
        (searched(&engine, deleted()), matched(&engine, deleted())),
        (vec!["deleted".into()], vec!["deleted".into()])
    );
    let either = || filter(json!({ "or": [{ "isDeleted": true }, { "isDeleted": false }] }));
    assert_eq!((searched(&engine, either()).len(), matched(&engine, either()).len()), (2, 2));
}

#[test]
fn deletion_holds_after_a_snapshot() {
    let engine = Engine::open(with_deleted().snapshot().unwrap()).unwrap();
    assert_eq!((searched(&engine, None), matched(&engine, None)), (vec!["live".into()], vec!["live".into()]));
}
