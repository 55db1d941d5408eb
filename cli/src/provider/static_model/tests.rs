//! Reads sound and damaged folders, and compares the tokenizers with a reference.
//!
//! `reference.json` holds the tokens of Hugging Face's `tokenizers` for the same texts; `scripts/static-model` writes
//! it.

use super::*;
use serde_json::{Value, json};
use snapseek::embed::{Embedder, StaticModelView};
use xxhash_rust::xxh3::Xxh3;

const REFERENCE: &str = include_str!("reference.json");

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

fn shipped() -> Vec<u8> {
    read(&root().join("models/snapseek-static-en-v2")).unwrap().encode().unwrap()
}

/// The package of wordllama is not part of this project; SNAPSEEK_WORDLLAMA names its folder.
fn wordllama() -> Option<Vec<u8>> {
    let folder = std::env::var_os("SNAPSEEK_WORDLLAMA");
    if folder.is_none() {
        eprintln!("SKIPPED: set SNAPSEEK_WORDLLAMA to wordllama's package folder to compare its tokens");
    }
    folder.map(|folder| read(Path::new(&folder)).unwrap().encode().unwrap())
}

fn tokens(model: &StaticModelView<'_>, text: &str) -> Vec<String> {
    let mut names = Vec::new();
    model.tokens(text, |token| {
        names.push(match token.and_then(|token| model.token(token)) {
            Some((name, true)) => format!("##{name}"),
            Some((name, false)) => name.to_owned(),
            None => "[UNK]".to_owned(),
        });
    });
    names
}

fn compare_own_texts(bytes: &[u8], kind: &str) {
    let model = StaticModelView::parse(bytes).unwrap();
    let reference = serde_json::from_str::<Value>(REFERENCE).unwrap();
    let own = reference[kind]["own"].as_array().unwrap();
    assert!(own.len() >= 15);
    for case in own {
        let expected = serde_json::from_value::<Vec<String>>(case["tokens"].clone()).unwrap();
        let text = case["text"].as_str().unwrap();
        assert_eq!(tokens(&model, text), expected, "{text:?}");
    }
}

fn lines(path: &Path) -> Vec<Value> {
    fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Every text of the collections in `$SNAPSEEK_SHARED/data`: title and text of each document, then each query.
fn compare_collections(bytes: &[u8], kind: &str) {
    let model = StaticModelView::parse(bytes).unwrap();
    let reference = serde_json::from_str::<Value>(REFERENCE).unwrap();
    let data = std::path::PathBuf::from(std::env::var_os("SNAPSEEK_SHARED").unwrap_or_default()).join("data");
    if !data.is_dir() {
        eprintln!("SKIPPED: {} is not there, so its texts are not compared", data.display());
        return;
    };
    for (name, expected) in reference[kind]["collections"].as_object().unwrap() {
        let document = |document: Value| {
            let title = document["title"].as_str().unwrap_or("");
            format!("{title} {}", document["text"].as_str().unwrap()).trim().to_owned()
        };
        let documents = lines(&data.join(name).join("docs.jsonl")).into_iter().map(document);
        let queries = lines(&data.join(name).join("queries.jsonl"));
        let queries = queries.iter().map(|query| query["text"].as_str().unwrap().to_owned());
        let (mut hash, mut count, mut texts) = (Xxh3::new(), 0, 0);
        for text in documents.chain(queries) {
            texts += 1;
            for token in tokens(&model, &text) {
                count += 1;
                hash.update(token.as_bytes());
                hash.update(b"\x1f");
            }
            hash.update(b"\x1e");
        }
        let found = json!({"texts": texts, "tokens": count, "hash": format!("{:016x}", hash.digest())});
        assert_eq!(found, *expected, "{name}");
    }
}

#[test]
fn word_pieces_are_those_of_the_reference() {
    compare_own_texts(&shipped(), "wordpiece");
}

#[test]
fn word_pieces_are_those_of_the_reference_in_every_text_of_the_collections() {
    compare_collections(&shipped(), "wordpiece");
}

#[test]
fn llama_tokens_are_those_of_the_reference_in_every_text_there_is() {
    let Some(bytes) = wordllama() else { return };
    compare_own_texts(&bytes, "bpe");
    compare_collections(&bytes, "bpe");
}

#[test]
fn the_shipped_model_is_sound_and_knows_what_means_the_same() {
    let bytes = shipped();
    let model = StaticModelView::parse(&bytes).unwrap();
    assert_eq!(model.verify(), Ok(()));
    assert_eq!(model.id(), "snapseek-static-en-v2");
    assert!(bytes.len() <= 2_000_000, "the table takes {} bytes of a snapshot", bytes.len());
    let cosine =
        |a: &str, b: &str| model.embed(a).iter().zip(model.embed(b)).map(|(a, b)| a * b).sum::<f32>();
    let pairs = [
        ("a physician treats the patient", "the doctor saw a sick person", "the engine drives the car"),
        ("how do I install the package?", "setup instructions for the library", "the cat sat on the mat"),
        ("flow around a wing", "aerodynamics of an airfoil", "recipe for apple pie"),
    ];
    for (text, near, far) in pairs {
        assert!(
            cosine(text, near) > cosine(text, far) + 0.1,
            "{text}: {} {}",
            cosine(text, near),
            cosine(text, far)
        );
    }
}

#[test]
fn a_part_for_some_texts_is_smaller_and_gives_them_the_same_vectors() {
    let bytes = shipped();
    let whole = StaticModelView::parse(&bytes).unwrap();
    let texts = ["flow around a wing", "Kubernetes operators", "naïve café"];
    let mut used = HashSet::new();
    texts.iter().for_each(|text| whole.tokens(text, |token| used.extend(token)));
    let bytes = whole.part(|token| used.contains(&token));
    let part = StaticModelView::parse(&bytes).unwrap();
    assert_eq!((part.verify(), part.token_count() as usize), (Ok(()), used.len()));
    assert_eq!((part.id(), part.fingerprint()), (whole.id(), whole.fingerprint()));
    for text in texts {
        assert_eq!(part.embed(text), whole.embed(text), "{text}");
    }
}

/// Creates a folder with this tokenizer and this table.
fn folder(tokenizer: &Value, header: &Value, data: &[u8]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tokenizer.json"), tokenizer.to_string()).unwrap();
    let header = header.to_string();
    let table = [&(header.len() as u64).to_le_bytes(), header.as_bytes(), data].concat();
    fs::write(folder.path().join("model.safetensors"), table).unwrap();
    folder
}

fn tokenizer() -> Value {
    json!({
        "added_tokens": [{"id": 0, "content": "[PAD]", "special": true}],
        "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true,
            "strip_accents": null, "lowercase": true},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
            "max_input_chars_per_word": 100, "vocab": {"[PAD]": 0, "[UNK]": 1, "fast": 2, "##er": 3}},
    })
}

fn table() -> (Value, Vec<u8>) {
    let header = json!({"embeddings": {"dtype": "F32", "shape": [4, 2], "data_offsets": [0, 32]}});
    let data =
        [9f32, 9.0, 9.0, 9.0, 1.0, 0.0, 0.0, 2.0].iter().flat_map(|value| value.to_le_bytes()).collect();
    (header, data)
}

#[test]
fn a_folder_is_read_without_its_special_tokens() {
    let (header, data) = table();
    let folder = folder(&tokenizer(), &header, &data);
    fs::write(folder.path().join("config.json"), r#"{"name": "tiny"}"#).unwrap();
    let model = read(folder.path()).unwrap();
    assert_eq!((model.id.as_str(), model.width), ("tiny", 2));
    assert_eq!(model.tokens, ["fast", "##er"]);
    assert_eq!(model.rows, [127, 0, 0, 127]);
}

#[test]
fn mapping_and_weights_of_a_pruned_model_are_used() {
    let header = json!({
        "embeddings": {"dtype": "I8", "shape": [2, 2], "data_offsets": [0, 4]},
        "mapping": {"dtype": "I32", "shape": [4], "data_offsets": [4, 20]},
        "weights": {"dtype": "F32", "shape": [4], "data_offsets": [20, 36]},
    });
    let mapping = [0i32, 0, 1, 0].iter().flat_map(|value| value.to_le_bytes());
    let weights = [0f32, 0.0, 0.5, 0.25].iter().flat_map(|value| value.to_le_bytes());
    let data = [1, 2, 3, 4].into_iter().chain(mapping).chain(weights).collect::<Vec<_>>();
    let model = read(folder(&tokenizer(), &header, &data).path()).unwrap();
    assert_eq!((model.rows, model.scales), (vec![3, 4, 1, 2], vec![0.5, 0.25]));
}

#[test]
fn what_is_missing_or_of_another_kind_is_named() {
    let message = |folder: &tempfile::TempDir| format!("{:#}", read(folder.path()).unwrap_err());
    let (header, data) = table();
    let with = |change: fn(&mut Value)| {
        let mut tokenizer = tokenizer();
        change(&mut tokenizer);
        folder(&tokenizer, &header, &data)
    };
    assert!(message(&tempfile::tempdir().unwrap()).contains("has no tokenizer.json"));
    assert!(
        message(&with(|file| file["model"]["type"] = json!("Unigram"))).contains("neither WordPiece nor BPE")
    );
    assert!(
        message(&with(|file| file["normalizer"] = json!({"type": "NFC"})))
            .contains("normalizer is not BERT's")
    );
    assert!(
        message(&with(|file| file["pre_tokenizer"] = json!(null))).contains("pre-tokenizer is not BERT's")
    );
    assert!(
        message(&with(|file| file["model"]["vocab"]["more"] = json!(7))).contains("none for the token more")
    );
    let other = json!({"x": {"dtype": "F32", "shape": [4, 2], "data_offsets": [0, 32]}});
    assert!(message(&folder(&tokenizer(), &other, &data)).contains("no array embeddings, only x"));
    let flat = json!({"embeddings": {"dtype": "F32", "shape": [8], "data_offsets": [0, 32]}});
    assert!(message(&folder(&tokenizer(), &flat, &data)).contains("rows and columns"));
    assert!(
        message(&folder(&tokenizer(), &header, &data[..31]))
            .contains("not a safetensors file, or it is damaged")
    );
}
