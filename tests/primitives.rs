//! Do P1 to P8 hold for the cases of tests/primitives.json and for any input? js/test/primitives.test.mjs reads the same
//! cases.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::Value;
use snapseek::primitives::{
    WeightedRule, bm25_normalize, build_fts5_query, chunk_text, cosine_similarity, estimate_tokens,
    format_zod_error, normalise_rrf_scores, recency_boost, reciprocal_rank_fusion, weighted_rank_fusion,
};
use snapseek::ranking::{RRF_K, ScoredId};
use snapseek::recipe::memory::{MemoryWeightChanges, MemoryWeights, ScoredMemory, compute_score};
use std::collections::HashMap;
use support::Random;

fn cases(of: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("primitives.json")).unwrap();
    all[of].as_array().unwrap().clone()
}

fn expected_hash(of: &str) -> u64 {
    let all: Value = serde_json::from_str(include_str!("primitives.json")).unwrap();
    all["hashes"][of].as_u64().unwrap()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> f64 {
    match value {
        Value::String(name) => name.parse().unwrap(),
        _ => value.as_f64().unwrap(),
    }
}

fn ids(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(text).collect()
}

fn scores(value: &Value) -> Vec<ScoredId<&str>> {
    let pairs = value.as_array().unwrap().iter();
    pairs.map(|pair| ScoredId { id: text(&pair[0]), score: number(&pair[1]) }).collect()
}

fn floats(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|x| number(x) as f32).collect()
}

/// Generates numbers that the JavaScript test generates in the same way.
struct Xorshift(u32);

impl Xorshift {
    fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 17;
        self.0 ^= self.0 << 5;
        f64::from(self.0)
    }
}

/// Hashes the bits of many results.
fn hash(results: impl Iterator<Item = f64>) -> u64 {
    let step = |hash: u32, word: u32| (hash ^ word).wrapping_mul(16_777_619);
    let words = results.flat_map(|result| [result.to_bits() as u32, (result.to_bits() >> 32) as u32]);
    u64::from(words.fold(2_166_136_261, step))
}

#[test]
fn p1_tokens_are_estimated_as_written() {
    for case in cases("estimateTokens") {
        assert_eq!(Value::from(estimate_tokens(text(&case["text"]))), case["is"], "{case}");
    }
}

#[test]
fn p1_chunks_count_their_tokens_by_the_same_rule() {
    let body = "Foxes 🦊 are quick. Their tails are not. ".repeat(40);
    let chunks = chunk_text(&body, 120, 20).unwrap();
    assert!(chunks.len() > 5);
    assert!(chunks.iter().all(|chunk| chunk.token_count == estimate_tokens(chunk.text)));
}

#[test]
fn p2_queries_are_built_as_written() {
    for case in cases("buildFts5Query") {
        assert_eq!(build_fts5_query(text(&case["query"])), text(&case["is"]), "{case}");
    }
}

#[test]
fn p3_lists_are_fused_as_written() {
    for case in cases("reciprocalRankFusion") {
        let k = case.get("k").map_or(RRF_K, number);
        let fused = reciprocal_rank_fusion(&[&ids(&case["vector"]), &ids(&case["fts"])], k);
        assert_eq!(fused, scores(&case["is"]), "{case}");
    }
}

/// Computes the formula exactly as it is specified, with a hash map.
fn naive_fusion(lists: &[&[u32]], k: f64) -> HashMap<u32, f64> {
    let mut sums: HashMap<u32, f64> = HashMap::new();
    for list in lists {
        for (rank, id) in list.iter().enumerate().filter(|(rank, id)| !list[..*rank].contains(id)) {
            *sums.entry(*id).or_default() += 1.0 / (k + rank as f64 + 1.0);
        }
    }
    sums
}

#[test]
fn p3_neither_the_order_of_the_lists_nor_of_a_container_changes_a_bit() {
    let mut random = Random::new(7);
    for _ in 0..500 {
        let mut list = || (0..random.below(20)).map(|_| random.below(25) as u32).collect::<Vec<_>>();
        let (vector, fts) = (list(), list());
        let fused = reciprocal_rank_fusion(&[&vector, &fts], RRF_K);
        assert_eq!(fused, reciprocal_rank_fusion(&[&fts, &vector], RRF_K));
        let naive = naive_fusion(&[&vector, &fts], RRF_K);
        assert_eq!(fused.iter().map(|one| (one.id, one.score)).collect::<HashMap<_, _>>(), naive);
        assert!(
            fused.windows(2).all(|pair| pair[0].score > pair[1].score
                || pair[0].score == pair[1].score && pair[0].id < pair[1].id)
        );
    }
}

fn keys(value: &Value) -> Vec<(&str, &str)> {
    value.as_array().unwrap().iter().map(|pair| (text(&pair[0]), text(&pair[1]))).collect()
}

#[test]
fn u5_inv_001_inv_006_inv_007_lists_are_fused_by_weighted_ranks_as_written() {
    for case in cases("weightedRankFusion") {
        let lists = case["lists"].as_array().unwrap().iter().map(keys).collect::<Vec<_>>();
        let numbers = |name: &str| Some(case.get(name)?.as_array()?.iter().map(number).collect::<Vec<_>>());
        let (weights, bonuses) = (numbers("weights"), numbers("bonuses"));
        let usual = WeightedRule::default();
        let rule = WeightedRule {
            k: case.get("k").map_or(usual.k, number),
            weights: weights.as_deref().unwrap_or(usual.weights),
            bonuses: bonuses.as_deref().unwrap_or(usual.bonuses),
        };
        let fused = weighted_rank_fusion(&lists.iter().map(Vec::as_slice).collect::<Vec<_>>(), &rule);
        let found = fused.iter().map(|one| {
            Value::from(vec![Value::from(one.key.0), Value::from(one.key.1), Value::from(one.score)])
        });
        assert_eq!(Value::from(found.collect::<Vec<_>>()), case["is"], "{case}");
    }
}

#[test]
fn u5_many_weighted_fusions_have_the_bits_that_javascript_finds() {
    let mut numbers = Xorshift(5555);
    let mut scores = Vec::new();
    for _ in 0..500 {
        let mut below = |end: u32| numbers.next() as u32 % end;
        let count = below(5);
        let lists = (0..count).map(|_| {
            let length = below(20);
            (0..length).map(|_| (below(30).to_string(), below(2))).collect::<Vec<_>>()
        });
        let lists = lists.collect::<Vec<_>>();
        let k = f64::from(below(100));
        let mut scaled = |scale: f64| {
            let length = numbers.next() as u32 % 4;
            (0..length).map(|_| numbers.next() / scale).collect::<Vec<_>>()
        };
        let (weights, bonuses) = (scaled(2f64.powi(31)), scaled(2f64.powi(36)));
        let rule = WeightedRule { k, weights: &weights, bonuses: &bonuses };
        let keys = lists.iter().map(|list| list.iter().map(|(id, kind)| (id.as_str(), *kind)).collect());
        let keys = keys.collect::<Vec<Vec<_>>>();
        let fused = weighted_rank_fusion(&keys.iter().map(Vec::as_slice).collect::<Vec<_>>(), &rule);
        scores.extend(fused.into_iter().map(|one| one.score));
    }
    assert_eq!(hash(scores.into_iter()), expected_hash("weightedRankFusion"));
}

#[test]
fn p4_scores_are_normalised_as_written() {
    for case in cases("normaliseRrfScores") {
        let given = scores(&case["scores"]);
        assert_eq!(normalise_rrf_scores(&given), scores(&case["is"]), "{case}");
        assert_eq!(given, scores(&case["scores"]), "the input is not changed");
    }
}

#[test]
fn p5_boosts_are_as_written() {
    for case in cases("recencyBoost") {
        let floor = case.get("floor").map_or(0.0, number);
        let boost = recency_boost(number(&case["createdAt"]), number(&case["now"]), floor);
        assert_eq!(boost.to_bits(), number(&case["is"]).to_bits(), "{case}: {boost:?}");
    }
}

#[test]
fn p5_many_boosts_have_the_bits_that_javascript_finds() {
    let mut numbers = Xorshift(5);
    let boosts = (0..100_000).map(|i| recency_boost(0.0, numbers.next() * f64::from(1 << (i % 12)), 0.0));
    assert_eq!(hash(boosts), expected_hash("recencyBoost"));
}

#[test]
fn p6_issues_are_formatted_as_written() {
    let part = |part: &Value| part.as_str().map_or_else(|| part.to_string(), str::to_owned);
    for case in cases("formatZodError") {
        let issue = |issue: &Value| {
            (issue["path"].as_array().unwrap().iter().map(part).collect(), text(&issue["message"]).to_owned())
        };
        let issues = case["issues"].as_array().unwrap().iter().map(issue).collect::<Vec<_>>();
        assert_eq!(format_zod_error(&issues), text(&case["is"]), "{case}");
    }
}

#[test]
fn p7_u12_inv_005_scores_are_brought_below_one_as_written() {
    for case in cases("bm25Normalize") {
        let found = bm25_normalize(number(&case["x"]));
        assert_eq!(found, number(&case["is"]), "{case}");
        assert!((0.0..1.0).contains(&found), "{case}");
    }
}

#[test]
fn p7_many_scores_have_the_bits_that_javascript_finds() {
    let mut numbers = Xorshift(7);
    let found =
        (0..100_000).map(|i| bm25_normalize((numbers.next() - 2_147_483_648.0) / f64::from(1 << (i % 31))));
    assert_eq!(hash(found), expected_hash("bm25Normalize"));
}

#[test]
fn p8_cosines_are_as_written() {
    for case in cases("cosineSimilarity") {
        assert_eq!(
            cosine_similarity(&floats(&case["a"]), &floats(&case["b"])),
            number(&case["is"]),
            "{case}"
        );
    }
}

#[test]
fn p8_many_cosines_have_the_bits_that_javascript_finds() {
    let mut numbers = Xorshift(8);
    let mut vector =
        |len| (0..len).map(|_| (numbers.next() / 4_294_967_296.0 - 0.5) as f32).collect::<Vec<_>>();
    let cosines = (0..5_000).map(|i| cosine_similarity(&vector(1 + i % 48), &vector(1 + i % 48)));
    assert_eq!(hash(cosines), expected_hash("cosineSimilarity"));
}

fn weights(value: &Value) -> MemoryWeights {
    let boosts = value["sectorBoost"].as_object().into_iter().flatten();
    let changes = MemoryWeightChanges {
        semantic: value["semantic"].as_f64(),
        keyword: value["keyword"].as_f64(),
        salience: value["salience"].as_f64(),
        recency: value["recency"].as_f64(),
        sector_boost: boosts.map(|(sector, boost)| (sector.clone(), number(boost))).collect(),
    };
    changes.applied_to(&MemoryWeights::default())
}

#[test]
fn m4_scores_of_memories_are_as_written() {
    for case in cases("computeScore") {
        let memory = ScoredMemory {
            salience: case["memory"]["salience"].as_f64(),
            created_at: case["memory"]["createdAt"].as_f64(),
            sector: case["memory"]["sector"].as_str(),
            valid_until: case["memory"]["validUntil"].as_f64(),
        };
        let (similarity, rank) = (number(&case["semanticSim"]), number(&case["ftsRank"]));
        let score =
            compute_score(&memory, similarity, rank, &weights(&case["weights"]), number(&case["now"]));
        assert_eq!(score.to_bits(), number(&case["is"]).to_bits(), "{case}: {score:?}");
    }
}

#[test]
fn m4_many_scores_of_memories_have_the_bits_that_javascript_finds() {
    const SECTORS: [&str; 6] = ["reflective", "semantic", "procedural", "emotional", "episodic", "other"];
    let (mut numbers, weights) = (Xorshift(4), MemoryWeights::default());
    let scores = (0..100_000u32).map(|i| {
        let similarity = numbers.next() / 4_294_967_296.0;
        let rank = numbers.next() / -268_435_456.0;
        let salience = numbers.next() / 4_294_967_296.0;
        let now = numbers.next() * f64::from(1 << (i % 12));
        let memory = ScoredMemory {
            salience: Some(salience),
            created_at: Some(0.0),
            sector: Some(SECTORS[i as usize % 6]),
            valid_until: i.is_multiple_of(3).then_some(1_099_511_627_776.0),
        };
        compute_score(&memory, similarity, rank, &weights, now)
    });
    assert_eq!(hash(scores), expected_hash("computeScore"));
}
