//! The explanation of a score, in one shape for every recipe.

use super::formula::Rated;
use super::legs::Signal;
use serde::Serialize;

/// The explanation of a score: the signal of each leg, and the products and factors that made the score.
///
/// The products of the parts add up; the sum is multiplied by every factor.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Explain {
    /// The keyword signal; `None` if no word matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword: Option<ExplainedKeyword>,
    /// The vector signal; `None` if the vector leg did not run, or the record has no vector.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector: Option<ExplainedVector>,
    /// The parts and factors of the score.
    #[serde(flatten)]
    pub score: Explained,
}

impl Explain {
    /// Combines the signals of a rated candidate with the explanation of its score.
    pub fn of(rated: &Rated, score: Explained) -> Explain {
        Explain {
            keyword: rated.keyword.map(ExplainedKeyword::of),
            vector: rated.vector.map(ExplainedVector::of),
            score,
        }
    }
}

/// The parts and factors of a score.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Explained {
    /// The products that add up to the sum.
    pub parts: Vec<ScorePart>,
    /// The factors that multiply the sum.
    pub factors: Vec<Factor>,
}

impl Explained {
    /// Explains a score that is a weighted sum; each part is given as name, value and weight.
    pub fn sum(parts: &[(&str, f64, f64)]) -> Explained {
        let part = |(name, value, weight): &(&str, f64, f64)| ScorePart {
            name: (*name).to_owned(),
            value: *value,
            weight: Some(*weight),
            product: weight * value,
        };
        Explained { parts: parts.iter().map(part).collect(), factors: Vec::new() }
    }

    /// Computes the score from the parts and factors, before it is clamped.
    pub fn score(&self) -> f64 {
        let sum = self.parts.iter().fold(0.0, |sum, part| sum + part.product);
        self.factors.iter().fold(sum, |score, factor| score * factor.value)
    }
}

/// One weighted signal of a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScorePart {
    /// The name of the signal.
    pub name: String,
    /// The value of the signal.
    pub value: f64,
    /// The weight of the signal; `None` if it differs from hit to hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The amount that the signal adds to the score.
    pub product: f64,
}

/// A number that multiplies a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Factor {
    /// The name of the factor.
    pub name: String,
    /// The value of the factor.
    pub value: f64,
}

/// The signal of the vector leg.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ExplainedVector {
    /// The cosine, the inner product, or the negative distance.
    pub similarity: f64,
    /// The rank among the candidates of the vector leg, from 0; `None` if that leg did not return the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
}

impl ExplainedVector {
    /// Explains the signal of a candidate.
    pub fn of(signal: Signal) -> ExplainedVector {
        ExplainedVector { similarity: signal.score, place: signal.place }
    }
}

/// The signal of the keyword leg: BM25.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ExplainedKeyword {
    /// FTS5's rank: negative, lower is better.
    pub bm25: f64,
    /// The rank among the candidates of the keyword leg, from 0; `None` if that leg did not return the record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// The length of the record and the share of each phrase; `None` if the recipe does not compute them.
    #[serde(flatten)]
    pub details: Option<KeywordDetails>,
}

impl ExplainedKeyword {
    /// Explains the signal of a candidate.
    pub fn of(signal: Signal) -> ExplainedKeyword {
        // `-0.0` would show up as −0 in JSON, so subtract instead of negating.
        ExplainedKeyword { bm25: 0.0 - signal.score, place: signal.place, details: None }
    }
}

/// The BM25 score per phrase. The parts of the phrases add up to −`bm25`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeywordDetails {
    /// The number of tokens in the record.
    pub length: u32,
    /// The average number of tokens per record.
    pub average_length: f64,
    /// The share of each phrase.
    pub phrases: Vec<ExplainedPhrase>,
}

/// The share of one phrase in a BM25 score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedPhrase {
    /// The phrase, as terms of the index.
    pub phrase: String,
    /// The number of records that contain it.
    pub hits: u64,
    /// The inverse document frequency.
    pub idf: f64,
    /// The weighted number of occurrences in this record.
    pub frequency: f64,
    /// The amount that the phrase adds to the score.
    pub part: f64,
}
