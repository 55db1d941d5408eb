//! How do several hits of one page become one hit? The best hit of a group stays, and the next best become its children.

use super::ranking::ScoredRow;
use crate::attributes::AttributeValues;
use crate::order::Map;
use crate::retrieval::{Corpus, part_of};

/// A hit has at most this many children.
const MAX_CHILDREN: usize = 3;

/// Groups rows, best first, by the values of one or two attributes.
///
/// Rows with the same value of the first attribute are one group. A child has another value of the second attribute than
/// its parent and the other children; rows without a value have one in common. Rows without a value of the first
/// attribute stay alone, and so do pinned rows.
pub(super) fn grouped(
    values: &[AttributeValues],
    corpus: &Corpus,
    by: &[usize],
    pinned: &[u32],
    rows: Vec<ScoredRow>,
) -> Vec<ScoredRow> {
    let value = |row: u32, level: usize| {
        let (part, document) = part_of(corpus, row);
        values[part].strings(*by.get(level)?, document as usize).into_iter().next()
    };
    let mut places = Map::<String, usize>::new();
    let mut kept: Vec<ScoredRow> = Vec::new();
    for scored in rows {
        let group = value(scored.row, 0).filter(|_| !pinned.contains(&scored.row));
        let known = group.as_ref().and_then(|group| places.get(group.as_str())).copied();
        let Some(place) = known else {
            if let Some(group) = group {
                places.insert(group, kept.len());
            }
            kept.push(scored);
            continue;
        };
        let parent = &mut kept[place];
        let part = value(scored.row, 1);
        let is_new = by.len() < 2
            || value(parent.row, 1) != part
                && parent.children.iter().all(|child| value(child.row, 1) != part);
        if is_new && parent.children.len() < MAX_CHILDREN {
            parent.children.push(scored);
        }
    }
    kept
}
