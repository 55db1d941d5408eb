//! How are memories ranked?
//!
//! Words and vectors each return their best memories among those that pass the [`MemoryFilter`](super::MemoryFilter). The
//! score of a candidate adds up similarity, keyword score, salience and recency, and multiplies the sum by the boost of its
//! sector and by a factor for superseded memories ([`MemoryWeights`]). Documents are found by their chunks; the best chunk
//! represents its document.

use super::salience::{self, Fading};
use super::score::{AGEING, FULL_BM25, MemoryWeights, SUPERSEDED};
use crate::attributes::AttributeType::{self, Bool, Keyword, Keywords, Number, Time};
use crate::bitmap::Bitmap;
use crate::order::Set;
use crate::pipeline::{
    Candidate, CandidateQuery, Context, Curve, Decay, Formula, Measure, Rated, Stages, Words, best_first,
};
use crate::retrieval::{Corpus, part_of};
use crate::schema::Schema;
use crate::snapshot::SnapshotError;
use crate::vector;

/// The kind of records that are memories.
pub const MEMORY: &str = "memory";
/// The kind of records that are documents, or chunks of them.
pub const DOCUMENT: &str = "document";
/// The relation of the link from a memory to the memory that it replaces.
pub const SUPERSEDES: &str = "SUPERSEDES";
/// The amount by which a recall reinforces salience (M9).
pub const RECALL: f64 = 0.02;

/// The number of candidates per leg for each result.
const DEPTH: usize = 2;
/// The growth of that number where the candidates are chunks of too few documents.
const DEEPER: usize = 4;
/// The least number of candidates per leg where stages run afterwards.
const STAGED: usize = 100;

/// Returns the MATCH expression of a query (M1): each word of two or more characters as a prefix, joined with OR. Empty where
/// the query has no such word.
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

/// The legs, filter and formula of a search.
#[derive(Clone, Copy, Debug)]
pub(super) struct MemoryPlan<'a> {
    /// The words; none where only vectors are compared.
    pub words: Option<Words<'a>>,
    /// The place of the model, and the vector; none where only words are searched.
    pub vector: Option<(usize, &'a vector::VectorQuery)>,
    /// The number of results.
    pub limit: usize,
    /// For each segment, the documents that pass the filter (M3).
    pub allowed: &'a [Bitmap],
    /// The weights of the score.
    pub weights: &'a MemoryWeights,
    /// Whether salience fades (M13).
    pub decays: bool,
    /// Steps that run after scoring.
    pub stages: &'a Stages,
}

/// The ranked page of a search.
#[derive(Clone, Debug)]
pub(super) struct RecalledPage {
    /// The results, best first.
    pub results: Vec<Rated>,
    /// The number of pinned results; they come first.
    pub pinned: usize,
    /// For each result, the rows that are folded under it; empty where nothing was folded.
    pub folded: Vec<Vec<u32>>,
    /// The formula of the scores.
    pub formula: Formula,
    /// The number of candidates of the keyword leg; none where it did not run.
    pub keyword: Option<usize>,
    /// The number of candidates of the vector leg; none where it did not run.
    pub vector: Option<usize>,
}

/// Ranks the best memories and documents.
pub(super) fn ranked(context: &Context, plan: &MemoryPlan) -> Result<RecalledPage, SnapshotError> {
    let mut depth = plan.limit.saturating_mul(DEPTH);
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
            let found = RecalledPage { results, pinned: 0, folded: Vec::new(), formula, keyword, vector };
            return plan.staged(context, found);
        }
        depth = depth.saturating_mul(DEEPER);
    }
}

impl MemoryPlan<'_> {
    /// Runs the stages on results, best first, and cuts them to the page.
    fn staged(&self, context: &Context, mut found: RecalledPage) -> Result<RecalledPage, SnapshotError> {
        let staged = self.stages.run_on(context, &mut found.results, self.limit)?;
        (found.pinned, found.folded) = (staged.pinned, staged.folded);
        Ok(found)
    }

    /// Returns the formula of the scores (M4).
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

/// Measures the factor of supersession (M8): a memory is superseded where `validUntil` is set and not later than now.
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

/// Keeps the best chunk of each document (M12), and all memories.
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

/// Returns the id of the document that a row belongs to: its `parentId` or `documentId`, or else the part of its id before `#`
/// and a number. None where the row is a memory.
pub(super) fn document_of(context: &Context, row: u32) -> Result<Option<String>, SnapshotError> {
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

/// Returns the id of a chunk without its number: `guide` for `guide#3`.
fn without_number(id: &str) -> &str {
    match id.rsplit_once('#') {
        Some((before, number)) if !before.is_empty() && number.parse::<u32>().is_ok() => before,
        _ => id,
    }
}

/// Counts the allowed documents that have vectors of other models only (M2). Without a compared model it counts all that have
/// a vector.
pub(super) fn skipped(
    corpus: &Corpus,
    allowed: &[Bitmap],
    compared: Option<usize>,
) -> Result<usize, SnapshotError> {
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

/// Returns the place of an attribute that holds words; none where the schema lacks it.
pub(super) fn word(schema: &Schema, name: &str) -> Option<usize> {
    typed(schema, name, &[Keyword, Keywords])
}

/// Returns the place of an attribute that holds numbers or times.
pub(super) fn number(schema: &Schema, name: &str) -> Option<usize> {
    typed(schema, name, &[Number, Time])
}

/// Returns the place of an attribute that holds booleans.
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
