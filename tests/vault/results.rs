//! How many results are returned, and which fields do they have? V10 to V12.

use crate::{NOW, ask, assert_near, entry, ids, link, result, three_ways, vault};
use serde_json::{Value, json};

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
    // (3 + 130 + 4 × 4) UTF-16 code units, divided by four.
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
fn the_same_search_twice_gives_the_same_answer() {
    let mut vault = three_ways();
    let first = ask(&mut vault, "jwt checks", json!({"explain": true}));
    assert_eq!(ask(&mut vault, "jwt checks", json!({"explain": true})), first);
}
