//! Which documents contain a phrase, and how often?
//!
//! A single term is read from the index during the search. The lists of everything else (prefixes, phrases, `^`, NEAR)
//! are materialised first, because bm25 needs the number of matching documents before it can score any.

use super::LiveSegment;
use crate::ids::{FieldId, FieldSet};
use crate::inverted::ListRef;
use crate::inverted::shapes::add_times;
use crate::query::{NearGroup, Phrase, Query, QueryTerm};
use crate::scoring::{
    self, MaterialisedList, PhraseForm, PositionCursor, each_document_with, frequency, near, sum_by_document,
};
use crate::snapshot::SnapshotError;

/// The documents of a phrase in one segment.
#[derive(Clone, Debug)]
pub enum PhraseList {
    /// No document has the phrase.
    Empty,
    /// A single term, whose posting list is read during the search.
    Term(ListRef),
    /// A materialised list.
    Materialised(MaterialisedList),
}

impl PhraseList {
    /// Returns the list of a phrase, restricted to the phrase's fields.
    ///
    /// # Errors
    /// Fails when the index is damaged.
    pub fn of(part: &LiveSegment, phrase: &Phrase, weights: &[f64]) -> Result<PhraseList, SnapshotError> {
        let field_count = part.segment.schema().field_count();
        if phrase.fields.is_empty_among(field_count) {
            return Ok(PhraseList::Empty);
        }
        match &phrase.terms[..] {
            [] => Ok(PhraseList::Empty),
            [term] if !phrase.is_initial => {
                let lists = lists_of(part, term)?;
                match lists[..] {
                    [] => Ok(PhraseList::Empty),
                    [list] => Ok(PhraseList::Term(list)),
                    _ => Ok(PhraseList::Materialised(union(part, &lists, phrase.fields, weights)?)),
                }
            }
            _ => Ok(PhraseList::Materialised(consecutive(part, phrase, weights)?)),
        }
    }

    /// Returns the number of live documents that contain the phrase.
    ///
    /// # Errors
    /// Fails when the index is damaged.
    pub fn hits(&self, part: &LiveSegment, fields: FieldSet) -> Result<u64, SnapshotError> {
        match self {
            PhraseList::Empty => Ok(0),
            PhraseList::Materialised(list) => Ok(list.documents.len() as u64),
            PhraseList::Term(list) => {
                let field_count = part.segment.schema().field_count();
                let is_plain = part.dead.is_none() && fields.is_all_among(field_count);
                if is_plain {
                    return Ok(u64::from(list.documents));
                }
                let touching = part.tables.frequencies(part, fields, &[])?;
                Ok(scoring::count_live(
                    part.segment.lists()?.cursor(*list)?,
                    &touching,
                    &part.eligible(None),
                )?)
            }
        }
    }
}

/// Merges several posting lists into one; frequencies of the same document are added.
fn union(
    part: &LiveSegment,
    lists: &[ListRef],
    fields: FieldSet,
    weights: &[f64],
) -> Result<MaterialisedList, SnapshotError> {
    // Integers give the same sum in any order. Other weights must be added in field order, as FTS5 does, so occurrences
    // are counted per field first.
    if weights.iter().all(|weight| weight.fract() == 0.0) {
        return sum_of_lists(part, lists, &part.tables.frequencies(part, fields, weights)?);
    }
    let mut list = MaterialisedList::default();
    for field in
        (0..part.segment.schema().field_count()).filter_map(|field| u8::try_from(field).ok().map(FieldId))
    {
        let only = FieldSet::only(field).and(fields);
        // Without weights, each weight is 1, so these frequencies are counts.
        let of_field = sum_of_lists(part, lists, &part.tables.frequencies(part, only, &[])?)?;
        let weight = weights.get(field.index()).copied().unwrap_or(1.0);
        list = add_field(list, &of_field, weight);
    }
    Ok(list)
}

/// Adds `weight` to the sum of each document as many times as `counts` says.
fn add_field(sums: MaterialisedList, counts: &MaterialisedList, weight: f64) -> MaterialisedList {
    let mut out = MaterialisedList::default();
    let (mut a, mut b) = (0, 0);
    while a < sums.documents.len() || b < counts.documents.len() {
        let document_a = sums.documents.get(a).copied().unwrap_or(u32::MAX);
        let document_b = counts.documents.get(b).copied().unwrap_or(u32::MAX);
        let document = document_a.min(document_b);
        let mut sum = 0.0;
        if document_a == document {
            sum = sums.frequencies[a];
            a += 1;
        }
        if document_b == document {
            sum = add_times(sum, weight, counts.frequencies[b] as u32);
            b += 1;
        }
        out.documents.push(document);
        out.frequencies.push(sum);
    }
    out
}

/// Sums, for each live document of the lists, the `values` of its shapes.
fn sum_of_lists(
    part: &LiveSegment,
    lists: &[ListRef],
    values: &[Option<f64>],
) -> Result<MaterialisedList, SnapshotError> {
    let mut sums = part.tables.take_zeros(part.segment.documents() as usize);
    let list = sum_by_document(&part.segment.lists()?, lists, values, &part.eligible(None), &mut sums)?;
    part.tables.give_zeros_back(sums);
    Ok(list)
}

/// Returns the documents in which the phrase's terms are consecutive.
fn consecutive(
    part: &LiveSegment,
    phrase: &Phrase,
    weights: &[f64],
) -> Result<MaterialisedList, SnapshotError> {
    let mut positions = positions(part, phrase)?;
    Ok(scoring::phrase_list(form(phrase), &mut positions, &part.eligible(None), weights)?)
}

/// Returns the positions of each term of a phrase.
fn positions<'a>(part: &LiveSegment<'a>, phrase: &Phrase) -> Result<Vec<PositionCursor<'a>>, SnapshotError> {
    let mut positions = Vec::with_capacity(phrase.terms.len());
    for term in &phrase.terms {
        positions.push(term_positions(part, term, None)?);
    }
    Ok(positions)
}

/// Returns the form of a phrase, as the index package needs it.
pub(super) fn form(phrase: &Phrase) -> PhraseForm {
    PhraseForm { terms: phrase.terms.len(), fields: phrase.fields, is_initial: phrase.is_initial }
}

/// Returns the documents in which the phrases of a NEAR group are close to each other.
///
/// # Errors
/// Fails when the index is damaged.
pub fn near_list(
    part: &LiveSegment,
    group: &NearGroup,
    query: &Query,
    weights: &[f64],
) -> Result<MaterialisedList, SnapshotError> {
    let phrases = group.phrases.iter().map(|&phrase| &query.phrases[phrase]).collect::<Vec<_>>();
    let lengths = phrases.iter().map(|phrase| phrase.terms.len()).collect::<Vec<_>>();
    let mut list = MaterialisedList::default();
    let forms = phrases.iter().map(|phrase| form(phrase)).collect::<Vec<_>>();
    let mut terms = Vec::new();
    for phrase in &phrases {
        terms.extend(positions(part, phrase)?);
    }
    each_document_with(&forms, &mut terms, &part.eligible(None), &mut |document, starts| {
        let kept = near(starts, &lengths, group.distance);
        if kept[0].is_empty() {
            return;
        }
        list.documents.push(document);
        for spots in kept {
            list.frequencies.push(frequency(&spots, weights));
        }
    })?;
    Ok(list)
}

/// Returns the posting lists that a query term stands for: one, or several to be merged.
///
/// # Errors
/// Fails when the dictionary is damaged.
pub(super) fn lists_of(part: &LiveSegment, term: &QueryTerm) -> Result<Vec<ListRef>, SnapshotError> {
    let terms = part.segment.terms()?;
    let mut lists = Vec::new();
    match term {
        QueryTerm::Exact(bytes) => lists.extend(terms.find(bytes)?),
        QueryTerm::Prefix(bytes) => {
            let mut walk = terms.walk_from(bytes)?;
            while walk.advance()? && walk.term().starts_with(bytes) {
                lists.push(walk.list());
            }
        }
        QueryTerm::AnyOf(all) => {
            for bytes in all {
                lists.extend(terms.find(bytes)?);
            }
        }
    }
    Ok(lists)
}

/// Returns a cursor over a term's positions, on its first document.
///
/// If only some documents are wanted, the cursor may skip all others.
///
/// # Errors
/// Fails when the index is damaged.
pub(super) fn term_positions<'a>(
    part: &LiveSegment<'a>,
    term: &QueryTerm,
    wanted: Option<&[u32]>,
) -> Result<PositionCursor<'a>, SnapshotError> {
    Ok(PositionCursor::new(part.segment.lists()?, lists_of(part, term)?, wanted)?)
}
