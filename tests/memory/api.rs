//! The typed API, the settings of an engine, and the rules that every call follows.

use crate::{DAY, Memories, NOW, number, of_the_document, text};
use serde_json::{Value, json};
use snapseek::SearchFault;
use snapseek::recipe::memory::{
    MemoryFtsQuery, MemoryHit, MemoryQuery, MemorySettings, MemoryWeightChanges, MemoryWeights, ScoredMemory,
    compute_score,
};
use snapseek::{Embedded, call_names};

#[test]
fn searches_are_typed() {
    let mut memories = of_the_document();
    let query = MemoryQuery { query: "React".to_owned(), limit: 1, now: Some(NOW), ..MemoryQuery::default() };
    let response = memories.engine.memory().search(&query, &Embedded::default()).unwrap();
    let [MemoryHit::Memory(result)] = &response.results[..] else { panic!("{response:?}") };
    assert_eq!(result.source_session.as_ref().unwrap().id, "sess1");
    assert_eq!(response.results[0].id(), result.id);
    assert_eq!(response.results[0].score(), result.hit.score);
    let query = MemoryFtsQuery { query: "React".to_owned(), now: Some(NOW), ..MemoryFtsQuery::default() };
    let words = memories.engine.memory().search_fts(&query).unwrap();
    assert_eq!(words.results[0].memory_id, result.id);
    let timeline = memories.engine.memory().timeline(&result.id, 5, 5, Some(NOW)).unwrap();
    assert_eq!(timeline.after.len(), 2);
}

#[test]
fn m4_settings_hold_for_all_calls_and_a_call_changes_single_weights() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "sector": "reflective", "salience": 0.5 }));
    let weights = json!({
        "semantic": 0, "keyword": 0, "salience": 1, "recency": 0, "sectorBoost": { "reflective": 0.5 },
    });
    memories.call("configure", json!({ "weights": weights }));
    let mut score = |weights: Value| {
        memories.result("a", json!({ "query": "word", "weights": weights }))["score"].clone()
    };
    assert_eq!(score(json!({})), 0.25);
    assert_eq!(score(json!({ "sectorBoost": { "semantic": 2 } })), 0.25);
    assert_eq!(score(json!({ "sectorBoost": { "reflective": 1 } })), 0.5);
    assert_eq!(score(json!({ "salience": 0.5 })), 0.125);
    memories.call("configure", json!({}));
    assert_eq!(memories.engine.memory().settings(), MemorySettings::default());
    assert_eq!(
        memories.complaint("configure", json!({ "decay": 1, "weights": { "salience": "much" }, "limit": 3 })),
        "weights.salience: must be a number, not a string; decay: must be true or false, not a number; \
         limit: unknown option; the options are decay, weights"
    );
}

#[test]
fn m13_decay_is_a_setting_and_no_option_of_a_search() {
    let mut memories = Memories::new();
    let complaint = memories.complaint("search", json!({ "query": "x", "decay": true }));
    assert!(complaint.starts_with("decay: unknown option"), "{complaint}");
}

#[test]
fn m4_compute_score_gives_the_bits_of_a_search() {
    let mut memories = Memories::of_pairs();
    let sectors = ["reflective", "semantic", "procedural", "emotional", "episodic", "musical"];
    for (number, sector) in sectors.into_iter().enumerate() {
        let place = number as f64;
        memories.add(json!({
            "id": sector, "kind": "memory", "content": "word ".repeat(number + 1), "vector": [1.0, place - 3.0],
            "salience": place / 7.0, "sector": sector, "createdAt": NOW - place * 3.7 * DAY, "validUntil": NOW + place - 2.0,
        }));
    }
    memories.add(json!({ "id": "bare", "kind": "memory", "content": "word" }));
    let changes = MemoryWeightChanges { salience: Some(0.3), ..MemoryWeightChanges::default() };
    let weights = changes.applied_to(&MemoryWeights::default());
    let options = json!({ "query": "word", "includeSuperseded": true, "weights": { "salience": 0.3 } });
    let response = memories.try_call("search", options, Some(vec![1.0, 0.5])).unwrap();
    assert_eq!(response["results"].as_array().unwrap().len(), 7);
    for result in response["results"].as_array().unwrap() {
        let (memory, explain) = (&result["memory"], &result["explain"]);
        let scored = ScoredMemory {
            salience: memory["salience"].as_f64(),
            created_at: memory["createdAt"].as_f64(),
            sector: memory["sector"].as_str(),
            valid_until: memory["validUntil"].as_f64(),
        };
        let similarity = explain["vector"]["similarity"].as_f64().unwrap_or(0.0);
        let rank = explain["keyword"]["bm25"].as_f64().unwrap_or(0.0);
        let score = compute_score(&scored, similarity, rank, &weights, NOW);
        assert_eq!(score, number(&result["score"]), "{result}");
    }
}

#[test]
fn m7_every_result_is_explained_unless_the_caller_declines() {
    let mut memories = of_the_document();
    let result = &memories.search(json!({ "query": "React", "track": false }))[0];
    let explain = &result["explain"];
    assert!(
        number(&explain["keyword"]["bm25"]) < 0.0 && explain["vector"]["similarity"].is_number(),
        "{explain}"
    );
    assert_eq!((&explain["keyword"]["place"], &explain["vector"]["place"]), (&json!(0), &json!(0)));
    assert_eq!(
        (explain["parts"].as_array().unwrap().len(), explain["factors"].as_array().unwrap().len()),
        (4, 2)
    );
    let results = memories.search(json!({ "query": "React", "explain": false }));
    assert!(results.iter().all(|result| result.get("explain").is_none()));
}

#[test]
fn strict_searches_fail_where_the_query_has_no_usable_vector() {
    let mut memories = Memories::of_pairs();
    memories.create(json!({ "id": "a", "content": "word" }));
    for call in ["search", "searchDocuments", "searchVector"] {
        let options = json!({ "query": "word", "strict": true });
        let error = memories.try_call(call, options.clone(), None).unwrap_err();
        assert!(matches!(*error, SearchFault::Embedding { .. }), "{call}: {error}");
        let failures = vec![Some("embed: down".to_owned())];
        let embedded = Embedded { is_by_embed: true, failures, ..Embedded::default() };
        let error = memories.try_call(call, options.clone(), embedded).unwrap_err();
        assert_eq!(error.to_string(), "embed: down", "{call}");
        let error = memories.try_call(call, options, Some(vec![1.0, 0.0, 0.0])).unwrap_err();
        assert!(matches!(*error, SearchFault::Embedding { .. }), "{call}: {error}");
    }
    let response = memories.call("search", json!({ "query": "word", "mode": "keyword", "strict": true }));
    assert_eq!(response["degraded"], false);
}

#[test]
fn every_response_has_warnings_and_says_whether_it_is_degraded() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "sessionId": "s" }));
    for (call, options) in [
        ("search", json!({ "query": "word", "mode": "keyword" })),
        ("searchDocuments", json!({ "query": "word", "mode": "keyword" })),
        ("searchFts", json!({ "query": "word" })),
        ("get", json!({ "id": "a" })),
        ("timeline", json!({ "id": "a" })),
        ("sessionContext", json!({ "id": "a" })),
        ("create", json!({ "content": "word" })),
        ("update", json!({ "id": "a", "importance": 1 })),
    ] {
        let response = memories.call(call, options);
        assert_eq!((&response["warnings"], &response["degraded"]), (&json!([]), &json!(false)), "{call}");
    }
}

#[test]
fn null_is_an_error_in_every_call_unless_it_removes_a_value() {
    let mut memories = Memories::new();
    let names = call_names().into_iter().filter_map(|name| name.strip_prefix("memory."));
    let mut checked = 0;
    for name in names.collect::<Vec<_>>() {
        let unknown =
            memories.complaint(name, json!({ "colour": 1, "id": "a", "content": "x", "query": "x" }));
        let (_, list) =
            unknown.rsplit_once("the options are ").unwrap_or_else(|| panic!("{name}: {unknown}"));
        let removable = ["summary", "projectId", "tags", "concepts", "files", "validFrom", "validUntil"];
        for option in list.split(", ").filter(|option| name != "update" || !removable.contains(option)) {
            let mut options = json!({});
            options[option] = Value::Null;
            let complaint = memories.complaint(name, options);
            assert!(
                complaint.contains(&format!("{option}: must not be null")),
                "{name} {option}: {complaint}"
            );
            checked += 1;
        }
    }
    assert!(checked > 150, "only {checked} options were checked");
}

#[test]
fn single_legs_take_filters_but_no_options_of_ranking() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "old", "content": "word", "validUntil": NOW - 1.0 }));
    memories.create(json!({ "id": "new", "content": "word", "sector": "episodic" }));
    let ids = |response: Value| {
        let results = response["results"].as_array().unwrap().clone();
        results.iter().map(|result| text(&result["memoryId"])).collect::<Vec<_>>()
    };
    assert_eq!(ids(memories.call("searchFts", json!({ "query": "word" }))), ["new"]);
    assert_eq!(
        ids(memories.call("searchFts", json!({ "query": "word", "includeSuperseded": true }))).len(),
        2
    );
    assert_eq!(ids(memories.call("searchFts", json!({ "query": "word", "sector": "semantic" }))), [""; 0]);
    for option in ["track", "mode", "weights", "pinned"] {
        let mut options = json!({ "query": "word" });
        options[option] = json!(true);
        let complaint = memories.complaint("searchFts", options);
        assert!(complaint.starts_with(&format!("{option}: unknown option")), "{complaint}");
    }
}
