//! How does a query become cursors over posting lists?
//!
//! An OR or an AND of plain phrases becomes one scored source per phrase. Every other query becomes a tree of cursors.

use super::LiveSegment;
use super::phrase_lists::{PhraseList, near_list};
use crate::ids::FieldSet;
use crate::query::{Query, QueryNode};
use crate::scoring::{DocCursor, ImpactCursor, MatchCursor, ScoreTable, TermMatch, restricted};
use crate::snapshot::SnapshotError;

/// Returns whether a query is an OR of single phrases, or one phrase.
pub fn is_any_of_phrases(query: &Query, weights: &[f64]) -> bool {
    let has_the_form = match &query.root {
        QueryNode::Or(nodes) => nodes.iter().all(|node| is_phrase(node) || *node == QueryNode::Nothing),
        node => is_phrase(node),
    };
    has_the_form && are_positive(weights)
}

/// Returns whether a query is an AND of single phrases.
pub fn is_all_of_phrases(query: &Query, weights: &[f64]) -> bool {
    matches!(&query.root, QueryNode::And(nodes) if nodes.iter().all(is_phrase)) && are_positive(weights)
}

fn is_phrase(node: &QueryNode) -> bool {
    matches!(node, QueryNode::Near(group) if group.phrases.len() == 1)
}

/// Returns whether all weights are positive. Only then does a score of zero mean that a document does not match.
fn are_positive(weights: &[f64]) -> bool {
    weights.iter().all(|&weight| weight > 0.0)
}

/// Returns the scored source of each phrase, or `None` for a phrase that no document has.
///
/// # Errors
/// Fails when the index is damaged.
pub fn sources<'a>(
    part: &LiveSegment<'a>,
    query: &Query,
    weights: &[f64],
    lists: Vec<PhraseList>,
    table: &ScoreTable,
) -> Result<Vec<Option<ImpactCursor<'a>>>, SnapshotError> {
    let mut sources = Vec::with_capacity(lists.len());
    for (phrase, list) in query.phrases.iter().zip(lists) {
        let counts_all = phrase.fields.is_all_among(part.segment.schema().field_count());
        sources.push(match list {
            PhraseList::Empty => None,
            PhraseList::Materialised(list) => Some(ImpactCursor::materialised(list, table)),
            PhraseList::Term(list) => {
                let cursor = part.segment.lists()?.cursor(list)?;
                Some(if counts_all {
                    ImpactCursor::term(cursor, table)
                } else {
                    ImpactCursor::materialised(
                        restricted(cursor, &part.tables.frequencies(part, phrase.fields, weights)?)?,
                        table,
                    )
                })
            }
        });
    }
    Ok(sources)
}

/// Returns the cursor of a node, positioned on its first document.
///
/// `lists` holds the posting list of each phrase; each is used by one node.
///
/// # Errors
/// Fails when the index is damaged.
pub fn matching<'a>(
    part: &LiveSegment<'a>,
    query: &Query,
    node: &QueryNode,
    lists: &mut [PhraseList],
    weights: &[f64],
) -> Result<MatchCursor<'a>, SnapshotError> {
    let mut all = |nodes: &[QueryNode]| {
        nodes.iter().map(|node| matching(part, query, node, lists, weights)).collect::<Result<Vec<_>, _>>()
    };
    let mut found = match node {
        QueryNode::Nothing => MatchCursor::Empty,
        QueryNode::And(nodes) => MatchCursor::and(all(nodes)?),
        QueryNode::Or(nodes) => MatchCursor::Or(all(nodes)?),
        QueryNode::Not(keep, drop) => {
            let keep = matching(part, query, keep, lists, weights)?;
            let drop = matching(part, query, drop, lists, weights)?;
            MatchCursor::Not(Box::new(keep), Box::new(drop))
        }
        QueryNode::Near(group) if group.phrases.len() > 1 => {
            let list = near_list(part, group, query, weights)?;
            MatchCursor::Materialised { phrases: group.phrases.clone(), list, at: 0 }
        }
        QueryNode::Near(group) => of_phrase(part, group.phrases[0], group.fields, lists, weights)?,
    };
    found.seek(0)?;
    Ok(found)
}

fn of_phrase<'a>(
    part: &LiveSegment<'a>,
    phrase: usize,
    fields: FieldSet,
    lists: &mut [PhraseList],
    weights: &[f64],
) -> Result<MatchCursor<'a>, SnapshotError> {
    Ok(match std::mem::replace(&mut lists[phrase], PhraseList::Empty) {
        PhraseList::Empty => MatchCursor::Empty,
        PhraseList::Materialised(list) => MatchCursor::Materialised { phrases: vec![phrase], list, at: 0 },
        PhraseList::Term(list) => {
            let frequencies = part.tables.frequencies(part, fields, weights)?;
            let cursor = part.segment.lists()?.cursor(list)?;
            MatchCursor::Term(Box::new(TermMatch { phrase, cursor, frequencies }))
        }
    })
}
