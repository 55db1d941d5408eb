//! How similar are the terms of a query and an entry? (V5)

use crate::analysis::{Analyzer, Purpose};
use crate::bitmap::Bitmap;
use crate::ids::FieldSet;
use crate::order::{Map, Set};
use crate::pipeline::{Context, terms};
use crate::ranking::{cosine_of, idf, stop_words};
use crate::retrieval::{Corpus, TermSelection, TermStatistics, occurrences};
use crate::schema::Schema;
use crate::snapshot::SnapshotError;

/// The fields whose terms are compared.
const FIELDS: [&str; 4] = ["title", "description", "context", "tags"];
/// The least number of characters of a term that counts.
const SHORTEST: usize = 3;

/// Gathers the statistics for all comparisons until the next write. `members` holds, for each segment, the documents that count.
///
/// # Errors
/// When the index is damaged.
pub(super) fn term_statistics(
    corpus: &Corpus,
    schema: &Schema,
    analyzer: &Analyzer,
    members: Vec<Bitmap>,
) -> Result<TermStatistics, SnapshotError> {
    let stopped = stopped(analyzer);
    let counts = |term: &[u8]| {
        // Bytes that continue a character start with the bits 10.
        let characters = term.iter().filter(|byte| **byte & 0xc0 != 0x80).count();
        characters >= SHORTEST && !stopped.contains(term)
    };
    TermStatistics::gather(corpus, members, &TermSelection { fields: fields(schema), counts: &counts, idf })
}

/// Returns, for each row, the cosine of the TF-IDF vectors of the query and the row. `rows` are ascending.
///
/// # Errors
/// When the index is damaged.
pub(super) fn semantic(
    context: &Context,
    statistics: &TermStatistics,
    rows: &[u32],
) -> Result<Vec<f64>, SnapshotError> {
    let (mut terms, mut weights, mut square) = (Vec::new(), Vec::new(), 0.0);
    for (term, count) in query_terms(context.analyzer, context.query) {
        let with_term = statistics.with_term(context.corpus, &term)?;
        // The vocabulary has neither terms that no entry contains nor terms that do not count.
        if with_term > 0 {
            let told = idf(statistics.documents(), with_term);
            let weight = f64::from(count) * told;
            square += weight * weight;
            terms.push(term);
            weights.push((weight, told));
        }
    }
    let length = square.sqrt();
    let occurrences = occurrences(context.corpus, &terms, rows, fields(context.schema))?;
    let cosine = |(row, counts): (&u32, &Vec<u32>)| {
        let products =
            counts.iter().zip(&weights).map(|(count, (weight, told))| f64::from(*count) * told * weight);
        let dot = products.fold(0.0, |sum, product| sum + product);
        cosine_of(dot, length, statistics.length(*row))
    };
    Ok(rows.iter().zip(&occurrences).map(cosine).collect::<Vec<_>>())
}

fn fields(schema: &Schema) -> FieldSet {
    let own = FIELDS.iter().filter_map(|name| schema.field(name));
    own.fold(FieldSet::NONE, |set, field| set.or(FieldSet::only(field)))
}

/// Returns the stop words as terms.
fn stopped(analyzer: &Analyzer) -> Set<Vec<u8>> {
    let term = |word: &str| {
        let mut term = Vec::new();
        analyzer.term(word, &mut term);
        term
    };
    stop_words().map(term).collect()
}

/// Returns the terms of a query in byte order, each with its number of occurrences.
fn query_terms(analyzer: &Analyzer, query: &str) -> Map<Vec<u8>, u32> {
    let mut counts = Map::new();
    for term in terms(analyzer, query, Purpose::Query) {
        *counts.or_insert(term, 0) += 1;
    }
    counts
}
