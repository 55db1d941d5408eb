//! Writes lines as records and reads them again; it must not panic, and the export must hold each key's last record. Building
//! records at once, adding them one by one, and applying them as changes must give the same snapshot bytes. Every record
//! must be found by its key, and by the first word of each of its texts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::analysis::{Analyzer, Purpose};
use snapseek::json::Json;
use snapseek::{Builder, Engine, Key, MatchOptions, Record, Schema};
use snapseek_fuzz::{ask, samples, seeds};

// Input: u8 choices, then lines. A record after `-` is removed; any other record is added.
fuzz_target!(
    init: seeds::write(seeds),
    |input: &[u8]| {
        let Some((&choice, lines)) = input.split_first() else { return };
        let schema = schema(choice);
        let mut builder = Builder::new(&schema).expect("the schema is good");
        let mut engine = Engine::empty(&schema).expect("the schema is good");
        let mut expected: Vec<Record> = Vec::new();
        for line in lines.split(|&byte| byte == b'\n') {
            let (is_gone, line) = line.strip_prefix(b"-").map_or((false, line), |line| (true, line));
            let Some(record) = Json::parse(line).ok().and_then(|json| Record::from_json(json).ok()) else { continue };
            let is_same = |other: &Record| other.id() == record.id() && other.kind() == record.kind();
            if is_gone {
                builder.remove(key(&record));
                let removed = engine.remove([key(&record)]).expect("the engine is good").replaced;
                assert_eq!(removed, expected.iter().filter(|other| is_same(other)).count());
            } else {
                let (built, added) = (builder.add(&record), engine.add([&record]));
                assert_eq!(built.is_ok(), added.is_ok(), "{built:?} {added:?}");
                if built.is_err() {
                    continue;
                }
            }
            expected.retain(|other| !is_same(other));
            if !is_gone {
                // Stored records do not include their vectors.
                let stored = schema.stored_json(&record).into_owned();
                expected.push(Record::from_json(stored).expect("it was a record before"));
            }
        }
        let bytes = builder.finish().expect("there is room");
        let texts = expected.iter().map(|record| record.json().to_text().into_bytes()).collect::<Vec<_>>();
        let built = Engine::open(bytes.clone()).expect("a built snapshot can be opened");
        assert_eq!(built.verify(), Ok(()));
        assert_eq!(ask::export(&built).as_ref(), Ok(&texts), "the export equals the input");
        assert_eq!(ask::export(&engine).as_ref(), Ok(&texts), "the export equals the input");
        assert!(engine.snapshot().as_ref() == Ok(&bytes), "adding gives the same bytes as building");
        let mut other = Engine::empty(&schema).expect("the schema is good");
        other.apply(engine.changes().expect("the engine is good")).expect("changes can be applied");
        assert!(other.snapshot().as_ref() == Ok(&bytes), "applying changes gives the same bytes");
        let analyzer = schema.analyzer().expect("the schema is good");
        for engine in [&built, &engine] {
            expected.iter().for_each(|record| check_found(engine, &analyzer, record));
        }
    }
);

fn check_found(engine: &Engine, analyzer: &Analyzer, record: &Record) {
    assert_eq!(engine.record(key(record)).as_ref(), Ok(&Some(record.clone())));
    for field in engine.schema().field_names() {
        let Some(text) = record.text(field) else { continue };
        let mut first = None;
        analyzer.spans(&text, Purpose::Document, |span| {
            first.get_or_insert(span);
        });
        let Some(span) = first else { continue };
        // These tokenizers treat quotation marks and NUL as separators, so a word never contains them.
        let expression = format!("{field} : ^\"{}\"", &text[span.start..span.end]);
        let rows = engine
            .matches(&expression, &MatchOptions::default())
            .expect("a quoted word is a valid expression");
        assert!(rows.iter().any(|row| row.id == record.id() && row.kind == record.kind()), "{expression}");
    }
}

fn key(record: &Record) -> Key<'_> {
    Key { id: record.id(), kind: record.kind() }
}

fn schema(choice: u8) -> Schema {
    let schema = if choice & 1 == 0 { samples::golden_schema() } else { samples::crowd_schema() };
    let schema = if choice & 2 == 0 { schema } else { schema.with_forms() };
    let schema = if choice & 4 == 0 { schema } else { schema.with_cjk_bigrams() };
    if choice & 8 == 0 {
        schema
    } else {
        schema.with_tokenizer("unicode61 remove_diacritics 2").expect("it is known")
    }
}

fn seeds() -> Vec<Vec<u8>> {
    let golden = include_bytes!("../../tests/golden/records.jsonl");
    let mut seeds = (0..16).map(|choice| seeds::with_choice(choice, golden)).collect::<Vec<_>>();
    let changed = br#"{"id":"a","title":"one"}
{"id":"b","title":"two two","body":"x","tags":["t"]}
-{"id":"a"}
{"id":"b","title":"three","createdAt":"2024-01-01T10:00:00.5Z"}
{"id":"a","kind":"note","size":0.5}
-{"id":"none"}"#;
    seeds.extend((0..16).map(|choice| seeds::with_choice(choice, changed)));
    let files = [seeds::files("tests/cases"), seeds::files("www/corpus")].concat();
    for (file, choice) in files.iter().zip((0u8..16).cycle()) {
        let lines = file
            .split(|&byte| byte == b'\n')
            .map(|line| line.trim_ascii().strip_suffix(b",").unwrap_or(line))
            .collect::<Vec<_>>();
        seeds.extend(lines.chunks(3).map(|lines| seeds::with_choice(choice, &lines.join(&b'\n'))));
    }
    seeds
}
