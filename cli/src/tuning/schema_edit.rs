//! How do chosen values reach a schema file, without a change to anything else in it?
//!
//! TOML keeps its comments, its order and its spacing. JSON keeps its order, and its indentation if it has any.

use crate::output::WholeFile;
use crate::schema_file;
use anyhow::{Context, Result, anyhow, ensure};
use snapseek::Schema;
use snapseek::json::Json;
use snapseek::vector::Encoding;
use std::io::Write;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, InlineTable, Item, Table, Value};

/// Values to write into a schema.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SchemaValues {
    /// Weights by text field.
    pub weights: Vec<(String, f64)>,
    /// The weight of a model's vectors.
    pub trust: Option<ModelTrust>,
}

/// The weight of a model's vectors in the default fusion.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelTrust {
    /// The name of the model.
    pub model: String,
    /// The encoding of its vectors. A file that lacks the model gets it as well: with an entry for the model, `build` takes
    /// the encoding from there.
    pub encoding: Encoding,
    /// The weight.
    pub trust: f64,
}

/// A schema file that can be changed.
#[derive(Debug)]
pub struct EditableSchema {
    path: PathBuf,
    text: String,
    schema: Schema,
}

impl EditableSchema {
    /// Reads a `.toml` or `.json` file, which must have all text fields of the snapshot's schema.
    ///
    /// # Errors
    /// When the file cannot be read, is not a schema, or lacks a field.
    pub fn read(path: &Path, snapshot: &Schema) -> Result<EditableSchema> {
        let text = schema_file::text(path)?;
        let schema = schema_file::parse(&text, path)?.schema;
        for field in snapshot.field_names() {
            let name = path.display();
            ensure!(
                schema.field(field).is_some(),
                "{name} has no text field {field:?}, but the snapshot has; name the schema that the snapshot was built with"
            );
        }
        Ok(EditableSchema { path: path.to_owned(), text, schema })
    }

    /// Writes the values into the file. The file changes as a whole or not at all. Returns whether it changed.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, values: &SchemaValues) -> Result<bool> {
        let text = self.edited(values)?;
        if text == self.text {
            return Ok(false);
        }
        // Nothing that could not be read again may replace a schema.
        schema_file::parse(&text, &self.path)?;
        let mut file = WholeFile::edit(&self.path)?;
        file.write(|file| file.write_all(text.as_bytes()))?;
        file.appear()?;
        Ok(true)
    }

    /// Returns the text with the values that differ from the file's.
    fn edited(&self, values: &SchemaValues) -> Result<String> {
        let own = self.schema.field_names().into_iter().zip(self.schema.weights()).collect::<Vec<_>>();
        let mut changed = values.clone();
        changed.weights.retain(|(field, weight)| !own.contains(&(field.as_str(), *weight)));
        let own = |model: &str| self.schema.model(model).and_then(|(_, model)| model.trust);
        changed.trust = changed.trust.filter(|chosen| own(&chosen.model) != Some(chosen.trust));
        if changed == SchemaValues::default() {
            return Ok(self.text.clone());
        }
        match self.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml")) {
            true => edited_toml(&self.text, &changed),
            false => edited_json(&self.text, &changed),
        }
    }
}

fn edited_toml(text: &str, values: &SchemaValues) -> Result<String> {
    // The error's own text would quote the file, which may contain API keys.
    let parsed = text.parse::<DocumentMut>();
    let mut document = parsed.map_err(|error| anyhow!("{}", error.message().to_owned()))?;
    for (field, weight) in &values.weights {
        let fields = document.entry("fields").or_insert_with(|| Item::Table(Table::new()));
        let fields = fields.as_table_like_mut().context("fields is not a table")?;
        let field = fields.entry(field).or_insert_with(|| Item::Value(InlineTable::new().into()));
        set(field, "weight", (*weight).into())?;
    }
    if let Some(ModelTrust { model, encoding, trust }) = &values.trust {
        let implicit = || {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        };
        let models = document.entry("vectors").or_insert_with(implicit);
        let models = models.as_table_like_mut().context("vectors is not a table")?;
        let is_new = !models.contains_key(model);
        let model = models.entry(model).or_insert_with(|| Item::Table(Table::new()));
        if is_new && *encoding != Encoding::default() {
            set(model, "encoding", encoding.name().into())?;
        }
        set(model, "trust", (*trust).into())?;
    }
    Ok(document.to_string())
}

/// Sets an entry of a table. A comment after the old value stays.
fn set(table: &mut Item, name: &str, mut value: Value) -> Result<()> {
    let table = table.as_table_like_mut().ok_or_else(|| anyhow!("{name} has no table to be in"))?;
    match table.get_mut(name).and_then(Item::as_value_mut) {
        Some(known) => {
            *value.decor_mut() = known.decor().clone();
            *known = value;
        }
        None => _ = table.insert(name, Item::Value(value)),
    }
    Ok(())
}

fn edited_json(text: &str, values: &SchemaValues) -> Result<String> {
    let mut json = Json::parse(text.as_bytes())?;
    for (field, weight) in &values.weights {
        *entry(&mut json, &["fields", field, "weight"])? = Json::from_f64(*weight);
    }
    if let Some(ModelTrust { model, encoding, trust }) = &values.trust {
        let is_new = json.get("vectors").and_then(|models| models.get(model)).is_none();
        if is_new && *encoding != Encoding::default() {
            *entry(&mut json, &["vectors", model, "encoding"])? = Json::String(encoding.name().to_owned());
        }
        *entry(&mut json, &["vectors", model, "trust"])? = Json::from_f64(*trust);
    }
    let mut out = match indentation(text) {
        Some(unit) => indented(&json, unit, "\n"),
        None => json.to_text(),
    };
    out.push_str(&text[text.trim_end().len()..]);
    Ok(out)
}

/// Returns the entry at a path of names. Adds the objects on the way, and `null` in the end, if they are missing.
fn entry<'a>(json: &'a mut Json, path: &[&str]) -> Result<&'a mut Json> {
    let mut at = json;
    for name in path {
        if *at == Json::Null {
            *at = Json::Object(Vec::new());
        }
        let Json::Object(entries) = at else { return Err(anyhow!("{name} has no object to be in")) };
        let known = entries.iter().position(|(known, _)| known == name);
        let place = known.unwrap_or_else(|| {
            entries.push(((*name).to_owned(), Json::Null));
            entries.len() - 1
        });
        at = &mut entries[place].1;
    }
    Ok(at)
}

/// Returns the indentation of the first indented line; `None` if the text is one line.
fn indentation(text: &str) -> Option<&str> {
    let indented = |line: &'_ str| line.len() - line.trim_start().len();
    let mut lines = text.trim().lines().skip(1).peekable();
    lines.peek()?;
    Some(lines.map(|line| &line[..indented(line)]).find(|space| !space.is_empty()).unwrap_or("  "))
}

/// Writes JSON with one entry per line. `line` is a line end with the indentation of the value's own line.
fn indented(json: &Json, unit: &str, line: &str) -> String {
    let inner = format!("{line}{unit}");
    let list = |open: &str, items: Vec<String>, close: &str| {
        format!("{open}{inner}{}{line}{close}", items.join(&format!(",{inner}")))
    };
    match json {
        Json::Object(entries) if !entries.is_empty() => {
            let one = |(name, value): &(String, Json)| {
                format!("{}: {}", Json::String(name.clone()).to_text(), indented(value, unit, &inner))
            };
            list("{", entries.iter().map(one).collect(), "}")
        }
        // Arrays of a schema are short: names of fields.
        Json::Array(values) => {
            let items = values.iter().map(|value| indented(value, unit, line)).collect::<Vec<_>>();
            format!("[{}]", items.join(", "))
        }
        other => other.to_text(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(weights: &[(&str, f64)], trust: Option<(&str, f64)>) -> SchemaValues {
        SchemaValues {
            weights: weights.iter().map(|(field, weight)| ((*field).to_owned(), *weight)).collect(),
            trust: trust.map(|(model, trust)| ModelTrust {
                model: model.to_owned(),
                encoding: Encoding::F32,
                trust,
            }),
        }
    }

    #[track_caller]
    fn edited(name: &str, text: &str, values: &SchemaValues) -> String {
        let path = PathBuf::from(name);
        let schema = schema_file::parse(text, &path).unwrap().schema;
        let edited =
            EditableSchema { path: path.clone(), text: text.to_owned(), schema }.edited(values).unwrap();
        schema_file::parse(&edited, &path).unwrap();
        edited
    }

    const TOML: &str = r#"# Our notes.
tokenizer = "porter unicode61"   # stems

[fields]
title = { weight = 10.0 } # titles first
body = {}

[fields.notes]
weight = 3 # seldom read

[vectors.minilm]
encoding = "f32"

[embedding]
provider = "voyage"
apiKey = "sk-1"
"#;

    #[test]
    fn toml_keeps_everything_else() {
        let chosen = values(&[("title", 4.0), ("body", 1.0), ("notes", 0.5)], Some(("minilm", 0.4)));
        let expected = TOML
            .replace("weight = 10.0", "weight = 4.0")
            .replace("weight = 3 #", "weight = 0.5 #")
            .replace("encoding = \"f32\"\n", "encoding = \"f32\"\ntrust = 0.4\n");
        assert_eq!(edited("s.toml", TOML, &chosen), expected);
    }

    #[test]
    fn values_that_the_file_has_already_change_no_byte() {
        let chosen = values(&[("title", 10.0), ("body", 1.0), ("notes", 3.0)], None);
        assert_eq!(edited("s.toml", TOML, &chosen), TOML);
        let json = "{ \"fields\": {\"title\": {\"weight\": 2e0}}}";
        assert_eq!(edited("s.json", json, &values(&[("title", 2.0)], None)), json);
    }

    #[test]
    fn missing_tables_are_added_and_a_new_model_keeps_its_encoding() {
        let chosen = values(&[("title", 4.0), ("body", 2.0)], Some(("hash", 0.0)));
        assert_eq!(
            edited("s.toml", "preset = \"hybrid\"\n", &chosen),
            "preset = \"hybrid\"\n\n[fields]\ntitle = { weight = 4.0 }\nbody = { weight = 2.0 }\n\n\
             [vectors.hash]\nencoding = \"f32\"\ntrust = 0.0\n"
        );
        assert_eq!(
            edited("s.json", "{\"preset\":\"hybrid\"}\n", &chosen),
            "{\"preset\":\"hybrid\",\"fields\":{\"title\":{\"weight\":4},\"body\":{\"weight\":2}},\
             \"vectors\":{\"hash\":{\"encoding\":\"f32\",\"trust\":0}}}\n"
        );
    }

    #[test]
    fn json_keeps_its_order_its_indentation_and_what_is_no_schema() {
        let text = "{\n    \"fields\": {\n        \"title\": {\"weight\": 10},\n        \"body\": {}\n    },\n    \
                    \"vectors\": {\"own\": {\"text\": [\"title\", \"body\"]}},\n    \"embedding\": {\"provider\": \"voyage\"}\n}\n";
        let expected = r#"{
    "fields": {
        "title": {
            "weight": 0.5
        },
        "body": {}
    },
    "vectors": {
        "own": {
            "text": ["title", "body"],
            "trust": 0.28
        }
    },
    "embedding": {
        "provider": "voyage"
    }
}
"#;
        assert_eq!(edited("s.json", text, &values(&[("title", 0.5)], Some(("own", 0.28)))), expected);
    }

    #[test]
    fn a_schema_of_other_fields_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.toml");
        std::fs::write(&path, "[fields]\nbody = {}\n").unwrap();
        let snapshot = Schema::of_fields([("title", 1.0), ("body", 1.0)]).unwrap();
        let refused = EditableSchema::read(&path, &snapshot).unwrap_err().to_string();
        assert!(refused.contains("has no text field \"title\", but the snapshot has"), "{refused}");
    }

    #[test]
    #[cfg(unix)]
    fn a_written_file_keeps_its_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.toml");
        std::fs::write(&path, "[fields]\ntitle = {}\n").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        let schema = EditableSchema::read(&path, &Schema::of_fields([("title", 1.0)]).unwrap()).unwrap();
        assert!(schema.write(&values(&[("title", 8.0)], None)).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "[fields]\ntitle = { weight = 8.0 }\n");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
