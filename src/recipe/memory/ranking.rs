//! The memory recipe: what an assistant remembers.
//!
//! Words and vectors each give their best memories, of those that may be found at all ([`Wanted`](super::Wanted)). How well both match,
//! how much a memory matters and how new it is make its score; its sector, and whether it is superseded, multiply it
//! ([`MemoryWeights`]). Documents are found by their chunks, and each is shown by the best of them.

use super::salience::{self, Fading};
use crate::attributes::AttributeType::{self, Bool, Keyword, Keywords, Number, Time};
use crate::bitmap::Bitmap;
use crate::options::Options;
use crate::order::Set;
use crate::pipeline::Stages;
use crate::pipeline::{Candidate, CandidateQuery, Words};
use crate::pipeline::{Context, Curve, Decay, Formula, Measure, Rated, best_first};
use crate::retrieval::{Corpus, part_of};
use crate::schema::Schema;
use crate::snapshot::SnapshotError;
use crate::vector;

/// The kind of records that are memories.
pub const MEMORY: &str = "memory";
/// The kind of records that are documents, or chunks of them.
pub const DOCUMENT: &str = "document";
/// The relation of the link from a memory to the one that it replaces.
pub const SUPERSEDES: &str = "SUPERSEDES";
/// What a recall adds to what a memory matters.
pub const RECALL: f64 = 0.02;

/// A bm25 of this or more counts in full.
const FULL_BM25: f64 = 10.0;
/// What a memory loses a day for being old.
const AGEING: f64 = 0.05;
/// What is left of the score of a superseded memory.
const SUPERSEDED: f64 = 0.5;
/// Each leg gives so many candidates for one that is wanted.
const DEPTH: usize = 2;
/// And so many times more where their chunks are of too few documents.
const DEEPER: usize = 4;
/// At least so many candidates go through the stages that a caller asks for.
const STAGED: usize = 100;

/// The MATCH expression of a query (M1): any word that starts like one of its own. Empty where it has none.
///
/// ```
/// use snapseek::recipe::memory::expression;
///
/// assert_eq!(expression("use \"React\" a lot"), r#""use"* OR "React"* OR "lot"*"#);
/// assert_eq!(expression(" ? "), "");
/// ```
pub fn expression(query: &str) -> String {
    // An expression ends at a NUL.
    let words = query.split(|letter: char| letter.is_whitespace() || letter == '\0');
    let words = words.map(|word| word.replace('"', "")).filter(|word| word.chars().nth(1).is_some());
    words.map(|word| format!("\"{word}\"*")).collect::<Vec<_>>().join(" OR ")
}

/// What the signals count (M4).
#[derive(Clone, Debug, PartialEq)]
pub struct MemoryWeights {
    /// How near the vectors are.
    pub semantic: f64,
    /// How well words match.
    pub keyword: f64,
    /// How much the memory matters.
    pub salience: f64,
    /// How new it is.
    pub recency: f64,
    /// By sector, what the score is multiplied by; 1 for others.
    pub sector_boost: Vec<(String, f64)>,
}

impl Default for MemoryWeights {
    fn default() -> MemoryWeights {
        let boosts = [
            ("reflective", 1.2),
            ("semantic", 1.1),
            ("procedural", 1.0),
            ("emotional", 0.9),
            ("episodic", 0.8),
        ];
        MemoryWeights {
            semantic: 0.4,
            keyword: 0.25,
            salience: 0.2,
            recency: 0.15,
            sector_boost: boosts
                .iter()
                .map(|(sector, boost)| ((*sector).to_owned(), *boost))
                .collect::<Vec<_>>(),
        }
    }
}

impl MemoryWeights {
    /// Reads `weights: { semantic, keyword, salience, recency, sectorBoost }`; what is not given stays as it is.
    pub fn read(options: &mut Options) -> MemoryWeights {
        let mut weights = MemoryWeights::default();
        options.object("weights", |given| {
            weights.semantic = given.any_number("semantic").unwrap_or(weights.semantic);
            weights.keyword = given.any_number("keyword").unwrap_or(weights.keyword);
            weights.salience = given.any_number("salience").unwrap_or(weights.salience);
            weights.recency = given.any_number("recency").unwrap_or(weights.recency);
            for (sector, boost) in given.numbers_by_name("sectorBoost").unwrap_or_default() {
                weights.sector_boost.retain(|(known, _)| *known != sector);
                weights.sector_boost.push((sector, boost));
            }
        });
        weights
    }
}

/// What to look for.
#[derive(Clone, Copy, Debug)]
pub struct MemoryPlan<'a> {
    /// The words; none where only vectors are asked.
    pub words: Option<Words<'a>>,
    /// The place of the model, and the vector; none where only words are asked.
    pub vector: Option<(usize, &'a vector::VectorQuery)>,
    /// How many results at most.
    pub limit: usize,
    /// By segment, what may be found (M3).
    pub allowed: &'a [Bitmap],
    /// What the signals count.
    pub weights: &'a MemoryWeights,
    /// Whether what is not used fades (M13).
    pub decays: bool,
    /// What happens to results once they are scored.
    pub stages: &'a Stages,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Recalled {
    /// The results, best first.
    pub results: Vec<Rated>,
    /// How many of the first are there because they were pinned.
    pub pinned: usize,
    /// By result, the rows that are folded under it; empty where nothing was to be folded.
    pub folded: Vec<Vec<u32>>,
    /// How their scores were made.
    pub formula: Formula,
    /// How many candidates words gave; none where they were not asked.
    pub keyword: Option<usize>,
    /// How many candidates vectors gave; none where they were not asked.
    pub vector: Option<usize>,
}

/// Finds the best memories, and documents.
///
/// # Errors
/// When the snapshot is damaged.
pub fn search(context: &Context, plan: &MemoryPlan) -> Result<Recalled, SnapshotError> {
    let mut depth = DEPTH * plan.limit;
    if !plan.stages.are_none() {
        depth = depth.max(STAGED);
    }
    loop {
        let MemoryPlan { words, vector, allowed, .. } = *plan;
        let ask = CandidateQuery { words, vector, depth, allowed: Some(allowed), wants_all: false };
        let mut candidates = ask.candidates(context.corpus)?;
        plan.stages.add_pinned(context.corpus, Some(allowed), &mut candidates.rows)?;
        ask.complete(context.corpus, &mut candidates.rows)?;
        let formula = plan.formula(context, &candidates.rows)?;
        let mut results = formula.rate(context, &candidates.rows)?;
        best_first(&mut results);
        keep_best_chunks(context, &mut results)?;
        let keyword = candidates.keyword.map(|found| found.rows.len());
        let vector = candidates.vector;
        let has_all = keyword.unwrap_or(0).max(vector.unwrap_or(0)) < depth;
        if results.len() >= plan.limit || has_all {
            let found = Recalled { results, pinned: 0, folded: Vec::new(), formula, keyword, vector };
            return plan.staged(context, found);
        }
        depth *= DEEPER;
    }
}

impl MemoryPlan<'_> {
    /// Puts results, best first, through the stages, and cuts them to the page.
    fn staged(&self, context: &Context, mut found: Recalled) -> Result<Recalled, SnapshotError> {
        let staged = self.stages.run_on(context, &mut found.results, self.limit)?;
        (found.pinned, found.folded) = (staged.pinned, staged.folded);
        Ok(found)
    }

    /// How scores are made (M4).
    fn formula(&self, context: &Context, candidates: &[Candidate]) -> Result<Formula, SnapshotError> {
        let (schema, weights) = (context.schema, self.weights);
        let salience = match self.decays {
            true => Fading::of(schema).measure(context, candidates)?,
            false => Measure::Number { attribute: number(schema, "salience"), default: salience::NEW },
        };
        let recency = Measure::Age {
            attributes: number(schema, "createdAt").into_iter().collect::<Vec<_>>(),
            decay: Decay::Exponential { rate: AGEING },
            default: 0.0,
        };
        let sector = Measure::Word {
            attribute: word(schema, "sector"),
            values: weights.sector_boost.clone(),
            default: 1.0,
        };
        let mut formula = Formula { is_clamped: true, ..Formula::default() };
        formula.add("semantic", weights.semantic, Measure::Similarity(Curve::Plain));
        formula.add("keyword", weights.keyword, Measure::Bm25(Curve::Capped(FULL_BM25)));
        formula.add("salience", weights.salience, salience);
        formula.add("recency", weights.recency, recency);
        formula.multiply("sector", sector);
        formula.multiply("superseded", superseded(context, candidates)?);
        Ok(formula)
    }
}

/// What supersession leaves of a score (M8): `validUntil` is set and not later than now.
fn superseded(context: &Context, candidates: &[Candidate]) -> Result<Measure, SnapshotError> {
    let attribute = number(context.schema, "validUntil");
    let columns = context.values()?;
    let left = |candidate: &Candidate| {
        let (part, document) = part_of(context.corpus, candidate.row);
        let end = attribute.and_then(|attribute| columns[part].number(attribute, document as usize));
        if end.is_some_and(|end| end <= context.now) { SUPERSEDED } else { 1.0 }
    };
    Ok(Measure::Given(candidates.iter().map(left).collect::<Vec<_>>()))
}

/// Leaves the best chunk of each document (M12); memories all stay.
fn keep_best_chunks(context: &Context, results: &mut Vec<Rated>) -> Result<(), SnapshotError> {
    let mut seen = Set::new();
    let mut kept = Vec::new();
    for rated in results.drain(..) {
        if document_of(context, rated.row)?.is_none_or(|document| seen.insert(document)) {
            kept.push(rated);
        }
    }
    *results = kept;
    Ok(())
}

/// The id of the document that a row is, or is a chunk of: what `parentId` or `documentId` says, or what stands before
/// `#` and a number in its id. None where it is a memory.
///
/// # Errors
/// When the snapshot is damaged.
pub fn document_of(context: &Context, row: u32) -> Result<Option<String>, SnapshotError> {
    let (number, document) = part_of(context.corpus, row);
    let part = &context.corpus.parts[number];
    let key = part.segment.keys()?.get(document as usize)?;
    if key.kind != DOCUMENT {
        return Ok(None);
    }
    let values = part.values()?;
    let named = ["parentId", "documentId"].into_iter().find_map(|name| {
        let attribute = word(context.schema, name)?;
        values.strings(attribute, document as usize).into_iter().next()
    });
    Ok(Some(named.unwrap_or_else(|| without_number(key.id).to_owned())))
}

/// An id without the number that a chunk's has: `guide#3` is of `guide`.
fn without_number(id: &str) -> &str {
    match id.rsplit_once('#') {
        Some((before, number)) if !before.is_empty() && number.parse::<u32>().is_ok() => before,
        _ => id,
    }
}

/// How many of those that may be found have vectors, but none that can be compared (M2): they are of another model than
/// this one, or no model's vectors are as wide as the query's.
///
/// # Errors
/// When the vectors are damaged.
pub fn skipped(corpus: &Corpus, allowed: &[Bitmap], compared: Option<usize>) -> Result<usize, SnapshotError> {
    let mut count = 0;
    for (part, allowed) in corpus.parts.iter().zip(allowed) {
        let models = part.segment.vectors()?;
        if models.len() <= usize::from(compared.is_some()) {
            continue;
        }
        let mut others = Bitmap::none(allowed.len());
        let mut own = Bitmap::none(allowed.len());
        for (model, rows) in models.iter().enumerate() {
            let bitmap = if compared == Some(model) { &mut own } else { &mut others };
            let documents = (0..rows.len()).map(|row| rows.document(row));
            for document in documents.filter(|document| part.is_live(*document)) {
                bitmap.set(document as usize, true);
            }
        }
        others.subtract(&own);
        others.intersect(allowed);
        count += others.count();
    }
    Ok(count)
}

/// The place of an attribute that holds words; none where the schema has no such one.
pub(super) fn word(schema: &Schema, name: &str) -> Option<usize> {
    typed(schema, name, &[Keyword, Keywords])
}

/// The place of an attribute that holds numbers or times.
pub(super) fn number(schema: &Schema, name: &str) -> Option<usize> {
    typed(schema, name, &[Number, Time])
}

/// The place of an attribute that holds yes or no.
pub(super) fn flag(schema: &Schema, name: &str) -> Option<usize> {
    typed(schema, name, &[Bool])
}

fn typed(schema: &Schema, name: &str, kinds: &[AttributeType]) -> Option<usize> {
    let (place, kind) = schema.attribute(name)?;
    kinds.contains(&kind).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m1_each_word_is_a_beginning_and_any_of_them_will_do() {
        assert_eq!(expression("auth jwt"), r#""auth"* OR "jwt"*"#);
        assert_eq!(expression("a b c"), "");
        assert_eq!(expression("say \"hi\" \"\"x"), r#""say"* OR "hi"*"#);
        assert_eq!(expression("nul\0byte"), r#""nul"* OR "byte"*"#);
        assert_eq!(expression("é ß 日本"), r#""日本"*"#);
    }

    #[test]
    fn m12_a_chunk_is_of_the_document_that_its_id_begins_with() {
        let cases = [("guide#3", "guide"), ("guide", "guide"), ("#3", "#3"), ("c#", "c#"), ("a#b", "a#b")];
        for (id, document) in cases {
            assert_eq!(without_number(id), document);
        }
    }
}
