//! Which pieces of the index does a query need?
//!
//! If only pieces of a file are in memory, each missing piece that is found on the way costs a round of requests. Two
//! rounds are enough: one for the runs of the dictionary that hold the query's terms, one for their posting lists.

use super::phrase_lists::lists_of;
use super::{Corpus, LiveSegment};
use crate::bytes::{ABSENT, Bytes};
use crate::inverted::TermsView;
use crate::query::{Phrase, Query, QueryNode, QueryTerm};
use crate::snapshot::SnapshotError;

/// Checks that everything a query reads from the index is in memory, and asks for all that is missing at once.
///
/// # Errors
/// Fails when pieces are missing, or when the index is damaged.
pub fn require_lists(corpus: &Corpus, query: &Query) -> Result<(), SnapshotError> {
    for part in corpus.parts.iter().filter(|part| part.segment.is_in_pieces()) {
        let terms = part.segment.terms()?;
        let mut has_runs = true;
        for term in query.phrases.iter().flat_map(|phrase| &phrase.terms) {
            has_runs &= has_runs_of(&terms, term);
        }
        if !has_runs || !has_lists(part, query)? {
            return Err(ABSENT.into());
        }
    }
    Ok(())
}

fn has_runs_of(terms: &TermsView, term: &QueryTerm) -> bool {
    match term {
        QueryTerm::Exact(bytes) => terms.has_run_of(bytes),
        QueryTerm::Prefix(bytes) => terms.has_runs_with(bytes),
        QueryTerm::AnyOf(all) => all.iter().fold(true, |has, bytes| has & terms.has_run_of(bytes)),
    }
}

fn has_lists(part: &LiveSegment, query: &Query) -> Result<bool, SnapshotError> {
    let lists = part.segment.lists()?;
    let mut has_all = true;
    let mut require = |bytes: Bytes, at: u32, len: u32| {
        has_all &= bytes.has(at as usize..(at as usize).saturating_add(len as usize));
    };
    for (number, phrase) in query.phrases.iter().enumerate() {
        let reads_positions = is_placed(phrase) || is_near_others(&query.root, number);
        for term in &phrase.terms {
            for list in lists_of(part, term)? {
                require(lists.postings, list.at, list.len);
                if let Some(positions) = lists.positions.filter(|_| reads_positions) {
                    require(positions, list.positions_at, list.positions_len);
                }
            }
        }
    }
    Ok(has_all)
}

/// Returns whether it matters where the terms of a phrase are.
fn is_placed(phrase: &Phrase) -> bool {
    phrase.terms.len() > 1 || phrase.is_initial
}

/// Returns whether a phrase belongs to a NEAR group of several.
fn is_near_others(node: &QueryNode, phrase: usize) -> bool {
    match node {
        QueryNode::Nothing => false,
        QueryNode::Near(group) => group.phrases.len() > 1 && group.phrases.contains(&phrase),
        QueryNode::And(nodes) | QueryNode::Or(nodes) => nodes.iter().any(|node| is_near_others(node, phrase)),
        QueryNode::Not(keep, drop) => is_near_others(keep, phrase) || is_near_others(drop, phrase),
    }
}
