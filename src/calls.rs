//! The recipes' calls by their names: options in, an answer out, both as JSON. What JavaScript and the command line use.

use crate::engine::{Embedded, Engine, SearchError, SearchFault};
use crate::json::{Json, text_of};
use crate::recipe::memory::Find;

/// The calls there are.
pub const CALLS: &[&str] = &[
    "memory.search",
    "memory.searchDocuments",
    "memory.searchFts",
    "memory.searchVector",
    "memory.timeline",
    "memory.sessionContext",
    "memory.create",
    "memory.supersede",
    "memory.relate",
    "memory.reinforce",
    "memory.deemphasize",
    "memory.linkToSession",
    "memory.delete",
    "memory.session",
    "rag.index",
    "rag.remove",
    "rag.search",
    "unified.search",
    "unified.early",
    "unified.decisions",
    "unified.changes",
    "unified.howItWorks",
    "unified.note",
    "unified.stats",
    "vault.search",
    "vault.load",
    "vault.feedback",
    "vault.weights",
];

impl Engine {
    /// Answers a call such as `memory.search`; [`CALLS`] lists them. A query's vector may come by itself: as JSON it would
    /// be slow.
    ///
    /// # Errors
    /// When there is no such call, an option cannot be used, or the snapshot is damaged.
    pub fn call(
        &mut self,
        name: &str,
        options: &Json,
        embedded: impl Into<Embedded>,
    ) -> Result<String, SearchError> {
        let embedded = embedded.into();
        match name {
            "memory.search" => self.memory_find(Find::Memories, options, &embedded),
            "memory.searchDocuments" => self.memory_find(Find::Documents, options, &embedded),
            "memory.searchFts" => self.memory_find(Find::ByWords, options, &embedded),
            "memory.searchVector" => self.memory_find(Find::ByVector, options, &embedded),
            "memory.timeline" => self.memory_timeline(options),
            "memory.sessionContext" => self.memory_session_context(options),
            "memory.create" => self.memory_create(options, &embedded),
            "memory.supersede" => self.memory_supersede(options),
            "memory.relate" => self.memory_relate(options),
            "memory.reinforce" => self.memory_reinforce(options),
            "memory.deemphasize" => self.memory_deemphasize(options),
            "memory.linkToSession" => self.memory_link_to_session(options),
            "memory.delete" => self.memory_delete(options),
            "memory.session" => self.memory_session(options),
            "rag.index" => self.rag_index(options, embedded),
            "rag.remove" => self.rag_remove(options),
            "rag.search" => self.rag_search(options, &embedded),
            "unified.note" => self.unified_note(options),
            "unified.stats" => self.unified_stats(options),
            "unified.search" | "unified.early" | "unified.decisions" | "unified.changes"
            | "unified.howItWorks" => self.unified_search(name, options, &embedded),
            "vault.search" => Ok(text_of(&self.vault_search(options, &embedded)?)),
            "vault.load" => Ok(text_of(&self.vault_load(options)?)),
            "vault.feedback" => Ok(text_of(&self.vault_feedback(options)?)),
            "vault.weights" => Ok(text_of(&self.vault_weights(options)?)),
            _ => Err(SearchFault::UnknownCall { name: name.to_owned(), known: CALLS }.into()),
        }
    }
}
