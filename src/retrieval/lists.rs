//! Each phrase as a list of documents, with a frequency each.
//!
//! A single term is read from the index as it goes. Everything else (prefixes, phrases, `^`, NEAR) is worked out
//! first: bm25 needs the number of its documents before it can score any.

use super::Part;
use super::near::{near, spot};
use super::positions::{Positions, cursor, lists_of, phrase_starts};
use crate::ids::{FieldId, FieldSet};
use crate::index::shapes::add_times;
use crate::index::{Cursor, ListRef};
use crate::query::{Near, Phrase, Query};
use crate::snapshot::SnapshotError;

/// The documents of one or more phrases, worked out: for each document, a frequency for each phrase.
#[derive(Clone, Debug, Default)]
pub struct Worked {
    /// The documents, ascending.
    pub documents: Vec<u32>,
    /// For each document the frequency of each phrase.
    pub frequencies: Vec<f64>,
}

/// What stands behind a phrase in one segment.
#[derive(Clone, Debug)]
pub enum PhraseList {
    /// Nothing.
    Empty,
    /// A single term, read as it goes.
    Term(ListRef),
    /// Worked out.
    Worked(Worked),
}

impl PhraseList {
    /// The list of a phrase, under its own field filter.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn of(part: &Part, phrase: &Phrase, weights: &[f64]) -> Result<PhraseList, SnapshotError> {
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
                    _ => Ok(PhraseList::Worked(union(part, &lists, phrase.fields, weights)?)),
                }
            }
            _ => Ok(PhraseList::Worked(consecutive(part, phrase, weights)?)),
        }
    }

    /// In how many live documents the phrase occurs.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn hits(&self, part: &Part, fields: FieldSet) -> Result<u64, SnapshotError> {
        match self {
            PhraseList::Empty => Ok(0),
            PhraseList::Worked(worked) => Ok(worked.documents.len() as u64),
            PhraseList::Term(list) => {
                let field_count = part.segment.schema().field_count();
                let is_plain = part.dead.is_none() && fields.is_all_among(field_count);
                if is_plain { Ok(u64::from(list.documents)) } else { count_hits(part, *list, fields) }
            }
        }
    }
}

fn count_hits(part: &Part, list: ListRef, fields: FieldSet) -> Result<u64, SnapshotError> {
    let touching = part.segment.shapes()?.iter().map(|shape| shape.touches(fields)).collect::<Vec<_>>();
    let mut cursor = cursor(part, list)?;
    let mut hits = 0;
    loop {
        let (documents, shapes) = cursor.run_until(Cursor::END);
        for (&document, &shape) in documents.iter().zip(shapes) {
            hits += u64::from(touching[shape as usize] && part.is_live(document));
        }
        if !cursor.enter_next_block()? {
            return Ok(hits);
        }
    }
}

/// The documents of any of several lists, with all their occurrences together.
fn union(part: &Part, lists: &[ListRef], fields: FieldSet, weights: &[f64]) -> Result<Worked, SnapshotError> {
    let shapes = part.segment.shapes()?;
    // Whole numbers add up the same in any order. Others must be added in the order of fields, as FTS5 does, so
    // there the counts are added first.
    if weights.iter().all(|weight| weight.fract() == 0.0) {
        let weighed = shapes.iter().map(|shape| shape.frequency(fields, weights)).collect::<Vec<_>>();
        let touching = shapes.iter().map(|shape| shape.touches(fields)).collect::<Vec<_>>();
        return sum_by_document(part, lists, |shape| touching[shape].then(|| weighed[shape]));
    }
    let mut worked = Worked::default();
    for field in
        (0..part.segment.schema().field_count()).filter_map(|field| u8::try_from(field).ok().map(FieldId))
    {
        let only = FieldSet::only(field).and(fields);
        let ones = vec![1.0; FieldId::LIMIT];
        let counts = shapes.iter().map(|shape| shape.frequency(only, &ones)).collect::<Vec<_>>();
        let of_field =
            sum_by_document(part, lists, |shape| Some(counts[shape]).filter(|&count| count > 0.0))?;
        let weight = weights.get(field.index()).copied().unwrap_or(1.0);
        worked = add_field(worked, &of_field, weight);
    }
    Ok(worked)
}

/// `sums` with, for each document, `weight` added as often as `counts` says.
fn add_field(sums: Worked, counts: &Worked, weight: f64) -> Worked {
    let mut out = Worked::default();
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

/// For each live document of any of the lists, the sum of `value` over its shapes; documents without a value are left out.
fn sum_by_document(
    part: &Part,
    lists: &[ListRef],
    value: impl Fn(usize) -> Option<f64>,
) -> Result<Worked, SnapshotError> {
    let documents = part.segment.documents() as usize;
    let mut sums = part.tables.take_zeros(documents);
    let mut seen = crate::bitmap::Bitmap::none(documents);
    let Some(&first) = lists.first() else { return Ok(Worked::default()) };
    let mut cursor = cursor(part, first)?;
    for &list in lists {
        cursor.restart(list)?;
        loop {
            let (documents, shapes) = cursor.run_until(Cursor::END);
            for (&document, &shape) in documents.iter().zip(shapes) {
                if let Some(value) = value(shape as usize) {
                    sums[document as usize] += value;
                    seen.insert(document as usize);
                }
            }
            if !cursor.enter_next_block()? {
                break;
            }
        }
    }
    let mut worked = Worked::default();
    for document in seen.iter() {
        let sum = std::mem::take(&mut sums[document]);
        let number = u32::try_from(document).expect("documents are numbered by u32");
        if part.is_live(number) {
            worked.documents.push(number);
            worked.frequencies.push(sum);
        }
    }
    part.tables.give_zeros_back(sums);
    Ok(worked)
}

/// The documents in which the phrase's terms stand one after the other.
fn consecutive(part: &Part, phrase: &Phrase, weights: &[f64]) -> Result<Worked, SnapshotError> {
    let mut worked = Worked::default();
    each_document(part, &[phrase], |document, starts| {
        worked.documents.push(document);
        worked.frequencies.push(frequency(&starts[0], weights));
    })?;
    Ok(worked)
}

/// The documents in which the phrases of a group stand near each other.
///
/// # Errors
/// When the index is damaged.
pub fn near_list(part: &Part, group: &Near, query: &Query, weights: &[f64]) -> Result<Worked, SnapshotError> {
    let phrases = group.phrases.iter().map(|&phrase| &query.phrases[phrase]).collect::<Vec<_>>();
    let lengths = phrases.iter().map(|phrase| phrase.terms.len()).collect::<Vec<_>>();
    let mut worked = Worked::default();
    each_document(part, &phrases, |document, starts| {
        let spots = starts
            .iter()
            .map(|starts| starts.iter().map(|&(f, p)| spot(f.0, p)).collect())
            .collect::<Vec<_>>();
        let kept = near(&spots, &lengths, group.distance);
        if kept[0].is_empty() {
            return;
        }
        worked.documents.push(document);
        for spots in kept {
            let places = spots.iter().map(|&spot| field_of(spot)).collect::<Vec<_>>();
            worked.frequencies.push(frequency(&places, weights));
        }
    })?;
    Ok(worked)
}

fn field_of(spot: u64) -> (FieldId, u32) {
    let field = u8::try_from(spot >> 32).expect("a spot has a field above its position");
    (FieldId(field), u32::try_from(spot & u64::from(u32::MAX)).expect("and its position below"))
}

/// The weights of occurrences, added in order.
fn frequency(places: &[(FieldId, u32)], weights: &[f64]) -> f64 {
    let weight = |(field, _): &(FieldId, u32)| weights.get(field.index()).copied().unwrap_or(1.0);
    places.iter().fold(0.0, |sum, place| sum + weight(place))
}

/// Calls `each` with every live document that has all the phrases, and where each starts.
fn each_document(
    part: &Part,
    phrases: &[&Phrase],
    mut each: impl FnMut(u32, &[Vec<(FieldId, u32)>]),
) -> Result<(), SnapshotError> {
    let mut terms = Vec::new();
    for (number, phrase) in phrases.iter().enumerate() {
        for term in &phrase.terms {
            terms.push((number, Positions::new(part, term)?));
        }
    }
    let mut target = 0;
    let mut buffers = vec![Vec::new(); terms.len()];
    let mut starts = vec![Vec::new(); phrases.len()];
    'documents: loop {
        // All terms move to the same document, the furthest any of them stands on.
        let mut place = 0;
        while place < terms.len() {
            let positions = &mut terms[place].1;
            positions.seek(target)?;
            match positions.doc() {
                Cursor::END => return Ok(()),
                document if document > target => {
                    target = document;
                    place = usize::from(place == 0);
                }
                _ => place += 1,
            }
        }
        let document = target;
        target += 1;
        if !part.is_live(document) {
            continue;
        }
        for ((number, positions), buffer) in terms.iter().zip(&mut buffers) {
            positions.read(phrases[*number].fields, buffer)?;
            if buffer.is_empty() {
                continue 'documents;
            }
        }
        let mut buffer = &buffers[..];
        for (phrase, starts) in phrases.iter().zip(&mut starts) {
            let (own, rest) = buffer.split_at(phrase.terms.len());
            buffer = rest;
            phrase_starts(own, phrase.is_initial, starts);
        }
        if starts.iter().all(|starts| !starts.is_empty()) {
            each(document, &starts);
        }
    }
}
