//! Where do phrases occur, document by document?

use super::intersection::{DocCursor, next_common, rarest_first};
use super::{Eligible, MaterialisedList};
use crate::ids::{FieldSet, Spot};
use crate::inverted::{Cursor, ListRef, PostingLists};
use crate::order::{radix_sort_by_key, sort};
use crate::wire::Malformed;

/// A cursor over the documents and positions of a term, which may be a union of posting lists.
#[derive(Debug)]
pub struct PositionCursor<'a> {
    lists: PostingLists<'a>,
    of_term: Vec<ListRef>,
    reading: Reading<'a>,
}

#[derive(Debug)]
enum Reading<'a> {
    One(Box<Cursor<'a>>),
    /// Pairs of document and list, sorted, and the index of the current pair.
    Union(Vec<(u32, u32)>, usize),
}

impl<'a> PositionCursor<'a> {
    /// Opens a cursor at the first document of the lists of a term.
    ///
    /// With `wanted`, which must ascend, the cursor may skip all other documents. This keeps a prefix that matches most
    /// documents cheap.
    ///
    /// # Errors
    /// Returns an error when the index is damaged, as all methods do.
    pub fn new(
        lists: PostingLists<'a>,
        of_term: Vec<ListRef>,
        wanted: Option<&[u32]>,
    ) -> Result<PositionCursor<'a>, Malformed> {
        let reading = match &of_term[..] {
            [list] => Reading::One(Box::new(lists.cursor(*list)?)),
            _ => {
                let mut union = Vec::new();
                for (number, list) in (0..).zip(&of_term) {
                    let note = |document| union.push((document, number));
                    let cursor = lists.cursor(*list)?;
                    match wanted {
                        Some(wanted) => each_among(cursor, wanted, note)?,
                        None => each_document(cursor, note)?,
                    }
                }
                // The sort is stable, so the lists of a document stay in order.
                radix_sort_by_key(&mut union, |&(document, _): &(u32, u32)| u64::from(document));
                Reading::Union(union, 0)
            }
        };
        Ok(PositionCursor { lists, of_term, reading })
    }

    /// Calls `each` with the positions in the current document, ascending, until it returns false.
    #[inline]
    fn each_spot(&self, each: impl FnMut(Spot) -> bool) -> Result<(), Malformed> {
        match &self.reading {
            Reading::One(cursor) => cursor.each_spot(each),
            Reading::Union(union, at) => {
                self.spots_of_union(&union[*at..])?.into_iter().all(each);
                Ok(())
            }
        }
    }

    fn spots_of_union(&self, rest: &[(u32, u32)]) -> Result<Vec<Spot>, Malformed> {
        let (here, mut spots) = (self.doc(), Vec::new());
        for (_, list) in rest.iter().take_while(|(document, _)| *document == here) {
            let mut cursor = self.lists.cursor(self.of_term[*list as usize])?;
            cursor.seek(here)?;
            cursor.positions(&mut spots)?;
        }
        // Most documents are in only one list, whose positions are sorted.
        if !spots.is_sorted() {
            sort(&mut spots);
        }
        Ok(spots)
    }
}

impl DocCursor for PositionCursor<'_> {
    #[inline]
    fn doc(&self) -> u32 {
        match &self.reading {
            Reading::One(cursor) => cursor.doc(),
            Reading::Union(union, at) => union.get(*at).map_or(Cursor::END, |(document, _)| *document),
        }
    }

    #[inline]
    fn seek(&mut self, target: u32) -> Result<(), Malformed> {
        match &mut self.reading {
            Reading::One(cursor) => cursor.seek(target)?,
            Reading::Union(union, at) => {
                *at += union[*at..].partition_point(|(document, _)| *document < target);
            }
        }
        Ok(())
    }

    fn max_documents(&self) -> usize {
        match &self.reading {
            Reading::One(cursor) => cursor.documents(),
            Reading::Union(union, _) => union.len(),
        }
    }
}

/// Calls `each` with every document of a list.
fn each_document(mut cursor: Cursor, mut each: impl FnMut(u32)) -> Result<(), Malformed> {
    loop {
        let (documents, _) = cursor.run_until(Cursor::END);
        documents.iter().for_each(|document| each(*document));
        if !cursor.enter_next_block()? {
            return Ok(());
        }
    }
}

/// Calls `each` with the documents of a list that are in `wanted`.
fn each_among(mut cursor: Cursor, wanted: &[u32], mut each: impl FnMut(u32)) -> Result<(), Malformed> {
    for document in wanted {
        cursor.seek(*document)?;
        if cursor.doc() == *document {
            each(*document);
        }
    }
    Ok(())
}

/// A phrase to look for: its length and where it may occur.
#[derive(Clone, Copy, Debug)]
pub struct PhraseForm {
    /// The number of terms.
    pub terms: usize,
    /// The fields in which the phrase may occur.
    pub fields: FieldSet,
    /// Whether the phrase must start at the beginning of a field.
    pub is_initial: bool,
}

/// The start positions of each phrase in one document.
pub type Starts = Vec<Vec<Spot>>;

/// Finds where a phrase starts in the document on which all its terms' cursors are.
///
/// The terms must follow each other in one field. `starts` is cleared first.
///
/// # Errors
/// Returns an error when the index is damaged.
pub fn starts_here(
    phrase: PhraseForm,
    terms: &[PositionCursor],
    starts: &mut Vec<Spot>,
) -> Result<(), Malformed> {
    starts.clear();
    let Some((first, others)) = terms.split_first() else { return Ok(()) };
    first.each_spot(|spot| {
        if phrase.fields.has(spot.field()) && (!phrase.is_initial || spot.position() == 0) {
            starts.push(spot);
        }
        true
    })?;
    for (term, offset) in others.iter().zip(1..) {
        if starts.is_empty() {
            return Ok(());
        }
        // Both lists ascend, so a merge is enough.
        let (mut place, mut kept) = (0, 0);
        term.each_spot(|spot| {
            while place < starts.len() && starts[place].0 + offset < spot.0 {
                place += 1;
            }
            if place < starts.len() && starts[place].0 + offset == spot.0 {
                starts[kept] = starts[place];
                kept += 1;
                place += 1;
            }
            place < starts.len()
        })?;
        starts.truncate(kept);
    }
    Ok(())
}

/// Returns the live documents that contain a phrase, with its weighted frequency.
///
/// # Errors
/// Returns an error when the index is damaged.
pub fn phrase_list(
    phrase: PhraseForm,
    terms: &mut [PositionCursor],
    eligible: &Eligible,
    weights: &[f64],
) -> Result<MaterialisedList, Malformed> {
    let mut list = MaterialisedList::default();
    each_document_with(&[phrase], terms, eligible, &mut |document, starts| {
        list.documents.push(document);
        list.frequencies.push(frequency(&starts[0], weights));
    })?;
    Ok(list)
}

/// Returns the weighted frequency: the sum of the field weights of all occurrences, in order.
pub fn frequency(spots: &[Spot], weights: &[f64]) -> f64 {
    let weight = |spot: &Spot| weights.get(spot.field().index()).copied().unwrap_or(1.0);
    spots.iter().fold(0.0, |sum, spot| sum + weight(spot))
}

/// Calls `each` with every live document that contains all phrases, and the start positions of each phrase.
///
/// `terms` holds the terms of all phrases, in order.
///
/// # Errors
/// Returns an error when the index is damaged.
pub fn each_document_with(
    phrases: &[PhraseForm],
    terms: &mut [PositionCursor],
    eligible: &Eligible,
    each: &mut dyn FnMut(u32, &Starts),
) -> Result<(), Malformed> {
    let order = rarest_first(terms);
    let mut target = 0;
    let mut starts = vec![Vec::new(); phrases.len()];
    'documents: loop {
        let document = next_common(terms, &order, target)?;
        if document == Cursor::END {
            return Ok(());
        }
        target = document + 1;
        if !eligible.is_live(document) {
            continue;
        }
        let mut rest = &terms[..];
        for (phrase, starts) in phrases.iter().zip(&mut starts) {
            let (own, others) = rest.split_at(phrase.terms);
            rest = others;
            starts_here(*phrase, own, starts)?;
            if starts.is_empty() {
                continue 'documents;
            }
        }
        each(document, &starts);
    }
}
