//! How does a vault rank its entries?
//!
//! Words and vectors find candidates; seven signals, weighed and added up, rank them; what is linked with the best joins
//! them. Memories stand beside entries, with a score of their own.

use super::semantic::semantic;
use crate::attributes::AttributeType;
use crate::bitmap::Bitmap;
use crate::order::{Map, sort_by, sort_by_key};
use crate::pipeline::Stages;
use crate::pipeline::{Candidate, CandidateQuery, Words};
use crate::pipeline::{Context, Curve, Formula, Measure, Rated, best_first};
use crate::pipeline::{ids_of, rows_of};
use crate::query::Query;
use crate::ranking::{Acceptance, Validity, adapted, proximities};
use crate::retrieval::{self, Corpus, Filter, Ranked, Retrieval, Target, TermStatistics, Test, part_of};
use crate::schema::Schema;
use crate::snapshot::SnapshotError;
use crate::vector;

/// The kind of records that are no entries.
pub const MEMORY: &str = "memory";
/// What words count by field (V2); a field of another name counts as the schema says.
const FIELD_WEIGHTS: [(&str, f64); 5] =
    [("id", 5.0), ("title", 10.0), ("description", 3.0), ("context", 1.0), ("tags", 2.0)];
/// The signals (V4), in the order in which they are added up.
pub const SIGNALS: [&str; 7] =
    ["semantic", "vector", "severity", "temporalDecay", "tagOverlap", "domainMatch", "graphProximity"];
const KEYWORD_WEIGHTS: Weights = [0.35, 0.0, 0.10, 0.10, 0.10, 0.10, 0.15];
const VECTOR_WEIGHTS: Weights = [0.20, 0.15, 0.10, 0.10, 0.10, 0.10, 0.15];
const SEMANTIC: usize = 0;
const VECTOR: usize = 1;
/// What severities are worth, and what others are (V6).
const SEVERITIES: [(&str, f64); 3] = [("critical", 1.0), ("warning", 0.7), ("suggestion", UNKNOWN_SEVERITY)];
const UNKNOWN_SEVERITY: f64 = 0.4;
/// How many of the best lead to others by their links (V8).
const SOURCES: usize = 5;
/// Fewer candidates than this are few (V10).
const FEW: usize = 50;
/// What a memory scores (V12).
const MEMORY_SCORE: f64 = 0.5;

/// What each signal counts, in the order of [`SIGNALS`].
pub type Weights = [f64; 7];

/// What each signal counts where nobody has said anything, with vectors or without (V4).
pub fn base_weights(has_vectors: bool) -> Weights {
    if has_vectors { VECTOR_WEIGHTS } else { KEYWORD_WEIGHTS }
}

/// What each signal counts after feedback (V9). What vectors count stays.
pub fn current_weights(has_vectors: bool, acceptance: Acceptance) -> Weights {
    adapted(base_weights(has_vectors), VECTOR, acceptance)
}

/// How many candidates each leg gives for so many results (V3).
pub fn depth(limit: usize) -> usize {
    (3 * limit).max(30)
}

/// Whether all of so many candidates are results (V10): where there are few, and the limit would drop more than half.
pub fn keeps_all(candidates: usize, limit: usize) -> bool {
    candidates < FEW && 2 * candidates.saturating_sub(limit) > candidates
}

/// What words count in each field (V2).
pub fn field_weights(schema: &Schema) -> Vec<f64> {
    let own = |name: &str| FIELD_WEIGHTS.iter().find(|(known, _)| *known == name);
    let names = schema.field_names().into_iter().zip(schema.weights());
    names.map(|(name, weight)| own(name).map_or(weight, |(_, weight)| *weight)).collect::<Vec<_>>()
}

/// What holds for entries that are valid now (V7): those that have not expired, unless `expired` may be found, and have
/// begun, unless `upcoming` ones may be.
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

/// What is asked of a vault.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// The words, as MATCH takes them.
    pub words: &'a Query,
    /// The place of the model, and the vector; none where only words are asked.
    pub vector: Option<(usize, &'a vector::VectorQuery)>,
    /// By segment, the entries that may be results.
    pub entries: &'a [Bitmap],
    /// By segment, the memories that may be; none where they are not wanted.
    pub memories: Option<&'a [Bitmap]>,
    /// What comparing terms needs.
    pub statistics: &'a TermStatistics,
    /// What each signal counts.
    pub weights: Weights,
    /// Entries of this domain rank higher.
    pub domain: Option<&'a str>,
    /// Entries with these tags rank higher.
    pub tags: &'a [String],
    /// How many results are wanted.
    pub limit: usize,
    /// What else happens to the results.
    pub stages: &'a Stages,
}

/// What was found, best first.
#[derive(Clone, Debug)]
pub struct Answer {
    /// Entries and memories, best first.
    pub ranked: Vec<Rated>,
    /// How entries were scored.
    pub formula: Formula,
    /// How many entries there were to choose from; beyond fifty, at least so many.
    pub candidates: usize,
    /// How many candidates words gave.
    pub by_words: usize,
    /// How many vectors gave; none where they were not asked.
    pub by_vectors: Option<usize>,
}

/// Finds and ranks.
///
/// # Errors
/// When the snapshot is damaged.
pub fn rank(context: &Context, question: &Question) -> Result<Answer, SnapshotError> {
    let corpus = context.corpus;
    let field_weights = field_weights(context.schema);
    let depth = depth(question.limit);
    // Whether there are few candidates shows only where a leg may give more than few.
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
    // Words have no part in the score; what is near does, whichever leg found it.
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
    // Sorting is stable: of equals, entries come first, and memories by how well their words match.
    sort_by(&mut rated, |a, b| b.score.total_cmp(&a.score));
    let by_words = found.keyword.map_or(0, |found| found.rows.len().min(depth));
    let by_vectors = found.vector.map(|count| count.min(depth));
    Ok(Answer { ranked: rated, formula, candidates: total, by_words, by_vectors })
}

impl Answer {
    /// Puts the results, best first, through the stages, and cuts them to the page.
    ///
    /// # Errors
    /// When the snapshot is damaged.
    pub fn stage(&mut self, context: &Context, stages: &Stages, limit: usize) -> Result<(), SnapshotError> {
        stages.run_on(context, &mut self.ranked, limit)?;
        Ok(())
    }
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

/// The seven signals, weighed and added up (V4); `near` is the last of them, by row.
fn score(
    context: &Context,
    question: &Question,
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
        let (name, weight) = signals.next().expect("there are seven");
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

/// By row, what is left of an entry (V7).
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

/// By row, how near entries are to the best by links (V8): those that may be results, found already or not.
fn near_the_best(
    context: &Context,
    question: &Question,
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

/// The memories that words find (V12), best first; all have one score.
fn memories(corpus: &Corpus, question: &Question, weights: &[f64]) -> Result<Vec<Rated>, SnapshotError> {
    let Some(allowed) = question.memories else { return Ok(Vec::new()) };
    let (query, limit) = (question.words, question.limit);
    let retrieval = Retrieval { query, weights, limit, allowed: Some(allowed), wants_all: false };
    let found = retrieval::search(corpus, &retrieval)?;
    let rated = |ranked: &Ranked| Rated { row: ranked.row, score: MEMORY_SCORE, ..Rated::default() };
    Ok(found.rows.iter().map(rated).collect::<Vec<_>>())
}
