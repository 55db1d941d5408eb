//! Are entries loaded by id, and are invalid options reported?

use crate::{entry, try_call, vault};
use serde_json::{Value, json};

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
        "query: is required; mode: unknown mode \"deep\"; use one of scan, full; limit: must be 1 to 1000, not 0; \
         maxTokens: must be 1 to 1000000000, not 0; colour: unknown option; the options are asOf, diversity, domain, \
         embed, explain, filter, fold, includeExpired, includeUpcoming, limit, maxTokens, memories, minRelevance, \
         mode, model, now, pinned, query, signal, strict, tags, vector"
    );
    assert_eq!(
        complaint("vault.feedback", json!({"query": 7, "action": "liked"})),
        "query: must be a string, not a number; entryId: is required; action: unknown action \"liked\"; use one of \
         accepted, modified, dismissed, failed"
    );
    assert_eq!(complaint("vault.load", json!({})), "ids: is required");
    assert!(
        complaint("vault.search", json!({"query": "x", "filter": {"nope": 1}}))
            .starts_with("filter.nope: there is")
    );
}
