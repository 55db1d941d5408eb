//! `rag.index` and `rag.remove`: sources in, chunks written.
//!
//! A source's text is cut into chunks, each a record; what did not change is passed over. Vectors come from the snapshot's
//! own embedders, or from the caller: a first call with `dryRun` tells the texts, a second brings their vectors.

use super::search::{CHUNK, provider_of};
use crate::chunking::{Chunk, DEFAULT_OVERLAP, DEFAULT_SIZE, MAX_OVERLAP, MAX_SIZE, chunk_text};
use crate::document::{Key, Record};
use crate::engine::records_of;
use crate::engine::wrong;
use crate::engine::{Embedded, Engine, NewRecord, SearchError};
use crate::json::{Json, text_of};
use crate::options::{Clamps, Options};
use crate::order::Set;
use crate::pipeline::Fields;
use crate::recipe::rag::{Source, Sources};
use sha2::{Digest, Sha256};

/// What chunks take over from their source.
const LINKS: [&str; 4] = ["sessionId", "contextId", "actionId", "parentId"];

/// What is to be indexed.
struct Request<'a> {
    sources: Vec<Given<'a>>,
    size: usize,
    overlap: usize,
    force: bool,
    strict: bool,
    dry_run: bool,
    model: Option<&'a str>,
    now: Option<f64>,
    clamped: Clamps,
}

/// A source as it came.
struct Given<'a> {
    source: Source,
    body: &'a str,
    title: Option<&'a str>,
    links: [Option<String>; LINKS.len()],
    created_at: Option<f64>,
    embed_failed: Option<&'a str>,
}

impl<'a> Request<'a> {
    fn read(json: &'a Json) -> Result<Request<'a>, SearchError> {
        let mut options = Options::of(json);
        let mut names = Set::new();
        let sources = options.objects("sources", |source| {
            let given = Given::read(source);
            if !names.insert(given.source.name()) {
                source.complain("sourceId", format!("{} stands here twice", given.source.name()));
            }
            given
        });
        options.require("sources");
        let size = options.clamped_count("chunkSize", 1..=MAX_SIZE).unwrap_or(DEFAULT_SIZE);
        let most = MAX_OVERLAP.min(size - 1);
        let overlap = options.clamped_count("chunkOverlap", 0..=most);
        let request = Request {
            sources: sources.unwrap_or_default(),
            size,
            overlap: overlap.unwrap_or(DEFAULT_OVERLAP.min(most)),
            force: options.flag("force").unwrap_or(false),
            strict: options.flag("strict").unwrap_or(false),
            dry_run: options.flag("dryRun").unwrap_or(false),
            model: options.text("model"),
            now: options.time("now"),
            clamped: Clamps::default(),
        };
        Ok(Request { clamped: options.finish()?, ..request })
    }
}

impl<'a> Given<'a> {
    fn read(options: &mut Options<'a>) -> Given<'a> {
        let source = read_source(options);
        let body = options.required_text("body");
        Given {
            source,
            body,
            title: options.text("title"),
            links: LINKS.map(|name| options.id(name)),
            created_at: options.time("createdAt"),
            embed_failed: options.text("embedFailed"),
        }
    }

    /// The record of one of its chunks.
    fn record(&self, chunk: &Chunk, hash: &str, now: f64) -> Result<Record, SearchError> {
        let mut fields = Fields::default();
        fields.text("id", Some(&format!("{}#{}", self.source.name(), chunk.index)));
        fields.text("kind", Some(CHUNK));
        fields.text("sourceType", Some(&self.source.source_type));
        fields.text("sourceId", Some(&self.source.source_id));
        fields.text("title", self.title);
        fields.text("text", Some(chunk.text));
        for (name, id) in LINKS.iter().zip(&self.links) {
            fields.text(name, id.as_deref());
        }
        fields.number("chunkIndex", Some(chunk.index as f64));
        fields.number("charOffset", Some(chunk.char_offset as f64));
        fields.number("tokenCount", Some(chunk.token_count as f64));
        fields.text("contentHash", Some(hash));
        fields.number("createdAt", Some(self.created_at.unwrap_or(now)));
        Record::from_json(Json::Object(fields.0)).map_err(|error| wrong("sources", error.to_string()))
    }
}

/// What names a source; complains where something is missing.
fn read_source(options: &mut Options) -> Source {
    let (source_type, source_id) = (options.text("sourceType"), options.id("sourceId"));
    // The first colon of a chunk's id ends the type.
    if source_type.is_none_or(|name| name.is_empty() || name.bytes().any(|byte| byte == b':')) {
        options.complain("sourceType", "a text without a colon is wanted");
    }
    if source_id.as_deref().is_none_or(str::is_empty) {
        options.complain("sourceId", "an id is wanted");
    }
    let source_type = source_type.unwrap_or_default().to_owned();
    Source { source_type, source_id: source_id.unwrap_or_default() }
}

/// What is to be done with a source.
struct Work {
    /// Why nothing is indexed.
    skipped: Option<&'static str>,
    records: Vec<Record>,
    /// The ids and kinds of chunks that it no longer has.
    stale: Vec<(String, String)>,
}

/// What vectors were made with.
#[derive(Default)]
struct Embedding {
    providers: Set<String>,
    models: Set<String>,
    fallback_count: usize,
    fallback_reasons: Set<String>,
}

impl Embedding {
    fn fields(self) -> Fields {
        let list = |texts: Set<String>| texts.into_sorted().into_iter().map(Json::String).collect::<Vec<_>>();
        let mut fields = Fields::default();
        fields.put("providers", Json::Array(list(self.providers)));
        fields.put("models", Json::Array(list(self.models)));
        fields.count("fallbackCount", self.fallback_count);
        fields.texts("fallbackReasons", self.fallback_reasons.into_sorted());
        fields
    }

    fn quality_tier(&self) -> &'static str {
        if self.fallback_count > 0 {
            "degraded"
        } else if self.providers.contains("embed") {
            "high"
        } else {
            "local"
        }
    }
}

impl Engine {
    pub(crate) fn rag_index(&mut self, json: &Json, embedded: Embedded) -> Result<String, SearchError> {
        let vectors = embedded.vectors;
        let request = Request::read(json)?;
        let model = self.model(request.model)?;
        let work = self.rag_work(&request)?;
        let is_given = vectors.is_some() && model.is_some();
        let has_vectors = |given: &Given| is_given && given.embed_failed.is_none();
        let embedded = || request.sources.iter().zip(&work).filter(|(given, _)| has_vectors(given));
        // What became unchanged since the dry run has its vectors all the same.
        let count = embedded().map(|(_, work)| work.records.len()).sum::<usize>();
        let vectors = vectors.unwrap_or_default();
        let width = vectors.len() / count.max(1);
        if is_given && width * count != vectors.len() {
            let reason = format!("{} numbers are no vectors of {count} chunks", vectors.len());
            return Err(wrong("vector", reason));
        }

        let mut embedding = Embedding::default();
        let mut rows = Vec::new();
        let mut left = &vectors[..];
        for (given, work) in request.sources.iter().zip(&work) {
            let own = if has_vectors(given) { work.records.len() * width } else { 0 };
            let (own, rest) = left.split_at(own);
            left = rest;
            if work.skipped.is_some() {
                continue;
            }
            self.note_embedding(&mut embedding, model, given, work.records.len(), has_vectors(given));
            for (place, record) in work.records.iter().enumerate() {
                let own = model
                    .filter(|_| has_vectors(given))
                    .map(|model| (model, own[place * width..(place + 1) * width].to_vec()));
                rows.push(NewRecord { record, vectors: own.into_iter().collect() });
            }
        }
        if let Some(reason) =
            embedding.fallback_reasons.iter().next().filter(|_| request.strict && !request.dry_run)
        {
            return Err(wrong("strict", reason.clone()));
        }
        if !request.dry_run {
            self.add_with(&rows, request.now)?;
            let stale = work.iter().flat_map(|work| &work.stale);
            self.remove(stale.map(|(id, kind)| Key { id, kind }))?;
        }
        Ok(self.index_response(&request, model, &work, embedding))
    }

    /// What is to be done with each source.
    fn rag_work(&self, request: &Request) -> Result<Vec<Work>, SearchError> {
        for name in ["sourceType", "sourceId"] {
            if self.schema.attribute(name).is_none() {
                let reason = format!("the schema has no attribute \"{name}\"; build with the preset rag");
                return Err(wrong("sources", reason));
            }
        }
        let now = self.now(request.now);
        self.with_corpus(|corpus| {
            let sources = Sources::new(&self.context(corpus, "", now), None)?;
            let mut all = Vec::new();
            for given in &request.sources {
                let hash = hex(&Sha256::digest(given.body));
                let chunks = chunk_text(given.body, request.size, request.overlap)
                    .map_err(|error| wrong("chunkSize", error.to_string()))?;
                let records = chunks.iter().map(|chunk| given.record(chunk, &hash, now));
                let records = records.collect::<Result<Vec<_>, _>>()?;
                let rows = sources.chunks(&given.source);
                let old = records_of(corpus, &rows)?;
                let is_same =
                    |old: &Record| old.json().get("contentHash").and_then(Json::as_str) == Some(&hash);
                let is_unchanged = !request.force && !old.is_empty() && old.iter().all(is_same);
                let skipped = match (records.is_empty(), is_unchanged) {
                    (true, _) => Some("empty_body"),
                    (_, true) => Some("content_unchanged"),
                    _ => None,
                };
                let is_kept = |old: &Record| {
                    records.iter().any(|new: &Record| (new.id(), new.kind()) == (old.id(), old.kind()))
                };
                let stale = old.iter().filter(|old| skipped != Some("content_unchanged") && !is_kept(old));
                let stale = stale.map(|old| (old.id().to_owned(), old.kind().to_owned())).collect::<Vec<_>>();
                all.push(Work { skipped, records, stale });
            }
            Ok(all)
        })
    }

    /// Notes what a source's chunks get their vectors from.
    fn note_embedding(
        &self,
        embedding: &mut Embedding,
        model: Option<usize>,
        given: &Given,
        chunks: usize,
        has_vectors: bool,
    ) {
        let model = model.and_then(|place| self.schema.models().nth(place));
        let own = self.schema.models().find(|(_, model)| model.embedder.is_some());
        let fallback = match (given.embed_failed, model) {
            (Some(reason), _) => Some(reason.to_owned()),
            (None, None) => Some("this snapshot has no vectors".to_owned()),
            (None, Some((name, model))) if !has_vectors && model.embedder.is_none() => {
                Some(format!("no vectors were given for \"{name}\", and the snapshot has no embedder for it"))
            }
            _ => None,
        };
        let made_with = match model {
            Some(model) if has_vectors || model.1.embedder.is_some() => Some(model),
            _ => own,
        };
        let provider =
            if has_vectors { "embed" } else { provider_of(made_with.and_then(|(_, model)| model.embedder)) };
        embedding.providers.insert(provider.to_owned());
        let id = made_with.map(|(name, model)| model.id.clone().unwrap_or_else(|| name.to_owned()));
        if let Some(id) = id {
            embedding.models.insert(id);
        }
        if let Some(reason) = fallback {
            embedding.fallback_count += chunks;
            embedding.fallback_reasons.insert(reason);
        }
    }

    fn index_response(
        &self,
        request: &Request,
        model: Option<usize>,
        work: &[Work],
        embedding: Embedding,
    ) -> String {
        let (mut indexed, mut added, mut removed) = (0, 0, 0);
        let mut sources = Vec::new();
        for (given, work) in request.sources.iter().zip(work) {
            let is_indexed = work.skipped.is_none();
            let chunks = if is_indexed { work.records.len() } else { 0 };
            indexed += usize::from(is_indexed);
            added += chunks;
            removed += work.stale.len();
            let mut source = Fields::default();
            source.text("sourceType", Some(&given.source.source_type));
            source.text("sourceId", Some(&given.source.source_id));
            source.flag("indexed", is_indexed);
            source.flag("skipped", !is_indexed);
            source.text("reason", work.skipped);
            source.count("indexedChunks", chunks);
            source.count("removedChunks", work.stale.len());
            // Of a dry run: what is to be embedded.
            if request.dry_run && is_indexed {
                let text = |record: &Record| Some(Json::String(self.schema.embedded_text(model?, record)));
                source.put("texts", Json::Array(work.records.iter().filter_map(text).collect::<Vec<_>>()));
            }
            sources.push(Json::Object(source.0));
        }
        let mut response = Fields::default();
        response.flag("success", true);
        response.count("indexed", indexed);
        response.count("skipped", work.len() - indexed);
        response.count("indexedChunks", added);
        response.count("removedChunks", removed);
        response.count("chunkSize", request.size);
        response.count("chunkOverlap", request.overlap);
        response.text("qualityTier", Some(embedding.quality_tier()));
        response.object("embedding", embedding.fields());
        response.put("sources", Json::Array(sources));
        if !request.clamped.is_empty() {
            response.put(
                "clamped",
                Json::parse(text_of(&request.clamped).as_bytes()).expect("clamps have a JSON form"),
            );
        }
        response.into_text()
    }

    pub(crate) fn rag_remove(&mut self, json: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let source = read_source(&mut options);
        let now = options.time("now");
        options.finish()?;
        let chunks = self.with_corpus(|corpus| {
            let sources = Sources::new(&self.context(corpus, "", self.now(now)), None)?;
            records_of(corpus, &sources.chunks(&source))
        })?;
        let keys = chunks.iter().map(|chunk| Key { id: chunk.id(), kind: chunk.kind() });
        let removed = self.remove(keys)?.replaced;
        Ok(format!(r#"{{"success":true,"removed":{removed}}}"#))
    }
}

fn hex(bytes: &[u8]) -> String {
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    String::from_utf8_lossy(&digits.map(|digit| b"0123456789abcdef"[usize::from(digit)]).collect::<Vec<_>>())
        .into_owned()
}
