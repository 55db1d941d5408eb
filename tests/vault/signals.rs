//! Are the seven signals and their total computed as V4 to V8 say?

use crate::{
    DAY, NOW, ask, ask_for_all, assert_near, entry, ids, link, schema, signal, three_ways, try_call, vault,
    vault_of,
};
use serde_json::{Value, json};
use snapseek::Key;
use snapseek::json::Json;

#[test]
fn v4_a_total_is_the_weighted_sum_of_seven_signals() {
    let lines = [
        entry("a", "jwt", json!({"severity": "critical", "domain": "web", "tags": ["auth"]})),
        entry("b", "jwt tokens", json!({"severity": "warning", "domain": "data", "tags": ["auth", "web"]})),
        link("a", "b"),
    ];
    let mut vault = vault(&lines);
    let response = ask(&mut vault, "jwt", json!({"domain": "web", "tags": ["auth"], "explain": true}));
    let weights = json!({"semantic": 0.35, "vector": 0.0, "severity": 0.1, "temporalDecay": 0.1, "tagOverlap": 0.1,
        "domainMatch": 0.1, "graphProximity": 0.15});
    assert_eq!(response["weights"], weights);
    assert_eq!(ids(&response), ["a", "b"]);
    for result in response["results"].as_array().unwrap() {
        let names = [
            "semantic",
            "vector",
            "severity",
            "temporalDecay",
            "tagOverlap",
            "domainMatch",
            "graphProximity",
        ];
        let number = |value: &Value| value.as_f64().unwrap();
        let sum = names.iter().fold(0.0, |sum, name| {
            sum + number(&response["weights"][name]) * number(&result["breakdown"][name])
        });
        assert_eq!(number(&result["score"]), sum, "to the bit");
        assert_eq!(result["breakdown"]["total"], result["score"]);
        let parts = result["explain"]["parts"].as_array().unwrap();
        assert_eq!(parts.iter().map(|part| part["name"].as_str().unwrap()).collect::<Vec<_>>(), names);
        assert_eq!(parts.iter().fold(0.0, |sum, part| sum + number(&part["product"])), sum);
        assert!((0.0..=1.0).contains(&sum));
    }
    assert_eq!(signal(&response, "a", "domainMatch"), 1.0);
    assert_eq!(signal(&response, "b", "domainMatch"), 0.0);
    assert_eq!(signal(&response, "b", "tagOverlap"), 0.5);
}

#[test]
fn v4_with_vectors_the_other_column_counts() {
    let mut vault = three_ways();
    let options = json!({"query": "jwt", "now": NOW});
    let response = try_call(&mut vault, "vault.search", options, Some(vec![1.0, 0.0])).unwrap();
    assert_eq!(response["weights"]["semantic"], 0.20);
    assert_eq!(response["weights"]["vector"], 0.15);
    assert_eq!(response["weights"]["graphProximity"], 0.15);
    assert_eq!(signal(&response, "e0", "vector"), 1.0);
    // An entry found only by words or by a link has a vector signal as well.
    let cosine = 1.0 / (1.0f64 + 19.0 * 19.0).sqrt();
    assert!((signal(&response, "e19", "vector") - cosine).abs() < 1e-6);
    assert_eq!(signal(&response, "e32", "vector"), 0.0, "it has no vector");
}

#[test]
fn v6_severities_tags_and_domains_count_as_they_say() {
    let severities = [("critical", 1.0), ("warning", 0.7), ("suggestion", 0.4), ("fatal", 0.4)];
    let mut lines =
        severities.map(|(word, _)| entry(word, "jwt", json!({"severity": word, "domain": "web"}))).to_vec();
    lines.push(entry("none", "jwt", json!({"tags": ["Auth", "JWT"]})));
    let mut vault = vault(&lines);
    let response = ask(&mut vault, "jwt", json!({"tags": ["jwt", "api"], "domain": "web"}));
    for (word, worth) in severities {
        assert_eq!(signal(&response, word, "severity"), worth);
        assert_eq!(signal(&response, word, "tagOverlap"), 0.0);
        assert_eq!(signal(&response, word, "domainMatch"), 1.0);
    }
    assert_eq!(signal(&response, "none", "severity"), 0.4);
    assert_near(signal(&response, "none", "tagOverlap"), 1.0 / 3.0);
    assert_eq!(signal(&response, "none", "domainMatch"), 0.0);
    let response = ask(&mut vault, "jwt", json!({}));
    assert_eq!(signal(&response, "none", "tagOverlap"), 0.0);
    assert_eq!(signal(&response, "critical", "domainMatch"), 0.0);
}

#[test]
fn v6_a_domain_ranks_and_a_filter_filters() {
    let lines = [entry("a", "jwt", json!({"domain": "data"})), entry("b", "jwt", json!({"domain": "web"}))];
    let mut vault = vault(&lines);
    assert_eq!(ids(&ask(&mut vault, "jwt", json!({"domain": "web"}))), ["b", "a"]);
    assert_eq!(ids(&ask(&mut vault, "jwt", json!({"filter": {"domain": "web"}}))), ["b"]);
}

#[test]
fn v7_what_is_expired_or_has_not_begun_is_found_only_when_asked_for() {
    let window =
        |from: f64, until: f64| json!({"validFrom": NOW + from * DAY, "validUntil": NOW + until * DAY});
    let lines = [
        entry("old", "jwt", json!({"updatedAt": NOW - 365.0 * DAY, "createdAt": NOW})),
        entry("made", "jwt", json!({"updatedAt": null, "createdAt": NOW - 730.0 * DAY})),
        entry("early", "jwt", window(-10.0, 90.0)),
        entry("late", "jwt", window(-90.0, 10.0)),
        entry("gone", "jwt", window(-90.0, 0.0)),
        entry("soon", "jwt", window(1.0, 90.0)),
        entry("begun", "jwt", json!({"validFrom": NOW})),
    ];
    let mut vault = vault(&lines);
    let response = ask(&mut vault, "jwt", json!({}));
    let mut found = ids(&response);
    found.sort_unstable();
    assert_eq!(found, ["begun", "early", "late", "made", "old"]);
    assert_near(signal(&response, "old", "temporalDecay"), 0.5);
    assert_near(signal(&response, "made", "temporalDecay"), 0.25);
    assert_eq!(signal(&response, "early", "temporalDecay"), 1.0);
    assert_near(signal(&response, "late", "temporalDecay"), 0.4);
    let response = ask(&mut vault, "jwt", json!({"includeExpired": true, "includeUpcoming": true}));
    assert_eq!(ids(&response).len(), 7);
    assert_eq!(signal(&response, "gone", "temporalDecay"), 0.0);
    // Changes recorded beside the record count.
    vault
        .set_field(Key { id: "old", kind: "entry" }, "validUntil", Json::Float(NOW - 1.0), Some(NOW))
        .unwrap();
    assert!(!ids(&ask(&mut vault, "jwt", json!({}))).contains(&"old"));
}

#[test]
fn v8_what_is_linked_with_the_best_joins_and_ranks_higher() {
    let mut lines = vec![
        entry("best", "jwt validation", json!({"severity": "critical"})),
        entry("one", "something else", json!({})),
        entry("two", "another thing", json!({})),
        entry("three", "too far away", json!({})),
        entry("other", "jwt notes and many more words", json!({})),
        link("one", "best"),
        link("one", "two"),
        link("two", "three"),
    ];
    let mut linked = vault(&lines);
    let response = ask(&mut linked, "jwt", json!({}));
    assert_eq!(ids(&response), ["best", "other", "one", "two"]);
    assert_eq!(signal(&response, "one", "graphProximity"), 0.5);
    assert_near(signal(&response, "two", "graphProximity"), 1.0 / 3.0);
    assert_eq!(signal(&response, "best", "graphProximity"), 0.0, "it is the only source near itself");
    assert_eq!(signal(&response, "one", "semantic"), 0.0);
    assert_eq!(response["candidates"], 4);
    // Two sources raise each other, and a link that has ended does not count.
    lines.push(link("other", "best"));
    lines.push(json!({"$": "link", "from": "other", "to": "three", "validUntil": NOW - 1.0}));
    let mut linked = vault(&lines);
    let response = ask(&mut linked, "jwt", json!({}));
    assert_eq!(signal(&response, "best", "graphProximity"), 0.5);
    assert_eq!(signal(&response, "other", "graphProximity"), 0.5);
    assert!(!ids(&response).contains(&"three"));
}

#[test]
fn v8_only_the_five_best_lead_on_and_only_by_what_their_words_say() {
    // Six entries of falling similarity are found, and each has a neighbour.
    let mut lines = Vec::new();
    for number in 0..6 {
        let title = format!("jwt{}", " filler".repeat(number));
        lines.push(entry(&format!("e{number}"), &title, json!({})));
        lines.push(entry(&format!("n{number}"), "unrelated", json!({})));
        lines.push(link(&format!("e{number}"), &format!("n{number}")));
    }
    let mut vault = vault(&lines);
    let response = ask_for_all(&mut vault, "jwt");
    assert_eq!(ids(&response).iter().filter(|id| id.starts_with('n')).count(), 5);
    assert!(!ids(&response).contains(&"n5"));
    // The id is searchable, but not part of the text that similarity compares.
    let mut vault = vault_of(
        &schema(json!({})),
        &[entry("jwt", "x1", json!({})), entry("n", "x2", json!({})), link("jwt", "n")],
    );
    assert_eq!(ids(&ask(&mut vault, "jwt", json!({}))), ["jwt"]);
}
