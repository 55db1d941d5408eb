//! `rag.index` and `rag.remove`: sources become chunks, and unchanged sources are skipped.
//!
//! Vectors come from the snapshot's own embedders or from the host. A host calls [`Rag::plan`] for the texts, embeds them, and
//! passes the vectors to [`Rag::index`] in the same order.

use super::index_options::{RagIndexOptions, RagSource};
use super::index_response::{
    ChunkVector, IndexEmbedding, PlannedSource, RagIndexPlan, RagIndexResponse, RagRemoveResponse,
    RagSourceReport, SkipReason,
};
use super::response::QualityTier;
use super::sources::Sources;
use super::{CHUNK, Rag};
use crate::chunking::{Chunk, chunk_text};
use crate::document::{Key, Record};
use crate::engine::{Embedded, NewRecord, SearchError, SearchFault, records_of, wrong};
use crate::json::{Json, text_of};
use crate::options::Clamps;
use crate::pipeline::key_of;
use crate::ranking::SourceKey;
use crate::retrieval::{Corpus, part_of};
use crate::snapshot::SnapshotError;
use serde::Serialize;
use sha2::{Digest, Sha256};

/// The work that a source needs.
struct SourceWork {
    skipped: Option<SkipReason>,
    /// The chunks to write; none for a source that is skipped.
    records: Vec<Record>,
    /// The ids and kinds of chunks that the source no longer has.
    stale: Vec<(String, String)>,
}

impl SourceWork {
    fn skipped(reason: SkipReason) -> SourceWork {
        SourceWork { skipped: Some(reason), records: Vec::new(), stale: Vec::new() }
    }

    fn report(&self, source: &RagSource) -> RagSourceReport {
        RagSourceReport::of(&source.key, self.skipped, self.records.len(), self.stale.len())
    }
}

/// A chunk as it is stored.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChunkRecord<'a> {
    id: String,
    kind: &'a str,
    source_type: &'a str,
    source_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<&'a str>,
    text: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    action_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_id: Option<&'a str>,
    chunk_index: usize,
    char_offset: usize,
    token_count: usize,
    content_hash: &'a str,
    created_at: f64,
}

impl<'a> ChunkRecord<'a> {
    fn of(source: &'a RagSource, chunk: &Chunk<'a>, content_hash: &'a str, now: f64) -> ChunkRecord<'a> {
        ChunkRecord {
            id: format!("{}#{}", source.key.name(), chunk.index),
            kind: CHUNK,
            source_type: &source.key.source_type,
            source_id: &source.key.source_id,
            title: source.title.as_deref(),
            text: chunk.text,
            session_id: source.session_id.as_deref(),
            context_id: source.context_id.as_deref(),
            action_id: source.action_id.as_deref(),
            parent_id: source.parent_id.as_deref(),
            chunk_index: chunk.index,
            char_offset: chunk.char_offset,
            token_count: chunk.token_count,
            content_hash,
            created_at: source.created_at.unwrap_or(now),
        }
    }
}

impl Rag<'_> {
    /// Tells a host which sources [`Rag::index`] would write with the same options.
    ///
    /// With `embedded.is_by_embed` the plan also has the texts that the host has to embed first, and a source with a chunk that
    /// lacks its vector is written again, although its body is the same.
    ///
    /// # Errors
    /// As [`Rag::index`].
    pub fn plan(&self, options: &RagIndexOptions, embedded: &Embedded) -> Result<RagIndexPlan, SearchError> {
        let model = self.engine.model(options.model.as_deref())?;
        let work = self.work(options, model, embedded)?;
        let schema = &self.engine.schema;
        let planned = |(source, work): (&RagSource, &SourceWork)| PlannedSource {
            report: work.report(source),
            texts: model.filter(|_| embedded.is_by_embed).map_or_else(Vec::new, |model| {
                work.records.iter().map(|record| schema.embedded_text(model, record)).collect()
            }),
        };
        let named = model.and_then(|place| schema.models().nth(place));
        Ok(RagIndexPlan {
            batch_size: options.batch_size,
            parallel_batches: options.parallel_batches,
            checkpoint_every: options.checkpoint_every,
            model: named.map(|(name, _)| name.to_owned()),
            width: named.and_then(|(_, model)| model.width),
            sources: options.sources.iter().zip(&work).map(planned).collect(),
        })
    }

    /// Cuts sources into chunks and writes them. Sources that did not change are skipped, and chunks that a source no longer
    /// has are removed.
    ///
    /// `embedded` has the vectors of the texts that [`Rag::plan`] returns, one after the other, and a failure for each text
    /// without one.
    ///
    /// # Errors
    /// When an option does not fit the snapshot, a chunk lacks its vector and the call is `strict`, or the snapshot is
    /// damaged. Then nothing is written.
    pub fn index(
        &mut self,
        options: &RagIndexOptions,
        embedded: &Embedded,
    ) -> Result<RagIndexResponse, SearchError> {
        let model = self.engine.model(options.model.as_deref())?;
        let work = self.work(options, model, embedded)?;
        let vectors = ChunkVectors::of(embedded, work.iter().map(|work| work.records.len()).sum())?;
        let mut embedding = IndexEmbedding::default();
        let mut rows = Vec::new();
        for (place, record) in work.iter().flat_map(|work| &work.records).enumerate() {
            let vector = vectors.get(place);
            let origin = match (vectors.failure(place), vector) {
                (Some(reason), _) => ChunkVector::Failed(reason),
                (None, Some(_)) => ChunkVector::Given,
                (None, None) => ChunkVector::Own,
            };
            embedding.count(&self.engine.schema, model, origin);
            let own = model.zip(vector.map(<[f32]>::to_vec));
            rows.push(NewRecord { record, vectors: own.into_iter().collect() });
        }
        if let Some(reason) = embedding.fallback_reasons.iter().next().filter(|_| options.strict) {
            return Err(Box::new(SearchFault::Embedding { reason: reason.clone() }));
        }
        let written = self.engine.add_with(&rows, options.now)?;
        let stale = work.iter().flat_map(|work| &work.stale);
        self.engine.remove(stale.map(|(id, kind)| Key { id, kind }))?;

        let sources = options.sources.iter().zip(&work).map(|(source, work)| work.report(source));
        let sources = sources.collect::<Vec<_>>();
        let indexed = sources.iter().filter(|source| source.indexed).count();
        let quality_tier = embedding.quality_tier();
        let mut warnings = embedding.warnings();
        warnings.extend(written.warnings);
        Ok(RagIndexResponse {
            success: true,
            indexed,
            skipped: sources.len() - indexed,
            indexed_chunks: sources.iter().map(|source| source.indexed_chunks).sum(),
            removed_chunks: sources.iter().map(|source| source.removed_chunks).sum(),
            chunk_size: options.chunk_size,
            chunk_overlap: options.chunk_overlap,
            quality_tier,
            embedding,
            sources,
            clamped: Clamps::default(),
            degraded: quality_tier == QualityTier::Degraded,
            warnings,
        })
    }

    /// Removes a source with all of its chunks.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn remove(&mut self, source: &SourceKey) -> Result<RagRemoveResponse, SearchError> {
        let engine = &*self.engine;
        let keys = engine.with_corpus(|corpus| {
            let sources = Sources::new(&engine.context(corpus, "", engine.now(None)), None)?;
            keys_of_rows(corpus, &sources.chunks(source))
        })?;
        let removed = self.engine.remove(keys.iter().map(|(id, kind)| Key { id, kind }))?.replaced;
        Ok(RagRemoveResponse { success: true, removed, degraded: false, warnings: Vec::new() })
    }

    /// Decides for each source whether it is skipped, and cuts the others into chunks.
    fn work(
        &self,
        options: &RagIndexOptions,
        model: Option<usize>,
        embedded: &Embedded,
    ) -> Result<Vec<SourceWork>, SearchError> {
        let engine = &*self.engine;
        for name in ["sourceType", "sourceId"] {
            if engine.schema.attribute(name).is_none() {
                let reason = format!("the schema has no attribute \"{name}\"; build with the preset rag");
                return Err(wrong("sources", reason));
            }
        }
        let now = engine.now(options.now);
        // Only a host that embeds can supply vectors that are missing.
        let model = model.filter(|_| embedded.is_by_embed || embedded.vectors.is_some());
        engine.with_corpus(|corpus| {
            let sources = Sources::new(&engine.context(corpus, "", now), None)?;
            let work = |source| source_work(corpus, &sources, source, options, model, now);
            options.sources.iter().map(work).collect()
        })
    }
}

/// Decides whether a source is skipped, and otherwise cuts it into chunks. Every chunk should have a vector of `model`.
fn source_work(
    corpus: &Corpus,
    sources: &Sources,
    source: &RagSource,
    options: &RagIndexOptions,
    model: Option<usize>,
    now: f64,
) -> Result<SourceWork, SearchError> {
    if options.source_types.as_ref().is_some_and(|types| !types.contains(&source.key.source_type)) {
        return Ok(SourceWork::skipped(SkipReason::OtherType));
    }
    let hash = hex(&Sha256::digest(&source.body));
    let rows = sources.chunks(&source.key);
    if !options.force && !rows.is_empty() && have_vectors(corpus, &rows, model)? {
        let has_hash = |old: &Record| old.json().get("contentHash").and_then(Json::as_str) == Some(&hash);
        if records_of(corpus, &rows)?.iter().all(has_hash) {
            return Ok(SourceWork::skipped(SkipReason::ContentUnchanged));
        }
    }
    let chunks = chunk_text(&source.body, options.chunk_size, options.chunk_overlap)
        .map_err(|error| wrong("chunkSize", error.to_string()))?;
    let record = |chunk: &Chunk| {
        let text = text_of(&ChunkRecord::of(source, chunk, &hash, now));
        Record::from_json(Json::parse(text.as_bytes()).expect("serde writes JSON"))
    };
    let records = chunks.iter().map(record).collect::<Result<Vec<_>, _>>();
    let records = records.map_err(|error| wrong("sources", error.to_string()))?;
    let is_stale = |(id, kind): &(String, String)| {
        !records.iter().any(|new| (new.id(), new.kind()) == (id.as_str(), kind.as_str()))
    };
    let stale = keys_of_rows(corpus, &rows)?.into_iter().filter(is_stale).collect::<Vec<_>>();
    let skipped = records.is_empty().then_some(SkipReason::EmptyBody);
    Ok(SourceWork { skipped, records, stale })
}

/// Whether every row has a vector of a model; true where no model is asked for.
fn have_vectors(corpus: &Corpus, rows: &[u32], model: Option<usize>) -> Result<bool, SnapshotError> {
    let Some(model) = model else { return Ok(true) };
    for &row in rows {
        let (part, document) = part_of(corpus, row);
        let vectors = corpus.parts[part].segment.vectors()?;
        if vectors.get(model).is_none_or(|vectors| vectors.row_of(document).is_none()) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn keys_of_rows(corpus: &Corpus, rows: &[u32]) -> Result<Vec<(String, String)>, SearchError> {
    let mut keys = Vec::new();
    for &row in rows {
        let Key { id, kind } = key_of(corpus, row)?;
        keys.push((id.to_owned(), kind.to_owned()));
    }
    Ok(keys)
}

/// The vectors that a host made, by the places of their texts.
struct ChunkVectors<'a> {
    embedded: &'a Embedded,
    width: usize,
}

impl<'a> ChunkVectors<'a> {
    /// Checks that every text has a vector or a failure. A host without vectors and failures has not embedded at all.
    fn of(embedded: &'a Embedded, texts: usize) -> Result<ChunkVectors<'a>, SearchError> {
        let failed = embedded.failures.iter().flatten().count();
        let given = texts.saturating_sub(failed);
        let numbers = embedded.vectors.as_ref().map_or(0, Vec::len);
        let width = numbers / given.max(1);
        let has_failures = embedded.failures.is_empty() || embedded.failures.len() == texts;
        let is_whole = embedded.vectors.is_none() || width * given == numbers;
        if !has_failures || !is_whole {
            let reason = format!(
                "{numbers} numbers and {} failures do not give each of {texts} chunks a vector",
                embedded.failures.len()
            );
            return Err(wrong("vector", reason));
        }
        Ok(ChunkVectors { embedded, width })
    }

    fn failure(&self, text: usize) -> Option<&'a str> {
        self.embedded.failures.get(text)?.as_deref()
    }

    /// Returns the vector of a text. Failed texts have no numbers among the vectors.
    fn get(&self, text: usize) -> Option<&'a [f32]> {
        let vectors = self.embedded.vectors.as_deref().filter(|_| self.width > 0)?;
        if self.failure(text).is_some() {
            return None;
        }
        let before = text - self.embedded.failures.iter().take(text).flatten().count();
        vectors.get(before * self.width..(before + 1) * self.width)
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(b"0123456789abcdef"[usize::from(digit)])).collect()
}
