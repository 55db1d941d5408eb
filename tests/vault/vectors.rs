//! Are vectors of entries used, and does a search without them fall back to words? V14.

use crate::{NOW, ask, ask_for_all, entry, record, schema, signal, three_ways, try_call, vault_of};
use serde_json::{Value, json};
use snapseek::{Embedded, Engine, Record};

#[test]
fn v14_a_failed_embedding_falls_back_to_words_and_says_so() {
    let mut vault = three_ways();
    let failed = Embedded {
        is_by_embed: true,
        failures: vec![Some("embed: no key".to_owned())],
        ..Embedded::default()
    };
    let response =
        try_call(&mut vault, "vault.search", json!({"query": "jwt", "now": NOW}), failed.clone()).unwrap();
    let warning = json!(["embed: no key; only keywords were searched"]);
    assert_eq!((&response["degraded"], &response["warnings"]), (&json!(true), &warning));
    assert_eq!(response["weights"]["semantic"], 0.35);
    assert_eq!(response["weights"]["vector"], 0.0);
    assert!(response["legs"].get("vector").is_none());
    let strict = json!({"query": "jwt", "now": NOW, "strict": true});
    assert_eq!(try_call(&mut vault, "vault.search", strict, failed).unwrap_err(), "embed: no key");
    // The vault has vectors, but the query has none.
    let response = ask(&mut vault, "jwt", json!({}));
    assert_eq!(response["degraded"], true);
    assert_eq!(
        response["warnings"],
        json!(["the query has no vector for \"m\"; only keywords were searched"])
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
    let vector = |vault: &mut Engine, query: &str| signal(&ask_for_all(vault, query), "a", "vector");
    let before = vector(&mut vault, "fresh words of today");
    vault.add([&record(&entry("a", "fresh words", json!({"description": "of today"})))]).unwrap();
    let after = vector(&mut vault, "fresh words of today");
    assert!(after > before && after > 0.9, "{before} {after}");
    assert_eq!(vault.len(), 2, "one vector an entry");
}

/// Returns a vector of numbers that no encoding stores exactly.
fn uneven(seed: u32) -> Vec<f32> {
    let mut state = seed.wrapping_mul(2_654_435_761).wrapping_add(1);
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24) - 0.37
    };
    (0..33).map(|_| next() as f32).collect()
}

fn vector_signal(vault: &mut Engine, id: &str, model: &str, vector: &[f32]) -> f64 {
    let options = json!({"query": "jwt", "now": NOW, "model": model});
    let response = try_call(vault, "vault.search", options, Some(vector.to_vec())).unwrap();
    assert_eq!(response["degraded"], false);
    signal(&response, id, "vector")
}

fn line(id: &str, more: Value) -> Record {
    let mut line = json!({"$": "vector", "id": id, "kind": "entry"});
    line.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    record(&line)
}

#[test]
fn a2_a_replaced_entry_keeps_its_vector_as_long_as_its_text_is_the_same() {
    let model = json!({"m": {"field": "v", "width": 2, "encoding": "f32", "text": ["title", "description", "context"]}});
    let mut vault =
        vault_of(&schema(model), &[entry("a", "jwt", json!({"v": [1, 0], "severity": "warning"}))]);
    assert_eq!(vector_signal(&mut vault, "a", "m", &[1.0, 0.0]), 1.0);
    let written = vault.add([&record(&entry("a", "jwt", json!({"severity": "critical"})))]).unwrap();
    assert_eq!((written.replaced, written.warnings), (1, Vec::new()));
    assert_eq!(vector_signal(&mut vault, "a", "m", &[1.0, 0.0]), 1.0);
    // A vector that comes with the record replaces the old one.
    vault.add([&record(&entry("a", "jwt", json!({"v": [0, 1]})))]).unwrap();
    assert_eq!(vector_signal(&mut vault, "a", "m", &[0.0, 1.0]), 1.0);
}

#[test]
fn a2_a_vector_that_is_lost_with_a_changed_text_is_a_warning() {
    let model = json!({"m": {"field": "v", "width": 2, "encoding": "f32", "text": ["title"]}});
    let mut vault = vault_of(&schema(model), &[entry("a", "jwt", json!({"v": [1, 0]}))]);
    let written = vault.add([&record(&entry("a", "jwt again", json!({})))]).unwrap();
    assert_eq!(
        written.warnings,
        [
            "1 replaced record has no vector of \"m\" any more: the text changed, or its document is in another file and \
             not loaded; add the vector"
        ]
    );
    assert_eq!(vector_signal(&mut vault, "a", "m", &[1.0, 0.0]), 0.0);
}

#[test]
fn a2_a_kept_vector_has_the_same_bits_after_any_number_of_writes() {
    let cases = [
        ("f32", "cosine"),
        ("f32", "dot"),
        ("f32", "euclidean"),
        ("i8", "cosine"),
        ("i8", "dot"),
        ("i8", "euclidean"),
        ("i1", "cosine"),
    ];
    for (encoding, metric) in cases {
        let model = json!({"m": {"field": "v", "encoding": encoding, "metric": metric, "text": ["title"]}});
        let with_vector = |number: u32| {
            entry(&format!("e{number}"), "jwt", json!({"severity": "warning", "v": uneven(number)}))
        };
        let mut vault = vault_of(&schema(model), &(0..100).map(with_vector).collect::<Vec<_>>());
        let before = vault.snapshot().unwrap();
        for _ in 0..3 {
            for severity in ["critical", "warning"] {
                let again =
                    |number: u32| record(&entry(&format!("e{number}"), "jwt", json!({"severity": severity})));
                let written = vault.add(&(0..100).map(again).collect::<Vec<_>>()).unwrap();
                assert_eq!((written.replaced, written.warnings), (100, Vec::new()));
            }
            assert!(vault.snapshot().unwrap() == before, "{encoding} {metric}: the snapshot changed");
        }
    }
}

#[test]
fn a2_a_vector_line_gives_a_vector_to_a_new_and_to_an_existing_record() {
    let model = json!({"m": {"width": 2, "encoding": "f32", "text": ["title"]}});
    let mut vault = vault_of(&schema(model), &[entry("a", "jwt", json!({}))]);
    let lines = [
        line("a", json!({"vector": [1, 0]})),
        line("b", json!({"vector": [0, 1], "model": "m"})),
        line("nowhere", json!({"vector": [0, 1]})),
    ];
    let written = vault.add_lines(&[record(&entry("b", "jwt too", json!({})))], &lines).unwrap();
    assert_eq!((written.added, written.replaced), (1, 0));
    assert_eq!(written.warnings, ["there is no record \"nowhere\" of kind \"entry\" for a vector"]);
    assert_eq!(vector_signal(&mut vault, "a", "m", &[1.0, 0.0]), 1.0);
    assert_eq!(vector_signal(&mut vault, "b", "m", &[0.0, 1.0]), 1.0);
    // Both stay through changes and through a snapshot.
    let mut again = Engine::open(vault.snapshot().unwrap()).unwrap();
    assert_eq!(vector_signal(&mut again, "a", "m", &[1.0, 0.0]), 1.0);
    assert_eq!(vector_signal(&mut again, "b", "m", &[0.0, 1.0]), 1.0);
}

#[test]
fn a2_a_vector_line_keeps_the_fields_that_changed_beside_the_record() {
    let model = json!({"m": {"width": 2, "encoding": "f32", "text": ["title"]}});
    let mut vault = vault_of(&schema(model), &[entry("a", "jwt", json!({"severity": "warning"}))]);
    let key = snapseek::Key { id: "a", kind: "entry" };
    vault.set_field(key, "severity", snapseek::json::Json::String("critical".to_owned()), Some(NOW)).unwrap();
    vault.add_lines(&[], &[line("a", json!({"vector": [1, 0]}))]).unwrap();
    let record = vault.record(key).unwrap().unwrap();
    assert_eq!(record.text("severity").as_deref(), Some("critical"));
}

#[test]
fn a2_each_of_several_models_keeps_or_loses_its_own_vector() {
    let models = json!({
        "titles": {"field": "v", "width": 2, "encoding": "f32", "text": ["title"]},
        "bodies": {"width": 3, "encoding": "i8", "text": ["description"]},
    });
    let mut vault =
        vault_of(&schema(models), &[entry("a", "jwt", json!({"v": [1, 0], "description": "tokens"}))]);
    vault.add_lines(&[], &[line("a", json!({"model": "bodies", "vector": [0, 0, 1]}))]).unwrap();
    assert_eq!(
        vector_signal(&mut vault, "a", "titles", &[1.0, 0.0]),
        1.0,
        "a line for one model leaves the other"
    );
    assert_eq!(vector_signal(&mut vault, "a", "bodies", &[0.0, 0.0, 1.0]), 1.0);
    let written = vault.add([&record(&entry("a", "jwt", json!({"description": "other tokens"})))]).unwrap();
    assert_eq!(written.warnings.len(), 1);
    assert!(written.warnings[0].contains("no vector of \"bodies\""));
    assert_eq!(vector_signal(&mut vault, "a", "titles", &[1.0, 0.0]), 1.0);
    assert_eq!(vector_signal(&mut vault, "a", "bodies", &[0.0, 0.0, 1.0]), 0.0);
}
