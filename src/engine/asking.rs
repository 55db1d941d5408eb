//! Steps that the calls of all recipes share: resolve the query's vector, filter documents, read records of rows.

use super::error::wrong;
use super::{Embedded, Engine, SearchError, SearchFault};
use crate::bitmap::Bitmap;
use crate::document::Record;
use crate::order::sort_indexes;
use crate::pipeline::Context;
use crate::retrieval::{Corpus, Filter, part_of, require};
use crate::segment::parse_record;
use crate::snapshot::SnapshotError;
use crate::vector;

/// The vector of a query, or the reason why there is none.
#[derive(Debug)]
pub(crate) enum QueryVector {
    /// A usable vector, and the index of its model in the schema.
    Ready(usize, vector::VectorQuery),
    /// The vector leg runs and finds nothing: no record has a vector yet, or the embedder knows no word of the query.
    NearNothing,
    /// There is no vector; holds the reason.
    Missing(String),
}

impl QueryVector {
    /// Returns the model's index and the vector, if the vector is usable.
    pub fn ready(&self) -> Option<(usize, &vector::VectorQuery)> {
        match self {
            QueryVector::Ready(model, query) => Some((*model, query)),
            QueryVector::NearNothing | QueryVector::Missing(_) => None,
        }
    }

    /// Turns a missing vector into an error where the caller asked for `strict`.
    pub fn strictly(self, strict: bool) -> Result<QueryVector, SearchError> {
        match self {
            QueryVector::Missing(reason) if strict => Err(Box::new(SearchFault::Embedding { reason })),
            vector => Ok(vector),
        }
    }

    /// Returns the reason why the vector is missing, if it is.
    pub fn missing(&self) -> Option<&str> {
        match self {
            QueryVector::Missing(reason) => Some(reason),
            QueryVector::Ready(..) | QueryVector::NearNothing => None,
        }
    }
}

impl Engine {
    /// Resolves the vector of a query. A vector from the host comes first; without one, the snapshot's own embedder embeds
    /// the text.
    pub(crate) fn query_vector(
        &self,
        text: &str,
        embedded: &Embedded,
        model: Option<&str>,
    ) -> Result<QueryVector, SearchError> {
        let place = self.model(model)?;
        if let Some(reason) = embedded.failure() {
            return Ok(QueryVector::Missing(reason.to_owned()));
        }
        let Some((place, (name, model))) =
            place.and_then(|place| Some((place, self.schema.models().nth(place)?)))
        else {
            return Ok(QueryVector::Missing("this snapshot has no vectors".to_owned()));
        };
        let given = embedded.vectors.as_deref();
        let own = match given {
            Some(_) => None,
            None => self.embed_with(place, text)?,
        };
        let Some(vector) = given.or(own.as_deref()) else {
            return Ok(QueryVector::Missing(format!("the query has no vector for \"{name}\"")));
        };
        let Some(width) = model.width else { return Ok(QueryVector::NearNothing) };
        // The snapshot's own embedder returns zeros for a query without a known word.
        if given.is_none() && vector.iter().all(|&number| number == 0.0) {
            return Ok(QueryVector::NearNothing);
        }
        match vector::VectorQuery::new(vector, model.metric, width) {
            Ok(query) => Ok(QueryVector::Ready(place, query)),
            Err(error) if embedded.is_by_embed => Ok(QueryVector::Missing(format!(
                "embed: its vector cannot be compared with \"{name}\": {error}"
            ))),
            Err(error) => Err(wrong("vector", format!("it cannot be compared with \"{name}\": {error}"))),
        }
    }

    /// Bundles the corpus, schema, query and time that a recipe's formulas read.
    pub(crate) fn context<'a>(&'a self, corpus: &'a Corpus<'a>, query: &'a str, now: f64) -> Context<'a> {
        Context { corpus, schema: &self.schema, analyzer: &self.analyzer, query, now }
    }

    /// Returns the given time, or the time of the engine's clock.
    pub(crate) fn now(&self, given: Option<f64>) -> f64 {
        given.unwrap_or_else(self.clock)
    }
}

/// Returns, for each segment, the documents that pass a filter.
pub(crate) fn passing(corpus: &Corpus, filter: &Filter) -> Result<Vec<Bitmap>, SnapshotError> {
    corpus.parts.iter().map(|part| filter.apply(part)).collect::<Result<Vec<_>, _>>()
}

/// Returns the record of a row with its changed fields.
pub(crate) fn record_of(corpus: &Corpus, row: u32) -> Result<Record, SnapshotError> {
    let (part, document) = part_of(corpus, row);
    Ok(corpus.state.as_it_is_now(corpus.parts[part].segment.record(document)?))
}

/// Returns the records of rows with their changed fields, in the order of `rows`.
pub(crate) fn records_of(corpus: &Corpus, rows: &[u32]) -> Result<Vec<Record>, SnapshotError> {
    let mut records = rows.iter().map(|_| None).collect::<Vec<_>>();
    each_record(corpus, rows, &mut |place, record| {
        records[place] = Some(corpus.state.as_it_is_now(record));
        Ok(())
    })?;
    Ok(records.into_iter().flatten().collect::<Vec<_>>())
}

/// Calls `each` with every row's index in `rows` and its record as it was written.
///
/// Calls follow row order, so that each block of stored documents is unpacked once.
pub(crate) fn each_record(
    corpus: &Corpus,
    rows: &[u32],
    each: &mut dyn FnMut(usize, Record) -> Result<(), SnapshotError>,
) -> Result<(), SnapshotError> {
    let mut order = (0..rows.len()).collect::<Vec<_>>();
    sort_indexes(&mut order, &mut |a, b| rows[a].cmp(&rows[b]));
    require(corpus, rows.iter().copied())?;
    let mut reader = None;
    for place in order {
        let (number, document) = part_of(corpus, rows[place]);
        let documents = match &mut reader {
            Some((open, documents)) if *open == number => documents,
            other => &mut other.insert((number, corpus.parts[number].segment.stored()?.reader())).1,
        };
        each(place, parse_record(documents.get(document as usize)?)?)?;
    }
    Ok(())
}
