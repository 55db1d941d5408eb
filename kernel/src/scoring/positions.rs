//! Where does one term of a phrase stand, document by document?

use super::{Eligible, Worked};
use crate::ids::{FieldId, FieldSet};
use crate::index::{Cursor, ListRef, Lists};
use crate::order::{sort, sort_by_number};
use crate::wire::Malformed;

/// A cursor over the documents of a term, which may be a union of lists, that gives positions.
#[derive(Debug)]
pub struct Positions<'a> {
    lists: Lists<'a>,
    of_term: Vec<ListRef>,
    documents: Documents<'a>,
}

#[derive(Debug)]
enum Documents<'a> {
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
        let documents = match &of_term[..] {
            [list] => Documents::One(Box::new(lists.cursor(*list)?)),
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
                Documents::Union(union, 0)
            }
        };
        Ok(Positions { lists, of_term, documents })
    }

    /// The document it stands on, or [`Cursor::END`].
    #[inline]
    pub fn doc(&self) -> u32 {
        match &self.documents {
            Documents::One(cursor) => cursor.doc(),
            Documents::Union(union, at) => union.get(*at).map_or(Cursor::END, |(document, _)| *document),
        }
    }

    /// Moves to the first document that is at least `target`.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn seek(&mut self, target: u32) -> Result<(), Malformed> {
        match &mut self.documents {
            Documents::One(cursor) => cursor.seek(target)?,
            Documents::Union(union, at) => {
                *at += union[*at..].partition_point(|(document, _)| *document < target);
            }
        }
        Ok(())
    }

    /// The positions in the document it stands on that lie in `fields`, ascending; `out` is cleared first.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn read(&self, fields: FieldSet, out: &mut Vec<(FieldId, u32)>) -> Result<(), Malformed> {
        out.clear();
        match &self.documents {
            Documents::One(cursor) => cursor.positions(out)?,
            Documents::Union(union, at) => {
                let here = self.doc();
                for (_, list) in union[*at..].iter().take_while(|(document, _)| *document == here) {
                    let mut cursor = self.lists.cursor(self.of_term[*list as usize])?;
                    cursor.seek(here)?;
                    cursor.positions(out)?;
                }
                // Most documents are in one list only.
                if !out.is_sorted() {
                    sort(out);
                }
            }
        }
        if fields != FieldSet::ALL {
            out.retain(|(field, _)| fields.has(*field));
        }
        Ok(())
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

/// Where a phrase of several terms starts, given each term's positions: in one field, one after the other. `out` is
/// cleared first.
pub fn phrase_starts(terms: &[Vec<(FieldId, u32)>], is_initial: bool, out: &mut Vec<(FieldId, u32)>) {
    out.clear();
    let Some((first, others)) = terms.split_first() else { return };
    out.extend(first.iter().copied().filter(|(_, start)| !is_initial || *start == 0));
    for (term, offset) in others.iter().zip(1u32..) {
        // Both are sorted, so one walk over the two is enough.
        let mut rest = &term[..];
        out.retain(|&(field, start)| {
            let Some(position) = start.checked_add(offset) else { return false };
            while rest.first().is_some_and(|place| *place < (field, position)) {
                rest = &rest[1..];
            }
            rest.first() == Some(&(field, position))
        });
    }
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
pub type Starts = Vec<Vec<(FieldId, u32)>>;

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
pub fn frequency(places: &[(FieldId, u32)], weights: &[f64]) -> f64 {
    let weight = |(field, _): &(FieldId, u32)| weights.get(field.index()).copied().unwrap_or(1.0);
    places.iter().fold(0.0, |sum, place| sum + weight(place))
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
    let forms =
        phrases.iter().flat_map(|phrase| std::iter::repeat_n(phrase, phrase.terms)).collect::<Vec<_>>();
    let mut target = 0;
    let mut buffers = vec![Vec::new(); terms.len()];
    let mut starts = vec![Vec::new(); phrases.len()];
    'documents: loop {
        // All terms move to the same document, the furthest any of them stands on.
        let mut place = 0;
        while place < terms.len() {
            let positions = &mut terms[place];
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
        if !eligible.is_live(document) {
            continue;
        }
        for ((positions, form), buffer) in terms.iter().zip(&forms).zip(&mut buffers) {
            positions.read(form.fields, buffer)?;
            if buffer.is_empty() {
                continue 'documents;
            }
        }
        let mut buffer = &buffers[..];
        for (phrase, starts) in phrases.iter().zip(&mut starts) {
            let (own, rest) = buffer.split_at(phrase.terms);
            buffer = rest;
            phrase_starts(own, phrase.is_initial, starts);
        }
        if starts.iter().all(|starts| !starts.is_empty()) {
            each(document, &starts);
        }
    }
}
