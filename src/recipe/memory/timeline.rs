//! Which memories came before and after another (M10)?

use super::filter::MemoryFilter;
use super::ranking::{MEMORY, number, word};
use crate::pipeline::Context;
use crate::retrieval::part_of;
use crate::snapshot::SnapshotError;
use std::cmp::Ordering;

/// The creation time of a memory, and its row: memories of the same moment stay in the order in which they were written.
type CreatedRow = (f64, u32);

fn by_time(a: &CreatedRow, b: &CreatedRow) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// Returns the rows of the memories of the same project around one, oldest first: at most `before` and `after` of them.
/// Memories without a creation time come first.
pub(super) fn rows_around(
    context: &Context,
    anchor: u32,
    before: usize,
    after: usize,
) -> Result<(Vec<u32>, Vec<u32>), SnapshotError> {
    let columns = context.values()?;
    let (own_part, own_document) = part_of(context.corpus, anchor);
    let project = |part: usize, document: usize| {
        word(context.schema, "projectId").and_then(|project| columns[part].strings(project, document).pop())
    };
    let made = number(context.schema, "createdAt");
    let moment = |part: usize, document: usize, row: u32| {
        let at = made.and_then(|made| columns[part].number(made, document));
        (at.unwrap_or(f64::NEG_INFINITY), row)
    };
    let own_project = project(own_part, own_document as usize);
    let own_moment = moment(own_part, own_document as usize, anchor);
    let filter =
        MemoryFilter { project_id: own_project.clone(), include_superseded: true, ..MemoryFilter::default() };
    let (mut earlier, mut later) = (Vec::new(), Vec::new());
    for (number, allowed) in filter.allowed(context, &[MEMORY], false)?.iter().enumerate() {
        let part = &context.corpus.parts[number];
        for document in allowed.iter() {
            let row = part.first_row + document as u32;
            let is_other_project = own_project.is_none() && project(number, document).is_some();
            if is_other_project || !part.is_live(row - part.first_row) {
                continue;
            }
            let moment = moment(number, document, row);
            match by_time(&moment, &own_moment) {
                Ordering::Less => earlier.push(moment),
                Ordering::Greater => later.push(moment),
                Ordering::Equal => {}
            }
        }
    }
    let earlier = first(earlier, before, |a, b| by_time(b, a));
    Ok((earlier.into_iter().rev().collect::<Vec<_>>(), first(later, after, by_time)))
}

/// Returns the rows of the first `count` moments, in order.
fn first(
    moments: Vec<CreatedRow>,
    count: usize,
    order: fn(&CreatedRow, &CreatedRow) -> Ordering,
) -> Vec<u32> {
    let mut kept: Vec<CreatedRow> = Vec::new();
    // Only the rows of the page need an order among themselves.
    for moment in moments {
        let place = kept.partition_point(|known| order(known, &moment).is_lt());
        if place < count {
            kept.truncate(count - 1);
            kept.insert(place, moment);
        }
    }
    kept.into_iter().map(|(_, row)| row).collect::<Vec<_>>()
}
