//! Decides whether the best candidates belong to the query, and makes scores comparable between queries.

use super::ranking::ScoredRow;
use crate::pipeline::{CandidateQuery, Context};
use crate::ranking::{FULL_EVIDENCE, QueryStatistics, QueryWords, evidence, least_evidence};
use crate::retrieval::contained_phrases;
use crate::snapshot::SnapshotError;
use crate::vector::Metric;

/// The number of best rows that are judged.
const JUDGED: usize = 10;
/// The least number of records from which common words can be told from rare ones. In a smaller corpus, a record with any
/// of the query's words belongs to it.
const LEAST_RECORDS: u64 = 100;

/// The least evidence that scores are scaled by. With 0, all scores would be equal and the order lost.
const LEAST_SCALE: f64 = 0.001;

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
        words: &QueryWords,
        statistics: &QueryStatistics,
        rows: &[ScoredRow],
    ) -> Result<Option<Judged>, SnapshotError> {
        let (Some(asked), Some((place, _))) = (ask.words, ask.vector) else { return Ok(None) };
        let Some((_, model)) = context.schema.models().nth(place) else { return Ok(None) };
        if model.metric != Metric::Cosine || rows.is_empty() {
            return Ok(None);
        }
        let best = &rows[..rows.len().min(JUDGED)];
        let numbers = best.iter().map(|scored| scored.row).collect::<Vec<_>>();
        let contained = contained_phrases(context.corpus, asked.query, &numbers)?;
        let cosine = |scored: &ScoredRow| scored.vector.map_or(0.0, |signal| signal.score);
        let own = best.iter().zip(&contained).map(|(scored, contained)| {
            evidence(model.kind(), cosine(scored), words.share(|word| contained[word]), words)
        });
        let evidence = own.fold(f64::NEG_INFINITY, f64::max);
        let nearest = best.iter().map(cosine).fold(f64::NEG_INFINITY, f64::max);
        let is_found_by_words =
            context.corpus.totals.rows < LEAST_RECORDS && rows.iter().any(|scored| scored.keyword.is_some());
        let standout = statistics.deviations(nearest);
        let least = least_evidence(model.kind(), words, standout, statistics.records);
        let least = least.filter(|_| !is_found_by_words);
        Ok(Some(Judged { evidence, least }))
    }

    /// Returns whether the best row belongs to the query.
    pub fn belongs(&self) -> bool {
        self.least.is_none_or(|least| self.evidence >= least)
    }

    /// Returns the evidence as a number above 0, at most 1.
    pub fn relevance(&self) -> f64 {
        self.evidence.max(LEAST_SCALE) / FULL_EVIDENCE
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_query_without_evidence_keep_their_order() {
        let row = |row, score| ScoredRow { row, score, parts: (0.0, score), ..ScoredRow::default() };
        let mut rows = [row(7, 0.9), row(2, 0.5), row(5, 0.1)];
        let judged = Judged { evidence: -0.3, least: None };
        judged.scale(&mut rows);
        assert_eq!(rows[0].score, judged.relevance());
        assert!(rows.windows(2).all(|pair| pair[0].score > pair[1].score));
    }
}
