//! The builder adopts settings of its inputs: those of FTS5 tables, types of fields, ids.

mod support;

use rusqlite::Connection;
use serde_json::json;
use support::{Folder, all};

fn schema(folder: &Folder) -> serde_json::Value {
    folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json()["schema"].clone()
}

fn database(folder: &Folder, sql: &str) {
    Connection::open(folder.path("app.db")).unwrap().execute_batch(sql).unwrap();
}

#[test]
fn an_fts5_table_brings_its_columns_tokenizer_weights_and_content() {
    let folder = Folder::new();
    database(
        &folder,
        "CREATE TABLE posts (nr INTEGER PRIMARY KEY, title TEXT, body TEXT, status TEXT, stars INTEGER);
        INSERT INTO posts VALUES (3, 'Fox', 'It jumps over-there.', 'public', 5), (7, 'Dog', 'It sleeps.', 'draft', 2), (9, 'Cat', 'It purrs.', 'public', 4);
        CREATE VIRTUAL TABLE posts_fts USING fts5(title, body, tokenize=\"unicode61 tokenchars '-'\", prefix='2 3', content='posts', content_rowid='nr');
        INSERT INTO posts_fts(rowid, title, body) SELECT nr, title, body FROM posts WHERE status = 'public';
        INSERT INTO posts_fts(posts_fts, rank) VALUES('rank', 'bm25(10.0, 2.0)');",
    );
    let ran = folder.build(&["app.db", "--table", "posts_fts"]).expect_code(0);
    ran.expect_stderr("adopted from \"posts_fts\": columns title (weight 10), body (weight 2); tokenizer unicode61 tokenchars '-'")
        .expect_stderr("come from its content table \"posts\"");
    let records = folder.records(&["app.db", "--table", "posts_fts"]);
    let expected = json!({"id": 3, "nr": 3, "title": "Fox", "body": "It jumps over-there.", "status": "public", "stars": 5});
    assert_eq!((records.len(), &records[0]), (2, &expected));
    let schema = schema(&folder);
    assert_eq!(schema["tokenizer"], "unicode61 tokenchars '-'");
    assert_eq!(schema["fields"], json!({"title": {"weight": 10.0}, "body": {"weight": 2.0}}));
    assert_eq!((&schema["attributes"]["stars"], &schema["forms"]), (&json!("number"), &json!(true)));
    let found = folder.run(&["match", "a.snap", "\"over-there\"", "--json"]).expect_code(0).json();
    assert_eq!(found["rows"].as_array().unwrap().len(), 1);
}

#[test]
fn settings_of_an_fts5_table_that_cannot_be_adopted_are_said() {
    let folder = Folder::new();
    database(
        &folder,
        "CREATE VIRTUAL TABLE t USING fts5(a, b UNINDEXED, tokenize='trigram', detail=none); INSERT INTO t VALUES ('fox', 'x'), ('dog', 'y');
        CREATE VIRTUAL TABLE bare USING fts5(a, content='');",
    );
    let ran = folder.build(&["app.db", "--table", "t"]).expect_code(0);
    ran.expect_stderr("the tokenizer \"trigram\" is not adopted").expect_stderr("detail=none is not adopted");
    assert_eq!(schema(&folder)["fields"], json!({"a": {}}));
    folder.build(&["app.db", "--table", "bare"]).expect_code(1).expect_stderr("has no texts (content='')");
}

#[test]
fn the_sample_for_inference_is_spread_over_all_inputs() {
    let folder = Folder::new();
    let lines = |range: std::ops::Range<usize>, extra: &str| {
        range.map(|i| format!("{{\"id\":{i},\"t\":\"some words {i}\"{extra}}}\n")).collect::<String>()
    };
    folder.write("a.jsonl", lines(0..12_000, ""));
    folder.write("b.jsonl", lines(12_000..12_100, ",\"tags\":[\"x\"]"));
    folder.build(&["a.jsonl", "b.jsonl"]).expect_code(0);
    assert_eq!(schema(&folder)["attributes"], json!({"tags": "keywords"}));
    folder.write("c.jsonl", lines(0..25_000, "") + &lines(25_000..26_000, ",\"late\":true"));
    folder.build(&["c.jsonl"]).expect_code(0);
    assert_eq!(schema(&folder)["attributes"], json!({"late": "bool"}));
    let piped = std::fs::read_to_string(folder.path("b.jsonl")).unwrap();
    folder.run_with_input(&["build", "-", "-o", "a.snap"], piped).expect_code(0);
    assert_eq!(schema(&folder)["attributes"], json!({"tags": "keywords"}));
}

#[test]
fn addresses_ids_and_enumerations_are_not_inferred_as_text() {
    let folder = Folder::new();
    let line = |i: usize| {
        let state = ["open", "shut"][i % 2];
        json!({"id": i, "title": format!("Number {i}"), "link": format!("https://a.example/{i}"), "ownerId": format!("u{i}"), "state": state})
    };
    folder.write("a.jsonl", (0..40).map(|i| format!("{}\n", line(i))).collect::<String>());
    folder.build(&["a.jsonl"]).expect_code(0);
    let schema = schema(&folder);
    assert_eq!(schema["fields"], json!({"title": {}}));
    assert_eq!(schema["attributes"], json!({"ownerId": "keyword", "state": "keyword"}));
}

#[test]
fn a_misspelt_field_of_a_schema_is_a_warning_with_the_nearest_name() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"id\":1,\"title\":\"x\",\"createdAt\":\"2024-05-01\"}\n");
    folder
        .write("s.toml", "[fields]\ntitel = {}\n[attributes]\ncreated_at = \"time\"\nauthor = \"keyword\"\n");
    let ran = folder.build(&["a.jsonl", "--schema", "s.toml"]).expect_code(0);
    ran.expect_stderr("warning: no record has the field \"titel\" of the schema; did you mean \"title\"?")
        .expect_stderr(
            "warning: no record has the attribute \"created_at\" of the schema; did you mean \"createdAt\"?",
        )
        .expect_stderr("warning: no record has the attribute \"author\" of the schema\n");
}

#[test]
fn any_field_can_be_the_id() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"slug\":\"fox\",\"id\":5,\"t\":\"x\"}\n{\"slug\":\"dog\",\"t\":\"y\"}\n");
    let records = folder.records(&["a.jsonl", "--id", "slug"]);
    assert_eq!(records[0], json!({"id": "fox", "slug": "fox", "t": "x"}));
    assert_eq!(all(&records, "id"), ["fox", "dog"]);
    folder.write("b.csv", "isbn;title\n978;\"Fox; and dog\"\n");
    assert_eq!(
        folder.records(&["b.csv", "--id", "isbn"]),
        [json!({"id": "978", "isbn": "978", "title": "Fox; and dog"})]
    );
    folder
        .build(&["b.csv"])
        .expect_code(1)
        .expect_stderr("the header has no column \"id\"; pass --id with one of isbn, title");
    folder
        .build(&["a.jsonl", "--id", "none"])
        .expect_code(1)
        .expect_stderr("a.jsonl:1: the record has no \"none\", which --id names");
    folder.write("c.json", "[{\"key\": 7, \"t\": \"x\"}]");
    assert_eq!(all(&folder.records(&["c.json", "--id", "key"]), "t"), ["x"]);
    folder.write("d.md", "text");
    folder
        .build(&["d.md", "--id", "slug"])
        .expect_code(2)
        .expect_stderr("documents make their ids from their paths");
}

#[test]
fn words_of_a_query_need_no_quotes_and_options_may_follow() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"id\":1,\"t\":\"quick brown fox\"}\n{\"id\":2,\"t\":\"dog\"}\n");
    folder.build(&["a.jsonl", "--forms"]).expect_code(0);
    let answer =
        folder.run(&["search", "a.snap", "brown", "dog", "--limit", "5", "--json"]).expect_code(0).json();
    assert_eq!((&answer["query"], answer["hits"].as_array().unwrap().len()), (&json!("brown dog"), 2));
    let answer = folder.run(&["search", "--json", "a.snap", "-x", "dog"]).expect_code(0).json();
    assert_eq!(answer["query"], "-x dog");
    assert_eq!(folder.run(&["suggest", "a.snap", "the", "qu"]).expect_code(0).stdout, "quick\t1\n");
    folder.run(&["search", "a.snap"]).expect_code(2);
}

#[test]
fn an_output_that_cannot_be_written_is_noticed_before_the_inputs_are_read() {
    let folder = Folder::new();
    folder.write("a.jsonl", "this is no record\n");
    let ran = folder.run(&["build", "a.jsonl", "-o", "none/a.snap"]).expect_code(1);
    ran.expect_stderr("none/a.snap cannot be written");
    folder.write("docs/a.md", "---\na: [\n---\n");
    let ran = folder.run(&["build", "docs", "-o", "none/a.snap"]).expect_code(1);
    ran.expect_stderr("none/a.snap cannot be written");
}

#[test]
fn completions_and_manual_pages_are_made() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&["completions", shell]).expect_code(0).stdout;
        assert!(script.contains("--root-selector") || script.contains("root-selector"), "{shell}");
    }
    assert!(folder.run(&["man"]).expect_code(0).stdout.starts_with(".ie"));
    folder.run(&["man", "--out", "man"]).expect_code(0);
    assert!(folder.path("man/snapseek.1").exists() && folder.path("man/snapseek-build.1").exists());
}

#[test]
fn a_page_in_place_of_a_snapshot_is_recognised() {
    let folder = Folder::new();
    folder.write("a.snap", "<!doctype html>\n<html><title>App</title>");
    let ran = folder.run(&["search", "a.snap", "fox"]).expect_code(1);
    ran.expect_stderr("a.snap: this is an HTML page, not a snapseek snapshot");
}
