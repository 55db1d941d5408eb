//! Where does one term of a phrase stand, document by document?

use super::Part;
use crate::ids::{FieldId, FieldSet};
use crate::index::{Cursor, ListRef};
use crate::query::Term;
use crate::snapshot::SnapshotError;

/// The dictionary's lists that a term of a query stands for: one, or the union of several.
///
/// # Errors
/// When the dictionary is damaged.
pub fn lists_of(part: &Part, term: &Term) -> Result<Vec<ListRef>, SnapshotError> {
    let terms = part.segment.terms()?;
    let mut lists = Vec::new();
    match term {
        Term::Exact(bytes) => lists.extend(terms.find(bytes)?),
        Term::Prefix(bytes) => {
            let mut walk = terms.walk_from(bytes)?;
            while walk.advance()? && walk.term().starts_with(bytes) {
                lists.push(walk.list());
            }
        }
        Term::AnyOf(all) => {
            for bytes in all {
                lists.extend(terms.find(bytes)?);
            }
        }
    }
    Ok(lists)
}

/// A cursor over the documents of a term, which may be a union of lists, that gives positions.
#[derive(Debug)]
pub struct Positions<'a> {
    part: Part<'a>,
    lists: Vec<ListRef>,
    documents: Documents<'a>,
}

#[derive(Debug)]
enum Documents<'a> {
    One(Box<Cursor<'a>>),
    /// Which list each document is in, sorted; and where we stand.
    Union(Vec<(u32, u32)>, usize),
}

impl<'a> Positions<'a> {
    /// A cursor on the first document of `term`.
    ///
    /// # Errors
    /// When the index is damaged, as with every method.
    pub fn new(part: &Part<'a>, term: &Term) -> Result<Positions<'a>, SnapshotError> {
        Positions::of(part, term, None)
    }

    /// A cursor that need not stand on any but these documents, which ascend: a prefix may have nearly all of the others.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn among(part: &Part<'a>, term: &Term, wanted: &[u32]) -> Result<Positions<'a>, SnapshotError> {
        Positions::of(part, term, Some(wanted))
    }

    fn of(part: &Part<'a>, term: &Term, wanted: Option<&[u32]>) -> Result<Positions<'a>, SnapshotError> {
        let lists = lists_of(part, term)?;
        let documents = match &lists[..] {
            [list] => Documents::One(Box::new(cursor(part, *list)?)),
            _ => {
                let mut union = Vec::new();
                for (number, list) in (0..).zip(&lists) {
                    let note = |document| union.push((document, number));
                    let cursor = cursor(part, *list)?;
                    match wanted {
                        Some(wanted) => each_among(cursor, wanted, note)?,
                        None => each_document(cursor, note)?,
                    }
                }
                union.sort_unstable();
                Documents::Union(union, 0)
            }
        };
        Ok(Positions { part: *part, lists, documents })
    }

    /// The document it stands on, or [`Cursor::END`].
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
    pub fn seek(&mut self, target: u32) -> Result<(), SnapshotError> {
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
    pub fn read(&self, fields: FieldSet, out: &mut Vec<(FieldId, u32)>) -> Result<(), SnapshotError> {
        out.clear();
        match &self.documents {
            Documents::One(cursor) => cursor.positions(out)?,
            Documents::Union(union, at) => {
                let here = self.doc();
                for (_, list) in union[*at..].iter().take_while(|(document, _)| *document == here) {
                    let mut cursor = cursor(&self.part, self.lists[*list as usize])?;
                    cursor.seek(here)?;
                    cursor.positions(out)?;
                }
                out.sort_unstable();
            }
        }
        if fields != FieldSet::ALL {
            out.retain(|(field, _)| fields.has(*field));
        }
        Ok(())
    }
}

/// Calls `each` with every document of a list.
fn each_document(mut cursor: Cursor, mut each: impl FnMut(u32)) -> Result<(), SnapshotError> {
    loop {
        let (documents, _) = cursor.run_until(Cursor::END);
        documents.iter().for_each(|document| each(*document));
        if !cursor.enter_next_block()? {
            return Ok(());
        }
    }
}

/// Calls `each` with those documents of a list that are wanted.
fn each_among(mut cursor: Cursor, wanted: &[u32], mut each: impl FnMut(u32)) -> Result<(), SnapshotError> {
    for document in wanted {
        cursor.seek(*document)?;
        if cursor.doc() == *document {
            each(*document);
        }
    }
    Ok(())
}

/// A cursor on a list of a part.
///
/// # Errors
/// When the list is malformed.
pub fn cursor<'a>(part: &Part<'a>, list: ListRef) -> Result<Cursor<'a>, SnapshotError> {
    let segment = part.segment;
    Ok(Cursor::new(segment.postings()?, list, segment.shapes()?, segment.documents())?)
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
