//! Optional stages that filter, reorder and cut scored hits, the same for every recipe.
//!
//! They run in this order:
//!
//! 1. `asOf` restricts which records may be hits.
//! 2. `pinned` puts records first, whatever their score.
//! 3. `minRelevance` drops hits that neither leg finds relevant.
//! 4. `fold` puts near-duplicates under the better hit.
//! 5. `diversity` reorders by maximal marginal relevance.
//! 6. The page is cut to its limit.
//! 7. `maxTokens` cuts it to a token budget.

use super::formula::{Context, Rated, terms};
use super::legs::{Candidate, Signal};
use super::rows::rows_of;
use crate::analysis::Purpose;
use crate::bitmap::Bitmap;
use crate::json::Json;
use crate::options::Options;
use crate::ranking::{bm25_normalize, cosine_similarity, folded, jaccard, marginal_relevance, within_budget};
use crate::retrieval::{Corpus, Filter, Target, Test, part_of, require};
use crate::schema::Schema;
use crate::snapshot::SnapshotError;
use crate::tokens::estimate_tokens;
use std::mem::take;

/// The similarity of near-duplicates with `fold: true`.
const DEFAULT_FOLD: f64 = 0.95;
/// The greatest token budget.
const MAX_TOKENS: usize = 1_000_000_000;
/// The maximum number of pinned records.
const MAX_PINNED: usize = 100;

/// The options of the stages; all off by default.
///
/// ```
/// use snapseek::json::Json;
/// use snapseek::options::Options;
/// use snapseek::pipeline::Stages;
///
/// let json = Json::parse(br#"{"fold": true, "maxTokens": 2000}"#)?;
/// let mut options = Options::of(&json);
/// let stages = Stages::read(&mut options);
/// options.finish()?;
/// assert_eq!((stages.fold, stages.max_tokens), (Some(0.95), Some(2000)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Stages {
    /// The least [`relevance`] of a hit, 0 to 1.
    pub min_relevance: Option<f64>,
    /// The ids of at most 100 records that come first, in this order, if they pass the filter.
    pub pinned: Vec<String>,
    /// A time in milliseconds since 1970. Only records that existed and were valid at that time are hits.
    pub as_of: Option<f64>,
    /// The least similarity, 0 to 1, at which a hit is folded under a better one.
    pub fold: Option<f64>,
    /// The λ of maximal marginal relevance, 0 to 1: 1 ranks by score alone, 0 by diversity alone.
    pub diversity: Option<f64>,
    /// The token budget for the texts of all hits together: 1 to 1,000,000,000.
    pub max_tokens: Option<usize>,
}

/// Returns the relevance of a candidate by its raw signals: the greater of the similarity and x / (1 + x) for BM25 score x.
///
/// Scores are relative: the best hit of a nonsense query may score as high as the best hit of a good query. Relevance is
/// absolute.
pub fn relevance(keyword: Option<Signal>, vector: Option<Signal>) -> f64 {
    let words = keyword.map_or(0.0, |signal| bm25_normalize(signal.score));
    vector.map_or(words, |signal| signal.score.max(words))
}

/// A scored row, the input of the stages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RankedRow {
    /// The row.
    pub row: u32,
    /// The score.
    pub score: f64,
    /// The [`relevance`].
    pub relevance: f64,
}

impl RankedRow {
    /// Creates the stages' input from a rated candidate.
    pub fn of(rated: &Rated) -> RankedRow {
        let Rated { row, score, keyword, vector, .. } = *rated;
        RankedRow { row, score, relevance: relevance(keyword, vector) }
    }
}

/// The result of the stages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Staged {
    /// The hits of the page, as indexes into the stages' input.
    pub places: Vec<usize>,
    /// For each hit of the page, the rows that were folded under it.
    pub folded: Vec<Vec<u32>>,
    /// The number of pinned hits; they are the first hits of the page.
    pub pinned: usize,
}

impl Stages {
    /// Reads the options of the stages from among the options of a call.
    pub fn read(options: &mut Options) -> Stages {
        let fold = match options.json("fold") {
            Some(Json::Bool(true)) => Some(DEFAULT_FOLD),
            Some(Json::Bool(false)) => None,
            _ => options.number("fold", 0.0..=1.0),
        };
        let pinned = options.texts("pinned").unwrap_or_default();
        if pinned.len() > MAX_PINNED {
            options.complain("pinned", format!("at most {MAX_PINNED} records can be pinned"));
        }
        Stages {
            min_relevance: options.number("minRelevance", 0.0..=1.0),
            pinned,
            as_of: options.time("asOf"),
            fold,
            diversity: options.number("diversity", 0.0..=1.0),
            max_tokens: options.count("maxTokens", 1..=MAX_TOKENS),
        }
    }

    /// Returns whether the stages only cut the hits to the page.
    pub fn are_none(&self) -> bool {
        *self == Stages { as_of: self.as_of, ..Stages::default() }
    }

    /// Returns the filter of `asOf`; `None` if it is off.
    pub fn filter(&self, schema: &Schema) -> Option<Filter> {
        let at = self.as_of?;
        let mut all = Vec::new();
        for (name, gt, lte) in
            [("createdAt", Some(at), None), ("validFrom", Some(at), None), ("validUntil", None, Some(at))]
        {
            if let Some((attribute, _)) = schema.attribute(name) {
                let test = Test::Range { gte: None, gt, lte, lt: None };
                all.push(Filter::Not(Box::new(Filter::Test(Target::Attribute(attribute), test))));
            }
        }
        Some(Filter::All(all))
    }

    /// Adds the pinned records that may be hits to the candidates, which must be in row order.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn add_pinned(
        &self,
        corpus: &Corpus,
        allowed: Option<&[Bitmap]>,
        candidates: &mut Vec<Candidate>,
    ) -> Result<(), SnapshotError> {
        for id in &self.pinned {
            for row in rows_of(corpus, id, allowed)? {
                if let Err(place) = candidates.binary_search_by_key(&row, |candidate| candidate.row) {
                    candidates.insert(place, Candidate::of_row(row));
                }
            }
        }
        Ok(())
    }

    /// Returns the rows of the pinned records.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn pinned_rows(&self, corpus: &Corpus) -> Result<Vec<u32>, SnapshotError> {
        let rows = self.pinned.iter().map(|id| rows_of(corpus, id, None)).collect::<Result<Vec<_>, _>>()?;
        Ok(rows.concat())
    }

    /// Runs the stages on rated candidates, best first, and keeps those of the page.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn run_on(
        &self,
        context: &Context,
        rated: &mut Vec<Rated>,
        limit: usize,
    ) -> Result<Staged, SnapshotError> {
        if self.are_none() {
            rated.truncate(limit);
            return Ok(Staged::default());
        }
        let staged = self.run(context, &rated.iter().map(RankedRow::of).collect::<Vec<_>>(), limit)?;
        *rated = staged.places.iter().map(|place| take(&mut rated[*place])).collect::<Vec<_>>();
        Ok(staged)
    }

    /// Runs the stages on hits, best first. The page has at most `limit` hits.
    ///
    /// # Errors
    /// Fails when the snapshot is damaged.
    pub fn run(&self, context: &Context, hits: &[RankedRow], limit: usize) -> Result<Staged, SnapshotError> {
        let mut order = self.pinned_places(context.corpus, hits)?;
        let pinned = order.len().min(limit);
        let is_relevant = |hit: &RankedRow| self.min_relevance.is_none_or(|least| hit.relevance >= least);
        let others = (0..hits.len()).filter(|place| !order.contains(place) && is_relevant(&hits[*place]));
        let others = others.collect::<Vec<_>>();
        order.extend(others);
        let mut likeness = Likeness::new(context, hits);
        let mut under: Vec<(usize, u32)> = Vec::new();
        if let Some(least) = self.fold {
            let found = folded(order.len(), least, |a, b| likeness.of(order[a], order[b]));
            for (at, better) in found.iter().enumerate() {
                if let Some(better) = better.filter(|_| at >= pinned) {
                    under.push((order[better], hits[order[at]].row));
                }
            }
            let is_kept = |at: usize| at < pinned || found[at].is_none();
            order = (0..order.len()).filter(|at| is_kept(*at)).map(|at| order[at]).collect::<Vec<_>>();
        }
        if let Some(lambda) = self.diversity {
            let rest = order.split_off(pinned);
            let scores = rest.iter().map(|place| hits[*place].score).collect::<Vec<_>>();
            let wanted = limit.saturating_sub(pinned);
            let chosen = marginal_relevance(&scores, lambda, wanted, |a, b| likeness.of(rest[a], rest[b]));
            order.extend(chosen.into_iter().map(|at| rest[at]));
        }
        order.truncate(limit);
        if let Some(budget) = self.max_tokens {
            require(context.corpus, order.iter().map(|place| hits[*place].row))?;
            let costs = order.iter().map(|place| tokens_of(context, hits[*place].row));
            order.truncate(within_budget(costs.collect::<Result<Vec<_>, _>>()?, budget));
        }
        likeness.result?;
        let rows_under = |place: &usize| {
            under.iter().filter(|(better, _)| better == place).map(|(_, row)| *row).collect::<Vec<_>>()
        };
        let folded = order.iter().map(rows_under).collect::<Vec<_>>();
        Ok(Staged { pinned: pinned.min(order.len()), places: order, folded })
    }

    /// Returns the indexes of the pinned records in `hits`, in the order of `pinned`.
    fn pinned_places(&self, corpus: &Corpus, hits: &[RankedRow]) -> Result<Vec<usize>, SnapshotError> {
        let mut places = Vec::new();
        for id in &self.pinned {
            let rows = rows_of(corpus, id, None)?;
            places.extend((0..hits.len()).filter(|place| rows.contains(&hits[*place].row)));
        }
        let mut seen = Bitmap::none(hits.len());
        places.retain(|place| seen.insert(*place));
        Ok(places)
    }
}

/// Estimates the number of tokens in the texts of a row (P1).
fn tokens_of(context: &Context, row: u32) -> Result<usize, SnapshotError> {
    Ok(estimate_tokens(&texts_of(context, row)?))
}

/// Returns the text fields of a row, one per line.
fn texts_of(context: &Context, row: u32) -> Result<String, SnapshotError> {
    let (part, document) = part_of(context.corpus, row);
    let record = context.corpus.parts[part].segment.record(document)?;
    let texts = context.schema.field_names().into_iter().filter_map(|name| record.text(name));
    Ok(texts.collect::<Vec<_>>().join("\n"))
}

/// Computes the similarity of hits: the cosine of their vectors, or the Jaccard index of their terms if one has no vector.
struct Likeness<'a> {
    context: &'a Context<'a>,
    hits: &'a [RankedRow],
    /// For each hit, its vector of the first model, if any; `None` until it is first needed.
    vectors: Vec<Option<Option<Vec<f32>>>>,
    /// For each hit, its terms; `None` until they are first needed.
    terms: Vec<Option<Vec<String>>>,
    /// The last error of a comparison. The closures of the stages cannot return it.
    result: Result<(), SnapshotError>,
}

impl<'a> Likeness<'a> {
    fn new(context: &'a Context<'a>, hits: &'a [RankedRow]) -> Likeness<'a> {
        let (vectors, terms) =
            (hits.iter().map(|_| None).collect::<Vec<_>>(), hits.iter().map(|_| None).collect::<Vec<_>>());
        Likeness { context, hits, vectors, terms, result: Ok(()) }
    }

    fn of(&mut self, a: usize, b: usize) -> f64 {
        let likeness = self.try_of(a, b);
        likeness.unwrap_or_else(|error| {
            self.result = Err(error);
            0.0
        })
    }

    fn try_of(&mut self, a: usize, b: usize) -> Result<f64, SnapshotError> {
        for hit in [a, b] {
            if self.vectors[hit].is_none() {
                self.vectors[hit] = Some(self.vector(hit)?);
            }
        }
        if let (Some(Some(one)), Some(Some(other))) = (&self.vectors[a], &self.vectors[b]) {
            return Ok(cosine_similarity(one, other));
        }
        if self.terms.iter().all(Option::is_none) {
            require(self.context.corpus, self.hits.iter().map(|hit| hit.row))?;
        }
        for hit in [a, b] {
            if self.terms[hit].is_none() {
                let text = texts_of(self.context, self.hits[hit].row)?;
                let terms = terms(self.context.analyzer, &text, Purpose::Document).into_iter();
                let term = |term: Vec<u8>| String::from_utf8_lossy(&term).into_owned();
                self.terms[hit] = Some(terms.map(term).collect::<Vec<_>>());
            }
        }
        let terms = |hit: usize| self.terms[hit].as_deref().unwrap_or_default();
        Ok(jaccard(terms(a), terms(b)))
    }

    fn vector(&self, hit: usize) -> Result<Option<Vec<f32>>, SnapshotError> {
        let (part, document) = part_of(self.context.corpus, self.hits[hit].row);
        let vectors = self.context.corpus.parts[part].segment.vectors()?;
        Ok(vectors.first().and_then(|rows| Some(rows.vector(rows.row_of(document)?))))
    }
}
