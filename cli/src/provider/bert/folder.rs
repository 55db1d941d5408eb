//! Reads the folder of a sentence-transformer.
//!
//! `modules.json` lists the steps: a transformer, a pooling and possibly a normalisation, each with a folder for its
//! files. A folder without that list is a plain transformer, with mean pooling.

use super::encoder::Config;
use super::error::BertError;
use crate::provider::TextPurpose;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

/// How the vectors of tokens become the vector of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pooling {
    /// By their mean.
    Mean,
    /// The vector of the first token.
    First,
}

/// The settings of a folder, and the bytes of its two large files.
#[derive(Debug)]
pub struct Folder {
    /// The shape of the model.
    pub config: Config,
    /// The pooling.
    pub pooling: Pooling,
    /// Whether vectors are scaled to length 1.
    pub is_normalized: bool,
    /// The largest number of tokens per text.
    pub max_tokens: usize,
    /// Whether texts are converted to lower case first.
    pub is_lowercase: bool,
    /// The prefixes of texts, by purpose.
    prompts: Prompts,
    /// `tokenizer.json`.
    pub tokenizer: Vec<u8>,
    /// `model.safetensors`.
    pub weights: Vec<u8>,
}

#[derive(Deserialize)]
struct Module {
    path: String,
    #[serde(rename = "type")]
    kind: String,
}

#[derive(Default, Deserialize)]
struct TransformerConfig {
    max_seq_length: Option<usize>,
    #[serde(default)]
    do_lower_case: bool,
}

#[derive(Default, Deserialize)]
struct TokenizerConfig {
    /// Some files write 10^30 for no limit.
    model_max_length: Option<f64>,
}

#[derive(Debug, Default, Deserialize)]
struct Prompts {
    #[serde(default)]
    prompts: BTreeMap<String, String>,
    default_prompt_name: Option<String>,
}

#[derive(Deserialize)]
struct PoolingConfig {
    /// Newer files name the pooling; older files have one switch per kind.
    pooling_mode: Option<String>,
    #[serde(flatten)]
    others: BTreeMap<String, serde_json::Value>,
}

impl Folder {
    /// Reads the folder at `path`.
    pub fn read(path: &Path) -> Result<Folder, BertError> {
        let modules: Option<Vec<Module>> = json_if_there(&path.join("modules.json"))?;
        let (mut transformer, mut pooling, mut is_normalized) = (path.to_owned(), Pooling::Mean, false);
        for module in modules.unwrap_or_default() {
            let place = path.join(&module.path);
            match module.kind.rsplit('.').next().unwrap_or_default() {
                "Transformer" => transformer = place,
                "Pooling" => pooling = pooling_of(&place.join("config.json"))?,
                "Normalize" => is_normalized = true,
                other => return Err(BertError::Unsupported { what: format!("a {other} module") }),
            }
        }
        let config: Config = json(&transformer.join("config.json"))?;
        let limits: TransformerConfig =
            json_if_there(&transformer.join("sentence_bert_config.json"))?.unwrap_or_default();
        let tokenizer_limits: TokenizerConfig =
            json_if_there(&transformer.join("tokenizer_config.json"))?.unwrap_or_default();
        let most = config.max_position_embeddings;
        let said = tokenizer_limits.model_max_length.filter(|len| *len < most as f64).map(|len| len as usize);
        Ok(Folder {
            max_tokens: limits.max_seq_length.or(said).unwrap_or(most).min(most),
            is_lowercase: limits.do_lower_case,
            config,
            pooling,
            is_normalized,
            prompts: json_if_there(&path.join("config_sentence_transformers.json"))?.unwrap_or_default(),
            tokenizer: bytes(&transformer.join("tokenizer.json"))?,
            weights: bytes(&transformer.join("model.safetensors"))?,
        })
    }

    /// Returns the prefix of texts with this purpose.
    pub fn prompt(&self, purpose: TextPurpose) -> &str {
        let Prompts { prompts, default_prompt_name } = &self.prompts;
        let named = match purpose {
            TextPurpose::Document => ["document", "passage"].iter().find_map(|name| prompts.get(*name)),
            TextPurpose::Query => prompts.get("query"),
        };
        let default = || prompts.get(default_prompt_name.as_ref()?);
        named.or_else(default).map_or("", String::as_str)
    }
}

fn pooling_of(path: &Path) -> Result<Pooling, BertError> {
    let config: PoolingConfig = json(path)?;
    let switches = config.others.iter().filter(|(_, value)| **value == serde_json::Value::Bool(true));
    let switches = switches.filter_map(|(name, _)| name.strip_prefix("pooling_mode_"));
    let modes = match config.pooling_mode {
        Some(mode) => vec![mode],
        None => switches.map(str::to_owned).collect(),
    };
    match modes.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["mean" | "mean_tokens"] => Ok(Pooling::Mean),
        ["cls" | "cls_token"] => Ok(Pooling::First),
        _ => Err(BertError::Unsupported { what: format!("pooling by {}", modes.join(" and ")) }),
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, BertError> {
    fs::read(path).map_err(|source| BertError::Unreadable { path: path.to_owned(), source })
}

fn json<T: DeserializeOwned>(path: &Path) -> Result<T, BertError> {
    let bad =
        |error: serde_json::Error| BertError::BadFile { path: path.to_owned(), reason: error.to_string() };
    serde_json::from_slice(&bytes(path)?).map_err(bad)
}

fn json_if_there<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, BertError> {
    match json(path) {
        Err(BertError::Unreadable { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
        other => other.map(Some),
    }
}
