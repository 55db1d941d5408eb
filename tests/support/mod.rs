//! Code that the integration tests share: SQLite as the oracle, a random generator, and building engines from rows.

#![allow(dead_code, reason = "each test file uses its own part of this")]

pub mod expressions;

use rusqlite::{Connection, params_from_iter};
use snapseek::json::Json;
use snapseek::{Column, Engine, HighlightOptions, MatchOptions, MatchRow, MatchSnippet, Record, Schema};

/// The values of a row, one per column; `None` is NULL.
pub type Values = Vec<Option<String>>;

/// A small, fast generator; the same seed gives the same test everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    pub fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() >> 33).unwrap() % end
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// The options of a question to a table, besides the expression.
#[derive(Clone, Debug)]
pub struct Question {
    pub weights: Vec<f64>,
    pub snippet: MatchSnippet,
    pub highlight: HighlightOptions,
}

/// A question without options.
pub fn question() -> Question {
    Question {
        weights: Vec::new(),
        snippet: MatchSnippet {
            column: Column::Number(-1),
            open: "[".to_owned(),
            close: "]".to_owned(),
            ellipsis: "...".to_owned(),
            tokens: 8,
        },
        highlight: HighlightOptions {
            column: Column::Number(0),
            open: "[".to_owned(),
            close: "]".to_owned(),
        },
    }
}

/// One row of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    pub id: String,
    pub rank: f64,
    pub snippet: Option<String>,
    pub highlight: Option<String>,
}

/// An FTS5 table of SQLite.
pub struct Oracle {
    connection: Connection,
    columns: Vec<String>,
}

impl Oracle {
    pub fn new(columns: &[String], tokenize: &str) -> Oracle {
        let connection = Connection::open_in_memory().unwrap();
        let quoted = columns.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
        let tokenize = tokenize.replace('\'', "''");
        connection
            .execute(&format!("CREATE VIRTUAL TABLE t USING fts5({quoted}, tokenize='{tokenize}')"), [])
            .unwrap();
        Oracle { connection, columns: columns.to_vec() }
    }

    pub fn insert(&self, rowid: i64, values: &Values) {
        let marks = "?, ".repeat(values.len());
        let sql = format!("INSERT INTO t VALUES ({})", marks.trim_end_matches(", "));
        self.connection.prepare_cached(&sql).unwrap().execute(params_from_iter(values)).unwrap();
        let given = self.connection.last_insert_rowid();
        if given != rowid {
            // The rowid column cannot be listed together with all others by position.
            self.connection.execute("UPDATE t SET rowid = ? WHERE rowid = ?", [rowid, given]).unwrap();
        }
    }

    pub fn delete(&self, rowid: i64) {
        self.connection.execute("DELETE FROM t WHERE rowid = ?", [rowid]).unwrap();
    }

    /// Runs several statements in one transaction.
    pub fn in_transaction(&self, work: impl FnOnce()) {
        self.connection.execute("BEGIN", []).unwrap();
        work();
        self.connection.execute("COMMIT", []).unwrap();
    }

    /// Returns all matching rows ordered by rank and rowid, or SQLite's message.
    pub fn ask(&self, expression: &str, question: &Question) -> Result<Vec<Answer>, String> {
        let message = |error: rusqlite::Error| match error {
            rusqlite::Error::SqliteFailure(_, Some(message)) => message,
            other => other.to_string(),
        };
        let weights = question.weights.iter().map(|weight| format!(", {weight:?}")).collect::<String>();
        let sql = format!(
            "SELECT rowid, bm25(t{weights}), snippet(t, ?2, ?3, ?4, ?5, ?6), highlight(t, ?7, ?8, ?9)
             FROM t WHERE t MATCH ?1 ORDER BY bm25(t{weights}), rowid"
        );
        let mut statement = self.connection.prepare_cached(&sql).map_err(message)?;
        let (snippet, highlight) = (&question.snippet, &question.highlight);
        let number = |column: &Column| match column {
            Column::Number(number) => *number,
            Column::Name(name) => {
                let place =
                    self.columns.iter().position(|column| column == name).expect("a column of the table");
                i64::try_from(place).unwrap()
            }
        };
        let rows = statement.query_map(
            rusqlite::params![
                expression,
                number(&snippet.column),
                snippet.open,
                snippet.close,
                snippet.ellipsis,
                snippet.tokens,
                number(&highlight.column),
                highlight.open,
                highlight.close
            ],
            |row| {
                Ok(Answer {
                    id: row.get::<_, i64>(0)?.to_string(),
                    rank: row.get(1)?,
                    snippet: row.get(2)?,
                    highlight: row.get(3)?,
                })
            },
        );
        rows.map_err(message)?.collect::<Result<_, _>>().map_err(message)
    }
}

/// Returns the schema of a table with these columns.
pub fn schema(columns: &[String], tokenize: &str) -> Schema {
    let fields = columns.iter().map(|name| (name.as_str(), 1.0));
    Schema::of_fields(fields).unwrap().with_tokenizer(tokenize).unwrap()
}

/// Returns the record of a row.
pub fn record(columns: &[String], rowid: i64, values: &Values) -> Record {
    let mut entries = vec![("id".to_owned(), Json::Integer(rowid))];
    for (column, value) in columns.iter().zip(values) {
        if let Some(text) = value {
            entries.push((column.clone(), Json::String(text.clone())));
        }
    }
    Record::from_json(Json::Object(entries)).unwrap()
}

/// Returns the engine's answer to the same question.
pub fn ask_engine(engine: &Engine, expression: &str, question: &Question) -> Result<Vec<Answer>, String> {
    let options = MatchOptions {
        limit: None,
        weights: Some(question.weights.clone()),
        snippet: Some(question.snippet.clone()),
        highlight: Some(question.highlight.clone()),
        filter: None,
    };
    let rows = engine.matches(expression, &options).map_err(|error| error.to_string())?;
    let answer = |row: MatchRow| Answer {
        id: row.id,
        rank: row.rank,
        snippet: row.snippet.unwrap(),
        highlight: row.highlight.unwrap(),
    };
    Ok(rows.into_iter().map(answer).collect())
}

/// The extent to which two answers must be equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// Rows, order, ranks, snippets and highlights.
    All,
    /// Only the matching rows, because FTS5 reports leftovers of sub-expressions that failed (docs/fts5.md).
    Rows,
}

/// Checks that two answers agree; the error describes the first difference.
pub fn agree(
    ours: &Result<Vec<Answer>, String>,
    theirs: &Result<Vec<Answer>, String>,
    compare: Compare,
) -> Result<(), String> {
    let (ours, theirs) = match (ours, theirs) {
        (Err(ours), Err(theirs)) if ours == theirs => return Ok(()),
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        _ => return Err(format!("ours: {ours:?}\ntheirs: {theirs:?}")),
    };
    let ids = |answers: &[Answer]| {
        let mut ids = answers.iter().map(|answer| answer.id.clone()).collect::<Vec<_>>();
        if compare == Compare::Rows {
            ids.sort();
        }
        ids
    };
    if ids(ours) != ids(theirs) {
        return Err(format!("rows differ\nours:   {:?}\ntheirs: {:?}", brief(ours), brief(theirs)));
    }
    if compare == Compare::Rows {
        return Ok(());
    }
    for (ours, theirs) in ours.iter().zip(theirs) {
        // SQLite's logarithm may differ from ours in the last bit.
        let is_near = (ours.rank - theirs.rank).abs() <= 1e-9 * theirs.rank.abs();
        if !is_near || ours.snippet != theirs.snippet || ours.highlight != theirs.highlight {
            return Err(format!("a row differs\nours:   {ours:?}\ntheirs: {theirs:?}"));
        }
    }
    Ok(())
}

fn brief(answers: &[Answer]) -> Vec<(&str, f64)> {
    answers.iter().map(|answer| (answer.id.as_str(), answer.rank)).take(40).collect()
}
