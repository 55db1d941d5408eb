//! Why can a folder not be used as a BERT?

use std::path::PathBuf;
use thiserror::Error;

/// The folder of a local model cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum BertError {
    /// A file is not there, or is not ours to read.
    #[error("{} cannot be read: {source}; bert takes the folder of a sentence-transformer", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    /// A file is no JSON, or lacks something.
    #[error("{} cannot be understood: {reason}", path.display())]
    BadFile { path: PathBuf, reason: String },
    /// The tokens cannot be found as this model needs them.
    #[error(
        "tokenizer.json cannot be used: {reason}; bert reads WordPiece tokenizers with BERT's normalizer"
    )]
    Tokenizer { reason: String },
    /// The weights cannot be read.
    #[error("model.safetensors cannot be used: {reason}")]
    Weights { reason: String },
    /// The model is of a kind that is not computed here.
    #[error("{what} is not supported; bert computes BERT encoders with mean or CLS pooling")]
    Unsupported { what: String },
}
