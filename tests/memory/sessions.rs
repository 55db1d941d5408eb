//! When and where were memories created? M10 and M11.

use crate::{Memories, NOW, text};
use serde_json::{Value, json};
use snapseek::SearchFault;

fn ids(memories: &Value) -> Vec<String> {
    memories.as_array().unwrap().iter().map(|memory| text(&memory["id"])).collect()
}

fn twenty() -> Memories {
    let mut memories = Memories::of_words();
    for number in 0..20 {
        let project = if number % 4 == 3 { "other" } else { "own" };
        memories.create(json!({
            "id": format!("m{number:02}"), "content": "x", "projectId": project, "createdAt": NOW + f64::from(number),
        }));
    }
    memories
}

#[test]
fn m10_five_before_and_five_after_of_the_same_project_ascending() {
    let timeline = twenty().call("timeline", json!({ "id": "m10" }));
    assert_eq!(ids(&timeline["before"]), ["m04", "m05", "m06", "m08", "m09"]);
    assert_eq!(ids(&timeline["after"]), ["m12", "m13", "m14", "m16", "m17"]);
    assert_eq!(timeline["anchor"]["id"], "m10");
    let timeline = twenty().call("timeline", json!({ "id": "m10", "before": 1, "after": 0 }));
    assert_eq!((ids(&timeline["before"]), ids(&timeline["after"])), (vec!["m09".to_owned()], vec![]));
}

#[test]
fn m10_deleted_memories_are_left_out_and_superseded_ones_are_not() {
    let mut memories = twenty();
    memories.call("delete", json!({ "id": "m09" }));
    memories.call("supersede", json!({ "oldId": "m12", "newId": "m13" }));
    let timeline = memories.call("timeline", json!({ "id": "m10", "before": 1, "after": 1 }));
    assert_eq!((ids(&timeline["before"]), ids(&timeline["after"])), (vec!["m08".into()], vec!["m12".into()]));
}

#[test]
fn m10_memories_of_the_same_moment_are_in_the_order_of_writing() {
    let mut memories = Memories::of_words();
    for id in ["c", "a", "anchor", "d", "b"] {
        memories.create(json!({ "id": id, "content": "x" }));
    }
    let timeline = memories.call("timeline", json!({ "id": "anchor" }));
    assert_eq!((ids(&timeline["before"]), ids(&timeline["after"])).0, ["c", "a"]);
    assert_eq!(ids(&timeline["after"]), ["d", "b"]);
}

#[test]
fn m10_the_page_is_that_of_a_full_sort() {
    let mut memories = Memories::of_words();
    let mut all = Vec::new();
    for number in 0..200u32 {
        let at = f64::from(number * 7919 % 23);
        memories.create(json!({ "id": number.to_string(), "content": "x", "createdAt": at }));
        all.push((at as u32, number));
    }
    all.sort_unstable();
    for (place, (_, anchor)) in all.iter().enumerate() {
        let timeline =
            memories.call("timeline", json!({ "id": anchor.to_string(), "before": 3, "after": 4 }));
        let expected = |slice: &[(u32, u32)]| slice.iter().map(|(_, id)| id.to_string()).collect::<Vec<_>>();
        assert_eq!(ids(&timeline["before"]), expected(&all[place.saturating_sub(3)..place]));
        assert_eq!(ids(&timeline["after"]), expected(&all[place + 1..(place + 5).min(200)]));
    }
}

#[test]
fn m10_an_anchor_without_a_project_stands_among_those_without() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "with", "content": "x", "projectId": "p" }));
    memories.create(json!({ "id": "without", "content": "x" }));
    memories.create(json!({ "id": "anchor", "content": "x" }));
    let timeline = memories.call("timeline", json!({ "id": "anchor" }));
    assert_eq!(ids(&timeline["before"]), ["without"]);
}

#[test]
fn m10_each_session_appears_once() {
    let mut memories = Memories::of_words();
    memories.call("session", json!({ "id": "s1", "summary": "one", "startedAt": 1 }));
    for (id, session) in [("a", "s2"), ("b", "s1"), ("c", "s1"), ("d", "s3")] {
        memories.create(json!({ "id": id, "content": "x", "sessionId": session }));
    }
    let timeline = memories.call("timeline", json!({ "id": "b" }));
    let expected =
        json!([{ "id": "s2" }, { "id": "s1", "startedAt": 1.0, "summary": "one" }, { "id": "s3" }]);
    assert_eq!(timeline["sessions"], expected);
}

#[test]
fn m10_an_unknown_anchor_is_an_error() {
    let mut memories = twenty();
    memories.add(json!({ "id": "page", "content": "no memory" }));
    for id in ["nobody", "page"] {
        let error = memories.try_call("timeline", json!({ "id": id }), None).unwrap_err();
        assert!(matches!(*error, SearchFault::NotFound { .. }));
        assert_eq!(error.to_string(), format!("anchor memory not found: {id}"));
    }
    assert_eq!(
        memories.complaint("timeline", json!({ "before": -1 })),
        "id: is required; before: must be 0 to 1000, not -1"
    );
}

#[test]
fn m11_the_latest_use_counts_even_within_one_moment() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "sessionId": "z" }));
    memories.create(json!({ "id": "b", "content": "other", "sessionId": "m" }));
    memories.search(json!({ "query": "word", "recallSessionId": "m" }));
    let context = memories.call("sessionContext", json!({ "id": "a" }));
    assert_eq!(
        context,
        json!({
            "session": { "id": "m" }, "memoriesInSession": 2, "usageType": "recalled", "degraded": false, "warnings": [],
        })
    );
}

#[test]
fn m11_memories_of_a_session_are_counted_once_however_often_they_were_used() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "sessionId": "s" }));
    for _ in 0..3 {
        memories.search(json!({ "query": "word", "sessionId": "s" }));
    }
    assert_eq!(memories.call("sessionContext", json!({ "id": "a" }))["memoriesInSession"], 1);
}

#[test]
fn m11_a_memory_that_no_session_used_has_no_context() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word" }));
    for id in ["a", "nobody"] {
        assert_eq!(memories.call("sessionContext", json!({ "id": id })), Value::Null);
    }
}
