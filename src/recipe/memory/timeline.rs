//! What was remembered before, and what after (M10)?

use super::ranking::{MEMORY, number, word};
use super::wanted::Wanted;
use crate::pipeline::Context;
use crate::retrieval::part_of;
use crate::snapshot::SnapshotError;
use std::cmp::Ordering;

/// When a memory was made, and its row: memories of the same moment are in the order in which they were written.
type Moment = (f64, u32);

fn by_time(a: &Moment, b: &Moment) -> Ordering {
    a.0.total_cmp(&b.0).then(a.1.cmp(&b.1))
}

/// The memories of the same project around one, oldest first: at most `before` and `after` of them. What does not say
/// when it was made comes before what does.
///
/// # Errors
/// When the snapshot is damaged.
pub fn timeline(
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
    let wanted = Wanted {
        kinds: vec![MEMORY],
        project: own_project.clone(),
        includes_superseded: true,
        ..Wanted::default()
    };
    let (mut earlier, mut later) = (Vec::new(), Vec::new());
    for (number, allowed) in wanted.allowed(context)?.iter().enumerate() {
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

/// The rows of the first so many, in order.
fn first(moments: Vec<Moment>, count: usize, order: fn(&Moment, &Moment) -> Ordering) -> Vec<u32> {
    let mut kept: Vec<Moment> = Vec::new();
    // Only those that are shown need an order among themselves.
    for moment in moments {
        let place = kept.partition_point(|known| order(known, &moment).is_lt());
        if place < count {
            kept.truncate(count - 1);
            kept.insert(place, moment);
        }
    }
    kept.into_iter().map(|(_, row)| row).collect::<Vec<_>>()
}
