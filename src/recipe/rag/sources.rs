//! Which source is a chunk of, what stands beside it there, and which sources are linked?
//!
//! A source is a text that was cut into chunks. Chunks name theirs by `sourceType` and `sourceId`; a record without them is
//! its own source, up to the `#` and number that ends the id of a piece. Links are what chunks say of their source
//! (`contextId`, `actionId`, `parentId`, `sessionId`), and links of the state, which name sources by `sourceId` or by
//! `sourceType:sourceId`.

use crate::attributes::AttributeValues;
use crate::bitmap::Bitmap;
use crate::document::Key;
use crate::order::{Map, Set, sort};
use crate::pipeline::Context;
use crate::pipeline::key_of;
use crate::ranking::{NearSeed, relation_weight};
use crate::retrieval::{each_row_with, part_of, row_of};
use crate::snapshot::SnapshotError;
use serde::Serialize;

/// The attributes that tell what a chunk is of, and what its source belongs to.
const ATTRIBUTES: [&str; 6] = ["sourceType", "sourceId", "contextId", "actionId", "parentId", "sessionId"];
const TYPE: usize = 0;
const ID: usize = 1;
const CONTEXT: usize = 2;
const ACTION: usize = 3;
const PARENT: usize = 4;
const SESSION: usize = 5;

/// A source's type and id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Source {
    /// What kind of text it is.
    pub source_type: String,
    /// What tells it from others of its type.
    pub source_id: String,
}

impl Source {
    /// Its name among all sources.
    pub fn name(&self) -> String {
        format!("{}:{}", self.source_type, self.source_id)
    }
}

/// The sources of a corpus, as far as chunks that may be hits tell of them.
pub struct Sources<'a> {
    context: Context<'a>,
    columns: Vec<AttributeValues<'a>>,
    places: [Option<usize>; ATTRIBUTES.len()],
    allowed: Option<&'a [Bitmap]>,
}

impl<'a> Sources<'a> {
    /// The sources of the chunks that are allowed.
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

    /// The source of a chunk.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn of(&self, row: u32) -> Result<Source, SnapshotError> {
        let own = (self.text(row, TYPE), self.text(row, ID));
        if let (Some(source_type), Some(source_id)) = own {
            return Ok(Source { source_type, source_id });
        }
        let Key { id, kind } = key_of(self.context.corpus, row)?;
        let whole = piece(id).map_or(id, |(whole, _)| whole);
        let source_type = own.0.unwrap_or_else(|| kind.to_owned());
        Ok(Source { source_type, source_id: own.1.unwrap_or_else(|| whole.to_owned()) })
    }

    /// The chunks of a source, in row order, whether or not they are allowed.
    pub fn chunks(&self, source: &Source) -> Vec<u32> {
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

    /// The allowed chunks up to `window` before and after a seed (R8): those whose ids differ in their number alone.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn beside(&self, seed: u32, window: usize) -> Result<Vec<NearSeed>, SnapshotError> {
        let Key { id, kind } = key_of(self.context.corpus, seed)?;
        let Some((whole, index)) = piece(id) else { return Ok(Vec::new()) };
        let mut near = Vec::new();
        for distance in 1..=window {
            for other in [index.checked_sub(distance), index.checked_add(distance)].into_iter().flatten() {
                let id = format!("{whole}#{other}");
                if let Some(row) = row_of(self.context.corpus, Key { id: &id, kind })?
                    && self.is_allowed(row)
                {
                    near.push(NearSeed { row, seed, distance });
                }
            }
        }
        Ok(near)
    }

    /// The first allowed chunk of a source; of any type where none is said.
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

    /// The first allowed chunk of a source that a link names.
    fn named(&self, name: &str) -> Option<u32> {
        let typed = name.split_once(':').and_then(|(source_type, id)| self.find(Some(source_type), id));
        typed.or_else(|| self.find(None, name))
    }

    /// The sources of some chunks, and those one link away from them (R9).
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn graph(&self, rows: &[u32], plan: GraphPlan) -> Result<Graph, SnapshotError> {
        let (places, known) = (Map::new(), Set::new());
        let mut graph = Growing { plan, graph: Graph::default(), places, known };
        let mut seeds = Vec::new();
        for &row in rows {
            let source = self.of(row)?;
            let is_new = !graph.places.contains_key(&source.name());
            if let Some(node) = graph.node(&source, true).filter(|_| is_new) {
                seeds.push((row, source, node));
            }
        }
        for (row, source, node) in seeds {
            self.grow(&mut graph, row, &source, node)?;
        }
        let Growing { mut graph, .. } = graph;
        (graph.node_count, graph.edge_count) = (graph.nodes.len(), graph.edges.len());
        Ok(graph)
    }

    /// Adds the links of one source.
    fn grow(&self, graph: &mut Growing, row: u32, source: &Source, node: usize) -> Result<(), SnapshotError> {
        let Source { source_type, source_id } = source;
        // What it says of itself.
        for (attribute, target, relation) in [
            (CONTEXT, "context", "context"),
            (ACTION, "action", "action"),
            (PARENT, source_type.as_str(), "parent"),
        ] {
            let other = self.text(row, attribute).and_then(|id| self.find(Some(target), &id));
            if let Some(other) = other {
                graph.edge(node, &self.of(other)?, &format!("{source_type}_{relation}"), Way::To);
            }
        }
        // What others say of it.
        let named_by = match source_type.as_str() {
            "context" => Some(CONTEXT),
            "action" => Some(ACTION),
            _ => None,
        };
        for attribute in named_by.into_iter().chain([PARENT]) {
            self.each_source_with(attribute, source_id, &mut |other| match attribute {
                CONTEXT => graph.edge(node, other, "context_member", Way::To),
                ACTION => graph.edge(node, other, &format!("{}_action", other.source_type), Way::From),
                _ if other.source_type != *source_type => true,
                _ => graph.edge(node, other, &format!("{source_type}_child"), Way::To),
            })?;
        }
        if graph.plan.include_session
            && let Some(session) = self.text(row, SESSION)
        {
            self.each_source_with(SESSION, &session, &mut |other| {
                graph.edge(node, other, "session_peer", Way::Either)
            })?;
        }
        self.follow_links(graph, source, node)
    }

    /// Adds the links that the state knows.
    fn follow_links(&self, graph: &mut Growing, source: &Source, node: usize) -> Result<(), SnapshotError> {
        let state = self.context.corpus.state;
        if !state.has_links() {
            return Ok(());
        }
        for own in [source.source_id.clone(), source.name()] {
            for link in state.links_of(&own) {
                if link.valid_until.is_some_and(|until| until <= self.context.now) {
                    continue;
                }
                let (other, way) = if link.from == own { (link.to, Way::To) } else { (link.from, Way::From) };
                if let Some(row) = self.named(other) {
                    graph.edge(node, &self.of(row)?, link.relation, way);
                }
            }
        }
        Ok(())
    }

    /// Calls `visit` with the source of every allowed chunk that has this value, until it says to stop.
    fn each_source_with(
        &self,
        attribute: usize,
        value: &str,
        visit: &mut dyn FnMut(&Source) -> bool,
    ) -> Result<(), SnapshotError> {
        let mut last = None;
        let mut damage = Ok(());
        self.each_with(attribute, value, &mut |row| {
            if !self.is_allowed(row) {
                return true;
            }
            match self.of(row) {
                // Chunks of a source mostly stand together.
                Ok(source) if last.as_ref() == Some(&source) => true,
                Ok(source) => visit(last.insert(source)),
                Err(error) => {
                    damage = Err(error);
                    false
                }
            }
        });
        damage
    }
}

/// The id of the whole, and the number of the piece.
fn piece(id: &str) -> Option<(&str, usize)> {
    let (whole, index) = id.rsplit_once('#')?;
    let number = index.parse::<usize>().ok()?;
    // Only as it is written: no sign, no leading zero.
    (number.to_string() == index).then_some((whole, number))
}

/// How far a graph goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphPlan {
    /// How many nodes at most.
    pub node_limit: usize,
    /// Whether sources of one session are linked.
    pub include_session: bool,
}

/// Sources, and how they are linked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Graph {
    /// How many nodes.
    pub node_count: usize,
    /// How many edges.
    pub edge_count: usize,
    /// Whether there was no room for more nodes.
    pub truncated: bool,
    /// The sources: those of the results, then those beside them.
    pub nodes: Vec<Node>,
    /// How they are linked.
    pub edges: Vec<Edge>,
}

/// A source in a graph.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Node {
    /// Its name: `sourceType:sourceId`.
    pub id: String,
    /// What kind of text it is.
    pub source_type: String,
    /// What tells it from others of its type.
    pub source_id: String,
    /// Whether a result is of it.
    pub is_seed: bool,
}

/// A link between two sources.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Edge {
    /// The name of the one that it comes from.
    pub from: String,
    /// The name of the one that it leads to.
    pub to: String,
    /// What the first is to the second.
    pub relation: String,
    /// What it counts.
    pub weight: f64,
    /// The places of both nodes.
    #[serde(skip)]
    pub places: (usize, usize),
}

/// Which way a link goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    To,
    From,
    /// Both ways alike: it goes the way it was found first.
    Either,
}

/// A graph that is being built.
struct Growing {
    plan: GraphPlan,
    graph: Graph,
    places: Map<String, usize>,
    /// The edges there are: from, to and relation.
    known: Set<String>,
}

impl Growing {
    /// The place of a source's node; none where there is no room for it.
    fn node(&mut self, source: &Source, is_seed: bool) -> Option<usize> {
        let id = source.name();
        if let Some(place) = self.places.get(&id) {
            return Some(*place);
        }
        let place = self.graph.nodes.len();
        if place >= self.plan.node_limit {
            self.graph.truncated = true;
            return None;
        }
        self.places.insert(id.clone(), place);
        let Source { source_type, source_id } = source.clone();
        self.graph.nodes.push(Node { id, source_type, source_id, is_seed });
        Some(place)
    }

    /// Links a node with a source, once a relation; whether there was room.
    fn edge(&mut self, node: usize, other: &Source, relation: &str, way: Way) -> bool {
        let Some(other) = self.node(other, false) else { return false };
        let (from, to) = if way == Way::From { (other, node) } else { (node, other) };
        let key = |from: usize, to: usize| format!("{from} {to} {relation}");
        let is_known = way == Way::Either && self.known.contains(&key(to, from));
        if other != node && !is_known && self.known.insert(key(from, to)) {
            let name = |place: usize| self.graph.nodes[place].id.clone();
            let (weight, places) = (relation_weight(relation), (from, to));
            let (from, to, relation) = (name(from), name(to), relation.to_owned());
            self.graph.edges.push(Edge { from, to, relation, weight, places });
        }
        true
    }
}
