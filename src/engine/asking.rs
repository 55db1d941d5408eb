//! What the calls of all recipes share: the query's vector, the rows that may be hits, the records behind rows.

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

/// What there is to compare vectors with.
#[derive(Debug)]
pub(crate) enum QueryVector {
    /// A vector, for the model in this place.
    Ready(usize, vector::VectorQuery),
    /// A vector that nothing is near: no record has one yet, or the query has no word that the embedder knows.
    NearNothing,
    /// None, and why.
    Missing(String),
}

impl QueryVector {
    /// The place of the model and the vector, where there is one.
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

    /// Why there is none.
    pub fn missing(&self) -> Option<&str> {
        match self {
            QueryVector::Missing(reason) => Some(reason),
            QueryVector::Ready(..) | QueryVector::NearNothing => None,
        }
    }
}

impl Engine {
    /// Resolves the vector of a query: the one that the host hands over, or else the one that the snapshot's own embedder
    /// makes of the text.
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
        // The snapshot's own embedder returns zeros for a query of which it knows no word.
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

    /// What a recipe works with.
    pub(crate) fn context<'a>(&'a self, corpus: &'a Corpus<'a>, query: &'a str, now: f64) -> Context<'a> {
        Context { corpus, schema: &self.schema, analyzer: &self.analyzer, query, now }
    }

    /// The time that was given, or now.
    pub(crate) fn now(&self, given: Option<f64>) -> f64 {
        given.unwrap_or_else(self.clock)
    }
}

/// By segment, the documents for which a filter holds.
pub(crate) fn passing(corpus: &Corpus, filter: &Filter) -> Result<Vec<Bitmap>, SnapshotError> {
    corpus.parts.iter().map(|part| filter.apply(part)).collect::<Result<Vec<_>, _>>()
}

/// The record of a row, as it is now.
pub(crate) fn record_of(corpus: &Corpus, row: u32) -> Result<Record, SnapshotError> {
    let (part, document) = part_of(corpus, row);
    Ok(corpus.state.as_it_is_now(corpus.parts[part].segment.record(document)?))
}

/// The records of rows, as they are now.
pub(crate) fn records_of(corpus: &Corpus, rows: &[u32]) -> Result<Vec<Record>, SnapshotError> {
    let mut records = rows.iter().map(|_| None).collect::<Vec<_>>();
    each_record(corpus, rows, &mut |place, record| {
        records[place] = Some(corpus.state.as_it_is_now(record));
        Ok(())
    })?;
    Ok(records.into_iter().flatten().collect::<Vec<_>>())
}

/// Calls `each` with every row's place in `rows` and its record as it was written, in row order: documents that are stored
/// together are unpacked together.
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
