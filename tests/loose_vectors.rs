//! Do vectors on separate lines give the same snapshot as vectors inside records?

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::schema::VectorModel;
use snapseek::segment::{Batch, BatchWriter};
use snapseek::vector::Encoding;
use snapseek::{Builder, Key, Record, Schema};

const RECORDS: usize = 60;

fn schema(encoding: Encoding) -> Schema {
    let model = VectorModel { encoding, field: Some("embedding".to_owned()), ..VectorModel::default() };
    Schema::of_fields([("title", 1.0)]).unwrap().with_vectors("small", model).unwrap()
}

fn parsed(text: &str) -> Record {
    Record::from_json(Json::parse(text.as_bytes()).unwrap()).unwrap()
}

fn vector(id: usize, version: usize) -> String {
    format!("[{}, {}, 0.5]", id + 1, version)
}

fn record(id: usize, embedding: &str) -> Record {
    parsed(&format!(r#"{{"id":{id},"title":"word{}","embedding":{embedding}}}"#, id % 7))
}

fn line(id: usize, version: usize) -> Record {
    parsed(&format!(r#"{{"$":"vector","id":{id},"vector":{}}}"#, vector(id, version)))
}

fn snapshot(schema: &Schema, fill: impl Fn(&mut Builder)) -> Vec<u8> {
    let mut builder = Builder::new(schema).unwrap();
    fill(&mut builder);
    builder.finish().unwrap()
}

fn batch(schema: &Schema, fill: impl Fn(&mut BatchWriter)) -> Batch {
    let mut writer = BatchWriter::new(schema).unwrap();
    fill(&mut writer);
    writer.finish()
}

/// Every third record has no vector, and every fifth is removed in the end.
fn carried(schema: &Schema) -> Vec<u8> {
    snapshot(schema, |builder| {
        for id in 0..RECORDS {
            let embedding = if id % 3 == 0 { "null".to_owned() } else { vector(id, 2) };
            builder.add(&record(id, &embedding)).unwrap();
        }
        remove_some(builder);
    })
}

fn remove_some(builder: &mut Builder) {
    (0..RECORDS).step_by(5).for_each(|id| builder.remove(Key { id: &id.to_string(), kind: "document" }));
}

fn has_vector(id: &usize) -> bool {
    !id.is_multiple_of(3)
}

#[test]
fn before_after_and_instead_of_those_that_records_carry() {
    for encoding in Encoding::ALL {
        let schema = schema(encoding);
        let expected = carried(&schema);
        let before = snapshot(&schema, |builder| {
            (0..RECORDS).filter(has_vector).rev().for_each(|id| builder.add_vector(&line(id, 2)).unwrap());
            (0..RECORDS).for_each(|id| builder.add(&record(id, "null")).unwrap());
            remove_some(builder);
        });
        assert_eq!(before, expected, "{encoding:?}, before the records");
        let instead = snapshot(&schema, |builder| {
            for id in 0..RECORDS {
                let embedding =
                    if id % 2 == 0 && has_vector(&id) { vector(id, 9) } else { "null".to_owned() };
                builder.add(&record(id, &embedding)).unwrap();
            }
            remove_some(builder);
            for version in [1, 2] {
                (0..RECORDS)
                    .filter(has_vector)
                    .for_each(|id| builder.add_vector(&line(id, version)).unwrap());
            }
            builder.add_vector(&line(1_000_000, 3)).unwrap();
        });
        assert_eq!(instead, expected, "{encoding:?}, after the records, the last of several");
    }
}

#[test]
fn in_other_batches_than_their_records() {
    let schema = schema(Encoding::I8);
    let expected = carried(&schema);
    let found = snapshot(&schema, |builder| {
        let half = RECORDS / 2;
        builder
            .push(batch(&schema, |writer| {
                (half..RECORDS).filter(has_vector).for_each(|id| writer.add_vector(&line(id, 2)).unwrap());
            }))
            .unwrap();
        for records in [0..half, half..RECORDS] {
            let add = |writer: &mut BatchWriter| {
                records.clone().for_each(|id| writer.add(&record(id, "null")).unwrap());
            };
            builder.push(batch(&schema, add)).unwrap();
        }
        (0..half).filter(has_vector).for_each(|id| builder.add_vector(&line(id, 2)).unwrap());
        remove_some(builder);
    });
    assert_eq!(found, expected);
}

#[test]
fn what_no_model_can_take_is_refused_with_the_record_named() {
    let one = schema(Encoding::I8);
    let two = one.clone().with_vectors("large", VectorModel::default()).unwrap();
    let none = Schema::of_fields([("title", 1.0)]).unwrap();
    let cases = [
        (&one, r#"{"id":7}"#, "record \"7\": \"vector\" is missing"),
        (&one, r#"{"id":7,"vector":3}"#, "record \"7\": \"vector\" is a number"),
        (&one, r#"{"id":7,"vector":[]}"#, "record \"7\": its vector for \"small\" cannot be used"),
        (&one, r#"{"id":7,"vector":[0,0]}"#, "record \"7\": its vector for \"small\" cannot be used"),
        (
            &one,
            r#"{"id":7,"model":"other","vector":[1]}"#,
            "the vector of \"7\" cannot be used: the schema has no",
        ),
        (&one, r#"{"id":7,"model":1,"vector":[1]}"#, "its \"model\" is a number; use the name of a model"),
        (&two, r#"{"id":7,"vector":[1]}"#, "it has no \"model\", but the schema has several models"),
        (&none, r#"{"id":7,"vector":[1]}"#, "the schema has no vectors"),
    ];
    for (schema, text, message) in cases {
        let error = Builder::new(schema).unwrap().add_vector(&parsed(text)).unwrap_err();
        assert!(error.to_string().contains(message), "{text}: {error}");
    }
    let mut builder = Builder::new(&two).unwrap();
    builder.add_vector(&parsed(r#"{"id":7,"model":"large","vector":[1]}"#)).unwrap();
    builder.add(&record(7, "[1, 2]")).unwrap();
    assert!(builder.finish().is_ok());
}

#[test]
fn vectors_of_another_width_are_refused_with_the_record_named() {
    let mut builder = Builder::new(&schema(Encoding::I8)).unwrap();
    builder.add(&record(1, "[1, 2]")).unwrap();
    let error = builder.add_vector(&line(2, 1)).unwrap_err();
    assert!(error.to_string().starts_with("record \"2\": its vector for \"small\""), "{error}");
    let mut builder = Builder::new(&schema(Encoding::I8)).unwrap();
    builder.add_vector(&line(2, 1)).unwrap();
    builder.add(&record(1, "[1, 2]")).unwrap();
    let error = builder.finish().unwrap_err();
    assert!(error.to_string().contains("its vector for \"small\" cannot be used"), "{error}");
}
