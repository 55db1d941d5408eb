//! The options of `rag.index`, and the sources that it takes.

use crate::chunking::{DEFAULT_OVERLAP, DEFAULT_SIZE, MAX_OVERLAP, MAX_SIZE};
use crate::options::Options;
use crate::order::Set;
use crate::ranking::SourceKey;

/// The number of texts that the host passes to one call of `embed`, at most.
const MAX_BATCH: usize = 10_000;
/// The number of calls of `embed` that the host runs at once, at most.
const MAX_PARALLEL: usize = 32;
/// The number of sources per write, at most.
const MAX_CHECKPOINT: usize = 10_000;

/// Sources to index, and how. [`RagIndexOptions::of`] makes one with the defaults.
#[derive(Clone, Debug, PartialEq)]
pub struct RagIndexOptions {
    /// The sources; no two have the same type and id.
    pub sources: Vec<RagSource>,
    /// The types of sources to index; all by default. Sources of other types are skipped.
    pub source_types: Option<Vec<String>>,
    /// The greatest number of characters per chunk: 1 to 6000, 1200 by default.
    pub chunk_size: usize,
    /// The number of characters that a chunk shares with the chunk before it: 0 to 1000 and below the size, 200 by default.
    pub chunk_overlap: usize,
    /// Indexes sources that did not change. Off by default.
    pub force: bool,
    /// Makes it an error where a chunk has no vector as it should have. Off by default.
    pub strict: bool,
    /// The model of the vectors that the host makes; the schema's first by default.
    pub model: Option<String>,
    /// The time of sources without one, in milliseconds since 1970. The engine's clock by default.
    pub now: Option<f64>,
    /// The number of texts per call of the host's `embed`: 1 to 10,000, 64 by default.
    pub batch_size: usize,
    /// The number of calls of `embed` that the host runs at once: 1 to 32, 1 by default.
    pub parallel_batches: usize,
    /// The number of sources that the host writes at once: 1 to 10,000, 32 by default.
    pub checkpoint_every: usize,
}

/// A text to be found by its chunks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RagSource {
    /// The type and id of the source. The type has no colon.
    pub key: SourceKey,
    /// The text.
    pub body: String,
    /// The title, which is indexed with every chunk.
    pub title: Option<String>,
    /// The session of the source.
    pub session_id: Option<String>,
    /// The id of a source of type `context`.
    pub context_id: Option<String>,
    /// The id of a source of type `action`.
    pub action_id: Option<String>,
    /// The id of a source of the same type.
    pub parent_id: Option<String>,
    /// The time of the source, in milliseconds since 1970.
    pub created_at: Option<f64>,
}

impl RagIndexOptions {
    /// Returns options with every default.
    pub fn of(sources: Vec<RagSource>) -> RagIndexOptions {
        RagIndexOptions {
            sources,
            source_types: None,
            chunk_size: DEFAULT_SIZE,
            chunk_overlap: DEFAULT_OVERLAP,
            force: false,
            strict: false,
            model: None,
            now: None,
            batch_size: 64,
            parallel_batches: 1,
            checkpoint_every: 32,
        }
    }

    /// Reads the options of a call. Numbers out of range are clamped; faults stay in `read`.
    pub fn take(read: &mut Options) -> RagIndexOptions {
        read.host(&[("embed", "a function"), ("onProgress", "a function"), ("signal", "an AbortSignal")]);
        let mut names = Set::new();
        read.require("sources");
        let sources = read.objects("sources", |source| {
            let given = RagSource::take(source);
            if !names.insert(given.key.name()) {
                source.complain("sourceId", format!("the list has {} twice", given.key.name()));
            }
            given
        });
        let usual = RagIndexOptions::of(sources.unwrap_or_default());
        let chunk_size = read.clamped_count("chunkSize", 1..=MAX_SIZE).unwrap_or(DEFAULT_SIZE);
        let most = MAX_OVERLAP.min(chunk_size - 1);
        let chunk_overlap = read.clamped_count("chunkOverlap", 0..=most);
        RagIndexOptions {
            source_types: read.texts("sourceTypes"),
            chunk_size,
            chunk_overlap: chunk_overlap.unwrap_or(DEFAULT_OVERLAP.min(most)),
            force: read.flag("force").unwrap_or_default(),
            strict: read.flag("strict").unwrap_or_default(),
            model: read.text("model").map(str::to_owned),
            now: read.time("now"),
            batch_size: read.clamped_count("batchSize", 1..=MAX_BATCH).unwrap_or(usual.batch_size),
            parallel_batches: read
                .clamped_count("parallelBatches", 1..=MAX_PARALLEL)
                .unwrap_or(usual.parallel_batches),
            checkpoint_every: read
                .clamped_count("checkpointEvery", 1..=MAX_CHECKPOINT)
                .unwrap_or(usual.checkpoint_every),
            ..usual
        }
    }
}

impl RagSource {
    /// Returns a source with nothing but a text.
    pub fn of(source_type: &str, source_id: &str, body: &str) -> RagSource {
        let key = SourceKey { source_type: source_type.to_owned(), source_id: source_id.to_owned() };
        RagSource { key, body: body.to_owned(), ..RagSource::default() }
    }

    fn take(read: &mut Options) -> RagSource {
        RagSource {
            key: take_source_key(read),
            body: read.required_text("body").to_owned(),
            title: read.text("title").map(str::to_owned),
            session_id: read.id("sessionId"),
            context_id: read.id("contextId"),
            action_id: read.id("actionId"),
            parent_id: read.id("parentId"),
            created_at: read.time("createdAt"),
        }
    }
}

/// Reads the type and id of a source.
pub(super) fn take_source_key(read: &mut Options) -> SourceKey {
    read.require("sourceType");
    read.require("sourceId");
    let (source_type, source_id) = (read.text("sourceType"), read.id("sourceId"));
    if source_type == Some("") {
        read.complain("sourceType", "must not be empty");
    }
    // The first colon of a chunk's id ends the type.
    if source_type.is_some_and(|name| name.contains(':')) {
        read.complain("sourceType", "must not have a colon");
    }
    if source_id.as_deref() == Some("") {
        read.complain("sourceId", "must not be empty");
    }
    SourceKey {
        source_type: source_type.unwrap_or_default().to_owned(),
        source_id: source_id.unwrap_or_default(),
    }
}
