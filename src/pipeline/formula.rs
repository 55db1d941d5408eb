//! Combines many signals into one score.
//!
//! A [`Formula`] is data: weighted terms that are added up, factors that multiply the sum, and an optional clamp to 0 to 1.
//! [`Formula::explain`] lists the products and factors of a score.

use super::explain::{Explained, Factor, ScorePart};
use super::legs::{Candidate, Signal};
use crate::analysis::{Analyzer, Purpose};
use crate::attributes::AttributeValues;
use crate::ids::FieldSet;
use crate::order::sort_by;
use crate::ranking::{
    bm25_normalize, exponential_decay, half_life_decay, jaccard, normalize_rank_score, recency_boost,
};
use crate::retrieval::{self, Corpus, occurrences, part_of};
use crate::schema::Schema;
use crate::snapshot::SnapshotError;
use std::cmp::Ordering;

/// The inputs of a recipe's formulas.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The segments.
    pub corpus: &'a Corpus<'a>,
    /// The schema of the records.
    pub schema: &'a Schema,
    /// The analyzer that splits text into terms.
    pub analyzer: &'a Analyzer,
    /// The text of the query.
    pub query: &'a str,
    /// The time that ages count from, in milliseconds since 1970.
    pub now: f64,
}

impl<'a> Context<'a> {
    /// Returns the distinct terms of the query, in order of first occurrence.
    pub fn query_terms(&self) -> Vec<Vec<u8>> {
        distinct_terms(self.analyzer, self.query)
    }

    /// Returns the attribute values of every segment.
    ///
    /// # Errors
    /// Fails when the attributes are damaged.
    pub fn values(&self) -> Result<Vec<AttributeValues<'a>>, SnapshotError> {
        self.corpus.parts.iter().map(retrieval::LiveSegment::values).collect::<Result<Vec<_>, _>>()
    }
}

/// Returns the distinct terms of a text, in order of first occurrence.
pub fn distinct_terms(analyzer: &Analyzer, text: &str) -> Vec<Vec<u8>> {
    let mut distinct = Vec::new();
    for term in terms(analyzer, text, Purpose::Query) {
        if !distinct.contains(&term) {
            distinct.push(term);
        }
    }
    distinct
}

/// Returns all terms of a text, in order.
pub(crate) fn terms(analyzer: &Analyzer, text: &str, purpose: Purpose) -> Vec<Vec<u8>> {
    let mut terms = Vec::new();
    analyzer.spans(text, purpose, |span| {
        let mut term = Vec::new();
        analyzer.term(&text[span.start..span.end], &mut term);
        terms.push(term);
    });
    terms
}

/// A measurement of a candidate.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// The BM25 score as a positive number; 0 if no word matches.
    Bm25(Curve),
    /// The similarity of its vector to the query's vector; 0 without a vector.
    Similarity(Curve),
    /// The rank among the candidates of the keyword leg, scaled: 1 for the first, 0 for the last and for records that the
    /// keyword leg did not return.
    Place,
    /// The share of the query's terms that the record contains.
    Overlap,
    /// A factor from 1 down to 0 that falls with the record's age.
    Age {
        /// The attributes that hold the time of the record. The first with a value counts.
        attributes: Vec<usize>,
        /// The rule by which the factor falls.
        decay: Decay,
        /// The value for a record without a time.
        default: f64,
    },
    /// The value of a numeric attribute.
    Number {
        /// The index of the attribute; `None` if the schema lacks it.
        attribute: Option<usize>,
        /// The value for a record without the attribute.
        default: f64,
    },
    /// A number for each string of a keyword attribute; the record's first string in the table counts.
    Word {
        /// The index of the attribute; `None` if the schema lacks it.
        attribute: Option<usize>,
        /// The number for each string.
        values: Vec<(String, f64)>,
        /// The number for a record without any of these strings.
        default: f64,
    },
    /// The Jaccard index of the record's strings and the given strings, ignoring case.
    Shared {
        /// The index of the attribute; `None` if the schema lacks it.
        attribute: Option<usize>,
        /// The given strings.
        with: Vec<String>,
    },
    /// 1 if one of the record's strings equals this string, otherwise 0.
    Equal {
        /// The index of the attribute; `None` if the schema lacks it.
        attribute: Option<usize>,
        /// The string.
        to: String,
    },
    /// Precomputed values, one per candidate.
    Given(Vec<f64>),
    /// The greatest of several measures, each multiplied by its scale.
    Greatest(Vec<(f64, Measure)>),
}

/// A function that maps a raw signal to the value of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// The signal itself.
    Plain,
    /// The signal divided by this cap, at most 1.
    Capped(f64),
    /// x / (1 + x), for a signal x.
    Saturated,
    /// The signal, at least 0.
    Positive,
    /// The signal divided by the greatest signal of all candidates; 0 if none is positive.
    OfGreatest,
}

/// A rule by which a factor falls with age.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decay {
    /// Falls with the logarithm of the age (P5), never below the floor.
    Logarithmic {
        /// The least factor, 0 to 1.
        floor: f64,
    },
    /// Falls exponentially: exp(−rate · days).
    Exponential {
        /// The rate per day.
        rate: f64,
    },
    /// Halves after a number of days.
    HalfLife {
        /// The half-life in days.
        days: f64,
    },
}

impl Decay {
    /// Returns the factor at time `now` of a record from time `at`. Both are in milliseconds since 1970.
    pub fn left(self, at: f64, now: f64) -> f64 {
        match self {
            Decay::Logarithmic { floor } => recency_boost(at, now, floor),
            Decay::Exponential { rate } => exponential_decay(at, now, rate),
            Decay::HalfLife { days } => half_life_decay(at, now, days),
        }
    }
}

/// A named and weighted measure.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaTerm {
    /// The name in explanations.
    pub name: String,
    /// The measure.
    pub measure: Measure,
    /// The weight.
    pub weight: f64,
}

/// A scoring rule: Σ weight · term, multiplied by every factor, optionally clamped to 0 to 1.
///
/// ```
/// use snapseek::pipeline::{Curve, Formula, Measure};
///
/// let mut formula = Formula { is_clamped: true, ..Formula::default() };
/// formula.add("bm25", 0.6, Measure::Bm25(Curve::Saturated));
/// formula.add("vector", 0.4, Measure::Similarity(Curve::Positive));
/// formula.multiply("boost", Measure::Number { attribute: None, default: 1.5 });
/// // The values of the terms and factors of one candidate:
/// assert_eq!(formula.score(&[0.5, 0.5], &[1.5]), 0.75);
/// assert_eq!(formula.score(&[1.0, 1.0], &[1.5]), 1.0);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formula {
    /// The terms of the sum.
    pub terms: Vec<FormulaTerm>,
    /// The factors that multiply the sum. Their weights are ignored.
    pub factors: Vec<FormulaTerm>,
    /// Whether the score is clamped to 0 to 1.
    pub is_clamped: bool,
}

/// A candidate with its score, and the values that made it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rated {
    /// The candidate's row.
    pub row: u32,
    /// The score: higher is better.
    pub score: f64,
    /// The signal of the keyword leg.
    pub keyword: Option<Signal>,
    /// The signal of the vector leg.
    pub vector: Option<Signal>,
    /// The value of each term of the formula.
    pub values: Vec<f64>,
    /// The value of each factor of the formula.
    pub factors: Vec<f64>,
}

impl Formula {
    /// Adds a weighted term.
    pub fn add(&mut self, name: &str, weight: f64, measure: Measure) {
        self.terms.push(FormulaTerm { name: name.to_owned(), measure, weight });
    }

    /// Adds a factor.
    pub fn multiply(&mut self, name: &str, measure: Measure) {
        self.factors.push(FormulaTerm { name: name.to_owned(), measure, weight: 1.0 });
    }

    /// Scores candidates, which must be in row order. The result has the same order.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn rate(&self, context: &Context, candidates: &[Candidate]) -> Result<Vec<Rated>, SnapshotError> {
        let columns = context.values()?;
        let measured = |terms: &[FormulaTerm]| {
            let measure = |term: &FormulaTerm| term.measure.of_all(context, &columns, candidates);
            terms.iter().map(measure).collect::<Result<Vec<_>, _>>()
        };
        let (terms, factors) = (measured(&self.terms)?, measured(&self.factors)?);
        let rated = candidates.iter().enumerate().map(|(number, candidate)| {
            let own =
                |measured: &[Vec<f64>]| measured.iter().map(|values| values[number]).collect::<Vec<_>>();
            let (values, factors) = (own(&terms), own(&factors));
            let Candidate { row, keyword, vector } = *candidate;
            let score = self.score(&values, &factors);
            Rated { row, score, keyword, vector, values, factors }
        });
        Ok(rated.collect::<Vec<_>>())
    }

    /// Returns the score of a candidate with these values of the terms and factors.
    pub fn score(&self, values: &[f64], factors: &[f64]) -> f64 {
        let sum = self.terms.iter().zip(values).fold(0.0, |sum, (term, value)| sum + term.weight * value);
        let score = factors.iter().fold(sum, |score, factor| score * factor);
        if self.is_clamped { score.clamp(0.0, 1.0) } else { score }
    }

    /// Returns the products and factors of a candidate's score.
    pub fn explain(&self, rated: &Rated) -> Explained {
        let part = |(term, value): (&FormulaTerm, &f64)| ScorePart {
            name: term.name.clone(),
            value: *value,
            weight: Some(term.weight),
            product: term.weight * value,
        };
        let factor = |(term, value): (&FormulaTerm, &f64)| Factor { name: term.name.clone(), value: *value };
        Explained {
            parts: self.terms.iter().zip(&rated.values).map(part).collect::<Vec<_>>(),
            factors: self.factors.iter().zip(&rated.factors).map(factor).collect::<Vec<_>>(),
        }
    }
}

/// Sorts candidates by descending score, ties in row order.
pub fn best_first(rated: &mut [Rated]) {
    sort_by(rated, by_score);
}

/// Compares two candidates: higher score first, then lower row.
pub(crate) fn by_score(a: &Rated, b: &Rated) -> Ordering {
    // `total_cmp` puts −0 before 0; adding zero makes both 0.
    (b.score + 0.0).total_cmp(&(a.score + 0.0)).then(a.row.cmp(&b.row))
}

impl Curve {
    fn of_all(self, raw: Vec<f64>) -> Vec<f64> {
        let greatest = raw.iter().copied().fold(0.0, f64::max);
        let curved = raw.into_iter().map(|x| match self {
            Curve::Plain => x,
            Curve::Capped(most) => (x / most).min(1.0),
            Curve::Saturated => bm25_normalize(x),
            Curve::Positive => x.max(0.0),
            Curve::OfGreatest if greatest > 0.0 => x / greatest,
            Curve::OfGreatest => 0.0,
        });
        curved.collect::<Vec<_>>()
    }
}

impl Measure {
    fn of_all(
        &self,
        context: &Context,
        columns: &[AttributeValues],
        candidates: &[Candidate],
    ) -> Result<Vec<f64>, SnapshotError> {
        let score = |signal: Option<Signal>| signal.map_or(0.0, |signal| signal.score);
        let of_each = |measure: &dyn Fn(&AttributeValues, usize) -> f64| {
            let own = candidates.iter().map(|candidate| {
                let (part, document) = part_of(context.corpus, candidate.row);
                measure(&columns[part], document as usize)
            });
            own.collect::<Vec<_>>()
        };
        Ok(match self {
            Measure::Bm25(curve) => {
                curve.of_all(candidates.iter().map(|candidate| score(candidate.keyword)).collect::<Vec<_>>())
            }
            Measure::Similarity(curve) => {
                curve.of_all(candidates.iter().map(|candidate| score(candidate.vector)).collect::<Vec<_>>())
            }
            Measure::Place => {
                let places =
                    candidates.iter().map(|candidate| candidate.keyword.and_then(|signal| signal.place));
                let total = places.clone().flatten().count();
                places.map(|place| place_score(place, total)).collect::<Vec<_>>()
            }
            Measure::Overlap => overlap(context, candidates)?,
            Measure::Age { attributes, decay, default } => of_each(&|values, document| {
                let at = attributes.iter().find_map(|attribute| values.number(*attribute, document));
                at.map_or(*default, |at| decay.left(at, context.now))
            }),
            Measure::Number { attribute, default } => of_each(&|values, document| {
                attribute.and_then(|attribute| values.number(attribute, document)).unwrap_or(*default)
            }),
            Measure::Word { attribute, values: weights, default } => of_each(&|values, document| {
                let weight = |word: &str| Some(weights.iter().find(|(known, _)| known == word)?.1);
                attribute
                    .and_then(|attribute| values.first_weight(attribute, document, &weight))
                    .unwrap_or(*default)
            }),
            Measure::Shared { attribute, with } => {
                let own = |values: &AttributeValues, document| Some(values.strings((*attribute)?, document));
                of_each(&|values, document| jaccard(&own(values, document).unwrap_or_default(), with))
            }
            Measure::Equal { attribute, to } => {
                let weight = |word: &str| (word == to).then_some(1.0);
                of_each(&|values, document| {
                    attribute.and_then(|own| values.first_weight(own, document, &weight)).unwrap_or(0.0)
                })
            }
            Measure::Given(values) => values.clone(),
            Measure::Greatest(measures) => {
                let mut greatest = vec![f64::NEG_INFINITY; candidates.len()];
                for (scale, measure) in measures {
                    let own = measure.of_all(context, columns, candidates)?;
                    greatest.iter_mut().zip(own).for_each(|(most, value)| *most = most.max(scale * value));
                }
                greatest
            }
        })
    }
}

/// Scales a rank among `total` candidates to 1 for the first down to 0 for the last. A single candidate gets 1, a missing
/// rank 0.
pub(crate) fn place_score(place: Option<usize>, total: usize) -> f64 {
    place.map_or(0.0, |place| normalize_rank_score(place, total))
}

/// Returns the share of the query's terms that each candidate contains, 0 to 1.
pub(crate) fn overlap(context: &Context, candidates: &[Candidate]) -> Result<Vec<f64>, SnapshotError> {
    let terms = context.query_terms();
    if terms.is_empty() {
        return Ok(vec![0.0; candidates.len()]);
    }
    let rows = candidates.iter().map(|candidate| candidate.row).collect::<Vec<_>>();
    let counts = occurrences(context.corpus, &terms, &rows, FieldSet::ALL)?;
    let share =
        |counts: Vec<u32>| counts.iter().filter(|count| **count > 0).count() as f64 / terms.len() as f64;
    Ok(counts.into_iter().map(share).collect::<Vec<_>>())
}
