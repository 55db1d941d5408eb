//! Where in one document does the query match? For highlights and snippets, one document at a time.

use super::{Part, terms};
use crate::gather::Gather;
use crate::ids::FieldId;
use crate::order::sort;
use crate::query::{Node, Query};
use crate::scoring::{Positions, near, phrase_starts, spot};
use crate::snapshot::SnapshotError;

/// An occurrence of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The field.
    pub field: FieldId,
    /// The position of its first token.
    pub position: u32,
    /// The phrase, by place in the query.
    pub phrase: usize,
}

/// Finds where a query matches in documents of one segment. Lists are looked up once, and read on from one document to the
/// next: a prefix may stand for thousands of them.
#[derive(Debug)]
pub struct PlaceFinder<'a> {
    part: Part<'a>,
    query: &'a Query,
    documents: Vec<u32>,
    /// By phrase, where its terms stand; none before it is asked for.
    terms: Vec<Option<Vec<Positions<'a>>>>,
}

impl<'a> PlaceFinder<'a> {
    /// A finder for these documents, which ascend; it has looked nothing up yet.
    pub fn new(part: &Part<'a>, query: &'a Query, documents: Vec<u32>) -> PlaceFinder<'a> {
        let terms = query.phrases.iter().map(|_| None).gather();
        PlaceFinder { part: *part, query, documents, terms }
    }

    /// The occurrences that make `document` match, in order of field, position and phrase; none where it does not match.
    /// `document` is one of the finder's, and they are asked for in their order.
    ///
    /// Only sub-expressions that match the document report occurrences; where FTS5 reports leftovers of others,
    /// this deliberately differs (docs/fts5.md).
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn places(&mut self, document: u32) -> Result<Option<Vec<Place>>, SnapshotError> {
        let mut places = self.of_node(&self.query.root, document)?;
        if let Some(places) = &mut places {
            sort(places);
        }
        Ok(places)
    }

    fn of_node(&mut self, node: &Node, document: u32) -> Result<Option<Vec<Place>>, SnapshotError> {
        match node {
            Node::Nothing => Ok(None),
            Node::Near(group) => {
                let mut starts = Vec::with_capacity(group.phrases.len());
                for &phrase in &group.phrases {
                    starts.push(self.starts_in(phrase, document)?);
                }
                if starts.iter().any(Vec::is_empty) {
                    return Ok(None);
                }
                if starts.len() > 1 {
                    let lengths = group.phrases.iter().map(|&phrase| self.query.phrases[phrase].terms.len());
                    let kept = near(&starts, &lengths.gather(), group.distance);
                    if kept[0].is_empty() {
                        return Ok(None);
                    }
                    starts = kept;
                }
                let mut places = Vec::new();
                for (&phrase, spots) in group.phrases.iter().zip(&starts) {
                    spots.iter().for_each(|&spot| places.push(place_of(spot, phrase)));
                }
                Ok(Some(places))
            }
            Node::And(nodes) => {
                let mut all = Vec::new();
                for node in nodes {
                    match self.of_node(node, document)? {
                        Some(places) => all.extend(places),
                        None => return Ok(None),
                    }
                }
                Ok(Some(all))
            }
            Node::Or(nodes) => {
                let mut any: Option<Vec<Place>> = None;
                for node in nodes {
                    if let Some(places) = self.of_node(node, document)? {
                        any.get_or_insert_default().extend(places);
                    }
                }
                Ok(any)
            }
            Node::Not(keep, drop) => match self.of_node(drop, document)? {
                Some(_) => Ok(None),
                None => self.of_node(keep, document),
            },
        }
    }

    fn starts_in(&mut self, phrase: usize, document: u32) -> Result<Vec<u64>, SnapshotError> {
        let (part, documents) = (&self.part, &self.documents);
        let (phrase, of_phrase) = (&self.query.phrases[phrase], &mut self.terms[phrase]);
        let of_phrase = match of_phrase {
            Some(of_phrase) => of_phrase,
            none => {
                let mut found = Vec::with_capacity(phrase.terms.len());
                for term in &phrase.terms {
                    found.push(terms::positions(part, term, Some(documents))?);
                }
                none.insert(found)
            }
        };
        let mut read = Vec::with_capacity(of_phrase.len());
        for positions in of_phrase {
            positions.seek(document)?;
            if positions.doc() != document {
                return Ok(Vec::new());
            }
            let mut of_term = Vec::new();
            positions.read(phrase.fields, &mut of_term)?;
            read.push(of_term);
        }
        let mut starts = Vec::new();
        phrase_starts(&read, phrase.is_initial, &mut starts);
        Ok(starts.into_iter().map(|(field, position)| spot(field.0, position)).gather())
    }
}

fn place_of(spot: u64, phrase: usize) -> Place {
    let field = u8::try_from(spot >> 32).expect("a spot has a field above its position");
    let position = u32::try_from(spot & u64::from(u32::MAX)).expect("and its position below");
    Place { field: FieldId(field), position, phrase }
}
