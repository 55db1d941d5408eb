//! Are documents and their chunks handled as M12 says?

use crate::{Memories, text};
use serde_json::{Value, json};

/// Adds a document of three chunks, one of two, one that is not chunked, and a memory.
fn library() -> Memories {
    let mut memories = Memories::new();
    for (id, parent, index, start, content) in [
        ("guide#0", "guide", 0, 0, "Ferries leave the pier every hour."),
        ("guide#1", "guide", 1, 34, "Tickets for ferries are sold on the pier; ferries take bicycles."),
        ("guide#2", "guide", 2, 98, "Ferries do not leave in a storm."),
        ("rules#0", "rules", 0, 0, "No smoking."),
        ("rules#1", "rules", 1, 11, "Dogs on ferries wear a leash."),
    ] {
        memories.add(json!({
            "id": id, "content": content, "parentId": parent, "chunkIndex": index, "charOffset": start, "projectId": "p",
        }));
    }
    memories
        .add(json!({ "id": "page", "kind": "document", "content": "Ferries, a history", "projectId": "q" }));
    memories.create(json!({ "id": "m", "content": "Ferries were late today", "projectId": "p" }));
    memories
}

fn documents(response: &Value) -> Vec<String> {
    response["results"].as_array().unwrap().iter().map(|result| text(&result["documentId"])).collect()
}

#[test]
fn m12_each_document_is_shown_by_its_best_chunk_with_its_text_and_place() {
    let mut memories = library();
    let response = memories.call("searchDocuments", json!({ "query": "ferry tickets bicycles" }));
    let first = &response["results"][0];
    assert_eq!(first["type"], "document");
    assert_eq!(first["documentId"], "guide");
    let chunk = &first["chunk"];
    assert_eq!((&chunk["id"], &chunk["index"]), (&json!("guide#1"), &json!(1)));
    assert_eq!((&chunk["start"], &chunk["end"]), (&json!(34), &json!(98)));
    assert_eq!(chunk["text"], "Tickets for ferries are sold on the pier; ferries take bicycles.");
    assert_eq!(chunk["record"]["parentId"], "guide");
    assert!(text(&first["highlights"][0]).contains("<mark>Tickets</mark>"));
    let mut found = documents(&response);
    found.sort();
    assert_eq!(found, ["guide", "page", "rules"]);
}

#[test]
fn m12_a_document_that_was_not_cut_is_its_own_chunk() {
    let response = library().call("searchDocuments", json!({ "query": "history", "projectId": "q" }));
    assert_eq!(documents(&response), ["page"]);
    let chunk = &response["results"][0]["chunk"];
    assert_eq!((&chunk["id"], &chunk["start"], &chunk["end"]), (&json!("page"), &json!(0), &json!(18)));
}

#[test]
fn m12_chunks_without_a_parent_belong_to_the_document_of_their_id() {
    let mut memories = Memories::of(json!({ "fields": { "text": {} } }));
    for index in 0..3 {
        memories.add(json!({ "id": format!("a.md#{index}"), "text": "word", "chunkIndex": index, "offset": index * 4 }));
    }
    let response = memories.call("searchDocuments", json!({ "query": "word" }));
    assert_eq!(documents(&response), ["a.md"]);
    assert_eq!(response["results"][0]["chunk"]["start"], 0);
}

#[test]
fn m12_a_page_is_full_even_if_one_document_has_all_the_best_chunks() {
    let mut memories = Memories::new();
    for index in 0..300 {
        memories.add(json!({ "id": format!("long#{index}"), "content": "word word", "parentId": "long" }));
    }
    for number in 0..12 {
        let content = format!("word among many others that make it rank low {number}");
        memories.add(json!({ "id": format!("short{number}"), "content": content }));
    }
    for mode in ["keyword", "semantic", "hybrid"] {
        let response = memories.call("searchDocuments", json!({ "query": "word", "mode": mode }));
        let mut found = documents(&response);
        assert_eq!(found[0], "long", "{mode}");
        found.sort();
        found.dedup();
        assert_eq!(found.len(), 10, "{mode}");
    }
}

#[test]
fn m12_include_documents_merges_them_with_memories_by_score() {
    let mut memories = library();
    let response =
        memories.call("search", json!({ "query": "ferries", "projectId": "p", "includeDocuments": true }));
    let results = response["results"].as_array().unwrap();
    let mut kinds = results.iter().map(|result| text(&result["type"])).collect::<Vec<_>>();
    let scores = results.iter().map(|result| result["score"].as_f64().unwrap()).collect::<Vec<_>>();
    assert!(scores.is_sorted_by(|a, b| a >= b));
    kinds.sort();
    assert_eq!(kinds, ["document", "document", "memory"]);
    let without = memories.search(json!({ "query": "ferries", "projectId": "p" }));
    assert!(without.iter().all(|result| result["type"] == "memory"));
}

#[test]
fn m12_documents_are_neither_reinforced_nor_noted_in_sessions() {
    let mut memories = library();
    let options = json!({ "query": "ferries", "includeDocuments": true, "recallSessionId": "s" });
    memories.call("search", options);
    let state = memories.engine.state().unwrap();
    assert_eq!(state.used_in("s").collect::<Vec<_>>(), ["m"]);
    assert!(state.changed_fields().all(|(key, ..)| key.kind == "memory"));
}

#[test]
fn m12_deleted_documents_are_not_found_and_ten_is_the_default_limit() {
    let mut memories = Memories::of_words();
    for number in 0..15 {
        memories.add(json!({ "id": number, "content": "word", "isDeleted": number < 3 }));
    }
    assert_eq!(documents(&memories.call("searchDocuments", json!({ "query": "word" }))).len(), 10);
    assert_eq!(
        documents(&memories.call("searchDocuments", json!({ "query": "word", "limit": 50 }))).len(),
        12
    );
}
