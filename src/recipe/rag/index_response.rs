//! The responses of `rag.index`, `rag.plan` and `rag.remove`.

use super::provider_of;
use super::response::QualityTier;
use crate::options::Clamps;
use crate::order::Set;
use crate::ranking::SourceKey;
use crate::schema::Schema;
use serde::Serialize;

/// The response of [`Rag::index`](super::Rag::index).
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RagIndexResponse {
    /// Always true; a write that fails is an error.
    pub success: bool,
    /// The number of sources that were indexed.
    pub indexed: usize,
    /// The number of sources that were skipped.
    pub skipped: usize,
    /// The number of chunks that were written.
    pub indexed_chunks: usize,
    /// The number of chunks that were removed, because their sources no longer have them.
    pub removed_chunks: usize,
    /// The greatest number of characters per chunk.
    pub chunk_size: usize,
    /// The number of characters that neighbouring chunks share.
    pub chunk_overlap: usize,
    /// The origin of the chunks' vectors.
    pub quality_tier: QualityTier,
    /// The makers of the chunks' vectors.
    pub embedding: IndexEmbedding,
    /// A report for each source, in the order of the sources.
    pub sources: Vec<RagSourceReport>,
    /// The numbers that were out of range.
    #[serde(skip_serializing_if = "Clamps::is_empty")]
    pub clamped: Clamps,
    /// Whether chunks lack the vectors that they should have.
    pub degraded: bool,
    /// Everything that could not be done as it was asked for, with the reasons.
    pub warnings: Vec<String>,
}

/// The report for a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RagSourceReport {
    /// The type of the source.
    pub source_type: String,
    /// The id of the source.
    pub source_id: String,
    /// Whether chunks of the source were written.
    pub indexed: bool,
    /// Whether the source was skipped.
    pub skipped: bool,
    /// The reason for skipping the source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<SkipReason>,
    /// The number of chunks that were written.
    pub indexed_chunks: usize,
    /// The number of chunks that were removed.
    pub removed_chunks: usize,
}

impl RagSourceReport {
    pub(super) fn of(source: &SourceKey, reason: Option<SkipReason>, chunks: usize, removed: usize) -> Self {
        RagSourceReport {
            source_type: source.source_type.clone(),
            source_id: source.source_id.clone(),
            indexed: reason.is_none(),
            skipped: reason.is_some(),
            reason,
            indexed_chunks: chunks,
            removed_chunks: removed,
        }
    }
}

/// The reason for skipping a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// The body is the same as before, and every chunk has its vector.
    ContentUnchanged,
    /// The body has no words. Its chunks are removed.
    EmptyBody,
    /// `sourceTypes` does not name the type of the source.
    OtherType,
}

/// The makers of the chunks' vectors.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct IndexEmbedding {
    /// `embed`, `hash`, `static`, or `none` where chunks have no vectors.
    pub providers: Set<&'static str>,
    /// The ids of the models, or their names in the schema.
    pub models: Set<String>,
    /// The number of chunks without the vector that they should have.
    pub fallback_count: usize,
    /// The reasons.
    #[serde(skip_serializing_if = "Set::is_empty")]
    pub fallback_reasons: Set<String>,
}

/// The origin of a chunk's vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkVector<'a> {
    /// The host made it.
    Given,
    /// The host could not make it.
    Failed(&'a str),
    /// The host was not asked; the snapshot embeds the chunk, if it can.
    Own,
}

impl IndexEmbedding {
    /// Counts a chunk. `model` is the place of the model that the chunk should have a vector of.
    pub(super) fn count(&mut self, schema: &Schema, model: Option<usize>, vector: ChunkVector) {
        let wanted = model.and_then(|place| schema.models().nth(place));
        let own = schema.models().find(|(_, model)| model.embedder.is_some());
        let fallback = match (vector, wanted) {
            (ChunkVector::Failed(reason), _) => Some(reason.to_owned()),
            (_, None) => Some("this snapshot has no vectors".to_owned()),
            (ChunkVector::Own, Some((name, model))) if model.embedder.is_none() => {
                Some(format!("no vectors were given for \"{name}\", and the snapshot has no embedder for it"))
            }
            _ => None,
        };
        let is_given = vector == ChunkVector::Given && wanted.is_some();
        let made_with = wanted.filter(|(_, model)| is_given || model.embedder.is_some()).or(own);
        self.providers.insert(match is_given {
            true => "embed",
            false => provider_of(made_with.and_then(|(_, model)| model.embedder)),
        });
        if let Some((name, model)) = made_with {
            self.models.insert(model.id.clone().unwrap_or_else(|| name.to_owned()));
        }
        if let Some(reason) = fallback {
            self.fallback_count += 1;
            self.fallback_reasons.insert(reason);
        }
    }

    pub(super) fn quality_tier(&self) -> QualityTier {
        if self.fallback_count > 0 {
            QualityTier::Degraded
        } else if self.providers.contains("embed") {
            QualityTier::High
        } else {
            QualityTier::Local
        }
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let warning = |reason: &String| format!("{reason}; chunks were written without this vector");
        self.fallback_reasons.iter().map(warning).collect()
    }
}

/// The response of [`Rag::plan`](super::Rag::plan): the texts that the host has to embed before it calls `rag.index`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RagIndexPlan {
    /// The number of texts per call of `embed`.
    pub batch_size: usize,
    /// The number of calls of `embed` that run at once.
    pub parallel_batches: usize,
    /// The number of sources per write.
    pub checkpoint_every: usize,
    /// The model that the vectors are for; none where the schema has no vectors.
    pub model: Option<String>,
    /// The number of numbers in a vector of the model; none where no vector has settled it yet.
    pub width: Option<usize>,
    /// A plan for each source, in the order of the sources.
    pub sources: Vec<PlannedSource>,
}

/// The plan for a source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlannedSource {
    /// The report that the source gets if it is written now.
    #[serde(flatten)]
    pub report: RagSourceReport,
    /// The texts that the host has to embed, one per chunk; none where the host does not embed or the source is skipped.
    pub texts: Vec<String>,
}

/// The response of [`Rag::remove`](super::Rag::remove).
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RagRemoveResponse {
    /// Always true; a removal that fails is an error.
    pub success: bool,
    /// The number of chunks that were removed.
    pub removed: usize,
    /// Always false: a removal cannot fall back.
    pub degraded: bool,
    /// Always empty.
    pub warnings: Vec<String>,
}
