//! Voyage's embeddings, which differ for what is found and for what finds.

use super::remote::embeddings::{Embeddings, Service};
use super::{
    BatchLimits, Cancel, EmbedSpec, Environment, ModelIdentity, PARALLEL, Provider, ProviderError, Purpose,
};
use serde::Serialize;

const VOYAGE: Service = Service {
    name: "voyage",
    model: "voyage-3.5",
    widths: &[("voyage-3.5", 1024)],
    base_url: "https://api.voyageai.com",
    key_variable: "VOYAGE_API_KEY",
    base_url_variable: "VOYAGE_BASE_URL",
    // So many texts a request (V15), of 120,000 tokens together with the least patient of the models.
    most: BatchLimits { texts: 128, bytes: 200_000 },
};

/// Vectors from Voyage.
#[derive(Debug)]
pub struct Voyage(Embeddings);

#[derive(Serialize)]
struct Question<'t> {
    model: &'t str,
    input: &'t [&'t str],
    input_type: &'static str,
}

impl Voyage {
    /// Gets ready to ask.
    pub fn new(spec: &EmbedSpec, environment: &Environment) -> Result<Voyage, ProviderError> {
        Embeddings::new(&VOYAGE, spec, environment).map(Voyage)
    }
}

impl Provider for Voyage {
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
        purpose: Purpose,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, ProviderError> {
        let input_type = match purpose {
            Purpose::Document => "document",
            Purpose::Query => "query",
        };
        let question = Question { model: &self.0.model, input: texts, input_type };
        self.0.ask(&question, texts.len(), cancel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_is_voyage_3_5_of_width_1024_and_a_batch_has_at_most_128_texts() {
        let environment = |name: &str| (name == "VOYAGE_API_KEY").then(|| "one".to_owned());
        let mut spec = EmbedSpec::parse("voyage");
        let voyage = Voyage::new(&spec, &environment).unwrap();
        assert_eq!(voyage.model().id, "voyage:voyage-3.5");
        assert_eq!((voyage.model().width, voyage.batch().texts), (Some(1024), 100));
        spec.batch = Some(129);
        assert!(Voyage::new(&spec, &environment).unwrap_err().is_usage());
    }
}
