//! Why can a folder not be used as a BERT?

use std::path::PathBuf;
use thiserror::Error;

/// The folder of a local model cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BertError {
    /// A file is missing or unreadable.
    #[error("{} cannot be read: {source}; bert takes the folder of a sentence-transformer", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// A file is malformed or incomplete.
    #[error("{} cannot be understood: {reason}", path.display())]
    BadFile { path: PathBuf, reason: String },
    /// The tokenizer is of an unsupported kind.
    #[error(
        "tokenizer.json cannot be used: {reason}; bert reads WordPiece tokenizers with BERT's normalizer"
    )]
    Tokenizer { reason: String },
    /// The weights are malformed.
    #[error("model.safetensors cannot be used: {reason}")]
    Weights { reason: String },
    /// The model is of an unsupported kind.
    #[error("{what} is not supported; bert computes BERT encoders with mean or CLS pooling")]
    Unsupported { what: String },
}
