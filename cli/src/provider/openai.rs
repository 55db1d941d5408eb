//! OpenAI's embeddings, and the many servers that speak like OpenAI's.

use super::remote::embeddings::{Embeddings, Service};
use super::{
    BatchLimits, Cancel, EmbedSpec, Environment, ModelIdentity, PARALLEL, Provider, ProviderError, Purpose,
};
use serde::Serialize;

const OPENAI: Service = Service {
    name: "openai",
    model: "text-embedding-3-small",
    widths: &[
        ("text-embedding-3-small", 1536),
        ("text-embedding-3-large", 3072),
        ("text-embedding-ada-002", 1536),
    ],
    base_url: "https://api.openai.com",
    key_variable: "OPENAI_API_KEY",
    base_url_variable: "OPENAI_BASE_URL",
    // So many texts a request, of 300,000 tokens together. A token is four bytes of English, and two of most others.
    most: BatchLimits { texts: 2048, bytes: 400_000 },
};

/// Vectors from OpenAI.
#[derive(Debug)]
pub struct OpenAi(Embeddings);

#[derive(Serialize)]
struct Question<'t> {
    model: &'t str,
    input: &'t [&'t str],
    encoding_format: &'static str,
}

impl OpenAi {
    /// Gets ready to ask.
    pub fn new(spec: &EmbedSpec, environment: &Environment) -> Result<OpenAi, ProviderError> {
        Embeddings::new(&OPENAI, spec, environment).map(OpenAi)
    }
}

impl Provider for OpenAi {
    fn model(&self) -> &ModelIdentity {
        &self.0.identity
    }

    fn batch(&self) -> BatchLimits {
        self.0.batch
    }

    fn parallel(&self) -> usize {
        PARALLEL
    }

    fn embed(
        &self,
        texts: &[&str],
        _purpose: Purpose,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, ProviderError> {
        let question = Question { model: &self.0.model, input: texts, encoding_format: "float" };
        self.0.ask(&question, texts.len(), cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_the_small_model_of_width_1536() {
        let environment = |name: &str| (name == "OPENAI_API_KEY").then(|| "one,two".to_owned());
        let openai = OpenAi::new(&EmbedSpec::parse("openai"), &environment).unwrap();
        assert_eq!(openai.model().id, "openai:text-embedding-3-small");
        assert_eq!((openai.model().width, openai.batch().texts), (Some(1536), 100));
    }
}
