//! Is the file format stable, and is every truncated, flipped or forged file handled?

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::recipe::hybrid::SearchOptions;
use snapseek::snapshot::{SectionKind, Snapshot, encode};
use snapseek::{
    Builder, Column, Engine, HighlightOptions, Key, MatchOptions, MatchSnippet, Record, Schema, SnapshotFault,
};
use std::path::PathBuf;
use std::time::Instant;

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name)
}

fn built() -> Vec<u8> {
    let schema: Schema = serde_json::from_slice(&std::fs::read(golden("schema.json")).unwrap()).unwrap();
    let mut builder = Builder::new(&schema).unwrap();
    for line in std::fs::read_to_string(golden("records.jsonl")).unwrap().lines() {
        let json = Json::parse(line.as_bytes()).unwrap();
        builder.add(&Record::from_json(json).unwrap()).unwrap();
    }
    builder.finish().unwrap()
}

/// Runs everything that reads a snapshot and returns the results as one text, errors included.
fn answers(bytes: Vec<u8>) -> Result<String, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let mut engine = Engine::open(bytes).map_err(|error| text(&error))?;
    let mut out = format!("{} {:?}\n", engine.len(), engine.schema());
    let options = MatchOptions {
        snippet: Some(MatchSnippet {
            column: Column::Number(-1),
            open: "[".to_owned(),
            close: "]".to_owned(),
            ellipsis: "…".to_owned(),
            tokens: 6,
        }),
        highlight: Some(HighlightOptions {
            column: Column::Number(1),
            open: "[".to_owned(),
            close: "]".to_owned(),
        }),
        ..MatchOptions::default()
    };
    for expression in
        ["fox OR id OR the", "the AND o*", "\"the lazy\" OR NEAR(quick fox)", "title : ^the", "a* NOT fox"]
    {
        out += &format!("{:?}\n", engine.matches(expression, &options).map_err(|error| text(&error))?);
    }
    let filter =
        r#"{"or":[{"tags":"fox"},{"size":{"gte":-1}},{"done":false},{"createdAt":{"lt":"2030-01-01"}}]}"#;
    let search = SearchOptions {
        filter: Some(Json::parse(filter.as_bytes()).unwrap()),
        facets: vec!["topic".to_owned(), "tags".to_owned()],
        as_you_type: true,
        typos: 2,
        explain: true,
        records: true,
        ..SearchOptions::default()
    };
    for query in ["the quikc fo", "numbers a", "東京 quic"] {
        out += &format!("{:?}\n", engine.search(query, &search).map_err(|error| text(&error))?);
    }
    out += &format!("{:?}\n", engine.suggest("j", 5).map_err(|error| text(&error))?);
    engine
        .each_record(|record| {
            out += &String::from_utf8_lossy(record);
            true
        })
        .map_err(|error| text(&error))?;
    let record = engine.record(Key { id: "7", kind: "note" }).map_err(|error| text(&error))?;
    out += &format!("{record:?}\n");
    engine.remove([Key { id: "first", kind: "document" }]).map_err(|error| text(&error))?;
    out += &format!("{:?}\n", engine.snapshot().map_err(|error| text(&error))?.len());
    Ok(out)
}

#[test]
fn the_same_records_give_the_golden_bytes() {
    let bytes = built();
    if std::env::var_os("SNAPSEEK_WRITE_GOLDEN").is_some() {
        std::fs::write(golden("v2.snap"), &bytes).unwrap();
    }
    let committed = std::fs::read(golden("v2.snap")).unwrap();
    assert!(
        bytes == committed,
        "the format changed: raise its number, or run cargo xtask gen-golden if it is unreleased"
    );
    let engine = Engine::open(bytes).unwrap();
    engine.verify().unwrap();
    assert_eq!(engine.snapshot().unwrap(), committed);
}

#[test]
fn a_snapshot_of_format_1_opens_answers_and_is_written_anew_in_format_2() {
    let old = std::fs::read(golden("v1.snap")).unwrap();
    assert_eq!(answers(old.clone()).unwrap(), answers(built()).unwrap());
    let engine = Engine::open(old.clone()).unwrap();
    engine.verify().unwrap();
    assert_eq!(engine.snapshot().unwrap(), built());
    assert_eq!(*Engine::open_in_pieces(old).unwrap_err(), SnapshotFault::NoPieces);
}

#[test]
fn every_truncation_is_an_error() {
    let bytes = built();
    for len in 0..bytes.len() {
        assert!(Engine::open(bytes[..len].to_vec()).is_err(), "opened {len} bytes");
    }
    let mut longer = bytes.clone();
    longer.push(0);
    assert!(matches!(*Engine::open(longer).unwrap_err(), SnapshotFault::WrongLength { .. }));
}

#[test]
fn every_flipped_byte_is_an_error_or_changes_no_answer() {
    let bytes = built();
    let expected = answers(bytes.clone()).unwrap();
    let started = Instant::now();
    let mut harmless = 0;
    for at in 0..bytes.len() {
        for pattern in [0x01, 0x80, 0xff] {
            let mut altered = bytes.clone();
            altered[at] ^= pattern;
            match answers(altered.clone()) {
                Err(_) => {}
                Ok(found) => {
                    assert!(found == expected, "byte {at} ^ {pattern:#x} changed an answer");
                    assert!(Engine::open(altered).unwrap().verify().is_err(), "verify missed byte {at}");
                    harmless += 1;
                }
            }
        }
    }
    println!("{} alterations, {harmless} of them in bytes that no answer needs", 3 * bytes.len());
    assert!(started.elapsed().as_secs() < 300, "reading damaged files took too long");
}

#[test]
fn sections_that_lie_under_good_checksums_never_panic_or_hang() {
    let bytes = built();
    let snapshot = Snapshot::open(bytes).unwrap();
    let parts = snapshot
        .sections()
        .iter()
        .map(|section| (section.kind, snapshot.section(section.kind).unwrap().to_vec()));
    let parts = parts.collect::<Vec<_>>();
    let started = Instant::now();
    let mut tried = 0;
    for place in 0..parts.len() {
        let len = parts[place].1.len();
        for at in 0..len {
            for pattern in [0x01, 0x10, 0x80, 0xff] {
                let mut altered = parts.clone();
                altered[place].1[at] ^= pattern;
                // These bytes could be a forger's. Any answer is accepted as long as it comes.
                let _ = answers(encode(&altered));
                tried += 1;
            }
            let mut cut = parts.clone();
            cut[place].1.truncate(at);
            let _ = answers(encode(&cut));
        }
        let without = parts.iter().filter(|(kind, _)| *kind != parts[place].0).cloned().collect::<Vec<_>>();
        // The checksums of the parts are computed anew.
        let is_dispensable = matches!(parts[place].0, SectionKind::Forms | SectionKind::PartChecksums);
        assert!(answers(encode(&without)).is_err() || is_dispensable, "{:?}", parts[place].0);
    }
    println!("{tried} forged files read in {:?}", started.elapsed());
    assert!(started.elapsed().as_secs() < 300, "reading forged files took too long");
}

#[test]
fn what_is_no_snapshot_says_what_to_do() {
    for bytes in [&b""[..], b"hello", b"PK\x03\x04", &[0; 4096]] {
        let error = Engine::open(bytes.to_vec()).unwrap_err();
        assert_eq!(error.to_string(), "this is not a snapseek snapshot; make one with `snapseek build`");
    }
}
