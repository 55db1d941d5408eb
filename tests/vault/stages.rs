//! Do the stages that follow scoring, and the filters before it, work in the vault recipe?

use crate::{entry, try_call, vault};
use serde_json::{Value, json};

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
