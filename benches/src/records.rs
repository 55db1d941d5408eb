//! The records of the benchmark: JSON lines, one Debian package each.

use std::borrow::Cow;

use anyhow::{Context, Result};
use serde::Deserialize;

/// The text fields of one record. Its attributes are for snapseek alone, which parses the lines itself.
#[derive(Deserialize)]
pub struct Record<'a> {
    #[serde(borrow)]
    pub title: Cow<'a, str>,
    #[serde(borrow)]
    pub description: Cow<'a, str>,
    #[serde(borrow)]
    pub section: Cow<'a, str>,
}

/// Parses JSON lines one at a time; every peer's build time includes this.
pub fn parse(lines: &str) -> impl Iterator<Item = Result<Record<'_>>> {
    lines
        .lines()
        .enumerate()
        .map(|(row, line)| serde_json::from_str(line).with_context(|| format!("record on line {}", row + 1)))
}
