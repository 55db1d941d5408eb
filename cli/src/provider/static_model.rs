//! Reads a static model from a folder in the layout of model2vec or of wordllama.
//!
//! A model consists of a tokenizer (`tokenizer.json`: BERT's WordPiece, or Llama's BPE with byte fallback) and a table
//! (`model.safetensors`). The table has one row per token: `embeddings`, as model2vec writes it, or `embeddings.2bit`,
//! which packs four values into each byte. `weights` has one factor per token. The package of wordllama keeps them in the folders `tokenizers` and `weights`, under other
//! names. All other tokenizers are refused, because a tokenizer that is nearly right gives wrong vectors silently.

use super::tensors::Tensors;
use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;
use snapseek::embed::{ModelTokenizer, StaticModel, StaticModelView, WordPieceOptions};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Returns the encoded table of the model at `path`: a folder, or a file that [`encoded`] wrote before.
///
/// # Errors
///
/// When a file is missing or damaged, or the model is of another kind.
pub fn encoded(path: &Path) -> Result<Vec<u8>> {
    if !path.is_file() {
        return Ok(read(path)?.encode()?);
    }
    let table = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    StaticModelView::parse(&table)
        .and_then(|view| view.verify())
        .with_context(|| format!("{} is no file of a static model, or it is damaged", path.display()))?;
    Ok(table)
}

/// Reads the model in `folder`. Its id is the `name` in `config.json`, or else the name of the folder.
///
/// # Errors
///
/// When a file is missing or damaged, or the model is of another kind.
fn read(folder: &Path) -> Result<StaticModel> {
    let tokenizer_path = one_file(folder, "tokenizer.json", "tokenizers", |name| {
        name.ends_with(".json") && name.contains("tokenizer") && name != "tokenizer_config.json"
    })?;
    let table_path = one_file(folder, "model.safetensors", "weights", |name| name.ends_with(".safetensors"))?;
    let text =
        fs::read(&tokenizer_path).with_context(|| format!("cannot read {}", tokenizer_path.display()))?;
    let tokenizer = serde_json::from_slice::<TokenizerFile>(&text)
        .map_err(anyhow::Error::from)
        .and_then(Vocabulary::new)
        .with_context(|| format!("{} is not a tokenizer that snapseek can use", tokenizer_path.display()))?;
    let bytes = fs::read(&table_path).with_context(|| format!("cannot read {}", table_path.display()))?;
    Tensors::parse(&bytes)
        .and_then(|tensors| model(name(folder)?, tokenizer, &tensors))
        .with_context(|| format!("{} is not a table of token vectors", table_path.display()))
}

/// Returns the file with the usual name, or else the only matching file in the folder or its subfolder `inner`.
fn one_file(folder: &Path, usual: &str, inner: &str, is_it: impl Fn(&str) -> bool) -> Result<PathBuf> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read the model folder {}", folder.display()))?;
    let usual_path = folder.join(usual);
    if usual_path.is_file() {
        return Ok(usual_path);
    }
    let mut found = Vec::new();
    for entry in entries.chain(fs::read_dir(folder.join(inner)).into_iter().flatten()) {
        let path = entry?.path();
        if path.is_file() && path.file_name().and_then(|name| name.to_str()).is_some_and(&is_it) {
            found.push(path);
        }
    }
    ensure!(found.len() <= 1, "{} has several files that could be its {usual}; keep one", folder.display());
    found.pop().with_context(|| format!("{} has no {usual}; is it a static model?", folder.display()))
}

#[derive(Deserialize)]
struct Config {
    name: Option<String>,
}

fn name(folder: &Path) -> Result<String> {
    let config = folder.join("config.json");
    if config.is_file() {
        let config = serde_json::from_slice::<Config>(&fs::read(&config)?)
            .context("config.json is not a JSON object")?;
        if let Some(name) = config.name.filter(|name| !name.is_empty()) {
            return Ok(name);
        }
    }
    let path = folder.canonicalize()?;
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .context("the folder has no name to call the model by")?;
    Ok(name.to_owned())
}

/// The parts of `tokenizer.json` that decide the tokens.
#[derive(Deserialize)]
struct TokenizerFile {
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    normalizer: Option<Normalizer>,
    pre_tokenizer: Option<PreTokenizer>,
    model: Model,
}

#[derive(Deserialize)]
struct AddedToken {
    content: String,
    #[serde(default)]
    special: bool,
}

#[derive(Deserialize, PartialEq)]
#[serde(tag = "type")]
enum Normalizer {
    #[serde(rename = "BertNormalizer")]
    Bert {
        clean_text: bool,
        handle_chinese_chars: bool,
        strip_accents: Option<bool>,
        lowercase: bool,
    },
    Sequence {
        normalizers: Vec<Normalizer>,
    },
    Prepend {
        prepend: String,
    },
    Replace {
        pattern: Pattern,
        content: String,
    },
    #[serde(other)]
    Other,
}

#[derive(Deserialize, PartialEq)]
enum Pattern {
    String(String),
    Regex(String),
}

#[derive(Deserialize, PartialEq)]
#[serde(tag = "type")]
enum PreTokenizer {
    #[serde(rename = "BertPreTokenizer")]
    Bert,
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Model {
    WordPiece {
        unk_token: String,
        continuing_subword_prefix: String,
        max_input_chars_per_word: u32,
        vocab: BTreeMap<String, usize>,
    },
    #[serde(rename = "BPE")]
    Bpe {
        unk_token: Option<String>,
        continuing_subword_prefix: Option<String>,
        end_of_word_suffix: Option<String>,
        #[serde(default)]
        byte_fallback: bool,
        #[serde(default)]
        ignore_merges: bool,
        vocab: BTreeMap<String, usize>,
        merges: Vec<Merge>,
    },
    #[serde(other)]
    Other,
}

/// A merge. Older files write the pair as one string.
#[derive(Deserialize)]
#[serde(untagged)]
enum Merge {
    Text(String),
    Pair(String, String),
}

impl Merge {
    fn pair(self) -> Result<(String, String)> {
        match self {
            Merge::Pair(left, right) => Ok((left, right)),
            Merge::Text(text) => {
                let (left, right) =
                    text.split_once(' ').with_context(|| format!("the merge {text:?} is not a pair"))?;
                Ok((left.to_owned(), right.to_owned()))
            }
        }
    }
}

/// A tokenizer, and its tokens with their numbers in the file.
struct Vocabulary {
    tokenizer: ModelTokenizer,
    tokens: Vec<(String, usize)>,
}

impl Vocabulary {
    fn new(file: TokenizerFile) -> Result<Vocabulary> {
        // No text becomes a special token, so their rows are not needed.
        let mut left_out =
            file.added_tokens.into_iter().filter(|token| token.special).map(|token| token.content);
        let mut left_out = left_out.by_ref().collect::<HashSet<_>>();
        let (tokenizer, vocab) = match file.model {
            Model::WordPiece { unk_token, continuing_subword_prefix, max_input_chars_per_word, vocab } => {
                ensure!(
                    !continuing_subword_prefix.is_empty(),
                    "its WordPiece model does not mark continuing tokens"
                );
                ensure!(file.pre_tokenizer == Some(PreTokenizer::Bert), "its pre-tokenizer is not BERT's");
                let Some(Normalizer::Bert { clean_text, handle_chinese_chars, strip_accents, lowercase }) =
                    file.normalizer
                else {
                    bail!("its normalizer is not BERT's");
                };
                left_out.insert(unk_token);
                let options = WordPieceOptions {
                    clean_text,
                    handle_chinese_chars,
                    strip_accents: strip_accents.unwrap_or(lowercase),
                    lowercase,
                    longest_word: max_input_chars_per_word,
                };
                (ModelTokenizer::WordPiece { options, continuing_prefix: continuing_subword_prefix }, vocab)
            }
            Model::Bpe {
                unk_token,
                continuing_subword_prefix,
                end_of_word_suffix,
                byte_fallback,
                ignore_merges,
                vocab,
                merges,
            } => {
                let is_plain = [continuing_subword_prefix, end_of_word_suffix]
                    .into_iter()
                    .all(|mark| mark.is_none_or(|mark| mark.is_empty()));
                ensure!(is_plain && byte_fallback && !ignore_merges, "its BPE model is not of Llama's kind");
                ensure!(
                    file.normalizer == Some(llama_normalizer()) && file.pre_tokenizer.is_none(),
                    "its BPE model does not write spaces as Llama's does"
                );
                left_out.extend(unk_token);
                let merges = merges.into_iter().map(Merge::pair).collect::<Result<_>>()?;
                (ModelTokenizer::Bpe { merges }, vocab)
            }
            Model::Other => bail!("its model is neither WordPiece nor BPE"),
        };
        let mut tokens = vocab.into_iter().filter(|(token, _)| !left_out.contains(token)).collect::<Vec<_>>();
        tokens.sort_unstable_by_key(|(_, number)| *number);
        Ok(Vocabulary { tokenizer, tokens })
    }
}

/// Puts one `▁` before the text, and replaces each space by one.
fn llama_normalizer() -> Normalizer {
    let replace = Normalizer::Replace { pattern: Pattern::String(" ".to_owned()), content: "▁".to_owned() };
    Normalizer::Sequence { normalizers: vec![Normalizer::Prepend { prepend: "▁".to_owned() }, replace] }
}

/// The array of token vectors as the file stores it.
struct TokenTable {
    row_count: usize,
    width: usize,
    values: TableValues,
}

enum TableValues {
    /// Small integers, which are kept as they are, together with the factors of their rows.
    Integers(Vec<i8>),
    Floats(Vec<f32>),
}

impl TokenTable {
    fn read(tensors: &Tensors) -> Result<TokenTable> {
        let names = ["embeddings", "embedding.weight"];
        let plain = tensors.get(&names).map(|array| (array, 1));
        let (array, values_per_column) = plain
            .or_else(|| tensors.get(&["embeddings.2bit"]).map(|array| (array, 4)))
            .with_context(|| format!("it has no array embeddings, only {}", tensors.names().join(", ")))?;
        let &[row_count, columns] = array.shape() else {
            bail!("its array of embeddings does not have rows and columns")
        };
        let width = columns.saturating_mul(values_per_column);
        ensure!((1..=4096).contains(&width), "a vector has 1 to 4096 numbers, its rows have {width}");
        let values = match array.bytes() {
            _ if values_per_column > 1 => TableValues::Integers(array.two_bit_values()?),
            Some(bytes) => TableValues::Integers(bytes),
            None => TableValues::Floats(array.floats()?),
        };
        Ok(TokenTable { row_count, width, values })
    }
}

fn model(id: String, vocabulary: Vocabulary, tensors: &Tensors) -> Result<StaticModel> {
    let TokenTable { row_count, width, values } = TokenTable::read(tensors)?;
    let mapping = tensors.get(&["mapping"]).map(|tensor| tensor.places()).transpose()?;
    let weights = tensors.get(&["weights"]).map(|tensor| tensor.floats()).transpose()?;
    let mut places = Vec::with_capacity(vocabulary.tokens.len());
    let mut token_weights = Vec::with_capacity(vocabulary.tokens.len());
    for (token, number) in &vocabulary.tokens {
        let place = mapping.as_ref().map_or(Some(*number), |mapping| mapping.get(*number).copied());
        let place = place.filter(|place| *place < row_count);
        places.push(place.with_context(|| format!("it has {row_count} rows, none for the token {token}"))?);
        let weight = weights.as_ref().map_or(Some(1.0), |weights| weights.get(*number).copied());
        token_weights.push(weight.with_context(|| format!("it has no weight for the token {token}"))?);
    }
    let tokens = vocabulary.tokens.into_iter().map(|(token, _)| token).collect();
    let tokenizer = vocabulary.tokenizer;
    match values {
        TableValues::Integers(values) => {
            let rows = places.iter().flat_map(|place| &values[place * width..][..width]).copied().collect();
            Ok(StaticModel { id, tokenizer, tokens, width, rows, scales: token_weights })
        }
        TableValues::Floats(values) => {
            let rows = places.iter().flat_map(|place| &values[place * width..][..width]).copied();
            let vectors = rows.collect::<Vec<_>>();
            Ok(StaticModel::quantised(id, tokenizer, tokens, &vectors, Some(&token_weights))?)
        }
    }
}

#[cfg(test)]
mod tests;
