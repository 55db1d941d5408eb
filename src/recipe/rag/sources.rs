//! Which source does a chunk belong to, which chunks stand next to it, and which sources are linked?
//!
//! Chunks name their source by `sourceType` and `sourceId`. A record without them is its own source; the `#` and number at
//! the end of a chunk's id do not belong to the source's id. Sources are linked by fields of their chunks (`contextId`,
//! `actionId`, `parentId`, `sessionId`), and by links of the state, which name a source by `sourceId` or by
//! `sourceType:sourceId`.

use crate::attributes::AttributeValues;
use crate::bitmap::Bitmap;
use crate::document::Key;
use crate::order::sort;
use crate::pipeline::{Context, key_of};
use crate::ranking::{
    LinkedChunks, NearSeed, SourceKey, SourceLink, StoredLink, neighbour_ids, numbered_chunk,
};
use crate::retrieval::{each_row_with, part_of, row_of};
use crate::snapshot::SnapshotError;

/// The attributes that name a chunk's source and the sources linked to it.
const ATTRIBUTES: [&str; 6] = ["sourceType", "sourceId", "contextId", "actionId", "parentId", "sessionId"];
const TYPE: usize = 0;
const ID: usize = 1;

/// Returns the place of a link in [`ATTRIBUTES`].
fn place_of(link: SourceLink) -> usize {
    match link {
        SourceLink::Context => 2,
        SourceLink::Action => 3,
        SourceLink::Parent => 4,
        SourceLink::Session => 5,
    }
}

/// The sources of a corpus, seen through the chunks that may be hits.
pub struct Sources<'a> {
    context: Context<'a>,
    columns: Vec<AttributeValues<'a>>,
    places: [Option<usize>; ATTRIBUTES.len()],
    allowed: Option<&'a [Bitmap]>,
}

impl<'a> Sources<'a> {
    /// Opens the sources of the allowed chunks.
    ///
    /// # Errors
    /// When the attributes are damaged.
    pub fn new(context: &Context<'a>, allowed: Option<&'a [Bitmap]>) -> Result<Sources<'a>, SnapshotError> {
        let place = |name| context.schema.attribute(name).map(|(place, _)| place);
        Ok(Sources { context: *context, columns: context.values()?, places: ATTRIBUTES.map(place), allowed })
    }

    fn is_allowed(&self, row: u32) -> bool {
        let (part, document) = part_of(self.context.corpus, row);
        self.allowed.is_none_or(|allowed| allowed[part].has(document as usize))
    }

    fn text(&self, row: u32, attribute: usize) -> Option<String> {
        let (part, document) = part_of(self.context.corpus, row);
        self.columns[part].strings(self.places[attribute]?, document as usize).into_iter().next()
    }

    /// Returns the source of a chunk.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn of(&self, row: u32) -> Result<SourceKey, SnapshotError> {
        let own = (self.text(row, TYPE), self.text(row, ID));
        if let (Some(source_type), Some(source_id)) = own {
            return Ok(SourceKey { source_type, source_id });
        }
        let Key { id, kind } = key_of(self.context.corpus, row)?;
        let whole = numbered_chunk(id).map_or(id, |(whole, _)| whole);
        let source_type = own.0.unwrap_or_else(|| kind.to_owned());
        Ok(SourceKey { source_type, source_id: own.1.unwrap_or_else(|| whole.to_owned()) })
    }

    /// Returns the chunks of a source, in row order, whether or not they are allowed.
    pub fn chunks(&self, source: &SourceKey) -> Vec<u32> {
        let mut rows = Vec::new();
        self.each_with(ID, &source.source_id, &mut |row| {
            if self.text(row, TYPE).as_deref() == Some(&source.source_type) {
                rows.push(row);
            }
            true
        });
        sort(&mut rows);
        rows
    }

    fn each_with(&self, attribute: usize, text: &str, visit: &mut dyn FnMut(u32) -> bool) {
        if let Some(place) = self.places[attribute] {
            each_row_with(self.context.corpus, &self.columns, place, text, visit);
        }
    }

    /// Returns the allowed chunks up to `window` before and after a seed (R8): those whose ids differ in their number alone.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn near(&self, seed: u32, window: usize) -> Result<Vec<NearSeed>, SnapshotError> {
        let Key { id, kind } = key_of(self.context.corpus, seed)?;
        let mut near = Vec::new();
        for (id, distance) in neighbour_ids(id, window) {
            if let Some(row) = row_of(self.context.corpus, Key { id: &id, kind })?
                && self.is_allowed(row)
            {
                near.push(NearSeed { row, seed, distance });
            }
        }
        Ok(near)
    }

    /// Returns the first allowed chunk of a source; of a source of any type, where `source_type` is none.
    fn find(&self, source_type: Option<&str>, source_id: &str) -> Option<u32> {
        let mut found = None;
        self.each_with(ID, source_id, &mut |row| {
            let fits = source_type.is_none_or(|wanted| self.text(row, TYPE).as_deref() == Some(wanted));
            if fits && self.is_allowed(row) {
                found = Some(row);
            }
            found.is_none()
        });
        found
    }

    /// Returns the first allowed chunk of the source that a stored link names.
    fn named(&self, name: &str) -> Option<u32> {
        let typed = name.split_once(':').and_then(|(source_type, id)| self.find(Some(source_type), id));
        typed.or_else(|| self.find(None, name))
    }
}

impl LinkedChunks for Sources<'_> {
    type Error = SnapshotError;

    fn source(&self, row: u32) -> Result<SourceKey, SnapshotError> {
        self.of(row)
    }

    fn link(&self, row: u32, link: SourceLink) -> Option<String> {
        self.text(row, place_of(link))
    }

    fn first_chunk(&self, source_type: &str, source_id: &str) -> Option<u32> {
        self.find(Some(source_type), source_id)
    }

    fn each_linked(&self, link: SourceLink, value: &str, visit: &mut dyn FnMut(u32) -> bool) {
        self.each_with(place_of(link), value, &mut |row| !self.is_allowed(row) || visit(row));
    }

    /// Returns the links of the state that are still valid and lead to an indexed source.
    fn stored_links(&self, source: &SourceKey) -> Vec<StoredLink> {
        let state = self.context.corpus.state;
        if !state.has_links() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for own in [source.source_id.clone(), source.name()] {
            for link in state.links_of(&own) {
                if link.valid_until.is_some_and(|until| until <= self.context.now) {
                    continue;
                }
                let is_outgoing = link.from == own;
                let other = self.named(if is_outgoing { link.to } else { link.from });
                let relation = link.relation.to_owned();
                found.extend(other.map(|other| StoredLink { other, relation, is_outgoing }));
            }
        }
        found
    }
}
