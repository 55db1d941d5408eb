//! What results look like (M7).

use super::question::Question;
use super::sessions::ShownSession;
use crate::attributes::time_of;
use crate::document::{Key, Record};
use crate::engine::matching::each_text;
use crate::engine::{Engine, SearchError};
use crate::gather::Gather;
use crate::ids::FieldId;
use crate::json::Json;
use crate::order::sort_by_key;
use crate::presentation::{Markers, Markup, render};
use crate::query::Query;
use crate::recipe::memory::{MEMORY, Recalled, SUPERSEDES, document_of, salience_of};
use crate::recipe::{Candidate, Context, Explained, Rated, Signal, ids_of, key_of};
use crate::state::State;
use serde::Serialize;

/// A snippet has so many tokens.
const SNIPPET_TOKENS: i64 = 32;
/// Of a memory that supersedes another, so many characters are shown.
const PREVIEW: usize = 200;

/// A result, or what one leg says of a memory.
#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum Shown {
    Memory(Box<ShownMemory>),
    Document(Box<ShownDocument>),
    #[serde(rename_all = "camelCase")]
    ByWords {
        memory_id: String,
        rank: f64,
        snippet: String,
    },
    #[serde(rename_all = "camelCase")]
    ByVector {
        memory_id: String,
        distance: f64,
        similarity: f64,
    },
}

/// What memories and documents have in common.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Scored {
    score: f64,
    match_type: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    highlights: Option<[String; 1]>,
    explain: Explained,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pinned: bool,
    /// The ids of what is folded under it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    folded: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownMemory {
    #[serde(skip)]
    pub id: String,
    #[serde(rename = "type")]
    kind: &'static str,
    pub memory: Json,
    #[serde(flatten)]
    scored: Scored,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_session: Option<ShownSession>,
    is_superseded: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    superseded_by: Option<Preview>,
    related_memory_count: usize,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownDocument {
    #[serde(rename = "type")]
    kind: &'static str,
    document_id: String,
    chunk: Chunk,
    #[serde(flatten)]
    scored: Scored,
}

/// The part of a document that matches best.
#[derive(Serialize)]
struct Chunk {
    id: String,
    index: usize,
    text: String,
    /// Where it stands in the document, in characters.
    start: usize,
    end: usize,
    record: Json,
}

/// A memory that supersedes another.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Preview {
    id: String,
    content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<f64>,
}

impl Engine {
    /// The records of rows, as they are now, with their snippets.
    fn texts_of_rows(
        &self,
        context: &Context,
        question: &Question,
        query: &Query,
        rows: &[u32],
    ) -> Result<Vec<(Record, Option<String>)>, SearchError> {
        let markers = Markers { open: "<mark>", close: "</mark>", ellipsis: "..." };
        let markup = if question.raw { Markup::Plain } else { Markup::EscapedHtml };
        let field = self.schema.field("content").unwrap_or(FieldId(0));
        let mut texts = rows.iter().map(|_| None).gather();
        each_text(self, context.corpus, query, rows, &mut |number, text| {
            let snippet = text.snippet(self, Some(field), SNIPPET_TOKENS);
            let snippet = snippet.map(|pieces| render(&pieces, markers, markup));
            texts[number] = Some((context.corpus.state.as_it_is_now(text.record), snippet));
        })?;
        Ok(texts.into_iter().flatten().gather())
    }

    /// What both legs found, as results.
    pub(super) fn shown_memories(
        &self,
        context: &Context,
        question: &Question,
        query: &Query,
        found: &Recalled,
    ) -> Result<Vec<Shown>, SearchError> {
        let rows = found.results.iter().map(|rated| rated.row).gather();
        let texts = self.texts_of_rows(context, question, query, &rows)?;
        let mut shown = Vec::new();
        for (number, (rated, (record, snippet))) in found.results.iter().zip(texts).enumerate() {
            let under = found.folded.get(number).map_or(&[][..], Vec::as_slice);
            let scored = Scored {
                score: rated.score,
                match_type: match_type(rated),
                highlights: snippet.filter(|_| rated.keyword.is_some()).map(|snippet| [snippet]),
                explain: found.formula.explain(rated),
                pinned: number < found.pinned,
                folded: ids_of(context.corpus, under)?,
            };
            shown.push(match document_of(context, rated.row)? {
                Some(document_id) => {
                    let chunk = self.chunk_of(&record);
                    Shown::Document(Box::new(ShownDocument { kind: "document", document_id, chunk, scored }))
                }
                None => Shown::Memory(Box::new(self.shown_memory(
                    context.corpus.state,
                    question,
                    &record,
                    scored,
                )?)),
            });
        }
        Ok(shown)
    }

    fn shown_memory(
        &self,
        state: &State,
        question: &Question,
        record: &Record,
        scored: Scored,
    ) -> Result<ShownMemory, SearchError> {
        let (id, now) = (record.id(), question.at());
        let created = state.usages_of(id).find(|usage| usage.usage == "created");
        let valid_until = time(record.json(), "validUntil");
        Ok(ShownMemory {
            id: id.to_owned(),
            kind: MEMORY,
            memory: as_read(record.json().clone(), question.wanted.decays, now),
            scored,
            source_session: created.map(|usage| ShownSession::of(state, &usage.session)),
            is_superseded: valid_until.is_some_and(|end| end <= now),
            superseded_by: self.superseding(state, id, now)?,
            related_memory_count: state.links_of(id).filter(|link| link.is_live(now)).count(),
        })
    }

    /// The newest memory that supersedes another and is still there.
    fn superseding(&self, state: &State, id: &str, now: f64) -> Result<Option<Preview>, SearchError> {
        let mut newest: Option<(f64, Record)> = None;
        for link in state.links_of(id) {
            let is_superseding = link.to == id && link.from != id && link.relation == SUPERSEDES;
            if !is_superseding || !link.is_live(now) {
                continue;
            }
            let Some(record) = self.record(Key { id: link.from, kind: MEMORY })? else { continue };
            let made = time(record.json(), "createdAt").unwrap_or(f64::NEG_INFINITY);
            let is_deleted = record.json().get("isDeleted") == Some(&Json::Bool(true));
            if !is_deleted && newest.as_ref().is_none_or(|(other, _)| made > *other) {
                newest = Some((made, record));
            }
        }
        Ok(newest.map(|(made, record)| Preview {
            id: record.id().to_owned(),
            content: self.content_of(&record).chars().take(PREVIEW).collect(),
            created_at: Some(made).filter(|made| made.is_finite()),
        }))
    }

    fn content_of(&self, record: &Record) -> String {
        let field = self.schema.field("content").map_or(0, FieldId::index);
        self.schema.field_names().get(field).and_then(|name| record.text(name)).unwrap_or_default()
    }

    /// A record as a chunk of a document; a document that was not cut is its own only one.
    fn chunk_of(&self, record: &Record) -> Chunk {
        let number =
            |name: &str| record.json().get(name).and_then(Json::as_f64).map(|number| number as usize);
        let text = self.content_of(record);
        let start = number("charOffset").or_else(|| number("offset")).unwrap_or(0);
        Chunk {
            id: record.id().to_owned(),
            index: number("chunkIndex").unwrap_or(0),
            start,
            end: start + text.chars().count(),
            text,
            record: record.json().clone(),
        }
    }

    /// What one leg found, best first.
    pub(super) fn shown_candidates(
        &self,
        context: &Context,
        question: &Question,
        query: &Query,
        mut found: Vec<Candidate>,
    ) -> Result<Vec<Shown>, SearchError> {
        sort_by_key(&mut found, |candidate| {
            candidate.keyword.or(candidate.vector).and_then(|signal| signal.place)
        });
        let rows = found.iter().map(|candidate| candidate.row).gather();
        if question.mode == "keyword" {
            let texts = self.texts_of_rows(context, question, query, &rows)?;
            let shown = found.iter().zip(texts).map(|(candidate, (record, snippet))| Shown::ByWords {
                memory_id: record.id().to_owned(),
                // Negating a zero would show as −0.
                rank: 0.0 - candidate.keyword.map_or(0.0, |signal| signal.score),
                snippet: snippet.unwrap_or_default(),
            });
            return Ok(shown.gather());
        }
        let mut shown = Vec::new();
        for candidate in found {
            let similarity = candidate.vector.map_or(0.0, |signal| signal.score);
            let memory_id = key_of(context.corpus, candidate.row)?.id.to_owned();
            shown.push(Shown::ByVector { memory_id, distance: 1.0 - similarity, similarity });
        }
        Ok(shown)
    }
}

/// By which legs it was found (M5).
fn match_type(rated: &Rated) -> &'static str {
    let is_of = |signal: Option<Signal>| signal.is_some_and(|signal| signal.place.is_some());
    match (is_of(rated.keyword), is_of(rated.vector)) {
        (true, true) => "both",
        (false, true) => "semantic",
        _ => "keyword",
    }
}

/// A record as it is read: what it matters may have faded (M13).
pub(super) fn as_read(mut record: Json, decays: bool, now: f64) -> Json {
    if decays {
        let salience = Json::from_f64(salience_of(&record, true, now));
        if let Json::Object(entries) = &mut record {
            match entries.iter_mut().find(|(name, _)| name == "salience") {
                Some((_, stored)) => *stored = salience,
                None => entries.push(("salience".to_owned(), salience)),
            }
        }
    }
    record
}

/// A moment that a record names.
pub(super) fn time(record: &Json, name: &str) -> Option<f64> {
    time_of(record.get(name)?)
}
