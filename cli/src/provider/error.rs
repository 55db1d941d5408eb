//! What can go wrong between texts and their vectors?

use super::bert::BertError;
use super::cancel::Cancelled;
use thiserror::Error;

/// A provider cannot start, or gave no vectors.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ProviderError {
    /// The name before the colon is none of ours.
    #[error("there is no embedding provider {name}; there are {}", super::NAMES.join(", "))]
    UnknownProvider { name: String },
    /// The provider has no model of its own choice.
    #[error("say which model after a colon, such as {provider}:{example}")]
    ModelMissing { provider: &'static str, example: &'static str },
    /// A request would hold more texts than the server takes.
    #[error("{provider} takes at most {most} texts a request, not {asked}")]
    BatchTooLarge { provider: &'static str, asked: usize, most: usize },
    /// The address is none.
    #[error("{url} is no base URL: {reason}")]
    BadBaseUrl { url: String, reason: &'static str },
    /// The provider needs a key.
    #[error("{provider} needs a key; set {variable}, or pass --api-key")]
    KeyMissing { provider: &'static str, variable: &'static str },
    /// A key that was pasted with more than the key.
    #[error(
        "a key of {provider} has spaces or characters beyond ASCII in it; is it whole, and nothing else?"
    )]
    UnusableKey { provider: &'static str },
    /// No key is left.
    #[error(
        "{provider} accepted none of the keys{}; check them, and what they may be used for",
        because(last)
    )]
    KeysRefused { provider: &'static str, last: Option<Failure> },
    /// The server understood, and will not do it.
    #[error("{provider} refused the request to {url}: {}{}", Status(*status), quoted(said))]
    Refused { provider: &'static str, url: String, status: u16, said: String },
    /// Every attempt failed.
    #[error("{provider} gave no answer at {url} in {attempts} attempts; at last {last}")]
    Unreachable { provider: &'static str, url: String, attempts: u32, last: Failure },
    /// The answer is not one for the question.
    #[error("{model} answered, but {fault}; is it a model for embeddings, behind the right base URL?")]
    WrongAnswer { model: String, fault: WrongAnswer },
    /// The model is not there.
    #[error("ollama has no model {model}; `ollama pull {model}` fetches it")]
    NotPulled { model: String },
    /// The folder of a local model cannot be used.
    #[error(transparent)]
    Bert(#[from] BertError),
    /// Someone asked to stop.
    #[error("embedding was interrupted")]
    Cancelled,
}

impl From<Cancelled> for ProviderError {
    fn from(_: Cancelled) -> ProviderError {
        ProviderError::Cancelled
    }
}

impl ProviderError {
    /// Whether the command line is at fault, and not the world.
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
pub enum Failure {
    /// The server says that it cannot.
    #[error("it answered {}{}", Status(*status), quoted(said))]
    Status { status: u16, said: String },
    /// Nobody is there.
    #[error("no connection came about in time")]
    NoConnection,
    /// Somebody is there, and says nothing.
    #[error("it took too long; --embed-timeout gives it more time")]
    TooSlow,
    /// The connection went away.
    #[error("the connection failed: {reason}")]
    Broken { reason: String },
    /// The server answers, with something else.
    #[error("it answered with something else than embeddings ({reason}){}", quoted(said))]
    NotTheAnswer { reason: String, said: String },
}

/// Why an answer is not one for the question.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum WrongAnswer {
    /// Vectors are missing, or there are too many.
    #[error("with {got} vectors for {asked} texts")]
    Count { asked: usize, got: usize },
    /// A vector is for a text that was not asked about, or for one that already has one.
    #[error("its vector {index} belongs to none of the {asked} texts, or to one that has its vector")]
    Index { index: usize, asked: usize },
    /// A vector holds what is no number.
    #[error("vector {at} holds something that is no finite number")]
    NotANumber { at: usize },
    /// Vectors of several widths cannot be compared.
    #[error("vector {at} has {got} dimensions where {expected} were expected")]
    Width { at: usize, got: usize, expected: usize },
    /// No snapshot can hold it.
    #[error("its vectors have {got} dimensions, and a snapshot holds 1 to {most}")]
    WidthOutOfRange { got: usize, most: usize },
}

/// A status as people know it: with its name.
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

fn because(failure: &Option<Failure>) -> String {
    failure.as_ref().map_or_else(String::new, |failure| format!(" ({failure})"))
}
