//! Which traces does a search leave? M9.

use crate::{Memories, NOW, number, of_the_document};
use serde_json::json;

#[test]
fn m9_only_returned_memories_are_reinforced() {
    let mut memories = Memories::of_words();
    for number in 0..5 {
        memories.create(json!({ "id": format!("m{number}"), "content": "word", "salience": 0.5 }));
    }
    memories.now += 5.0;
    let found = memories.found(json!({ "query": "word", "limit": 2 }));
    assert_eq!(found, ["m0", "m1"]);
    for (id, salience, accessed) in [("m0", 0.51, NOW + 5.0), ("m1", 0.51, NOW + 5.0), ("m2", 0.5, NOW)] {
        let memory = memories.memory(id);
        assert_eq!((number(&memory["salience"]), number(&memory["lastAccessed"])), (salience, accessed));
    }
    assert_eq!(memories.search(json!({ "query": "word", "limit": 2 }))[0]["memory"]["salience"], 0.51);
    assert_eq!(number(&memories.memory("m0")["salience"]), 0.51 + 0.02 * (1.0 - 0.51));
}

#[test]
fn m9_the_response_shows_salience_before_the_recall() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "salience": 0.5 }));
    assert_eq!(memories.search(json!({ "query": "word" }))[0]["memory"]["salience"], 0.5);
}

#[test]
fn m9_without_tracking_nothing_is_written_and_responses_are_equal() {
    let mut memories = of_the_document();
    let before = memories.engine.changes().unwrap();
    let options =
        json!({ "query": "React api", "track": false, "recallSessionId": "sess1", "includeDocuments": true });
    let (one, two) = (memories.call("search", options.clone()), memories.call("search", options));
    assert_eq!(one.to_string(), two.to_string());
    for call in ["searchFts", "searchVector", "searchDocuments"] {
        memories.call(call, json!({ "query": "React" }));
    }
    assert!(memories.engine.changes().unwrap() == before);
}

#[test]
fn m9_both_session_options_record_the_recall() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "sessionId": "s" }));
    memories.create(json!({ "id": "b", "content": "word" }));
    memories.now += 1.0;
    assert_eq!(memories.found(json!({ "query": "word", "sessionId": "s" })), ["a"]);
    assert_eq!(memories.found(json!({ "query": "word", "recallSessionId": "t" })).len(), 2);
    memories.search(json!({ "query": "word" }));
    let state = memories.engine.state().unwrap();
    let uses = |id: &str| {
        let uses = state.usages_of(id).map(|usage| format!("{} {}", usage.session, usage.usage));
        uses.collect::<Vec<_>>()
    };
    assert_eq!(uses("a"), ["s created", "s recalled", "t recalled"]);
    assert_eq!(uses("b"), ["t recalled"]);
}

#[test]
fn m9_recalls_are_kept_by_snapshots_and_carried_by_changes() {
    let base = of_the_document().engine.snapshot().unwrap();
    let open = |writer: u64| {
        let engine = snapseek::Engine::open(base.clone()).unwrap().with_writer(writer);
        Memories { engine, now: NOW + 1.0 }
    };
    let (mut one, mut two) = (open(1), open(2));
    one.call("deemphasize", json!({ "id": one_id(&mut open(3)), "amount": 0.5 }));
    one.search(json!({ "query": "React", "recallSessionId": "left" }));
    two.search(json!({ "query": "deploy", "recallSessionId": "right" }));
    let (left, right) = (one.engine.changes().unwrap(), two.engine.changes().unwrap());
    one.engine.apply(right).unwrap();
    two.engine.apply(left).unwrap();
    let (one, two) = (one.engine.snapshot().unwrap(), two.engine.snapshot().unwrap());
    assert!(one == two);
    let engine = snapseek::Engine::open(one).unwrap();
    let state = engine.state().unwrap();
    assert!(state.used_in("left").len() > 0 && state.used_in("right").len() > 0);
}

fn one_id(memories: &mut Memories) -> String {
    memories.found(json!({ "query": "React" })).remove(0)
}
