//! SQLite FTS5, native: the oracle of the benchmark, because snapseek promises the same answers.
//!
//! The table is contentless, so that its file, like the other indexes, holds no documents.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Result;
use rusqlite::Connection;

use super::{BuildTime, Document, Engine, Hit, LIMIT};
use crate::queries::Query;
use crate::records;

/// Breaks ties by row, as snapseek does. This is also the fastest statement: with `ORDER BY rank` alone FTS5 sorts every
/// match itself before it applies LIMIT, and takes 1.4 times as long.
const SEARCH: &str =
    "SELECT rowid, rank FROM documents WHERE documents MATCH ?1 ORDER BY rank, rowid LIMIT ?2";

pub struct Fts5 {
    connection: Connection,
}

fn file(index: &Path) -> PathBuf {
    index.join("fts5.sqlite")
}

impl Engine for Fts5 {
    /// Row, from 0, and bm25.
    type Answer = Vec<(i64, f64)>;

    /// Builds with one thread: FTS5 cannot use more.
    fn build(records: &str, index: &Path, _threads: usize) -> Result<BuildTime> {
        let started = Instant::now();
        let mut connection = Connection::open(file(index))?;
        // A failed build starts again, so nothing has to survive a crash.
        connection.execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;")?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(
            "CREATE VIRTUAL TABLE documents USING fts5(title, description, section,
                 content = '', detail = full, tokenize = 'porter unicode61');",
        )?;
        {
            let mut insert = transaction.prepare(
                "INSERT INTO documents(rowid, title, description, section) VALUES (?1, ?2, ?3, ?4)",
            )?;
            for (row, record) in (0_i64..).zip(records::parse(records)) {
                let record = record?;
                insert.execute((row, &*record.title, &*record.description, &*record.section))?;
            }
        }
        transaction.commit()?;
        let build = started.elapsed();

        let started = Instant::now();
        connection.execute_batch("INSERT INTO documents(documents) VALUES ('optimize'); VACUUM;")?;
        connection.close().map_err(|(_, error)| error)?;
        Ok(BuildTime { build, compact: started.elapsed() })
    }

    fn open(index: &Path) -> Result<Fts5> {
        let engine = Fts5 { connection: Connection::open(file(index))? };
        engine.connection.prepare_cached(SEARCH)?;
        Ok(engine)
    }

    fn search(&mut self, query: &Query) -> Result<Self::Answer> {
        let mut statement = self.connection.prepare_cached(SEARCH)?;
        let rows = statement.query_map((&query.expression, LIMIT), |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    fn hits(&self, answer: Self::Answer) -> Result<Vec<Hit>> {
        answer.into_iter().map(|(row, score)| Ok(Hit(Document::Row(u64::try_from(row)?), score))).collect()
    }
}
