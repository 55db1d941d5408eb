//! How are memories written, and which fields do they get?

use crate::{Memories, NOW, number, text};
use serde_json::json;

#[test]
fn a_new_memory_has_all_its_fields_and_an_id_of_its_own() {
    let mut memories = Memories::new();
    let created =
        memories.call("create", json!({ "content": "some words", "projectId": "p", "tags": ["x"] }));
    assert_eq!(created["embedded"], true);
    assert_eq!(
        created["memory"],
        json!({
            "id": created["id"], "kind": "memory", "projectId": "p", "content": "some words", "sector": "semantic",
            "tier": "project", "salience": 1, "importance": 0.5, "tags": ["x"], "concepts": [], "files": [],
            "createdAt": NOW as i64, "updatedAt": NOW as i64, "lastAccessed": NOW as i64, "isDeleted": false,
        })
    );
    assert_eq!(memories.memory(&text(&created["id"])), created["memory"]);
}

#[test]
fn generated_ids_are_deterministic_and_never_repeat() {
    let mut ids = Vec::new();
    for _ in 0..2 {
        let mut memories = Memories::of_words();
        let mut own = (0..3).map(|_| memories.create(json!({ "content": "x" }))).collect::<Vec<_>>();
        // A snapshot stores no stamps, so the next id would repeat the first one.
        memories.engine = snapseek::Engine::open(memories.engine.snapshot().unwrap()).unwrap().with_writer(7);
        own.extend((0..3).map(|_| memories.create(json!({ "content": "x" }))));
        assert_eq!(memories.engine.len(), 6);
        ids.push(own);
    }
    assert_eq!(ids[0], ids[1]);
}

#[test]
fn a_memory_is_not_created_over_another() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "x" }));
    assert_eq!(
        memories.complaint("create", json!({ "id": "a", "tier": "team", "colour": "red" })),
        "content: is required; tier: unknown tier \"team\"; use one of session, project, global; \
         id: there is a memory \"a\" already; colour: unknown option; the options are concepts, content, createdAt, \
         embed, files, id, importance, model, now, projectId, salience, sector, sessionId, signal, summary, tags, tier, \
         validFrom, validUntil, vector"
    );
    assert_eq!(memories.engine.len(), 1);
}

#[test]
fn a_memory_can_come_with_its_vector_or_without() {
    let mut memories = Memories::of_pairs();
    let with =
        memories.try_call("create", json!({ "id": "a", "content": "x" }), Some(vec![1.0, 0.0])).unwrap();
    let without = memories.call_after_failure("create", json!({ "id": "b", "content": "x" }), "embed: down");
    assert_eq!((&with["embedded"], &without["embedded"]), (&json!(true), &json!(false)));
    assert_eq!((&with["warnings"], &with["degraded"]), (&json!([]), &json!(false)));
    assert_eq!((&without["warnings"], &without["degraded"]), (&json!(["embed: down"]), &json!(true)));
    let response = memories.try_call("searchVector", json!({ "query": "q" }), Some(vec![1.0, 0.0])).unwrap();
    assert_eq!(response["results"].as_array().unwrap().len(), 1);
    let error = memories.try_call("create", json!({ "content": "x" }), Some(vec![1.0])).unwrap_err();
    assert!(error.to_string().contains("\"pair\""), "{error}");
    let error =
        Memories::of_words().try_call("create", json!({ "content": "x" }), Some(vec![1.0])).unwrap_err();
    assert_eq!(error.to_string(), "vector: this snapshot has no vectors");
}

#[test]
fn superseding_sets_the_end_of_the_old_and_links_the_new_to_it() {
    let mut memories = Memories::of_words();
    for id in ["old", "new", "newer"] {
        memories.create(json!({ "id": id, "content": "x" }));
    }
    memories.call("supersede", json!({ "oldId": "old", "newId": "new", "now": NOW + 1.0 }));
    memories.call("supersede", json!({ "oldId": "old", "newId": "newer", "now": NOW + 2.0 }));
    assert_eq!(number(&memories.memory("old")["validUntil"]), NOW + 1.0);
    let state = memories.engine.state().unwrap();
    let links = state.links_of("old").map(|link| (link.from, link.to, link.relation, link.at));
    let expected = [("new", 1.0), ("newer", 2.0)].map(|(id, at)| (id, "old", "SUPERSEDES", Some(NOW + at)));
    assert_eq!(links.collect::<Vec<_>>(), expected);
    assert_eq!(
        memories.complaint("supersede", json!({ "oldId": "new", "newId": "new" })),
        "newId: a memory cannot supersede itself"
    );
    let mut bare = Memories::of(json!({ "fields": { "body": {} } }));
    assert_eq!(
        bare.complaint("supersede", json!({ "oldId": "a", "newId": "b" })),
        "oldId: the schema has no attribute \"validUntil\", so nothing can be superseded"
    );
}

#[test]
fn reinforce_and_deemphasize_return_the_new_salience() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "x", "salience": 0.5 }));
    let raised = memories.call("reinforce", json!({ "id": "a", "now": NOW + 1.0 }));
    assert_eq!(raised, json!({ "id": "a", "salience": 0.55 }));
    assert_eq!(number(&memories.memory("a")["lastAccessed"]), NOW + 1.0);
    let lowered = memories.call("deemphasize", json!({ "id": "a", "amount": 0.5 }));
    assert_eq!(lowered, json!({ "id": "a", "salience": 0.275 }));
    assert_eq!(memories.memory("a")["salience"], 0.275);
    assert_eq!(
        memories.complaint("reinforce", json!({ "id": "a", "amount": 2 })),
        "amount: must be 0 to 1, not 2"
    );
}

#[test]
fn writes_about_a_memory_that_is_not_there_are_errors() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "x" }));
    memories.add(json!({ "id": "page", "content": "no memory" }));
    for (call, options) in [
        ("reinforce", json!({ "id": "page" })),
        ("deemphasize", json!({ "id": "page" })),
        ("delete", json!({ "id": "page" })),
        ("linkToSession", json!({ "id": "page", "sessionId": "s", "usage": "recalled" })),
        ("relate", json!({ "sourceId": "a", "targetId": "page" })),
        ("supersede", json!({ "oldId": "page", "newId": "a" })),
        ("supersede", json!({ "oldId": "a", "newId": "page" })),
    ] {
        assert_eq!(memories.complaint(call, options), "memory not found: page", "{call}");
    }
    assert!(memories.memory("a").get("validUntil").is_none(), "nothing of a failed write stays");
}

#[test]
fn a_session_starts_once_and_takes_more_fields_later() {
    let mut memories = Memories::of_words();
    memories.call("session", json!({ "id": "s", "projectId": "p" }));
    memories.call("session", json!({ "id": "s", "endedAt": NOW + 9.0, "summary": "done", "now": NOW + 9.0 }));
    let session = memories.engine.state().unwrap().session("s").unwrap();
    assert_eq!((session.started_at, session.ended_at), (Some(NOW), Some(NOW + 9.0)));
    assert_eq!((session.project_id, session.summary), (Some("p"), Some("done")));
}

#[test]
fn a_usage_is_one_of_four_words() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "x" }));
    assert_eq!(
        memories.complaint("linkToSession", json!({ "id": "a", "sessionId": "s", "usage": "seen" })),
        "usage: unknown usage \"seen\"; use one of created, recalled, updated, reinforced"
    );
    assert_eq!(
        memories.complaint("linkToSession", json!({ "id": "a" })),
        "sessionId: is required; usage: is required"
    );
}

#[test]
fn a_deleted_memory_stays_stored_and_is_not_found() {
    let mut memories = Memories::new();
    memories.create(json!({ "id": "a", "content": "word" }));
    memories.call("delete", json!({ "id": "a" }));
    assert_eq!(memories.memory("a")["isDeleted"], true);
    for call in ["search", "searchFts", "searchVector"] {
        assert_eq!(
            memories.call(call, json!({ "query": "word", "includeSuperseded": true }))["results"],
            json!([])
        );
    }
}
