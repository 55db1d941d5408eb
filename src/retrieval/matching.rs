//! AND, OR, NOT over the phrases' lists: from the tree of a query to cursors.

use super::Part;
use super::lists::{PhraseList, near_list};
use crate::gather::Gather;
use crate::ids::FieldSet;
use crate::query::{Node, Query};
use crate::scoring::{Documents, Matching, TermMatching};
use crate::snapshot::SnapshotError;

/// The cursor of a node, on its first document. `lists` are the phrases' lists, each used by one node.
///
/// # Errors
/// When the index is damaged.
pub fn matching<'a>(
    part: &Part<'a>,
    query: &Query,
    node: &Node,
    lists: &mut [PhraseList],
    weights: &[f64],
) -> Result<Matching<'a>, SnapshotError> {
    let mut all =
        |nodes: &[Node]| nodes.iter().map(|node| matching(part, query, node, lists, weights)).try_gather();
    let mut found = match node {
        Node::Nothing => Matching::Empty,
        Node::And(nodes) => Matching::and(all(nodes)?),
        Node::Or(nodes) => Matching::Or(all(nodes)?),
        Node::Not(keep, drop) => {
            let keep = matching(part, query, keep, lists, weights)?;
            let drop = matching(part, query, drop, lists, weights)?;
            Matching::Not(Box::new(keep), Box::new(drop))
        }
        Node::Near(group) if group.phrases.len() > 1 => {
            let worked = near_list(part, group, query, weights)?;
            Matching::Worked { phrases: group.phrases.clone(), worked, at: 0 }
        }
        Node::Near(group) => of_phrase(part, group.phrases[0], group.fields, lists, weights)?,
    };
    found.seek(0)?;
    Ok(found)
}

fn of_phrase<'a>(
    part: &Part<'a>,
    phrase: usize,
    fields: FieldSet,
    lists: &mut [PhraseList],
    weights: &[f64],
) -> Result<Matching<'a>, SnapshotError> {
    Ok(match std::mem::replace(&mut lists[phrase], PhraseList::Empty) {
        PhraseList::Empty => Matching::Empty,
        PhraseList::Worked(worked) => Matching::Worked { phrases: vec![phrase], worked, at: 0 },
        PhraseList::Term(list) => {
            let frequencies = part.tables.frequencies(part, fields, weights)?;
            let cursor = part.segment.lists()?.cursor(list)?;
            Matching::Term(Box::new(TermMatching { phrase, cursor, frequencies }))
        }
    })
}
