//! SQLite databases and Parquet files, as users of the command line see them.

mod support;

use rusqlite::{Connection, params};
use serde_json::json;
use std::path::Path;
use support::{Folder, all};

fn database(folder: &Folder, name: &str, sql: &str) -> Connection {
    let connection = Connection::open(folder.path(name)).unwrap();
    connection.execute_batch(sql).unwrap();
    connection
}

const NOTES: &str = "CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, body TEXT, open BOOLEAN, tags JSON, size REAL, at DATETIME);
    INSERT INTO notes VALUES (2, 'Dog', 'It sleeps.', 0, '[\"x\",\"y\"]', 2.5, '2024-05-01 12:30:00'),
        (1, 'Fox', 'It jumps.', 1, NULL, 3, NULL);";

#[test]
fn the_only_table_of_a_database_is_read_in_the_order_of_its_rows() {
    let folder = Folder::new();
    database(&folder, "a.db", NOTES);
    let records = folder.records(&["a.db"]);
    assert_eq!(
        records,
        [
            json!({"id": 1, "title": "Fox", "body": "It jumps.", "open": true, "size": 3}),
            json!({"id": 2, "title": "Dog", "body": "It sleeps.", "open": false, "tags": ["x", "y"], "size": 2.5, "at": "2024-05-01 12:30:00"}),
        ]
    );
    std::fs::rename(folder.path("a.db"), folder.path("data.bin")).unwrap();
    assert_eq!(folder.records(&["data.bin"]), records, "the header tells");
}

#[test]
fn tables_and_queries_are_chosen_by_name() {
    let folder = Folder::new();
    let sql = "CREATE TABLE tags (name TEXT PRIMARY KEY, note TEXT) WITHOUT ROWID; INSERT INTO tags VALUES ('z', 'last'), ('a', 'first');
        CREATE TABLE log (line TEXT); INSERT INTO log VALUES ('one'), ('two');
        CREATE VIRTUAL TABLE full USING fts5(text); INSERT INTO full VALUES ('a fox');
        CREATE VIEW v AS SELECT name AS slug, note FROM tags;";
    database(&folder, "a.sqlite", &format!("{NOTES}{sql}"));
    let ran = folder.build(&["a.sqlite"]).expect_code(1);
    ran.expect_stderr("a.sqlite: the database has several tables; pass --table with one of full, log, notes, tags, v, or --query");
    let ran = folder.build(&["a.sqlite", "--table", "none"]).expect_code(1);
    ran.expect_stderr("there is no table \"none\"; there are full, log, notes, tags, v");
    let expected =
        [json!({"id": "a", "name": "a", "note": "first"}), json!({"id": "z", "name": "z", "note": "last"})];
    assert_eq!(folder.records(&["a.sqlite", "--table", "tags"]), expected);
    assert_eq!(folder.records(&["a.sqlite", "--table", "LOG"])[1], json!({"id": 2, "line": "two"}));
    assert_eq!(folder.records(&["a.sqlite", "--table", "full"]), [json!({"id": 1, "text": "a fox"})]);
    folder
        .build(&["a.sqlite", "--table", "v"])
        .expect_code(1)
        .expect_stderr("pass --id with one of slug, note");
    let records = folder.records(&["a.sqlite", "--table", "v", "--id", "slug"]);
    assert_eq!(all(&records, "id"), ["a", "z"]);
    let query = "SELECT id AS number, title || '!' AS title FROM notes ORDER BY title";
    let records = folder.records(&["a.sqlite", "--query", query, "--id", "title"]);
    assert_eq!(records[0], json!({"id": "Dog!", "number": 2, "title": "Dog!"}));
}

#[test]
fn vectors_in_a_database_are_blobs_or_json() {
    let folder = Folder::new();
    let connection =
        database(&folder, "a.db", "CREATE TABLE t (id TEXT, text TEXT, v BLOB, j TEXT, photo BLOB);");
    let blob = [0.1_f32, -2.5].iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<_>>();
    let insert = "INSERT INTO t VALUES (?1, 'fox', ?2, '[1, 0.5]', x'ff')";
    connection.execute(insert, params!["a", blob]).unwrap();
    let records = folder.records(&["a.db", "--vector-column", "v=minilm", "--vector-column", "j"]);
    assert_eq!(records, [json!({"id": "a", "text": "fox", "minilm": [0.1, -2.5], "j": [1, 0.5]})]);
    connection.execute(insert, params!["b", vec![0_u8; 7]]).unwrap();
    let args = ["a.db", "--vector-column", "v"];
    let message = "a.db: row 2: column \"v\": 7 bytes are not a vector of 32-bit floats";
    folder.build(&args).expect_code(1).expect_stderr(message);
    let ran = folder.build(&[&args[..], &["--skip-bad"]].concat()).expect_code(0);
    ran.expect_stderr(message).expect_stderr("1 bad record skipped");
}

#[test]
fn databases_and_queries_that_cannot_be_used_say_why() {
    let folder = Folder::new();
    database(&folder, "a.db", NOTES);
    folder.write(
        "text.db",
        "this is no database, but it is long enough to have a header, or is it not? It goes on and on.",
    );
    folder.write("a.jsonl", "{\"id\":1,\"t\":\"x\"}\n");
    folder.build(&["text.db"]).expect_code(1).expect_stderr("text.db: file is not a database");
    let query = |sql: &str| folder.build(&["a.db", "--query", sql]).expect_code(1);
    query("SELECT absent FROM notes").expect_stderr("the query cannot be used: no such column: absent");
    query("DELETE FROM notes").expect_stderr("the query must be a SELECT");
    query("SELECT 1; SELECT 2").expect_stderr("the query must be one statement");
    query("SELECT title FROM notes").expect_stderr("there is no column \"id\"; pass --id with one of title");
    query("SELECT id, title, title FROM notes").expect_stderr("there are two columns \"title\"");
    folder
        .build(&["a.db", "--id", "none"])
        .expect_code(1)
        .expect_stderr("there is no column \"none\"; there are id, title");
    folder
        .build(&["a.db", "--table", "a", "--query", "b"])
        .expect_code(2)
        .expect_stderr("cannot be used with");
    folder
        .build(&["a.jsonl", "--table", "a"])
        .expect_code(2)
        .expect_stderr("--table is for SQLite databases");
    folder.build(&["-", "--format", "sqlite"]).expect_code(2).expect_stderr("cannot be read from stdin");
}

#[test]
fn many_rows_give_the_same_snapshot_as_the_same_lines() {
    let folder = Folder::new();
    let connection =
        database(&folder, "a.db", "CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT, size INTEGER);");
    let transaction = connection.unchecked_transaction().unwrap();
    let mut lines = String::new();
    for id in 0..20_000 {
        let text = format!("word{} word{}", id % 997, id * 7 % 1009);
        transaction.execute("INSERT INTO t VALUES (?1, ?2, ?3)", params![id, text, id % 7]).unwrap();
        lines += &format!("{{\"id\":{id},\"text\":\"{text}\",\"size\":{}}}\n", id % 7);
    }
    transaction.commit().unwrap();
    folder.write("a.jsonl", lines);
    folder.build(&["a.jsonl"]).expect_code(0);
    let expected = folder.bytes("a.snap");
    for threads in ["1", "3"] {
        folder.build(&["a.db", "--threads", threads]).expect_code(0);
        assert!(folder.bytes("a.snap") == expected, "{threads} threads");
    }
}

/// A file that pyarrow wrote, with every supported compression and two row groups.
const TYPES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/types.parquet");

#[test]
fn every_type_of_a_parquet_file_becomes_json() {
    let folder = Folder::new();
    let records = folder.records(&[TYPES, "--vector-column", "bytes", "--skip-bad"]);
    assert_eq!(all(&records, "id"), ["a", "b"], "a single byte is no vector");
    assert_eq!(records[0]["bytes"].as_array().unwrap().len(), 1);
    let records = folder.records(&[TYPES]);
    let expected = [
        json!({
            "id": "a", "title": "Quick fox", "tags": ["x", "y"], "embedding": [0.1, -0.5, 3], "size": 3, "small": 1,
            "score": 1.5, "open": true, "day": "2024-02-29", "ms": "2024-05-01T12:30:15.250Z",
            "us": "2024-05-01T12:30:15.250Z", "ns": "2024-05-01T12:30:15.250Z", "price": 12.34,
            "large": 123_456_789_012_345_680_u64, "nested": {"a": 1, "b": ["z"]}, "half": 0.5,
        }),
        json!({
            "id": "b", "tags": [], "embedding": [1, 2, 0.3333], "small": 2, "open": false,
            "us": "2024-05-01T12:30:15.250Z", "ns": "2024-05-01T12:30:15.250Z", "price": -0.05,
        }),
        json!({
            "id": "c", "title": "Slow dog é", "embedding": [0, 1e-8, 7], "size": 1_099_511_627_776_u64, "small": 255,
            "score": -0.25, "day": "1969-12-31", "ms": "1969-12-31T23:59:59.999Z",
            "us": "2024-05-01T12:30:15.250Z", "ns": "2024-05-01T12:30:15.250Z", "large": -1,
            "nested": {"a": null, "b": null}, "half": -2,
        }),
    ];
    for (record, expected) in records.iter().zip(&expected) {
        assert_eq!(record, expected);
    }
    assert_eq!(records.len(), expected.len());
}

#[test]
fn parquet_files_that_cannot_be_used_say_why() {
    let folder = Folder::new();
    folder.write("a.parquet", "no such file");
    folder.build(&["a.parquet"]).expect_code(1).expect_stderr("a.parquet: it is not a Parquet file");
    let bytes = std::fs::read(Path::new(TYPES)).unwrap();
    folder.write("short.parquet", &bytes[..bytes.len() / 2]);
    folder.build(&["short.parquet"]).expect_code(1).expect_stderr("short.parquet: it is not a Parquet file");
    folder
        .build(&[TYPES, "--id", "none"])
        .expect_code(1)
        .expect_stderr("there is no column \"none\"; there are id, title");
    folder.build(&["-", "--format", "parquet"]).expect_code(2).expect_stderr("cannot be read from stdin");
    assert_eq!(
        all(&folder.records(&[TYPES, "--id", "title", "--skip-bad"]), "id"),
        ["Quick fox", "Slow dog é"]
    );
}
