//! Voyage's embeddings, which differ between documents and queries.

use super::remote::embeddings::{Extra, Service};
use super::{BatchLimits, TextPurpose};

/// Voyage.
pub const VOYAGE: Service = Service {
    name: "voyage",
    model: "voyage-3.5",
    widths: &[("voyage-3.5", 1024)],
    base_url: "https://api.voyageai.com",
    key_variable: "VOYAGE_API_KEY",
    base_url_variable: "VOYAGE_BASE_URL",
    // A request has at most 128 texts (V15), and 120,000 tokens with the most limited model.
    most: BatchLimits { texts: 128, bytes: 200_000 },
    extra: |purpose| {
        let input_type = match purpose {
            TextPurpose::Document => "document",
            TextPurpose::Query => "query",
        };
        Extra { input_type: Some(input_type), ..Extra::default() }
    },
};

#[cfg(test)]
mod tests {
    use super::super::remote::embeddings::Embeddings;
    use super::super::{EmbedSpec, Provider};
    use super::*;

    #[test]
    fn v15_the_default_is_voyage_3_5_of_width_1024_and_a_batch_has_at_most_128_texts() {
        let environment = |name: &str| (name == "VOYAGE_API_KEY").then(|| "one".to_owned());
        let mut spec = EmbedSpec::parse("voyage");
        let voyage = Embeddings::new(&VOYAGE, &spec, &environment).unwrap();
        assert_eq!(voyage.model().id, "voyage:voyage-3.5");
        assert_eq!((voyage.model().width, voyage.batch().texts), (Some(1024), 100));
        spec.batch = Some(129);
        assert!(Embeddings::new(&VOYAGE, &spec, &environment).unwrap_err().is_usage());
    }
}
