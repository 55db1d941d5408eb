//! OpenAI's embeddings, and servers with the same interface.

use super::BatchLimits;
use super::remote::embeddings::{Extra, Service};

/// OpenAI.
pub const OPENAI: Service = Service {
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
    // A request has at most 2048 texts and 300,000 tokens. A token is about four bytes of English, and two of most
    // other languages.
    most: BatchLimits { texts: 2048, bytes: 400_000 },
    extra: |_| Extra { encoding_format: Some("float"), ..Extra::default() },
};

#[cfg(test)]
mod tests {
    use super::super::remote::embeddings::Embeddings;
    use super::super::{EmbedSpec, Provider};
    use super::*;

    #[test]
    fn v15_the_default_is_the_small_model_of_width_1536() {
        let environment = |name: &str| (name == "OPENAI_API_KEY").then(|| "one,two".to_owned());
        let openai = Embeddings::new(&OPENAI, &EmbedSpec::parse("openai"), &environment).unwrap();
        assert_eq!(openai.model().id, "openai:text-embedding-3-small");
        assert_eq!((openai.model().width, openai.batch().texts), (Some(1536), 100));
    }
}
