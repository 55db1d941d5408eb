//! When and where was something remembered? `memory.timeline` and `memory.sessionContext`.

use super::question::required_id;
use super::shown::as_read;
use crate::document::Key;
use crate::engine::asking::record_of;
use crate::engine::{Engine, SearchError, SearchFault};
use crate::json::{Json, text_of};
use crate::options::Options;
use crate::recipe::memory::{MEMORY, timeline};
use crate::retrieval::require;
use crate::state::State;
use serde::Serialize;

/// How many memories a timeline shows on each side, where nobody says, and at most.
const DEPTH: usize = 5;
const MAX_DEPTH: usize = 1000;

/// A session, as far as it is known.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ShownSession {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    started_at: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project_id: Option<String>,
}

impl ShownSession {
    pub fn of(state: &State, id: &str) -> ShownSession {
        let known = state.session(id);
        ShownSession {
            id: id.to_owned(),
            started_at: known.and_then(|session| session.started_at),
            ended_at: known.and_then(|session| session.ended_at),
            summary: known.and_then(|session| session.summary.map(str::to_owned)),
            project_id: known.and_then(|session| session.project_id.map(str::to_owned)),
        }
    }
}

#[derive(Serialize)]
struct Timeline {
    anchor: Json,
    before: Vec<Json>,
    after: Vec<Json>,
    sessions: Vec<ShownSession>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SessionContext {
    session: ShownSession,
    memories_in_session: usize,
    usage_type: String,
}

impl Engine {
    /// `memory.timeline` (M10).
    pub(in crate::engine) fn memory_timeline(&self, json: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let id = required_id(&mut options, "id");
        let before = options.count("before", 0..=MAX_DEPTH).unwrap_or(DEPTH);
        let after = options.count("after", 0..=MAX_DEPTH).unwrap_or(DEPTH);
        let decays = options.flag("decay").unwrap_or(false);
        let now = self.now_in(&mut options);
        options.finish()?;
        let Some((part, document)) = self.find(Key { id: &id, kind: MEMORY })? else {
            return Err(SearchFault::NotFound { what: "anchor memory", id }.into());
        };
        self.with_corpus(|corpus| {
            let context = self.context(corpus, "", now);
            let anchor = corpus.parts[part].first_row + document;
            let (before, after) = timeline(&context, anchor, before, after)?;
            let mut sessions: Vec<ShownSession> = Vec::new();
            let mut shown = |rows: &[u32]| {
                require(corpus, rows.iter().copied())?;
                let mut memories = Vec::new();
                for row in rows {
                    let record = record_of(corpus, *row)?;
                    if let Some(usage) = corpus.state.latest_usage_of(record.id())
                        && sessions.iter().all(|session| session.id != usage.session)
                    {
                        sessions.push(ShownSession::of(corpus.state, &usage.session));
                    }
                    memories.push(as_read(record.json().clone(), decays, now));
                }
                Ok::<_, SearchError>(memories)
            };
            let before = shown(&before)?;
            let anchor = shown(&[anchor])?.remove(0);
            let after = shown(&after)?;
            Ok(text_of(&Timeline { anchor, before, after, sessions }))
        })
    }

    /// `memory.sessionContext` (M11).
    pub(in crate::engine) fn memory_session_context(&self, json: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let id = required_id(&mut options, "id");
        options.time("now");
        options.finish()?;
        let state = self.state()?;
        let context = state.latest_usage_of(&id).map(|usage| SessionContext {
            session: ShownSession::of(state, &usage.session),
            memories_in_session: state.used_in(&usage.session).len(),
            usage_type: usage.usage.clone(),
        });
        Ok(text_of(&context))
    }
}
