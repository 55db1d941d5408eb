//! Where does one term of a phrase stand, document by document?

use super::common::{Documents, next_common, rarest_first};
use super::{Eligible, Worked};
use crate::ids::{FieldSet, Spot};
use crate::inverted::{Cursor, ListRef, Lists};
use crate::order::{sort, sort_by_number};
use crate::wire::Malformed;

/// A cursor over the documents of a term, which may be a union of lists, that gives positions.
#[derive(Debug)]
pub struct Positions<'a> {
    lists: Lists<'a>,
    of_term: Vec<ListRef>,
    reading: Reading<'a>,
}

#[derive(Debug)]
enum Reading<'a> {
    One(Box<Cursor<'a>>),
    /// Which list each document is in, sorted; and where we stand.
    Union(Vec<(u32, u32)>, usize),
}

impl<'a> Positions<'a> {
    /// A cursor on the first document of the lists that a term stands for. It need not stand on any but the documents that
    /// are wanted, which ascend: a prefix may have nearly all of the others.
    ///
    /// # Errors
    /// When the index is damaged, as with every method.
    pub fn new(
        lists: Lists<'a>,
        of_term: Vec<ListRef>,
        wanted: Option<&[u32]>,
    ) -> Result<Positions<'a>, Malformed> {
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
                // Lists come in order, so that those of a document stay in theirs.
                sort_by_number(&mut union, |&(document, _): &(u32, u32)| u64::from(document));
                Reading::Union(union, 0)
            }
        };
        Ok(Positions { lists, of_term, reading })
    }

    /// Calls `each` with the positions in the document it stands on, ascending, for as long as it says to go on.
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
        // Most documents are in one list only.
        if !spots.is_sorted() {
            sort(&mut spots);
        }
        Ok(spots)
    }
}

impl Documents for Positions<'_> {
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

    fn most_documents(&self) -> usize {
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

/// Calls `each` with those documents of a list that are wanted.
fn each_among(mut cursor: Cursor, wanted: &[u32], mut each: impl FnMut(u32)) -> Result<(), Malformed> {
    for document in wanted {
        cursor.seek(*document)?;
        if cursor.doc() == *document {
            each(*document);
        }
    }
    Ok(())
}

/// What is known of a phrase that is looked for in one document after the other.
#[derive(Clone, Copy, Debug)]
pub struct PhraseForm {
    /// How many terms it has.
    pub terms: usize,
    /// The fields that it may stand in.
    pub fields: FieldSet,
    /// Whether it has to start where a field does.
    pub is_initial: bool,
}

/// Where each phrase starts in a document.
pub type Starts = Vec<Vec<Spot>>;

/// Where a phrase starts in the document that all its terms stand on: in one field, one after the other. `starts` is cleared
/// first.
///
/// # Errors
/// When the index is damaged.
pub fn starts_here(phrase: PhraseForm, terms: &[Positions], starts: &mut Vec<Spot>) -> Result<(), Malformed> {
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
        // Both ascend, so one walk over the two is enough.
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

/// The live documents that have a phrase.
///
/// # Errors
/// When the index is damaged.
pub fn consecutive(
    phrase: PhraseForm,
    terms: &mut [Positions],
    eligible: &Eligible,
    weights: &[f64],
) -> Result<Worked, Malformed> {
    let mut worked = Worked::default();
    each_document_with(&[phrase], terms, eligible, &mut |document, starts| {
        worked.documents.push(document);
        worked.frequencies.push(frequency(&starts[0], weights));
    })?;
    Ok(worked)
}

/// The weights of occurrences, added in order.
pub fn frequency(spots: &[Spot], weights: &[f64]) -> f64 {
    let weight = |spot: &Spot| weights.get(spot.field().index()).copied().unwrap_or(1.0);
    spots.iter().fold(0.0, |sum, spot| sum + weight(spot))
}

/// Calls `each` with every live document that has all the phrases, and where each starts. `terms` are those of all
/// phrases, in order.
///
/// # Errors
/// When the index is damaged.
pub fn each_document_with(
    phrases: &[PhraseForm],
    terms: &mut [Positions],
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
