//! How does a hit explain its score? In one shape for every recipe.

use super::formula::Rated;
use super::legs::Signal;
use serde::Serialize;

/// The explanation of a score: the signal of each leg, and the products and factors that made the score.
///
/// The products of the parts add up; the sum is multiplied by every factor.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Explain {
    /// The keyword signal; none where no word matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyword: Option<ExplainedKeyword>,
    /// The vector signal; none where vectors were not compared, or the record has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vector: Option<ExplainedVector>,
    /// The parts and factors of the score.
    #[serde(flatten)]
    pub score: Explained,
}

impl Explain {
    /// Explains a candidate that a formula rated.
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
    /// The products that were added up.
    pub parts: Vec<ScorePart>,
    /// The numbers that the sum was multiplied by.
    pub factors: Vec<Factor>,
}

impl Explained {
    /// Explains a score that is the sum of weighted values: name, value, weight.
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

/// One part of a score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ScorePart {
    /// The name of the signal.
    pub name: String,
    /// The value of the signal.
    pub value: f64,
    /// The weight of the signal; none where it differs from hit to hit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// The amount that the signal adds to the score.
    pub product: f64,
}

/// A number that a score was multiplied by.
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
    /// The rank among the nearest, from 0; none where the leg did not return it as a candidate.
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
    /// The rank among the best, from 0; none where the leg did not return it as a candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<usize>,
    /// The number of tokens of the record and of the average record, and the share of each phrase.
    #[serde(flatten)]
    pub details: Option<KeywordDetails>,
}

impl ExplainedKeyword {
    /// Explains the signal of a candidate.
    pub fn of(signal: Signal) -> ExplainedKeyword {
        // Negating a zero would give −0.
        ExplainedKeyword { bm25: 0.0 - signal.score, place: signal.place, details: None }
    }
}

/// BM25 phrase by phrase. The parts of the phrases add up to the negative of `bm25`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeywordDetails {
    /// The number of tokens of the record.
    pub length: u32,
    /// The average number of tokens per record.
    pub average_length: f64,
    /// The share of each phrase.
    pub phrases: Vec<ExplainedPhrase>,
}

/// The share of one phrase in a BM25 score.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExplainedPhrase {
    /// The phrase as it was searched for.
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
