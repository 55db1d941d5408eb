//! Which sources are linked? The graph of the sources of some chunks, and of the sources one link away (R9).
//!
//! A source is a text that was cut into chunks. Each chunk names its source by `sourceType` and `sourceId`, and other sources
//! by `contextId`, `actionId` and `parentId`. [`source_graph`] reads chunks through [`LinkedChunks`], so that the engine and
//! plain lists of chunks ([`build_graph_payload`]) grow the same graph.

use super::graph::relation_weight;
use super::neighbours::numbered_chunk;
use crate::order::{Map, Set};
use serde::Serialize;
use std::convert::Infallible;

/// A graph has at most this many nodes.
pub const MAX_NODES: usize = 500;
/// A graph has this many nodes, where the caller does not say.
pub const DEFAULT_NODES: usize = 60;

/// The type and id of a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceKey {
    /// The type of the source, such as `context`.
    pub source_type: String,
    /// The id of the source among those of its type.
    pub source_id: String,
}

impl SourceKey {
    /// Returns the name of the source among all sources: `sourceType:sourceId`.
    pub fn name(&self) -> String {
        format!("{}:{}", self.source_type, self.source_id)
    }
}

/// A field by which a chunk links its source to others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceLink {
    /// `sessionId`: the session that the source belongs to.
    Session,
    /// `contextId`: the id of a source of type `context`.
    Context,
    /// `actionId`: the id of a source of type `action`.
    Action,
    /// `parentId`: the id of a source of the same type.
    Parent,
}

/// A link that is stored apart from the chunks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLink {
    /// A chunk of the other source.
    pub other: u32,
    /// The relation.
    pub relation: String,
    /// Whether the link leads to the other source.
    pub is_outgoing: bool,
}

/// The chunks that a graph is grown from, by their numbers.
pub trait LinkedChunks {
    /// The error of a chunk that cannot be read.
    type Error;

    /// Returns the source of a chunk.
    ///
    /// # Errors
    /// When the chunk cannot be read.
    fn source(&self, chunk: u32) -> Result<SourceKey, Self::Error>;

    /// Returns the value of a link of a chunk.
    fn link(&self, chunk: u32, link: SourceLink) -> Option<String>;

    /// Returns the first chunk of a source with this type and id.
    fn first_chunk(&self, source_type: &str, source_id: &str) -> Option<u32>;

    /// Calls `visit` with every chunk whose link has this value, in order, until it returns false.
    fn each_linked(&self, link: SourceLink, value: &str, visit: &mut dyn FnMut(u32) -> bool);

    /// Returns the links of a source that are stored apart from the chunks.
    fn stored_links(&self, _source: &SourceKey) -> Vec<StoredLink> {
        Vec::new()
    }
}

/// How far a graph goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphOptions {
    /// The greatest number of nodes: 1 to 500, 60 by default. Other numbers are clamped.
    pub node_limit: usize,
    /// Links sources of the same session. Off by default.
    pub include_session: bool,
}

impl Default for GraphOptions {
    fn default() -> GraphOptions {
        GraphOptions { node_limit: DEFAULT_NODES, include_session: false }
    }
}

/// Sources and their links.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceGraph {
    /// The number of nodes.
    pub node_count: usize,
    /// The number of edges.
    pub edge_count: usize,
    /// Whether a source was left out because the graph was full.
    pub truncated: bool,
    /// The sources of the results, then the sources one link away.
    pub nodes: Vec<SourceNode>,
    /// The links. No two have the same ends and relation.
    pub edges: Vec<SourceEdge>,
}

/// A source in a graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SourceNode {
    /// The name of the source: `sourceType:sourceId`.
    pub id: String,
    /// The type of the source.
    pub source_type: String,
    /// The id of the source among those of its type.
    pub source_id: String,
    /// Whether the source has a result.
    pub is_seed: bool,
}

/// A link between two sources.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SourceEdge {
    /// The id of the node where the link starts.
    pub from: String,
    /// The id of the node where the link ends.
    pub to: String,
    /// The relation, such as `action_context`.
    pub relation: String,
    /// The weight of the relation in a rerank.
    pub weight: f64,
}

/// Grows the graph of the sources of `seeds`, which are chunks in the order of their results.
///
/// # Errors
/// When a chunk cannot be read.
pub fn source_graph<C: LinkedChunks>(
    chunks: &C,
    seeds: &[u32],
    options: GraphOptions,
) -> Result<SourceGraph, C::Error> {
    let mut growing = Growing {
        node_limit: options.node_limit.clamp(1, MAX_NODES),
        graph: SourceGraph::default(),
        places: Map::new(),
        known: Set::new(),
    };
    let mut sources = Vec::new();
    for &chunk in seeds {
        let source = chunks.source(chunk)?;
        let is_new = !growing.places.contains_key(&source.name());
        if let Some(node) = growing.node(&source, true).filter(|_| is_new) {
            sources.push((chunk, source, node));
        }
    }
    for (chunk, source, node) in sources {
        add_links(chunks, &mut growing, chunk, &source, node)?;
        if options.include_session
            && let Some(session) = chunks.link(chunk, SourceLink::Session)
        {
            each_source(chunks, SourceLink::Session, &session, &mut |other| {
                growing.edge(node, other, "session_peer", Direction::Either)
            })?;
        }
        for StoredLink { other, relation, is_outgoing } in chunks.stored_links(&source) {
            let direction = if is_outgoing { Direction::To } else { Direction::From };
            growing.edge(node, &chunks.source(other)?, &relation, direction);
        }
    }
    let mut graph = growing.graph;
    (graph.node_count, graph.edge_count) = (graph.nodes.len(), graph.edges.len());
    Ok(graph)
}

/// Adds the links that chunks name by id: those of the source itself, then those of other sources to it.
fn add_links<C: LinkedChunks>(
    chunks: &C,
    growing: &mut Growing,
    chunk: u32,
    source: &SourceKey,
    node: usize,
) -> Result<(), C::Error> {
    let SourceKey { source_type, source_id } = source;
    for (link, target, relation) in [
        (SourceLink::Context, "context", "context"),
        (SourceLink::Action, "action", "action"),
        (SourceLink::Parent, source_type.as_str(), "parent"),
    ] {
        let other = chunks.link(chunk, link).and_then(|id| chunks.first_chunk(target, &id));
        if let Some(other) = other {
            let relation = format!("{source_type}_{relation}");
            growing.edge(node, &chunks.source(other)?, &relation, Direction::To);
        }
    }
    let named_by = match source_type.as_str() {
        "context" => Some(SourceLink::Context),
        "action" => Some(SourceLink::Action),
        _ => None,
    };
    for link in named_by.into_iter().chain([SourceLink::Parent]) {
        each_source(chunks, link, source_id, &mut |other| match link {
            SourceLink::Context => growing.edge(node, other, "context_member", Direction::To),
            SourceLink::Action => {
                growing.edge(node, other, &format!("{}_action", other.source_type), Direction::From)
            }
            _ if other.source_type != *source_type => true,
            _ => growing.edge(node, other, &format!("{source_type}_child"), Direction::To),
        })?;
    }
    Ok(())
}

/// Calls `visit` with the source of every chunk whose link has this value, until it returns false.
fn each_source<C: LinkedChunks>(
    chunks: &C,
    link: SourceLink,
    value: &str,
    visit: &mut dyn FnMut(&SourceKey) -> bool,
) -> Result<(), C::Error> {
    let mut last = None;
    let mut damage = Ok(());
    chunks.each_linked(link, value, &mut |chunk| match chunks.source(chunk) {
        // The chunks of a source are mostly neighbours.
        Ok(source) if last.as_ref() == Some(&source) => true,
        Ok(source) => visit(last.insert(source)),
        Err(error) => {
            damage = Err(error);
            false
        }
    });
    damage
}

/// The direction of a link, seen from a node.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    To,
    From,
    /// The relation is symmetric. The edge keeps the direction in which it was found first.
    Either,
}

/// A graph that is being grown.
struct Growing {
    node_limit: usize,
    graph: SourceGraph,
    /// The places of nodes by their ids.
    places: Map<String, usize>,
    /// The edges so far: from, to and relation.
    known: Set<String>,
}

impl Growing {
    /// Returns the place of a source's node, and adds the node where it is new; none where the graph is full.
    fn node(&mut self, source: &SourceKey, is_seed: bool) -> Option<usize> {
        let id = source.name();
        if let Some(place) = self.places.get(&id) {
            return Some(*place);
        }
        let place = self.graph.nodes.len();
        if place >= self.node_limit {
            self.graph.truncated = true;
            return None;
        }
        self.places.insert(id.clone(), place);
        let SourceKey { source_type, source_id } = source.clone();
        self.graph.nodes.push(SourceNode { id, source_type, source_id, is_seed });
        Some(place)
    }

    /// Links a node with a source, unless the same edge is there. Returns whether there was room for the source.
    fn edge(&mut self, node: usize, other: &SourceKey, relation: &str, direction: Direction) -> bool {
        let Some(other) = self.node(other, false) else { return false };
        let (from, to) = if direction == Direction::From { (other, node) } else { (node, other) };
        let key = |from: usize, to: usize| format!("{from} {to} {relation}");
        let is_known = direction == Direction::Either && self.known.contains(&key(to, from));
        if other != node && !is_known && self.known.insert(key(from, to)) {
            let id = |place: usize| self.graph.nodes[place].id.clone();
            let (from, to, weight) = (id(from), id(to), relation_weight(relation));
            self.graph.edges.push(SourceEdge { from, to, relation: relation.to_owned(), weight });
        }
        true
    }
}

/// A chunk as plain data, with the fields that link its source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LinkedChunk {
    /// The id of the chunk. It names the source of a chunk without `source_type` or `source_id`.
    pub id: String,
    /// The kind of the record; `document` where it has none.
    pub kind: Option<String>,
    /// The type of the source.
    pub source_type: Option<String>,
    /// The id of the source.
    pub source_id: Option<String>,
    /// The session of the source.
    pub session_id: Option<String>,
    /// The id of a source of type `context`.
    pub context_id: Option<String>,
    /// The id of a source of type `action`.
    pub action_id: Option<String>,
    /// The id of a source of the same type.
    pub parent_id: Option<String>,
}

impl LinkedChunk {
    /// Returns the first chunk of a source, without links.
    pub fn of(source_type: &str, source_id: &str) -> LinkedChunk {
        LinkedChunk {
            id: format!("{source_type}:{source_id}#0"),
            source_type: Some(source_type.to_owned()),
            source_id: Some(source_id.to_owned()),
            ..LinkedChunk::default()
        }
    }

    /// Returns the source of the chunk. A chunk that does not name its source belongs to the record whose id is that of the
    /// chunk without its number.
    pub fn source(&self) -> SourceKey {
        let whole = numbered_chunk(&self.id).map_or(self.id.as_str(), |(whole, _)| whole);
        let kind = self.kind.as_deref().unwrap_or("document");
        SourceKey {
            source_type: self.source_type.as_deref().unwrap_or(kind).to_owned(),
            source_id: self.source_id.as_deref().unwrap_or(whole).to_owned(),
        }
    }

    fn link(&self, link: SourceLink) -> Option<&String> {
        match link {
            SourceLink::Session => self.session_id.as_ref(),
            SourceLink::Context => self.context_id.as_ref(),
            SourceLink::Action => self.action_id.as_ref(),
            SourceLink::Parent => self.parent_id.as_ref(),
        }
    }
}

/// Chunks of a list, by their places in it.
struct ChunkList<'a>(Vec<&'a LinkedChunk>);

impl LinkedChunks for ChunkList<'_> {
    type Error = Infallible;

    fn source(&self, chunk: u32) -> Result<SourceKey, Infallible> {
        Ok(self.0[chunk as usize].source())
    }

    fn link(&self, chunk: u32, link: SourceLink) -> Option<String> {
        self.0[chunk as usize].link(link).cloned()
    }

    fn first_chunk(&self, source_type: &str, source_id: &str) -> Option<u32> {
        let is_it = |chunk: &&LinkedChunk| {
            chunk.source_type.as_deref() == Some(source_type) && chunk.source_id.as_deref() == Some(source_id)
        };
        self.0.iter().position(is_it).map(|place| place as u32)
    }

    fn each_linked(&self, link: SourceLink, value: &str, visit: &mut dyn FnMut(u32) -> bool) {
        let linked = |(_, chunk): &(usize, &&LinkedChunk)| chunk.link(link).is_some_and(|own| own == value);
        for (place, _) in self.0.iter().enumerate().filter(linked) {
            if !visit(place as u32) {
                return;
            }
        }
    }
}

/// Builds the graph of the sources of `results` from plain chunks (R9). `others` are chunks that are no results, and whose
/// sources may be one link away.
///
/// The engine builds the same graph from all of its chunks: see `includeGraph` of `rag.search`.
pub fn build_graph_payload(
    results: &[LinkedChunk],
    others: &[LinkedChunk],
    options: GraphOptions,
) -> SourceGraph {
    let seeds = (0..results.len() as u32).collect::<Vec<_>>();
    let chunks = ChunkList(results.iter().chain(others).collect::<Vec<_>>());
    match source_graph(&chunks, &seeds, options) {
        Ok(graph) => graph,
        Err(never) => match never {},
    }
}
