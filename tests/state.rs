//! Is the state beside records kept by snapshots, carried by changes, and independent of the order of changes?

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::schema::Schema;
use snapseek::{Builder, Engine, Key, Record, SearchOptions};

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

fn record(id: &str, body: &str) -> Record {
    Record::from_json(json(&format!(r#"{{"id":"{id}","body":"{body}","salience":1}}"#))).unwrap()
}

fn key(id: &str) -> Key<'_> {
    Key { id, kind: "document" }
}

fn schema() -> Schema {
    serde_json::from_str(
        r#"{"fields":{"body":{}},"attributes":{"salience":"number"},"vectors":{"own":{"embedder":"hash"}}}"#,
    )
    .unwrap()
}

fn base() -> Vec<u8> {
    let mut builder = Builder::new(&schema()).unwrap();
    for (id, body) in [("a", "red apple"), ("b", "green apple"), ("c", "blue plum")] {
        builder.add(&record(id, body)).unwrap();
    }
    builder.take_line("session", &json(r#"{"id":"s1","projectId":"p","startedAt":1}"#)).unwrap();
    builder.take_line("link", &json(r#"{"from":"a","to":"b"}"#)).unwrap();
    builder.finish().unwrap()
}

fn open(writer: u64) -> Engine {
    Engine::open(base()).unwrap().with_writer(writer)
}

fn ids(engine: &Engine, filter: &str) -> Vec<String> {
    let options = SearchOptions {
        filter: Some(json(filter)),
        mode: Some("keyword".into()),
        ..SearchOptions::default()
    };
    let hits = engine.search("apple", &options).unwrap().hits;
    hits.into_iter().map(|hit| hit.id).collect()
}

#[test]
fn a_field_written_beside_a_record_counts_for_filters_facets_and_the_record() {
    let mut engine = open(1);
    assert_eq!(ids(&engine, r#"{"salience":{"lt":1}}"#), [""; 0]);
    assert!(engine.set_field(key("b"), "salience", Json::Float(0.25), None).unwrap());
    assert!(!engine.set_field(key("z"), "salience", Json::Float(0.25), None).unwrap());
    assert_eq!(ids(&engine, r#"{"salience":{"lt":1}}"#), ["b"]);
    assert_eq!(ids(&engine, r#"{"salience":1}"#), ["a"]);
    assert_eq!(engine.record(key("b")).unwrap().unwrap().json().get("salience"), Some(&Json::Float(0.25)));
    let options = SearchOptions {
        facets: vec!["salience".into()],
        mode: Some("keyword".into()),
        ..SearchOptions::default()
    };
    let facets = engine.search("apple", &options).unwrap().facets;
    let counted = facets[0].values.iter().map(|value| (value.value.as_str(), value.count));
    assert_eq!(counted.collect::<Vec<_>>(), [("0.25", 1), ("1", 1)]);
}

#[test]
fn a_snapshot_and_changes_keep_what_was_written() {
    let mut engine = open(1);
    engine.set_field(key("b"), "salience", Json::Float(0.5), None).unwrap();
    engine.take_line("usage", &json(r#"{"session":"s1","record":"b","usage":"recalled","at":7}"#)).unwrap();
    let again = Engine::open(engine.snapshot().unwrap()).unwrap();
    let mut applied = open(2);
    applied.apply(engine.changes().unwrap()).unwrap();
    for other in [&again, &applied] {
        other.verify().unwrap();
        assert_eq!(ids(other, r#"{"salience":0.5}"#), ["b"]);
        assert_eq!(other.state().unwrap().lines(), engine.state().unwrap().lines());
        assert!(other.snapshot().unwrap() == engine.snapshot().unwrap());
    }
}

#[test]
fn a_record_that_is_written_anew_forgets_what_was_written_beside_it() {
    let mut engine = open(1);
    engine.set_field(key("a"), "salience", Json::Float(0.5), None).unwrap();
    engine.add([&record("a", "ripe apple")]).unwrap();
    assert_eq!(ids(&engine, r#"{"salience":0.5}"#), [""; 0]);
    engine.set_field(key("a"), "salience", Json::Float(0.75), None).unwrap();
    assert_eq!(ids(&engine, r#"{"salience":0.75}"#), ["a"]);
    engine.remove([key("a")]).unwrap();
    assert!(engine.state().unwrap().changed_fields().next().is_none());
}

#[test]
fn lines_built_and_lines_added_at_run_time_give_the_same_bytes() {
    let mut engine = Engine::empty(&schema()).unwrap().with_clock(|| 1e12).with_writer(9);
    for (id, body) in [("a", "red apple"), ("b", "green apple"), ("c", "blue plum")] {
        engine.add([&record(id, body)]).unwrap();
    }
    engine.take_line("link", &json(r#"{"from":"a","to":"b"}"#)).unwrap();
    engine.take_line("session", &json(r#"{"id":"s1","projectId":"p","startedAt":1}"#)).unwrap();
    assert!(engine.snapshot().unwrap() == base());
}

/// Makes pseudo-random writes; the same seed gives the same writes.
fn write_some(engine: &mut Engine, seed: u64) {
    let mut random = seed;
    let mut below = |end: u64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % end
    };
    for number in 0..12 {
        let id = ["a", "b", "c", "d", "e"][below(5) as usize];
        let now = Some(below(6) as f64);
        match below(5) {
            0 | 1 => _ = engine.add([&record(id, &format!("apple {seed} {number}"))]).unwrap(),
            2 => _ = engine.remove([key(id)]).unwrap(),
            3 => {
                _ = engine.set_field(key(id), "salience", Json::Float(below(99) as f64 / 100.0), now).unwrap()
            }
            _ => {
                let line = format!(
                    r#"{{"session":"s{}","record":"{id}","usage":"recalled","at":{number}}}"#,
                    below(3)
                );
                engine.take_line("usage", &json(&line)).unwrap();
            }
        }
    }
}

#[test]
fn the_changes_of_two_tabs_applied_in_any_order_give_the_same_bytes() {
    for seed in 0..150 {
        let (mut left, mut right) = (open(1), open(2));
        write_some(&mut left, seed * 2 + 1);
        write_some(&mut right, seed * 2 + 2);
        let (one, two) = (left.changes().unwrap(), right.changes().unwrap());
        let applied = |order: [&Vec<u8>; 3]| {
            let mut engine = open(3);
            order.iter().for_each(|changes| engine.apply((*changes).clone()).unwrap());
            engine.verify().unwrap();
            engine.snapshot().unwrap()
        };
        let expected = applied([&one, &two, &two]);
        assert!(applied([&two, &one, &two]) == expected, "seed {seed}");
        // Two tabs that apply each other's changes reach the same state.
        left.apply(two.clone()).unwrap();
        right.apply(one.clone()).unwrap();
        assert!(left.snapshot().unwrap() == expected, "seed {seed}");
        assert!(right.snapshot().unwrap() == expected, "seed {seed}");
        assert!(applied([&left.changes().unwrap(), &one, &two]) == expected, "seed {seed}");
    }
}
