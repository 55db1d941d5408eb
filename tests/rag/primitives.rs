//! The steps of the recipe as pure functions: the cases of tests/rag-primitives.json, which js/test/rag.test.mjs reads too,
//! and the same bits as the engine.

use super::properties::{Random, query, records};
use super::*;
use snapseek::options::Options;
use snapseek::primitives::{
    GraphOptions, GraphRerank, LinkedChunk, SourceGraph, SourceKey, apply_graph_rerank, build_graph_payload,
    expand_with_neighbor_chunks, normalize_rank_score,
};
use snapseek::recipe::rag::{RagFilters, RagMode};

fn cases(of: &str) -> Vec<Json> {
    let all = json(include_str!("../rag-primitives.json"));
    list(at(&all, of)).to_vec()
}

fn text(json: &Json, name: &str) -> Option<String> {
    at(json, name).as_str().map(str::to_owned)
}

fn count(json: &Json, name: &str) -> usize {
    number(json, name) as usize
}

fn linked_chunk(json: &Json) -> LinkedChunk {
    LinkedChunk {
        id: text(json, "id").unwrap(),
        kind: text(json, "kind"),
        source_type: text(json, "sourceType"),
        source_id: text(json, "sourceId"),
        session_id: text(json, "sessionId"),
        context_id: text(json, "contextId"),
        action_id: text(json, "actionId"),
        parent_id: text(json, "parentId"),
    }
}

fn linked_chunks(json: &Json) -> Vec<LinkedChunk> {
    list(json).iter().map(linked_chunk).collect()
}

fn graph_of(case: &Json) -> SourceGraph {
    let options = at(case, "options");
    let usual = GraphOptions::default();
    let options_of = GraphOptions {
        node_limit: options.get("nodeLimit").map_or(usual.node_limit, |_| count(options, "nodeLimit")),
        include_session: at(options, "includeSession") == &Json::Bool(true),
    };
    let others = linked_chunks(at(options, "records"));
    build_graph_payload(&linked_chunks(at(case, "results")), &others, options_of)
}

fn as_json(value: &impl serde::Serialize) -> Json {
    json(&snapseek::json::text_of(value))
}

#[test]
fn r2_rank_scores_are_as_written() {
    for case in cases("normalizeRankScore") {
        let score = normalize_rank_score(count(&case, "rank"), count(&case, "total"));
        assert_eq!(score.to_bits(), number(&case, "is").to_bits(), "{}", case.to_text());
    }
}

#[test]
fn r11_modes_and_filters_are_read_as_written() {
    for case in cases("getSearchMode") {
        let mode = RagMode::named(at(&case, "mode").as_str().unwrap()).unwrap_or_default();
        assert_eq!(Some(mode.name()), at(&case, "is").as_str());
    }
    for case in cases("buildFilters") {
        let filters = RagFilters::take(&mut Options::of(at(&case, "options")));
        assert_eq!(as_json(&filters).to_text(), at(&case, "is").to_text());
    }
}

#[test]
fn r9_graphs_of_plain_chunks_are_as_written() {
    for case in cases("buildGraphPayload") {
        assert_eq!(as_json(&graph_of(&case)).to_text(), at(&case, "is").to_text());
    }
}

#[test]
fn r10_plain_results_are_reranked_as_written() {
    let graphs = cases("buildGraphPayload").iter().map(graph_of).collect::<Vec<_>>();
    for case in cases("applyGraphRerank") {
        let results = list(at(&case, "results")).iter();
        let scored = results.map(|result| (linked_chunk(result).source(), number(result, "score")));
        let usual = GraphRerank::default();
        let options = GraphRerank {
            enabled: at(&case, "options.enabled") != &Json::Bool(false),
            weight: at(&case, "options.weight").as_f64().unwrap_or(usual.weight),
        };
        let found = apply_graph_rerank(&scored.collect::<Vec<_>>(), &graphs[count(&case, "graph")], options);
        assert_eq!(found.changed_ranks, count(&case, "is.changedRanks"));
        let expected = list(at(&case, "is.results"));
        assert_eq!(found.results.len(), expected.len());
        for (found, expected) in found.results.iter().zip(expected) {
            let found = [found.index as f64, found.score, found.base, found.signal].map(f64::to_bits);
            let expected = list(expected).iter().map(|number| number.as_f64().unwrap().to_bits());
            assert_eq!(found.to_vec(), expected.collect::<Vec<_>>(), "{}", case.to_text());
        }
    }
}

#[test]
fn r8_plain_results_are_expanded_as_written() {
    for case in cases("expandWithNeighborChunks") {
        let results = list(at(&case, "results")).iter();
        let results = results.map(|pair| (list(pair)[0].as_str().unwrap(), list(pair)[1].as_f64().unwrap()));
        let neighbours = list(at(&case, "neighbours")).iter().map(|id| id.as_str().unwrap());
        let found = expand_with_neighbor_chunks(
            &results.collect::<Vec<_>>(),
            count(&case, "window"),
            &neighbours.collect::<Vec<_>>(),
        );
        let expected = list(at(&case, "is"));
        assert_eq!(found.len(), expected.len(), "{}", case.to_text());
        for (found, expected) in found.iter().zip(expected) {
            let expected = list(expected);
            assert_eq!(Some(found.id.as_str()), expected[0].as_str(), "{}", case.to_text());
            assert_eq!(found.score.to_bits(), expected[1].as_f64().unwrap().to_bits());
            let neighbor = found.neighbor.as_ref().map(|(seed, distance)| (seed.as_str(), *distance as f64));
            let named = expected.get(2).map(|seed| (seed.as_str().unwrap(), expected[3].as_f64().unwrap()));
            assert_eq!(neighbor, named);
        }
    }
}

/// Results as ids and the bits of their scores.
fn pairs(found: &Json) -> Vec<(String, u64)> {
    ids(found)
        .into_iter()
        .map(str::to_owned)
        .zip(numbers(found, "score").into_iter().map(f64::to_bits))
        .collect()
}

#[test]
fn r8_r9_r10_the_engine_and_the_functions_give_the_same_bits() {
    let mut random = Random(23);
    let mut moved = 0;
    for _ in 0..6 {
        let records = records(&mut random);
        let all = records.iter().map(|record| linked_chunk(record.json())).collect::<Vec<_>>();
        let mut engine = engine_of(GIVEN, &records);
        for _ in 0..20 {
            let mut ask = |window: usize, rerank: bool, query: &str| {
                let options = format!(
                    r#"{{{query},"neighborWindow":{window},"graphRerank":{rerank},"nodeLimit":500}}"#
                );
                search_with(&mut engine, &options, Some(vec![3.0, 2.0, 1.0]))
            };
            let query = query(&mut random);
            let seeds = ask(0, false, &query);
            let expanded = ask(2, false, &query);
            let reranked = ask(2, true, &query);

            let scored = ids(&seeds).into_iter().zip(numbers(&seeds, "score")).collect::<Vec<_>>();
            let every = records.iter().map(Record::id).collect::<Vec<_>>();
            let own = expand_with_neighbor_chunks(&scored, 2, &every);
            let mut own = own.into_iter().map(|chunk| (chunk.id, chunk.score.to_bits())).collect::<Vec<_>>();
            let mut found = pairs(&expanded);
            // Neighbours of one seed at the same distance go by row, and rows are the engine's own.
            own.sort();
            found.sort();
            assert_eq!(own, found, "{query}");

            let results = results(&expanded).iter().map(linked_chunk).collect::<Vec<_>>();
            let options = GraphOptions { node_limit: 500, include_session: true };
            let graph = build_graph_payload(&results, &all, options);
            let sorted = |graph: &Json, list_name: &str| {
                let mut all = list(at(graph, list_name)).iter().map(Json::to_text).collect::<Vec<_>>();
                all.sort();
                all
            };
            for list_name in ["nodes", "edges"] {
                let found = sorted(at(&expanded, "graph"), list_name);
                assert_eq!(sorted(&as_json(&graph), list_name), found, "{query}");
            }

            let scored = results.iter().map(LinkedChunk::source).zip(numbers(&expanded, "score"));
            let own = apply_graph_rerank(&scored.collect::<Vec<_>>(), &graph, GraphRerank::default());
            let by_index = |index: usize| results[index].id.clone();
            let ranked = own.results.iter().map(|result| (by_index(result.index), result.score.to_bits()));
            let ranked = ranked.collect::<Vec<(String, u64)>>();
            assert_eq!(ranked.len(), pairs(&reranked).len());
            assert_eq!(own.changed_ranks, count(&reranked, "rerank.changedRanks"), "{query}");
            assert_eq!(ranked, pairs(&reranked), "{query}");
            moved += own.changed_ranks;
        }
    }
    assert!(moved > 0, "some graph moves some result");
}

#[test]
fn a_chunk_without_a_source_belongs_to_the_record_that_its_id_names() {
    let source = |id: &str, kind: Option<&str>| {
        LinkedChunk { id: id.to_owned(), kind: kind.map(str::to_owned), ..LinkedChunk::default() }.source()
    };
    let key = |source_type: &str, source_id: &str| SourceKey {
        source_type: source_type.to_owned(),
        source_id: source_id.to_owned(),
    };
    assert_eq!(source("guide.md#3", None), key("document", "guide.md"));
    assert_eq!(source("guide.md#03", Some("page")), key("page", "guide.md#03"));
}
