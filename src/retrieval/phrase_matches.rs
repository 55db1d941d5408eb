//! Where in a document does the query match? Highlights and snippets ask this, one document at a time.

use super::LiveSegment;
use super::phrase_lists::{form, term_positions};
use super::text_tokens::TextTokens;
use crate::ids::{FieldId, Spot};
use crate::order::sort;
use crate::query::{Phrase, Query, QueryNode};
use crate::scoring::{DocCursor, PositionCursor, near, starts_here};
use crate::snapshot::SnapshotError;

/// An occurrence of a phrase in a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PhraseMatch {
    /// The field.
    pub field: FieldId,
    /// The position of the occurrence's first token.
    pub position: u32,
    /// The index of the phrase in the query.
    pub phrase: usize,
}

/// Finds the matches of a query in documents of one segment.
///
/// A prefix may stand for thousands of posting lists. The finder looks up each list once and then reads forward from
/// document to document.
#[derive(Debug)]
pub struct MatchFinder<'a> {
    part: LiveSegment<'a>,
    query: &'a Query,
    documents: Vec<u32>,
    wanted: Wanted,
    /// For each phrase, the positions of its terms; `None` until they are first needed.
    terms: Vec<Option<Vec<PositionCursor<'a>>>>,
}

/// Returns where the phrase with this number starts in the document at hand.
type Starts<'s, 'a> =
    &'s mut dyn FnMut(&mut MatchFinder<'a>, usize, Wanted) -> Result<Vec<Spot>, SnapshotError>;

/// Which properties of a match the caller needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Everything.
    Places,
    /// Only which phrases match; their places may be wrong. Phrases of one term then need no positions.
    Presence,
}

impl<'a> MatchFinder<'a> {
    /// Creates a finder for these documents, which must ascend. It looks nothing up yet.
    pub fn new(
        part: &LiveSegment<'a>,
        query: &'a Query,
        documents: Vec<u32>,
        wanted: Wanted,
    ) -> MatchFinder<'a> {
        let terms = query.phrases.iter().map(|_| None).collect::<Vec<_>>();
        MatchFinder { part: *part, query, documents, wanted, terms }
    }

    /// Returns the occurrences that make `document` match, by field, position and phrase, or `None` if it does not match.
    ///
    /// `document` must be one of the finder's documents, and calls must follow their order. Only sub-expressions that
    /// match the document report occurrences. FTS5 also reports leftovers of others; this deviation is deliberate
    /// (docs/fts5.md).
    ///
    /// # Errors
    /// Fails when the index is damaged.
    pub fn matches(&mut self, document: u32) -> Result<Option<Vec<PhraseMatch>>, SnapshotError> {
        let query = self.query;
        self.matches_by(&mut |finder, phrase, wanted| {
            finder.starts_in(&query.phrases[phrase], phrase, document, wanted)
        })
    }

    /// Returns the same as [`MatchFinder::matches`] from the terms of the document, without the index.
    ///
    /// # Errors
    /// Never fails.
    pub fn matches_in(&mut self, text: &TextTokens) -> Result<Option<Vec<PhraseMatch>>, SnapshotError> {
        let query = self.query;
        self.matches_by(&mut |_, phrase, _| Ok(text.starts_of(&query.phrases[phrase])))
    }

    fn matches_by(&mut self, starts: Starts<'_, 'a>) -> Result<Option<Vec<PhraseMatch>>, SnapshotError> {
        let query = self.query;
        let mut matches = self.of_node(&query.root, starts)?;
        if let Some(matches) = &mut matches {
            sort(matches);
        }
        Ok(matches)
    }

    fn of_node(
        &mut self,
        node: &QueryNode,
        starts_in: Starts<'_, 'a>,
    ) -> Result<Option<Vec<PhraseMatch>>, SnapshotError> {
        match node {
            QueryNode::Nothing => Ok(None),
            QueryNode::Near(group) => {
                let mut starts = Vec::with_capacity(group.phrases.len());
                // Whether phrases are near each other depends on their places.
                let wanted = if group.phrases.len() > 1 { Wanted::Places } else { self.wanted };
                for &phrase in &group.phrases {
                    starts.push(starts_in(self, phrase, wanted)?);
                }
                if starts.iter().any(Vec::is_empty) {
                    return Ok(None);
                }
                if starts.len() > 1 {
                    let lengths = group.phrases.iter().map(|&phrase| self.query.phrases[phrase].terms.len());
                    let kept = near(&starts, &lengths.collect::<Vec<_>>(), group.distance);
                    if kept[0].is_empty() {
                        return Ok(None);
                    }
                    starts = kept;
                }
                let mut matches = Vec::new();
                for (&phrase, spots) in group.phrases.iter().zip(&starts) {
                    for spot in spots {
                        matches.push(PhraseMatch { field: spot.field(), position: spot.position(), phrase });
                    }
                }
                Ok(Some(matches))
            }
            QueryNode::And(nodes) => {
                let mut all = Vec::new();
                for node in nodes {
                    match self.of_node(node, starts_in)? {
                        Some(matches) => all.extend(matches),
                        None => return Ok(None),
                    }
                }
                Ok(Some(all))
            }
            QueryNode::Or(nodes) => {
                let mut any: Option<Vec<PhraseMatch>> = None;
                for node in nodes {
                    if let Some(matches) = self.of_node(node, starts_in)? {
                        any.get_or_insert_default().extend(matches);
                    }
                }
                Ok(any)
            }
            QueryNode::Not(keep, drop) => match self.of_node(drop, starts_in)? {
                Some(_) => Ok(None),
                None => self.of_node(keep, starts_in),
            },
        }
    }

    fn starts_in(
        &mut self,
        phrase: &Phrase,
        number: usize,
        document: u32,
        wanted: Wanted,
    ) -> Result<Vec<Spot>, SnapshotError> {
        let (part, documents) = (&self.part, &self.documents);
        let of_phrase = &mut self.terms[number];
        let of_phrase = match of_phrase {
            Some(of_phrase) => of_phrase,
            none => {
                let mut found = Vec::with_capacity(phrase.terms.len());
                for term in &phrase.terms {
                    found.push(term_positions(part, term, Some(documents))?);
                }
                none.insert(found)
            }
        };
        for positions in &mut *of_phrase {
            positions.seek(document)?;
            if positions.doc() != document {
                return Ok(Vec::new());
            }
        }
        let is_anywhere = phrase.fields.is_all_among(part.segment.schema().field_count());
        if wanted == Wanted::Presence && of_phrase.len() == 1 && !phrase.is_initial && is_anywhere {
            return Ok(vec![Spot::new(FieldId(0), 0)]);
        }
        let mut starts = Vec::new();
        starts_here(form(phrase), of_phrase, &mut starts)?;
        Ok(starts)
    }
}
