//! Decides whether the best candidates belong to the query, and makes scores comparable between queries.

use super::ranking::ScoredRow;
use crate::pipeline::{CandidateQuery, Context};
use crate::ranking::{FULL_EVIDENCE, evidence, least_evidence, word_weight};
use crate::retrieval::{KeywordResult, contained_phrases};
use crate::snapshot::SnapshotError;
use crate::vector::Metric;

/// The number of best rows that are judged.
const JUDGED: usize = 10;
/// The least number of records from which common words can be told from rare ones. In a smaller corpus, a record with any
/// of the query's words belongs to it.
const LEAST_RECORDS: u64 = 100;

/// The evidence of a search with both legs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Judged {
    /// The greatest evidence of the best rows.
    evidence: f64,
    /// The least evidence of a query that finds something; `None` if this query does in any case.
    least: Option<f64>,
}

impl Judged {
    /// Judges the best rows. Returns `None` if the search has no cosines, or no rows.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn of(
        context: &Context,
        ask: &CandidateQuery,
        keyword: &KeywordResult,
        rows: &[ScoredRow],
    ) -> Result<Option<Judged>, SnapshotError> {
        let (Some(words), Some((place, _))) = (ask.words, ask.vector) else { return Ok(None) };
        let Some((_, model)) = context.schema.models().nth(place) else { return Ok(None) };
        if model.metric != Metric::Cosine || rows.is_empty() {
            return Ok(None);
        }
        let live = context.corpus.totals.rows;
        let weights = keyword.hits.iter().map(|hits| word_weight(live, *hits)).collect::<Vec<_>>();
        let all = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        let share = |has: &dyn Fn(usize) -> bool| {
            let own = weights.iter().enumerate().filter(|(phrase, _)| has(*phrase));
            own.map(|(_, weight)| weight).sum::<f64>() / all
        };
        let unknown = share(&|phrase| keyword.hits[phrase] == 0);
        let best = &rows[..rows.len().min(JUDGED)];
        let numbers = best.iter().map(|scored| scored.row).collect::<Vec<_>>();
        let contained = contained_phrases(context.corpus, words.query, &numbers)?;
        let own = best.iter().zip(&contained).map(|(scored, contained)| {
            let cosine = scored.vector.map_or(0.0, |signal| signal.score);
            evidence(cosine, share(&|phrase| contained[phrase]), unknown, live)
        });
        let evidence = own.fold(f64::NEG_INFINITY, f64::max);
        let is_found_by_words = live < LEAST_RECORDS && !keyword.rows.is_empty();
        let least = least_evidence(model.kind()).filter(|_| !is_found_by_words);
        Ok(Some(Judged { evidence, least }))
    }

    /// Returns whether the best row belongs to the query.
    pub fn belongs(&self) -> bool {
        self.least.is_none_or(|least| self.evidence >= least)
    }

    /// Returns the evidence as a number from 0 to 1.
    pub fn relevance(&self) -> f64 {
        self.evidence.max(0.0) / FULL_EVIDENCE
    }

    /// Scales scores so that the best one is the relevance. The order stays, but for scores that differ by rounding only;
    /// `rows` must be best first.
    pub fn scale(&self, rows: &mut [ScoredRow]) {
        let best = rows.first().map_or(0.0, |scored| scored.score);
        if best > 0.0 {
            let factor = self.relevance() / best;
            for scored in rows {
                scored.parts = (scored.parts.0 * factor, scored.parts.1 * factor);
                scored.score = scored.parts.0 + scored.parts.1;
            }
        }
    }
}
