//! How does a recipe make one score of many signals?
//!
//! A [`Formula`] is data: terms that are weighed and added up, factors that the sum is multiplied by, and perhaps a clamp
//! to 0 to 1. What it makes of a candidate can be told term by term ([`Formula::explain`]): the parts add up and are
//! multiplied to the score.

use super::explain::{Explained, Factor, ScorePart};
use super::legs::{Candidate, Signal};
use crate::analysis::{Analyzer, Purpose};
use crate::attributes::AttributeValues;
use crate::ids::FieldSet;
use crate::order::sort_by;
use crate::ranking::{bm25_normalize, exponential_decay, half_life_decay, jaccard, recency_boost};
use crate::retrieval::{self, Corpus, occurrences, part_of};
use crate::schema::Schema;
use crate::snapshot::SnapshotError;
use std::cmp::Ordering;

/// What a recipe works with.
#[derive(Clone, Copy, Debug)]
pub struct Context<'a> {
    /// The segments.
    pub corpus: &'a Corpus<'a>,
    /// What is text and what is an attribute.
    pub schema: &'a Schema,
    /// What breaks text into terms.
    pub analyzer: &'a Analyzer,
    /// What was asked.
    pub query: &'a str,
    /// Now, in milliseconds.
    pub now: f64,
}

impl<'a> Context<'a> {
    /// The terms of the query, each once, in order.
    pub fn query_terms(&self) -> Vec<Vec<u8>> {
        distinct_terms(self.analyzer, self.query)
    }

    /// The attributes of every segment.
    ///
    /// # Errors
    /// When the attributes are damaged.
    pub fn values(&self) -> Result<Vec<AttributeValues<'a>>, SnapshotError> {
        self.corpus.parts.iter().map(retrieval::LiveSegment::values).collect::<Result<Vec<_>, _>>()
    }
}

/// The terms of a text, each once, in order.
pub fn distinct_terms(analyzer: &Analyzer, text: &str) -> Vec<Vec<u8>> {
    let mut distinct = Vec::new();
    for term in terms(analyzer, text, Purpose::Query) {
        if !distinct.contains(&term) {
            distinct.push(term);
        }
    }
    distinct
}

/// The terms of a text, in order.
pub(crate) fn terms(analyzer: &Analyzer, text: &str, purpose: Purpose) -> Vec<Vec<u8>> {
    let mut terms = Vec::new();
    analyzer.spans(text, purpose, |span| {
        let mut term = Vec::new();
        analyzer.term(&text[span.start..span.end], &mut term);
        terms.push(term);
    });
    terms
}

/// What can be said of a candidate, as a number.
#[derive(Clone, Debug, PartialEq)]
pub enum Measure {
    /// How well words match: bm25 as a positive number, 0 where none does.
    Bm25(Curve),
    /// How near its vector is, 0 where it has none.
    Similarity(Curve),
    /// Its place among what the words found: 1 for the first, 0 for the last, and for what they did not find.
    Place,
    /// The share of the query's terms that it has.
    Overlap,
    /// What is left at its age.
    Age {
        /// The attributes that tell when: the first that has a value.
        attributes: Vec<usize>,
        /// How things fade.
        decay: Decay,
        /// For what has no time.
        default: f64,
    },
    /// A number of its own.
    Number {
        /// The attribute; none where the schema lacks it.
        attribute: Option<usize>,
        /// For what has none.
        default: f64,
    },
    /// What a word of its own is worth.
    Word {
        /// The attribute; none where the schema lacks it.
        attribute: Option<usize>,
        /// What each word is worth.
        values: Vec<(String, f64)>,
        /// For other words and none.
        default: f64,
    },
    /// How much of its words it shares with others: their Jaccard index, whatever their case.
    Shared {
        /// The attribute; none where the schema lacks it.
        attribute: Option<usize>,
        /// The others.
        with: Vec<String>,
    },
    /// 1 where it is this word, otherwise 0.
    Equal {
        /// The attribute; none where the schema lacks it.
        attribute: Option<usize>,
        /// The word.
        to: String,
    },
    /// What was worked out elsewhere, by candidate.
    Given(Vec<f64>),
    /// The greatest of several, each multiplied by its scale.
    Greatest(Vec<(f64, Measure)>),
}

/// How a raw signal becomes a part of a score.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Curve {
    /// As it is.
    Plain,
    /// Divided by this, and at most 1.
    Capped(f64),
    /// x / (1 + x).
    Saturated,
    /// At least 0.
    Positive,
    /// Divided by the greatest of all candidates'.
    OfGreatest,
}

/// How things fade with age.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Decay {
    /// By the logarithm of the age (P5), never below the floor.
    Logarithmic {
        /// The floor.
        floor: f64,
    },
    /// By this share a day.
    Exponential {
        /// The share.
        rate: f64,
    },
    /// By half in so many days.
    HalfLife {
        /// The days.
        days: f64,
    },
}

impl Decay {
    /// What is left, now, of what is as old as this.
    pub fn left(self, at: f64, now: f64) -> f64 {
        match self {
            Decay::Logarithmic { floor } => recency_boost(at, now, floor),
            Decay::Exponential { rate } => exponential_decay(at, now, rate),
            Decay::HalfLife { days } => half_life_decay(at, now, days),
        }
    }
}

/// A measure under its name, and what it counts.
#[derive(Clone, Debug, PartialEq)]
pub struct FormulaTerm {
    /// What it is called in explanations.
    pub name: String,
    /// What is measured.
    pub measure: Measure,
    /// What it counts.
    pub weight: f64,
}

/// How a score is made.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Formula {
    /// What is added up.
    pub terms: Vec<FormulaTerm>,
    /// What the sum is multiplied by; their weights do not count.
    pub factors: Vec<FormulaTerm>,
    /// Whether the score is brought to 0 to 1.
    pub is_clamped: bool,
}

/// A candidate with its score.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rated {
    /// The row.
    pub row: u32,
    /// How well it fits: higher is better.
    pub score: f64,
    /// What words say.
    pub keyword: Option<Signal>,
    /// What vectors say.
    pub vector: Option<Signal>,
    /// What each term of the formula measured.
    pub values: Vec<f64>,
    /// What each factor of the formula measured.
    pub factors: Vec<f64>,
}

impl Formula {
    /// Adds a measure under its name, and what it counts.
    pub fn add(&mut self, name: &str, weight: f64, measure: Measure) {
        self.terms.push(FormulaTerm { name: name.to_owned(), measure, weight });
    }

    /// Multiplies by a measure.
    pub fn multiply(&mut self, name: &str, measure: Measure) {
        self.factors.push(FormulaTerm { name: name.to_owned(), measure, weight: 1.0 });
    }

    /// Rates candidates; they are in row order, and so is what is given back.
    ///
    /// # Errors
    /// When the snapshot is damaged.
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

    /// What a candidate scores by what was measured.
    pub fn score(&self, values: &[f64], factors: &[f64]) -> f64 {
        let sum = self.terms.iter().zip(values).fold(0.0, |sum, (term, value)| sum + term.weight * value);
        let score = factors.iter().fold(sum, |score, factor| score * factor);
        if self.is_clamped { score.clamp(0.0, 1.0) } else { score }
    }

    /// How a candidate's score was made.
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

/// Best first; equal scores in row order.
pub fn best_first(rated: &mut [Rated]) {
    sort_by(rated, by_score);
}

/// The better one first, or else the first row.
pub(crate) fn by_score(a: &Rated, b: &Rated) -> Ordering {
    // Adding zero makes the two zeros one.
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
            Measure::Word { attribute, values: worths, default } => of_each(&|values, document| {
                let worth = |word: &str| Some(worths.iter().find(|(known, _)| known == word)?.1);
                attribute
                    .and_then(|attribute| values.first_weight(attribute, document, &worth))
                    .unwrap_or(*default)
            }),
            Measure::Shared { attribute, with } => {
                let own = |values: &AttributeValues, document| Some(values.strings((*attribute)?, document));
                of_each(&|values, document| jaccard(&own(values, document).unwrap_or_default(), with))
            }
            Measure::Equal { attribute, to } => {
                let worth = |word: &str| (word == to).then_some(1.0);
                of_each(&|values, document| {
                    attribute.and_then(|own| values.first_weight(own, document, &worth)).unwrap_or(0.0)
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

/// What a place among so many is worth: 1 for the first, 0 for the last; 1 where there is one alone.
pub(crate) fn place_score(place: Option<usize>, total: usize) -> f64 {
    match place {
        None => 0.0,
        Some(_) if total <= 1 => 1.0,
        Some(place) => 1.0 - place as f64 / (total - 1) as f64,
    }
}

/// The share of the query's terms that each candidate has.
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
