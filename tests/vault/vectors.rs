//! Are vectors of entries used, and does a search without them fall back to words? V14.

use crate::{NOW, ask, entry, record, schema, signal, three_ways, try_call, vault_of};
use serde_json::json;
use snapseek::Engine;

#[test]
fn v14_a_failed_embedding_falls_back_to_words_and_says_so() {
    let mut vault = three_ways();
    let response = ask(&mut vault, "jwt", json!({"embedFailed": "embed: no key"}));
    assert_eq!((&response["degraded"], &response["warnings"]), (&json!(true), &json!(["embed: no key"])));
    assert_eq!(response["weights"]["semantic"], 0.35);
    assert_eq!(response["weights"]["vector"], 0.0);
    assert!(response["legs"].get("vector").is_none());
    // The vault has vectors, but the query has none.
    let response = ask(&mut vault, "jwt", json!({}));
    assert_eq!(response["degraded"], true);
    assert_eq!(
        response["warnings"],
        json!(["vector: the query has no vector for \"m\", so only words were looked for"])
    );
    let with_vector = json!({"query": "jwt", "now": NOW});
    let response = try_call(&mut vault, "vault.search", with_vector, Some(vec![1.0, 0.0])).unwrap();
    assert_eq!(response["degraded"], false);
    // A vault without vectors is not degraded.
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
