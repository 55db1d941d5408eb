//! Which candidates does each leg contribute? M1, M2, M5 and M6.

use crate::{Memories, number, text};
use serde_json::{Value, json};
use snapseek::{Column, MatchOptions, MatchSnippet};

fn results(response: &Value) -> &Vec<Value> {
    response["results"].as_array().unwrap()
}

#[test]
fn m1_ranks_and_snippets_are_those_of_the_match_expression() {
    let mut memories = Memories::of_words();
    let long = "filler words ".repeat(30);
    for (id, content) in [
        ("a", format!("{long} authentication by token {long}")),
        ("b", "tokens, authors and other things".to_owned()),
        ("c", "nothing of the kind".to_owned()),
    ] {
        memories.create(json!({ "id": id, "content": content }));
    }
    let response = memories.call("searchFts", json!({ "query": "auth \"token\" x", "raw": true }));
    let snippet = MatchSnippet {
        column: Column::Number(0),
        open: "<mark>".into(),
        close: "</mark>".into(),
        ellipsis: "...".into(),
        tokens: 32,
    };
    let options = MatchOptions { snippet: Some(snippet), ..MatchOptions::default() };
    let rows = memories.engine.matches(r#""auth"* OR "token"*"#, &options).unwrap();
    assert_eq!(rows.len(), 2);
    let expected = rows.into_iter().map(|row| {
        assert!(row.rank < 0.0);
        json!({ "memoryId": row.id, "rank": row.rank, "snippet": row.snippet.unwrap().unwrap() })
    });
    assert_eq!(*results(&response), expected.collect::<Vec<_>>());
    assert!(text(&results(&response)[1]["snippet"]).starts_with("...filler"));
}

#[test]
fn m1_a_snippet_is_safe_as_html_unless_it_is_raw() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "use <script> & care" }));
    let snippet = |raw: bool| json!({ "query": "care", "raw": raw });
    let safe = memories.call("searchFts", snippet(false));
    assert_eq!(results(&safe)[0]["snippet"], "use &lt;script&gt; &amp; <mark>care</mark>");
    let raw = memories.call("searchFts", snippet(true));
    assert_eq!(results(&raw)[0]["snippet"], "use <script> & <mark>care</mark>");
    assert_eq!(memories.search(snippet(false))[0]["highlights"][0], results(&safe)[0]["snippet"]);
}

#[test]
fn m1_a_query_without_words_finds_nothing_and_twenty_is_the_default_limit() {
    let mut memories = Memories::of_words();
    for _ in 0..25 {
        memories.create(json!({ "content": "the same words" }));
    }
    for query in ["", "  ", "a b", "\"\"", "\0"] {
        assert!(results(&memories.call("searchFts", json!({ "query": query }))).is_empty(), "{query:?}");
    }
    assert_eq!(results(&memories.call("searchFts", json!({ "query": "words" }))).len(), 20);
    assert_eq!(results(&memories.call("searchFts", json!({ "query": "words", "limit": 3 }))).len(), 3);
}

#[test]
fn m1_every_string_is_a_valid_query() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "plain words" }));
    for query in ["\"", "* OR (", "NEAR(x y", "col: word^2 - {a}", "AND OR NOT", &"word ".repeat(20_000)] {
        memories.call("searchFts", json!({ "query": query }));
    }
}

#[test]
fn m2_similarity_is_one_minus_distance_and_nearest_come_first() {
    let mut memories = Memories::of_pairs();
    for (id, vector) in [("same", [2, 0]), ("across", [0, 3]), ("against", [-1, 0])] {
        memories.add(json!({ "id": id, "kind": "memory", "content": "x", "vector": vector }));
    }
    let response = memories.try_call("searchVector", json!({ "query": "q" }), Some(vec![1.0, 0.0])).unwrap();
    let expected = [("same", 0.0), ("across", 1.0), ("against", 2.0)]
        .map(|(id, distance)| json!({ "memoryId": id, "distance": distance, "similarity": 1.0 - distance }));
    assert_eq!(*results(&response), expected);
}

#[test]
fn m2_vectors_of_another_width_are_not_compared_but_counted() {
    let mut memories = Memories::of_pairs();
    memories.add(json!({ "id": "a", "kind": "memory", "content": "word", "vector": [1, 0] }));
    memories.add(json!({ "id": "b", "kind": "memory", "content": "word" }));
    let response =
        memories.try_call("search", json!({ "query": "word" }), Some(vec![1.0, 0.0, 0.0])).unwrap();
    assert_eq!((&response["mode"], &response["degraded"]), (&json!("keyword"), &json!(true)));
    assert_eq!(response["skipped"], 1);
    let warning = "vector: it has 3 numbers, and the model's vectors have 2; only keywords were searched";
    assert_eq!(response["warnings"], json!([warning]));
    assert_eq!(results(&response).len(), 2);
}

#[test]
fn m2_only_memories_that_pass_the_filter_count_as_skipped() {
    let two =
        json!({ "old": { "field": "o", "encoding": "f32" }, "new": { "field": "n", "encoding": "f32" } });
    let mut memories = Memories::with_vectors(two);
    for (id, project, field) in [("a", "p", "o"), ("b", "q", "o"), ("c", "p", "n")] {
        let mut record = json!({ "id": id, "kind": "memory", "content": "x", "projectId": project });
        record[field] = json!([1, 0]);
        memories.add(record);
    }
    memories.add(
        json!({ "id": "d", "kind": "memory", "content": "x", "projectId": "p", "o": [1, 0], "n": [0, 1] }),
    );
    let options = json!({ "query": "q", "projectId": "p", "model": "new" });
    let response = memories.try_call("search", options, Some(vec![1.0, 0.0])).unwrap();
    assert_eq!(response["skipped"], 1);
    assert_eq!(results(&response).iter().map(|r| text(&r["memory"]["id"])).collect::<Vec<_>>(), ["c", "d"]);
}

#[test]
fn m2_without_a_vector_only_keywords_are_searched_and_the_response_says_so() {
    for mut memories in [Memories::of_pairs(), Memories::of_words()] {
        memories.create(json!({ "id": "a", "content": "word" }));
        for mode in ["hybrid", "semantic"] {
            let response = memories.call("search", json!({ "query": "word", "mode": mode }));
            assert_eq!((&response["mode"], &response["degraded"]), (&json!("keyword"), &json!(true)));
            assert_eq!(results(&response)[0]["matchType"], "keyword");
            assert!(text(&response["warnings"][0]).ends_with("; only keywords were searched"));
        }
        let response = memories.call("search", json!({ "query": "word", "mode": "keyword" }));
        assert_eq!(response["degraded"], false);
        let response = memories.call("searchVector", json!({ "query": "word" }));
        assert_eq!((&response["results"], &response["degraded"]), (&json!([]), &json!(true)));
    }
}

#[test]
fn m2_an_embedder_that_failed_is_among_the_warnings() {
    let mut memories = Memories::of_pairs();
    memories.create(json!({ "id": "a", "content": "word" }));
    let response = memories.call_after_failure("search", json!({ "query": "word" }), "embed: no network");
    assert_eq!(response["warnings"], json!(["embed: no network; only keywords were searched"]));
    assert_eq!(response["mode"], "keyword");
}

#[test]
fn m5_the_match_type_names_the_legs_that_returned_a_memory() {
    let mut memories = Memories::of_pairs();
    memories.add(json!({ "id": "both", "kind": "memory", "content": "word", "vector": [1, 0] }));
    memories.add(json!({ "id": "keyword", "kind": "memory", "content": "word" }));
    memories.add(json!({ "id": "semantic", "kind": "memory", "content": "x", "vector": [0, 1] }));
    let response = memories.try_call("search", json!({ "query": "word" }), Some(vec![1.0, 0.0])).unwrap();
    assert_eq!(results(&response).len(), 3);
    for result in results(&response) {
        assert_eq!(result["matchType"], result["memory"]["id"]);
        assert_eq!(result.get("highlights").is_some(), result["matchType"] != "semantic");
    }
}

#[test]
fn m5_a_candidate_of_one_leg_is_scored_by_the_other_too() {
    let mut memories = Memories::of_pairs();
    // The limit is two, so each leg returns four. `last` is the fifth nearest, and the only memory with the word.
    for (id, x) in [("a", 100), ("b", 90), ("c", 80), ("d", 70), ("last", 60)] {
        let content = if id == "last" { "rare" } else { "other" };
        memories.add(json!({ "id": id, "kind": "memory", "content": content, "vector": [x, 50] }));
    }
    let options = json!({ "query": "rare", "limit": 2, "weights": { "keyword": 9 } });
    let response = memories.try_call("search", options, Some(vec![1.0, 0.0])).unwrap();
    let last = results(&response).iter().find(|result| result["memory"]["id"] == "last").unwrap();
    assert_eq!(last["matchType"], "keyword");
    assert!(number(&last["explain"]["parts"][0]["value"]) > 0.7);
}

#[test]
fn m6_hybrid_is_the_default_mode_and_ten_the_default_limit() {
    let mut memories = Memories::new();
    for _ in 0..15 {
        memories.create(json!({ "content": "the same words" }));
    }
    let response = memories.call("search", json!({ "query": "words" }));
    assert_eq!(response["mode"], "hybrid");
    assert_eq!(results(&response).len(), 10);
}

#[test]
fn m6_all_faults_of_the_options_come_in_one_message() {
    let mut memories = Memories::new();
    assert_eq!(
        memories.complaint("search", json!({ "limit": 0, "mode": "fuzzy", "minSalience": 2, "sektor": "x" })),
        "query: is required; limit: must be 1 to 1000, not 0; mode: unknown mode \"fuzzy\"; use one of hybrid, semantic, \
         keyword; minSalience: must be 0 to 1, not 2; sektor: unknown option; the options are asOf, diversity, embed, \
         explain, fold, includeDocuments, includeSuperseded, limit, maxTokens, minRelevance, minSalience, mode, model, now, \
         pinned, projectId, query, raw, recallSessionId, sector, sessionId, signal, strict, tier, track, vector, weights"
    );
}
