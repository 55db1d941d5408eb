//! Do the test cases of the source document pass? They are in its order.

use crate::{Memories, number, of_the_document, text};
use serde_json::json;

fn for_keywords() -> Memories {
    let mut memories = Memories::new();
    for content in [
        "The authentication module handles user login and JWT tokens",
        "Database migrations are run with the migrate command",
    ] {
        memories.create(json!({ "content": content, "projectId": "proj1" }));
    }
    memories
}

fn fts(memories: &mut Memories, query: &str) -> Vec<serde_json::Value> {
    let response = memories.call("searchFts", json!({ "query": query, "projectId": "proj1" }));
    response["results"].as_array().unwrap().clone()
}

#[test]
fn fts_finds_memories_by_keyword() {
    let results = fts(&mut for_keywords(), "authentication");
    assert_eq!(results.len(), 1);
    assert!(text(&results[0]["snippet"]).contains("authentication"));
}

#[test]
fn fts_supports_prefix_matching() {
    assert_eq!(fts(&mut for_keywords(), "auth").len(), 1);
}

#[test]
fn fts_returns_highlighted_snippets() {
    let results = fts(&mut for_keywords(), "authentication");
    assert!(text(&results[0]["snippet"]).contains("<mark>authentication</mark>"));
}

#[test]
fn fts_filters_by_project() {
    let mut memories = for_keywords();
    memories.create(json!({ "content": "authentication in another project", "projectId": "proj2" }));
    assert_eq!(fts(&mut memories, "authentication").len(), 1);
}

#[test]
fn fts_handles_an_empty_query() {
    assert_eq!(fts(&mut for_keywords(), ""), [json!(null); 0]);
}

fn for_vectors() -> Memories {
    let mut memories = Memories::new();
    memories.create(
        json!({ "id": "auth", "content": "User authentication with JWT tokens and OAuth2", "projectId": "proj1" }),
    );
    memories.create(
        json!({ "id": "db", "content": "Database schema design with foreign keys", "projectId": "proj1" }),
    );
    memories
}

#[test]
fn vectors_find_similar_memories() {
    // The snapshot's embedder compares letters and not meanings, so the query shares some letters.
    let options = json!({ "query": "authenticating users by token", "projectId": "proj1" });
    let response = for_vectors().call("searchVector", options);
    assert_eq!(response["results"][0]["memoryId"], "auth");
}

#[test]
fn vectors_return_similarity_scores() {
    let response =
        for_vectors().call("searchVector", json!({ "query": "authentication", "projectId": "proj1" }));
    let first = &response["results"][0];
    let similarity = number(&first["similarity"]);
    assert!(similarity > 0.0 && similarity <= 1.0);
    assert_eq!(number(&first["distance"]), 1.0 - similarity);
}

#[test]
fn vectors_of_the_current_model_alone_are_searched() {
    let two = json!({
        "old": { "field": "oldVector", "encoding": "f32" },
        "new": { "field": "newVector", "encoding": "f32" },
    });
    let mut memories = Memories::with_vectors(two);
    memories.add(json!({ "id": "a", "kind": "memory", "content": "first", "oldVector": [1, 0] }));
    memories.add(json!({ "id": "b", "kind": "memory", "content": "second", "newVector": [1, 0, 0] }));
    let options = json!({ "query": "test query", "model": "new" });
    let response = memories.try_call("searchVector", options, Some(vec![1.0, 0.0, 0.0])).unwrap();
    assert_eq!(response["model"], "new");
    assert_eq!(response["skipped"], 1);
    let ids = response["results"].as_array().unwrap().iter().map(|result| text(&result["memoryId"]));
    assert_eq!(ids.collect::<Vec<_>>(), ["b"]);
}

#[test]
fn hybrid_returns_results_from_both_fts_and_vector() {
    let results = of_the_document().search(json!({ "query": "React TypeScript", "projectId": "proj1" }));
    assert_eq!(results[0]["matchType"], "both");
}

#[test]
fn hybrid_results_include_session_context() {
    let results = of_the_document().search(json!({ "query": "React", "projectId": "proj1" }));
    assert_eq!(results[0]["sourceSession"]["id"], "sess1");
}

#[test]
fn hybrid_results_include_superseded_status() {
    let mut memories = of_the_document();
    let old = memories.create(json!({ "content": "Old API endpoint is /v1", "projectId": "proj1" }));
    let new = memories.create(json!({ "content": "New API endpoint is /v2", "projectId": "proj1" }));
    memories.call("supersede", json!({ "oldId": old, "newId": new }));
    let options = json!({ "query": "API endpoint", "projectId": "proj1", "includeSuperseded": true });
    let result = memories.result(&old, options);
    assert_eq!(result["isSuperseded"], true);
    assert_eq!(result["supersededBy"]["id"], new.as_str());
}

#[test]
fn hybrid_excludes_superseded_by_default() {
    let mut memories = of_the_document();
    let old = memories.create(json!({ "content": "Old fact", "projectId": "proj1" }));
    let new = memories.create(json!({ "content": "New fact", "projectId": "proj1" }));
    memories.call("supersede", json!({ "oldId": old, "newId": new }));
    let found = memories.found(json!({ "query": "fact", "projectId": "proj1" }));
    assert!(!found.contains(&old) && found.contains(&new));
}

#[test]
fn hybrid_filters_by_sector() {
    let options = json!({ "query": "build deploy", "projectId": "proj1", "sector": "procedural" });
    let results = of_the_document().search(options);
    assert!(!results.is_empty() && results.iter().all(|result| result["memory"]["sector"] == "procedural"));
}

#[test]
fn hybrid_filters_by_session() {
    let mut memories = of_the_document();
    memories.call("session", json!({ "id": "sess2", "projectId": "proj1" }));
    memories.create(json!({ "content": "Only in session 2", "projectId": "proj1", "sessionId": "sess2" }));
    let results = memories.search(json!({ "query": "session", "projectId": "proj1", "sessionId": "sess2" }));
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["sourceSession"]["id"], "sess2");
}

#[test]
fn timeline_includes_session_info() {
    let mut memories = of_the_document();
    memories.create(json!({ "content": "First", "projectId": "proj1", "sessionId": "sess1" }));
    memories.now += 10.0;
    let second = memories.create(json!({ "content": "Second", "projectId": "proj1", "sessionId": "sess1" }));
    let timeline = memories.call("timeline", json!({ "id": second, "before": 2, "after": 2 }));
    assert_eq!(timeline["anchor"]["id"], second.as_str());
    assert_eq!(timeline["before"][1]["content"], "First");
    assert_eq!(timeline["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(timeline["sessions"][0]["id"], "sess1");
}

#[test]
fn session_context_tells_how_a_memory_was_used() {
    let mut memories = of_the_document();
    let id = memories.create(json!({ "content": "Test memory", "projectId": "proj1", "sessionId": "sess1" }));
    let context = memories.call("sessionContext", json!({ "id": id }));
    assert_eq!(context["session"]["id"], "sess1");
    assert_eq!(context["usageType"], "created");
}

#[test]
fn hybrid_includes_related_memory_count() {
    let mut memories = of_the_document();
    let one = memories.create(json!({ "content": "Memory 1", "projectId": "proj1" }));
    let two = memories.create(json!({ "content": "Memory 2", "projectId": "proj1" }));
    memories.call("relate", json!({ "sourceId": one, "targetId": two, "type": "RELATED_TO" }));
    let result = memories.result(&one, json!({ "query": "Memory 1", "projectId": "proj1" }));
    assert_eq!(result["relatedMemoryCount"], 1);
}

#[test]
fn search_tracks_recalled_memories_in_the_session() {
    let mut memories = of_the_document();
    let id =
        memories.create(json!({ "content": "To be recalled", "projectId": "proj1", "sessionId": "sess1" }));
    memories.call("session", json!({ "id": "sess2", "projectId": "proj1" }));
    // With `sessionId`, as in the document, the search would be limited to memories used in sess2: none yet.
    memories.search(json!({ "query": "recalled", "projectId": "proj1", "recallSessionId": "sess2" }));
    let context = memories.call("sessionContext", json!({ "id": id }));
    assert_eq!(context["session"]["id"], "sess2");
    assert_eq!(context["usageType"], "recalled");
}
