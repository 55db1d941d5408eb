//! How does a vault rank its entries?
//!
//! Words and vectors find candidates. The weighted sum of seven signals ranks them. Entries that are linked with the best ones
//! join the candidates. Memories join the results with a fixed score.

use super::semantic::semantic;
use crate::attributes::AttributeType;
use crate::bitmap::Bitmap;
use crate::order::{Map, sort_by, sort_by_key};
use crate::pipeline::{
    Candidate, CandidateQuery, Context, Curve, Formula, Measure, Rated, Signal, Stages, Words, best_first,
    ids_of, rows_of,
};
use crate::query::Query;
use crate::ranking::{Acceptance, Validity, adapted, proximities};
use crate::retrieval::{self, Corpus, Filter, Ranked, Retrieval, Target, TermStatistics, Test, part_of};
use crate::schema::Schema;
use crate::snapshot::SnapshotError;
use crate::vector;

/// The kind of the records that are memories. All other records are entries.
pub const MEMORY: &str = "memory";
/// The BM25 weight of each field (V2). A field of another name has the weight of the schema.
const FIELD_WEIGHTS: [(&str, f64); 5] =
    [("id", 5.0), ("title", 10.0), ("description", 3.0), ("context", 1.0), ("tags", 2.0)];
/// The names of the signals (V4), in the order in which their products are added.
pub const SIGNALS: [&str; 7] =
    ["semantic", "vector", "severity", "temporalDecay", "tagOverlap", "domainMatch", "graphProximity"];
const KEYWORD_WEIGHTS: Weights = [0.35, 0.0, 0.10, 0.10, 0.10, 0.10, 0.15];
const VECTOR_WEIGHTS: Weights = [0.20, 0.15, 0.10, 0.10, 0.10, 0.10, 0.15];
const SEMANTIC: usize = 0;
const VECTOR: usize = 1;
/// The values of the severities; any other severity has the value of `UNKNOWN_SEVERITY` (V6).
const SEVERITIES: [(&str, f64); 3] = [("critical", 1.0), ("warning", 0.7), ("suggestion", UNKNOWN_SEVERITY)];
const UNKNOWN_SEVERITY: f64 = 0.4;
/// The number of best entries whose links are followed (V8).
const SOURCES: usize = 5;
/// A vault with fewer candidates than this is small (V10).
const FEW: usize = 50;
/// The score of every memory (V12).
const MEMORY_SCORE: f64 = 0.5;

/// A number for each signal, in the order of [`SIGNALS`].
pub type Weights = [f64; 7];

/// Returns the weights before any feedback, with vectors or without (V4).
pub fn base_weights(has_vectors: bool) -> Weights {
    if has_vectors { VECTOR_WEIGHTS } else { KEYWORD_WEIGHTS }
}

/// Returns the weights after feedback (V9). The weight of `vector` stays.
pub fn current_weights(has_vectors: bool, acceptance: Acceptance) -> Weights {
    adapted(base_weights(has_vectors), VECTOR, acceptance)
}

/// Returns the number of candidates that each leg fetches for a page of `limit` results (V3).
pub fn depth(limit: usize) -> usize {
    (3 * limit).max(30)
}

/// Whether all candidates become results (V10): the vault is small, and the limit would drop more than half of them.
pub fn keeps_all(candidates: usize, limit: usize) -> bool {
    candidates < FEW && 2 * candidates.saturating_sub(limit) > candidates
}

/// Returns the BM25 weight of each field (V2).
fn field_weights(schema: &Schema) -> Vec<f64> {
    let own = |name: &str| FIELD_WEIGHTS.iter().find(|(known, _)| *known == name);
    let names = schema.field_names().into_iter().zip(schema.weights());
    names.map(|(name, weight)| own(name).map_or(weight, |(_, weight)| *weight)).collect::<Vec<_>>()
}

/// Returns the condition that entries are valid now (V7): they have not expired, unless `expired` entries may be found, and they
/// have begun, unless `upcoming` ones may be found.
pub fn valid(schema: &Schema, now: f64, expired: bool, upcoming: bool) -> Filter {
    let mut all = Vec::new();
    let mut not = |name: &str, test: Test| {
        if let Some(attribute) = time(schema, name) {
            all.push(Filter::Not(Box::new(Filter::Test(Target::Attribute(attribute), test))));
        }
    };
    let range = |gt, lte| Test::Range { gte: None, gt, lte, lt: None };
    if !expired {
        not("validUntil", range(None, Some(now)));
    }
    if !upcoming {
        not("validFrom", range(Some(now), None));
    }
    Filter::All(all)
}

/// A query after all checks.
#[derive(Clone, Copy, Debug)]
pub(super) struct VaultQuestion<'a> {
    /// The query as a MATCH expression.
    pub words: &'a Query,
    /// The place of the model and the vector of the query; none where only keywords are searched.
    pub vector: Option<(usize, &'a vector::VectorQuery)>,
    /// For each segment, the entries that may be results.
    pub entries: &'a [Bitmap],
    /// For each segment, the memories that may be results; none where memories do not join.
    pub memories: Option<&'a [Bitmap]>,
    /// The term statistics of all entries.
    pub statistics: &'a TermStatistics,
    /// The weight of each signal.
    pub weights: Weights,
    /// The domain whose entries rank higher.
    pub domain: Option<&'a str>,
    /// The tags whose entries rank higher.
    pub tags: &'a [String],
    /// The number of results on the page.
    pub limit: usize,
    /// The stages that run after scoring; `pinned` adds candidates.
    pub stages: &'a Stages,
}

/// The ranked candidates.
#[derive(Clone, Debug)]
pub(super) struct VaultRanking {
    /// Entries and memories, best first.
    pub ranked: Vec<Rated>,
    /// The formula that scored the entries.
    pub formula: Formula,
    /// The number of entries to choose from; from fifty on, a lower bound.
    pub candidates: usize,
    /// The number of candidates of the keyword leg.
    pub by_words: usize,
    /// The number of candidates of the vector leg; none where it did not run.
    pub by_vectors: Option<usize>,
}

/// Finds candidates and ranks them.
///
/// # Errors
/// When the snapshot is damaged.
pub(super) fn rank(context: &Context, question: &VaultQuestion) -> Result<VaultRanking, SnapshotError> {
    let corpus = context.corpus;
    let field_weights = field_weights(context.schema);
    let depth = depth(question.limit);
    // Each leg fetches at least as many candidates as a small vault has, so that the rule for small vaults can tell.
    let ask = CandidateQuery {
        words: Some(Words { query: question.words, weights: &field_weights }),
        vector: question.vector,
        depth: depth.max(FEW),
        allowed: Some(question.entries),
        wants_all: false,
    };
    let found = ask.candidates(corpus)?;
    let mut candidates = found.rows;
    let mut total = candidates.len();
    if total >= FEW {
        candidates.retain(|candidate| is_within(candidate, depth));
    }
    question.stages.add_pinned(corpus, Some(question.entries), &mut candidates)?;
    // BM25 is no part of the score. The similarity is, so candidates of the keyword leg get theirs too.
    let vectors = CandidateQuery { words: None, ..ask };
    vectors.complete(corpus, &mut candidates)?;
    let (mut formula, mut rated) = score(context, question, &candidates, &Map::new())?;
    best_first(&mut rated);
    let near = near_the_best(context, question, &rated)?;
    if !near.is_empty() {
        let before = candidates.len();
        join(&mut candidates, near.keys());
        total += candidates.len() - before;
        vectors.complete(corpus, &mut candidates)?;
        (formula, rated) = score(context, question, &candidates, &near)?;
        best_first(&mut rated);
    }
    rated.extend(memories(corpus, question, &field_weights)?);
    // The sort is stable: among equal scores entries come first, and memories stay in the order of BM25.
    sort_by(&mut rated, |a, b| b.score.total_cmp(&a.score));
    let by_words = found.keyword.map_or(0, |found| found.rows.len().min(depth));
    let by_vectors = found.vector.map(|count| count.min(depth));
    Ok(VaultRanking { ranked: rated, formula, candidates: total, by_words, by_vectors })
}

fn is_within(candidate: &Candidate, depth: usize) -> bool {
    [candidate.keyword, candidate.vector]
        .into_iter()
        .flatten()
        .any(|signal| signal.place.is_some_and(|place| place < depth))
}

fn join<'a>(candidates: &mut Vec<Candidate>, rows: impl Iterator<Item = &'a u32>) {
    let known = candidates.len();
    for row in rows {
        if candidates[..known].binary_search_by_key(row, |candidate| candidate.row).is_err() {
            candidates.push(Candidate::of_row(*row));
        }
    }
    sort_by_key(candidates, |candidate| candidate.row);
}

/// Scores candidates by the weighted sum of the seven signals (V4). `near` maps rows to the signal `graphProximity`.
fn score(
    context: &Context,
    question: &VaultQuestion,
    candidates: &[Candidate],
    near: &Map<u32, f64>,
) -> Result<(Formula, Vec<Rated>), SnapshotError> {
    let attribute = |name: &str| context.schema.attribute(name).map(|(attribute, _)| attribute);
    let rows = candidates.iter().map(|candidate| candidate.row).collect::<Vec<_>>();
    let near = rows.iter().map(|row| near.get(row).copied().unwrap_or(0.0)).collect::<Vec<_>>();
    let severities = SEVERITIES.iter().map(|(word, worth)| ((*word).to_owned(), *worth)).collect::<Vec<_>>();
    let mut formula = Formula::default();
    let mut signals = SIGNALS.iter().zip(question.weights);
    let mut add = |measure| {
        let (name, weight) = signals.next().expect("there are seven signals");
        formula.add(name, weight, measure);
    };
    add(Measure::Given(semantic(context, question.statistics, &rows)?));
    add(Measure::Similarity(Curve::Positive));
    add(Measure::Word { attribute: attribute("severity"), values: severities, default: UNKNOWN_SEVERITY });
    add(Measure::Given(worths(context, &rows)?));
    add(Measure::Shared { attribute: attribute("tags"), with: question.tags.to_vec() });
    let domain = question.domain.unwrap_or_default().to_owned();
    add(Measure::Equal { attribute: question.domain.and_then(|_| attribute("domain")), to: domain });
    add(Measure::Given(near));
    let rated = formula.rate(context, candidates)?;
    Ok((formula, rated))
}

/// Returns, for each row, the signal `temporalDecay` (V7).
fn worths(context: &Context, rows: &[u32]) -> Result<Vec<f64>, SnapshotError> {
    let columns = context.values()?;
    let places = ["validFrom", "validUntil", "createdAt", "updatedAt"].map(|name| time(context.schema, name));
    let worth = |row: &u32| {
        let (part, document) = part_of(context.corpus, *row);
        let at = |place: Option<usize>| columns[part].number(place?, document as usize);
        let [from, until, created_at, updated_at] = places.map(at);
        Validity { from, until, created_at, updated_at }.temporal_factor(context.now)
    };
    Ok(rows.iter().map(worth).collect::<Vec<_>>())
}

fn time(schema: &Schema, name: &str) -> Option<usize> {
    schema.attribute(name).filter(|(_, kind)| *kind == AttributeType::Time).map(|(attribute, _)| attribute)
}

/// Returns the signal `graphProximity` by row (V8), for entries that may be results, whether a leg found them or not.
fn near_the_best(
    context: &Context,
    question: &VaultQuestion,
    ranked: &[Rated],
) -> Result<Map<u32, f64>, SnapshotError> {
    let (corpus, state) = (context.corpus, context.corpus.state);
    if !state.has_links() {
        return Ok(Map::new());
    }
    let best = ranked.iter().filter(|rated| rated.values[SEMANTIC] > 0.0).take(SOURCES);
    let sources = ids_of(corpus, &best.map(|rated| rated.row).collect::<Vec<_>>())?;
    let neighbours = |id: &str| {
        let live = state.links_of(id).filter(|link| link.is_live(context.now));
        live.map(|link| link.other_end(id).to_owned()).collect::<Vec<_>>()
    };
    let mut near = Map::new();
    for (id, proximity) in proximities(&sources, neighbours) {
        for row in rows_of(corpus, &id, Some(question.entries))? {
            near.insert(row, proximity);
        }
    }
    Ok(near)
}

/// Returns the memories that match the query (V12), best BM25 first; all have the same score.
fn memories(corpus: &Corpus, question: &VaultQuestion, weights: &[f64]) -> Result<Vec<Rated>, SnapshotError> {
    let Some(allowed) = question.memories else { return Ok(Vec::new()) };
    let (query, limit) = (question.words, question.limit);
    let retrieval = Retrieval { query, weights, limit, allowed: Some(allowed), wants_all: false };
    let found = retrieval::search(corpus, &retrieval)?;
    let rated = |(place, ranked): (usize, &Ranked)| {
        let keyword = Some(Signal { score: 0.0 - ranked.rank, place: Some(place) });
        Rated { row: ranked.row, score: MEMORY_SCORE, keyword, ..Rated::default() }
    };
    Ok(found.rows.iter().enumerate().map(rated).collect::<Vec<_>>())
}
