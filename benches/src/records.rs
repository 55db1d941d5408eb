//! Reads the records of the benchmark: JSON lines, one Debian package per line.

use std::borrow::Cow;

use anyhow::{Context, Result};
use serde::Deserialize;

/// The text fields of one record. Only snapseek uses the attributes, and it parses the lines itself.
#[derive(Deserialize)]
pub struct Record<'a> {
    #[serde(borrow)]
    pub title: Cow<'a, str>,
    #[serde(borrow)]
    pub description: Cow<'a, str>,
    #[serde(borrow)]
    pub section: Cow<'a, str>,
}

/// Parses JSON lines one at a time. The build time of every engine includes this.
pub fn parse(lines: &str) -> impl Iterator<Item = Result<Record<'_>>> {
    lines
        .lines()
        .enumerate()
        .map(|(row, line)| serde_json::from_str(line).with_context(|| format!("record on line {}", row + 1)))
}
