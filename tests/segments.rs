//! After any series of writes at run time, does the engine answer like an FTS5 table with the same live rows?

#![cfg(not(target_arch = "wasm32"))]

mod support;

use snapseek::{Builder, Engine, Key, Record, SnapshotFault, WriteFault};
use std::collections::BTreeMap;
use support::expressions::{Generator, is_leftover_prone};
use support::{Compare, Oracle, Values, agree, ask_engine, record, schema};

/// A table in SQLite and an engine with the same writes. A record that replaces another is a new row in both.
struct Both {
    columns: Vec<String>,
    oracle: Oracle,
    engine: Engine,
    /// Maps each live record's number to its row.
    rows: BTreeMap<i64, (i64, Values)>,
    next_row: i64,
}

impl Both {
    fn new(generator: &mut Generator) -> Both {
        let table = generator.table();
        let oracle = Oracle::new(&table.columns, table.tokenize);
        let schema = schema(&table.columns, table.tokenize);
        let mut builder = Builder::new(&schema).unwrap();
        let mut rows = BTreeMap::new();
        let mut next_row = 1;
        for (number, values) in &table.rows {
            builder.add(&record(&table.columns, *number, values)).unwrap();
            oracle.insert(next_row, values);
            rows.insert(*number, (next_row, values.clone()));
            next_row += 1;
        }
        let engine = Engine::open(builder.finish().unwrap()).unwrap();
        Both { columns: table.columns, oracle, engine, rows, next_row }
    }

    fn add(&mut self, generator: &mut Generator) {
        let count = 1 + generator.random.below(4);
        let mut records = Vec::new();
        for _ in 0..count {
            let number = i64::try_from(generator.random.below(60)).unwrap();
            let values = self.columns.iter().map(|_| generator.value()).collect::<Values>();
            records.push(record(&self.columns, number, &values));
            if let Some((row, _)) = self.rows.remove(&number) {
                self.oracle.delete(row);
            }
            self.oracle.insert(self.next_row, &values);
            self.rows.insert(number, (self.next_row, values));
            self.next_row += 1;
        }
        self.engine.add(&records).unwrap();
    }

    fn remove(&mut self, generator: &mut Generator) {
        let number = i64::try_from(generator.random.below(60)).unwrap();
        let id = number.to_string();
        let written = self.engine.remove([Key { id: &id, kind: "document" }]).unwrap();
        let removed = self.rows.remove(&number);
        assert_eq!(written.replaced, usize::from(removed.is_some()));
        if let Some((row, _)) = removed {
            self.oracle.delete(row);
        }
    }

    fn compare(&self, engine: &Engine, generator: &mut Generator, what: &str) {
        assert_eq!(engine.len(), self.rows.len(), "{what}");
        let numbers = self.rows.iter().map(|(number, (row, _))| (row.to_string(), number.to_string()));
        let numbers = numbers.collect::<BTreeMap<_, _>>();
        for _ in 0..6 {
            let expression = generator.expression(&self.columns);
            let question = generator.question(self.columns.len());
            let mut theirs = self.oracle.ask(&expression, &question);
            if theirs.as_ref().is_err_and(|message| message.contains("malformed")) {
                continue;
            }
            if let Ok(rows) = &mut theirs {
                rows.iter_mut().for_each(|answer| answer.id = numbers[&answer.id].clone());
            }
            let compare =
                if is_leftover_prone(&expression, &self.columns) { Compare::Rows } else { Compare::All };
            if let Err(difference) = agree(&ask_engine(engine, &expression, &question), &theirs, compare) {
                panic!("{what}: {expression:?} {question:?}\n{difference}");
            }
        }
    }

    /// Returns the live records, in row order.
    fn live(&self) -> Vec<Record> {
        let mut rows = self.rows.iter().collect::<Vec<_>>();
        rows.sort_by_key(|(_, (row, _))| *row);
        rows.iter().map(|(number, (_, values))| record(&self.columns, **number, values)).collect()
    }
}

#[test]
fn after_any_series_of_writes_results_equal_those_of_an_fts5_table() {
    for seed in 1..=40 {
        let mut generator = Generator::new(1000 + seed);
        let mut both = Both::new(&mut generator);
        for step in 0..25 {
            if generator.random.chance(70) {
                both.add(&mut generator)
            } else {
                both.remove(&mut generator)
            }
            both.compare(&both.engine, &mut generator, &format!("seed {seed}, step {step}"));
        }
    }
}

#[test]
fn a_snapshot_of_written_records_has_the_bytes_of_a_build_from_them() {
    for seed in 1..=30 {
        let mut generator = Generator::new(2000 + seed);
        let mut both = Both::new(&mut generator);
        for _ in 0..20 {
            if generator.random.chance(70) { both.add(&mut generator) } else { both.remove(&mut generator) }
        }
        let mut builder = Builder::new(both.engine.schema()).unwrap();
        both.live().iter().for_each(|record| builder.add(record).unwrap());
        assert_eq!(both.engine.snapshot().unwrap(), builder.finish().unwrap(), "seed {seed}");
    }
}

#[test]
fn changes_bring_back_what_was_written_to_a_fresh_engine() {
    for seed in 1..=30 {
        let mut generator = Generator::new(3000 + seed);
        let mut both = Both::new(&mut generator);
        let snapshot = both.engine.snapshot().unwrap();
        for _ in 0..15 {
            if generator.random.chance(60) { both.add(&mut generator) } else { both.remove(&mut generator) }
        }
        let mut fresh = Engine::open(snapshot).unwrap();
        fresh.apply(both.engine.changes().unwrap()).unwrap();
        both.compare(&fresh, &mut generator, &format!("seed {seed}"));
        assert_eq!(fresh.snapshot().unwrap(), both.engine.snapshot().unwrap(), "seed {seed}");
        // Applying changes twice has no further effect.
        fresh.apply(both.engine.changes().unwrap()).unwrap();
        assert_eq!(fresh.len(), both.rows.len());
    }
}

#[test]
fn an_engine_without_a_snapshot_takes_records_and_gives_one() {
    let columns = vec!["title".to_owned()];
    let mut engine = Engine::empty(&schema(&columns, "porter unicode61")).unwrap();
    assert!(engine.is_empty());
    assert_eq!(engine.matches("quick", &Default::default()).unwrap(), []);
    engine.add(&[record(&columns, 1, &vec![Some("quick fox".to_owned())])]).unwrap();
    assert_eq!(engine.matches("quick", &Default::default()).unwrap().len(), 1);
    let again = Engine::open(engine.snapshot().unwrap()).unwrap();
    assert_eq!(again.matches("quick", &Default::default()).unwrap().len(), 1);
    again.verify().unwrap();
}

#[test]
fn a_write_that_fails_leaves_everything_as_it_was() {
    let columns = vec!["title".to_owned()];
    let mut engine = Engine::empty(&schema(&columns, "porter unicode61")).unwrap();
    engine.add(&[record(&columns, 1, &vec![Some("quick fox".to_owned())])]).unwrap();
    let before = engine.snapshot().unwrap();
    let json = snapseek::json::Json::parse(br#"{"id": "2", "title": {"not": "text"}}"#).unwrap();
    let bad = Record::from_json(json).unwrap();
    let good = record(&columns, 3, &vec![Some("slow fox".to_owned())]);
    let error = engine.add(&[good, bad]).unwrap_err();
    assert_eq!(error.to_string(), "record \"2\": \"title\" is an object, but the schema declares it as text");
    assert_eq!(engine.snapshot().unwrap(), before);
    assert_eq!(*Engine::open(engine.changes().unwrap()).unwrap_err(), SnapshotFault::IsChanges);
    let other = Engine::empty(&schema(&["body".to_owned()], "porter unicode61")).unwrap();
    assert_eq!(*engine.apply(other.changes().unwrap()).unwrap_err(), WriteFault::OtherSchema);
    assert!(engine.apply(before[..before.len() / 2].to_vec()).is_err());
    assert_eq!(engine.snapshot().unwrap(), before);
}

#[test]
fn a_record_with_one_kind_too_many_is_refused_and_the_engine_stays_as_it_was() {
    let schema = schema(&["t".to_owned()], "porter unicode61");
    let record = |number: usize| {
        let json = format!(r#"{{"id":"a","kind":"k{number}","t":"fox"}}"#);
        Record::from_json(snapseek::json::Json::parse(json.as_bytes()).unwrap()).unwrap()
    };
    let mut engine = Engine::empty(&schema).unwrap();
    for number in 0..255 {
        engine.add(&[record(number)]).unwrap();
    }
    let mut other = Engine::empty(&schema).unwrap();
    other.add(&[record(300)]).unwrap();
    assert!(engine.add(&[record(255)]).is_err());
    assert!(engine.apply(other.changes().unwrap()).is_err());
    assert_eq!(engine.len(), 255);
    assert_eq!(Engine::open(engine.snapshot().unwrap()).unwrap().len(), 255);
    // Removing the only record of a kind makes room for another kind.
    engine.remove([Key { id: "a", kind: "k7" }]).unwrap();
    engine.add(&[record(255)]).unwrap();
    assert_eq!(Engine::open(engine.snapshot().unwrap()).unwrap().len(), 255);
}

#[test]
fn a_snapshot_does_not_depend_on_threads_or_batches() {
    let mut generator = Generator::new(77);
    let columns = ["title", "body"].map(str::to_owned).to_vec();
    let schema = schema(&columns, "porter unicode61").with_forms();
    let rows = (0..900).map(|number| {
        let values = columns.iter().map(|_| generator.value()).collect::<Values>();
        record(&columns, number % 700, &values)
    });
    let records = rows.collect::<Vec<_>>();
    let mut whole = Builder::new(&schema).unwrap();
    records.iter().for_each(|record| whole.add(record).unwrap());
    let whole = whole.finish().unwrap();
    for (batch_len, threads) in [(32, 1), (100, 2), (257, 3), (899, 8)] {
        let mut builder = Builder::new(&schema).unwrap().with_threads(threads);
        for records in records.chunks(batch_len) {
            let mut writer = snapseek::segment::BatchWriter::new(&schema).unwrap();
            records.iter().for_each(|record| writer.add(record).unwrap());
            builder.push(writer.finish()).unwrap();
        }
        assert_eq!(builder.finish().unwrap(), whole, "batches of {batch_len}, {threads} threads");
    }
}
