//! Which tables can queries against a segment share?

use super::LiveSegment;
use crate::bm25::Totals;
use crate::ids::FieldSet;
use crate::inverted::Shape;
use crate::scoring::ScoreTable;
use crate::snapshot::SnapshotError;
use std::sync::{Arc, Mutex, PoisonError};

/// The cache of a segment: the most recently used tables, and a buffer of zeros for sums.
#[derive(Debug, Default)]
pub struct TableCache {
    /// The score table of these weights (as bits) and this average length (as bits).
    table: LastEntry<(Vec<u64>, u64), ScoreTable>,
    /// The frequencies of these weights (as bits) and fields.
    frequencies: LastEntry<(Vec<u64>, FieldSet), Frequencies>,
    zeros: Mutex<Vec<f64>>,
}

/// For each shape, its frequency in some fields, or `None` if it occurs in none of them.
pub type Frequencies = Vec<Option<f64>>;

/// A cache of one entry: the last value and its key.
#[derive(Debug)]
struct LastEntry<K, V>(Mutex<Option<(K, Arc<V>)>>);

impl<K, V> Default for LastEntry<K, V> {
    fn default() -> LastEntry<K, V> {
        LastEntry(Mutex::new(None))
    }
}

impl<K: PartialEq, V> LastEntry<K, V> {
    /// Returns the cached value if its key equals `key`; otherwise makes the value and caches it.
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
    /// Returns the score table for these weights and this average length in tokens.
    ///
    /// # Errors
    /// Fails when the index is damaged.
    pub fn get(
        &self,
        part: &LiveSegment,
        weights: &[f64],
        average_length: f64,
    ) -> Result<Arc<ScoreTable>, SnapshotError> {
        self.table.get((bits(weights), average_length.to_bits()), || {
            let slack = slack(part, weights, average_length)?;
            let (shapes, lengths) = (part.segment.shapes()?, part.segment.lengths()?);
            Ok(ScoreTable::new(shapes, lengths, weights, average_length, slack))
        })
    }

    /// Returns for each shape its frequency in these fields, or `None` if it occurs in none of them.
    ///
    /// # Errors
    /// Fails when the index is damaged.
    pub fn frequencies(
        &self,
        part: &LiveSegment,
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

    /// Takes a buffer with one zero per document. [`TableCache::give_zeros_back`] returns it, zeroed again.
    pub fn take_zeros(&self, documents: usize) -> Vec<f64> {
        let mut zeros = std::mem::take(&mut *self.zeros.lock().unwrap_or_else(PoisonError::into_inner));
        zeros.resize(documents, 0.0);
        zeros
    }

    /// Returns the buffer of [`TableCache::take_zeros`]. Allocating it anew would cost more than a small query.
    pub fn give_zeros_back(&self, zeros: Vec<f64>) {
        debug_assert!(zeros.iter().all(|&zero| zero == 0.0), "zeros come back as zeros");
        *self.zeros.lock().unwrap_or_else(PoisonError::into_inner) = zeros;
    }
}

fn bits(weights: &[f64]) -> Vec<u64> {
    weights.iter().map(|weight| weight.to_bits()).collect::<Vec<_>>()
}

/// Returns the factor by which a posting's score may exceed the upper bound stored for it.
///
/// A frequency that grows by a factor raises the score by at most that factor. So does a document length that shrinks by
/// a factor relative to the average.
fn slack(part: &LiveSegment, weights: &[f64], average_length: f64) -> Result<f64, SnapshotError> {
    let schema = part.segment.schema();
    let (rows, tokens) = (u64::from(part.segment.documents()), part.segment.tokens()?);
    let own_average = Totals { rows, tokens }.average_length();
    let reckoned = schema.bound_weights();
    let by_weight = part.segment.shapes()?.iter().flat_map(Shape::counts).map(|(field, _)| {
        weights.get(field.index()).copied().unwrap_or(1.0)
            / reckoned.get(field.index()).copied().unwrap_or(1.0)
    });
    let by_weight = by_weight.fold(1.0, f64::max);
    let by_length = (average_length / own_average).max(1.0);
    // Rounding may have made a stored bound slightly too low.
    Ok(by_weight * by_length * (1.0 + 1e-9))
}
