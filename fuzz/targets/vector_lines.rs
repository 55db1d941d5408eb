//! Records and vectors on lines of their own, in any order: never a panic, and the snapshot is the one of the records that
//! are left with the vectors that are theirs in the end, taken in one after the other.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::json::Json;
use snapseek::segment::{BatchWriter, Embedders};
use snapseek::{Builder, Engine, Key, Record, Schema};
use snapseek_fuzz::{samples, seeds};

/// What a record has in the end: its vectors by model, where lines of their own brought them.
struct Expected {
    record: Record,
    own: Vec<Option<Vec<f32>>>,
}

// Lines: `-` and a record removes it, one with `"$": "vector"` is a vector, any other record is added.
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
        // Vectors may turn out to be of several widths only when all is there.
        let Ok(bytes) = builder.finish() else { return };
        for (line, model, vector) in loose {
            for expected in expected.iter_mut().filter(|expected| key(&expected.record) == key(&line)) {
                expected.own[model] = Some(vector.clone());
            }
        }
        let built = Engine::open(bytes.clone()).expect("what was built can be opened");
        assert_eq!(built.verify(), Ok(()));
        // How wide vectors are is also known from those that nobody has in the end.
        assert!(one_by_one(built.schema(), &expected) == bytes, "they are the vectors of their records");
    }
);

/// The snapshot of records that have their vectors from the beginning.
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

/// The model and the vector of a line that was taken.
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
