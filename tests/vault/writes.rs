//! Entries and links that are added, changed and removed at run time.

use crate::{NOW, ask, entry, ids, own, schema, signal, try_call, vault, vault_of};
use serde_json::{Value, json};
use snapseek::{Embedded, Engine, VaultAdd, VaultLink, VaultUnlink, VaultUpdate, VaultWriteOptions};

fn provider() -> Value {
    json!({"m": {"width": 2, "encoding": "f32", "text": ["title", "description", "context"]}})
}

/// What a host passes whose `embed` made these vectors, or failed with these reasons.
fn made(texts: &[(&str, Result<[f32; 2], &str>)]) -> Embedded {
    let vectors = texts.iter().filter_map(|(_, made)| made.ok()).flatten().collect();
    Embedded {
        vectors: Some(vectors),
        texts: texts.iter().map(|(text, _)| (*text).to_owned()).collect(),
        is_by_embed: true,
        failures: texts.iter().map(|(_, made)| made.err().map(str::to_owned)).collect(),
    }
}

fn add(entries: &[Value]) -> VaultAdd {
    let options = VaultWriteOptions { now: Some(NOW), ..VaultWriteOptions::default() };
    VaultAdd { options, ..VaultAdd::of(entries.iter().map(own)) }
}

fn update(id: &str, fields: Value) -> VaultUpdate {
    let fields = fields.as_object().unwrap().iter().map(|(name, value)| (name.clone(), own(value)));
    VaultUpdate { id: id.to_owned(), fields: fields.collect(), ..VaultUpdate::default() }
}

fn similarity(vault: &mut Engine, id: &str, vector: [f32; 2]) -> f64 {
    let options = json!({"query": "jwt", "now": NOW});
    signal(&try_call(vault, "vault.search", options, Some(vector.to_vec())).unwrap(), id, "vector")
}

fn loaded(vault: &mut Engine, id: &str) -> Value {
    let loaded = try_call(vault, "vault.load", json!({"ids": [id]}), None).unwrap();
    loaded["entries"][0].clone()
}

#[test]
fn added_entries_are_found_at_once_and_know_when_they_were_written() {
    let mut vault = vault(&[entry("a", "jwt", json!({"createdAt": 7}))]);
    let entries =
        [json!({"id": "b", "title": "jwt too"}), json!({"id": "a", "title": "jwt again", "updatedAt": 9})];
    let written = vault.vault_mut().add(&add(&entries), &Embedded::default()).unwrap();
    assert_eq!((written.ids, written.added, written.replaced), (vec!["b".to_owned(), "a".to_owned()], 2, 1));
    assert!(!written.degraded && written.warnings.is_empty());
    assert_eq!(ids(&ask(&mut vault, "again", json!({}))), ["a"]);
    // The kind is that of the other entries, and what an entry says itself stays.
    let new = json!({"id": "b", "title": "jwt too", "kind": "entry", "createdAt": NOW as u64, "updatedAt": NOW as u64});
    assert_eq!(loaded(&mut vault, "b"), new);
    let again = json!({"id": "a", "title": "jwt again", "kind": "entry", "createdAt": 7, "updatedAt": 9});
    assert_eq!(loaded(&mut vault, "a"), again);
}

#[test]
fn v14_added_entries_are_embedded_by_their_texts_and_keep_vectors_otherwise() {
    let mut vault = vault_of(&schema(provider()), &[]);
    let entries = [
        entry("a", "jwt one", json!({"description": "of a"})),
        entry("b", "jwt two", json!({})),
        entry("c", "jwt three", json!({})),
    ];
    let texts = try_call(&mut vault, "vault.add.texts", json!({"entries": entries}), None).unwrap();
    assert_eq!(texts, json!({"texts": ["jwt one\nof a", "jwt three", "jwt two"], "width": 2}));
    let embedded = made(&[
        ("jwt one\nof a", Ok([1.0, 0.0])),
        ("jwt three", Err("embed: its vector is all zeros")),
        ("jwt two", Ok([0.0, 1.0])),
    ]);
    let written = vault.vault_mut().add(&add(&entries), &embedded).unwrap();
    assert_eq!((written.embedded, written.degraded), (2, true));
    assert_eq!(written.warnings, ["1 entry has no vector of \"m\": embed: its vector is all zeros"]);
    assert_eq!(similarity(&mut vault, "a", [1.0, 0.0]), 1.0);
    assert_eq!(similarity(&mut vault, "b", [0.0, 1.0]), 1.0);
    assert_eq!(similarity(&mut vault, "c", [0.0, 1.0]), 0.0);
    // Only the entry without a vector is embedded again.
    let texts = try_call(&mut vault, "vault.add.texts", json!({"entries": entries}), None).unwrap();
    assert_eq!(texts["texts"], json!(["jwt three"]));
    let again = vault.vault_mut().add(&add(&entries[..1]), &Embedded::default()).unwrap();
    assert_eq!((again.embedded, again.warnings.len()), (0, 0));
    assert_eq!(similarity(&mut vault, "a", [1.0, 0.0]), 1.0);
}

#[test]
fn v14_an_entry_that_nothing_embeds_is_a_warning_and_with_strict_an_error() {
    let mut vault = vault_of(&schema(provider()), &[]);
    let mut one = add(&[entry("a", "jwt", json!({}))]);
    one.options.strict = true;
    let error = vault.vault_mut().add(&one, &Embedded::default()).unwrap_err().to_string();
    assert_eq!(error, "1 entry has no vector of \"m\": nothing embeds its text; pass `embed` or a vector");
    assert_eq!(vault.len(), 0, "nothing is written");
    one.options.strict = false;
    let written = vault.vault_mut().add(&one, &Embedded::default()).unwrap();
    assert_eq!((written.degraded, written.warnings), (true, vec![error]));
    // A caller can pass the vector of the only entry.
    one.options.vector = Some(vec![1.0, 0.0]);
    assert!(!vault.vault_mut().add(&one, &Embedded::default()).unwrap().degraded);
    assert_eq!(similarity(&mut vault, "a", [1.0, 0.0]), 1.0);
    one.options.vector = Some(vec![1.0]);
    let error = vault.vault_mut().add(&one, &Embedded::default()).unwrap_err().to_string();
    assert!(error.starts_with("vector: \"m\" cannot take it"), "{error}");
}

#[test]
fn an_update_changes_and_removes_fields_and_keeps_the_rest() {
    let mut vault = vault_of(
        &schema(provider()),
        &[entry("a", "jwt", json!({"severity": "warning", "domain": "web", "why": "so", "createdAt": 7}))],
    );
    let given = VaultWriteOptions { vector: Some(vec![1.0, 0.0]), ..VaultWriteOptions::default() };
    vault
        .vault_mut()
        .update(&VaultUpdate { options: given, ..update("a", json!({})) }, &Embedded::default())
        .unwrap();
    let mut change = update("a", json!({"severity": "critical", "why": null, "nothing": null}));
    change.options.now = Some(NOW + 5.0);
    let updated = vault.vault_mut().update(&change, &Embedded::default()).unwrap();
    assert!(!updated.degraded && updated.warnings.is_empty());
    let expected = json!({"id": "a", "kind": "entry", "title": "jwt", "severity": "critical", "domain": "web",
        "createdAt": 7, "updatedAt": NOW as u64 + 5});
    assert_eq!(loaded(&mut vault, "a"), expected);
    assert_eq!(own(&expected), updated.entry);
    assert_eq!(similarity(&mut vault, "a", [1.0, 0.0]), 1.0, "the text is the same, and so is the vector");
    // A new text needs a new vector.
    let changed = update("a", json!({"title": "jwt changed"}));
    let texts = json!({"id": "a", "fields": {"title": "jwt changed"}});
    let texts = try_call(&mut vault, "vault.update.texts", texts, None).unwrap();
    assert_eq!(texts["texts"], json!(["jwt changed"]));
    let updated = vault.vault_mut().update(&changed, &made(&[("jwt changed", Ok([0.0, 1.0]))])).unwrap();
    assert_eq!((updated.embedded, updated.degraded), (1, false));
    assert_eq!(similarity(&mut vault, "a", [0.0, 1.0]), 1.0);
    let lost =
        vault.vault_mut().update(&update("a", json!({"title": "jwt lost"})), &Embedded::default()).unwrap();
    assert!(lost.degraded);
    assert_eq!(similarity(&mut vault, "a", [0.0, 1.0]), 0.0);
    let missing = vault.vault_mut().update(&update("zz", json!({})), &Embedded::default());
    assert_eq!(missing.unwrap_err().to_string(), "entry not found: zz");
}

#[test]
fn removed_entries_are_gone_with_their_links_and_unknown_ids_are_warnings() {
    let memory = json!({"id": "m", "kind": "memory", "title": "jwt"});
    let mut vault = vault(&[
        entry("a", "jwt", json!({})),
        entry("b", "bridge", json!({})),
        entry("c", "far", json!({})),
        memory,
    ]);
    for (from, to) in [("a", "b"), ("b", "c")] {
        vault.vault_mut().link(&VaultLink { now: Some(NOW), ..VaultLink::between(from, to) }).unwrap();
    }
    assert_eq!(signal(&ask(&mut vault, "jwt", json!({})), "c", "graphProximity"), 1.0 / 3.0);
    let removed = vault.vault_mut().remove(&["b", "m", "zz"].map(str::to_owned), Some(NOW)).unwrap();
    assert_eq!((removed.removed, removed.missing), (1, vec!["m".to_owned(), "zz".to_owned()]));
    assert_eq!(removed.warnings, ["there is no entry \"m\" to remove", "there is no entry \"zz\" to remove"]);
    assert_eq!(ids(&ask(&mut vault, "jwt", json!({}))), ["m", "a"], "no link leads through a removed entry");
}

#[test]
fn links_hold_across_changes_and_snapshots_and_so_does_their_end() {
    let lines = [entry("a", "jwt", json!({})), entry("b", "other", json!({}))];
    let proximity = |vault: &mut Engine| {
        let response = ask(vault, "jwt", json!({}));
        ids(&response).contains(&"b").then(|| signal(&response, "b", "graphProximity"))
    };
    let mut first = vault(&lines);
    let mut second = vault(&lines);
    let copies = |first: &Engine, second: &mut Engine| {
        second.apply(first.changes().unwrap()).unwrap();
        [proximity(second), proximity(&mut Engine::open(first.snapshot().unwrap()).unwrap())]
    };
    let link = VaultLink { now: Some(NOW - 9.0), ..VaultLink::between("a", "b") };
    let linked = first.vault_mut().link(&link).unwrap();
    assert_eq!((linked.relation.as_str(), linked.weight, linked.valid_until), ("related", None, None));
    assert_eq!(copies(&first, &mut second), [Some(0.5); 2]);
    let unlink = VaultUnlink { now: Some(NOW - 8.0), ..VaultUnlink::between("a", "b") };
    assert_eq!(first.vault_mut().unlink(&unlink).unwrap().unlinked, 1);
    assert_eq!(copies(&first, &mut second), [None; 2]);
    // The other end, brought back by older changes, does not undo it.
    let older = vault(&lines);
    first.apply(older.changes().unwrap()).unwrap();
    assert_eq!(proximity(&mut first), None);
    // A link that was ended can be made again.
    first.vault_mut().link(&VaultLink { now: Some(NOW - 7.0), ..link.clone() }).unwrap();
    assert_eq!(copies(&first, &mut second), [Some(0.5); 2]);
    // A link that is live keeps its end and weight unless they are given.
    let ends =
        VaultLink { valid_until: Some(Some(NOW + 1.0)), weight: Some(0.5), now: Some(NOW - 6.0), ..link };
    first.vault_mut().link(&ends).unwrap();
    let kept = VaultLink { valid_until: None, weight: None, ..ends.clone() };
    let kept = first.vault_mut().link(&kept).unwrap();
    assert_eq!((kept.weight, kept.valid_until), (Some(0.5), Some(NOW + 1.0)));
    let endless = first.vault_mut().link(&VaultLink { valid_until: Some(None), ..ends }).unwrap();
    assert_eq!(endless.valid_until, None);
}

#[test]
fn of_link_and_unlink_in_two_places_the_later_one_holds() {
    let lines = [entry("a", "jwt", json!({})), entry("b", "other", json!({}))];
    let link = |at: f64| VaultLink { now: Some(NOW + at), ..VaultLink::between("a", "b") };
    let unlink = |at: f64| VaultUnlink { now: Some(NOW + at), ..VaultUnlink::between("a", "b") };
    for is_known in [false, true] {
        let (mut one, mut other) = (vault(&lines), vault(&lines));
        one.vault_mut().link(&link(1.0)).unwrap();
        if is_known {
            other.apply(one.changes().unwrap()).unwrap();
        }
        one.vault_mut().unlink(&unlink(2.0)).unwrap();
        other.vault_mut().link(&link(3.0)).unwrap();
        let (of_one, of_other) = (one.changes().unwrap(), other.changes().unwrap());
        one.apply(of_other).unwrap();
        other.apply(of_one).unwrap();
        for vault in [&mut one, &mut other] {
            assert_eq!(ids(&ask(vault, "jwt", json!({"now": NOW + 9.0}))), ["a", "b"], "it was linked last");
        }
    }
}

#[test]
fn unlink_ends_one_relation_or_all_and_warns_where_there_is_none() {
    let mut vault = vault(&[entry("a", "jwt", json!({})), entry("b", "other", json!({}))]);
    for relation in ["cites", "extends", "refutes"] {
        let link = VaultLink { relation: Some(relation.to_owned()), ..VaultLink::between("a", "b") };
        vault.vault_mut().link(&link).unwrap();
    }
    let one = VaultUnlink { relation: Some("cites".to_owned()), ..VaultUnlink::between("a", "b") };
    assert_eq!(vault.vault_mut().unlink(&one).unwrap().unlinked, 1);
    let again = vault.vault_mut().unlink(&one).unwrap();
    assert_eq!(again.warnings, ["there is no link of relation \"cites\" from \"a\" to \"b\""]);
    assert_eq!(vault.vault_mut().unlink(&VaultUnlink::between("a", "b")).unwrap().unlinked, 2);
    let error = vault.vault_mut().link(&VaultLink::between("a", "zz")).unwrap_err();
    assert_eq!(error.to_string(), "entry not found: zz");
}

#[test]
fn writes_report_all_faults_in_one_message() {
    let mut vault = vault(&[entry("a", "jwt", json!({}))]);
    let mut complaint = |name: &str, options: Value| try_call(&mut vault, name, options, None).unwrap_err();
    assert_eq!(complaint("vault.add", json!({})).split(';').next(), Some("entries: is required"));
    let entries = json!([{"title": "no id"}, 7, {"id": "m", "kind": "memory"}]);
    let message = complaint("vault.add", json!({"entries": entries, "vector": [1], "strict": "yes"}));
    for part in [
        "entry 0: ",
        "entry 1: ",
        "entry 2: a record of kind \"memory\"",
        "vector: belongs to one entry",
        "strict: ",
    ] {
        assert!(message.contains(part), "{part} is not in {message}");
    }
    assert_eq!(
        complaint("vault.update", json!({"fields": {"id": "b"}, "now": "soon"})),
        "id: is required; fields: the id of an entry cannot change; \
         now: must be a time (milliseconds or an ISO 8601 date), not a string"
    );
    assert_eq!(
        complaint("vault.remove", json!({"ids": 1.5})),
        "ids: must be an array of ids (strings or integers), not a number"
    );
    assert_eq!(
        complaint("vault.link", json!({"from": "a", "to": "a", "weight": "much", "relation": ""})),
        "to: an entry cannot be linked with itself; relation: must not be empty; weight: must be a number, not a string"
    );
    assert_eq!(complaint("vault.unlink", json!({"from": "a"})), "to: is required");
}
