//! Which fields are text, which are attributes? From a file, or from the records themselves.

use crate::failure::UsageError;
use anyhow::{Context, Result};
use snapseek::{Record, Schema};
use std::fs;
use std::path::Path;

/// Reads a schema from a `.toml` or `.json` file.
pub fn read(path: &Path) -> Result<Schema> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{name} cannot be read"))?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let schema: Schema = match extension.to_ascii_lowercase().as_str() {
        "toml" => toml::from_str(&text).with_context(|| format!("{name} is no schema"))?,
        "json" => Schema::parse(text.as_bytes()).with_context(|| format!("{name} is no schema"))?,
        _ => return Err(UsageError(format!("{name}: a schema file's name ends in .toml or .json")).into()),
    };
    schema.check().with_context(|| name.to_string())?;
    Ok(schema)
}

/// The schema that these records suggest.
pub fn infer<'a>(sample: impl Iterator<Item = &'a Record>) -> Result<Schema> {
    let mut sample = sample.peekable();
    let is_empty = sample.peek().is_none();
    anyhow::ensure!(!is_empty, "there are no records to infer a schema from; pass --schema to build without");
    Schema::infer(sample).context("no schema can be inferred from the records; pass --schema")
}

/// The schema in one line.
pub fn summary(schema: &Schema) -> String {
    let fields = schema.field_names().join(", ");
    let attributes = schema.attributes().map(|(name, kind)| format!("{name} ({})", kind.name()));
    let attributes = attributes.collect::<Vec<_>>().join(", ");
    if attributes.is_empty() {
        format!("text {fields}")
    } else {
        format!("text {fields}; attributes {attributes}")
    }
}
