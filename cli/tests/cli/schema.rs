//! The schema of a build: from a file, from options, from a preset.

use crate::support::Folder;
use crate::{RECORDS, ids};
use serde_json::json;

#[test]
fn a_schema_file_sets_fields_in_order_and_options_change_it() {
    let folder = Folder::new();
    folder.write("a.jsonl", RECORDS);
    folder
        .write("s.toml", "[fields]\ntitle = { weight = 10.0 }\nbody = {}\n[attributes]\nsize = \"number\"\n");
    folder.write("s.json", r#"{"fields":{"title":{"weight":10},"body":{}},"attributes":{"size":"number"}}"#);
    for schema in ["s.toml", "s.json"] {
        let build = ["build", "a.jsonl", "-o", "a.snap", "--schema", schema];
        let options = ["--tokenizer", "unicode61 remove_diacritics 2", "--forms", "--cjk-bigrams"];
        let ran = folder.run(&[&build[..], &options[..]].concat()).expect_code(0);
        assert!(!ran.stderr.contains("inferred"));
        let report = folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json();
        let expected = json!({
            "tokenizer": "unicode61 remove_diacritics 2", "cjk": "bigrams", "forms": true,
            "fields": {"title": {"weight": 10.0}, "body": {}}, "attributes": {"size": "number"},
        });
        assert_eq!(report["schema"], expected, "{schema}");
        assert_eq!(report["fields"][0]["name"], "title");
    }
}

#[test]
fn schema_files_that_cannot_be_used_say_why() {
    let folder = Folder::new();
    folder.write("a.jsonl", RECORDS);
    let cases = [
        ("s.toml", "[fields\n", 1, "s.toml is not a schema: TOML parse error at line 1"),
        (
            "s.toml",
            "[feilds]\n",
            1,
            "s.toml is not a schema: feilds: unknown option; the options are attributes, cjk, fields",
        ),
        ("s.toml", "[fields]\n", 1, "s.toml: the schema has no text field"),
        ("s.toml", "tokenizer = \"x\"\n[fields]\nt = {}\n", 1, "s.toml: there is no tokenizer x"),
        ("s.json", "{\"fields\": 1}", 1, "s.json is not a schema: fields: must be an object, not a number"),
        ("s.yaml", "", 2, "s.yaml: a schema file's name ends in .toml or .json"),
    ];
    for (name, text, code, message) in cases {
        folder.write(name, text);
        let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--schema", name]);
        ran.expect_code(code).expect_stderr(message);
    }
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--schema", "none.toml"]);
    ran.expect_code(1).expect_stderr("none.toml cannot be read");
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--tokenizer", "nonsense"]);
    ran.expect_code(2).expect_stderr("there is no tokenizer nonsense");
}

#[test]
fn a_preset_is_a_schema_with_its_recipe() {
    let folder = Folder::new();
    folder.write(
        "a.jsonl",
        r#"{"id": "auth-jwt", "kind": "entry", "title": "Tokens", "severity": "critical"}"#,
    );
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--preset", "vault"]).expect_code(0);
    assert!(!ran.stderr.contains("inferred"), "{}", ran.stderr);
    let schema = &folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json()["schema"];
    assert_eq!((&schema["recipe"], &schema["fields"]["id"]["weight"]), (&json!("vault"), &json!(5.0)));
    let found = folder.run(&["match", "a.snap", "jwt", "--json"]).expect_code(0).json();
    assert_eq!(ids(&found["rows"]), ["auth-jwt"]);
}

#[test]
fn every_sample_builds_by_its_preset() {
    let folder = Folder::new();
    for preset in ["hybrid", "memory", "rag", "unified", "vault"] {
        let sample = format!("{}/../samples/{preset}.jsonl", env!("CARGO_MANIFEST_DIR"));
        folder.run(&["build", &sample, "-o", "a.snap", "--preset", preset]).expect_code(0);
        folder.run(&["verify", "a.snap"]).expect_code(0);
        let exported = folder.run(&["export", "a.snap"]).expect_code(0).stdout;
        folder.write("again.jsonl", &exported);
        folder.run(&["build", "again.jsonl", "-o", "again.snap", "--preset", preset]).expect_code(0);
        assert_eq!(folder.bytes("a.snap"), folder.bytes("again.snap"), "{preset}");
    }
}

#[test]
fn a_preset_that_is_none_and_one_beside_a_schema_are_errors_of_the_command_line() {
    let folder = Folder::new();
    folder.write("a.jsonl", RECORDS);
    folder.write("s.toml", "[fields]\nt = {}\n");
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--preset", "attic"]);
    ran.expect_code(2).expect_stderr("[possible values: hybrid, memory, rag, unified, vault, docs]");
    let args = ["build", "a.jsonl", "-o", "a.snap", "--preset", "memory", "--schema", "s.toml"];
    folder
        .run(&args)
        .expect_code(2)
        .expect_stderr("'--preset <PRESET>' cannot be used with '--schema <FILE>'");
}

#[test]
fn a_model_of_a_vault_embeds_what_its_recipe_says() {
    let folder = Folder::new();
    folder.write("a.jsonl", r#"{"id": "auth-jwt", "title": "Tokens", "tags": ["login"]}"#);
    let args = ["build", "a.jsonl", "-o", "a.snap", "--preset", "vault", "--embed", "hash"];
    folder.run(&args).expect_code(0);
    let schema = &folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json()["schema"];
    assert_eq!(schema["vectors"]["hash"]["text"], json!(["title", "description", "context"]));
}

#[test]
fn a_schema_alone_builds_an_empty_snapshot() {
    let folder = Folder::new();
    folder.write("s.toml", "[fields]\nt = {}\n");
    folder.run_with_input(&["build", "-", "-o", "a.snap", "--schema", "s.toml"], "").expect_code(0);
    folder.run(&["verify", "a.snap"]).expect_code(0);
    assert_eq!(folder.run(&["match", "a.snap", "fox", "--json"]).expect_code(0).json(), json!({"rows": []}));
    assert_eq!(folder.run(&["export", "a.snap"]).expect_code(0).stdout, "");
}
