//! How does text become a vector without a model server?
//!
//! There are two embedders. Both run in WebAssembly and return the same bits on every machine. [`HashEmbedder`] needs no
//! file: it hashes words, word pairs and letters, and finds texts that share them. A static model
//! ([`StaticModelView`]) is a table with one vector per token, distilled from a sentence transformer and stored in the
//! snapshot. It sums the vectors of a text's tokens, and finds texts with the same meaning in other words.

mod bert_tables;
mod bpe;
mod hash;
mod model;
mod neighbours;
mod normal;
mod rows;
mod table;
mod vocabulary;
mod wordpiece;

pub use hash::HashEmbedder;
pub use model::{ModelTokenizer, StaticModel, StaticModelError};
pub use neighbours::TokenNeighbours;
pub use table::StaticModelView;
pub use wordpiece::{WordPieceOptions, bert_words};

/// Turns texts into vectors.
pub trait Embedder {
    /// Returns the model id. Vectors with different ids are never compared.
    fn id(&self) -> &str;

    /// Returns a number that distinguishes models with the same id.
    fn fingerprint(&self) -> u64;

    /// Returns [`Embedder::fingerprint`] as sixteen hexadecimal digits.
    fn fingerprint_text(&self) -> String {
        format!("{:016x}", self.fingerprint())
    }

    /// Returns the number of dimensions of a vector.
    fn width(&self) -> usize;

    /// Embeds a text. The vector has length 1, or is all zeros if the text has no known token.
    fn embed(&self, text: &str) -> Vec<f32>;
}

/// Divides `sum` by its length. Returns zeros if the length is zero or infinite.
fn normalised(sum: &[f64]) -> Vec<f32> {
    let square = sum.iter().fold(0.0, |square, value| square + value * value);
    let length = square.sqrt();
    let is_usable = length > 0.0 && length.is_finite();
    sum.iter().map(|value| if is_usable { (value / length) as f32 } else { 0.0 }).collect::<Vec<_>>()
}
