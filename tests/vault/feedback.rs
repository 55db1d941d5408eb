//! Do weights follow feedback about results? V9.

use crate::{NOW, ask, assert_near, entry, try_call, vault};
use serde_json::{Value, json};
use snapseek::Engine;

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
