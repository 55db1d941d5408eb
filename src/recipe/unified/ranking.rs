//! How are the candidates of a unified search ranked?
//!
//! Without words, the filters alone select records, newest first. Otherwise the keyword leg runs first; where its results are
//! confident, they are the answer. If not, the nearest vectors and, on request, the results of other wordings are fused with
//! the keyword results by rank.

use super::parameters::ShortCircuit;
use super::query::{self, UnifiedQuery};
use super::response::UnifiedMode;
use super::variants::{Variant, variants};
use super::vocabulary::Vocabulary;
use crate::bitmap::Bitmap;
use crate::order::{Map, Set};
use crate::pipeline::{
    CandidateQuery, Context, Formula, InterpretError, Legs, Measure, RankedRow, Rated, Signal, WordRule,
    Words, interpret,
};
use crate::query::{Query, QueryTerm};
use crate::ranking::{WeightedFused, WeightedRule, bm25_normalize, weighted_rank_fusion};
use crate::retrieval::{Ranked, TimeOrder, by_time, nearest};
use crate::vector;
use std::mem::take;

/// The number of candidates per list for each hit of the page.
const CANDIDATES_PER_HIT: usize = 2;

/// The vector of the query.
#[derive(Clone, Copy, Debug)]
pub(super) enum VectorState<'a> {
    /// There is none.
    Missing,
    /// A vector for the model in this place.
    Ready(usize, &'a vector::VectorQuery),
    /// The host makes one, if the search needs it.
    Pending,
}

/// Everything that a ranking needs besides the records.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnifiedPlan<'a> {
    /// The checked query.
    pub query: &'a UnifiedQuery,
    /// For each segment, the documents that may be hits; none where all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// The vector of the query.
    pub vector: VectorState<'a>,
    /// The words of the index, and the vector of the query by the same embedder.
    pub vocabulary: Option<(&'a Vocabulary, &'a [f32])>,
}

/// The ranked records of a search.
#[derive(Clone, Debug)]
pub(super) struct UnifiedRanking {
    /// The rows in order: at least those up to the end of the page, if there are as many.
    rows: Vec<Rated>,
    /// The hits of the page.
    pub page: Vec<PageHit>,
    /// The names of the parts of the scores.
    pub formula: Formula,
    /// The way that the search took.
    pub mode: UnifiedMode,
    /// The number of candidates of each leg.
    pub legs: Legs,
    /// Whether the keyword results were confident enough to leave vectors out.
    pub is_short_circuit: bool,
    /// The variants that were searched for, the query first; empty without `expand`.
    pub variants: Vec<Variant>,
}

/// A hit of the page.
#[derive(Clone, Debug)]
pub(super) struct PageHit {
    /// The row and its score.
    pub rated: Rated,
    /// Whether the caller pinned it.
    pub is_pinned: bool,
    /// The rows that are folded under it.
    pub folded: Vec<u32>,
}

/// Ranks the records; none where that takes a vector that the host has still to make.
///
/// # Errors
/// When the snapshot is damaged.
pub(super) fn ranked(
    context: &Context,
    plan: &UnifiedPlan,
) -> Result<Option<UnifiedRanking>, InterpretError> {
    let query = plan.query;
    let time = UnifiedQuery::time(context.schema);
    if query.query.is_empty() {
        let order = query.order.unwrap_or(TimeOrder::Newest);
        let rows = by_time(context.corpus, time, order, depth(query), plan.allowed)?;
        return Ok(Some(UnifiedRanking::by_filter(rows).staged(context, plan)?));
    }
    let weights = context.schema.weights();
    let depth = depth(query);
    let found_by = |query: &Query| {
        let words = Words { query, weights: &weights };
        let ask = CandidateQuery {
            words: Some(words),
            vector: None,
            depth,
            allowed: plan.allowed,
            wants_all: false,
        };
        Ok::<_, InterpretError>(
            ask.candidates(context.corpus)?.keyword.map_or_else(Vec::new, |found| found.rows),
        )
    };
    let keyword = found_by(&query_of(context, &query.query)?)?;
    let is_alone = !query.expand && matches!(plan.vector, VectorState::Missing);
    let is_short_circuit =
        !is_alone && query.short_circuit.is_some_and(|limits| is_confident(&keyword, limits));
    let mut ranking = if is_alone || is_short_circuit {
        UnifiedRanking { is_short_circuit, ..UnifiedRanking::by_words(&keyword) }
    } else {
        let near = match plan.vector {
            VectorState::Pending => return Ok(None),
            VectorState::Missing => None,
            VectorState::Ready(model, vector) => {
                let vector = Some((model, vector));
                let ask =
                    CandidateQuery { words: None, vector, depth, allowed: plan.allowed, wants_all: false };
                ask.nearest().map(|asked| nearest(context.corpus, &asked)).transpose()?
            }
        };
        let variants = if query.expand { all_variants(context, plan) } else { Vec::new() };
        let mut others = Vec::new();
        for variant in variants.iter().skip(1) {
            others.push(found_by(&variant_query(context, variant)?)?);
        }
        UnifiedRanking::fused(query, &keyword, near.as_deref(), variants, &others)
    };
    if let Some(order) = query.order {
        order.sort(context.corpus, time, &mut ranking.rows, |rated| rated.row)?;
    }
    Ok(Some(ranking.staged(context, plan)?))
}

/// Whether the hits are shown in fused order. Otherwise a date or a stage reorders the best records, which must then be the
/// same ones for every page.
fn is_plain(query: &UnifiedQuery) -> bool {
    query.order.is_none() && query.stages.are_none()
}

/// Returns the number of candidates per list: twice the page, doubled until the page is within.
fn depth(query: &UnifiedQuery) -> usize {
    let UnifiedQuery { limit, offset, .. } = query;
    match is_plain(query) {
        true => CANDIDATES_PER_HIT * limit * (offset + limit).div_ceil(*limit).next_power_of_two(),
        false => CANDIDATES_PER_HIT * query::MAX_LIMIT.max(offset + limit),
    }
}

/// Whether the best keyword result leads so clearly that vectors would only add noise (INV-003). A lone result leads by its
/// whole score.
fn is_confident(keyword: &[Ranked], limits: ShortCircuit) -> bool {
    let score = |place: usize| keyword.get(place).map_or(0.0, |ranked| bm25_normalize(ranked.rank));
    !keyword.is_empty() && score(0) >= limits.score && score(0) - score(1) >= limits.gap
}

fn query_of(context: &Context, text: &str) -> Result<Query, InterpretError> {
    Ok(interpret(text, WordRule::Any, context.corpus, context.schema, context.analyzer, false, 0)?.query)
}

fn all_variants(context: &Context, plan: &UnifiedPlan) -> Vec<Variant> {
    let near = plan.vocabulary.map(|(vocabulary, vector)| vocabulary.near(vector, &context.query_terms()));
    variants(&plan.query.query, near.unwrap_or_default(), plan.query.expansions)
}

fn variant_query(context: &Context, variant: &Variant) -> Result<Query, InterpretError> {
    let mut query = query_of(context, &variant.query)?;
    // The term is a stem already; analysed as text, it would be stemmed again.
    if let (Some(term), Some(phrase)) = (&variant.term, query.phrases.first_mut()) {
        phrase.terms = vec![QueryTerm::Exact(term.clone())];
    }
    Ok(query)
}

impl UnifiedRanking {
    fn of(rows: Vec<Rated>, names: &[&str], mode: UnifiedMode) -> UnifiedRanking {
        // The formula only names the parts; fusion computes the scores.
        let mut formula = Formula::default();
        names.iter().for_each(|name| formula.add(name, 1.0, Measure::Given(Vec::new())));
        let (is_short_circuit, legs) = (false, Legs::default());
        UnifiedRanking { rows, page: Vec::new(), formula, mode, legs, is_short_circuit, variants: Vec::new() }
    }

    /// Ranks rows that a filter selected; they have no score.
    fn by_filter(rows: Vec<u32>) -> UnifiedRanking {
        UnifiedRanking::of(rows.into_iter().map(unscored).collect::<Vec<_>>(), &[], UnifiedMode::Filter)
    }

    /// Ranks the keyword results, each by its normalised score (P7).
    fn by_words(keyword: &[Ranked]) -> UnifiedRanking {
        let rated = |(place, ranked): (usize, &Ranked)| {
            let score = bm25_normalize(ranked.rank);
            let keyword = Some(Signal { score: 0.0 - ranked.rank, place: Some(place) });
            Rated { row: ranked.row, score, keyword, values: vec![score], ..Rated::default() }
        };
        let legs = Legs { keyword: Some(keyword.len()), vector: None };
        let rows = keyword.iter().enumerate().map(rated).collect::<Vec<_>>();
        UnifiedRanking { legs, ..UnifiedRanking::of(rows, &["keyword"], UnifiedMode::Keyword) }
    }

    /// Fuses all lists (U5): the keyword list, the vector list, then the list of each variant.
    fn fused(
        query: &UnifiedQuery,
        keyword: &[Ranked],
        near: Option<&[Ranked]>,
        variants: Vec<Variant>,
        others: &[Vec<Ranked>],
    ) -> UnifiedRanking {
        let vector = near.unwrap_or_default();
        let ranked = [keyword, vector].into_iter().chain(others.iter().map(Vec::as_slice));
        let lists = ranked.map(|list| list.iter().map(|one| one.row).collect::<Vec<_>>()).collect::<Vec<_>>();
        let (keyword_signals, vector_signals) = (signals(keyword), signals(vector));
        let rated = |one: WeightedFused<u32>| Rated {
            row: one.key,
            score: one.score,
            keyword: keyword_signals.get(&one.key).copied(),
            vector: vector_signals.get(&one.key).copied(),
            values: one.parts,
            factors: Vec::new(),
        };
        let rows = match is_plain(query) {
            true => in_pages(&lists, query.limit, query.offset + query.limit),
            false => fusion(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>()),
        };
        let others = variants.iter().skip(1).map(|variant| variant.query.as_str());
        let names = ["keyword", "vector"].into_iter().chain(others).collect::<Vec<_>>();
        let mode = if near.is_some() { UnifiedMode::Hybrid } else { UnifiedMode::Keyword };
        let legs = Legs { keyword: Some(keyword.len()), vector: near.map(<[Ranked]>::len) };
        let ranking = UnifiedRanking::of(rows.into_iter().map(rated).collect::<Vec<_>>(), &names, mode);
        UnifiedRanking { legs, variants, ..ranking }
    }

    /// Runs the stages on the rows, and cuts the page.
    fn staged(mut self, context: &Context, plan: &UnifiedPlan) -> Result<UnifiedRanking, InterpretError> {
        let UnifiedQuery { stages, offset, limit, .. } = plan.query;
        let mut pinned = Vec::new();
        stages.add_pinned(context.corpus, plan.allowed, &mut pinned)?;
        pinned.retain(|pinned| self.rows.iter().all(|rated| rated.row != pinned.row));
        self.rows.extend(pinned.into_iter().map(|pinned| unscored(pinned.row)));
        let mut standings = self.rows.iter().map(RankedRow::of).collect::<Vec<_>>();
        // Without a query, every record is relevant.
        if self.mode == UnifiedMode::Filter {
            standings.iter_mut().for_each(|standing| standing.relevance = 1.0);
        }
        let staged = stages.run(context, &standings, offset + limit)?;
        let shown = staged.places.iter().zip(staged.folded).enumerate().skip(*offset);
        let shown = shown.map(|(number, (&place, folded))| PageHit {
            rated: take(&mut self.rows[place]),
            is_pinned: number < staged.pinned,
            folded,
        });
        self.page = shown.collect::<Vec<_>>();
        Ok(self)
    }
}

/// Returns a row without a score.
fn unscored(row: u32) -> Rated {
    Rated { row, ..Rated::default() }
}

/// Fuses lists with the weights and bonuses of U5.
fn fusion(lists: &[&[u32]]) -> Vec<WeightedFused<u32>> {
    weighted_rank_fusion(lists, &WeightedRule::default())
}

/// Returns at least `wanted` fused rows, such that pages neither overlap nor leave a row out.
///
/// The first page is fused from twice as many candidates per list. Further pages need more candidates, and those would change
/// the order of the rows already shown. So rows keep their places, and each doubling of the lists appends only new rows.
fn in_pages(lists: &[Vec<u32>], limit: usize, wanted: usize) -> Vec<WeightedFused<u32>> {
    let mut placed: Set<u32> = Set::new();
    let mut rows = Vec::new();
    let mut most = limit;
    loop {
        let head = |list: &Vec<u32>| list.len().min(CANDIDATES_PER_HIT * most);
        let heads = lists.iter().map(|list| &list[..head(list)]).collect::<Vec<_>>();
        for one in fusion(&heads) {
            if rows.len() < most && placed.insert(one.key) {
                rows.push(one);
            }
        }
        if most >= wanted {
            return rows;
        }
        most *= 2;
    }
}

fn signals(list: &[Ranked]) -> Map<u32, Signal> {
    let signal = |(place, ranked): (usize, &Ranked)| {
        (ranked.row, Signal { score: 0.0 - ranked.rank, place: Some(place) })
    };
    list.iter().enumerate().map(signal).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranks_of(ranks: &[f64]) -> Vec<Ranked> {
        ranks.iter().zip(0..).map(|(&rank, row)| Ranked { row, rank }).collect()
    }

    /// Returns the rank that P7 normalises to this score.
    fn rank_of(score: f64) -> f64 {
        -score / (1.0 - score)
    }

    #[test]
    fn inv_003_words_are_sure_only_with_a_high_score_and_a_wide_gap() {
        let cases: [(&[f64], bool); 7] = [
            (&[0.9, 0.7], true),
            (&[0.9, 0.8], false),
            (&[0.84, 0.1], false),
            (&[0.8501, 0.7], true),
            (&[0.99, 0.85], false),
            (&[0.86], true),
            (&[], false),
        ];
        for (scores, expected) in cases {
            let ranks = scores.iter().map(|score| rank_of(*score)).collect::<Vec<_>>();
            assert_eq!(is_confident(&ranks_of(&ranks), ShortCircuit::default()), expected, "{scores:?}");
        }
    }

    #[test]
    fn edge_2_a_lone_result_leads_by_its_whole_score() {
        assert!(is_confident(&ranks_of(&[rank_of(0.8501)]), ShortCircuit::default()));
        assert!(!is_confident(&ranks_of(&[rank_of(0.8499)]), ShortCircuit::default()));
    }

    #[test]
    fn inv_003_other_thresholds_are_other_conditions() {
        let results = ranks_of(&[rank_of(0.6), rank_of(0.5)]);
        let is_met = |score: f64, gap: f64| is_confident(&results, ShortCircuit { score, gap });
        assert!(is_met(0.59, 0.09));
        assert!(!is_met(0.61, 0.09) && !is_met(0.59, 0.11));
        assert!(!is_confident(&[], ShortCircuit { score: 0.0, gap: 0.0 }), "no result is no answer");
    }

    #[test]
    fn u1_pages_of_fused_lists_neither_overlap_nor_leave_anything_out() {
        let lists: [Vec<u32>; 3] = [
            (0..90).collect(),
            (0..90).map(|number| number * 37 % 101).collect(),
            (0..40).map(|number| 150 - number * 2).collect(),
        ];
        for limit in [1, 3, 10, 100] {
            let all = in_pages(&lists, limit, 1000);
            let mut distinct = all.iter().map(|one| one.key).collect::<Vec<_>>();
            distinct.sort_unstable();
            distinct.dedup();
            let mut expected = lists.concat();
            expected.sort_unstable();
            expected.dedup();
            assert_eq!((distinct.len(), all.len()), (expected.len(), expected.len()));
            for page in 0..12 {
                let shown = in_pages(&lists, limit, (page + 1) * limit);
                let shown = shown.iter().skip(page * limit).take(limit);
                assert!(shown.eq(all.iter().skip(page * limit).take(limit)), "{limit} {page}");
            }
        }
    }

    #[test]
    fn u4_the_first_page_is_the_fusion_of_twice_as_many_candidates() {
        let lists = [(0..50).collect::<Vec<u32>>(), (20..70).rev().collect()];
        let naive = fusion(&[&lists[0][..20], &lists[1][..20]]);
        assert_eq!(in_pages(&lists, 10, 10), naive[..10]);
        let query = |limit, offset| UnifiedQuery { limit, offset, ..UnifiedQuery::default() };
        assert_eq!(depth(&query(20, 0)), 40);
        assert_eq!(depth(&query(20, 20)), 80);
        assert_eq!(depth(&query(20, 41)), 160);
    }
}
