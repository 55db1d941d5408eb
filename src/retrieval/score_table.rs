//! What a posting is worth, worked out once for the usual shapes and lengths.

use super::Part;
use crate::bm25::{Totals, norm, saturation};
use crate::ids::FieldSet;
use crate::index::{MOST_WORTH, Shape};
use crate::snapshot::SnapshotError;
use std::sync::{Arc, Mutex, PoisonError};

/// bm25's saturation by shape and document, for one set of weights and one average length.
#[derive(Debug)]
pub struct ScoreTable {
    /// By shape and length, for the first shapes and the shorter lengths.
    usual: Box<[f64; SHAPES * LENGTHS]>,
    /// By length, for the shorter ones: what it adds to bm25.
    norms: Vec<f64>,
    /// By shape: its frequency.
    frequencies: Vec<f64>,
    /// By document: its length, or [`LONG`] where that is beyond the table.
    lengths: Vec<u16>,
    /// By document: its length.
    all_lengths: Vec<u32>,
    average_length: f64,
    /// How far the bounds that are kept with the postings may be too low: they were reckoned with other weights, and for
    /// another average length.
    slack: f64,
}

const SHAPES: usize = 16;
const LENGTHS: usize = 512;
/// Takes any place in the table beyond its end.
const LONG: u16 = u16::MAX;

impl ScoreTable {
    fn new(part: &Part, weights: &[f64], average_length: f64) -> Result<ScoreTable, SnapshotError> {
        let shapes = part.segment.shapes()?;
        let lengths = part.segment.lengths()?;
        let frequencies =
            shapes.iter().map(|shape| shape.frequency(FieldSet::ALL, weights)).collect::<Vec<_>>();
        let norms = (0..).take(LENGTHS).map(|length| norm(length, average_length)).collect::<Vec<_>>();
        let mut usual = Box::new([0.0; SHAPES * LENGTHS]);
        for (row, &frequency) in usual.chunks_exact_mut(LENGTHS).zip(&frequencies) {
            row.iter_mut().zip(&norms).for_each(|(worth, &norm)| *worth = saturation(frequency, norm));
        }
        let class =
            |&length: &u32| u16::try_from(length).ok().filter(|&length| usize::from(length) < LENGTHS);
        Ok(ScoreTable {
            usual,
            norms,
            lengths: lengths.iter().map(|length| class(length).unwrap_or(LONG)).collect(),
            all_lengths: lengths.to_vec(),
            slack: slack(part, shapes, weights, average_length)?,
            frequencies,
            average_length,
        })
    }

    /// What a posting is worth, before idf.
    #[inline]
    pub fn worth(&self, shape: u32, document: u32) -> f64 {
        let length = usize::from(self.lengths[document as usize]);
        // A long document's length points beyond the table whatever the shape, as does a rare shape.
        match self.usual.get(shape as usize * LENGTHS + length) {
            Some(&worth) if length < LENGTHS => worth,
            _ => self.rare_worth(shape, document),
        }
    }

    #[cold]
    fn rare_worth(&self, shape: u32, document: u32) -> f64 {
        self.worth_of(self.frequencies[shape as usize], document)
    }

    /// What a frequency is worth in a document, before idf.
    pub fn worth_of(&self, frequency: f64, document: u32) -> f64 {
        let length = self.all_lengths[document as usize];
        let known = self.norms.get(length as usize).copied();
        saturation(frequency, known.unwrap_or_else(|| norm(length, self.average_length)))
    }

    /// A bound that is kept with the postings, for these weights and this average length.
    pub fn bound(&self, kept: f64) -> f64 {
        (kept * self.slack).min(MOST_WORTH)
    }
}

/// How much more a posting can be worth now than when its bound was reckoned.
///
/// A frequency that grows by a factor is worth at most that factor more; so is one in a document that became
/// shorter, against the average, by a factor.
fn slack(part: &Part, shapes: &[Shape], weights: &[f64], average_length: f64) -> Result<f64, SnapshotError> {
    let schema = part.segment.schema();
    let fields = part.segment.field_lengths()?;
    let tokens =
        (0..fields.field_count()).map(|field| fields.total_of_field(field)).fold(0, u64::saturating_add);
    let own_average = Totals { rows: u64::from(part.segment.documents()), tokens }.average_length();
    let reckoned = schema.bound_weights();
    let by_weight = shapes.iter().flat_map(Shape::counts).map(|(field, _)| {
        weights.get(field.index()).copied().unwrap_or(1.0)
            / reckoned.get(field.index()).copied().unwrap_or(1.0)
    });
    let by_weight = by_weight.fold(1.0, f64::max);
    let by_length = (average_length / own_average).max(1.0);
    // Rounding may have made a bound a little low.
    Ok(by_weight * by_length * (1.0 + 1e-9))
}

/// What outlives a query, for a segment: the score table last asked for, and a row of zeros to sum in.
#[derive(Debug, Default)]
pub struct ScoreTables {
    table: Mutex<Option<(TableKey, Arc<ScoreTable>)>>,
    zeros: Mutex<Vec<f64>>,
}

type TableKey = (Vec<u64>, u64);

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
        let key =
            (weights.iter().map(|weight| weight.to_bits()).collect::<Vec<_>>(), average_length.to_bits());
        let mut kept = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, table)) = &*kept
            && *known == key
        {
            return Ok(Arc::clone(table));
        }
        let table = Arc::new(ScoreTable::new(part, weights, average_length)?);
        *kept = Some((key, Arc::clone(&table)));
        Ok(table)
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
