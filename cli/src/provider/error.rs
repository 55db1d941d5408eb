//! Why can a text not be embedded?

use super::bert::BertError;
use super::cancel::Cancelled;
use thiserror::Error;

/// A provider cannot start, or returned no vectors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// There is no provider of this name.
    #[error("there is no embedding provider {name}; there are {}", super::NAMES.join(", "))]
    UnknownProvider { name: String },
    /// The provider has no default model.
    #[error("name a model after a colon, such as {provider}:{example}")]
    ModelMissing { provider: &'static str, example: &'static str },
    /// The batch size exceeds the limit of the server.
    #[error("{provider} takes at most {most} texts per request, not {asked}; pass a smaller --embed-batch")]
    BatchTooLarge { provider: &'static str, asked: usize, most: usize },
    /// The base URL is malformed.
    #[error("{url} is not a base URL: {reason}")]
    BadBaseUrl { url: String, reason: &'static str },
    /// The provider needs a key.
    #[error("{provider} needs a key; set {variable}, or pass --api-key")]
    KeyMissing { provider: &'static str, variable: &'static str },
    /// A key contains characters that no key has.
    #[error("a key of {provider} contains spaces or characters other than ASCII; copy the key again")]
    UnusableKey { provider: &'static str },
    /// The server refused every key.
    #[error(
        "{provider} accepted none of the keys{}; check them, and what they may be used for",
        because(last)
    )]
    KeysRefused { provider: &'static str, last: Option<AttemptFailure> },
    /// The server rejected the request.
    #[error("{provider} refused the request to {url}: {}{}", Status(*status), quoted(said))]
    Refused { provider: &'static str, url: String, status: u16, said: String },
    /// Every attempt failed.
    #[error("{provider} gave no vectors at {url} in {attempts} attempts; in the last one, {last}")]
    Unreachable { provider: &'static str, url: String, attempts: u32, last: AttemptFailure },
    /// The response does not fit the request.
    #[error(
        "{model} answered, but {fault}; check that it is an embedding model, and that the base URL is right"
    )]
    WrongAnswer { model: String, fault: WrongAnswer },
    /// Ollama does not have the model.
    #[error("ollama has no model {model}; `ollama pull {model}` fetches it")]
    NotPulled { model: String },
    /// The folder of a local model cannot be used.
    #[error(transparent)]
    Bert(#[from] BertError),
    /// The work was cancelled.
    #[error("embedding was interrupted")]
    Cancelled,
}

impl From<Cancelled> for ProviderError {
    fn from(_: Cancelled) -> ProviderError {
        ProviderError::Cancelled
    }
}

impl ProviderError {
    /// Whether the arguments are at fault.
    pub fn is_usage(&self) -> bool {
        use ProviderError::{BadBaseUrl, BatchTooLarge, ModelMissing, UnknownProvider};
        matches!(
            self,
            UnknownProvider { .. } | ModelMissing { .. } | BatchTooLarge { .. } | BadBaseUrl { .. }
        )
    }
}

/// Why an attempt failed.
#[derive(Clone, Debug, Error)]
#[non_exhaustive]
pub enum AttemptFailure {
    /// The server reported an error.
    #[error("it answered {}{}", Status(*status), quoted(said))]
    Status { status: u16, said: String },
    /// No connection was made in time.
    #[error("no connection was made in time")]
    NoConnection,
    /// The server did not respond in time.
    #[error("it took too long; pass a longer --embed-timeout")]
    TooSlow,
    /// The connection broke.
    #[error("the connection failed: {reason}")]
    Broken { reason: String },
    /// The response has another form.
    #[error("its answer is not embeddings ({reason}){}", quoted(said))]
    NotTheAnswer { reason: String, said: String },
}

/// Why a response does not fit its request.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrongAnswer {
    /// The number of vectors is wrong.
    #[error("with {got} vectors for {asked} texts")]
    Count { asked: usize, got: usize },
    /// A vector names a text that was not sent, or that has a vector already.
    #[error("its vector {index} is for none of the {asked} texts, or for a text that already has one")]
    Index { index: usize, asked: usize },
    /// A vector contains NaN or an infinity.
    #[error("vector {at} contains a value that is not a finite number")]
    NotANumber { at: usize },
    /// The vectors differ in width.
    #[error("vector {at} has {got} dimensions where {expected} were expected")]
    Width { at: usize, got: usize, expected: usize },
    /// A snapshot cannot hold vectors of this width.
    #[error("its vectors have {got} dimensions, and a snapshot stores 1 to {most}")]
    WidthOutOfRange { got: usize, most: usize },
}

/// Displays a status with its name.
struct Status(u16);

impl std::fmt::Display for Status {
    fn fmt(&self, formatter: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(formatter, "{}", self.0)?;
        let known = ureq::http::StatusCode::from_u16(self.0).ok();
        match known.and_then(|status| status.canonical_reason()) {
            Some(name) => write!(formatter, " {name}"),
            None => Ok(()),
        }
    }
}

fn quoted(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!(" and said “{said}”") }
}

fn because(failure: &Option<AttemptFailure>) -> String {
    failure.as_ref().map_or_else(String::new, |failure| format!(" ({failure})"))
}
