//! How are scores computed? M4 and M13.

use crate::{DAY, Memories, NOW, number, of_the_document};
use serde_json::{Value, json};

/// Returns the sum of an explanation's parts.
fn explained(result: &Value) -> f64 {
    let explain = &result["explain"];
    let parts = explain["parts"].as_array().unwrap();
    let sum = parts.iter().fold(0.0, |sum, part| {
        assert_eq!(number(&part["product"]), number(&part["weight"]) * number(&part["value"]));
        sum + number(&part["product"])
    });
    let factors = explain["factors"].as_array().unwrap();
    factors.iter().fold(sum, |score, factor| score * number(&factor["value"])).clamp(0.0, 1.0)
}

#[test]
fn m4_the_score_is_the_weighted_sum_times_the_boosts() {
    let mut memories = Memories::of_pairs();
    memories.add(json!({
        "id": "a", "kind": "memory", "content": "word", "vector": [3, 4], "salience": 0.5, "sector": "episodic",
        "createdAt": NOW - 10.0 * DAY, "validUntil": NOW - 1.0,
    }));
    let rank = memories.call("searchFts", json!({ "query": "word", "includeSuperseded": true }))["results"]
        [0]["rank"]
        .clone();
    let options = json!({ "query": "word", "includeSuperseded": true });
    let response = memories.try_call("search", options, Some(vec![1.0, 0.0])).unwrap();
    let similarity = f64::from(0.6f32);
    let keyword = (number(&rank).abs() / 10.0).min(1.0);
    let recency = libm::exp(-0.05 * 10.0);
    let expected = (0.4 * similarity + 0.25 * keyword + 0.2 * 0.5 + 0.15 * recency) * 0.8 * 0.5;
    assert_eq!(number(&response["results"][0]["score"]), expected);
}

#[test]
fn m4_explanations_add_up_to_the_score_exactly() {
    let mut memories = of_the_document();
    let results = memories.search(json!({ "query": "React api deploy" }));
    assert_eq!(results.len(), 3);
    for result in results {
        assert_eq!(explained(&result), number(&result["score"]));
    }
}

#[test]
fn m4_weights_and_boosts_can_be_set_per_call() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "sector": "episodic", "salience": 0.5 }));
    let weights = json!({
        "semantic": 0, "keyword": 0, "salience": 1, "recency": 0, "sectorBoost": { "episodic": 0.5, "own": 2 },
    });
    let result = memories.result("a", json!({ "query": "word", "weights": weights }));
    assert_eq!(result["score"], 0.25);
    let result = memories.result("a", json!({ "query": "word", "weights": { "sectorBoost": { "own": 2 } } }));
    assert_eq!(result["explain"]["factors"][0], json!({ "name": "sector", "value": 0.8 }));
    assert_eq!(
        memories.complaint("search", json!({ "query": "x", "weights": { "recency": "much", "bm25": 1 } })),
        "weights.recency: must be a number, not a string; weights.bm25: unknown option; the options are keyword, recency, \
         salience, sectorBoost, semantic"
    );
}

#[test]
fn m4_an_unknown_sector_is_not_boosted() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "sector": "musical" }));
    let result = memories.result("a", json!({ "query": "word" }));
    assert_eq!(result["explain"]["factors"][0]["value"], 1.0);
}

#[test]
fn m4_scores_lie_between_zero_and_one_whatever_the_weights() {
    let mut memories = of_the_document();
    for weight in [-1e9, -1.0, 0.0, 3.0, 1e9] {
        let weights =
            json!({ "semantic": weight, "salience": weight, "sectorBoost": { "semantic": weight } });
        for result in memories.search(json!({ "query": "React api", "weights": weights })) {
            assert!((0.0..=1.0).contains(&number(&result["score"])));
            assert_eq!(explained(&result), number(&result["score"]));
        }
    }
}

#[test]
fn m4_a_memory_of_the_future_is_as_new_as_one_of_now() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "createdAt": NOW + 9.0 * DAY }));
    let result = memories.result("a", json!({ "query": "word" }));
    assert_eq!(result["explain"]["parts"][3]["value"], 1.0);
}

#[test]
fn m4_equal_scores_come_in_the_order_of_writing() {
    let mut memories = Memories::of_words();
    for id in ["c", "a", "b"] {
        memories.create(json!({ "id": id, "content": "word" }));
    }
    assert_eq!(memories.found(json!({ "query": "word" })), ["c", "a", "b"]);
}

fn faded(sector: &str, importance: f64, days: f64) -> f64 {
    let mut memories = Memories::of_words().with_decay();
    memories.create(json!({
        "id": "a", "content": "word", "sector": sector, "importance": importance, "createdAt": NOW - days * DAY,
    }));
    let result = memories.result("a", json!({ "query": "word" }));
    let salience = number(&result["memory"]["salience"]);
    assert_eq!(number(&result["explain"]["parts"][2]["value"]), salience);
    assert_eq!(memories.memory("a")["salience"], 1.0, "nothing is rewritten");
    salience
}

#[test]
fn m13_salience_fades_by_sector_and_importance_since_it_was_last_accessed() {
    let rates = [
        ("emotional", 0.003),
        ("semantic", 0.005),
        ("reflective", 0.008),
        ("procedural", 0.01),
        ("episodic", 0.02),
    ];
    for (sector, rate) in rates {
        let expected = libm::exp(-rate / (0.4 + 0.1) * 30.0);
        assert!((faded(sector, 0.4, 30.0) - expected).abs() < 1e-15, "{sector}");
    }
    assert_eq!(faded("episodic", 0.0, 1000.0), 0.05);
    assert_eq!(faded("episodic", 0.5, 0.0), 1.0);
}

#[test]
fn m13_nothing_fades_without_the_setting() {
    let mut memories = Memories::of_words();
    memories.create(
        json!({ "id": "a", "content": "word", "sector": "episodic", "createdAt": NOW - 300.0 * DAY }),
    );
    let result = memories.result("a", json!({ "query": "word" }));
    assert_eq!(result["memory"]["salience"], 1);
    assert_eq!(result["explain"]["parts"][2]["value"], 1.0);
}

#[test]
fn m13_filters_and_recalls_use_the_faded_salience() {
    let mut memories = Memories::of_words().with_decay();
    memories.create(
        json!({ "id": "a", "content": "word", "sector": "episodic", "createdAt": NOW - 1000.0 * DAY }),
    );
    let options = |least: f64| json!({ "query": "word", "minSalience": least, "track": false });
    assert_eq!(memories.found(options(0.05)), ["a"]);
    assert_eq!(memories.found(options(0.06)), [""; 0]);
    memories.search(json!({ "query": "word" }));
    let expected = 0.05 + 0.02 * (1.0 - 0.05);
    assert_eq!(number(&memories.memory("a")["salience"]), expected);
    assert_eq!(number(&memories.memory("a")["lastAccessed"]), NOW);
    // The memory starts to fade again from this time.
    let result = memories.result("a", json!({ "query": "word" }));
    assert_eq!(number(&result["memory"]["salience"]), expected);
}
