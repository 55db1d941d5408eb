//! Providers with the interface of OpenAI's `/v1/embeddings`.

use super::{Remote, address};
use crate::provider::answer::{Embedding, in_order};
use crate::provider::{
    BatchLimits, Cancel, EmbedSpec, Environment, ModelIdentity, PARALLEL, Provider, ProviderError,
    TextPurpose,
};
use serde::{Deserialize, Serialize};

/// A public service with this interface.
#[derive(Debug)]
pub struct Service {
    /// The name of the provider.
    pub name: &'static str,
    /// The default model.
    pub model: &'static str,
    /// The widths of known models.
    pub widths: &'static [(&'static str, usize)],
    /// The default address.
    pub base_url: &'static str,
    /// The environment variable with the keys.
    pub key_variable: &'static str,
    /// The environment variable with another address.
    pub base_url_variable: &'static str,
    /// The limits of a request.
    pub most: BatchLimits,
    /// Returns the additional fields of a request.
    pub extra: fn(TextPurpose) -> Extra,
}

/// The fields of a request in addition to the model and the texts.
#[derive(Debug, Default, Serialize)]
pub struct Extra {
    /// The format of numbers in the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding_format: Option<&'static str>,
    /// The purpose of the texts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_type: Option<&'static str>,
}

/// A model of a service or of another server.
#[derive(Debug)]
pub struct Embeddings {
    /// The name that the server uses.
    model: String,
    /// The identity that the snapshot stores.
    identity: ModelIdentity,
    batch: BatchLimits,
    extra: fn(TextPurpose) -> Extra,
    url: String,
    remote: Remote,
}

#[derive(Serialize)]
struct Question<'t> {
    model: &'t str,
    input: &'t [&'t str],
    #[serde(flatten)]
    extra: Extra,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Embedding>,
}

impl Embeddings {
    /// Prepares requests to the service, or to the server at the base URL. Only the service itself always needs a key.
    pub fn new(
        service: &Service,
        spec: &EmbedSpec,
        environment: &Environment,
    ) -> Result<Embeddings, ProviderError> {
        let provider = service.name;
        let base = spec.base_url_or(service.base_url_variable, environment);
        let keys = spec.keys_or(service.key_variable, environment);
        if base.is_none() && keys.is_empty() {
            return Err(ProviderError::KeyMissing { provider, variable: service.key_variable });
        }
        let texts = spec.batch_of(provider, service.most.texts)?;
        let url = address::join(base.as_deref().unwrap_or(service.base_url), "/v1/embeddings")?;
        let model = spec.model.clone().unwrap_or_else(|| service.model.to_owned());
        // Another server may use the same name for another model.
        let known = service.widths.iter().find(|(name, _)| base.is_none() && *name == model);
        let parts = [provider.as_bytes(), url.as_bytes(), model.as_bytes()];
        let identity =
            ModelIdentity::new(format!("{provider}:{model}"), &parts, known.map(|(_, width)| *width));
        let remote = Remote::new(provider, &url, keys, spec.timeouts, spec.patience)?;
        let (batch, extra) = (BatchLimits { texts, ..service.most }, service.extra);
        Ok(Embeddings { model, identity, batch, extra, url, remote })
    }
}

impl Provider for Embeddings {
    fn model(&self) -> &ModelIdentity {
        &self.identity
    }

    fn batch(&self) -> BatchLimits {
        self.batch
    }

    fn parallel(&self) -> usize {
        PARALLEL
    }

    fn embed(
        &self,
        texts: &[&str],
        purpose: TextPurpose,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, ProviderError> {
        let question = Question { model: &self.model, input: texts, extra: (self.extra)(purpose) };
        let answer: Answer = self.remote.post(&self.url, &question, cancel)?;
        in_order(answer.data, texts.len())
            .map_err(|fault| ProviderError::WrongAnswer { model: self.identity.id.clone(), fault })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SERVICE: Service = Service {
        name: "openai",
        model: "small",
        widths: &[("small", 12)],
        base_url: "https://api.test",
        key_variable: "KEYS",
        base_url_variable: "BASE",
        most: BatchLimits { texts: 128, bytes: 1000 },
        extra: |_| Extra::default(),
    };

    fn embeddings(name: &str, variables: &[(&str, &str)]) -> Result<Embeddings, ProviderError> {
        let value =
            |name: &str| variables.iter().find(|(other, _)| *other == name).map(|(_, v)| v.to_string());
        Embeddings::new(&SERVICE, &EmbedSpec::parse(name), &value)
    }

    #[test]
    fn the_service_itself_needs_a_key_and_another_server_may_not() {
        for variables in [&[][..], &[("KEYS", "")], &[("KEYS", " , "), ("BASE", "")]] {
            let error = embeddings("openai", variables).unwrap_err();
            assert_eq!(error.to_string(), "openai needs a key; set KEYS, or pass --api-key");
        }
        assert!(embeddings("openai", &[("BASE", "http://127.0.0.1:1")]).is_ok());
    }

    #[test]
    fn the_width_is_known_of_the_models_of_the_service() {
        let keys = ("KEYS", "one,two");
        let own = embeddings("openai", &[keys]).unwrap();
        assert_eq!((own.identity.id.as_str(), own.identity.width), ("openai:small", Some(12)));
        assert_eq!(own.url, "https://api.test/v1/embeddings");
        assert_eq!(embeddings("openai:huge", &[keys]).unwrap().identity.width, None);
        assert_eq!(embeddings("openai", &[keys, ("BASE", "http://x")]).unwrap().identity.width, None);
    }

    #[test]
    fn a_batch_has_a_hundred_texts_or_as_many_as_asked_and_the_service_takes() {
        let mut spec = EmbedSpec::parse("openai");
        spec.base_url = Some("http://127.0.0.1:1".to_owned());
        let batch = |spec: &EmbedSpec| Ok(Embeddings::new(&SERVICE, spec, &|_| None)?.batch.texts);
        assert_eq!(batch(&spec).unwrap(), 100);
        spec.batch = Some(128);
        assert_eq!(batch(&spec).unwrap(), 128);
        spec.batch = Some(129);
        let error: ProviderError = batch(&spec).unwrap_err();
        assert_eq!(
            error.to_string(),
            "openai takes at most 128 texts per request, not 129; pass a smaller --embed-batch"
        );
        assert!(error.is_usage());
    }
}
