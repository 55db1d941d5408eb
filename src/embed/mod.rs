//! How does text become a vector, here, without a model server?
//!
//! Two ways, both in wasm and with the same bits everywhere. [`HashEmbedder`] needs no file: words, pairs and letters
//! hashed into a vector, which finds texts that share them. A static model ([`StaticModelView`]) is a table with a
//! vector for each token, learned from a sentence transformer, and carried in the snapshot; a text is the sum of its
//! tokens, which finds what means the same in other words.

mod bert_tables;
mod bpe;
mod hash;
mod model;
mod normal;
mod table;
mod vocabulary;
mod wordpiece;

pub use hash::HashEmbedder;
pub use model::{StaticModel, StaticModelError, Tokenizer};
pub use table::StaticModelView;
pub use wordpiece::{WordPieceOptions, bert_words};

/// Makes vectors of texts.
pub trait Embedder {
    /// What its vectors are called: vectors of different ids are never compared.
    fn id(&self) -> &str;

    /// Tells models of the same id apart.
    fn fingerprint(&self) -> u64;

    /// [`Embedder::fingerprint`] as it is shown: sixteen hexadecimal digits.
    fn fingerprint_text(&self) -> String {
        format!("{:016x}", self.fingerprint())
    }

    /// How many numbers a vector has.
    fn width(&self) -> usize;

    /// The vector of a text, of length one; zeros where there is nothing to go by.
    fn embed(&self, text: &str) -> Vec<f32>;
}

/// The sum, divided by its length; a sum of zeros, or one that is too large to have a length, becomes zeros.
fn normalised(sum: &[f64]) -> Vec<f32> {
    let square = sum.iter().fold(0.0, |square, value| square + value * value);
    let length = square.sqrt();
    let is_usable = length > 0.0 && length.is_finite();
    sum.iter().map(|value| if is_usable { (value / length) as f32 } else { 0.0 }).collect::<Vec<_>>()
}
