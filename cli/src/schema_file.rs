//! Which fields are text, and which are attributes? A file says so, or the records suggest it.

use crate::embedding::EmbeddingSettings;
use crate::failure::UsageError;
use anyhow::{Context, Result, anyhow, ensure};
use snapseek::attributes::AttributeType;
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
    parse(&text(path)?, path)
}

/// Returns the text of a schema file.
///
/// # Errors
/// When the file cannot be read.
pub fn text(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("{} cannot be read", path.display()))
}

/// Parses the text of a schema file. The path gives the format, and names the file in messages.
///
/// # Errors
/// When the text is malformed or is not a schema; see [`read`].
pub fn parse(text: &str, path: &Path) -> Result<SchemaFile> {
    let name = path.display();
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    let (schema, embedding) = match extension.to_ascii_lowercase().as_str() {
        "toml" => parse_toml(text),
        "json" => parse_json(text),
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
pub fn infer(sample: &[Record]) -> Result<Schema> {
    ensure!(
        !sample.is_empty(),
        "there are no records to infer a schema from; pass --schema to build without"
    );
    Schema::infer(sample).context("no schema can be inferred from the records; pass --schema")
}

/// Fields of documents that say where a chunk is. Nobody filters by them.
const PLACES: [&str; 4] = ["path", "chunkIndex", "offset", "line"];
/// Fields of documents that are only shown.
const SHOWN: [&str; 3] = ["description", "image", "frontMatter"];
/// A value of front matter that is longer, in bytes, is no facet.
const FACET_LEN: usize = 80;
/// The largest number of attributes that front matter adds.
const MAX_FACETS: usize = 64;

/// Returns the preset for documents, with the front matter of the sample as attributes. `others` adds the text fields of
/// records that are no documents.
pub fn docs(sample: &[Record], others: OtherRecords) -> Result<Schema> {
    let mut schema = Schema::preset("docs").expect("there is such a preset");
    let languages = sample.iter().filter_map(|record| record.json().get("lang")?.as_str());
    if languages.into_iter().any(|lang| ["zh", "ja", "ko"].iter().any(|cjk| lang.starts_with(cjk))) {
        schema = schema.with_cjk_bigrams();
    }
    let Ok(inferred) = Schema::infer(sample) else { return Ok(schema) };
    let is_facet = |name: &str| {
        let mut values = sample.iter().filter_map(|record| record.json().get(name));
        values.all(|value| value.as_str().is_none_or(|text| text.len() <= FACET_LEN && !text.contains("://")))
    };
    let fields = inferred.field_names().into_iter().map(|name| (name, None));
    let found =
        inferred.attributes().map(|(name, kind)| (name, Some(kind))).chain(fields).collect::<Vec<_>>();
    let mut facets = 0;
    for (name, kind) in found {
        let known = schema.field_names().into_iter().chain(schema.attributes().map(|(name, _)| name));
        let is_known = known.chain(PLACES).chain(SHOWN).any(|known| known.eq_ignore_ascii_case(name));
        if is_known {
            continue;
        }
        schema = match kind {
            None if others == OtherRecords::Some => schema.with_field(name, 1.0)?,
            None if !is_facet(name) => continue,
            _ if facets == MAX_FACETS => continue,
            kind => {
                facets += 1;
                schema.with_attribute(name, kind.unwrap_or(AttributeType::Keyword))?
            }
        };
    }
    Ok(schema)
}

/// Whether records that are no documents are among the inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OtherRecords {
    None,
    Some,
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
