//! A static model before it is encoded: what a reader of model folders hands over.

use super::wordpiece::WordPieceOptions;

/// A tokenizer with a vector for each of its tokens; [`StaticModel::encode`] makes bytes of it.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticModel {
    /// What vectors made with it are called.
    pub id: String,
    /// How text is broken.
    pub tokenizer: Tokenizer,
    /// The tokens, each with its row.
    pub tokens: Vec<String>,
    /// How many numbers a vector has, 1 to 4096.
    pub width: usize,
    /// The rows, one after another.
    pub rows: Vec<i8>,
    /// What each row is multiplied with: its unit, times its token's weight.
    pub scales: Vec<f32>,
}

/// How text is broken.
#[derive(Clone, Debug, PartialEq)]
pub enum Tokenizer {
    /// As BERT does it.
    WordPiece {
        /// Normalisation and limits.
        options: WordPieceOptions,
        /// What marks a token that continues a word: `##`.
        continuing_prefix: String,
    },
    /// As Llama does it: byte fallback, spaces as `▁`, one before the text.
    Bpe {
        /// The pairs to be joined, the one learned first first.
        merges: Vec<(String, String)>,
    },
}

/// Parts of a model that do not fit each other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StaticModelError {
    /// The width is out of range.
    #[error("a vector has 1 to 4096 numbers, the model says {width}")]
    Width {
        /// What it says.
        width: usize,
    },
    /// There is not one row and one scale for each token.
    #[error(
        "{tokens} tokens of {width} numbers need a scale and a row each, not {scales} scales and {numbers} numbers"
    )]
    Rows {
        /// How many tokens there are.
        tokens: usize,
        /// How many numbers a row has.
        width: usize,
        /// How many scales there are.
        scales: usize,
        /// How many numbers there are.
        numbers: usize,
    },
    /// A value is infinite or not a number.
    #[error("the vector of the token {token} is not finite")]
    NotFinite {
        /// Which token.
        token: String,
    },
    /// A token without text.
    #[error("one of the tokens is empty")]
    EmptyToken,
    /// A token stands twice in the vocabulary.
    #[error("the token {token} stands twice in the vocabulary")]
    TokenTwice {
        /// Which token.
        token: String,
    },
    /// A pair to be joined is not in the vocabulary.
    #[error("the merges name {token}, which is not in the vocabulary")]
    UnknownMerge {
        /// Which token.
        token: String,
    },
    /// More than fits the section.
    #[error("the model is too large: its parts have to be smaller than 4 GiB")]
    TooLarge,
}

impl StaticModel {
    /// The model of vectors in full precision: each row is divided by its largest number, so that it becomes −127 to
    /// 127; `weights`, one a token, multiply rows.
    ///
    /// # Errors
    ///
    /// When the numbers of tokens, vectors and weights differ, or something is not finite.
    pub fn quantised(
        id: String,
        tokenizer: Tokenizer,
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
            // A row of zeros, or of numbers so small that their unit is zero, stays zero.
            let step = |value: &f32| {
                if unit > 0.0 { (value / unit).round_ties_even().clamp(-127.0, 127.0) as i8 } else { 0 }
            };
            rows.extend(vector.iter().map(step));
            scales.push(unit * weight);
        }
        Ok(StaticModel { id, tokenizer, tokens, width, rows, scales })
    }

    /// Whether the parts fit each other.
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
        let merges = if let Tokenizer::Bpe { merges } = &self.tokenizer { merges.len() } else { 0 };
        let is_small = |len: usize| u32::try_from(len).is_ok();
        if [text, tokens, merges, self.id.len()].into_iter().all(is_small) {
            Ok(())
        } else {
            Err(StaticModelError::TooLarge)
        }
    }
}
