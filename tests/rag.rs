//! `rag.search`: what R1 to R12 say, step by step.

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::schema::Schema;
use snapseek::{Engine, Record};
use std::collections::BTreeMap;

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

const ATTRIBUTES: &str = r#"{"sourceType":"keyword","sourceId":"keyword","sessionId":"keyword",
    "contextId":"keyword","actionId":"keyword","parentId":"keyword","contentHash":"keyword",
    "chunkIndex":"number","charOffset":"number","tokenCount":"number","createdAt":"time"}"#;

fn schema(vectors: &str) -> Schema {
    let text =
        format!(r#"{{"fields":{{"title":{{}},"text":{{}}}},"attributes":{ATTRIBUTES},"vectors":{vectors}}}"#);
    serde_json::from_str(&text).unwrap()
}

/// Vectors that come with the records.
const GIVEN: &str = r#"{"m":{"encoding":"f32","field":"vector"}}"#;

/// A chunk: its source as `type:id#index`, its text, and more fields.
fn chunk(name: &str, text: &str, more: &str) -> Record {
    let (source_type, rest) = name.split_once(':').unwrap();
    let (source_id, index) = rest.split_once('#').unwrap();
    Record::from_json(json(&format!(
        r#"{{"id":"{name}","kind":"chunk","sourceType":"{source_type}","sourceId":"{source_id}",
            "chunkIndex":{index},"text":"{text}"{more}}}"#
    )))
    .unwrap()
}

fn engine_of(vectors: &str, records: &[Record]) -> Engine {
    let mut engine = Engine::empty(&schema(vectors)).unwrap();
    engine.add(records).unwrap();
    engine
}

fn search_with(engine: &mut Engine, options: &str, vector: Option<Vec<f32>>) -> Json {
    json(&engine.call("rag.search", &json(options), vector).unwrap())
}

fn search(engine: &mut Engine, options: &str) -> Json {
    search_with(engine, options, None)
}

fn at<'a>(json: &'a Json, path: &str) -> &'a Json {
    path.split('.').fold(json, |json, name| json.get(name).unwrap_or(&Json::Null))
}

fn number(json: &Json, path: &str) -> f64 {
    at(json, path).as_f64().unwrap_or_else(|| panic!("no number at {path} in {}", json.to_text()))
}

fn list(json: &Json) -> &[Json] {
    match json {
        Json::Array(values) => values,
        other => panic!("no array: {}", other.to_text()),
    }
}

fn results(response: &Json) -> &[Json] {
    list(at(response, "results"))
}

fn ids(response: &Json) -> Vec<&str> {
    results(response).iter().map(|result| at(result, "id").as_str().unwrap()).collect()
}

fn numbers(response: &Json, field: &str) -> Vec<f64> {
    results(response).iter().map(|result| number(result, field)).collect()
}

fn keys(json: &Json) -> Vec<&str> {
    match json {
        Json::Object(entries) => entries.iter().map(|(name, _)| name.as_str()).collect(),
        _ => panic!("no object"),
    }
}

/// Five chunks of five sources; words and vectors agree on none but the first.
fn five() -> Engine {
    engine_of(
        GIVEN,
        &[
            chunk("context:a#0", "ferry ferry timetable", r#","createdAt":5,"vector":[1,0]"#),
            chunk("context:b#0", "ferry in the fog of the morning", r#","createdAt":4,"vector":[0,1]"#),
            chunk(
                "action:c#0",
                "a ferry, and much else that is said here",
                r#","createdAt":3,"vector":[-1,0]"#,
            ),
            chunk("thought:d#0", "boats leave late", r#","createdAt":2,"vector":[0.8,0.6]"#),
            chunk("thought:e#0", "gulls", r#","createdAt":1"#),
        ],
    )
}

#[test]
fn r1_candidates_are_what_bm25_finds_and_their_limit_follows_the_page() {
    let mut engine = five();
    let found = search(&mut engine, r#"{"query":"ferry","mode":"fts"}"#);
    assert_eq!(ids(&found), ["context:a#0", "context:b#0", "action:c#0"]);
    assert_eq!(number(&found, "candidateLimit"), 60.0);
    assert_eq!(number(&found, "quality.candidates.keyword"), 3.0);
    for (options, limit) in [(r#""limit":20"#, 120.0), (r#""limit":100"#, 500.0)] {
        let found = search(&mut engine, &format!(r#"{{"query":"ferry",{options}}}"#));
        assert_eq!(number(&found, "candidateLimit"), limit);
    }
    let found = search(&mut engine, r#"{"query":"ferry","mode":"fts","limit":2,"candidateLimit":2}"#);
    assert_eq!(number(&found, "quality.candidates.keyword"), 2.0);
}

#[test]
fn r1_where_words_find_nothing_the_newest_chunks_are_candidates_without_a_keyword_score() {
    let mut engine = five();
    let options = r#"{"query":"zeppelin","minScore":0,"limit":3,"candidateLimit":3}"#;
    let found = search_with(&mut engine, options, Some(vec![0.0, 1.0]));
    // The nearest are b and d; beside them c, the third of the newest, is not near at all.
    assert_eq!(number(&found, "quality.candidates.keyword"), 0.0);
    assert_eq!(number(&found, "quality.candidates.vector"), 3.0);
    assert_eq!(number(&found, "quality.candidates.newest"), 1.0);
    assert!(numbers(&found, "keywordScore").iter().all(|score| *score == 0.0));
    let options = r#"{"query":"zeppelin","mode":"hybrid","minScore":0,"includeGraph":false}"#;
    let mut hashed = engine_of(
        r#"{"h":{"embedder":"hash"}}"#,
        &[chunk("a:1#0", "old", r#","createdAt":1"#), chunk("a:2#0", "new", r#","createdAt":9"#)],
    );
    let found = search(&mut hashed, options);
    assert_eq!(number(&found, "quality.candidates.keyword"), 0.0);
    assert_eq!(results(&found).len(), 2);
}

#[test]
fn r1_the_newest_come_by_their_time_and_only_as_many_as_asked_for() {
    let records = (0..50)
        .map(|i| chunk(&format!("a:{i}#0"), "text", &format!(r#","createdAt":{}"#, (i * 7) % 50)))
        .collect::<Vec<_>>();
    let mut engine = engine_of(GIVEN, &records);
    // No record has a vector, so nothing is near.
    let options = r#"{"query":"zeppelin","minScore":0,"limit":4,"candidateLimit":4}"#;
    let found = search_with(&mut engine, options, Some(vec![1.0]));
    let mut times = numbers(&found, "createdAt");
    times.sort_by(f64::total_cmp);
    assert_eq!(times, [46.0, 47.0, 48.0, 49.0]);
}

#[test]
fn r1_in_fts_mode_no_candidates_are_no_results() {
    let found = search(&mut five(), r#"{"query":"zeppelin","mode":"fts","minTokenOverlap":0}"#);
    assert_eq!(results(&found).len(), 0);
    assert_eq!(number(&found, "quality.candidates.newest"), 0.0);
}

#[test]
fn r2_a_keyword_score_is_the_place_from_one_to_nought_and_one_alone_has_one() {
    let mut engine = five();
    let found = search(&mut engine, r#"{"query":"ferry","mode":"fts"}"#);
    assert_eq!(numbers(&found, "keywordScore"), [1.0, 0.5, 0.0]);
    let found = search(&mut engine, r#"{"query":"gulls","mode":"fts"}"#);
    assert_eq!(numbers(&found, "keywordScore"), [1.0]);
}

#[test]
fn r3_overlap_is_the_share_of_distinct_query_terms() {
    let found = search(&mut five(), r#"{"query":"ferry ferry fog boats zeppelin","mode":"fts","limit":10}"#);
    let overlap = results(&found)
        .iter()
        .map(|result| (at(result, "id").as_str().unwrap(), number(result, "overlapScore")))
        .collect::<BTreeMap<_, _>>();
    assert_eq!(overlap["context:b#0"], 0.5);
    assert_eq!(overlap["context:a#0"], 0.25);
    assert_eq!(overlap["thought:d#0"], 0.25);
    let tokens = results(&found).iter().map(|result| number(result, "overlapTokens"));
    assert_eq!(tokens.fold(0.0, f64::max), 2.0);
}

#[test]
fn r4_a_semantic_score_is_the_cosine_and_never_below_nought() {
    let options = r#"{"query":"ferry","minScore":0}"#;
    let found = search_with(&mut five(), options, Some(vec![1.0, 0.0]));
    let semantic = results(&found)
        .iter()
        .map(|result| (at(result, "id").as_str().unwrap(), number(result, "semanticScore")))
        .collect::<BTreeMap<_, _>>();
    assert_eq!(semantic["context:a#0"], 1.0);
    assert_eq!(semantic["context:b#0"], 0.0);
    assert_eq!(semantic["action:c#0"], 0.0);
    assert!((semantic["thought:d#0"] - 0.8).abs() < 1e-6, "f32 keeps about seven digits");
}

#[test]
fn r4_the_nearest_join_the_candidates_but_not_in_fts_mode() {
    for mode in ["semantic", "hybrid"] {
        let options = format!(r#"{{"query":"ferry","mode":"{mode}"}}"#);
        let found = search_with(&mut five(), &options, Some(vec![0.8, 0.6]));
        assert!(ids(&found).contains(&"thought:d#0"), "{mode}: no word matches, its vector does");
    }
    let found = search_with(&mut five(), r#"{"query":"ferry","mode":"fts"}"#, Some(vec![0.8, 0.6]));
    assert!(!ids(&found).contains(&"thought:d#0"));
    assert_eq!(number(&found, "quality.candidates.vector"), 0.0);
}

#[test]
fn r5_each_mode_makes_its_score_of_the_signals() {
    for (options, score) in [
        (r#""mode":"fts""#, (|k, o, _| f64::max(k, o)) as fn(f64, f64, f64) -> f64),
        (r#""mode":"semantic""#, |_, o, s| 0.85 * s + (1.0 - 0.85) * o),
        (r#""mode":"hybrid""#, |k, o, s| 0.7 * s + (1.0 - 0.7) * f64::max(k, 0.8 * o)),
        (r#""semanticWeight":0.25"#, |k, o, s| 0.25 * s + 0.75 * f64::max(k, 0.8 * o)),
    ] {
        let options = format!(
            r#"{{"query":"ferry fog",{options},"minScore":0,"minSemanticScore":0,"minTokenOverlap":0}}"#
        );
        let found = search_with(&mut five(), &options, Some(vec![0.6, 0.8]));
        assert!(results(&found).len() >= 3, "{options}");
        for result in results(&found) {
            let signal = |name| number(result, name);
            let expected = score(signal("keywordScore"), signal("overlapScore"), signal("semanticScore"));
            assert_eq!(signal("score"), expected, "{options}");
            assert!((0.0..=1.0).contains(&expected));
        }
    }
}

#[test]
fn r6_every_mode_has_its_own_floor() {
    let floors = |found: &Json| {
        ["minScore", "minSemanticScore", "minTokenOverlap"]
            .map(|name| number(found, &format!("quality.{name}")))
    };
    for (mode, expected) in
        [("fts", [0.0, 0.0, 1.0]), ("semantic", [0.15, 0.15, 0.0]), ("hybrid", [0.1, 0.0, 0.0])]
    {
        let options = format!(r#"{{"query":"ferry","mode":"{mode}"}}"#);
        let found = search_with(&mut five(), &options, Some(vec![1.0, 0.0]));
        assert_eq!(floors(&found), expected, "{mode}");
    }
}

#[test]
fn r6_what_is_below_a_floor_is_no_result() {
    let vector = || Some(vec![1.0, 0.0]);
    let mut engine = five();
    let found = search_with(&mut engine, r#"{"query":"ferry fog","minScore":0.5}"#, vector());
    assert!(!results(&found).is_empty() && numbers(&found, "score").iter().all(|score| *score >= 0.5));
    let found = search_with(&mut engine, r#"{"query":"ferry","minSemanticScore":0.7}"#, vector());
    assert_eq!(ids(&found), ["context:a#0", "thought:d#0"]);
    let found = search_with(&mut engine, r#"{"query":"ferry fog","minTokenOverlap":2}"#, vector());
    assert_eq!(ids(&found), ["context:b#0"]);
    assert_eq!(number(&found, "quality.passed"), 1.0);
}

/// A source with eight chunks about ferries, and two with one.
fn uneven() -> Engine {
    let mut records = (0..8)
        .map(|i| chunk(&format!("context:long#{i}"), &format!("ferry {}", "word ".repeat(i)), ""))
        .collect::<Vec<_>>();
    records.push(chunk("action:one#0", "ferry and a good deal of other words that make it long", ""));
    records.push(chunk("action:two#0", "ferry and yet more of other words that make it longer still", ""));
    engine_of("{}", &records)
}

fn of_source(found: &Json, id: &str) -> usize {
    results(found).iter().filter(|result| at(result, "sourceId").as_str() == Some(id)).count()
}

#[test]
fn r7_a_source_has_at_most_three_results_while_others_can_fill_the_page() {
    let found = search(&mut uneven(), r#"{"query":"ferry","mode":"fts","limit":5}"#);
    assert_eq!((of_source(&found, "long"), results(&found).len()), (3, 5));
    assert_eq!(number(&found, "quality.maxPerSource"), 3.0);
    let found = search(&mut uneven(), r#"{"query":"ferry","mode":"fts","limit":3,"maxPerSource":1}"#);
    assert_eq!(of_source(&found, "long"), 1);
    let off = r#"{"query":"ferry","mode":"fts","limit":5,"diversifyBySource":false}"#;
    assert_eq!(of_source(&search(&mut uneven(), off), "long"), 5);
}

#[test]
fn r7_the_overflow_refills_a_page_that_would_be_short() {
    let found = search(&mut uneven(), r#"{"query":"ferry","mode":"fts","limit":8}"#);
    assert_eq!((of_source(&found, "long"), results(&found).len()), (6, 8));
    assert_eq!(number(&found, "quality.refilled"), 3.0);
    let scores = numbers(&found, "score");
    assert!(scores.is_sorted_by(|a, b| a >= b), "a refilled page is in order: {scores:?}");
}

#[test]
fn r8_neighbours_have_085_of_the_seed_a_step_and_say_whose_they_are() {
    let records = (0..7)
        .map(|i| chunk(&format!("context:x#{i}"), if i == 3 { "ferry" } else { "other" }, ""))
        .collect::<Vec<_>>();
    let mut engine = engine_of("{}", &records);
    let found = search(&mut engine, r#"{"query":"ferry","mode":"fts","neighborWindow":2}"#);
    assert_eq!(ids(&found), ["context:x#3", "context:x#2", "context:x#4", "context:x#1", "context:x#5"]);
    let step = 0.85;
    assert_eq!(numbers(&found, "score"), [1.0, step, step, step * step, step * step]);
    assert_eq!(at(&results(&found)[4], "neighbor").to_text(), r#"{"seed":"context:x#3","distance":2}"#);
    assert_eq!(at(&results(&found)[0], "neighbor"), &Json::Null);
    assert_eq!(at(&found, "neighbor").to_text(), r#"{"window":2,"seeds":1,"added":4}"#);
    let none = search(&mut engine, r#"{"query":"ferry","mode":"fts"}"#);
    assert_eq!(ids(&none), ["context:x#3"], "there is no window by default");
}

#[test]
fn r8_neighbours_are_found_for_pieces_with_other_ids_and_in_other_segments() {
    let plain = |i: usize, text: &str| {
        Record::from_json(json(&format!(r#"{{"id":"guide.md#{i}","text":"{text}","chunkIndex":{i}}}"#)))
            .unwrap()
    };
    let mut engine = engine_of("{}", &[plain(1, "ferry")]);
    engine.add([&plain(2, "after"), &plain(10, "far")]).unwrap();
    engine.add([&plain(0, "before")]).unwrap();
    let found = search(&mut engine, r#"{"query":"ferry","mode":"fts","neighborWindow":5}"#);
    assert_eq!(ids(&found), ["guide.md#1", "guide.md#2", "guide.md#0"]);
}

/// An action in a context, a thought about the action, its parent and its child, another member of the context, a peer of
/// the session, and a note.
fn linked() -> Engine {
    engine_of(
        "{}",
        &[
            chunk("context:c1#0", "harbour", ""),
            chunk("action:a1#0", "ferry", r#","contextId":"c1","sessionId":"s1""#),
            chunk("action:a1#1", "other", r#","contextId":"c1","sessionId":"s1""#),
            chunk("thought:t1#0", "fog", r#","actionId":"a1","contextId":"c1","parentId":"t0""#),
            chunk("thought:t0#0", "rain", ""),
            chunk("thought:t2#0", "snow", r#","parentId":"t1""#),
            chunk("action:a2#0", "tide", r#","sessionId":"s1","contextId":"gone""#),
            chunk("note:n1#0", "bell", r#","contextId":"c1""#),
        ],
    )
}

fn edges(found: &Json) -> Vec<String> {
    let edge = |edge: &Json| {
        let text = |name| at(edge, name).as_str().unwrap();
        format!("{} {} {}", text("from"), text("relation"), text("to"))
    };
    list(at(found, "graph.edges")).iter().map(edge).collect()
}

fn nodes(found: &Json) -> Vec<&str> {
    list(at(found, "graph.nodes")).iter().map(|node| at(node, "id").as_str().unwrap()).collect()
}

#[test]
fn r9_the_graph_holds_the_sources_of_results_and_those_one_link_away() {
    let mut engine = linked();
    let found = search(&mut engine, r#"{"query":"ferry","mode":"fts"}"#);
    assert_eq!(nodes(&found), ["action:a1", "context:c1", "thought:t1"]);
    assert_eq!(edges(&found), ["action:a1 action_context context:c1", "thought:t1 thought_action action:a1"]);
    let found = search(&mut engine, r#"{"query":"fog","mode":"fts"}"#);
    assert_eq!(
        edges(&found),
        [
            "thought:t1 thought_context context:c1",
            "thought:t1 thought_action action:a1",
            "thought:t1 thought_parent thought:t0",
            "thought:t1 thought_child thought:t2",
        ]
    );
    let found = search(&mut engine, r#"{"query":"harbour","mode":"fts"}"#);
    assert_eq!(
        edges(&found),
        [
            "context:c1 context_member action:a1",
            "context:c1 context_member thought:t1",
            "context:c1 context_member note:n1",
        ]
    );
    let found = search(&mut engine, r#"{"query":"bell","mode":"fts"}"#);
    assert_eq!(edges(&found), ["note:n1 note_context context:c1"]);
    assert_eq!(number(&found, "graph.nodeCount"), 2.0);
    assert_eq!(number(&found, "graph.edgeCount"), 1.0);
    assert_eq!(at(&found, "graph.truncated"), &Json::Bool(false));
    let none = search(&mut engine, r#"{"query":"bell","mode":"fts","includeGraph":false}"#);
    assert_eq!(at(&none, "graph"), &Json::Null);
}

#[test]
fn r9_peers_of_a_session_are_linked_once_and_only_where_that_is_asked_for() {
    let mut engine = linked();
    let plain = search(&mut engine, r#"{"query":"ferry tide","mode":"fts"}"#);
    assert!(!edges(&plain).iter().any(|edge| edge.contains("session_peer")));
    let found = search(&mut engine, r#"{"query":"ferry tide","mode":"fts","includeSession":true}"#);
    let peers = edges(&found).into_iter().filter(|edge| edge.contains("session_peer")).collect::<Vec<_>>();
    assert_eq!(peers, ["action:a1 session_peer action:a2"]);
}

#[test]
fn r9_edges_are_there_once_though_both_ends_are_results() {
    let found = search(&mut linked(), r#"{"query":"ferry fog harbour","mode":"fts"}"#);
    let mut all = edges(&found);
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
    assert_eq!(all.iter().filter(|edge| edge.contains("thought_action")).count(), 1);
}

#[test]
fn r9_links_of_the_state_are_edges_until_they_end() {
    let mut engine = linked();
    for line in [
        r#"{"from":"n1","to":"action:a2","relation":"mentions"}"#,
        r#"{"from":"t0","to":"n1","relation":"old_news","validUntil":50}"#,
        r#"{"from":"n1","to":"nobody","relation":"mentions"}"#,
    ] {
        engine.take_line("link", &json(line)).unwrap();
    }
    let asked = |now| format!(r#"{{"query":"bell","mode":"fts","now":{now}}}"#);
    let before = edges(&search(&mut engine, &asked(49)));
    assert!(before.contains(&"note:n1 mentions action:a2".to_owned()), "{before:?}");
    assert!(before.contains(&"thought:t0 old_news note:n1".to_owned()), "{before:?}");
    let after = edges(&search(&mut engine, &asked(50)));
    assert_eq!(after, ["note:n1 note_context context:c1", "note:n1 mentions action:a2"]);
}

#[test]
fn r9_a_graph_stops_at_its_limit_and_says_so() {
    let mut records = vec![chunk("context:c#0", "ferry", "")];
    records.extend((0..700).map(|i| chunk(&format!("thought:{i}#0"), "text", r#","contextId":"c""#)));
    let mut engine = engine_of("{}", &records);
    for (options, limit) in [("", 60), (r#","nodeLimit":7"#, 7), (r#","nodeLimit":9999"#, 500)] {
        let found = search(&mut engine, &format!(r#"{{"query":"ferry","mode":"fts"{options}}}"#));
        assert_eq!(nodes(&found).len(), limit);
        assert_eq!(at(&found, "graph.truncated"), &Json::Bool(true));
    }
}

#[test]
fn r9_a_value_that_changed_beside_its_record_is_the_one_that_links() {
    let mut engine = linked();
    let key = snapseek::Key { id: "note:n1#0", kind: "chunk" };
    engine.set_field(key, "contextId", Json::Null, None).unwrap();
    let key = snapseek::Key { id: "action:a2#0", kind: "chunk" };
    engine.set_field(key, "contextId", Json::String("c1".into()), None).unwrap();
    let found = search(&mut engine, r#"{"query":"harbour","mode":"fts"}"#);
    assert_eq!(nodes(&found), ["context:c1", "action:a1", "thought:t1", "action:a2"]);
}

#[test]
fn r10_the_graph_counts_only_where_that_is_asked_for() {
    let plain = search(&mut linked(), r#"{"query":"ferry rain","mode":"fts"}"#);
    assert_eq!(at(&plain, "rerank").to_text(), r#"{"enabled":false,"weight":0.2,"changedRanks":0}"#);
    assert_eq!(at(&results(&plain)[0], "rerank"), &Json::Null);
}

#[test]
fn r10_a_reranked_score_is_part_base_and_part_signal() {
    let mut engine = linked();
    let options = r#"{"query":"ferry rain bell","mode":"fts","graphRerank":true,"graphRerankWeight":0.75}"#;
    let found = search(&mut engine, options);
    let weight = 0.75;
    let mut signals = Vec::new();
    for result in results(&found) {
        let (base, signal) = (number(result, "rerank.base"), number(result, "rerank.signal"));
        assert_eq!(number(result, "score"), (1.0 - weight) * base + weight * signal);
        signals.push((at(result, "id").as_str().unwrap(), signal));
    }
    // a1: 1 by its context, 0.8 · 0.85 by the thought about it; the context: 0.8 and 0.8 · 0.25; rain: 0.8 · 0.5 of none.
    let most = 1.0 + 0.8 * 0.85;
    let signal = |id| signals.iter().find(|(known, _)| *known == id).unwrap().1;
    assert_eq!(signal("action:a1#0"), 1.0);
    assert_eq!(signal("note:n1#0"), 0.25 / most);
    let before = search(&mut engine, r#"{"query":"ferry rain bell","mode":"fts"}"#);
    let moved = ids(&before).iter().zip(ids(&found)).filter(|(before, after)| **before != *after).count();
    assert_eq!(number(&found, "rerank.changedRanks"), moved as f64);
    assert_eq!(at(&found, "rerank.enabled"), &Json::Bool(true));
    let hidden = format!("{},\"includeGraph\":false}}", options.trim_end_matches('}'));
    let hidden = search(&mut engine, &hidden);
    assert_eq!((ids(&hidden), at(&hidden, "graph")), (ids(&found), &Json::Null));
}

#[test]
fn r10_ranks_that_change_are_counted() {
    let records = [
        chunk("thought:alone#0", "ferry", ""),
        chunk(
            "action:busy#0",
            "ferry ferry and a good many other words that are of no use",
            r#","contextId":"c""#,
        ),
        chunk("context:c#0", "harbour", ""),
    ];
    let mut engine = engine_of("{}", &records);
    let plain = search(&mut engine, r#"{"query":"ferry quay","mode":"fts"}"#);
    assert_eq!(ids(&plain), ["thought:alone#0", "action:busy#0"]);
    let options = r#"{"query":"ferry quay","mode":"fts","graphRerank":true,"graphRerankWeight":0.75}"#;
    let found = search(&mut engine, options);
    assert_eq!(ids(&found), ["action:busy#0", "thought:alone#0"]);
    assert_eq!(number(&found, "rerank.changedRanks"), 2.0);
}

#[test]
fn r11_an_unknown_mode_is_hybrid_and_warned_about() {
    let found = search_with(&mut five(), r#"{"query":"ferry","mode":"fuzzy"}"#, Some(vec![1.0, 0.0]));
    assert_eq!(at(&found, "mode").as_str(), Some("hybrid"));
    assert_eq!(
        at(&found, "warnings").to_text(),
        r#"["mode: unknown mode \"fuzzy\", so hybrid was used; there are fts, semantic, hybrid"]"#
    );
    let known = search_with(&mut five(), r#"{"query":"ferry"}"#, Some(vec![1.0, 0.0]));
    assert_eq!(at(&known, "mode").as_str(), Some("hybrid"));
    assert_eq!((at(&known, "warnings"), at(&known, "clamped")), (&Json::Null, &Json::Null));
}

#[test]
fn r11_numbers_out_of_range_are_clamped_and_reported() {
    let options = r#"{"query":"ferry","limit":1000,"candidateLimit":3,"semanticWeight":-2,"neighborWindow":9,
        "minScore":7,"maxPerSource":0,"graphRerankWeight":2,"nodeLimit":0,"minTokenOverlap":1.5}"#;
    let found = search_with(&mut five(), options, Some(vec![1.0, 0.0]));
    assert_eq!(
        at(&found, "clamped").to_text(),
        concat!(
            r#"{"candidateLimit":{"given":3,"used":100},"graphRerankWeight":{"given":2,"used":0.75},"#,
            r#""limit":{"given":1000,"used":100},"maxPerSource":{"given":0,"used":1},"#,
            r#""minScore":{"given":7,"used":1},"minTokenOverlap":{"given":1.5,"used":1},"#,
            r#""neighborWindow":{"given":9,"used":5},"nodeLimit":{"given":0,"used":1},"#,
            r#""semanticWeight":{"given":-2,"used":0}}"#
        )
    );
    assert_eq!(number(&found, "limit"), 100.0);
    assert_eq!(at(&found, "weights").to_text(), r#"{"semantic":0,"keyword":1}"#);
}

#[test]
fn r11_what_is_no_number_or_no_option_is_an_error_and_all_of_it_is_told() {
    let error = five().call("rag.search", &json(r#"{"limit":"ten","lmiit":1}"#), None).unwrap_err();
    let message = error.to_string();
    for part in ["query: a text is wanted", "limit: a number is wanted", "lmiit: unknown option"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn r12_a_response_has_the_documents_fields_in_its_order() {
    let found = search_with(&mut five(), r#"{"query":"ferry"}"#, Some(vec![1.0, 0.0]));
    assert_eq!(
        keys(&found),
        [
            "success",
            "query",
            "mode",
            "limit",
            "candidateLimit",
            "weights",
            "quality",
            "neighbor",
            "rerank",
            "degraded",
            "qualityTier",
            "embedding",
            "filters",
            "count",
            "results",
            "graph"
        ]
    );
    assert_eq!(at(&found, "success"), &Json::Bool(true));
    assert_eq!(number(&found, "count"), results(&found).len() as f64);
    assert_eq!(at(&found, "weights").to_text(), r#"{"semantic":0.7,"keyword":0.30000000000000004}"#);
    assert_eq!(
        at(&found, "embedding").to_text(),
        r#"{"provider":"embed","model":"m","dimensions":2,"fallbackUsed":false,"fallbackReason":null}"#
    );
    assert_eq!(at(&found, "qualityTier").as_str(), Some("high"));
    let first = &results(&found)[0];
    for field in ["id", "sourceType", "sourceId", "chunkIndex", "text", "score", "semanticScore"] {
        assert!(first.get(field).is_some(), "{field}");
    }
}

#[test]
fn r12_without_a_vector_only_words_are_looked_for_and_the_response_says_so() {
    let mut engine = five();
    let found =
        search(&mut engine, r#"{"query":"ferry","minSemanticScore":0.5,"embedFailed":"embed: no net"}"#);
    assert_eq!(at(&found, "mode").as_str(), Some("fts"));
    assert_eq!(at(&found, "degraded"), &Json::Bool(true));
    assert_eq!(at(&found, "qualityTier").as_str(), Some("degraded"));
    assert_eq!(at(&found, "warnings").to_text(), r#"["embed: no net; only words were looked for"]"#);
    assert_eq!(ids(&found).len(), 3);
    let error = engine.call("rag.search", &json(r#"{"query":"ferry","strict":true}"#), None).unwrap_err();
    assert_eq!(error.to_string(), "strict: the query has no vector for \"m\"");
}

#[test]
fn r12_a_model_that_the_snapshot_embeds_by_itself_stands_in_for_one_that_failed() {
    let vectors = r#"{"m":{"encoding":"f32","field":"vector"},"own":{"embedder":"hash","id":"hashed"}}"#;
    let mut engine =
        engine_of(vectors, &[chunk("a:1#0", "ferry timetable", ""), chunk("a:2#0", "gulls", "")]);
    let found = search(&mut engine, r#"{"query":"ferries","embedFailed":"embed: no net"}"#);
    assert_eq!(at(&found, "mode").as_str(), Some("hybrid"));
    assert_eq!(at(&found, "qualityTier").as_str(), Some("degraded"));
    assert_eq!(
        at(&found, "embedding").to_text(),
        r#"{"provider":"hash","model":"hashed","dimensions":384,"fallbackUsed":true,"fallbackReason":"embed: no net"}"#
    );
    assert!(number(&results(&found)[0], "semanticScore") > 0.1);
    let local = search(&mut engine, r#"{"query":"ferries","model":"own"}"#);
    assert_eq!(at(&local, "qualityTier").as_str(), Some("local"));
    assert_eq!(at(&local, "degraded"), &Json::Bool(false));
}
