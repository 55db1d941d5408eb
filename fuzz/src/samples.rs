//! Valid records and snapshots.

use snapseek::attributes::AttributeType;
use snapseek::json::Json;
use snapseek::snapshot::encode;
use snapseek::{Builder, Engine, Key, Record, Schema};
use std::sync::OnceLock;

/// The golden snapshot of the tests: a few difficult records, with stems, bigrams and written forms.
pub const GOLDEN: &[u8] = include_bytes!("../../tests/golden/v2.snap");

/// Returns the schema of [`GOLDEN`].
pub fn golden_schema() -> Schema {
    serde_json::from_slice(include_bytes!("../../tests/golden/schema.json")).expect("the tests read it, too")
}

/// Parses records from JSON lines, and ignores invalid lines.
pub fn records(lines: &[u8]) -> Vec<Record> {
    let lines = lines.split(|&byte| byte == b'\n');
    lines.filter_map(|line| Record::from_json(Json::parse(line).ok()?).ok()).collect()
}

/// Returns the records of [`GOLDEN`].
pub fn golden_records() -> Vec<Record> {
    records(include_bytes!("../../tests/golden/records.jsonl"))
}

/// Returns enough records for posting lists of several blocks, several blocks of documents, and plain columns.
pub fn crowd() -> Vec<Record> {
    let record = |i: usize| {
        let (kind, tag) = (["note", "document"][i % 2], ["fox", "dog", "owl", "elk", "cat"][i % 5]);
        let body = format!("{} over the lazy {tag}", "quick fox ".repeat(i % 4));
        let size = ["0.5", "7", "null", "-1e9"][i % 4];
        let text = format!(
            r#"{{"id":{i},"kind":"{kind}","title":"the {tag} {}","body":"{body}","topic":"{tag}","tags":["{tag}","id"],"size":{size},"done":{},"createdAt":{}}}"#,
            i % 10,
            i.is_multiple_of(3),
            i * 86_400_000,
        );
        Record::from_json(Json::parse(text.as_bytes()).expect("it is JSON")).expect("it is a record")
    };
    (0..150).map(record).collect()
}

/// Returns a schema for [`crowd`]: no stemming, and weights whose sums are rounded.
pub fn crowd_schema() -> Schema {
    use AttributeType::{Bool, Keyword, Keywords, Number, Time};
    let attributes =
        [("topic", Keyword), ("tags", Keywords), ("size", Number), ("done", Bool), ("createdAt", Time)];
    let schema = Schema::of_fields([("title", 2.3), ("body", 0.7)]).expect("two fields");
    let schema = schema.with_tokenizer("unicode61").expect("a known tokenizer");
    let add = |schema: Schema, (name, kind)| schema.with_attribute(name, kind).expect("a new name");
    attributes.into_iter().fold(schema, add)
}

/// Builds a snapshot of records.
///
/// # Panics
/// Panics when a record does not fit the schema.
pub fn snapshot(schema: &Schema, records: &[Record]) -> Vec<u8> {
    let mut builder = Builder::new(schema).expect("the schema is good");
    records.iter().for_each(|record| builder.add(record).expect("the record is good"));
    builder.finish().expect("there is room")
}

/// Returns valid snapshots to forge others from.
pub fn snapshots() -> &'static [Vec<u8>] {
    static SNAPSHOTS: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    SNAPSHOTS.get_or_init(|| vec![GOLDEN.to_vec(), snapshot(&crowd_schema(), &crowd())])
}

/// Returns [`snapshots`] with their documents in other files, and these files.
pub fn split() -> &'static (Vec<Vec<u8>>, Vec<Vec<Vec<u8>>>) {
    static SPLIT: OnceLock<(Vec<Vec<u8>>, Vec<Vec<Vec<u8>>>)> = OnceLock::new();
    SPLIT.get_or_init(|| {
        let split = |bytes: &Vec<u8>| {
            let engine = Engine::open(bytes.clone()).expect("it is good");
            // This size gives several files, and no block is longer.
            let split = engine.split_snapshot(5_000).expect("no block is longer");
            let file = |file| {
                let mut bytes = Vec::new();
                split.write_file(file, &mut bytes).expect("writing to a vector never fails");
                bytes
            };
            (encode(&split.sections), (0..split.suffixes().len()).map(file).collect::<Vec<_>>())
        };
        snapshots().iter().map(split).unzip()
    })
}

/// Returns changes that add, replace and remove records, one for each of [`snapshots`].
pub fn changes() -> &'static [Vec<u8>] {
    static CHANGES: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    CHANGES.get_or_init(|| {
        let changes = |bytes: &Vec<u8>| {
            let mut engine = Engine::open(bytes.clone()).expect("it is good");
            engine.add(&newcomers()).expect("they fit");
            let gone = [("7", "note"), ("first", "document"), ("12", "document"), ("new", "note")];
            engine.remove(gone.map(|(id, kind)| Key { id, kind })).expect("it is good");
            engine.changes().expect("it is good")
        };
        snapshots().iter().map(changes).collect()
    })
}

/// Returns records that are new to each of [`snapshots`], or replace one of its records.
pub fn newcomers() -> Vec<Record> {
    records(
        br#"{"id":"new","title":"A new fox","body":"quick and new","tags":["new"],"size":3,"createdAt":"2025-01-01"}
{"id":"new","kind":"note","title":"Soon gone"}
{"id":"numbers","title":"Another text for the fox","done":true}
{"id":13,"kind":"document","title":"the replaced one","topic":"fox"}"#,
    )
}
