//! Who turns texts into vectors? One file a provider.
//!
//! A provider answers one batch of texts at a time, from several threads at once. Which texts have to be embedded at
//! all, and in which batches, is for [`crate::embedding`] to say.

mod answer;
mod bert;
pub mod cancel;
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
pub use error::{Failure, ProviderError, WrongAnswer};
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

/// So many texts make a batch, where nothing else is said (V15).
const BATCH: usize = 100;

/// Requests under way at the same time, where nothing else is said.
const PARALLEL: usize = 4;

/// What a text is embedded for; some models embed the two differently.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// To be found.
    Document,
    /// To find.
    Query,
}

/// Which vectors can be compared with each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelIdentity {
    /// Provider and model, such as `openai:text-embedding-3-small`.
    pub id: String,
    /// 32 hexadecimal digits; other digits, other vectors.
    pub fingerprint: String,
    /// How many numbers a vector has, where that is known beforehand.
    pub width: Option<usize>,
}

impl ModelIdentity {
    /// The identity of `id`, whose vectors depend on the `parts` and nothing else.
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

/// How much goes into one call of [`Provider::embed`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BatchLimits {
    /// At most so many texts,
    pub texts: usize,
    /// of at most so many bytes together, if it is more than one.
    pub bytes: usize,
}

/// Turns texts into vectors.
pub trait Provider: Send + Sync + Debug {
    /// What it embeds with.
    fn model(&self) -> &ModelIdentity;

    /// How much it takes at a time.
    fn batch(&self) -> BatchLimits;

    /// How many calls of [`Provider::embed`] at the same time do good.
    fn parallel(&self) -> usize;

    /// The vectors of `texts`, in their order. None of the texts is empty.
    ///
    /// # Errors
    ///
    /// [`ProviderError`]; no text has a vector then.
    fn embed(
        &self,
        texts: &[&str],
        purpose: Purpose,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, ProviderError>;
}

/// Which provider, and everything that it can be told.
#[derive(Clone, Debug)]
pub struct EmbedSpec {
    /// One of [`NAMES`].
    pub provider: String,
    /// After the colon: a model, or the folder of one.
    pub model: Option<String>,
    /// Another server than the provider's own.
    pub base_url: Option<String>,
    /// The keys, in the order in which they are used.
    pub keys: Vec<Secret>,
    /// Texts a batch, instead of 100.
    pub batch: Option<usize>,
    /// How long to wait for a server.
    pub timeouts: Timeouts,
    /// How often to ask it.
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

    /// A provider and possibly its model; everything else has its default.
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

    /// The keys that were given, or those that the environment `variable` holds.
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

    /// Whether the snapshot carries the model, so that it embeds queries by itself.
    pub fn is_built_in(&self) -> bool {
        matches!(self.provider.as_str(), "hash" | "static")
    }

    /// The size of a batch, if `provider` can take it.
    fn batch_of(&self, provider: &'static str, most: usize) -> Result<usize, ProviderError> {
        let asked = self.batch.unwrap_or(BATCH.min(most));
        if asked > most {
            return Err(ProviderError::BatchTooLarge { provider, asked, most });
        }
        Ok(asked.max(1))
    }
}

/// Where keys and addresses come from that were not given: the variables of the process, but for tests.
pub type Environment<'e> = dyn Fn(&str) -> Option<String> + 'e;

/// The variables of this process.
pub fn process_environment(variable: &str) -> Option<String> {
    std::env::var(variable).ok()
}

/// The provider that `spec` asks for, ready to embed.
///
/// # Errors
///
/// [`ProviderError`] where it cannot start: its key, its folder or its server is missing.
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
