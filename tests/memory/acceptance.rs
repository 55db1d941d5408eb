//! Do the acceptance criteria of the source document hold? They are in its order.

use crate::{DAY, Memories, NOW, number, of_the_document, text};
use serde_json::{Value, json};

fn ids(response: &Value) -> Vec<String> {
    response["results"].as_array().unwrap().iter().map(|result| text(&result["memoryId"])).collect()
}

#[test]
fn acceptance_01_fts5_finds_memories_by_keywords() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "jwt", "content": "Tokens are signed with JWT" }));
    memories.create(json!({ "id": "db", "content": "Migrations run at night" }));
    assert_eq!(ids(&memories.call("searchFts", json!({ "query": "jwt" }))), ["jwt"]);
    assert_eq!(ids(&memories.call("searchFts", json!({ "query": "night jwt" }))).len(), 2);
}

#[test]
fn acceptance_02_fts5_supports_prefix_matching() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "Kubernetes upgrade" }));
    assert_eq!(ids(&memories.call("searchFts", json!({ "query": "kub" }))), ["a"]);
    assert_eq!(ids(&memories.call("searchFts", json!({ "query": "ube" }))), [""; 0]);
}

#[test]
fn acceptance_03_vector_search_finds_semantically_similar_memories() {
    let mut memories = Memories::of_pairs();
    for (id, vector) in [("far", [0, 1]), ("near", [1, 0]), ("between", [1, 1])] {
        memories.add(json!({ "id": id, "kind": "memory", "content": "other words", "vector": vector }));
    }
    let response =
        memories.try_call("searchVector", json!({ "query": "login" }), Some(vec![1.0, 0.0])).unwrap();
    assert_eq!(ids(&response), ["near", "between", "far"]);
}

#[test]
fn acceptance_04_hybrid_search_combines_both_methods() {
    let mut memories = Memories::of_pairs();
    memories.add(json!({ "id": "words", "kind": "memory", "content": "login page" }));
    memories.add(json!({ "id": "meaning", "kind": "memory", "content": "sign in form", "vector": [1, 0] }));
    let response = memories.try_call("search", json!({ "query": "login" }), Some(vec![1.0, 0.0])).unwrap();
    let types = response["results"].as_array().unwrap().iter().map(|r| text(&r["matchType"]));
    assert_eq!(types.collect::<Vec<_>>(), ["semantic", "keyword"]);
}

#[test]
fn acceptance_05_ranking_weights_semantic_keyword_salience_and_recency() {
    let mut memories = of_the_document();
    let result = &memories.search(json!({ "query": "React" }))[0];
    let parts = result["explain"]["parts"].as_array().unwrap();
    let weights = parts.iter().map(|part| (text(&part["name"]), number(&part["weight"])));
    let expected = [("semantic", 0.4), ("keyword", 0.25), ("salience", 0.2), ("recency", 0.15)];
    assert_eq!(weights.collect::<Vec<_>>(), expected.map(|(name, weight)| (name.to_owned(), weight)));
}

#[test]
fn acceptance_06_sector_specific_boosts_are_applied() {
    let mut memories = Memories::of_words();
    for sector in ["episodic", "emotional", "procedural", "semantic", "reflective"] {
        memories.create(json!({ "id": sector, "content": "the same words", "sector": sector }));
    }
    let found = memories.found(json!({ "query": "words" }));
    assert_eq!(found, ["reflective", "semantic", "procedural", "emotional", "episodic"]);
}

#[test]
fn acceptance_07_filters_work_for_sector_tier_min_salience_and_session() {
    let mut memories = Memories::new();
    for (id, sector, tier, salience) in [
        ("a", "semantic", "project", 0.9),
        ("b", "episodic", "project", 0.9),
        ("c", "semantic", "global", 0.2),
    ] {
        memories.create(json!({
            "id": id, "content": "the same words", "sector": sector, "tier": tier, "salience": salience,
            "sessionId": format!("s-{id}"),
        }));
    }
    let mut found = |filter: &str, value: Value| {
        let mut options = json!({ "query": "words", "track": false });
        options[filter] = value;
        let mut found = memories.found(options);
        found.sort();
        found
    };
    assert_eq!(found("sector", json!("semantic")), ["a", "c"]);
    assert_eq!(found("tier", json!("project")), ["a", "b"]);
    assert_eq!(found("minSalience", json!(0.5)), ["a", "b"]);
    assert_eq!(found("sessionId", json!("s-b")), ["b"]);
    assert_eq!(found("sessionId", json!("s-unknown")), [""; 0]);
}

#[test]
fn acceptance_08_timeline_returns_chronological_context_with_session_info() {
    let mut memories = Memories::of_words();
    memories.call("session", json!({ "id": "s", "summary": "work", "startedAt": 5 }));
    for day in [3, 1, 4, 2, 5] {
        memories.create(json!({
            "id": format!("day{day}"), "content": "x", "createdAt": NOW - 10.0 * DAY + f64::from(day) * DAY,
            "sessionId": "s",
        }));
    }
    let timeline = memories.call("timeline", json!({ "id": "day3" }));
    let ids = |side: &str| {
        let side = timeline[side].as_array().unwrap();
        side.iter().map(|memory| text(&memory["id"])).collect::<Vec<_>>()
    };
    assert_eq!(ids("before"), ["day1", "day2"]);
    assert_eq!(ids("after"), ["day4", "day5"]);
    assert_eq!(timeline["sessions"], json!([{ "id": "s", "startedAt": 5.0, "summary": "work" }]));
}

#[test]
fn acceptance_09_search_boosts_salience_of_returned_results() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "found", "salience": 0.5 }));
    memories.create(json!({ "id": "b", "content": "other", "salience": 0.5 }));
    memories.search(json!({ "query": "found" }));
    assert_eq!(memories.memory("a")["salience"], 0.51);
    assert_eq!(memories.memory("b")["salience"], 0.5);
}

#[test]
fn acceptance_10_different_search_modes_work() {
    let mut memories = of_the_document();
    for (mode, legs) in [("hybrid", [true, true]), ("semantic", [false, true]), ("keyword", [true, false])] {
        let response = memories.call("search", json!({ "query": "React", "mode": mode, "track": false }));
        assert_eq!(response["mode"], mode);
        let ran = ["keyword", "vector"].map(|leg| response["legs"].get(leg).is_some());
        assert_eq!(ran, legs, "{mode}");
        assert_eq!(response["results"][0]["memory"]["sector"], "reflective", "{mode}");
    }
}

#[test]
fn acceptance_11_search_results_include_session_context() {
    let mut memories = of_the_document();
    memories.call("session", json!({ "id": "sess1", "summary": "Choosing a stack" }));
    let result = &memories.search(json!({ "query": "React" }))[0];
    let expected =
        json!({ "id": "sess1", "startedAt": NOW, "summary": "Choosing a stack", "projectId": "proj1" });
    assert_eq!(result["sourceSession"], expected);
}

#[test]
fn acceptance_12_search_results_include_superseded_status() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "old", "content": "port 80" }));
    memories.create(json!({ "id": "new", "content": "port 443" }));
    memories.call("supersede", json!({ "oldId": "old", "newId": "new" }));
    let options = json!({ "query": "port", "includeSuperseded": true });
    assert_eq!(memories.result("old", options.clone())["isSuperseded"], true);
    let new = memories.result("new", options);
    assert_eq!(new["isSuperseded"], false);
    assert!(new.get("supersededBy").is_none());
}

#[test]
fn acceptance_13_superseded_memories_are_excluded_by_default() {
    let mut memories = Memories::new();
    memories.create(json!({ "id": "old", "content": "port 80" }));
    memories.create(json!({ "id": "new", "content": "port 443" }));
    memories.call("supersede", json!({ "oldId": "old", "newId": "new" }));
    for mode in ["hybrid", "semantic", "keyword"] {
        assert_eq!(memories.found(json!({ "query": "port", "mode": mode })), ["new"]);
    }
}

#[test]
fn acceptance_14_session_context_returns_memory_usage_info() {
    let mut memories = Memories::of_words();
    memories.call(
        "session",
        json!({ "id": "s", "projectId": "p", "startedAt": 1, "endedAt": 9, "summary": "x" }),
    );
    memories.create(json!({ "id": "a", "content": "one", "sessionId": "s" }));
    memories.create(json!({ "id": "b", "content": "two" }));
    memories.now += 1.0;
    memories.call("linkToSession", json!({ "id": "b", "sessionId": "s", "usage": "updated" }));
    assert_eq!(
        memories.call("sessionContext", json!({ "id": "b" })),
        json!({
            "session": { "id": "s", "startedAt": 1.0, "endedAt": 9.0, "summary": "x", "projectId": "p" },
            "memoriesInSession": 2,
            "usageType": "updated",
            "degraded": false,
            "warnings": [],
        })
    );
}

#[test]
fn acceptance_15_related_memory_count_is_included_in_results() {
    let mut memories = Memories::of_words();
    for id in ["a", "b", "c"] {
        memories.create(json!({ "id": id, "content": "word" }));
    }
    memories.call("relate", json!({ "sourceId": "a", "targetId": "b" }));
    memories.call("relate", json!({ "sourceId": "c", "targetId": "a", "type": "CAUSES" }));
    let mut count = |id: &str| memories.result(id, json!({ "query": "word" }))["relatedMemoryCount"].clone();
    assert_eq!([count("a"), count("b"), count("c")], [2, 1, 1]);
}

#[test]
fn acceptance_16_recalled_memories_are_tracked_in_the_session() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "found" }));
    memories.create(json!({ "id": "b", "content": "other" }));
    memories.search(json!({ "query": "found", "recallSessionId": "s" }));
    let state = memories.engine.state().unwrap();
    assert_eq!(state.used_in("s").collect::<Vec<_>>(), ["a"]);
    assert_eq!(state.usages_of("a").map(|usage| usage.usage.as_str()).collect::<Vec<_>>(), ["recalled"]);
}
