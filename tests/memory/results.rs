//! Which fields do results carry? M7.

use crate::{Memories, NOW, number, text};
use serde_json::json;

fn superseded() -> Memories {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "old", "content": "port 80" }));
    for (id, at) in [("first", 10.0), ("second", 30.0), ("third", 20.0)] {
        let content = format!("port 443 {}", "é".repeat(300));
        memories.create(json!({ "id": id, "content": content, "createdAt": NOW + at }));
        memories.call("supersede", json!({ "oldId": "old", "newId": id }));
    }
    memories
}

#[test]
fn m7_superseded_by_is_the_newest_that_is_still_there_cut_short() {
    let mut memories = superseded();
    let options = json!({ "query": "port", "includeSuperseded": true });
    let by = memories.result("old", options.clone())["supersededBy"].clone();
    assert_eq!(by["id"], "second");
    assert_eq!(number(&by["createdAt"]), NOW + 30.0);
    let content = text(&by["content"]);
    assert_eq!(content.chars().count(), 200);
    assert!(content.starts_with("port 443 é"));
    memories.call("delete", json!({ "id": "second" }));
    assert_eq!(memories.result("old", options.clone())["supersededBy"]["id"], "third");
    memories.engine.remove([snapseek::Key { id: "third", kind: "memory" }]).unwrap();
    assert_eq!(memories.result("old", options)["supersededBy"]["id"], "first");
}

#[test]
fn m7_a_relationship_that_has_ended_does_not_count_and_one_with_itself_counts_once() {
    let mut memories = Memories::of_words();
    for id in ["a", "b"] {
        memories.create(json!({ "id": id, "content": "word" }));
    }
    memories.call("relate", json!({ "sourceId": "a", "targetId": "a", "type": "SELF" }));
    memories.call("relate", json!({ "sourceId": "a", "targetId": "b", "type": "ENDED", "validUntil": NOW }));
    memories
        .call("relate", json!({ "sourceId": "a", "targetId": "b", "type": "LIVE", "validUntil": NOW + 1.0 }));
    memories.call("relate", json!({ "sourceId": "a", "targetId": "b", "type": "LIVE" }));
    let mut count = |id: &str| memories.result(id, json!({ "query": "word" }))["relatedMemoryCount"].clone();
    assert_eq!([count("a"), count("b")], [2, 1]);
}

#[test]
fn m7_the_source_session_is_the_one_that_created_it_not_one_that_recalled_it() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "sessionId": "z-first" }));
    memories.create(json!({ "id": "b", "content": "word" }));
    memories.now += 1.0;
    memories.search(json!({ "query": "word", "recallSessionId": "a-later" }));
    assert_eq!(memories.result("a", json!({ "query": "word" }))["sourceSession"], json!({ "id": "z-first" }));
    assert!(memories.result("b", json!({ "query": "word" })).get("sourceSession").is_none());
}

#[test]
fn m7_a_result_has_all_that_the_specification_names() {
    let mut memories = superseded();
    let result = memories.result("old", json!({ "query": "port", "includeSuperseded": true }));
    let mut names = result.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "explain",
            "highlights",
            "isSuperseded",
            "matchType",
            "memory",
            "relatedMemoryCount",
            "score",
            "supersededBy",
            "type"
        ]
    );
    assert_eq!(result["highlights"], json!(["<mark>port</mark> 80"]));
    assert_eq!(result["relatedMemoryCount"], 3);
}
