//! Which queries does bm25 alone decide, and what are their phrases worth?

use super::Part;
use super::lists::PhraseList;
use crate::query::{Node, Query};
use crate::scoring::{ScoreTable, Source, restricted};
use crate::snapshot::SnapshotError;

/// Whether a query is nothing but alternatives of single phrases.
pub fn is_any_of_phrases(query: &Query, weights: &[f64]) -> bool {
    let has_the_form = match &query.root {
        Node::Or(nodes) => nodes.iter().all(|node| is_phrase(node) || *node == Node::Nothing),
        node => is_phrase(node),
    };
    has_the_form && are_positive(weights)
}

/// Whether a query is several single phrases, all of them wanted.
pub fn is_all_of_phrases(query: &Query, weights: &[f64]) -> bool {
    matches!(&query.root, Node::And(nodes) if nodes.iter().all(is_phrase)) && are_positive(weights)
}

fn is_phrase(node: &Node) -> bool {
    matches!(node, Node::Near(group) if group.phrases.len() == 1)
}

/// Whether all weights are above zero, so that a document matches exactly if its score is not zero.
fn are_positive(weights: &[f64]) -> bool {
    weights.iter().all(|&weight| weight > 0.0)
}

/// The source of each phrase; none where no document has it.
///
/// # Errors
/// When the index is damaged.
pub fn sources<'a>(
    part: &Part<'a>,
    query: &Query,
    weights: &[f64],
    lists: Vec<PhraseList>,
    table: &ScoreTable,
) -> Result<Vec<Option<Source<'a>>>, SnapshotError> {
    let mut sources = Vec::with_capacity(lists.len());
    for (phrase, list) in query.phrases.iter().zip(lists) {
        let counts_all = phrase.fields.is_all_among(part.segment.schema().field_count());
        sources.push(match list {
            PhraseList::Empty => None,
            PhraseList::Worked(worked) => Some(Source::worked(worked, table)),
            PhraseList::Term(list) => {
                let cursor = part.segment.lists()?.cursor(list)?;
                Some(if counts_all {
                    Source::term(cursor, table)
                } else {
                    Source::worked(
                        restricted(cursor, &part.tables.frequencies(part, phrase.fields, weights)?)?,
                        table,
                    )
                })
            }
        });
    }
    Ok(sources)
}
