//! How does a reader of model folders pass on a model? As a static model that is not encoded yet.

use super::wordpiece::WordPieceOptions;

/// A tokenizer with one vector per token; [`StaticModel::encode`] turns it into bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticModel {
    /// The model id of its vectors.
    pub id: String,
    /// The way it splits text into tokens.
    pub tokenizer: ModelTokenizer,
    /// The tokens; row `i` belongs to token `i`.
    pub tokens: Vec<String>,
    /// The number of dimensions of a vector, 1 to 4096.
    pub width: usize,
    /// The concatenated rows, `width` numbers per token.
    pub rows: Vec<i8>,
    /// The factor of each row: its quantisation step times its token's weight.
    pub scales: Vec<f32>,
}

/// The supported ways of splitting text into tokens.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelTokenizer {
    /// WordPiece, as BERT uses it.
    WordPiece {
        /// Normalisation and limits.
        options: WordPieceOptions,
        /// The prefix of a token that continues a word, such as `##`.
        continuing_prefix: String,
    },
    /// Byte-pair encoding, as Llama uses it: byte fallback, spaces as `▁`, one space before the text.
    Bpe {
        /// The pairs to join, in the order in which the model learned them.
        merges: Vec<(String, String)>,
    },
}

/// The reasons why a model's parts contradict each other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StaticModelError {
    /// The width is out of range.
    #[error("the model has vectors of {width} numbers; 1 to 4096 are supported")]
    Width {
        /// The model's width.
        width: usize,
    },
    /// The number of rows or scales differs from the number of tokens.
    #[error(
        "{tokens} tokens of width {width} need one scale and one row each, but there are {scales} scales and {numbers} numbers"
    )]
    Rows {
        /// The number of tokens.
        tokens: usize,
        /// The number of dimensions of a row.
        width: usize,
        /// The number of scales.
        scales: usize,
        /// The number of values in all rows together.
        numbers: usize,
    },
    /// A value is infinite or not a number.
    #[error("the vector of token \"{token}\" contains a number that is not finite")]
    NotFinite {
        /// The token.
        token: String,
    },
    /// A token is the empty string.
    #[error("one of the tokens is empty")]
    EmptyToken,
    /// A token occurs twice in the vocabulary.
    #[error("token \"{token}\" occurs twice in the vocabulary")]
    TokenTwice {
        /// The token.
        token: String,
    },
    /// A merge names a token that is not in the vocabulary.
    #[error("a merge names token \"{token}\", which is not in the vocabulary")]
    UnknownMerge {
        /// The token.
        token: String,
    },
    /// A part of the model is too large for the section.
    #[error("the model is too large; each of its parts must be smaller than 4 GiB")]
    TooLarge,
}

impl StaticModel {
    /// Creates a model from vectors in full precision.
    ///
    /// Each row is divided by a 127th of its largest absolute value, so that its numbers become integers from −127 to
    /// 127. `weights` has one factor per token.
    ///
    /// # Errors
    ///
    /// Fails when the numbers of tokens, vectors and weights differ, or when a value is not finite.
    pub fn quantised(
        id: String,
        tokenizer: ModelTokenizer,
        tokens: Vec<String>,
        vectors: &[f32],
        weights: Option<&[f32]>,
    ) -> Result<StaticModel, StaticModelError> {
        let width = vectors.len() / tokens.len().max(1);
        let scale_count = weights.map_or(tokens.len(), <[f32]>::len);
        if width == 0 || vectors.len() != width * tokens.len() || scale_count != tokens.len() {
            let numbers = vectors.len();
            return Err(StaticModelError::Rows { tokens: tokens.len(), width, scales: scale_count, numbers });
        }
        let mut rows = Vec::with_capacity(vectors.len());
        let mut scales = Vec::with_capacity(tokens.len());
        for (index, (vector, token)) in vectors.chunks_exact(width).zip(&tokens).enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[index]);
            let largest = vector.iter().fold(0.0f32, |largest, value| largest.max(value.abs()));
            if !vector.iter().all(|value| value.is_finite()) || !weight.is_finite() {
                return Err(StaticModelError::NotFinite { token: token.clone() });
            }
            let unit = largest / 127.0;
            // A row of zeros, or of numbers so small that the step underflows to zero, stays zero.
            let step = |value: &f32| {
                if unit > 0.0 { (value / unit).round_ties_even().clamp(-127.0, 127.0) as i8 } else { 0 }
            };
            rows.extend(vector.iter().map(step));
            scales.push(unit * weight);
        }
        Ok(StaticModel { id, tokenizer, tokens, width, rows, scales })
    }

    /// Checks that the parts fit each other.
    pub(super) fn check(&self) -> Result<(), StaticModelError> {
        let (width, tokens) = (self.width, self.tokens.len());
        if !(1..=4096).contains(&width) {
            return Err(StaticModelError::Width { width });
        }
        if self.scales.len() != tokens || self.rows.len() != tokens * width {
            let (scales, numbers) = (self.scales.len(), self.rows.len());
            return Err(StaticModelError::Rows { tokens, width, scales, numbers });
        }
        if self.tokens.iter().any(String::is_empty) {
            return Err(StaticModelError::EmptyToken);
        }
        if let Some((_, token)) = self.scales.iter().zip(&self.tokens).find(|(scale, _)| !scale.is_finite()) {
            return Err(StaticModelError::NotFinite { token: token.clone() });
        }
        let text = self.tokens.iter().map(String::len).sum::<usize>();
        let merges = if let ModelTokenizer::Bpe { merges } = &self.tokenizer { merges.len() } else { 0 };
        let is_small = |len: usize| u32::try_from(len).is_ok();
        if [text, tokens, merges, self.id.len()].into_iter().all(is_small) {
            Ok(())
        } else {
            Err(StaticModelError::TooLarge)
        }
    }
}
