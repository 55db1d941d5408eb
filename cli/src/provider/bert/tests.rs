//! A tiny model compared with reference vectors (scripts/gen-bert-fixture), and a real model if one is present.

use super::*;
use serde::Deserialize;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

#[derive(Deserialize)]
struct Expected {
    text: String,
    tokens: Vec<u32>,
    mean: Vec<f32>,
    cls: Vec<f32>,
}

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tiny-bert")
}

fn expected() -> Vec<Expected> {
    serde_json::from_slice(&fs::read(fixture().join("expected.json")).unwrap()).unwrap()
}

/// Copies the fixture, with some of its files changed.
fn changed(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("1_Pooling")).unwrap();
    for name in [
        "config.json",
        "modules.json",
        "sentence_bert_config.json",
        "tokenizer.json",
        "model.safetensors",
        "1_Pooling/config.json",
    ] {
        fs::copy(fixture().join(name), folder.path().join(name)).unwrap();
    }
    for (name, contents) in files {
        fs::write(folder.path().join(name), contents).unwrap();
    }
    folder
}

fn embedded(bert: &Bert, texts: &[&str]) -> Vec<Vec<f32>> {
    bert.embed(texts, TextPurpose::Document, &Cancel::new()).unwrap()
}

fn largest_difference(left: &[f32], right: &[f32]) -> f32 {
    assert_eq!(left.len(), right.len());
    left.iter().zip(right).map(|(l, r)| (l - r).abs()).fold(0.0, f32::max)
}

/// The reference computes in double precision; this implementation adds eight products at a time in single precision.
const TOLERANCE: f32 = 2e-6;

#[test]
fn tokens_and_vectors_are_those_of_the_reference() {
    let bert = Bert::read(&fixture()).unwrap();
    let expected = expected();
    let texts = expected.iter().map(|expected| expected.text.as_str()).collect::<Vec<_>>();
    let vectors = embedded(&bert, &texts);
    for (expected, vector) in expected.iter().zip(&vectors) {
        assert_eq!(
            bert.tokens(&expected.text, TextPurpose::Document),
            expected.tokens,
            "{:?}",
            expected.text
        );
        let difference = largest_difference(vector, &expected.mean);
        assert!(difference < TOLERANCE, "{:?} is off by {difference}", expected.text);
    }
}

#[test]
fn the_first_token_is_taken_where_the_folder_says_so() {
    let folder = changed(&[("1_Pooling/config.json", r#"{"pooling_mode_cls_token": true}"#)]);
    let bert = Bert::read(folder.path()).unwrap();
    for expected in expected() {
        assert!(largest_difference(&embedded(&bert, &[&expected.text])[0], &expected.cls) < TOLERANCE);
    }
    assert_ne!(bert.identity.fingerprint, Bert::read(&fixture()).unwrap().identity.fingerprint);
}

#[test]
fn a_vector_does_not_depend_on_the_texts_beside_it() {
    let bert = Bert::read(&fixture()).unwrap();
    // More than one group, so that texts appear at every position of a group.
    let expected = expected();
    let texts = expected.iter().map(|expected| expected.text.as_str()).cycle().take(150).collect::<Vec<_>>();
    let together = embedded(&bert, &texts);
    for (text, vector) in texts.iter().zip(&together) {
        assert!(largest_difference(vector, &embedded(&bert, &[text])[0]) < TOLERANCE);
    }
}

#[test]
fn without_a_list_of_modules_the_mean_is_taken_and_not_normalised() {
    let folder = changed(&[]);
    fs::remove_file(folder.path().join("modules.json")).unwrap();
    let bert = Bert::read(folder.path()).unwrap();
    for expected in expected() {
        let mut vector = embedded(&bert, &[&expected.text]).remove(0);
        assert!(vector.iter().map(|x| x * x).sum::<f32>() > 1.1);
        arithmetic::normalize_length(&mut vector);
        assert!(largest_difference(&vector, &expected.mean) < TOLERANCE);
    }
}

#[test]
fn a_prompt_stands_before_texts_of_its_purpose() {
    let prompts = r#"{"prompts": {"query": "the quick ", "document": ""}, "default_prompt_name": null}"#;
    let bert = Bert::read(changed(&[("config_sentence_transformers.json", prompts)]).path()).unwrap();
    let query = bert.embed(&["fox"], TextPurpose::Query, &Cancel::new()).unwrap();
    assert_eq!(query, embedded(&bert, &["the quick fox"]));
}

#[test]
fn a_folder_that_cannot_be_used_says_why() {
    let config = fs::read_to_string(fixture().join("config.json")).unwrap();
    let roberta = config.replace(r#""model_type": "bert""#, r#""model_type": "roberta""#);
    let wider = config.replace(r#""hidden_size": 8"#, r#""hidden_size": 16"#);
    let squared = config.replace(r#""hidden_act": "gelu""#, r#""hidden_act": "relu2""#);
    let dense = r#"[{"path": "2_Dense", "type": "sentence_transformers.models.Dense"}]"#;
    for (name, contents, reason) in [
        ("config.json", roberta.as_str(), "a model of type roberta"),
        ("config.json", &wider, "has the shape"),
        ("config.json", &squared, "the activation relu2"),
        ("config.json", "{}", "config.json cannot be understood"),
        ("modules.json", dense, "a Dense module"),
        ("1_Pooling/config.json", r#"{"pooling_mode_max_tokens": true}"#, "pooling by max_tokens"),
        ("tokenizer.json", "{}", "tokenizer.json cannot be used"),
        ("model.safetensors", "", "model.safetensors cannot be used"),
    ] {
        let error = Bert::read(changed(&[(name, contents)]).path()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let error = Bert::read(Path::new("/nowhere")).unwrap_err().to_string();
    assert!(error.contains("bert takes the folder of a sentence-transformer"), "{error}");
}

#[test]
fn cancelled_work_stops() {
    let cancel = Cancel::new();
    cancel.cancel();
    let stopped = Bert::read(&fixture()).unwrap().embed(&["fox"], TextPurpose::Document, &cancel);
    assert!(matches!(stopped, Err(ProviderError::Cancelled)));
}

/// SNAPSEEK_MINILM names the folder of all-MiniLM-L6-v2. SNAPSEEK_MINILM_DATA names a folder of collections, each with
/// `docs.jsonl`, `queries.jsonl` and reference vectors.
#[test]
fn minilm_gives_the_recorded_vectors() {
    let folders =
        ["SNAPSEEK_MINILM", "SNAPSEEK_MINILM_DATA"].map(|name| std::env::var_os(name).map(PathBuf::from));
    let [Some(model), Some(data)] = folders else {
        eprintln!(
            "SKIPPED: SNAPSEEK_MINILM and SNAPSEEK_MINILM_DATA are not set, so MiniLM was not compared"
        );
        return;
    };
    let bert = Bert::read(&model).unwrap();
    let (mut compared, mut largest) = (0, 0.0_f32);
    for collection in
        fs::read_dir(data).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
    {
        for (lines, recorded) in [("docs.jsonl", "docs.minilm.f32"), ("queries.jsonl", "queries.minilm.f32")]
        {
            let recorded = fs::read(collection.join(recorded)).unwrap();
            let recorded =
                recorded.as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four)).collect::<Vec<_>>();
            let lines = fs::read_to_string(collection.join(lines)).unwrap();
            let rows = lines.lines().zip(recorded.chunks_exact(384));
            // Spread over the whole collection.
            let step = lines.lines().count().div_ceil(60);
            for (line, recorded) in rows.step_by(step) {
                let vector = embedded(&bert, &[&text_of(line)]).remove(0);
                let difference = largest_difference(&vector, recorded);
                assert!(difference < 1e-4, "{line} of {} is off by {difference}", collection.display());
                compared += 1;
                largest = largest.max(difference);
            }
        }
    }
    eprintln!("{compared} vectors of MiniLM are off by at most {largest:e}");
    assert!(compared > 300, "{compared} vectors were compared");
}

/// Joins title and text as for the recorded vectors.
fn text_of(line: &str) -> String {
    let record: serde_json::Value = serde_json::from_str(line).unwrap();
    let field = |name: &str| record[name].as_str().unwrap_or_default();
    format!("{} {}", field("title"), field("text"))
}
