//! A static model comes to a build as one file. Does the snapshot embed with it, and is a wrong file refused?

#![cfg(not(target_arch = "wasm32"))]

use snapseek::embed::{Embedder, ModelTokenizer, StaticModel, StaticModelView, WordPieceOptions};
use snapseek::json::Json;
use snapseek::{Builder, Engine, Record, Schema};
use std::path::Path;

const SCHEMA: &str =
    r#"{"fields": {"title": {}}, "vectors": {"words": {"embedder": "static", "encoding": "f32"}}}"#;

/// Words of two kinds: vehicles and animals.
fn model() -> StaticModel {
    let words = [
        ("car", [3, 3, -1, -1]),
        ("truck", [3, 3, 1, -1]),
        ("van", [3, 1, -1, -1]),
        ("cat", [-3, -3, 1, 3]),
        ("lion", [-3, -3, 1, 1]),
        ("dog", [-3, -3, 3, 1]),
    ];
    StaticModel {
        id: "words".to_owned(),
        tokenizer: ModelTokenizer::WordPiece {
            options: WordPieceOptions::default(),
            continuing_prefix: "##".to_owned(),
        },
        tokens: words.map(|(word, _)| word.to_owned()).to_vec(),
        width: 4,
        rows: words.map(|(_, row)| row).concat(),
        scales: vec![0.5; words.len()],
    }
}

fn builder() -> Builder {
    let schema = Schema::read(&Json::parse(SCHEMA.as_bytes()).unwrap()).unwrap();
    Builder::new(&schema).unwrap()
}

/// JavaScript's tests build with this file, too.
#[test]
fn the_model_has_the_golden_bytes() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/words.model");
    let table = model().encode().unwrap();
    if std::env::var_os("SNAPSEEK_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, &table).unwrap();
    }
    assert!(std::fs::read(path).unwrap() == table);
}

#[test]
fn a_build_with_a_static_model_embeds_records_and_describes_the_model() {
    let table = model().encode().unwrap();
    let mut builder = builder();
    assert_eq!(builder.missing_static_model(), Some("words"));
    builder = builder.with_static_model("words", table.clone()).unwrap();
    assert_eq!(builder.missing_static_model(), None);
    for (id, title) in [(1, "a truck"), (2, "the cat")] {
        let record = Json::parse(format!(r#"{{"id": {id}, "title": "{title}"}}"#).as_bytes()).unwrap();
        builder.add(&Record::from_json(record).unwrap()).unwrap();
    }
    let engine = Engine::open(builder.finish().unwrap()).unwrap();
    engine.verify().unwrap();
    let view = StaticModelView::parse(&table).unwrap();
    let (_, described) = engine.schema().model("words").unwrap();
    assert_eq!((described.width, described.id.as_deref()), (Some(4), Some("words")));
    assert_eq!(described.fingerprint, Some(view.fingerprint_text()));
    assert_eq!(engine.embed("a van", None).unwrap(), Some(view.embed("a van")));
}

#[test]
fn a_table_that_is_damaged_or_for_another_model_is_refused() {
    let table = model().encode().unwrap();
    let refused =
        |name: &str, table: Vec<u8>| builder().with_static_model(name, table).unwrap_err().to_string();
    let expected = "vectors \"words\": this is not a static model, or it is damaged";
    let mut flipped = table.clone();
    *flipped.last_mut().unwrap() ^= 1;
    for damaged in [flipped, table[1..].to_vec(), table[..table.len() - 1].to_vec(), Vec::new()] {
        assert_eq!(refused("words", damaged), expected);
    }
    assert_eq!(
        refused("other", table),
        "vectors \"other\": a table of token vectors is for the embedder static"
    );
}
