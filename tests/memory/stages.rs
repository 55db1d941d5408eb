//! Do the stages that follow scoring, and the filters before it, work for memories?

use crate::{Memories, NOW, text};
use serde_json::{Value, json};

fn three() -> Memories {
    let mut memories = Memories::of_words();
    for (id, content, at) in [
        ("old", "the port is 80", NOW - 30.0),
        ("new", "the port is 443", NOW - 20.0),
        ("other", "nothing about it", NOW - 10.0),
    ] {
        memories.create(json!({ "id": id, "content": content, "createdAt": at }));
    }
    memories.call("supersede", json!({ "oldId": "old", "newId": "new", "now": NOW - 20.0 }));
    memories
}

#[test]
fn as_of_finds_memories_that_existed_and_were_valid_then() {
    let mut memories = three();
    let mut found = |at: f64| memories.found(json!({ "query": "port", "asOf": at, "track": false }));
    assert_eq!(found(NOW - 31.0), [""; 0]);
    assert_eq!(found(NOW - 25.0), ["old"]);
    assert_eq!(found(NOW - 20.0), ["new"]);
    let result = memories.result("old", json!({ "query": "port", "asOf": NOW - 25.0 }));
    assert_eq!(result["isSuperseded"], false);
    assert_eq!(result["explain"]["factors"][1]["value"], 1.0);
}

#[test]
fn a_pinned_memory_comes_first_unless_a_filter_forbids_it() {
    let mut memories = three();
    let results = memories.search(json!({ "query": "port", "pinned": ["other"], "track": false }));
    let shown = results.iter().map(|result| (text(&result["memory"]["id"]), result["pinned"] == true));
    assert_eq!(shown.collect::<Vec<_>>(), [("other".to_owned(), true), ("new".to_owned(), false)]);
    assert_eq!(memories.found(json!({ "query": "port", "pinned": ["old"], "track": false })), ["new"]);
    assert_eq!(
        memories.found(json!({ "query": "port", "pinned": ["other"], "sector": "episodic" })),
        [""; 0]
    );
}

#[test]
fn irrelevant_memories_are_dropped_and_similar_ones_folded() {
    let mut memories = Memories::of_pairs();
    for (id, vector) in [("a", [100, 0]), ("b", [100, 1]), ("c", [50, 50]), ("d", [0, 1])] {
        memories.add(json!({ "id": id, "kind": "memory", "content": "x", "vector": vector }));
    }
    let options = json!({ "query": "q", "minRelevance": 0.5, "fold": true });
    let response = memories.try_call("search", options, Some(vec![1.0, 0.0])).unwrap();
    let results = response["results"].as_array().unwrap();
    let shown = results.iter().map(|result| (text(&result["memory"]["id"]), result.get("folded").cloned()));
    let expected = [("a".to_owned(), Some(json!(["b"]))), ("c".to_owned(), None::<Value>)];
    assert_eq!(shown.collect::<Vec<_>>(), expected);
}

#[test]
fn only_memories_that_survive_the_stages_are_reinforced() {
    let mut memories = Memories::of_words();
    for id in ["a", "b", "c"] {
        memories.create(json!({ "id": id, "content": "a few words that are alike", "salience": 0.5 }));
    }
    assert_eq!(memories.found(json!({ "query": "words", "maxTokens": 14 })), ["a", "b"]);
    let salience = |id: &str| memories.memory(id)["salience"].clone();
    assert_eq!([salience("a"), salience("b"), salience("c")], [0.51, 0.51, 0.5]);
}
