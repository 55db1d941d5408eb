//! Which lists does a term of a query stand for?

use super::Part;
use crate::index::ListRef;
use crate::query::Term;
use crate::scoring::Positions;
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

/// Where a term stands, from its first document on; at least in those that are wanted, where only some are.
///
/// # Errors
/// When the index is damaged.
pub fn positions<'a>(
    part: &Part<'a>,
    term: &Term,
    wanted: Option<&[u32]>,
) -> Result<Positions<'a>, SnapshotError> {
    Ok(Positions::new(part.segment.lists()?, lists_of(part, term)?, wanted)?)
}
