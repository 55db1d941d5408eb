//! Reads the table `[embedding]` of a schema file: the provider that embeds where the command line names none.
//!
//! The table is for the command line only: it never becomes a part of the schema, so a snapshot never holds a key.
//! Messages name keys of the table, never their values.

use crate::provider::NAMES;
use crate::provider::remote::secret::Secret;
use serde_json::Value;

/// The names that the table may contain.
const KNOWN: [&str; 6] = ["provider", "model", "apiKey", "keys", "baseUrl", "batchSize"];

/// The table `[embedding]` of a schema file. The arguments of the command line override each of its values.
#[derive(Clone, Debug)]
pub struct EmbeddingSettings {
    /// One of the provider names that `--embed` accepts.
    pub provider: String,
    /// The model, or the folder of one, as after the colon of `--embed`.
    pub model: Option<String>,
    /// The key under `apiKey`, then those under `keys`. The next key is used when a server throttles one.
    pub keys: Vec<Secret>,
    /// The address of the server, as `--embed-base-url`.
    pub base_url: Option<String>,
    /// The number of texts per request, as `--embed-batch`.
    pub batch_size: Option<usize>,
}

impl EmbeddingSettings {
    /// Reads the table.
    ///
    /// # Errors
    /// One message with everything that is wrong: unknown names, values of another type, no provider.
    pub fn read(table: &Value) -> Result<EmbeddingSettings, String> {
        let Value::Object(entries) = table else {
            return Err(format!("embedding: must be a table, not {}", kind(table)));
        };
        let mut faults = Vec::new();
        for name in entries.keys().filter(|name| !KNOWN.contains(&name.as_str())) {
            faults.push(format!("embedding.{name}: unknown option; there are {}", KNOWN.join(", ")));
        }
        let mut text = |name: &str| match entries.get(name)? {
            Value::String(text) if !text.trim().is_empty() => Some(text.trim().to_owned()),
            Value::String(_) => {
                faults.push(format!("embedding.{name}: the text is empty; remove the line, or fill it in"));
                None
            }
            other => {
                faults.push(format!("embedding.{name}: must be a text, not {}", kind(other)));
                None
            }
        };
        let (provider, model, base_url) = (text("provider"), text("model"), text("baseUrl"));
        let mut keys = text("apiKey").map_or_else(Vec::new, |key| Secret::list(&key));
        let provider = provider.map(|name| name.to_ascii_lowercase());
        match &provider {
            Some(name) if !NAMES.contains(&name.as_str()) => {
                faults
                    .push(format!("embedding.provider: there is no {name}; there are {}", NAMES.join(", ")));
            }
            None if !entries.contains_key("provider") => {
                faults.push(format!("embedding.provider is missing; it is one of {}", NAMES.join(", ")));
            }
            _ => {}
        }
        match entries.get("keys").map(pool) {
            Some(Some(pool)) => keys.extend(pool),
            Some(None) => faults.push("embedding.keys: must be an array of texts".to_owned()),
            None => {}
        }
        let batch_size = match entries.get("batchSize") {
            None => None,
            Some(value) => {
                let count =
                    value.as_u64().and_then(|count| usize::try_from(count).ok()).filter(|count| *count > 0);
                if count.is_none() {
                    faults.push("embedding.batchSize: must be a whole number from 1 on".to_owned());
                }
                count
            }
        };
        match provider {
            Some(provider) if faults.is_empty() => {
                Ok(EmbeddingSettings { provider, model, keys, base_url, batch_size })
            }
            _ => Err(faults.join("; ")),
        }
    }
}

/// Returns the keys of a pool; `None` if it is no array of texts.
fn pool(value: &Value) -> Option<Vec<Secret>> {
    let texts = value.as_array()?.iter().map(Value::as_str).collect::<Option<Vec<_>>>()?;
    Some(texts.into_iter().flat_map(Secret::list).collect())
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "an array",
        Value::Object(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn v15_every_value_of_the_table_is_read() {
        let table = json!({
            "provider": "Voyage", "model": "voyage-3.5-lite", "apiKey": "a", "keys": ["b", "c,d"],
            "baseUrl": "http://127.0.0.1:1", "batchSize": 7,
        });
        let settings = EmbeddingSettings::read(&table).unwrap();
        assert_eq!(
            (settings.provider.as_str(), settings.model.as_deref()),
            ("voyage", Some("voyage-3.5-lite"))
        );
        assert_eq!((settings.keys.len(), settings.batch_size), (4, Some(7)));
        assert_eq!(settings.base_url.as_deref(), Some("http://127.0.0.1:1"));
        let least = EmbeddingSettings::read(&json!({"provider": "openai"})).unwrap();
        assert_eq!((least.model, least.keys.len(), least.batch_size), (None, 0, None));
    }

    #[test]
    fn all_faults_are_told_at_once_and_no_value_is_shown() {
        let table = json!({"modle": "x", "apiKey": 12345678, "keys": ["sk-hush", 7], "batchSize": 0});
        let message = EmbeddingSettings::read(&table).unwrap_err();
        for part in [
            "embedding.modle: unknown option; there are provider, model, apiKey, keys, baseUrl, batchSize",
            "embedding.apiKey: must be a text, not a number",
            "embedding.keys: must be an array of texts",
            "embedding.batchSize: must be a whole number from 1 on",
            "embedding.provider is missing; it is one of bert, hash",
        ] {
            assert!(message.contains(part), "{part} is missing in {message}");
        }
        assert!(!message.contains("hush") && !message.contains("12345678"), "{message}");
        assert!(EmbeddingSettings::read(&json!("openai")).unwrap_err().contains("must be a table"));
        let unknown = EmbeddingSettings::read(&json!({"provider": "cohere"})).unwrap_err();
        assert!(unknown.contains("there is no cohere; there are bert, hash"), "{unknown}");
    }
}
