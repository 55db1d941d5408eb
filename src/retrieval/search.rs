//! Which rows of all segments match a query best?

use super::Corpus;
use super::cursors::{is_all_of_phrases, is_any_of_phrases, matching, sources};
use super::needed::require_lists;
use super::phrase_lists::PhraseList;
use crate::attributes::{AttributeType, number_of, texts_of};
use crate::bitmap::Bitmap;
use crate::bm25::Bm25;
use crate::json::Json;
use crate::order::{Map, sort_by};
use crate::query::Query;
use crate::scoring::{Ranked, Scoring, TopK, conjunction, disjunction};
use crate::snapshot::SnapshotError;

/// The parameters of a keyword search.
#[derive(Clone, Copy, Debug)]
pub struct Retrieval<'a> {
    /// The query.
    pub query: &'a Query,
    /// The weight of each field; a missing weight counts as 1.
    pub weights: &'a [f64],
    /// The largest number of rows to return.
    pub limit: usize,
    /// For each segment, the documents that may match; `None` if all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// Whether to find all matching documents, for counts and facets.
    pub wants_all: bool,
}

/// The result of a keyword search.
#[derive(Clone, Debug)]
pub struct KeywordResult {
    /// The best rows, best first.
    pub rows: Vec<Ranked>,
    /// For each segment, all matching documents; empty unless `wants_all` was set.
    pub matches: Vec<Bitmap>,
    /// For each phrase, the number of live rows that contain it.
    pub hits: Vec<u64>,
    /// The bm25 parameters that were used.
    pub bm25: Bm25,
}

/// Finds the best rows for a query.
///
/// # Errors
/// Fails when the index is damaged.
pub fn search(corpus: &Corpus, retrieval: &Retrieval) -> Result<KeywordResult, SnapshotError> {
    let Retrieval { query, weights, limit, .. } = *retrieval;
    require_lists(corpus, query)?;
    let mut lists = Vec::with_capacity(corpus.parts.len());
    let mut hits = vec![0; query.phrases.len()];
    for part in corpus.parts {
        let mut of_part = Vec::with_capacity(query.phrases.len());
        for (phrase, hits) in query.phrases.iter().zip(&mut hits) {
            let list = PhraseList::of(part, phrase, weights)?;
            *hits += list.hits(part, phrase.fields)?;
            of_part.push(list);
        }
        lists.push(of_part);
    }
    let bm25 = Bm25::new(corpus.totals, hits.iter().copied());
    let mut top = TopK::new(limit);
    let mut matches = Vec::new();
    let is_any = !retrieval.wants_all && is_any_of_phrases(query, weights);
    let is_all = !retrieval.wants_all && is_all_of_phrases(query, weights);
    for (number, part) in corpus.parts.iter().enumerate() {
        let mut lists = std::mem::take(&mut lists[number]);
        let eligible = part.eligible(retrieval.allowed.map(|allowed| &allowed[number]));
        if !is_any && !is_all {
            let mut all = retrieval.wants_all.then(|| Bitmap::none(part.segment.documents() as usize));
            let matching = matching(part, query, &query.root, &mut lists, weights)?;
            matching.collect(&eligible, &bm25, part.segment.lengths()?, all.as_mut(), &mut top)?;
            matches.extend(all);
            continue;
        }
        let table = part.tables.get(part, weights, bm25.average_length())?;
        let scoring = Scoring { eligible, idf: &bm25.idf, table: &table };
        let sources = sources(part, query, weights, lists, &table)?;
        if is_any {
            disjunction::collect(&scoring, sources, &mut top)?;
        } else if sources.iter().all(Option::is_some) {
            conjunction::collect(&scoring, sources.into_iter().flatten().collect::<Vec<_>>(), &mut top)?;
        }
    }
    Ok(KeywordResult { rows: top.into_sorted(), matches, hits, bm25 })
}

/// Counts the values of an attribute among `matches`, one bitmap per segment. Most frequent first; ties are by value.
///
/// # Errors
/// Fails when the attributes are damaged.
pub fn facet_counts(
    corpus: &Corpus,
    matches: &[Bitmap],
    attribute: usize,
) -> Result<Vec<(String, u64)>, SnapshotError> {
    let mut counts = Map::<String, u64>::new();
    for (part, matches) in corpus.parts.iter().zip(matches) {
        let values = part.values()?;
        let Some(column) = values.column(attribute) else { continue };
        let mut matches = matches.clone();
        for (document, value) in values.overridden(attribute) {
            if matches.has(document) {
                for text in facets_of(value, column.kind()) {
                    *counts.or_default(text) += 1;
                }
                matches.set(document, false);
            }
        }
        let documents = matches.iter().collect::<Vec<_>>();
        match column.kind() {
            AttributeType::Keyword | AttributeType::Keywords => {
                let mut by_code = vec![0u64; column.string_count()];
                for document in documents {
                    for code in column.codes(document) {
                        if let Some(count) = by_code.get_mut(code) {
                            *count += 1;
                        }
                    }
                }
                for (code, count) in by_code.into_iter().enumerate() {
                    if count > 0
                        && let Some(value) = column.string(code)
                    {
                        *counts.or_default(value.to_owned()) += count;
                    }
                }
            }
            kind => {
                let value = |document| match kind {
                    AttributeType::Bool => column.bool(document).map(Json::Bool),
                    _ => column.number(document).map(Json::from_f64),
                };
                for value in documents.into_iter().filter_map(value) {
                    *counts.or_default(value.to_text()) += 1;
                }
            }
        }
    }
    let mut counts = counts.into_iter().collect::<Vec<_>>();
    sort_by(&mut counts, |a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(counts)
}

/// Returns the facet values of a value that overrides the column's.
fn facets_of(value: &Json, kind: AttributeType) -> Vec<String> {
    match kind {
        AttributeType::Keyword | AttributeType::Keywords => texts_of(value, kind),
        AttributeType::Bool => {
            matches!(value, Json::Bool(_)).then(|| value.to_text()).into_iter().collect::<Vec<_>>()
        }
        AttributeType::Number | AttributeType::Time => number_of(value, kind)
            .map(|number| Json::from_f64(number).to_text())
            .into_iter()
            .collect::<Vec<_>>(),
    }
}
