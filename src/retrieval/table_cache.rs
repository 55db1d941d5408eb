//! What is worked out once for many queries against a segment.

use super::Part;
use crate::bm25::Totals;
use crate::ids::FieldSet;
use crate::inverted::Shape;
use crate::scoring::ScoreTable;
use crate::snapshot::SnapshotError;
use std::sync::{Arc, Mutex, PoisonError};

/// What outlives a query, for a segment: the tables last asked for, and a row of zeros to sum in.
#[derive(Debug, Default)]
pub struct TableCache {
    /// By weights and average length.
    table: Last<(Vec<u64>, u64), ScoreTable>,
    /// By weights and fields.
    frequencies: Last<(Vec<u64>, FieldSet), Frequencies>,
    zeros: Mutex<Vec<f64>>,
}

/// By shape: its frequency in some fields; none where it touches none of them.
pub type Frequencies = Vec<Option<f64>>;

/// What was worked out last, and for what.
#[derive(Debug)]
struct Last<K, V>(Mutex<Option<(K, Arc<V>)>>);

impl<K, V> Default for Last<K, V> {
    fn default() -> Last<K, V> {
        Last(Mutex::new(None))
    }
}

impl<K: PartialEq, V> Last<K, V> {
    /// What is there for this key, or else is made; kept until another is asked for.
    fn get(&self, key: K, make: impl FnOnce() -> Result<V, SnapshotError>) -> Result<Arc<V>, SnapshotError> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, value)) = &*last
            && *known == key
        {
            return Ok(Arc::clone(value));
        }
        let value = Arc::new(make()?);
        *last = Some((key, Arc::clone(&value)));
        Ok(value)
    }
}

impl TableCache {
    /// The table for these weights.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn get(
        &self,
        part: &Part,
        weights: &[f64],
        average_length: f64,
    ) -> Result<Arc<ScoreTable>, SnapshotError> {
        self.table.get((bits(weights), average_length.to_bits()), || {
            let slack = slack(part, weights, average_length)?;
            let (shapes, lengths) = (part.segment.shapes()?, part.segment.lengths()?);
            Ok(ScoreTable::new(shapes, lengths, weights, average_length, slack))
        })
    }

    /// By shape: its frequency in these fields; none where it touches none of them.
    ///
    /// # Errors
    /// When the index is damaged.
    pub fn frequencies(
        &self,
        part: &Part,
        fields: FieldSet,
        weights: &[f64],
    ) -> Result<Arc<Frequencies>, SnapshotError> {
        self.frequencies.get((bits(weights), fields), || {
            let mut frequencies = Vec::new();
            for shape in part.segment.shapes()? {
                frequencies.push(shape.touches(fields).then(|| shape.frequency(fields, weights)));
            }
            Ok(frequencies)
        })
    }

    /// A zero for each of `documents` documents. Zeros taken are to be given back as zeros.
    pub fn take_zeros(&self, documents: usize) -> Vec<f64> {
        let mut zeros = std::mem::take(&mut *self.zeros.lock().unwrap_or_else(PoisonError::into_inner));
        zeros.resize(documents, 0.0);
        zeros
    }

    /// Gives back what [`TableCache::take_zeros`] gave: making a row of zeros costs more than a small query.
    pub fn give_zeros_back(&self, zeros: Vec<f64>) {
        debug_assert!(zeros.iter().all(|&zero| zero == 0.0), "zeros come back as zeros");
        *self.zeros.lock().unwrap_or_else(PoisonError::into_inner) = zeros;
    }
}

fn bits(weights: &[f64]) -> Vec<u64> {
    weights.iter().map(|weight| weight.to_bits()).collect::<Vec<_>>()
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
