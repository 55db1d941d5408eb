//! Embeddings of a model that Ollama runs, on this machine or another.

use super::answer::numbers;
use super::remote::{Remote, address};
use super::{
    AttemptFailure, BatchLimits, Cancel, EmbedSpec, Environment, ModelIdentity, PARALLEL, Provider,
    ProviderError, TextPurpose, WrongAnswer,
};
use serde::{Deserialize, Serialize};

const NAME: &str = "ollama";
const MODEL: &str = "nomic-embed-text";
const PORT: &str = "11434";
const HOST_VARIABLE: &str = "OLLAMA_HOST";

/// The largest number of texts per request. Ollama has no limit, but a request has to finish before its timeout.
const MAX_TEXTS: usize = 2048;
const MAX_BYTES: usize = 400_000;

/// The interface of Ollama's `/api/embed`.
#[derive(Debug)]
pub struct Ollama {
    remote: Remote,
    url: String,
    model: String,
    identity: ModelIdentity,
    batch: usize,
}

#[derive(Serialize)]
struct Question<'t> {
    model: &'t str,
    input: &'t [&'t str],
}

#[derive(Deserialize)]
struct Answer {
    embeddings: Vec<Vec<Option<f32>>>,
}

/// The installed models, as `/api/tags` lists them.
#[derive(Deserialize)]
struct Tags {
    models: Vec<Tag>,
}

#[derive(Deserialize)]
struct Tag {
    name: String,
    digest: String,
}

impl Ollama {
    /// Checks that Ollama is running and has the model.
    pub fn connect(
        spec: &EmbedSpec,
        environment: &Environment,
        cancel: &Cancel,
    ) -> Result<Ollama, ProviderError> {
        let base = base_url(spec.base_url_or(HOST_VARIABLE, environment).as_deref().unwrap_or_default());
        let batch = spec.batch_of(NAME, MAX_TEXTS)?;
        let url = address::join(&base, "/api/embed")?;
        let model = spec.model.clone().unwrap_or_else(|| MODEL.to_owned());
        let remote = Remote::new(NAME, &url, spec.keys.clone(), spec.timeouts, spec.patience)?;
        let version = match remote.get::<Tags>(&address::join(&base, "/api/tags")?, cancel) {
            Ok(tags) => digest(tags, &model)?,
            // A server with Ollama's interface that lists no models: only its address is known.
            Err(
                ProviderError::Refused { .. }
                | ProviderError::Unreachable { last: AttemptFailure::NotTheAnswer { .. }, .. },
            ) => url.clone(),
            Err(error) => return Err(error),
        };
        let parts = [NAME.as_bytes(), version.as_bytes(), model.as_bytes()];
        let identity = ModelIdentity::new(format!("{NAME}:{model}"), &parts, None);
        Ok(Ollama { remote, url, model, identity, batch })
    }
}

/// Returns the digest of the model's files. It changes when `ollama pull` fetches another version.
fn digest(tags: Tags, model: &str) -> Result<String, ProviderError> {
    let latest = format!("{model}:latest");
    let tag = tags.models.into_iter().find(|tag| tag.name == model || tag.name == latest);
    tag.map(|tag| tag.digest).ok_or_else(|| ProviderError::NotPulled { model: model.to_owned() })
}

/// Interprets OLLAMA_HOST as Ollama does: a host, a port, or both; the address to listen on means this machine.
fn base_url(host: &str) -> String {
    let host = host.trim().trim_end_matches('/');
    let (scheme, rest) = host.split_once("://").unwrap_or(("http", host));
    let (name, path) = rest.split_once('/').map_or((rest, None), |(name, path)| (name, Some(path)));
    let (name, port) = match name.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()) => {
            (name, port)
        }
        _ if host.contains("://") && scheme == "https" => (name, "443"),
        _ => (name.trim_end_matches(':'), PORT),
    };
    let name = match name {
        "" | "0.0.0.0" | "[::]" => "127.0.0.1",
        name => name,
    };
    match path {
        Some(path) => format!("{scheme}://{name}:{port}/{path}"),
        None => format!("{scheme}://{name}:{port}"),
    }
}

impl Provider for Ollama {
    fn model(&self) -> &ModelIdentity {
        &self.identity
    }

    fn batch(&self) -> BatchLimits {
        BatchLimits { texts: self.batch, bytes: MAX_BYTES }
    }

    fn parallel(&self) -> usize {
        PARALLEL
    }

    fn embed(
        &self,
        texts: &[&str],
        _purpose: TextPurpose,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, ProviderError> {
        let question = Question { model: &self.model, input: texts };
        let answer: Answer = self.remote.post(&self.url, &question, cancel)?;
        let vectors = answer.embeddings.into_iter().enumerate().map(|(at, vector)| numbers(at, vector));
        let vectors = vectors.collect::<Result<Vec<_>, WrongAnswer>>();
        vectors.map_err(|fault| ProviderError::WrongAnswer { model: self.identity.id.clone(), fault })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_is_understood_as_ollama_understands_it() {
        for (host, expected) in [
            ("", "http://127.0.0.1:11434"),
            ("0.0.0.0", "http://127.0.0.1:11434"),
            ("0.0.0.0:8080", "http://127.0.0.1:8080"),
            (":8080", "http://127.0.0.1:8080"),
            ("box", "http://box:11434"),
            ("http://box:1/", "http://box:1"),
            ("https://box", "https://box:443"),
            ("https://box/models", "https://box:443/models"),
            ("[::1]:8080", "http://[::1]:8080"),
            ("[::]", "http://127.0.0.1:11434"),
        ] {
            assert_eq!(base_url(host), expected, "{host}");
        }
    }

    #[test]
    fn a_model_without_a_tag_is_its_latest_version() {
        let tags = || {
            serde_json::from_str(
                r#"{"models": [{"name": "m:latest", "digest": "d1"}, {"name": "m:v1", "digest": "d2"}]}"#,
            )
            .unwrap()
        };
        assert_eq!(digest(tags(), "m").unwrap(), "d1");
        assert_eq!(digest(tags(), "m:v1").unwrap(), "d2");
        let error = digest(tags(), "n").unwrap_err().to_string();
        assert_eq!(error, "ollama has no model n; `ollama pull n` fetches it");
    }
}
