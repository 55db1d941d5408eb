//! Which format does an input have? Its name or its first bytes show it.

use super::document::DocumentMarkup;
use super::options::InputOptions;
use super::rows::TableReader;
use super::{Framing, csv, json, jsonl, parquet, sqlite};
use anyhow::Result;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The format of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// One JSON object per line.
    #[value(alias = "ndjson")]
    Jsonl,
    /// An array of objects, one object, or {"records": [...]}.
    Json,
    /// Cells under a header line, separated by commas, semicolons or tabs.
    Csv,
    /// Cells under a header line, separated by tabs.
    Tsv,
    /// Text with headings, and optional front matter.
    #[value(alias = "md")]
    Markdown,
    /// A page; its text without navigation and scripts.
    Html,
    /// Plain text.
    #[value(alias = "txt")]
    Text,
    /// A SQLite database: the rows of a table or a query.
    Sqlite,
    /// A Parquet file.
    Parquet,
}

impl Format {
    /// Returns the format that the extension implies, or else the first bytes of the file.
    pub fn of_path(path: &Path) -> Option<Format> {
        Format::of_name(path).or_else(|| Format::of_start(path))
    }

    fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        Some(match extension.as_str() {
            "jsonl" | "ndjson" => Format::Jsonl,
            "json" => Format::Json,
            "csv" => Format::Csv,
            "tsv" => Format::Tsv,
            "db" | "sqlite" | "sqlite3" | "db3" => Format::Sqlite,
            "parquet" => Format::Parquet,
            _ => match DocumentMarkup::of_path(path)? {
                DocumentMarkup::Markdown => Format::Markdown,
                DocumentMarkup::Html => Format::Html,
                DocumentMarkup::Plain => Format::Text,
            },
        })
    }

    fn of_start(path: &Path) -> Option<Format> {
        let mut start = Vec::new();
        File::open(path).ok()?.take(16).read_to_end(&mut start).ok()?;
        match &start[..] {
            b"SQLite format 3\0" => Some(Format::Sqlite),
            [b'P', b'A', b'R', b'1', ..] => Some(Format::Parquet),
            _ => None,
        }
    }

    /// Returns how to read inputs of this format. The field or column `id` is the id of a record, if it is given.
    pub fn way(self, id: Option<&str>) -> Way {
        match self {
            Format::Jsonl => Way::Entries(Box::new(jsonl::Lines)),
            Format::Json => Way::Entries(Box::new(json::JsonValues::default())),
            Format::Csv => Way::Entries(Box::new(csv::TextRows::csv(id))),
            Format::Tsv => Way::Entries(Box::new(csv::TextRows::tsv(id))),
            Format::Markdown => Way::Document(DocumentMarkup::Markdown),
            Format::Html => Way::Document(DocumentMarkup::Html),
            Format::Text => Way::Document(DocumentMarkup::Plain),
            Format::Sqlite => {
                Way::Table(|path, options| Ok(Box::new(sqlite::SqliteRows::open(path, options)?)))
            }
            Format::Parquet => {
                Way::Table(|path, options| Ok(Box::new(parquet::ParquetRows::open(path, options)?)))
            }
        }
    }
}

/// How to read inputs of a format.
pub enum Way {
    /// As a text of entries.
    Entries(Box<dyn Framing>),
    /// As a document.
    Document(DocumentMarkup),
    /// As a table, opened by this function.
    Table(fn(&Path, &InputOptions) -> Result<Box<dyn TableReader>>),
}
