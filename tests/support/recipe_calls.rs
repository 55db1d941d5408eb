//! Calls of every recipe on its sample, whose answers must be the same text natively and in wasm.

use snapseek::Schema;
use snapseek::schema::{EmbedderKind, VectorModel};

/// For each preset: its sample, and the calls to make, in order, as name and options.
pub type Calls = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

pub const CALLS: [Calls; 4] = [
    (
        "memory",
        include_str!("../../samples/memory.jsonl"),
        &[
            ("memory.search", r#"{"query":"how do we deploy","now":1773738000000}"#),
            (
                "memory.search",
                r#"{"query":"how do we deploy","now":1773738000001,"track":false,"diversity":0.5}"#,
            ),
            ("memory.configure", r#"{"decay":true}"#),
            ("memory.search", r#"{"query":"tide api","includeSuperseded":true,"now":1773738000002}"#),
            ("memory.timeline", r#"{"id":"m-deploy","now":1773738000003}"#),
            ("memory.sessionContext", r#"{"id":"m-deploy"}"#),
        ],
    ),
    (
        "rag",
        include_str!("../../samples/rag.jsonl"),
        &[
            ("rag.search", r#"{"query":"why did the import fail","neighborWindow":1,"now":1773738000000}"#),
            (
                "rag.search",
                r#"{"query":"import","mode":"semantic","graphRerank":true,"explain":true,"now":1773738000000}"#,
            ),
            (
                "rag.index",
                r##"{"sources":[{"sourceType":"context","sourceId":"new","body":"# Fog\n\nIn fog every second departure is left out."}],"now":1773738000000}"##,
            ),
            ("rag.search", r#"{"query":"fog departure","mode":"fts","now":1773738000000}"#),
        ],
    ),
    (
        "unified",
        include_str!("../../samples/unified.jsonl"),
        &[
            ("unified.search", r#"{"query":"why signed tickets","explain":true,"now":1773738000000}"#),
            (
                "unified.search",
                r#"{"query":"how does the ticket check work?","expand":true,"now":1773738000000}"#,
            ),
            ("unified.search", r#"{"type":"sessions","now":1773738000000}"#),
            ("unified.decisions", r#"{"query":"tickets","limit":3,"now":1773738000000}"#),
        ],
    ),
    (
        "vault",
        include_str!("../../samples/vault.jsonl"),
        &[
            (
                "vault.search",
                r#"{"query":"jwt validation","domain":"security","explain":true,"now":1773738000000}"#,
            ),
            ("vault.search", r#"{"query":"rotate keys","mode":"scan","maxTokens":200,"now":1773738000000}"#),
            ("vault.weights", "{}"),
            ("vault.load", r#"{"ids":["auth-jwt-validation"]}"#),
        ],
    ),
];

/// Returns a preset's schema with the hash embedding.
pub fn schema(preset: &str) -> Schema {
    let model = VectorModel { embedder: Some(EmbedderKind::Hash), ..VectorModel::default() };
    Schema::preset(preset)
        .and_then(|schema| schema.with_vectors("hash", model).ok())
        .expect("there is such a preset")
}
