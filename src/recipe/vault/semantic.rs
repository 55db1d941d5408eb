//! How alike are a query and an entry, by their terms? (V5)

use crate::analysis::{Analyzer, Purpose};
use crate::bitmap::Bitmap;
use crate::ids::FieldSet;
use crate::order::{Map, Set};
use crate::pipeline::{Context, terms};
use crate::ranking::{cosine_of, idf, stop_words};
use crate::retrieval::{Corpus, TermSelection, TermStatistics, occurrences};
use crate::schema::Schema;
use crate::snapshot::SnapshotError;

/// The fields that are compared.
const FIELDS: [&str; 4] = ["title", "description", "context", "tags"];
/// Terms of fewer characters do not count.
const SHORTEST: usize = 3;

/// What all comparisons need, until the next write; `members` are, by segment, the documents that count.
///
/// # Errors
/// When the index is damaged.
pub fn term_statistics(
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

/// By row, the cosine of the query's terms and the row's; `rows` are ascending.
///
/// # Errors
/// When the index is damaged.
pub fn semantic(
    context: &Context,
    statistics: &TermStatistics,
    rows: &[u32],
) -> Result<Vec<f64>, SnapshotError> {
    let (mut terms, mut weights, mut square) = (Vec::new(), Vec::new(), 0.0);
    for (term, count) in query_terms(context.analyzer, context.query) {
        let with_term = statistics.with_term(context.corpus, &term)?;
        // What no entry has, and what does not count, is no part of the vocabulary.
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

/// The stop words as terms.
fn stopped(analyzer: &Analyzer) -> Set<Vec<u8>> {
    let term = |word: &str| {
        let mut term = Vec::new();
        analyzer.term(word, &mut term);
        term
    };
    stop_words().map(term).collect()
}

/// The terms of a query, in byte order, and how often each occurs.
fn query_terms(analyzer: &Analyzer, query: &str) -> Map<Vec<u8>, u32> {
    let mut counts = Map::new();
    for term in terms(analyzer, query, Purpose::Query) {
        *counts.or_insert(term, 0) += 1;
    }
    counts
}
