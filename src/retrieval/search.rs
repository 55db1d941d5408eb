//! A query against all segments.

use super::lists::PhraseList;
use super::matching::Matching;
use super::source::Scoring;
use super::top_k::{Ranked, TopK};
use super::{Corpus, conjunction, disjunction};
use crate::attributes::{AttributeType, number_of, texts_of};
use crate::bitmap::Bitmap;
use crate::bm25::Bm25;
use crate::index::Cursor;
use crate::json::Json;
use crate::order::{Map, sort_by};
use crate::query::Query;
use crate::snapshot::SnapshotError;

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct Retrieval<'a> {
    /// The query.
    pub query: &'a Query,
    /// The weight of each field; 1 where there is none.
    pub weights: &'a [f64],
    /// How many rows at most.
    pub limit: usize,
    /// By segment, the documents that may match; none where all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// Whether to find out which rows match, all of them: for counts and facets.
    pub wants_all: bool,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The best rows, best first.
    pub rows: Vec<Ranked>,
    /// By segment, every document that matches; empty unless asked for.
    pub matches: Vec<Bitmap>,
    /// By phrase, the rows it occurs in.
    pub hits: Vec<u64>,
    /// bm25 as it was used.
    pub bm25: Bm25,
}

/// Finds the best rows for a query.
///
/// # Errors
/// When the index is damaged.
pub fn search(corpus: &Corpus, retrieval: &Retrieval) -> Result<Found, SnapshotError> {
    let Retrieval { query, weights, limit, .. } = *retrieval;
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
    let is_any = !retrieval.wants_all && disjunction::applies(query, weights);
    let is_all = !retrieval.wants_all && conjunction::applies(query, weights);
    for (number, (part, mut lists)) in corpus.parts.iter().zip(lists).enumerate() {
        let allowed = retrieval.allowed.map(|allowed| &allowed[number]);
        let scoring = Scoring { part, query, weights, bm25: &bm25, allowed };
        if is_any {
            disjunction::collect(&scoring, lists, &mut top)?;
        } else if is_all {
            conjunction::collect(&scoring, lists, &mut top)?;
        } else {
            let matching = Matching::new(part, query, &query.root, &mut lists, weights)?;
            let all = retrieval.wants_all.then(|| Bitmap::none(part.segment.documents() as usize));
            matches.extend(collect(&scoring, matching, all, &mut top)?);
        }
    }
    Ok(Found { rows: top.into_sorted(), matches, hits, bm25 })
}

fn collect(
    scoring: &Scoring,
    mut matching: Matching,
    mut all: Option<Bitmap>,
    top: &mut TopK,
) -> Result<Option<Bitmap>, SnapshotError> {
    let Scoring { part, bm25, .. } = *scoring;
    let lengths = part.segment.lengths()?;
    let mut frequencies = vec![0.0; bm25.idf.len()];
    while matching.doc() != Cursor::END {
        let document = matching.doc();
        if scoring.is_allowed(document) {
            frequencies.fill(0.0);
            matching.frequencies(document, &mut frequencies);
            let rank = bm25.rank(&frequencies, lengths[document as usize]);
            top.push(Ranked { row: part.first_row + document, rank });
            if let Some(all) = &mut all {
                all.insert(document as usize);
            }
        }
        matching.seek(document + 1)?;
    }
    Ok(all)
}

/// How often each value of an attribute occurs among `matches`, by segment; most frequent first, ties by value.
///
/// # Errors
/// When the attributes are damaged.
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
        let overridden = values.overridden(attribute).collect::<Vec<_>>();
        for (_, value) in overridden.iter().filter(|(document, _)| matches.has(*document)) {
            for text in facets_of(value, column.kind()) {
                *counts.or_default(text) += 1;
            }
        }
        overridden.iter().for_each(|(document, _)| matches.set(*document, false));
        match column.kind() {
            AttributeType::Keyword | AttributeType::Keywords => {
                let mut by_code = vec![0u64; column.string_count()];
                for code in matches.iter().flat_map(|document| column.codes(document)) {
                    if let Some(count) = by_code.get_mut(code) {
                        *count += 1;
                    }
                }
                for (code, &count) in by_code.iter().enumerate().filter(|(_, count)| **count > 0) {
                    if let Some(value) = column.string(code) {
                        *counts.or_default(value.to_owned()) += count;
                    }
                }
            }
            AttributeType::Bool => {
                for value in matches.iter().filter_map(|document| column.bool(document)) {
                    *counts.or_default(value.to_string()) += 1;
                }
            }
            AttributeType::Number | AttributeType::Time => {
                for value in matches.iter().filter_map(|document| column.number(document)) {
                    *counts.or_default(Json::from_f64(value).to_text()) += 1;
                }
            }
        }
    }
    let mut counts = counts.into_iter().collect::<Vec<_>>();
    sort_by(&mut counts, |a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    Ok(counts)
}

/// What a value in place of a column's counts as.
fn facets_of(value: &Json, kind: AttributeType) -> Vec<String> {
    match kind {
        AttributeType::Keyword | AttributeType::Keywords => texts_of(value, kind),
        AttributeType::Bool => matches!(value, Json::Bool(_)).then(|| value.to_text()).into_iter().collect(),
        AttributeType::Number | AttributeType::Time => {
            number_of(value, kind).map(|number| Json::from_f64(number).to_text()).into_iter().collect()
        }
    }
}
