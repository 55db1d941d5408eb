//! Builds from records and vector lines in any order; it must not panic. The snapshot must equal one that is built from the
//! remaining records one by one, each with its final vectors.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::json::Json;
use snapseek::segment::{BatchWriter, Embedders};
use snapseek::{Builder, Engine, Key, Record, Schema};
use snapseek_fuzz::{samples, seeds};

/// A remaining record, and for each model the vector from a vector line, if any.
struct Expected {
    record: Record,
    own: Vec<Option<Vec<f32>>>,
}

// Input: lines. A record after `-` is removed, a line with `"$": "vector"` is a vector, any other record is added.
fuzz_target!(
    init: seeds::write(seeds),
    |input: &[u8]| {
        let schema = samples::golden_schema();
        let mut builder = Builder::new(&schema).expect("the schema is good");
        let mut expected: Vec<Expected> = Vec::new();
        let mut loose: Vec<(Record, usize, Vec<f32>)> = Vec::new();
        for line in input.split(|&byte| byte == b'\n') {
            let (is_gone, line) = line.strip_prefix(b"-").map_or((false, line), |line| (true, line));
            let Some(record) = Json::parse(line).ok().and_then(|json| Record::from_json(json).ok()) else { continue };
            if is_gone {
                builder.remove(key(&record));
                expected.retain(|other| key(&other.record) != key(&record));
            } else if record.json().get("$").and_then(Json::as_str) == Some("vector") {
                if builder.add_vector(&record).is_ok() {
                    let (model, vector) = read(&schema, &record);
                    loose.push((record, model, vector));
                }
            } else if builder.add(&record).is_ok() {
                expected.retain(|other| key(&other.record) != key(&record));
                expected.push(Expected { own: vec![None; schema.models().len()], record });
            }
        }
        // The builder finds vectors of different widths only when it finishes.
        let Ok(bytes) = builder.finish() else { return };
        for (line, model, vector) in loose {
            for expected in expected.iter_mut().filter(|expected| key(&expected.record) == key(&line)) {
                expected.own[model] = Some(vector.clone());
            }
        }
        let built = Engine::open(bytes.clone()).expect("a built snapshot can be opened");
        assert_eq!(built.verify(), Ok(()));
        // A vector without a record also settles the width of its model, so use the schema of the built snapshot.
        assert!(one_by_one(built.schema(), &expected) == bytes, "every record has its final vectors");
    }
);

/// Builds a snapshot of records that come with their vectors.
fn one_by_one(schema: &Schema, expected: &[Expected]) -> Vec<u8> {
    let embedders = Embedders::with_tables(schema, &[]).expect("no model has a table");
    let mut writer = BatchWriter::new(schema).expect("the schema is good");
    for Expected { record, own } in expected {
        let mut vectors = embedders.vectors(schema, record);
        vectors.resize(schema.models().len(), None);
        for (place, (_, model)) in schema.models().enumerate() {
            let carried = model.field.as_deref().and_then(|field| numbers(record.json().get(field)));
            vectors[place] = own[place].clone().or(carried).or(vectors[place].take());
        }
        let stored = Record::from_json(schema.stored_json(record).into_owned()).expect("it was one before");
        writer.add_with(&stored, &vectors).expect("it was taken before");
    }
    let mut builder = Builder::new(schema).expect("the schema is good");
    builder.push(writer.finish()).expect("there is room");
    builder.finish().expect("there is room")
}

/// Returns the model and the vector of an accepted vector line.
fn read(schema: &Schema, line: &Record) -> (usize, Vec<f32>) {
    let name = line.json().get("model").and_then(Json::as_str).expect("there are several models");
    let (model, _) = schema.model(name).expect("it was found before");
    (model, numbers(line.json().get("vector")).expect("it was read before"))
}

fn numbers(json: Option<&Json>) -> Option<Vec<f32>> {
    let Some(Json::Array(numbers)) = json else { return None };
    Some(numbers.iter().map(|number| number.as_f64().expect("it was read before") as f32).collect())
}

fn key(record: &Record) -> Key<'_> {
    Key { id: record.id(), kind: record.kind() }
}

fn seeds() -> Vec<Vec<u8>> {
    let mixed = br#"{"id":1,"title":"one","embedding":[1,0,2]}
{"$":"vector","id":2,"model":"wide","vector":[0.5,0.25,1]}
{"id":2,"title":"two"}
{"$":"vector","id":1,"model":"small","vector":[3,2,1]}
{"$":"vector","id":1,"model":"small","vector":[1,2,3]}
-{"id":2}
{"id":3,"title":"three","kind":"note"}
{"$":"vector","id":3,"kind":"note","model":"bits","vector":[1,-1,1]}
{"$":"vector","id":4,"model":"far","vector":[1,1,1]}
{"$":"vector","id":3,"kind":"note","model":"hash","vector":[1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]}
{"id":2,"title":"two again","embedding":[9,9,9]}"#;
    let golden = include_bytes!("../../tests/golden/records.jsonl");
    vec![mixed.to_vec(), [&golden[..], mixed].concat(), golden.to_vec()]
}
