//! The short way for queries that want all of several phrases.
//!
//! The rarest phrase leads, and the others only seek to its documents. A document is scored only if what the lead is worth
//! in it, and the others at their best, could be among the best. Sums are built in the order of phrases, as bm25 does, so
//! they are the same to the bit.

use super::{Ranked, Scoring, Source, TopK};
use crate::index::Cursor;
use crate::order::sort_numbers;
use crate::wire::Malformed;

/// Covers the rounding of sums of bounds.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Offers every document that may be among the best to `top`. `sources` are the phrases', in order.
///
/// # Errors
/// When the index is damaged.
pub fn collect(scoring: &Scoring, mut sources: Vec<Source>, top: &mut TopK) -> Result<(), Malformed> {
    let Scoring { eligible, idf, table } = *scoring;
    let mut order = (0..sources.len()).collect::<Vec<_>>();
    sort_numbers(&mut order, &mut |a, b| sources[a].most_documents().cmp(&sources[b].most_documents()));
    let Some((&lead, others)) = order.split_first() else { return Ok(()) };
    let mut others_most = 0.0;
    for &phrase in others {
        others_most += idf[phrase] * sources[phrase].bound_until(Cursor::END, table)?;
    }
    let mut target = 0;
    while let Some(document) = next_common(&mut sources, lead, others, target)? {
        target = document + 1;
        let threshold = (-top.threshold()).max(0.0);
        let lead_worth = idf[lead] * sources[lead].worth(table);
        if (lead_worth + others_most) * ROUNDING < threshold {
            continue;
        }
        if !eligible.has(document) {
            continue;
        }
        let parts = sources.iter().zip(idf).map(|(source, idf)| idf * source.worth(table));
        let sum = parts.fold(0.0, |sum, part| sum + part);
        if sum > threshold {
            top.push(Ranked { row: eligible.first_row + document, rank: -sum });
        }
    }
    Ok(())
}

/// The first document from `target` on that all sources have; they then stand on it.
fn next_common(
    sources: &mut [Source],
    lead: usize,
    others: &[usize],
    mut target: u32,
) -> Result<Option<u32>, Malformed> {
    'lead: loop {
        sources[lead].seek(target)?;
        target = sources[lead].doc();
        if target == Cursor::END {
            return Ok(None);
        }
        for &other in others {
            sources[other].seek(target)?;
            let document = sources[other].doc();
            if document != target {
                if document == Cursor::END {
                    return Ok(None);
                }
                target = document;
                continue 'lead;
            }
        }
        return Ok(Some(target));
    }
}
