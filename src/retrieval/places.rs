//! Where in one document does the query match? For highlights and snippets, one document at a time.

use super::Part;
use super::terms;
use crate::ids::FieldId;
use crate::order::sort;
use crate::query::{Node, Phrase, Query};
use crate::scoring::{near, phrase_starts, spot};
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

/// The occurrences that make `document` match, in order of field, position and phrase; none where it does not match.
///
/// Only sub-expressions that match the document report occurrences; where FTS5 reports leftovers of others,
/// this deliberately differs (docs/fts5.md).
///
/// # Errors
/// When the index is damaged.
pub fn places(part: &Part, query: &Query, document: u32) -> Result<Option<Vec<Place>>, SnapshotError> {
    let mut places = of_node(part, query, &query.root, document)?;
    if let Some(places) = &mut places {
        sort(places);
    }
    Ok(places)
}

fn of_node(
    part: &Part,
    query: &Query,
    node: &Node,
    document: u32,
) -> Result<Option<Vec<Place>>, SnapshotError> {
    match node {
        Node::Nothing => Ok(None),
        Node::Near(group) => {
            let mut starts = Vec::with_capacity(group.phrases.len());
            for &phrase in &group.phrases {
                starts.push(starts_in(part, &query.phrases[phrase], document)?);
            }
            if starts.iter().any(Vec::is_empty) {
                return Ok(None);
            }
            if starts.len() > 1 {
                let lengths = group.phrases.iter().map(|&phrase| query.phrases[phrase].terms.len());
                let kept = near(&starts, &lengths.collect::<Vec<_>>(), group.distance);
                if kept[0].is_empty() {
                    return Ok(None);
                }
                starts = kept;
            }
            let of_phrase = |(&phrase, spots): (&usize, &Vec<u64>)| {
                spots.iter().map(|&spot| place_of(spot, phrase)).collect::<Vec<_>>()
            };
            Ok(Some(group.phrases.iter().zip(&starts).flat_map(of_phrase).collect()))
        }
        Node::And(nodes) => {
            let mut all = Vec::new();
            for node in nodes {
                match of_node(part, query, node, document)? {
                    Some(places) => all.extend(places),
                    None => return Ok(None),
                }
            }
            Ok(Some(all))
        }
        Node::Or(nodes) => {
            let mut any: Option<Vec<Place>> = None;
            for node in nodes {
                if let Some(places) = of_node(part, query, node, document)? {
                    any.get_or_insert_default().extend(places);
                }
            }
            Ok(any)
        }
        Node::Not(keep, drop) => match of_node(part, query, drop, document)? {
            Some(_) => Ok(None),
            None => of_node(part, query, keep, document),
        },
    }
}

fn place_of(spot: u64, phrase: usize) -> Place {
    let field = u8::try_from(spot >> 32).expect("a spot has a field above its position");
    let position = u32::try_from(spot & u64::from(u32::MAX)).expect("and its position below");
    Place { field: FieldId(field), position, phrase }
}

fn starts_in(part: &Part, phrase: &Phrase, document: u32) -> Result<Vec<u64>, SnapshotError> {
    let mut terms = Vec::with_capacity(phrase.terms.len());
    for term in &phrase.terms {
        let mut positions = terms::positions(part, term)?;
        positions.seek(document)?;
        if positions.doc() != document {
            return Ok(Vec::new());
        }
        let mut read = Vec::new();
        positions.read(phrase.fields, &mut read)?;
        terms.push(read);
    }
    let mut starts = Vec::new();
    phrase_starts(&terms, phrase.is_initial, &mut starts);
    Ok(starts.into_iter().map(|(field, position)| spot(field.0, position)).collect())
}
