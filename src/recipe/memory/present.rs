//! How do ranked rows become results (M7)?

use super::key;
use super::query::ResolvedMemorySearch;
use super::ranking::{DOCUMENT, MEMORY, RecalledPage, SUPERSEDES, document_of};
use super::response::{
    MemoryChunk, MemoryDocumentResult, MemoryFtsResult, MemoryHit, MemoryHitFields, MemoryPreview,
    MemoryResult, MemorySession, MemoryVectorResult,
};
use super::salience::{as_read, salience_of, time};
use crate::document::Record;
use crate::engine::{Engine, SearchError, each_text};
use crate::ids::FieldId;
use crate::json::Json;
use crate::order::sort_by_key;
use crate::pipeline::{Candidate, Context, Explain, Rated, Signal, ids_of, key_of};
use crate::presentation::{Markers, Markup, render};
use crate::query::Query;
use crate::state::State;

/// The number of tokens of a snippet.
const SNIPPET_TOKENS: i64 = 32;
/// The number of characters of a superseding memory that a result shows.
const PREVIEW: usize = 200;

/// Returns the records of rows, as they are now, with their snippets.
fn texts_of_rows(
    engine: &Engine,
    context: &Context,
    search: &ResolvedMemorySearch,
    query: &Query,
    rows: &[u32],
) -> Result<Vec<(Record, Option<String>)>, SearchError> {
    let markers = Markers { open: "<mark>", close: "</mark>", ellipsis: "..." };
    let markup = if search.raw { Markup::Plain } else { Markup::EscapedHtml };
    let field = engine.schema.field("content").unwrap_or(FieldId(0));
    let mut texts = rows.iter().map(|_| None).collect::<Vec<_>>();
    each_text(engine, context.corpus, query, rows, &mut |number, text| {
        let snippet = text.snippet(engine, Some(field), SNIPPET_TOKENS);
        let snippet = snippet.map(|pieces| render(&pieces, markers, markup));
        texts[number] = Some((context.corpus.state.as_it_is_now(text.record), snippet));
    })?;
    Ok(texts.into_iter().flatten().collect())
}

/// Turns a ranked page into results.
pub(super) fn hits(
    engine: &Engine,
    context: &Context,
    search: &ResolvedMemorySearch,
    query: &Query,
    page: &RecalledPage,
) -> Result<Vec<MemoryHit>, SearchError> {
    let rows = page.results.iter().map(|rated| rated.row).collect::<Vec<_>>();
    let texts = texts_of_rows(engine, context, search, query, &rows)?;
    let mut hits = Vec::new();
    for (number, (rated, (record, snippet))) in page.results.iter().zip(texts).enumerate() {
        let folded = page.folded.get(number).map_or(&[][..], Vec::as_slice);
        let fields = MemoryHitFields {
            score: rated.score,
            match_type: match_type(rated),
            highlights: snippet.filter(|_| rated.keyword.is_some()).into_iter().collect(),
            explain: search.explain.then(|| Explain::of(rated, page.formula.explain(rated))),
            pinned: number < page.pinned,
            folded: ids_of(context.corpus, folded)?,
        };
        hits.push(match document_of(context, rated.row)? {
            Some(document_id) => MemoryHit::Document(Box::new(MemoryDocumentResult {
                kind: DOCUMENT,
                document_id,
                chunk: chunk_of(engine, &record),
                hit: fields,
            })),
            None => MemoryHit::Memory(Box::new(memory_result(
                engine,
                context.corpus.state,
                search,
                &record,
                fields,
            )?)),
        });
    }
    Ok(hits)
}

fn memory_result(
    engine: &Engine,
    state: &State,
    search: &ResolvedMemorySearch,
    record: &Record,
    hit: MemoryHitFields,
) -> Result<MemoryResult, SearchError> {
    let (id, at) = (record.id(), search.at());
    let memory = as_read(record.json().clone(), search.decays, at);
    let created = state.usages_of(id).find(|usage| usage.usage == "created");
    Ok(MemoryResult {
        kind: MEMORY,
        id: id.to_owned(),
        salience: salience_of(&memory, false, at),
        memory,
        hit,
        source_session: created.map(|usage| MemorySession::of(state, &usage.session)),
        is_superseded: time(record.json(), "validUntil").is_some_and(|end| end <= at),
        superseded_by: superseding(engine, state, id, at)?,
        related_memory_count: state.links_of(id).filter(|link| link.is_live(at)).count(),
    })
}

/// Returns the newest live memory that supersedes another.
fn superseding(
    engine: &Engine,
    state: &State,
    id: &str,
    now: f64,
) -> Result<Option<MemoryPreview>, SearchError> {
    let mut newest: Option<(f64, Record)> = None;
    for link in state.links_of(id) {
        let is_superseding = link.to == id && link.from != id && link.relation == SUPERSEDES;
        if !is_superseding || !link.is_live(now) {
            continue;
        }
        let Some(record) = engine.record(key(link.from))? else { continue };
        let created = time(record.json(), "createdAt").unwrap_or(f64::NEG_INFINITY);
        let is_deleted = record.json().get("isDeleted") == Some(&Json::Bool(true));
        if !is_deleted && newest.as_ref().is_none_or(|(other, _)| created > *other) {
            newest = Some((created, record));
        }
    }
    Ok(newest.map(|(created, record)| MemoryPreview {
        id: record.id().to_owned(),
        content: content_of(engine, &record).chars().take(PREVIEW).collect(),
        created_at: created.is_finite().then_some(created),
    }))
}

fn content_of(engine: &Engine, record: &Record) -> String {
    let field = engine.schema.field("content").map_or(0, FieldId::index);
    engine.schema.field_names().get(field).and_then(|name| record.text(name)).unwrap_or_default()
}

fn chunk_of(engine: &Engine, record: &Record) -> MemoryChunk {
    let number = |name: &str| record.json().get(name).and_then(Json::as_f64).map(|number| number as usize);
    let text = content_of(engine, record);
    let start = number("charOffset").or_else(|| number("offset")).unwrap_or(0);
    MemoryChunk {
        id: record.id().to_owned(),
        index: number("chunkIndex").unwrap_or(0),
        start,
        end: start + text.chars().count(),
        text,
        record: record.json().clone(),
    }
}

/// Turns the candidates of the keyword leg into results, best first.
pub(super) fn fts_results(
    engine: &Engine,
    context: &Context,
    search: &ResolvedMemorySearch,
    query: &Query,
    candidates: &[Candidate],
) -> Result<Vec<MemoryFtsResult>, SearchError> {
    let found = by_place(candidates, |candidate| candidate.keyword);
    let rows = found.iter().map(|(row, _)| *row).collect::<Vec<_>>();
    let texts = texts_of_rows(engine, context, search, query, &rows)?;
    let result =
        |((_, signal), (record, snippet)): ((u32, Signal), (Record, Option<String>))| MemoryFtsResult {
            memory_id: record.id().to_owned(),
            // Negating a zero would give −0.
            rank: 0.0 - signal.score,
            snippet: snippet.unwrap_or_default(),
        };
    Ok(found.into_iter().zip(texts).map(result).collect())
}

/// Turns the candidates of the vector leg into results, nearest first.
pub(super) fn vector_results(
    context: &Context,
    candidates: &[Candidate],
) -> Result<Vec<MemoryVectorResult>, SearchError> {
    let result = |(row, signal): (u32, Signal)| {
        Ok(MemoryVectorResult {
            memory_id: key_of(context.corpus, row)?.id.to_owned(),
            distance: 1.0 - signal.score,
            similarity: signal.score,
        })
    };
    by_place(candidates, |candidate| candidate.vector).into_iter().map(result).collect()
}

/// Returns the rows of candidates with their signals of one leg, best first.
fn by_place(candidates: &[Candidate], signal: fn(&Candidate) -> Option<Signal>) -> Vec<(u32, Signal)> {
    let found = candidates.iter().filter_map(|candidate| Some((candidate.row, signal(candidate)?)));
    let mut found = found.collect::<Vec<_>>();
    sort_by_key(&mut found, |(_, signal)| signal.place);
    found
}

/// Names the legs that returned a result (M5).
fn match_type(rated: &Rated) -> &'static str {
    let is_of = |signal: Option<Signal>| signal.is_some_and(|signal| signal.place.is_some());
    match (is_of(rated.keyword), is_of(rated.vector)) {
        (true, true) => "both",
        (false, true) => "semantic",
        _ => "keyword",
    }
}
