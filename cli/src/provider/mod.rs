//! Which providers turn texts into vectors? One file per provider.
//!
//! A provider embeds one batch of texts per call, and several threads may call it at the same time.
//! [`crate::embedding`] decides which texts to embed, and in which batches.

mod answer;
mod bert;
pub mod cancel;
pub mod english_model;
mod error;
mod ollama;
mod openai;
pub mod remote;
pub mod static_model;
mod tensors;
mod voyage;

pub use answer::{MAX_WIDTH, check};
pub use bert::Bert;
pub use cancel::Cancel;
pub use error::{AttemptFailure, ProviderError, WrongAnswer};
pub use ollama::Ollama;

use openai::OPENAI;
use remote::Timeouts;
use remote::embeddings::Embeddings;
use remote::retry::Patience;
use remote::secret::Secret;
use std::fmt::Debug;
use voyage::VOYAGE;
use xxhash_rust::xxh3::Xxh3;

/// The names before the colon of `--embed PROVIDER[:MODEL]`.
pub const NAMES: [&str; 6] = ["bert", "hash", "ollama", "openai", "static", "voyage"];

/// The default number of texts per batch (V15).
const BATCH: usize = 100;

/// The default number of concurrent requests.
const PARALLEL: usize = 4;

/// The purpose of an embedded text. Some models embed documents and queries differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TextPurpose {
    /// The text of a record.
    Document,
    /// The text of a query.
    Query,
}

/// Identifies a model. Only vectors of the same model can be compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelIdentity {
    /// The provider and the model, such as `openai:text-embedding-3-small`.
    pub id: String,
    /// 32 hexadecimal digits that differ when the vectors differ.
    pub fingerprint: String,
    /// The number of values per vector, if it is known in advance.
    pub width: Option<usize>,
}

impl ModelIdentity {
    /// Creates the identity of a model whose vectors depend on `parts` only.
    fn new(id: String, parts: &[&[u8]], width: Option<usize>) -> ModelIdentity {
        let mut hash = Xxh3::new();
        for part in parts {
            hash.update(&(part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        let fingerprint = format!("{:032x}", hash.digest128());
        ModelIdentity { id, fingerprint, width }
    }
}

/// The limits of one call of [`Provider::embed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// The largest number of texts.
    pub texts: usize,
    /// The largest length of all texts together, in bytes. A single text may be longer.
    pub bytes: usize,
}

/// Turns texts into vectors.
pub trait Provider: Send + Sync + Debug {
    /// The model.
    fn model(&self) -> &ModelIdentity;

    /// The limits of one call.
    fn batch(&self) -> BatchLimits;

    /// The number of concurrent calls that is useful.
    fn parallel(&self) -> usize;

    /// Returns the vectors of `texts`, in order. No text is empty.
    ///
    /// # Errors
    ///
    /// [`ProviderError`]; then no text has a vector.
    fn embed(
        &self,
        texts: &[&str],
        purpose: TextPurpose,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, ProviderError>;
}

/// A provider with its settings.
#[derive(Clone, Debug)]
pub struct EmbedSpec {
    /// One of [`NAMES`].
    pub provider: String,
    /// The part after the colon: a model, or the folder of one.
    pub model: Option<String>,
    /// The address of a server other than the provider's own.
    pub base_url: Option<String>,
    /// The keys, in the order of use.
    pub keys: Vec<Secret>,
    /// The number of texts per batch; the default is 100.
    pub batch: Option<usize>,
    /// How long to wait for a server.
    pub timeouts: Timeouts,
    /// How often to repeat a request.
    pub patience: Patience,
}

impl EmbedSpec {
    /// Parses `PROVIDER[:MODEL]`; everything else has its default.
    pub fn parse(text: &str) -> EmbedSpec {
        let (provider, model) = match text.split_once(':') {
            Some((provider, model)) => (provider, Some(model.trim()).filter(|model| !model.is_empty())),
            None => (text, None),
        };
        EmbedSpec::of(provider, model)
    }

    /// Creates a spec for a provider and possibly its model; everything else has its default.
    pub fn of(provider: &str, model: Option<&str>) -> EmbedSpec {
        EmbedSpec {
            provider: provider.trim().to_ascii_lowercase(),
            model: model.map(str::to_owned),
            base_url: None,
            keys: Vec::new(),
            batch: None,
            timeouts: Timeouts::default(),
            patience: Patience::default(),
        }
    }

    /// Returns the given keys, or else the keys in an environment variable.
    fn keys_or(&self, variable: &str, environment: &Environment) -> Vec<Secret> {
        if !self.keys.is_empty() {
            return self.keys.clone();
        }
        environment(variable).map_or_else(Vec::new, |keys| Secret::list(&keys))
    }

    fn base_url_or(&self, variable: &str, environment: &Environment) -> Option<String> {
        let given = self.base_url.clone().or_else(|| environment(variable));
        given.filter(|url| !url.trim().is_empty())
    }

    /// Whether the snapshot carries the model, and embeds queries by itself.
    pub fn is_built_in(&self) -> bool {
        matches!(self.provider.as_str(), "hash" | "static")
    }

    /// Returns the number of texts per batch, if the provider accepts it.
    fn batch_of(&self, provider: &'static str, most: usize) -> Result<usize, ProviderError> {
        let asked = self.batch.unwrap_or(BATCH.min(most));
        if asked > most {
            return Err(ProviderError::BatchTooLarge { provider, asked, most });
        }
        Ok(asked.max(1))
    }
}

/// Looks up environment variables; tests pass variables of their own.
pub type Environment<'e> = dyn Fn(&str) -> Option<String> + 'e;

/// Looks up a variable of this process.
pub fn process_environment(variable: &str) -> Option<String> {
    std::env::var(variable).ok()
}

/// Creates the provider that `spec` names.
///
/// # Errors
///
/// [`ProviderError`] if it cannot start, because its key, its folder or its server is missing.
pub fn provider(
    spec: &EmbedSpec,
    environment: &Environment,
    cancel: &Cancel,
) -> Result<Box<dyn Provider>, ProviderError> {
    match spec.provider.as_str() {
        "bert" => Ok(Box::new(Bert::open(spec)?)),
        "ollama" => Ok(Box::new(Ollama::connect(spec, environment, cancel)?)),
        "openai" => Ok(Box::new(Embeddings::new(&OPENAI, spec, environment)?)),
        "voyage" => Ok(Box::new(Embeddings::new(&VOYAGE, spec, environment)?)),
        name => Err(ProviderError::UnknownProvider { name: name.to_owned() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_may_hold_colons_and_may_be_left_out() {
        let spec = EmbedSpec::parse("Ollama:nomic-embed-text:v1.5");
        assert_eq!(
            (spec.provider.as_str(), spec.model.as_deref()),
            ("ollama", Some("nomic-embed-text:v1.5"))
        );
        assert_eq!(EmbedSpec::parse("openai:").model, None);
    }

    #[test]
    fn an_unknown_provider_is_told_the_known_ones() {
        let error = provider(&EmbedSpec::parse("cohere"), &|_| None, &Cancel::new()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no embedding provider cohere; there are bert, hash, ollama, openai, static, voyage"
        );
        assert!(error.is_usage());
    }

    #[test]
    fn a_fingerprint_depends_on_every_part_and_on_where_it_ends() {
        let fingerprint = |parts: &[&[u8]]| ModelIdentity::new(String::new(), parts, None).fingerprint;
        assert_eq!(fingerprint(&[b"a", b"b"]), fingerprint(&[b"a", b"b"]));
        assert_ne!(fingerprint(&[b"a", b"b"]), fingerprint(&[b"ab", b""]));
        assert_eq!(fingerprint(&[]).len(), 32);
    }
}
