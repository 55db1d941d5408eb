//! Are candidates, signals, scores, filters, pages and neighbours as R1 to R8 say?

use super::*;
use std::collections::BTreeMap;

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
    // b and d are the nearest. c, the third newest, is a candidate too, but not near at all.
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
    // No record has a vector, so the vector leg finds nothing.
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

/// Twelve long chunks with the word, and after them one that is nothing but the word.
fn best_last() -> Engine {
    let long = |i: usize| chunk(&format!("note:{i}#0"), "ferry and a good many other words beside it", "");
    let mut records = (0..12).map(long).collect::<Vec<_>>();
    records.push(chunk("note:best#0", "ferry ferry", ""));
    engine_of(r#"{"h":{"embedder":"hash"}}"#, &records)
}

#[test]
fn r5_equal_scores_go_by_bm25_so_the_best_match_stays_on_the_page() {
    // Every chunk has the query's only word, so each has overlap 1 and score 1.
    let found = search(&mut best_last(), r#"{"query":"ferry","mode":"fts","limit":5}"#);
    assert_eq!(numbers(&found, "score"), [1.0; 5]);
    assert_eq!(ids(&found)[0], "note:best#0");
    assert_eq!(ids(&found)[1..3], ["note:0#0", "note:1#0"], "equal BM25 goes by row");
}

#[test]
fn r5_equal_scores_go_by_bm25_in_semantic_and_hybrid_mode_too() {
    // The first two are as near and have as many of the query's words; only BM25 tells them apart.
    let records = [
        chunk("note:long#0", "ferry and a good many other words beside it", r#","vector":[1,0]"#),
        chunk("note:short#0", "ferry", r#","vector":[1,0]"#),
        chunk("note:other#0", "ferry", r#","vector":[0,1]"#),
    ];
    for options in
        [r#""mode":"semantic""#, r#""semanticWeight":1"#, r#""mode":"semantic","neighborWindow":1"#]
    {
        let mut engine = engine_of(GIVEN, &records);
        let found =
            search_with(&mut engine, &format!(r#"{{"query":"ferry",{options}}}"#), Some(vec![1.0, 0.0]));
        assert_eq!(ids(&found)[..2], ["note:short#0", "note:long#0"], "{options}");
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

/// Builds a source with eight chunks about ferries, and two sources with one chunk.
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
