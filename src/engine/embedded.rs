//! The vectors that a host passes to a call, and the failures of its `embed` function.

use super::SearchError;
use crate::json::Json;
use crate::options::{Options, OptionsError};
use serde::Serialize;

/// The texts that a host embeds before a write.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TextsToEmbed {
    /// The texts; empty where the write needs no new vector.
    pub texts: Vec<String>,
    /// The number of numbers in a vector; none where no vector has settled it.
    pub width: Option<usize>,
}

/// The vectors that a host passes to a call, or the reasons why it has none.
///
/// Hosts such as JavaScript call the user's `embed` function before they call the engine. A vector that the user passes as an
/// option must be usable, or the call fails. A vector from `embed` may be unusable: the call then goes on without vectors,
/// and its response is degraded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Embedded {
    /// The vector of the query, or the concatenated vectors of all texts to write.
    pub vectors: Option<Vec<f32>>,
    /// The texts to write that `embed` was called with, in the order of `failures`; the vectors of those without a failure stand
    /// in the same order. Empty for a query.
    pub texts: Vec<String>,
    /// Whether an `embed` function made the vectors.
    pub is_by_embed: bool,
    /// For each text, the reason why `embed` returned no usable vector, if it failed. A query counts as one text.
    pub failures: Vec<Option<String>>,
}

impl Embedded {
    /// Reads the host's part of a call from JSON: `{"byEmbed": true, "failures": ["embed: …"]}`.
    ///
    /// # Errors
    /// Fails when the JSON has another form.
    pub fn read(host: &Json, vectors: Option<Vec<f32>>) -> Result<Embedded, OptionsError> {
        let mut read = Options::of(host);
        let is_by_embed = read.flag("byEmbed").unwrap_or(false);
        let texts = read.texts("texts").unwrap_or_default();
        let failures = match read.rest().find(|(name, _)| *name == "failures") {
            Some((_, Json::Array(values))) => {
                values.iter().map(|value| value.as_str().map(str::to_owned)).collect()
            }
            _ => Vec::new(),
        };
        Ok(Embedded { vectors, texts, is_by_embed, failures })
    }

    /// Returns the reason why `embed` failed for the query, if it did.
    pub fn failure(&self) -> Option<&str> {
        self.failures.first()?.as_deref()
    }
}

impl From<Option<Vec<f32>>> for Embedded {
    /// Wraps a vector that the caller passes itself, not one from `embed`.
    fn from(vectors: Option<Vec<f32>>) -> Embedded {
        Embedded { vectors, ..Embedded::default() }
    }
}

/// A call by its name, as a host makes it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NamedCall<'a> {
    /// The name, such as `memory.search`.
    pub name: &'a str,
    /// The options, as JSON.
    pub options: &'a Json,
    /// The vectors that the host made.
    pub embedded: &'a Embedded,
}

/// The JSON text of a response; none where a recipe has no call of that name.
pub(crate) type CallAnswer = Option<Result<String, SearchError>>;
