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
        mode: Some(snapseek::recipe::hybrid::Mode::Keyword),
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
        mode: Some(snapseek::recipe::hybrid::Mode::Keyword),
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

/// A random generator; the same seed gives the same numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

/// Makes one random write of any kind; `number` makes its content unique.
fn write_one(engine: &mut Engine, random: &mut Random, number: usize) {
    let id = ["a", "b", "c", "d", "e"][random.below(5) as usize];
    let now = Some(random.below(6) as f64);
    match random.below(7) {
        0 | 1 => _ = engine.add([&record(id, &format!("apple {number}"))]).unwrap(),
        2 => _ = engine.remove([key(id)]).unwrap(),
        3 => {
            let salience = Json::Float(random.below(99) as f64 / 100.0);
            _ = engine.set_field(key(id), "salience", salience, now).unwrap();
        }
        4 => {
            let weight = [String::new(), format!(r#","weight":{number}"#)][random.below(2) as usize].clone();
            engine.take_line("link", &json(&format!(r#"{{"from":"{id}","to":"a"{weight}}}"#))).unwrap();
        }
        5 => {
            let line = format!(r#"{{"id":"s{}","summary":"{number}"}}"#, random.below(3));
            engine.take_line("session", &json(&line)).unwrap();
        }
        _ => {
            let (session, at) = (random.below(3), number % 3);
            let line = format!(r#"{{"session":"s{session}","record":"{id}","usage":"recalled","at":{at}}}"#);
            engine.take_line("usage", &json(&line)).unwrap();
        }
    }
}

fn write_some(engine: &mut Engine, seed: u64) {
    let mut random = Random(seed);
    (0..12).for_each(|number| write_one(engine, &mut random, seed as usize * 100 + number));
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

#[test]
fn a_bare_link_and_a_bare_session_travel_with_changes() {
    let mut engine = open(1);
    engine.take_line("link", &json(r#"{"from":"b","to":"c"}"#)).unwrap();
    engine.take_line("session", &json(r#"{"id":"s2"}"#)).unwrap();
    let mut other = open(2);
    other.apply(engine.changes().unwrap()).unwrap();
    let state = other.state().unwrap();
    let links = state.links_of("c").map(|link| (link.from, link.to, link.relation));
    assert_eq!(links.collect::<Vec<_>>(), [("b", "c", "related")]);
    assert_eq!(state.session("s2").map(|session| session.id), Some("s2"));
    assert!(other.snapshot().unwrap() == engine.snapshot().unwrap());
    // A third engine that applies the changes of the second one has the same state.
    let mut third = open(3);
    third.apply(other.changes().unwrap()).unwrap();
    assert!(third.snapshot().unwrap() == engine.snapshot().unwrap());
}

fn use_in(engine: &mut Engine, session: &str) {
    let line = format!(r#"{{"session":"{session}","record":"a","usage":"recalled","at":7}}"#);
    engine.take_line("usage", &json(&line)).unwrap();
}

fn latest_session(engine: &Engine) -> String {
    engine.state().unwrap().latest_usage_of("a").unwrap().session.clone()
}

#[test]
fn usages_of_one_millisecond_keep_their_order_in_snapshots_and_changes() {
    // The last use is not the last in the order of the session names.
    for order in [["s1", "s2", "s3"], ["s3", "s2", "s1"], ["s1", "s3", "s2"]] {
        let mut engine = open(1);
        order.iter().for_each(|session| use_in(&mut engine, session));
        let sessions = |engine: &Engine| {
            engine.state().unwrap().usages_of("a").map(|usage| usage.session.clone()).collect::<Vec<_>>()
        };
        assert_eq!(sessions(&engine), order);
        let reopened = Engine::open(engine.snapshot().unwrap()).unwrap();
        let twice = Engine::open(reopened.snapshot().unwrap()).unwrap();
        let mut applied = open(2);
        applied.apply(engine.changes().unwrap()).unwrap();
        for other in [&engine, &reopened, &twice, &applied] {
            assert_eq!(latest_session(other), order[2]);
            assert_eq!(sessions(other), order);
            assert_eq!(other.state().unwrap().lines(), engine.state().unwrap().lines());
            other.verify().unwrap();
        }
        // Built lines keep their order, as lines that are added at run time do.
        let mut builder = Builder::new(&schema()).unwrap();
        for line in reopened.state().unwrap().lines() {
            builder.take_line(line.get("$").unwrap().as_str().unwrap(), &line).unwrap();
        }
        assert_eq!(latest_session(&Engine::open(builder.finish().unwrap()).unwrap()), order[2]);
    }
}

fn title(engine: &Engine, id: &str) -> Option<String> {
    let record = engine.record(key(id)).unwrap()?;
    Some(record.json().get("body").unwrap().as_str().unwrap().to_owned())
}

/// Compacts an engine as a store does, and opens the new snapshot as another writer.
fn compact(engine: &Engine, writer: u64) -> Engine {
    Engine::open(engine.compacted_snapshot().unwrap()).unwrap().with_writer(writer)
}

#[test]
fn a_compacted_snapshot_refuses_older_writes() {
    let mut first = open(1);
    first.add([&record("x", "old")]).unwrap();
    first.add([&record("y", "old")]).unwrap();
    first.set_field(key("b"), "salience", Json::Float(0.25), None).unwrap();
    let stale = first.changes().unwrap();
    first.add([&record("x", "new")]).unwrap();
    first.remove([key("y")]).unwrap();
    first.set_field(key("b"), "salience", Json::Float(0.75), None).unwrap();
    let once = compact(&first, 2);
    for mut engine in [compact(&once, 4), compact(&compact(&once, 3), 5), once] {
        engine.apply(stale.clone()).unwrap();
        assert_eq!(title(&engine, "x").as_deref(), Some("new"));
        assert_eq!(title(&engine, "y"), None);
        assert_eq!(ids(&engine, r#"{"salience":0.75}"#), ["b"]);
        engine.verify().unwrap();
        assert!(
            engine.snapshot().unwrap() == first.snapshot().unwrap(),
            "no stamp is left in a plain snapshot"
        );
        // The compacted snapshot holds all writes, so there are no changes left.
        let mut other = open(6);
        other.apply(engine.changes().unwrap()).unwrap();
        assert!(other.snapshot().unwrap() == base());
    }
}

#[test]
fn a_write_after_a_compaction_is_later_than_all_before_even_if_the_clock_stands() {
    let mut first = open(1).with_clock(|| 5000.0);
    first.add([&record("x", "old")]).unwrap();
    let before = first.changes().unwrap();
    // The clock of the second engine is behind.
    let mut second = compact(&first, 2).with_clock(|| 1.0);
    second.add([&record("x", "new")]).unwrap();
    first.apply(second.changes().unwrap()).unwrap();
    second.apply(before).unwrap();
    for engine in [&first, &second] {
        assert_eq!(title(engine, "x").as_deref(), Some("new"));
    }
}

#[test]
fn changes_since_a_compaction_hold_what_came_after_it_and_all_changes_hold_all() {
    let mut first = open(1);
    first.add([&record("x", "one"), &record("y", "one")]).unwrap();
    first.remove([key("a")]).unwrap();
    first.take_line("link", &json(r#"{"from":"b","to":"c"}"#)).unwrap();
    let mut second = compact(&first, 2);
    second.remove([key("y")]).unwrap();
    second.add([&record("z", "two")]).unwrap();
    // Apply the changes to the compacted snapshot.
    let mut third = compact(&first, 3);
    third.apply(second.changes().unwrap()).unwrap();
    assert!(third.snapshot().unwrap() == second.snapshot().unwrap());
    // Apply the changes to the snapshot before the compaction, and to another edition of it.
    let mut renewed = open(4);
    assert_eq!(open(6).all_changes().unwrap(), None);
    renewed.apply(second.all_changes().unwrap().unwrap()).unwrap();
    assert!(renewed.snapshot().unwrap() == second.snapshot().unwrap());
    let mut alone = open(5);
    alone.apply(second.changes().unwrap()).unwrap();
    assert_eq!((title(&alone, "x"), title(&alone, "z")), (None, Some("two".to_owned())));
}

#[test]
fn an_engine_that_moves_to_a_compacted_snapshot_keeps_its_own_later_writes() {
    let mut left = open(1).with_clock(|| 10.0);
    let mut right = open(2).with_clock(|| 20.0);
    left.add([&record("x", "left"), &record("y", "left"), &record("z", "left")]).unwrap();
    right.add([&record("x", "right")]).unwrap();
    right.remove([key("a")]).unwrap();
    left.rebase(right.compacted_snapshot().unwrap()).unwrap();
    assert_eq!(["x", "y", "a"].map(|id| title(&left, id).is_some()), [true, true, false]);
    assert_eq!(title(&left, "x").as_deref(), Some("right"), "it was written later");
    left.add([&record("x", "left again")]).unwrap();
    right.apply(left.changes().unwrap()).unwrap();
    assert_eq!(title(&right, "x").as_deref(), Some("left again"), "although its clock is behind");
    assert!(right.snapshot().unwrap() == left.snapshot().unwrap());
    let other = Builder::new(&serde_json::from_str(r#"{"fields":{"text":{}}}"#).unwrap()).unwrap();
    assert!(left.rebase(other.finish().unwrap()).is_err());
    assert!(right.snapshot().unwrap() == left.snapshot().unwrap(), "and a refused move changes nothing");
}

/// A store like that of `snapseek/persist`, in memory.
struct StoreModel {
    snapshot: Vec<u8>,
    changes: Vec<u8>,
    compactions: usize,
}

/// An engine, and the number of the compaction whose snapshot it has open.
struct StoreWriter {
    engine: Engine,
    number: u64,
    compactions: usize,
}

impl StoreModel {
    fn save(&mut self, writer: &mut StoreWriter) {
        if writer.compactions != self.compactions {
            writer.engine.rebase(self.snapshot.clone()).unwrap();
            writer.compactions = self.compactions;
        }
        writer.engine.apply(self.changes.clone()).unwrap();
        self.changes = writer.engine.changes().unwrap();
    }

    fn open(&self, number: u64) -> StoreWriter {
        let mut engine = Engine::open(self.snapshot.clone()).unwrap().with_writer(number);
        engine.apply(self.changes.clone()).unwrap();
        StoreWriter { engine, number, compactions: self.compactions }
    }

    fn compact(&mut self, writer: &mut StoreWriter) {
        self.save(writer);
        self.snapshot = writer.engine.compacted_snapshot().unwrap();
        self.changes = Engine::open(self.snapshot.clone()).unwrap().changes().unwrap();
        self.compactions += 1;
        *writer = self.open(writer.number);
    }
}

/// Returns all records, links, sessions and usages. Records are sorted, because compactions may change their row order.
fn content(engine: &Engine) -> Vec<String> {
    let mut records = Vec::new();
    let push = |text: &[u8]| {
        records.push(String::from_utf8(text.to_vec()).unwrap());
        true
    };
    engine.each_record(push).unwrap();
    records.sort();
    records.extend(engine.state().unwrap().lines().iter().map(Json::to_text));
    records
}

#[test]
fn any_history_with_compactions_ends_where_applying_all_changes_ends() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let changes = open(0).changes().unwrap();
        let mut store = StoreModel { snapshot: base(), changes, compactions: 0 };
        let mut writers = [1, 2, 3].map(|number| store.open(number));
        // This engine applies all changes to the first snapshot, and knows no compaction.
        let mut reference = open(4);
        for number in 0..60 {
            let writer = &mut writers[random.below(3) as usize];
            match random.below(12) {
                0..7 => write_one(&mut writer.engine, &mut random, number),
                7..10 => {
                    store.save(writer);
                    reference.apply(store.changes.clone()).unwrap();
                }
                10 => {
                    store.save(writer);
                    reference.apply(store.changes.clone()).unwrap();
                    store.compact(writer);
                }
                _ => *writer = store.open(writer.number),
            }
        }
        for writer in &mut writers {
            store.save(writer);
            reference.apply(store.changes.clone()).unwrap();
        }
        let end = store.open(5).engine;
        end.verify().unwrap();
        assert_eq!(content(&end), content(&reference), "seed {seed}");
        assert_eq!(content(&writers[2].engine), content(&reference), "seed {seed}");
        // All changes can be applied to a newer edition of the first snapshot.
        let mut renewed = open(6);
        if let Some(all) = end.all_changes().unwrap() {
            renewed.apply(all).unwrap();
        }
        assert_eq!(content(&renewed), content(&reference), "seed {seed}");
    }
}
