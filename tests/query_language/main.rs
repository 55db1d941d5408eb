//! Is our query language FTS5's? Every answer here is compared with SQLite's own or is readable in a table.
//!
//! This file holds the parts that all files of this test share: a table in SQLite, and its fields.

#![cfg(not(target_arch = "wasm32"))]

mod errors;
mod limits;
mod ours;
mod random;
mod sqlite;
mod trees;
mod words;

use rusqlite::Connection;
use snapseek::analysis::Analyzer;
use snapseek::query::{Query, QueryError};

const FIELDS: [&str; 3] = ["title", "body", "c"];

const ROWS: [[&str; 3]; 8] = [
    ["ant bat", "cat dog ant eel", "fox"],
    ["bat ant", "ant ant bat", ""],
    ["cat", "antler batik cat", "dog dog bat ant"],
    ["dog cat bat ant", "", "ant"],
    ["eel fox ant bat cat", "fox eel dog cat bat ant", "cat"],
    ["antler", "bat fox eel cat eel fox dog ant", "bat bat"],
    ["", "dog", "antler bat"],
    ["2 ant", "ant 5 bat", "NEAR ant"],
];

fn analyzer() -> Analyzer {
    Analyzer::parse("porter unicode61").unwrap()
}

fn parse(expression: &str) -> Result<Query, QueryError> {
    Query::parse(expression, &FIELDS, &analyzer())
}

struct Sqlite(Connection);

impl Sqlite {
    fn new() -> Sqlite {
        let connection = Connection::open_in_memory().unwrap();
        connection
            .execute_batch("CREATE VIRTUAL TABLE t USING fts5(title, body, c, tokenize = 'porter unicode61')")
            .unwrap();
        for row in ROWS {
            connection.execute("INSERT INTO t VALUES (?1, ?2, ?3)", row).unwrap();
        }
        Sqlite(connection)
    }

    /// Returns the numbers of the matching rows, counted from 0, or the error message, whenever it is raised.
    fn answer(&self, expression: &str) -> Result<Vec<i64>, String> {
        let mut statement =
            self.0.prepare_cached("SELECT rowid - 1 FROM t WHERE t MATCH ?1 ORDER BY rowid").unwrap();
        let rows = statement.query_map([expression], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().map_err(|error| match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message,
            other => panic!("SQLite failed on {expression:?} without a message: {other}"),
        })
    }
}
