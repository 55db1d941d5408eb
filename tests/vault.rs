//! The vault recipe, by its calls: what is found, how it is scored, what comes back.

#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};
use snapseek::json::Json;
use snapseek::schema::Schema;
use snapseek::{Builder, Engine, Key, Record};

const DAY: f64 = 86_400_000.0;
const NOW: f64 = 1_770_000_000_000.0;

fn schema(vectors: Value) -> Schema {
    let schema = json!({
        "tokenizer": "porter unicode61",
        "fields": {"id": {}, "title": {}, "description": {}, "context": {}, "tags": {}},
        "attributes": {
            "type": "keyword", "domain": "keyword", "severity": "keyword", "tier": "keyword", "tags": "keywords",
            "validFrom": "time", "validUntil": "time", "createdAt": "time", "updatedAt": "time",
        },
        "vectors": vectors,
    });
    serde_json::from_value(schema).unwrap()
}

fn own(value: &Value) -> Json {
    Json::parse(value.to_string().as_bytes()).unwrap()
}

/// A vault of these lines: records, and what has a `$`.
fn vault_of(schema: &Schema, lines: &[Value]) -> Engine {
    let mut builder = Builder::new(schema).unwrap();
    for line in lines {
        match line["$"].as_str() {
            Some(what) => builder.take_line(what, &own(line)).unwrap(),
            None => builder.add(&record(line)).unwrap(),
        }
    }
    Engine::open(builder.finish().unwrap()).unwrap()
}

fn record(line: &Value) -> Record {
    Record::from_json(own(line)).unwrap()
}

fn vault(lines: &[Value]) -> Engine {
    vault_of(&schema(json!({})), lines)
}

/// An entry that is as new as can be.
fn entry(id: &str, title: &str, more: Value) -> Value {
    let mut entry = json!({"id": id, "kind": "entry", "title": title, "updatedAt": NOW});
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry
}

fn link(from: &str, to: &str) -> Value {
    json!({"$": "link", "from": from, "to": to})
}

fn try_call(
    engine: &mut Engine,
    name: &str,
    options: Value,
    vector: Option<Vec<f32>>,
) -> Result<Value, String> {
    let answer = engine.call(name, &own(&options), vector).map_err(|error| error.to_string())?;
    Ok(serde_json::from_str(&answer).unwrap())
}

fn ask(engine: &mut Engine, query: &str, more: Value) -> Value {
    let mut options = json!({"query": query, "now": NOW});
    options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    try_call(engine, "vault.search", options, None).unwrap()
}

fn ids(response: &Value) -> Vec<&str> {
    response["results"].as_array().unwrap().iter().map(|result| result["id"].as_str().unwrap()).collect()
}

fn result<'a>(response: &'a Value, id: &str) -> &'a Value {
    let found = response["results"].as_array().unwrap().iter().find(|result| result["id"] == id);
    found.unwrap_or_else(|| panic!("{id} is not among {:?}", ids(response)))
}

fn signal(response: &Value, id: &str, name: &str) -> f64 {
    result(response, id)["breakdown"][name].as_f64().unwrap()
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}

#[test]
fn v1_a_question_is_asked_as_any_of_its_terms() {
    let mut vault = vault(&[entry("auth-jwt-001", "Tokens", json!({})), entry("b", "Ферма", json!({}))]);
    let response = ask(&mut vault, "how does JWT validation work", json!({}));
    assert_eq!(response["expression"], "how OR does OR jwt OR validation OR work");
    assert_eq!(ids(&response), ["auth-jwt-001"], "the id is searched");
    assert_eq!(ids(&ask(&mut vault, "ФЕРМА?", json!({}))), ["b"]);
    assert_eq!(ids(&ask(&mut vault, "?!", json!({}))), [""; 0]);
    assert_eq!(ids(&ask(&mut vault, "", json!({}))), [""; 0]);
}

#[test]
fn v2_a_title_leads_more_candidates_than_other_fields() {
    // Each word stands in another field of another entry, in two hundred entries that push all but thirty out.
    let mut lines = Vec::new();
    for (field, count) in [("context", 60), ("tags", 60), ("description", 60), ("title", 10)] {
        for number in 0..count {
            let id = format!("{field}{number}");
            lines.push(entry(&id, "plain words here", json!({field: "plain jwt here"})));
        }
    }
    lines.push(entry("jwt", "plain words here", json!({})));
    let mut vault = vault(&lines);
    let response = ask(&mut vault, "jwt", json!({"all": true}));
    assert_eq!(response["legs"]["keyword"], 30);
    let found = ids(&response);
    let of = |field: &str| found.iter().filter(|id| id.starts_with(field)).count();
    assert_eq!(
        [of("title"), of("jwt"), of("description"), of("tags"), of("context")],
        [10, 1, 19, 0, 0],
        "10 for titles, 5 for ids, 3 for descriptions, 2 for tags, 1 for contexts"
    );
}

#[test]
fn v3_three_times_the_limit_and_at_least_thirty_are_fetched() {
    let lines = (0..200).map(|number| entry(&format!("e{number}"), "jwt", json!({}))).collect::<Vec<_>>();
    let mut vault = vault(&lines);
    for (limit, fetched) in [(1, 30), (10, 30), (11, 33), (40, 120), (100, 200)] {
        let response = ask(&mut vault, "jwt", json!({"limit": limit}));
        assert_eq!(response["legs"]["keyword"], fetched, "limit {limit}");
        assert_eq!(ids(&response).len(), limit);
    }
}

/// Entries of two domains, found by words, by vectors and by links.
fn three_ways() -> Engine {
    let model = json!({"m": {"width": 2, "encoding": "f32", "field": "m"}});
    let mut lines = Vec::new();
    for number in 0..40 {
        let (domain, severity) = if number % 4 == 0 { ("web", "critical") } else { ("data", "warning") };
        let mut line = entry(
            &format!("e{number}"),
            if number < 20 { "jwt checks" } else { "other things" },
            json!({"domain": domain, "severity": severity, "type": "rule", "tags": [domain], "m": [1, number]}),
        );
        match number % 8 {
            4 => line["validUntil"] = json!(NOW - DAY),
            5 => line["validFrom"] = json!(NOW + DAY),
            _ => {}
        }
        if number >= 30 {
            line.as_object_mut().unwrap().remove("m");
        }
        lines.push(line);
    }
    for number in 24..40 {
        lines.push(link(&format!("e{number}"), &format!("e{}", number - 24)));
    }
    vault_of(&schema(model), &lines)
}

#[test]
fn v3_no_filter_leaks_by_words_vectors_or_links() {
    let mut vault = three_ways();
    let number = |id: &str| id[1..].parse::<usize>().unwrap();
    let is_web = |id: &str| number(id) % 4 == 0;
    let mut ask = |filter: Value| {
        let options = json!({"query": "jwt", "now": NOW, "filter": filter, "all": true});
        try_call(&mut vault, "vault.search", options, Some(vec![1.0, 0.0])).unwrap()
    };
    for filter in [
        json!({"domain": "web"}),
        json!({"severity": "critical"}),
        json!({"tags": ["web"]}),
        json!({"domain": ["web"], "type": "rule"}),
        json!({"not": {"domain": "data"}}),
    ] {
        let response = ask(filter);
        let found = ids(&response);
        assert!(found.iter().all(|id| is_web(id) && number(id) % 8 != 4), "{found:?}");
        // 0, 8 and 16 have the word, 24 a vector, 32 a link.
        assert_eq!(found.len(), 5, "{found:?}");
    }
    let response = ask(json!({}));
    let found = ids(&response);
    assert!(found.iter().all(|id| !matches!(number(id) % 8, 4 | 5)), "{found:?}");
    let of = |range: std::ops::Range<usize>| found.iter().filter(|id| range.contains(&number(id))).count();
    assert_eq!([of(0..20), of(20..30)], [16, 6], "by words, by vectors");
    assert!(of(30..40) > 0, "by links");
    assert_eq!(ids(&ask(json!({"type": "pattern"}))), [""; 0]);
}

#[test]
fn v3_a_page_is_full_when_enough_entries_match() {
    let mut lines = (0..300)
        .map(|number| entry(&format!("a{number}"), "jwt jwt jwt", json!({"domain": "data"})))
        .collect::<Vec<_>>();
    lines.extend((0..60).map(|number| {
        entry(
            &format!("b{number}"),
            "a long title in which jwt is but one of the words",
            json!({"domain": "web"}),
        )
    }));
    let mut vault = vault(&lines);
    let response = ask(&mut vault, "jwt", json!({"filter": {"domain": "web"}, "limit": 20}));
    assert_eq!(ids(&response).len(), 20);
}

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
    // Found by its words alone or by a link, an entry is near all the same.
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
    // What is written beside a record counts.
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
    // Two sources lift each other, and a link that has ended does not count.
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
    // Six found entries of falling similarity, each with a neighbour.
    let mut lines = Vec::new();
    for number in 0..6 {
        let title = format!("jwt{}", " filler".repeat(number));
        lines.push(entry(&format!("e{number}"), &title, json!({})));
        lines.push(entry(&format!("n{number}"), "unrelated", json!({})));
        lines.push(link(&format!("e{number}"), &format!("n{number}")));
    }
    let mut vault = vault(&lines);
    let response = ask(&mut vault, "jwt", json!({"all": true}));
    assert_eq!(ids(&response).iter().filter(|id| id.starts_with('n')).count(), 5);
    assert!(!ids(&response).contains(&"n5"));
    // An id is searched, but has no part in what is compared.
    let mut vault = vault_of(
        &schema(json!({})),
        &[entry("jwt", "x1", json!({})), entry("n", "x2", json!({})), link("jwt", "n")],
    );
    assert_eq!(ids(&ask(&mut vault, "jwt", json!({}))), ["jwt"]);
}

fn feedback(engine: &mut Engine, action: &str, count: usize) {
    for number in 0..count {
        let row =
            json!({"query": "jwt", "entryId": format!("e{number}"), "action": action, "createdAt": NOW});
        try_call(engine, "vault.feedback", row, None).unwrap();
    }
}

#[test]
fn v9_weights_follow_feedback_from_thirty_rows_on() {
    let mut vault = vault(&[entry("a", "jwt", json!({}))]);
    let weights = |vault: &mut Engine| try_call(vault, "vault.weights", json!({}), None).unwrap();
    assert_eq!(weights(&mut vault)["accept"], Value::Null);
    feedback(&mut vault, "accepted", 29);
    feedback(&mut vault, "failed", 10);
    let before = weights(&mut vault);
    assert_eq!((&before["n"], &before["accept"]), (&json!(29), &json!(1.0)));
    assert_eq!(before["current"], before["base"]);
    assert_eq!(before["base"]["semantic"], 0.35);
    feedback(&mut vault, "accepted", 1);
    let after = weights(&mut vault);
    assert_eq!(after["n"], 30);
    let current = |name: &str| after["current"][name].as_f64().unwrap();
    assert_near(current("semantic"), 0.5);
    assert_near(current("severity"), 0.5 * 0.1 / 0.55);
    assert_near(current("graphProximity"), 0.5 * 0.15 / 0.55);
    assert_near(
        after["current"].as_object().unwrap().values().map(|weight| weight.as_f64().unwrap()).sum(),
        1.0,
    );
    assert_eq!(ask(&mut vault, "jwt", json!({}))["weights"], after["current"], "and a search counts by them");
    feedback(&mut vault, "dismissed", 90);
    let down = weights(&mut vault);
    assert_eq!(down["accept"], 0.25);
    assert_near(down["current"]["semantic"].as_f64().unwrap(), 0.35 - 0.075);
    feedback(&mut vault, "modified", 120);
    assert_eq!(weights(&mut vault)["accept"], 0.375);
}

#[test]
fn v9_feedback_is_kept_by_snapshots_and_changes() {
    let lines = [entry("a", "jwt", json!({}))];
    let mut first = vault(&lines);
    feedback(&mut first, "accepted", 31);
    let mut again = Engine::open(first.snapshot().unwrap()).unwrap();
    let mut other = vault(&lines);
    other.apply(first.changes().unwrap()).unwrap();
    for engine in [&mut again, &mut other] {
        assert_eq!(try_call(engine, "vault.weights", json!({}), None).unwrap()["n"], 31);
    }
}

#[test]
fn v10_few_candidates_are_all_returned_where_the_limit_would_drop_more_than_half() {
    for (count, limit, returned) in
        [(20, 9, 20), (20, 10, 10), (49, 5, 49), (50, 5, 5), (200, 10, 10), (3, 10, 3)]
    {
        let lines =
            (0..count).map(|number| entry(&format!("e{number}"), "jwt", json!({}))).collect::<Vec<_>>();
        let response = ask(&mut vault(&lines), "jwt", json!({"limit": limit}));
        assert_eq!(ids(&response).len(), returned, "{count} candidates, limit {limit}");
    }
}

#[test]
fn v11_a_scan_tells_what_is_needed_to_choose() {
    let long = "ä".repeat(130);
    let lines = [
        entry(
            "a",
            "JWT",
            json!({"type": "rule", "domain": "web", "severity": "critical", "tags": ["x", "y"],
            "description": long, "context": "cccc", "example": "eeee", "counterExample": "kkkk", "why": "wwww"}),
        ),
        entry("b", "JWT", json!({"description": "short"})),
    ];
    let response = ask(&mut vault(&lines), "jwt", json!({"mode": "scan"}));
    assert_eq!(response["mode"], "scan");
    let mut found = result(&response, "a").clone();
    let score = found.as_object_mut().unwrap().remove("score").unwrap();
    assert!(score.as_f64().unwrap() > 0.0);
    // 3 + 130 + 4 × 4 units, by four.
    let expected = json!({"id": "a", "kind": "entry", "title": "JWT", "type": "rule", "domain": "web",
        "severity": "critical", "tags": ["x", "y"], "snippet": format!("{}...", "ä".repeat(120)), "tokenEstimate": 38});
    assert_eq!(found, expected);
    let short = result(&response, "b");
    assert_eq!(
        (&short["snippet"], &short["type"], &short["tags"]),
        (&json!("short"), &Value::Null, &json!([]))
    );
}

#[test]
fn v11_full_is_the_whole_entry_and_what_made_its_score() {
    let line = entry("a", "jwt", json!({"severity": "warning", "links": ["b"], "why": "because"}));
    let mut vault = vault(std::slice::from_ref(&line));
    let response = ask(&mut vault, "jwt", json!({}));
    assert_eq!(response["mode"], "full");
    let found = result(&response, "a");
    let entry = found["entry"].as_object().unwrap();
    assert_eq!(entry["why"], "because");
    assert_eq!(found["breakdown"].as_object().unwrap().len(), 8);
    assert_near(found["score"].as_f64().unwrap(), 0.35 + 0.1 * 0.7 + 0.1);
    assert!(found.get("snippet").is_none());
}

#[test]
fn v11_a_budget_of_tokens_ends_the_results_and_the_first_is_kept() {
    let lines = (0..4).map(|number| {
        entry(&format!("e{number}"), "jwt", json!({"description": "x".repeat(37 + 4 * number)}))
    });
    let mut vault = vault(&lines.collect::<Vec<_>>());
    let all = ask(&mut vault, "jwt", json!({"mode": "scan"}));
    assert_eq!(
        all["results"].as_array().unwrap().iter().map(|one| &one["tokenEstimate"]).collect::<Vec<_>>(),
        [10, 11, 12, 13]
    );
    for (most, returned) in [(1, 1), (20, 1), (21, 2), (32, 2), (33, 3), (1000, 4)] {
        for mode in ["scan", "full"] {
            let response = ask(&mut vault, "jwt", json!({"mode": mode, "maxTokens": most}));
            assert_eq!(ids(&response), ids(&all)[..returned], "{most}");
        }
    }
}

#[test]
fn v12_memories_join_with_a_half() {
    let memory =
        |id: &str, title: &str| json!({"id": id, "kind": "memory", "title": title, "updatedAt": NOW});
    let lines = [
        entry("strong", "jwt", json!({"severity": "critical"})),
        entry("weak", "jwt and a great many other words that say little", json!({})),
        memory("m1", "a note of jwt among others"),
        memory("m2", "jwt"),
        memory("m3", "nothing of that"),
        link("strong", "m3"),
    ];
    let mut vault = vault(&lines);
    let response = ask(&mut vault, "jwt", json!({"explain": true}));
    assert_eq!(ids(&response), ["strong", "m2", "m1", "weak"]);
    for id in ["m1", "m2"] {
        let memory = result(&response, id);
        assert_eq!((&memory["score"], &memory["kind"]), (&json!(0.5), &json!("memory")));
        assert_eq!(memory["breakdown"]["total"], 0.5);
        assert_eq!(memory["explain"]["parts"][0]["product"], 0.5);
    }
    assert_eq!(ids(&ask(&mut vault, "jwt", json!({"memories": false}))), ["strong", "weak"]);
    assert_eq!(ids(&ask(&mut vault, "jwt", json!({"limit": 3}))), ["strong", "m2", "m1"]);
    assert_eq!(ids(&ask(&mut vault, "jwt", json!({"filter": {"severity": "critical"}}))), ["strong"]);
}

#[test]
fn v14_a_failed_embedding_falls_back_to_words_and_says_so() {
    let mut vault = three_ways();
    let response = ask(&mut vault, "jwt", json!({"embedFailed": "embed: no key"}));
    assert_eq!((&response["degraded"], &response["warnings"]), (&json!(true), &json!(["embed: no key"])));
    assert_eq!(response["weights"]["semantic"], 0.35);
    assert_eq!(response["weights"]["vector"], 0.0);
    assert!(response["legs"].get("vector").is_none());
    // Nobody gave a vector for vectors that are there.
    let response = ask(&mut vault, "jwt", json!({}));
    assert_eq!(response["degraded"], true);
    assert_eq!(
        response["warnings"],
        json!(["vector: the query has no vector for \"m\", so only words were looked for"])
    );
    let with_vector = json!({"query": "jwt", "now": NOW});
    let response = try_call(&mut vault, "vault.search", with_vector, Some(vec![1.0, 0.0])).unwrap();
    assert_eq!(response["degraded"], false);
    // Without any vectors, nothing is missing.
    let response = ask(&mut vault_of(&schema(json!({})), &[entry("a", "jwt", json!({}))]), "jwt", json!({}));
    assert_eq!(response["degraded"], false);
}

#[test]
fn v14_an_entry_whose_text_changed_is_embedded_again() {
    let model = json!({"own": {"embedder": "hash", "text": ["title", "description", "context"]}});
    let mut vault = vault_of(
        &schema(model),
        &[entry("a", "old words", json!({"description": "of yesterday"})), entry("b", "others", json!({}))],
    );
    let vector =
        |vault: &mut Engine, query: &str| signal(&ask(vault, query, json!({"all": true})), "a", "vector");
    let before = vector(&mut vault, "fresh words of today");
    vault.add([&record(&entry("a", "fresh words", json!({"description": "of today"})))]).unwrap();
    let after = vector(&mut vault, "fresh words of today");
    assert!(after > before && after > 0.9, "{before} {after}");
    assert_eq!(vault.len(), 2, "one vector an entry");
}

#[test]
fn load_gives_whole_entries_in_the_order_asked() {
    let memory = json!({"id": "a", "kind": "memory", "title": "of the same id"});
    let mut vault = vault(&[memory, entry("b", "second", json!({})), entry("a", "first", json!({}))]);
    let loaded = try_call(&mut vault, "vault.load", json!({"ids": ["b", "zz", "a"]}), None).unwrap();
    let titles =
        loaded["entries"].as_array().unwrap().iter().map(|entry| &entry["title"]).collect::<Vec<_>>();
    assert_eq!(titles, ["second", "first"]);
    assert_eq!(loaded["missing"], json!(["zz"]));
}

#[test]
fn options_that_cannot_be_used_are_all_named() {
    let mut vault = vault(&[entry("a", "jwt", json!({}))]);
    let mut complaint = |name: &str, options: Value| try_call(&mut vault, name, options, None).unwrap_err();
    let options = json!({"limit": 0, "mode": "deep", "maxTokens": 0, "colour": 1});
    assert_eq!(
        complaint("vault.search", options),
        "query: a text is wanted; mode: unknown mode \"deep\"; there are scan, full; maxTokens: must be 1 to 1000000000, \
         not 0; limit: must be 1 to 1000, not 0; colour: unknown option; there are all, asOf, diversity, domain, \
         embedFailed, explain, filter, fold, includeExpired, includeUpcoming, limit, maxTokens, memories, \
         minRelevance, mode, model, now, pinned, query, tags"
    );
    assert_eq!(
        complaint("vault.feedback", json!({"query": 7, "action": "liked"})),
        "query: a text is wanted, not a number; action: unknown action \"liked\"; there are accepted, modified, \
         dismissed, failed; entryId: is missing"
    );
    assert_eq!(complaint("vault.load", json!({})), "ids: an array of texts is wanted");
    assert!(
        complaint("vault.search", json!({"query": "x", "filter": {"nope": 1}}))
            .starts_with("filter.nope: there is")
    );
}

#[test]
fn the_same_search_twice_gives_the_same_answer() {
    let mut vault = three_ways();
    let first = ask(&mut vault, "jwt checks", json!({"explain": true}));
    assert_eq!(ask(&mut vault, "jwt checks", json!({"explain": true})), first);
}

#[test]
fn stages_hold_for_a_vault_and_no_pin_passes_a_filter() {
    let entries = [
        entry("a", "jwt validation", json!({"domain": "security"})),
        entry("b", "jwt validation", json!({"domain": "security"})),
        entry("c", "opening hours", json!({"domain": "office"})),
    ];
    let mut vault = vault(&entries);
    let mut found = |options: Value| {
        let answer = try_call(&mut vault, "vault.search", options, None).unwrap();
        let results = answer["results"].as_array().unwrap().clone();
        results.iter().map(|result| result["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(found(json!({"query": "jwt", "fold": 0.4})), ["a"]);
    assert_eq!(found(json!({"query": "jwt", "pinned": ["c"]}))[0], "c");
    let filtered = json!({"query": "jwt", "pinned": ["c"], "filter": {"domain": "security"}});
    assert!(!found(filtered).contains(&"c".to_owned()));
}
