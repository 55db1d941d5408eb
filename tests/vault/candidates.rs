//! Which entries are found, and which of them pass a filter? V1 to V3.

use crate::{NOW, ask, ask_for_all, entry, ids, three_ways, try_call, vault};
use serde_json::{Value, json};

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
    // The word occurs in a different field per group of entries. Of two hundred entries only thirty become candidates.
    let mut lines = Vec::new();
    for (field, count) in [("context", 60), ("tags", 60), ("description", 60), ("title", 10)] {
        for number in 0..count {
            let id = format!("{field}{number}");
            lines.push(entry(&id, "plain words here", json!({field: "plain jwt here"})));
        }
    }
    lines.push(entry("jwt", "plain words here", json!({})));
    let mut vault = vault(&lines);
    let response = ask_for_all(&mut vault, "jwt");
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

#[test]
fn v3_no_filter_leaks_by_words_vectors_or_links() {
    let mut vault = three_ways();
    let number = |id: &str| id[1..].parse::<usize>().unwrap();
    let is_web = |id: &str| number(id) % 4 == 0;
    let mut ask = |filter: Value| {
        let options = json!({"query": "jwt", "now": NOW, "filter": filter});
        try_call(&mut vault, "vault.tier", options, Some(vec![1.0, 0.0])).unwrap()
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
        // 0, 8 and 16 have the word, 24 has a vector, 32 has a link.
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
