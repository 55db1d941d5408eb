//! Reading one memory, and changing it.

use crate::{DAY, Memories, NOW, number, text};
use serde_json::{Value, json};
use snapseek::recipe::memory::{MemoryChanges, NewMemory};
use snapseek::{SearchFault, TextsToEmbed};

fn got(memories: &mut Memories, id: &str) -> Value {
    memories.call("get", json!({ "id": id }))["memory"].clone()
}

fn similarities(memories: &mut Memories, vector: [f32; 2]) -> Vec<(String, f64)> {
    let response = memories.try_call("searchVector", json!({ "query": "q" }), Some(vector.to_vec())).unwrap();
    let results = response["results"].as_array().unwrap();
    results.iter().map(|result| (text(&result["memoryId"]), number(&result["similarity"]))).collect()
}

/// A memory with a vector that the host made.
fn with_vector() -> Memories {
    let mut memories = Memories::of_pairs();
    let options = json!({ "id": "a", "content": "the red door", "summary": "door", "projectId": "p" });
    memories.try_call("create", options, Some(vec![1.0, 0.0])).unwrap();
    memories
}

#[test]
fn get_returns_the_memory_as_it_is_now() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "salience": 0.5 }));
    memories.call("reinforce", json!({ "id": "a", "amount": 0.5 }));
    assert_eq!(got(&mut memories, "a")["salience"], 0.75);
    memories.call("delete", json!({ "id": "a" }));
    assert_eq!(got(&mut memories, "a")["isDeleted"], true);
    assert_eq!(got(&mut memories, "nobody"), Value::Null);
    assert_eq!(memories.complaint("get", json!({})), "id: is required");
}

#[test]
fn m13_get_shows_faded_salience_where_decay_is_on() {
    let mut memories = Memories::of_words();
    memories
        .create(json!({ "id": "a", "content": "x", "sector": "episodic", "createdAt": NOW - 999.0 * DAY }));
    assert_eq!(got(&mut memories, "a")["salience"], 1);
    let mut memories = memories.with_decay();
    assert_eq!(got(&mut memories, "a")["salience"], 0.05);
}

#[test]
fn update_changes_the_named_fields_and_the_time_of_the_update() {
    let mut memories = Memories::of_words();
    memories.create(
        json!({ "id": "a", "content": "word", "projectId": "p", "tags": ["old"], "validUntil": NOW + DAY }),
    );
    let before = got(&mut memories, "a");
    let changes = json!({
        "id": "a", "sector": "procedural", "tier": "global", "tags": ["new", "newer"], "concepts": ["c"], "files": ["f"],
        "importance": 0.9, "salience": 0.25, "validFrom": NOW - 5.0, "validUntil": NOW + 5.0, "projectId": "q",
        "now": NOW + 1.0,
    });
    let updated = memories.call("update", changes.clone());
    let memory = got(&mut memories, "a");
    assert_eq!(updated["memory"], memory);
    for name in ["sector", "tier", "tags", "concepts", "files", "importance", "salience", "projectId"] {
        assert_eq!(memory[name], changes[name], "{name}");
    }
    for name in ["validFrom", "validUntil"] {
        assert_eq!(number(&memory[name]), number(&changes[name]), "{name}");
    }
    assert_eq!((number(&memory["updatedAt"]), number(&memory["lastAccessed"])), (NOW + 1.0, NOW + 1.0));
    assert_eq!((&memory["content"], &memory["createdAt"]), (&before["content"], &before["createdAt"]));
    assert_eq!((&updated["degraded"], &updated["warnings"]), (&json!(false), &json!([])));
}

#[test]
fn update_is_what_filters_and_searches_see() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "the old harbour", "projectId": "p" }));
    memories.call("update", json!({ "id": "a", "content": "the new airport", "projectId": "q" }));
    let found = |memories: &mut Memories, query: &str, project: &str| {
        memories.found(json!({ "query": query, "projectId": project, "track": false }))
    };
    assert_eq!(found(&mut memories, "airport", "q"), ["a"]);
    assert_eq!(found(&mut memories, "harbour", "q"), [""; 0]);
    assert_eq!(found(&mut memories, "airport", "p"), [""; 0]);
    let engine = snapseek::Engine::open(memories.engine.snapshot().unwrap()).unwrap();
    let mut reopened = Memories { engine, now: NOW };
    assert_eq!(found(&mut reopened, "airport", "q"), ["a"]);
    assert_eq!(reopened.engine.len(), 1);
}

#[test]
fn null_removes_a_field_that_a_memory_may_lack() {
    let mut memories = Memories::of_words();
    memories.create(json!({
        "id": "a", "content": "word", "summary": "rare", "projectId": "p", "tags": ["t"], "validFrom": NOW, "validUntil": NOW,
    }));
    let names = ["summary", "projectId", "tags", "concepts", "files", "validFrom", "validUntil"];
    let mut changes = json!({ "id": "a" });
    for name in names {
        changes[name] = Value::Null;
    }
    memories.call("update", changes);
    let memory = got(&mut memories, "a");
    assert!(names.iter().all(|name| memory.get(*name).is_none()), "{memory}");
    assert_eq!(
        memories.found(json!({ "query": "word", "track": false })),
        ["a"],
        "it is no longer superseded"
    );
    assert_eq!(memories.found(json!({ "query": "rare" })), [""; 0]);
    assert_eq!(
        memories.complaint("update", json!({ "id": "a", "content": null, "salience": null, "colour": 1 })),
        "content: must not be null; salience: must not be null; colour: unknown option; the options are concepts, content, \
         embed, files, id, importance, model, now, projectId, salience, sector, sessionId, signal, summary, tags, tier, \
         validFrom, validUntil, vector"
    );
}

#[test]
fn an_update_that_leaves_the_text_alone_keeps_the_vector() {
    let mut memories = with_vector();
    let changes = json!({ "id": "a", "content": "the red door", "tags": ["t"], "projectId": null });
    let updated = memories.call("update", changes);
    assert_eq!((&updated["embedded"], &updated["degraded"]), (&json!(true), &json!(false)));
    assert_eq!(similarities(&mut memories, [1.0, 0.0]), [("a".to_owned(), 1.0)]);
}

#[test]
fn an_update_of_the_text_takes_the_new_vector() {
    let mut memories = with_vector();
    let changes = json!({ "id": "a", "content": "the blue door" });
    let updated = memories.try_call("update", changes, Some(vec![0.0, 1.0])).unwrap();
    assert_eq!((&updated["embedded"], &updated["degraded"]), (&json!(true), &json!(false)));
    assert_eq!(similarities(&mut memories, [0.0, 1.0]), [("a".to_owned(), 1.0)]);
}

#[test]
fn an_update_of_the_text_without_a_vector_says_so() {
    let mut memories = with_vector();
    let updated = memories.call("update", json!({ "id": "a", "content": "the blue door" }));
    assert_eq!((&updated["embedded"], &updated["degraded"]), (&json!(false), &json!(true)));
    assert!(text(&updated["warnings"][0]).contains("\"pair\""), "{updated}");
    let mut memories = with_vector();
    let options = json!({ "id": "a", "summary": null });
    let updated = memories.call_after_failure("update", options, "embed: no network");
    assert_eq!((&updated["embedded"], &updated["warnings"][0]), (&json!(false), &json!("embed: no network")));
}

#[test]
fn an_update_of_the_text_is_embedded_by_the_snapshot_itself() {
    let mut memories = Memories::new();
    memories.create(json!({ "id": "a", "content": "harbour" }));
    let updated = memories.call("update", json!({ "id": "a", "content": "airport" }));
    assert_eq!((&updated["embedded"], &updated["degraded"]), (&json!(true), &json!(false)));
    let response = memories.call("searchVector", json!({ "query": "airport" }));
    assert!(number(&response["results"][0]["similarity"]) > 0.99, "{response}");
}

#[test]
fn an_update_in_a_session_is_a_usage_row() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "sessionId": "s" }));
    memories.call("update", json!({ "id": "a", "importance": 1, "sessionId": "t", "now": NOW + 1.0 }));
    memories.call("update", json!({ "id": "a", "importance": 0, "now": NOW + 2.0 }));
    let context = memories.call("sessionContext", json!({ "id": "a" }));
    assert_eq!((&context["session"]["id"], &context["usageType"]), (&json!("t"), &json!("updated")));
}

#[test]
fn updates_of_different_fields_by_two_writers_both_stay() {
    let mut base = Memories::of_words();
    base.create(json!({ "id": "a", "content": "word" }));
    let bytes = base.engine.snapshot().unwrap();
    let open = |writer: u64| {
        let engine = snapseek::Engine::open(bytes.clone()).unwrap().with_writer(writer);
        Memories { engine, now: NOW + writer as f64 }
    };
    let (mut one, mut two) = (open(1), open(2));
    one.call("update", json!({ "id": "a", "tags": ["t"] }));
    two.call("update", json!({ "id": "a", "importance": 0.9 }));
    one.engine.apply(two.engine.changes().unwrap()).unwrap();
    let memory = one.memory("a");
    assert_eq!((&memory["tags"], &memory["importance"]), (&json!(["t"]), &json!(0.9)));
}

#[test]
fn an_update_of_a_memory_that_is_not_there_is_an_error_and_writes_nothing() {
    let mut memories = Memories::of_words();
    let error = memories.try_call("update", json!({ "id": "a", "content": "x" }), None).unwrap_err();
    assert!(matches!(*error, SearchFault::NotFound { .. }));
    memories.create(json!({ "id": "a", "content": "word" }));
    let before = memories.engine.changes().unwrap();
    let error =
        memories.try_call("update", json!({ "id": "a", "content": "x" }), Some(vec![1.0])).unwrap_err();
    assert_eq!(error.to_string(), "vector: this snapshot has no vectors");
    assert!(memories.engine.changes().unwrap() == before);
}

#[test]
fn a_write_names_the_text_that_needs_a_vector() {
    let mut memories = with_vector();
    memories.create(json!({ "id": "bare", "content": "the sea" }));
    let recipe = memories.engine.memory();
    let new =
        NewMemory { content: "one".to_owned(), summary: Some("two".to_owned()), ..NewMemory::default() };
    let named = |text: Option<&str>| TextsToEmbed {
        texts: text.into_iter().map(str::to_owned).collect(),
        width: Some(2),
    };
    assert_eq!(recipe.text_of_new(&new).unwrap(), named(Some("one\ntwo")));
    let changes = |content: &str, importance: f64| MemoryChanges {
        content: Some(content.to_owned()),
        importance: Some(importance),
        ..MemoryChanges::default()
    };
    let text = |id: &str, changes: &MemoryChanges| recipe.text_of_update(id, changes).unwrap();
    assert_eq!(text("a", &changes("the blue door", 1.0)), named(Some("the blue door\ndoor")));
    assert_eq!(text("a", &changes("the red door", 1.0)), named(None));
    // This memory has no vector yet.
    assert_eq!(text("bare", &changes("the sea", 1.0)), named(Some("the sea")));
}
