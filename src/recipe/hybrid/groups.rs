//! How do several hits of one page become one hit? The best hit of a group stays, and the next best become its children.

use super::ranking::ScoredRow;
use crate::attributes::AttributeValues;
use crate::codes::Codes;
use crate::order::Map;
use crate::retrieval::{Corpus, part_of};
use crate::snapshot::SnapshotError;

/// A hit has at most this many children.
const MAX_CHILDREN: usize = 3;

/// The attribute values by which rows are grouped, the first attribute's before the second's.
pub(super) enum GroupValues<'a> {
    /// The codes of one segment, without the strings: enough if there is no other segment and no changed value.
    Codes(Vec<Codes<'a>>),
    /// All values of each segment.
    Strings(Vec<AttributeValues<'a>>, &'a [usize]),
}

/// A value by which rows are grouped. Only values of the same kind are compared.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum GroupKey {
    Code(u32),
    Text(String),
}

impl<'a> GroupValues<'a> {
    /// Reads the values of the attributes `by`.
    ///
    /// # Errors
    /// Fails when the attributes are damaged.
    pub fn of(corpus: &Corpus<'a>, by: &'a [usize]) -> Result<GroupValues<'a>, SnapshotError> {
        if let [part] = corpus.parts
            && part.overrides.is_empty()
        {
            // Read all columns before the first fault is reported: those that are not in memory are then fetched together.
            let codes = by.iter().map(|attribute| part.segment.keyword_codes(*attribute)).collect::<Vec<_>>();
            if let Some(codes) = codes.into_iter().collect::<Result<Option<Vec<_>>, _>>()? {
                return Ok(GroupValues::Codes(codes));
            }
        }
        let values = corpus.parts.iter().map(|part| part.values()).collect::<Result<Vec<_>, _>>()?;
        Ok(GroupValues::Strings(values, by))
    }

    fn levels(&self) -> usize {
        match self {
            GroupValues::Codes(codes) => codes.len(),
            GroupValues::Strings(_, by) => by.len(),
        }
    }

    fn get(&self, corpus: &Corpus, row: u32, level: usize) -> Option<GroupKey> {
        let (part, document) = part_of(corpus, row);
        match self {
            GroupValues::Codes(codes) => {
                Some(codes.get(level)?.get(document as usize)).filter(|code| *code > 0).map(GroupKey::Code)
            }
            GroupValues::Strings(values, by) => {
                let strings = values[part].strings(*by.get(level)?, document as usize);
                strings.into_iter().next().map(GroupKey::Text)
            }
        }
    }
}

/// Groups rows, best first, by the values of one or two attributes.
///
/// Rows with the same value of the first attribute are one group. A child has another value of the second attribute than
/// its parent and the other children; rows without a value have one in common. Rows without a value of the first
/// attribute stay alone, and so do pinned rows.
pub(super) fn grouped(
    values: &GroupValues,
    corpus: &Corpus,
    pinned: &[u32],
    rows: Vec<ScoredRow>,
) -> Vec<ScoredRow> {
    let value = |row: u32, level: usize| values.get(corpus, row, level);
    let mut places = Map::<GroupKey, usize>::new();
    let mut kept: Vec<ScoredRow> = Vec::new();
    for scored in rows {
        let group = value(scored.row, 0).filter(|_| !pinned.contains(&scored.row));
        let known = group.as_ref().and_then(|group| places.get(group)).copied();
        let Some(place) = known else {
            if let Some(group) = group {
                places.insert(group, kept.len());
            }
            kept.push(scored);
            continue;
        };
        let parent = &mut kept[place];
        let part = value(scored.row, 1);
        let is_new = values.levels() < 2
            || value(parent.row, 1) != part
                && parent.children.iter().all(|child| value(child.row, 1) != part);
        if is_new && parent.children.len() < MAX_CHILDREN {
            parent.children.push(scored);
        }
    }
    kept
}
