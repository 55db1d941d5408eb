//! What is worked out once for many queries against a segment.

use super::Part;
use super::lists::frequencies;
use crate::bm25::Totals;
use crate::gather::Gather;
use crate::ids::FieldSet;
use crate::index::Shape;
use crate::scoring::ScoreTable;
use crate::snapshot::SnapshotError;
use std::sync::{Arc, Mutex, PoisonError};

/// What outlives a query, for a segment: the tables last asked for, and a row of zeros to sum in.
#[derive(Debug, Default)]
pub struct ScoreTables {
    table: Mutex<Option<(TableKey, Arc<ScoreTable>)>>,
    frequencies: Mutex<Option<(FrequenciesKey, Frequencies)>>,
    zeros: Mutex<Vec<f64>>,
}

/// The weights, and the average length.
type TableKey = (Vec<u64>, u64);
/// The weights, and the fields.
type FrequenciesKey = (Vec<u64>, FieldSet);
/// By shape.
type Frequencies = Arc<Vec<Option<f64>>>;

impl ScoreTables {
    /// The table for these weights; kept until others are asked for.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn get(
        &self,
        part: &Part,
        weights: &[f64],
        average_length: f64,
    ) -> Result<Arc<ScoreTable>, SnapshotError> {
        let key = (bits(weights), average_length.to_bits());
        let mut kept = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, table)) = &*kept
            && *known == key
        {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(ScoreTable::new(
            part.segment.shapes()?,
            part.segment.lengths()?,
            weights,
            average_length,
            slack(part, weights, average_length)?,
        ));
        *kept = Some((key, Arc::clone(&table)));
        Ok(table)
    }

    /// By shape: its frequency in these fields, none where it touches none of them; kept until others are asked for.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn frequencies(
        &self,
        part: &Part,
        fields: FieldSet,
        weights: &[f64],
    ) -> Result<Frequencies, SnapshotError> {
        let key = (bits(weights), fields);
        let mut kept = self.frequencies.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, frequencies)) = &*kept
            && *known == key
        {
            return Ok(Arc::clone(frequencies));
        }
        let frequencies = Arc::new(frequencies(part, fields, weights)?);
        *kept = Some((key, Arc::clone(&frequencies)));
        Ok(frequencies)
    }

    /// A zero for each of `documents` documents. Zeros taken are to be given back as zeros.
    pub fn take_zeros(&self, documents: usize) -> Vec<f64> {
        let mut zeros = std::mem::take(&mut *self.zeros.lock().unwrap_or_else(PoisonError::into_inner));
        zeros.resize(documents, 0.0);
        zeros
    }

    /// Gives back what [`ScoreTables::take_zeros`] gave: making a row of zeros costs more than a small query.
    pub fn give_zeros_back(&self, zeros: Vec<f64>) {
        debug_assert!(zeros.iter().all(|&zero| zero == 0.0), "zeros come back as zeros");
        *self.zeros.lock().unwrap_or_else(PoisonError::into_inner) = zeros;
    }
}

fn bits(weights: &[f64]) -> Vec<u64> {
    weights.iter().map(|weight| weight.to_bits()).gather()
}

/// How much more a posting can be worth now than when its bound was reckoned.
///
/// A frequency that grows by a factor is worth at most that factor more; so is one in a document that became
/// shorter, against the average, by a factor.
fn slack(part: &Part, weights: &[f64], average_length: f64) -> Result<f64, SnapshotError> {
    let schema = part.segment.schema();
    let fields = part.segment.field_lengths()?;
    let tokens =
        (0..fields.field_count()).map(|field| fields.total_of_field(field)).fold(0, u64::saturating_add);
    let own_average = Totals { rows: u64::from(part.segment.documents()), tokens }.average_length();
    let reckoned = schema.bound_weights();
    let by_weight = part.segment.shapes()?.iter().flat_map(Shape::counts).map(|(field, _)| {
        weights.get(field.index()).copied().unwrap_or(1.0)
            / reckoned.get(field.index()).copied().unwrap_or(1.0)
    });
    let by_weight = by_weight.fold(1.0, f64::max);
    let by_length = (average_length / own_average).max(1.0);
    // Rounding may have made a bound a little low.
    Ok(by_weight * by_length * (1.0 + 1e-9))
}
