//! What results look like (M7).

use super::question::MemoryQuestion;
use super::sessions::session;
use crate::attributes::time_of;
use crate::document::{Key, Record};
use crate::engine::each_text;
use crate::engine::{Engine, SearchError};
use crate::ids::FieldId;
use crate::json::Json;
use crate::order::sort_by_key;
use crate::pipeline::Fields;
use crate::pipeline::{Candidate, Context, Rated, Signal, ids_of, key_of};
use crate::presentation::{Markers, Markup, render};
use crate::query::Query;
use crate::recipe::memory::{MEMORY, Recalled, SUPERSEDES, document_of, salience_of};
use crate::state::State;

/// A snippet has so many tokens.
const SNIPPET_TOKENS: i64 = 32;
/// Of a memory that supersedes another, so many characters are shown.
const PREVIEW: usize = 200;

/// What is shown.
pub(super) struct Results {
    pub shown: Vec<Json>,
    /// The memories among them: their ids, and what each matters.
    pub memories: Vec<(String, f64)>,
}

impl Engine {
    /// The records of rows, as they are now, with their snippets.
    fn texts_of_rows(
        &self,
        context: &Context,
        question: &MemoryQuestion,
        query: &Query,
        rows: &[u32],
    ) -> Result<Vec<(Record, Option<String>)>, SearchError> {
        let markers = Markers { open: "<mark>", close: "</mark>", ellipsis: "..." };
        let markup = if question.raw { Markup::Plain } else { Markup::EscapedHtml };
        let field = self.schema.field("content").unwrap_or(FieldId(0));
        let mut texts = rows.iter().map(|_| None).collect::<Vec<_>>();
        each_text(self, context.corpus, query, rows, &mut |number, text| {
            let snippet = text.snippet(self, Some(field), SNIPPET_TOKENS);
            let snippet = snippet.map(|pieces| render(&pieces, markers, markup));
            texts[number] = Some((context.corpus.state.as_it_is_now(text.record), snippet));
        })?;
        Ok(texts.into_iter().flatten().collect::<Vec<_>>())
    }

    /// What both legs found, as results.
    pub(super) fn shown_memories(
        &self,
        context: &Context,
        question: &MemoryQuestion,
        query: &Query,
        found: &Recalled,
    ) -> Result<Results, SearchError> {
        let rows = found.results.iter().map(|rated| rated.row).collect::<Vec<_>>();
        let texts = self.texts_of_rows(context, question, query, &rows)?;
        let (mut shown, mut memories) = (Vec::new(), Vec::new());
        for (number, (rated, (record, snippet))) in found.results.iter().zip(texts).enumerate() {
            let mut own = Fields::default();
            let document = document_of(context, rated.row)?;
            if let Some(document) = &document {
                own.text("type", Some("document"));
                own.text("documentId", Some(document));
                own.put("chunk", self.chunk_of(&record));
            } else {
                let memory = as_read(record.json().clone(), question.wanted.decays, question.at());
                memories.push((record.id().to_owned(), salience_of(&memory, false, question.now)));
                own.text("type", Some(MEMORY));
                own.put("memory", memory);
            }
            own.float("score", rated.score);
            own.text("matchType", Some(match_type(rated)));
            if let Some(snippet) = snippet.filter(|_| rated.keyword.is_some()) {
                own.put("highlights", Json::Array(vec![Json::String(snippet)]));
            }
            let mut explain = Fields::default();
            explain.explained(&found.formula.explain(rated));
            own.object("explain", explain);
            if number < found.pinned {
                own.flag("pinned", true);
            }
            if let Some(under) = found.folded.get(number) {
                own.texts("folded", ids_of(context.corpus, under)?);
            }
            if document.is_none() {
                self.tell_of_memory(&mut own, context.corpus.state, &record, question.at())?;
            }
            shown.push(Json::Object(own.0));
        }
        Ok(Results { shown, memories })
    }

    /// What is known of a memory beside its record.
    fn tell_of_memory(
        &self,
        fields: &mut Fields,
        state: &State,
        record: &Record,
        now: f64,
    ) -> Result<(), SearchError> {
        let id = record.id();
        if let Some(usage) = state.usages_of(id).find(|usage| usage.usage == "created") {
            fields.put("sourceSession", session(state, &usage.session));
        }
        let valid_until = time(record.json(), "validUntil");
        fields.flag("isSuperseded", valid_until.is_some_and(|end| end <= now));
        if let Some(preview) = self.superseding(state, id, now)? {
            fields.put("supersededBy", preview);
        }
        fields.count("relatedMemoryCount", state.links_of(id).filter(|link| link.is_live(now)).count());
        Ok(())
    }

    /// The newest memory that supersedes another and is still there.
    fn superseding(&self, state: &State, id: &str, now: f64) -> Result<Option<Json>, SearchError> {
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
        let Some((made, record)) = newest else { return Ok(None) };
        let mut preview = Fields::default();
        let content = self.content_of(&record);
        let end = content.char_indices().nth(PREVIEW).map_or(content.len(), |(end, _)| end);
        preview.text("id", Some(record.id()));
        preview.text("content", Some(&content[..end]));
        if made.is_finite() {
            preview.float("createdAt", made);
        }
        Ok(Some(Json::Object(preview.0)))
    }

    fn content_of(&self, record: &Record) -> String {
        let field = self.schema.field("content").map_or(0, FieldId::index);
        self.schema.field_names().get(field).and_then(|name| record.text(name)).unwrap_or_default()
    }

    /// A record as a chunk of a document; a document that was not cut is its own only one.
    fn chunk_of(&self, record: &Record) -> Json {
        let number =
            |name: &str| record.json().get(name).and_then(Json::as_f64).map(|number| number as usize);
        let text = self.content_of(record);
        let start = number("charOffset").or_else(|| number("offset")).unwrap_or(0);
        let mut chunk = Fields::default();
        chunk.text("id", Some(record.id()));
        chunk.count("index", number("chunkIndex").unwrap_or(0));
        chunk.text("text", Some(&text));
        // Where it stands in the document, in characters.
        chunk.count("start", start);
        chunk.count("end", start + text.chars().count());
        chunk.put("record", record.json().clone());
        Json::Object(chunk.0)
    }

    /// What one leg found, best first.
    pub(super) fn shown_candidates(
        &self,
        context: &Context,
        question: &MemoryQuestion,
        query: &Query,
        mut found: Vec<Candidate>,
    ) -> Result<Results, SearchError> {
        sort_by_key(&mut found, |candidate| {
            candidate.keyword.or(candidate.vector).and_then(|signal| signal.place)
        });
        let rows = found.iter().map(|candidate| candidate.row).collect::<Vec<_>>();
        let mut shown = Vec::new();
        if question.mode == "keyword" {
            let texts = self.texts_of_rows(context, question, query, &rows)?;
            for (candidate, (record, snippet)) in found.iter().zip(texts) {
                let mut own = Fields::default();
                own.text("memoryId", Some(record.id()));
                // Negating a zero would show as −0.
                own.float("rank", 0.0 - candidate.keyword.map_or(0.0, |signal| signal.score));
                own.text("snippet", Some(&snippet.unwrap_or_default()));
                shown.push(Json::Object(own.0));
            }
        } else {
            for candidate in found {
                let similarity = candidate.vector.map_or(0.0, |signal| signal.score);
                let mut own = Fields::default();
                own.text("memoryId", Some(key_of(context.corpus, candidate.row)?.id));
                own.float("distance", 1.0 - similarity);
                own.float("similarity", similarity);
                shown.push(Json::Object(own.0));
            }
        }
        Ok(Results { shown, memories: Vec::new() })
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
pub(crate) fn as_read(mut record: Json, decays: bool, now: f64) -> Json {
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
pub(crate) fn time(record: &Json, name: &str) -> Option<f64> {
    time_of(record.get(name)?)
}
