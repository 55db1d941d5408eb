//! The impact of a posting: bm25's saturation, precomputed for common shapes and lengths.

use crate::bm25::{norm, saturation};
use crate::ids::FieldSet;
use crate::inverted::{MAX_IMPACT, Shape};

/// bm25's saturation per shape and document, for one set of weights and one average length.
#[derive(Debug)]
pub struct ScoreTable {
    /// The impact per shape and length, for the first 16 shapes and lengths below 512.
    usual: Box<[f64; SHAPES * LENGTHS]>,
    /// The length normalisation per length, for lengths below 512.
    norms: Vec<f64>,
    /// The weighted frequency per shape.
    frequencies: Vec<f64>,
    /// The length per document, or [`LONG`] when it is beyond the table.
    lengths: Vec<u16>,
    /// The length per document.
    all_lengths: Vec<u32>,
    average_length: f64,
    /// The factor by which the bounds stored with the postings may be too low, because they were computed with other
    /// weights and another average length.
    slack: f64,
}

const SHAPES: usize = 16;
const LENGTHS: usize = 512;
/// An index beyond the end of the table in any row.
const LONG: u16 = u16::MAX;

impl ScoreTable {
    /// Builds the table for the shapes of a segment and the lengths of its documents.
    ///
    /// The bounds stored with the segment's postings may be too low by the factor `slack`.
    pub fn new(
        shapes: &[Shape],
        lengths: &[u32],
        weights: &[f64],
        average_length: f64,
        slack: f64,
    ) -> ScoreTable {
        let frequencies =
            shapes.iter().map(|shape| shape.frequency(FieldSet::ALL, weights)).collect::<Vec<_>>();
        let norms = (0..).take(LENGTHS).map(|length| norm(length, average_length)).collect::<Vec<_>>();
        let mut usual = Box::new([0.0; SHAPES * LENGTHS]);
        for (row, &frequency) in usual.chunks_exact_mut(LENGTHS).zip(&frequencies) {
            row.iter_mut().zip(&norms).for_each(|(impact, &norm)| *impact = saturation(frequency, norm));
        }
        let class =
            |&length: &u32| u16::try_from(length).ok().filter(|&length| usize::from(length) < LENGTHS);
        ScoreTable {
            usual,
            norms,
            lengths: lengths.iter().map(|length| class(length).unwrap_or(LONG)).collect(),
            all_lengths: lengths.to_vec(),
            slack,
            frequencies,
            average_length,
        }
    }

    /// Returns the impact of a posting, before idf.
    #[inline]
    pub fn impact(&self, shape: u32, document: u32) -> f64 {
        let length = usize::from(self.lengths[document as usize]);
        // A long document or a rare shape gives an index beyond the table.
        match self.usual.get(shape as usize * LENGTHS + length) {
            Some(&impact) if length < LENGTHS => impact,
            _ => self.uncached_impact(shape, document),
        }
    }

    #[cold]
    fn uncached_impact(&self, shape: u32, document: u32) -> f64 {
        self.impact_of_frequency(self.frequencies[shape as usize], document)
    }

    /// Returns the impact of a weighted frequency in a document, before idf.
    #[inline]
    pub fn impact_of_frequency(&self, frequency: f64, document: u32) -> f64 {
        let length = self.all_lengths[document as usize];
        let known = self.norms.get(length as usize).copied();
        saturation(frequency, known.unwrap_or_else(|| norm(length, self.average_length)))
    }

    /// Adapts a bound stored with the postings to these weights and this average length.
    pub fn bound(&self, kept: f64) -> f64 {
        (kept * self.slack).min(MAX_IMPACT)
    }
}
