//! What a posting is worth, worked out once for the usual shapes and lengths.

use crate::bm25::{norm, saturation};
use crate::ids::FieldSet;
use crate::inverted::{MOST_WORTH, Shape};

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
    /// The table for the shapes of a segment and the lengths of its documents. The bounds that are kept with its postings
    /// may be too low by the factor `slack`.
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
            row.iter_mut().zip(&norms).for_each(|(worth, &norm)| *worth = saturation(frequency, norm));
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
    #[inline]
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
