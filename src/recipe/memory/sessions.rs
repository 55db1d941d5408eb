//! When and where was something remembered? `memory.timeline` and `memory.sessionContext`.

use super::shown::as_read;
use crate::document::Key;
use crate::engine::record_of;
use crate::engine::{Engine, SearchError, SearchFault};
use crate::json::Json;
use crate::options::Options;
use crate::order::Set;
use crate::pipeline::Fields;
use crate::recipe::memory::{MEMORY, timeline};
use crate::retrieval::require;
use crate::state::State;

/// How many memories a timeline shows on each side, where nobody says, and at most.
const DEPTH: usize = 5;
const MAX_DEPTH: usize = 1000;

/// A session, as far as it is known.
pub(crate) fn session(state: &State, id: &str) -> Json {
    let mut fields = Fields::default();
    fields.text("id", Some(id));
    if let Some(session) = state.session(id) {
        session.started_at.into_iter().for_each(|at| fields.float("startedAt", at));
        session.ended_at.into_iter().for_each(|at| fields.float("endedAt", at));
        fields.text("summary", session.summary);
        fields.text("projectId", session.project_id);
    }
    Json::Object(fields.0)
}

impl Engine {
    /// `memory.timeline` (M10).
    pub(crate) fn memory_timeline(&self, json: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let id = options.required_id("id");
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
            let (mut sessions, mut seen) = (Vec::new(), Set::new());
            let mut shown = |rows: &[u32]| {
                require(corpus, rows.iter().copied())?;
                let mut memories = Vec::new();
                for row in rows {
                    let record = record_of(corpus, *row)?;
                    if let Some(usage) = corpus.state.latest_usage_of(record.id())
                        && seen.insert(usage.session.clone())
                    {
                        sessions.push(session(corpus.state, &usage.session));
                    }
                    memories.push(as_read(record.json().clone(), decays, now));
                }
                Ok::<_, SearchError>(memories)
            };
            let before = shown(&before)?;
            let anchor = shown(&[anchor])?.remove(0);
            let after = shown(&after)?;
            let mut timeline = Fields::default();
            timeline.put("anchor", anchor);
            timeline.put("before", Json::Array(before));
            timeline.put("after", Json::Array(after));
            timeline.put("sessions", Json::Array(sessions));
            Ok(timeline.into_text())
        })
    }

    /// `memory.sessionContext` (M11).
    pub(crate) fn memory_session_context(&self, json: &Json) -> Result<String, SearchError> {
        let mut options = Options::of(json);
        let id = options.required_id("id");
        options.time("now");
        options.finish()?;
        let state = self.state()?;
        let Some(usage) = state.latest_usage_of(&id) else { return Ok("null".to_owned()) };
        let mut context = Fields::default();
        context.put("session", session(state, &usage.session));
        context.count("memoriesInSession", state.used_in(&usage.session).len());
        context.text("usageType", Some(&usage.usage));
        Ok(context.into_text())
    }
}
