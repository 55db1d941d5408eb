//! The unified recipe: observations, sessions and prompts, asked in one way.
//!
//! Without words, filters alone select, newest first. Words are looked for first; where they are sure, that is the answer.
//! Otherwise nearest vectors, and on request other ways to ask, are fused with them by ranks.

use super::params::{self, Params};
use super::variants::{Variant, variants};
use super::vocabulary::Vocabulary;
use crate::bitmap::Bitmap;
use crate::order::{Map, Set};
use crate::pipeline::RankedRow;
use crate::pipeline::{CandidateQuery, Signal, Words};
use crate::pipeline::{Context, Formula, Measure, Rated};
use crate::pipeline::{InterpretError, Legs, WordRule, interpret};
use crate::query::{self, Query};
use crate::ranking::{WeightedFused, bm25_normalize, weighted_fusion};
use crate::retrieval::{Ranked, TimeOrder, by_time, nearest};
use crate::vector;
use serde::Serialize;
use std::mem::take;

/// Words are sure where the best scores so much,
const SURE_SCORE: f64 = 0.85;
/// and the second so much less.
const SURE_GAP: f64 = 0.15;
/// Each list has so many candidates for each hit that is wanted.
const CANDIDATES_PER_HIT: usize = 2;

/// What the convenience calls append to a query (U7), by their names.
const BOOSTERS: [(&str, &str); 3] = [
    ("unified.decisions", "decision chose architecture"),
    ("unified.changes", "changed modified refactored"),
    ("unified.howItWorks", "architecture design pattern implements"),
];

/// What a call of this name appends to its query; nothing where it is no such call.
pub fn booster(call: &str) -> &'static str {
    BOOSTERS.into_iter().find(|(name, _)| *name == call).map_or("", |(_, words)| words)
}

/// A query with what is appended to it; an empty one stays empty.
pub fn boosted(query: &str, booster: &str) -> String {
    let is_bare = query.is_empty() || booster.is_empty();
    if is_bare { query.to_owned() } else { format!("{query} {booster}") }
}

/// What there is to compare vectors with.
#[derive(Clone, Copy, Debug)]
pub enum DeferredVector<'a> {
    /// Nothing.
    Missing,
    /// A vector, for the model in this place.
    Ready(usize, &'a vector::VectorQuery),
    /// A vector that has still to be made, if it is needed.
    Later,
}

/// What to do.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// What was asked.
    pub params: &'a Params,
    /// By segment, the documents that may be hits; none where all may.
    pub allowed: Option<&'a [Bitmap]>,
    /// The query's vector.
    pub vector: DeferredVector<'a>,
    /// Words of the index, and the query's vector by the same embedder.
    pub vocabulary: Option<(&'a Vocabulary, &'a [f32])>,
}

/// Which way a search took (U3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Route {
    /// Filters alone.
    Filter,
    /// Words alone.
    Keyword,
    /// Words and vectors.
    Hybrid,
}

/// What was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// At least the rows up to the end of the page, if there are so many; in order.
    rows: Vec<Rated>,
    /// The hits of the page.
    pub page: Vec<Shown>,
    /// How their scores were made.
    pub formula: Formula,
    /// Which way was taken.
    pub route: Route,
    /// How many candidates each leg gave.
    pub legs: Legs,
    /// Whether words were so sure that nothing else was asked.
    pub is_short_circuit: bool,
    /// The ways in which it was asked, where there are several.
    pub variants: Vec<Variant>,
}

/// A hit.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The row and its score.
    pub rated: Rated,
    /// Whether it is here because it was pinned.
    pub is_pinned: bool,
    /// The rows that are folded under it.
    pub folded: Vec<u32>,
}

/// Finds the hits; none where that takes a vector that has still to be made.
///
/// # Errors
/// When the snapshot is damaged.
pub fn search(context: &Context, plan: &Plan) -> Result<Option<Found>, InterpretError> {
    let params = plan.params;
    let time = Params::time(context.schema);
    if params.query.is_empty() {
        let order = params.order.unwrap_or(TimeOrder::Newest);
        let rows = by_time(context.corpus, time, order, depth(params), plan.allowed)?;
        return Ok(Some(Found::by_filter(rows).staged(context, plan)?));
    }
    let weights = context.schema.weights();
    let depth = depth(params);
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
    let keyword = found_by(&query_of(context, &params.query)?)?;
    let is_alone = !params.expands && matches!(plan.vector, DeferredVector::Missing);
    let is_short_circuit = !is_alone && is_sure(&keyword);
    let mut found = if is_alone || is_short_circuit {
        Found { is_short_circuit, ..Found::by_words(&keyword) }
    } else {
        let near = match plan.vector {
            DeferredVector::Later => return Ok(None),
            DeferredVector::Missing => None,
            DeferredVector::Ready(model, query) => {
                let vector = Some((model, query));
                let ask =
                    CandidateQuery { words: None, vector, depth, allowed: plan.allowed, wants_all: false };
                ask.nearest().map(|asked| nearest(context.corpus, &asked)).transpose()?
            }
        };
        let variants = if params.expands { all_variants(context, plan) } else { Vec::new() };
        let mut others = Vec::new();
        for variant in variants.iter().skip(1) {
            others.push(found_by(&variant_query(context, variant)?)?);
        }
        Found::fused(params, &keyword, near.as_deref(), variants, &others)
    };
    if let Some(order) = params.order {
        order.sort(context.corpus, time, &mut found.rows, |rated| rated.row)?;
    }
    Ok(Some(found.staged(context, plan)?))
}

/// Whether hits are shown as they are fused. Otherwise the newest of the best are wanted, or what stages leave of them:
/// always of the same ones, whatever the page.
fn is_plain(params: &Params) -> bool {
    params.order.is_none() && params.stages.are_none()
}

/// How many candidates each list gives: twice the page, and doubled until the page is within.
fn depth(params: &Params) -> usize {
    let Params { limit, offset, .. } = params;
    match is_plain(params) {
        true => CANDIDATES_PER_HIT * limit * (offset + limit).div_ceil(*limit).next_power_of_two(),
        false => CANDIDATES_PER_HIT * params::MAX_LIMIT.max(offset + limit),
    }
}

/// Whether the best is so much better that vectors would only add noise (INV-003); one alone has nothing beside it.
fn is_sure(keyword: &[Ranked]) -> bool {
    let score = |place: usize| keyword.get(place).map_or(0.0, |ranked| bm25_normalize(ranked.rank));
    score(0) >= SURE_SCORE && score(0) - score(1) >= SURE_GAP
}

fn query_of(context: &Context, text: &str) -> Result<Query, InterpretError> {
    Ok(interpret(text, WordRule::Any, context.corpus, context.schema, context.analyzer, false, 0)?.query)
}

fn all_variants(context: &Context, plan: &Plan) -> Vec<Variant> {
    let near = plan.vocabulary.map(|(vocabulary, vector)| vocabulary.near(vector, &context.query_terms()));
    variants(&plan.params.query, near.unwrap_or_default())
}

fn variant_query(context: &Context, variant: &Variant) -> Result<Query, InterpretError> {
    let mut query = query_of(context, &variant.query)?;
    // A stem that is taken for text would be stemmed again.
    if let (Some(term), Some(phrase)) = (&variant.term, query.phrases.first_mut()) {
        phrase.terms = vec![query::QueryTerm::Exact(term.clone())];
    }
    Ok(query)
}

impl Found {
    fn of(rows: Vec<Rated>, names: &[&str], route: Route) -> Found {
        // Only told of: the scores are made elsewhere.
        let mut formula = Formula::default();
        names.iter().for_each(|name| formula.add(name, 1.0, Measure::Given(Vec::new())));
        let (is_short_circuit, legs) = (false, Legs::default());
        Found { rows, page: Vec::new(), formula, route, legs, is_short_circuit, variants: Vec::new() }
    }

    /// Rows that were not scored.
    fn by_filter(rows: Vec<u32>) -> Found {
        Found::of(rows.into_iter().map(unscored).collect::<Vec<_>>(), &[], Route::Filter)
    }

    /// What words found, each scored by P7.
    fn by_words(keyword: &[Ranked]) -> Found {
        let rated = |(place, ranked): (usize, &Ranked)| {
            let score = bm25_normalize(ranked.rank);
            let keyword = Some(Signal { score: 0.0 - ranked.rank, place: Some(place) });
            Rated { row: ranked.row, score, keyword, values: vec![score], ..Rated::default() }
        };
        let legs = Legs { keyword: Some(keyword.len()), vector: None };
        let rows = keyword.iter().enumerate().map(rated).collect::<Vec<_>>();
        Found { legs, ..Found::of(rows, &["keyword"], Route::Keyword) }
    }

    /// All lists as one (U5): the words', the vectors', then those of the variants.
    fn fused(
        params: &Params,
        keyword: &[Ranked],
        near: Option<&[Ranked]>,
        variants: Vec<Variant>,
        others: &[Vec<Ranked>],
    ) -> Found {
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
        let rows = match is_plain(params) {
            true => in_pages(&lists, params.limit, params.offset + params.limit),
            false => weighted_fusion(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>()),
        };
        let others = variants.iter().skip(1).map(|variant| variant.query.as_str());
        let names = ["keyword", "vector"].into_iter().chain(others).collect::<Vec<_>>();
        let route = if near.is_some() { Route::Hybrid } else { Route::Keyword };
        let legs = Legs { keyword: Some(keyword.len()), vector: near.map(<[Ranked]>::len) };
        let found = Found::of(rows.into_iter().map(rated).collect::<Vec<_>>(), &names, route);
        Found { legs, variants, ..found }
    }

    /// Puts the rows through the stages, and cuts the page.
    fn staged(mut self, context: &Context, plan: &Plan) -> Result<Found, InterpretError> {
        let Params { stages, offset, limit, .. } = plan.params;
        let mut pinned = Vec::new();
        stages.add_pinned(context.corpus, plan.allowed, &mut pinned)?;
        pinned.retain(|pinned| self.rows.iter().all(|rated| rated.row != pinned.row));
        self.rows.extend(pinned.into_iter().map(|pinned| unscored(pinned.row)));
        let mut standings = self.rows.iter().map(RankedRow::of).collect::<Vec<_>>();
        // Where nothing was asked, nothing is beside the point.
        if self.route == Route::Filter {
            standings.iter_mut().for_each(|standing| standing.relevance = 1.0);
        }
        let staged = stages.run(context, &standings, offset + limit)?;
        let shown = staged.places.iter().zip(staged.folded).enumerate().skip(*offset);
        let shown = shown.map(|(number, (&place, folded))| Shown {
            rated: take(&mut self.rows[place]),
            is_pinned: number < staged.pinned,
            folded,
        });
        self.page = shown.collect::<Vec<_>>();
        Ok(self)
    }
}

/// A row that nothing was asked about.
fn unscored(row: u32) -> Rated {
    Rated { row, ..Rated::default() }
}

/// Fused rows, at least so many as are wanted, such that pages neither overlap nor leave anything out.
///
/// The first page comes from twice as many candidates of each list. The next ones need more, and those would change the
/// order of what was already shown; so that stays where it is, and each doubling of the lists appends what is not yet
/// there.
fn in_pages(lists: &[Vec<u32>], limit: usize, wanted: usize) -> Vec<WeightedFused<u32>> {
    let mut placed: Set<u32> = Set::new();
    let mut rows = Vec::new();
    let mut most = limit;
    loop {
        let head = |list: &Vec<u32>| list.len().min(CANDIDATES_PER_HIT * most);
        let heads = lists.iter().map(|list| &list[..head(list)]).collect::<Vec<_>>();
        for one in weighted_fusion(&heads) {
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

    fn ranked(ranks: &[f64]) -> Vec<Ranked> {
        ranks.iter().zip(0..).map(|(&rank, row)| Ranked { row, rank }).collect()
    }

    /// The rank whose P7 is this.
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
            assert_eq!(is_sure(&ranked(&ranks)), expected, "{scores:?}");
        }
    }

    #[test]
    fn edge_2_one_result_alone_has_nothing_beside_it() {
        assert!(is_sure(&ranked(&[rank_of(0.8501)])));
        assert!(!is_sure(&ranked(&[rank_of(0.8499)])));
    }

    #[test]
    fn u7_a_booster_is_appended_unless_there_is_nothing_to_boost() {
        assert_eq!(boosted("auth", booster("unified.decisions")), "auth decision chose architecture");
        assert_eq!(boosted("auth", booster("unified.changes")), "auth changed modified refactored");
        assert_eq!(
            boosted("auth", booster("unified.howItWorks")),
            "auth architecture design pattern implements"
        );
        assert_eq!(boosted("", booster("unified.changes")), "");
        assert_eq!(boosted("auth", booster("unified.search")), "auth");
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
        let naive = weighted_fusion(&[&lists[0][..20], &lists[1][..20]]);
        assert_eq!(in_pages(&lists, 10, 10), naive[..10]);
        let params = |limit, offset| {
            let mut options = crate::options::Options::of(&crate::json::Json::Null);
            Params { limit, offset, ..Params::read(&mut options) }
        };
        assert_eq!(depth(&params(20, 0)), 40);
        assert_eq!(depth(&params(20, 20)), 80);
        assert_eq!(depth(&params(20, 41)), 160);
    }
}
