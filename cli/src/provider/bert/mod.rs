//! A sentence-transformer in a folder, computed in this process, without a server or a runtime.

mod arithmetic;
mod encoder;
mod error;
mod folder;
mod weights;
mod wordpiece;

pub use error::BertError;

use super::{BatchLimits, Cancel, EmbedSpec, ModelIdentity, Provider, ProviderError, TextPurpose};
use encoder::Encoder;
use folder::{Folder, Pooling};
use ndarray::{ArrayView2, Axis, Slice};
use std::num::NonZero;
use std::path::Path;
use std::thread;
use weights::BertWeights;
use wordpiece::BertTokenizer;

const NAME: &str = "bert";

/// The number of texts per batch. Small batches keep every thread busy, and little is lost after Ctrl-C.
const TEXTS: usize = 16;

/// The number of tokens per computation: enough rows for the matrix products, few enough for the caches.
const TOKENS: usize = 512;

/// A BERT with pooling: one vector per text.
#[derive(Debug)]
pub struct Bert {
    identity: ModelIdentity,
    tokenizer: BertTokenizer,
    encoder: Encoder,
    pooling: Pooling,
    is_normalized: bool,
    is_lowercase: bool,
    max_tokens: usize,
    /// The prefix of documents, and that of queries.
    prompts: [String; 2],
    batch: usize,
}

impl Bert {
    /// Opens the folder that the spec names as its model.
    pub fn open(spec: &EmbedSpec) -> Result<Bert, ProviderError> {
        let example = "models/all-MiniLM-L6-v2";
        let path = spec.model.as_ref().ok_or(ProviderError::ModelMissing { provider: NAME, example })?;
        let mut bert = Bert::read(Path::new(path))?;
        bert.batch = spec.batch.unwrap_or(TEXTS).max(1);
        Ok(bert)
    }

    fn read(path: &Path) -> Result<Bert, BertError> {
        let folder = Folder::read(path)?;
        let tokenizer = BertTokenizer::parse(&folder.tokenizer)?;
        let encoder = Encoder::new(&folder.config, &BertWeights::parse(&folder.weights)?)?;
        if tokenizer.largest() as usize >= encoder.vocabulary_len() {
            let (largest, len) = (tokenizer.largest(), encoder.vocabulary_len());
            return Err(BertError::Tokenizer {
                reason: format!("its token {largest} is not among the model's {len}"),
            });
        }
        let prompts =
            [TextPurpose::Document, TextPurpose::Query].map(|purpose| folder.prompt(purpose).to_owned());
        Ok(Bert {
            identity: identity(path, &folder, &prompts),
            tokenizer,
            encoder,
            pooling: folder.pooling,
            is_normalized: folder.is_normalized,
            is_lowercase: folder.is_lowercase,
            max_tokens: folder.max_tokens,
            prompts,
            batch: TEXTS,
        })
    }

    fn tokens(&self, text: &str, purpose: TextPurpose) -> Vec<u32> {
        let [document, query] = &self.prompts;
        let prompt = match purpose {
            TextPurpose::Document => document,
            TextPurpose::Query => query,
        };
        let text = format!("{prompt}{text}");
        let text = if self.is_lowercase { text.to_lowercase() } else { text };
        self.tokenizer.tokens(&text, self.max_tokens)
    }

    fn pooled(&self, rows: ArrayView2<f32>) -> Vec<f32> {
        let mut vector = match self.pooling {
            Pooling::Mean => rows.mean_axis(Axis(0)).expect("a text has tokens around it").to_vec(),
            Pooling::First => rows.row(0).to_vec(),
        };
        if self.is_normalized {
            arithmetic::normalize_length(&mut vector);
        }
        vector
    }
}

/// Names the model after its folder. The fingerprint covers everything that its vectors depend on.
fn identity(path: &Path, folder: &Folder, prompts: &[String; 2]) -> ModelIdentity {
    let whole = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let name = whole.file_name().map_or_else(|| "model".into(), |name| name.to_string_lossy().into_owned());
    let settings = format!(
        "{:?} {:?} {} {} {} {prompts:?}",
        folder.config, folder.pooling, folder.is_normalized, folder.is_lowercase, folder.max_tokens
    );
    let parts = [NAME.as_bytes(), settings.as_bytes(), &folder.tokenizer, &folder.weights];
    ModelIdentity::new(format!("{NAME}:{name}"), &parts, Some(folder.config.hidden_size))
}

impl Provider for Bert {
    fn model(&self) -> &ModelIdentity {
        &self.identity
    }

    fn batch(&self) -> BatchLimits {
        BatchLimits { texts: self.batch, bytes: usize::MAX }
    }

    fn parallel(&self) -> usize {
        thread::available_parallelism().map_or(1, NonZero::get)
    }

    fn embed(
        &self,
        texts: &[&str],
        purpose: TextPurpose,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, ProviderError> {
        let tokens = texts.iter().map(|text| self.tokens(text, purpose)).collect::<Vec<_>>();
        let mut vectors = Vec::with_capacity(texts.len());
        let mut rest = tokens.as_slice();
        while !rest.is_empty() {
            cancel.check()?;
            let (group, others) = rest.split_at(group_len(rest));
            let rows = self.encoder.encode(group);
            let mut start = 0;
            for text in group {
                let end = start + text.len();
                vectors.push(self.pooled(rows.slice_axis(Axis(0), Slice::from(start..end))));
                start = end;
            }
            rest = others;
        }
        Ok(vectors)
    }
}

/// Returns how many of the first texts have [`TOKENS`] tokens together; at least one.
fn group_len(texts: &[Vec<u32>]) -> usize {
    let mut tokens = 0;
    let fitting = texts.iter().take_while(|text| {
        tokens += text.len();
        tokens <= TOKENS
    });
    fitting.count().max(1)
}

#[cfg(test)]
mod tests;
