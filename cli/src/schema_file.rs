//! Which fields are text, and which are attributes? A file says so, or the records suggest it.

use crate::embedding::EmbeddingSettings;
use crate::failure::UsageError;
use anyhow::{Context, Result, anyhow};
use snapseek::json::Json;
use snapseek::{Record, Schema};
use std::fs;
use std::path::Path;

/// The name of the table that is no part of the schema.
const EMBEDDING: &str = "embedding";

/// The contents of a schema file.
#[derive(Debug)]
pub struct SchemaFile {
    /// The schema.
    pub schema: Schema,
    /// Its table `[embedding]`, which says how `build` makes vectors.
    pub embedding: Option<EmbeddingSettings>,
}

/// Reads a `.toml` or `.json` file.
///
/// # Errors
/// When the file cannot be read, is malformed, or is not a schema. The message does not quote the file, which may contain
/// API keys.
pub fn read(path: &Path) -> Result<SchemaFile> {
    let name = path.display();
    let text = fs::read_to_string(path).with_context(|| format!("{name} cannot be read"))?;
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let (schema, embedding) = match extension.to_ascii_lowercase().as_str() {
        "toml" => parse_toml(&text),
        "json" => parse_json(&text),
        _ => return Err(UsageError(format!("{name}: a schema file's name ends in .toml or .json")).into()),
    }
    .with_context(|| format!("{name} is not a schema"))?;
    schema.check().with_context(|| name.to_string())?;
    let embedding = embedding.as_ref().map(EmbeddingSettings::read).transpose();
    let embedding = embedding.map_err(|faults| anyhow!("{name}: {faults}"))?;
    Ok(SchemaFile { schema, embedding })
}

fn parse_toml(text: &str) -> Result<(Schema, Option<serde_json::Value>)> {
    let unquoted = |error: toml::de::Error| {
        let before = &text[..error.span().map_or(0, |span| span.start.min(text.len()))];
        let line = before.matches('\n').count() + 1;
        anyhow!("TOML parse error at line {line}: {}", error.message())
    };
    let mut table: toml::Table = toml::from_str(text).map_err(unquoted)?;
    let embedding = table.remove(EMBEDDING).map(serde_json::to_value).transpose()?;
    let schema = table.try_into().map_err(|error: toml::de::Error| anyhow!("{}", error.message()))?;
    Ok((schema, embedding))
}

fn parse_json(text: &str) -> Result<(Schema, Option<serde_json::Value>)> {
    let mut json = Json::parse(text.as_bytes())?;
    let mut embedding = None;
    if let Json::Object(entries) = &mut json
        && let Some(place) = entries.iter().position(|(name, _)| name == EMBEDDING)
    {
        let (_, value) = entries.remove(place);
        embedding = Some(serde_json::from_str(&value.to_text())?);
    }
    Ok((Schema::parse(json.to_text().as_bytes())?, embedding))
}

/// Infers a schema from records.
pub fn infer<'a>(sample: impl Iterator<Item = &'a Record>) -> Result<Schema> {
    let mut sample = sample.peekable();
    let is_empty = sample.peek().is_none();
    anyhow::ensure!(!is_empty, "there are no records to infer a schema from; pass --schema to build without");
    Schema::infer(sample).context("no schema can be inferred from the records; pass --schema")
}

/// Describes a schema in one line.
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
