//! One memory, the memories around it, and the session that used it last: `get`, `timeline` and `sessionContext`.

use super::response::{MemoryGot, MemorySession, MemorySessionContext, MemoryTimeline};
use super::salience::as_read;
use super::timeline::rows_around;
use super::{MemoryRecipe, key};
use crate::engine::{SearchError, SearchFault, record_of};
use crate::order::Set;
use crate::retrieval::require;

/// The default number of memories on each side of a timeline.
pub(super) const SIDE: usize = 5;
/// The largest number of memories on each side.
pub(super) const MAX_SIDE: usize = 1000;

impl MemoryRecipe<'_> {
    /// Returns a memory as it is now, deleted or not. Its salience has faded where the settings say so (M13).
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn get(&self, id: &str, now: Option<f64>) -> Result<MemoryGot, SearchError> {
        let (now, decays) = (self.engine.now(now), self.settings().decay);
        let record = self.engine.record(key(id))?;
        let memory = record.map(|record| as_read(record.json().clone(), decays, now));
        Ok(MemoryGot { memory, degraded: false, warnings: Vec::new() })
    }

    /// Returns the memories of the same project before and after a memory, oldest first (M10).
    ///
    /// # Errors
    /// When there is no such memory, or the snapshot is damaged.
    pub fn timeline(
        &self,
        id: &str,
        before: usize,
        after: usize,
        now: Option<f64>,
    ) -> Result<MemoryTimeline, SearchError> {
        let (now, decays) = (self.engine.now(now), self.settings().decay);
        let Some((part, document)) = self.engine.find(key(id))? else {
            return Err(SearchFault::NotFound { what: "anchor memory", id: id.to_owned() }.into());
        };
        self.engine.with_corpus(|corpus| {
            let context = self.engine.context(corpus, "", now);
            let anchor = corpus.parts[part].first_row + document;
            let (before, after) = rows_around(&context, anchor, before, after)?;
            let (mut sessions, mut seen) = (Vec::new(), Set::new());
            let mut memories = |rows: &[u32]| {
                require(corpus, rows.iter().copied())?;
                let mut memories = Vec::new();
                for row in rows {
                    let record = record_of(corpus, *row)?;
                    if let Some(usage) = corpus.state.latest_usage_of(record.id())
                        && seen.insert(usage.session.clone())
                    {
                        sessions.push(MemorySession::of(corpus.state, &usage.session));
                    }
                    memories.push(as_read(record.json().clone(), decays, now));
                }
                Ok::<_, SearchError>(memories)
            };
            let before = memories(&before)?;
            let anchor = memories(&[anchor])?.remove(0);
            let after = memories(&after)?;
            Ok(MemoryTimeline { anchor, before, after, sessions, degraded: false, warnings: Vec::new() })
        })
    }

    /// Returns the session that used a memory last, and how; none where no session did (M11).
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn session_context(&self, id: &str) -> Result<Option<MemorySessionContext>, SearchError> {
        let state = self.engine.state()?;
        let context = state.latest_usage_of(id).map(|usage| MemorySessionContext {
            session: MemorySession::of(state, &usage.session),
            memories_in_session: state.used_in(&usage.session).len(),
            usage_type: usage.usage.clone(),
            degraded: false,
            warnings: Vec::new(),
        });
        Ok(context)
    }
}
