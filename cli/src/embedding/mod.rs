//! Embeds many texts quickly, and none of them twice.
//!
//! Equal texts are embedded once, and texts with a vector in the cache are not embedded at all. The others go to the
//! provider in concurrent batches. Each batch is cached as soon as it arrives, so after an error or Ctrl-C the next run
//! continues from there.

pub mod args;
mod cache;
mod query;
mod settings;

pub use cache::{Cache, CacheError, ContentHash};
pub use query::QueryEmbedder;
pub use settings::EmbeddingSettings;

use crate::print;
use crate::progress::Progress;
use crate::provider::{
    BatchLimits, Cancel, ModelIdentity, Provider, ProviderError, TextPurpose, WrongAnswer, check,
};
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use thiserror::Error;

/// Texts cannot be embedded.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum EmbeddingError {
    /// The provider failed.
    #[error(transparent)]
    Provider(ProviderError),
    /// The cache failed.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// A text is empty.
    #[error("text {index} is empty, and an empty text has no vector")]
    EmptyText { index: usize },
    /// Ctrl-C was pressed.
    #[error("interrupted with {left} of {total} texts to embed{}", advice(*is_kept))]
    Interrupted { left: usize, total: usize, is_kept: bool },
}

fn advice(is_kept: bool) -> &'static str {
    if is_kept { "; run it again to continue from here" } else { "" }
}

/// Counts of embedded texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmbeddingTally {
    /// Texts whose vector was in the cache.
    pub cached: usize,
    /// Texts that the provider embedded.
    pub embedded: usize,
    /// Texts that equal an earlier one.
    pub repeated: usize,
}

/// A provider with its cache and its limits.
#[derive(Debug)]
pub struct Pipeline {
    provider: Box<dyn Provider>,
    cache: Option<Cache>,
    parallel: usize,
    cancel: Cancel,
    progress: Option<Progress>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The width of all vectors so far.
    width: Option<usize>,
    tally: EmbeddingTally,
    has_warned: bool,
}

impl Pipeline {
    /// Embeds with `provider`, without a cache.
    pub fn new(provider: Box<dyn Provider>, cancel: Cancel) -> Pipeline {
        let parallel = provider.parallel();
        let state = State { width: provider.model().width, ..State::default() };
        Pipeline { provider, cache: None, parallel, cancel, progress: None, state: Mutex::new(state) }
    }

    /// Caches vectors in `cache`.
    pub fn with_cache(mut self, cache: Cache) -> Result<Pipeline, EmbeddingError> {
        if let (Some(cached), Some(found)) = (cache.width(), self.provider.model().width)
            && cached != found
        {
            return Err(CacheError::WidthChanged { path: cache.path().to_owned(), cached, found }.into());
        }
        self.lock().width = cache.width().or(self.provider.model().width);
        self.cache = Some(cache);
        Ok(self)
    }

    /// Sends this many requests at a time.
    pub fn with_parallel(mut self, parallel: usize) -> Pipeline {
        self.parallel = parallel.max(1);
        self
    }

    /// Shows progress on a terminal, for this total number of texts.
    pub fn with_progress(mut self, texts: u64) -> Pipeline {
        self.progress = Some(Progress::embedding(texts));
        self
    }

    /// Whether it shows progress.
    pub fn shows_progress(&self) -> bool {
        self.progress.is_some()
    }

    /// The model of the provider.
    pub fn model(&self) -> &ModelIdentity {
        self.provider.model()
    }

    /// The width of the vectors, if it is known yet.
    pub fn width(&self) -> Option<usize> {
        self.lock().width
    }

    /// The counts so far.
    pub fn tally(&self) -> EmbeddingTally {
        self.lock().tally
    }

    /// Returns the vectors of `texts`, in order and of one width. It can be called repeatedly.
    ///
    /// # Errors
    ///
    /// [`EmbeddingError`] if any text has no vector. The vectors that were made until then are in the cache.
    pub fn embed(&self, texts: &[String], purpose: TextPurpose) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        if let Some(index) = texts.iter().position(|text| text.trim().is_empty()) {
            return Err(EmbeddingError::EmptyText { index });
        }
        let distinct = Distinct::of(texts, purpose);
        let mut vectors = self.cached(&distinct)?;
        let missing = (0..vectors.len()).filter(|at| vectors[*at].is_none()).collect::<Vec<_>>();
        self.count(texts.len(), &distinct, missing.len());
        for (at, vector) in self.embed_missing(&distinct, &missing, purpose)? {
            vectors[at] = Some(vector);
        }
        // The last use of a vector moves it; earlier uses clone it.
        let mut uses = vec![0; vectors.len()];
        distinct.numbers.iter().for_each(|at| uses[*at] += 1);
        let mut take = |at: usize| {
            uses[at] -= 1;
            let vector = &mut vectors[at];
            let taken = if uses[at] == 0 { vector.take() } else { vector.clone() };
            taken.expect("what was not cached was embedded")
        };
        Ok(distinct.numbers.iter().map(|at| take(*at)).collect())
    }

    fn cached(&self, distinct: &Distinct) -> Result<Vec<Option<Vec<f32>>>, EmbeddingError> {
        match &self.cache {
            Some(cache) => Ok(cache.vectors(&distinct.hashes)?),
            None => Ok(vec![None; distinct.texts.len()]),
        }
    }

    fn count(&self, texts: usize, distinct: &Distinct, missing: usize) {
        let tally = &mut self.lock().tally;
        tally.repeated += texts - distinct.texts.len();
        tally.cached += distinct.texts.len() - missing;
        if let Some(progress) = &self.progress {
            progress.skip((texts - missing) as u64);
        }
    }

    /// Embeds the texts at these positions, on one thread per concurrent request.
    fn embed_missing(
        &self,
        distinct: &Distinct,
        missing: &[usize],
        purpose: TextPurpose,
    ) -> Result<Vec<(usize, Vec<f32>)>, EmbeddingError> {
        let batches = batches(missing, &distinct.texts, self.provider.batch());
        let (next, embedded) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let done = Mutex::new(Ok(Vec::with_capacity(missing.len())));
        // The first error stops the other requests of this call, but nothing else that the same Ctrl-C would stop.
        let cancel = self.cancel.child();
        let work = || {
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let answer = self.embed_batch(distinct, batch, purpose, &cancel);
                embedded.fetch_add(answer.as_ref().map_or(0, Vec::len), Ordering::Relaxed);
                let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                match (answer, done.as_mut()) {
                    (Ok(vectors), Ok(all)) => all.extend(batch.iter().copied().zip(vectors)),
                    (Err(error), Ok(_)) => {
                        *done = Err(error);
                        cancel.cancel();
                    }
                    (_, Err(_)) => {}
                }
                if done.is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            for _ in 0..self.parallel.min(batches.len()) {
                scope.spawn(work);
            }
        });
        done.into_inner().unwrap_or_else(PoisonError::into_inner).map_err(|error| match error {
            EmbeddingError::Provider(ProviderError::Cancelled) => {
                let (total, is_kept) = (missing.len(), self.cache.is_some());
                EmbeddingError::Interrupted { left: total - embedded.into_inner(), total, is_kept }
            }
            other => other,
        })
    }

    fn embed_batch(
        &self,
        distinct: &Distinct,
        batch: &[usize],
        purpose: TextPurpose,
        cancel: &Cancel,
    ) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        let texts = batch.iter().map(|at| distinct.texts[*at]).collect::<Vec<_>>();
        let vectors = self.provider.embed(&texts, purpose, cancel).map_err(EmbeddingError::Provider)?;
        self.check(&vectors, texts.len())?;
        let kept = batch.iter().zip(&vectors).map(|(at, vector)| (distinct.hashes[*at], vector.as_slice()));
        self.keep(&kept.collect::<Vec<_>>())?;
        self.lock().tally.embedded += vectors.len();
        if let Some(progress) = &self.progress {
            progress.advance(vectors.len() as u64);
        }
        Ok(vectors)
    }

    /// Checks the vectors, and that their width is that of all others.
    fn check(&self, vectors: &[Vec<f32>], asked: usize) -> Result<(), EmbeddingError> {
        let mut state = self.lock();
        match check(vectors, asked, state.width) {
            Ok(width) => state.width = Some(width),
            Err(WrongAnswer::Width { got, expected, .. }) if self.cached_width() == Some(expected) => {
                let path = self.cache.as_ref().map_or_else(Default::default, |cache| cache.path().to_owned());
                return Err(CacheError::WidthChanged { path, cached: expected, found: got }.into());
            }
            Err(fault) => {
                let model = self.model().id.clone();
                return Err(EmbeddingError::Provider(ProviderError::WrongAnswer { model, fault }));
            }
        }
        Ok(())
    }

    fn cached_width(&self) -> Option<usize> {
        self.cache.as_ref().and_then(Cache::width)
    }

    /// Caches vectors if possible. If the disk is full, the vectors are still used.
    fn keep(&self, kept: &[(ContentHash, &[f32])]) -> Result<(), EmbeddingError> {
        let Some(cache) = &self.cache else { return Ok(()) };
        match cache.keep(kept) {
            Err(error @ CacheError::Unusable { .. }) => {
                let mut state = self.lock();
                if !state.has_warned {
                    print::note(format_args!("warning: {error}; these vectors are not cached"));
                }
                state.has_warned = true;
                Ok(())
            }
            other => Ok(other?),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Texts without duplicates.
struct Distinct<'t> {
    texts: Vec<&'t str>,
    hashes: Vec<ContentHash>,
    /// For each text, its position in `texts`.
    numbers: Vec<usize>,
}

impl Distinct<'_> {
    fn of(all: &[String], purpose: TextPurpose) -> Distinct<'_> {
        let mut distinct = Distinct { texts: Vec::new(), hashes: Vec::new(), numbers: Vec::new() };
        let mut known = HashMap::new();
        for text in all {
            let number = *known.entry(text.as_str()).or_insert_with(|| {
                distinct.texts.push(text);
                distinct.hashes.push(ContentHash::of(text, purpose));
                distinct.texts.len() - 1
            });
            distinct.numbers.push(number);
        }
        distinct
    }
}

/// Divides `missing` into batches within the limits. A text that exceeds them alone is a batch.
fn batches<'m>(missing: &'m [usize], texts: &[&str], limits: BatchLimits) -> Vec<&'m [usize]> {
    let mut batches = Vec::new();
    let mut rest = missing;
    while !rest.is_empty() {
        let mut bytes = 0_usize;
        let fitting = rest.iter().take(limits.texts).take_while(|at| {
            bytes = bytes.saturating_add(texts[**at].len());
            bytes <= limits.bytes
        });
        let (batch, others) = rest.split_at(fitting.count().max(1));
        batches.push(batch);
        rest = others;
    }
    batches
}

#[cfg(test)]
mod tests;
