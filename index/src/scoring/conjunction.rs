//! Finds the best documents for a query that requires all of several phrases.
//!
//! A document that contains all phrases is scored only if it can enter the top-k heap: if the impact of the rarest
//! phrase plus the upper bounds of the others reach the threshold. Sums are computed in the order of the phrases, as
//! bm25 does, so they are equal to the bit.

use super::intersection::{next_common, rarest_first};
use super::{ImpactCursor, Ranked, Scoring, TopK};
use crate::inverted::Cursor;
use crate::wire::Malformed;

/// A margin for the rounding of sums of bounds.
const ROUNDING: f64 = 1.0 + 1e-9;

/// Offers every document that may be among the best to `top`. `cursors` holds one cursor per phrase, in order.
///
/// # Errors
/// Returns an error when the index is damaged.
pub fn collect(scoring: &Scoring, mut cursors: Vec<ImpactCursor>, top: &mut TopK) -> Result<(), Malformed> {
    let Scoring { eligible, idf, table } = *scoring;
    let order = rarest_first(&cursors);
    let Some((&lead, others)) = order.split_first() else { return Ok(()) };
    let mut others_bound = 0.0;
    for &phrase in others {
        others_bound += idf[phrase] * cursors[phrase].bound_until(Cursor::END, table)?;
    }
    let mut target = 0;
    loop {
        let document = next_common(&mut cursors, &order, target)?;
        if document == Cursor::END {
            return Ok(());
        }
        target = document + 1;
        let threshold = (-top.threshold()).max(0.0);
        let lead_score = idf[lead] * cursors[lead].impact(table);
        if (lead_score + others_bound) * ROUNDING < threshold {
            continue;
        }
        if !eligible.has(document) {
            continue;
        }
        let parts = cursors.iter().zip(idf).map(|(cursor, idf)| idf * cursor.impact(table));
        let sum = parts.fold(0.0, |sum, part| sum + part);
        if sum > threshold {
            top.push(Ranked { row: eligible.first_row + document, rank: -sum });
        }
    }
}
