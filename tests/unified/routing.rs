//! Which queries filters, keywords or vectors answer: U3 and U4.

use crate::{
    RECORDS, call, engine, engine_of, found, given_vectors, items, json, number, search, sorted, stat, text,
    with_vector, words_only,
};
use snapseek::json::Json;
use snapseek::recipe::unified::{ShortCircuit, UnifiedMode, UnifiedQuery};
use snapseek::{Embedded, Engine, SearchFault};

#[test]
fn u3_edge_1_an_empty_query_without_vectors_is_a_filter_search_newest_first() {
    let mut engine = engine_of(&words_only(), RECORDS.iter().copied());
    for options in ["{}", r#"{"query":""}"#] {
        let response = search(&mut engine, options);
        assert_eq!(text(&response, "mode"), "filter");
        assert_eq!(found(&response), ["1/p", "6/s", "1/s", "3/o", "2/o", "1/o", "5/o", "4/o", "7/p"]);
    }
}

#[test]
fn u3_edge_4_a_query_of_whitespace_alone_is_an_empty_one() {
    let mut engine = engine();
    let response = search(&mut engine, r#"{"query":" \t\n "}"#);
    assert_eq!((text(&response, "mode"), text(&response, "query")), ("filter", ""));
    assert_eq!(text(&search(&mut engine, r#"{"query":"  ledger   tickets "}"#), "query"), "ledger tickets");
}

#[test]
fn u3_words_without_any_vectors_are_looked_for_and_not_ignored() {
    let mut engine = engine_of(&words_only(), RECORDS.iter().copied());
    let response = search(&mut engine, r#"{"query":"timetable"}"#);
    assert_eq!(text(&response, "mode"), "keyword");
    assert_eq!(sorted(found(&response)), ["1/p", "2/o"]);
    assert_eq!(response.get("degraded"), Some(&Json::Bool(false)));
}

/// Makes an engine in which one record is far better than all others.
fn with_a_confident_answer() -> Engine {
    let mut records = vec![
        r#"{"id":"sure","kind":"observation","content":"quokka quokka wallaby wallaby","place":[0,1]}"#
            .to_owned(),
    ];
    records.extend((0..400).map(|id| {
        format!(r#"{{"id":"{id}","kind":"observation","content":"ordinary words of record {id}","place":[1,{id}]}}"#)
    }));
    engine_of(&given_vectors(), records.iter().map(String::as_str))
}

#[test]
fn inv_003_gotcha_001_confident_keywords_leave_vectors_out() {
    let mut engine = with_a_confident_answer();
    let sure = with_vector(&mut engine, r#"{"query":"quokka wallaby"}"#, [1.0, 0.0]);
    assert_eq!(sure.get("shortCircuit"), Some(&Json::Bool(true)));
    assert_eq!((text(&sure, "mode"), found(&sure)), ("keyword", vec!["sure/o".to_owned()]));
    let score = number(&items(&sure)[0], "score");
    assert!((0.85..1.0).contains(&score), "{score}");
    assert_eq!(stat(&mut engine, "shortCircuits"), 1.0);
    // No result leads the others here, so vectors are compared.
    let unsure = with_vector(&mut engine, r#"{"query":"ordinary words"}"#, [1.0, 0.0]);
    assert_eq!((text(&unsure, "mode"), unsure.get("shortCircuit")), ("hybrid", Some(&Json::Bool(false))));
    assert_eq!(stat(&mut engine, "shortCircuits"), 1.0);
}

#[test]
fn edge_2_a_lone_confident_result_is_returned_without_vectors() {
    let mut engine = with_a_confident_answer();
    let response = with_vector(&mut engine, r#"{"query":"quokka wallaby"}"#, [1.0, 0.0]);
    assert_eq!(response.get("legs"), Some(&json(r#"{"keyword":1}"#)));
    assert_eq!(items(&response).len(), 1);
}

/// What a host passes whose `embed` function failed.
fn failed() -> Embedded {
    Embedded {
        is_by_embed: true,
        failures: vec![Some("embed: no network".to_owned())],
        ..Embedded::default()
    }
}

/// What a host passes whose `embed` function made this vector.
fn by_embed(vector: &[f32]) -> Embedded {
    Embedded { vectors: Some(vector.to_vec()), is_by_embed: true, ..Embedded::default() }
}

#[test]
fn inv_003_gotcha_001_the_thresholds_of_the_short_circuit_can_be_changed() {
    let mut engine = with_a_confident_answer();
    let embedded = Embedded::from(Some(vec![1.0, 0.0]));
    let mut mode = |short_circuit| {
        let query = UnifiedQuery { short_circuit, ..UnifiedQuery::of("quokka wallaby") };
        let response = engine.unified().search(&query, &embedded).unwrap();
        assert_eq!(response.short_circuit, response.mode == UnifiedMode::Keyword);
        response.mode
    };
    assert_eq!(mode(Some(ShortCircuit::default())), UnifiedMode::Keyword);
    assert_eq!(mode(Some(ShortCircuit { score: 1.0, gap: 0.0 })), UnifiedMode::Hybrid);
    assert_eq!(mode(Some(ShortCircuit { score: 0.0, gap: 1.0 })), UnifiedMode::Hybrid);
    assert_eq!(mode(None), UnifiedMode::Hybrid);
}

#[test]
fn u4_an_embedder_that_fails_leaves_keywords_and_is_counted() {
    let mut engine = engine_of(&given_vectors(), RECORDS.iter().copied());
    for errors in [1, 2] {
        let response = engine.unified().search(&UnifiedQuery::of("ledger"), &failed()).unwrap();
        assert_eq!((response.mode, response.hits.len()), (UnifiedMode::Keyword, 4));
        assert!(response.degraded);
        assert_eq!(response.warnings, ["embed: no network; only keywords were searched"]);
        // The response was not cached, so the next search tries again.
        assert_eq!(engine.unified().stats().counts.vector_errors, errors);
    }
}

#[test]
fn u4_an_unusable_vector_degrades_if_embed_made_it_and_is_an_error_if_the_caller_passed_it() {
    let mut engine = engine_of(&given_vectors(), RECORDS.iter().copied());
    let query = UnifiedQuery::of("ledger");
    for (errors, vector) in (1..).zip([&[1.0, 2.0, 3.0][..], &[0.0, 0.0], &[f32::NAN, 1.0]]) {
        let response = engine.unified().search(&query, &by_embed(vector)).unwrap();
        assert_eq!((response.mode, response.degraded), (UnifiedMode::Keyword, true), "{vector:?}");
        assert_eq!(engine.unified().stats().counts.vector_errors, errors, "not cached");
        let own = Embedded::from(Some(vector.to_vec()));
        assert!(engine.unified().search(&query, &own).is_err(), "{vector:?}");
    }
    assert_eq!(engine.unified().stats().counts.hits, 0);
}

#[test]
fn strict_makes_a_missing_vector_an_error_and_counts_it() {
    let mut engine = engine_of(&given_vectors(), RECORDS.iter().copied());
    let strict = UnifiedQuery { strict: true, ..UnifiedQuery::of("ledger") };
    let error = engine.unified().search(&strict, &failed()).unwrap_err();
    assert!(matches!(*error, SearchFault::Embedding { .. }), "{error}");
    assert_eq!(engine.unified().stats().counts.vector_errors, 1);
    assert!(engine.unified().search(&strict, &Embedded::default()).is_err());
    assert!(engine.unified().search(&strict, &by_embed(&[1.0, 0.0])).is_ok());
    let filter = UnifiedQuery { strict: true, ..UnifiedQuery::default() };
    assert!(engine.unified().search(&filter, &failed()).is_ok(), "a filter search needs no vector");
    let mut wordy = engine_of(&words_only(), RECORDS.iter().copied());
    assert!(wordy.unified().search(&strict, &Embedded::default()).is_err());
}

#[test]
fn strict_is_no_error_where_confident_keywords_need_no_vector() {
    let mut engine = with_a_confident_answer();
    let strict = UnifiedQuery { strict: true, ..UnifiedQuery::of("quokka wallaby") };
    for embedded in [Embedded::default(), failed()] {
        let response = engine.unified().search(&strict, &embedded).unwrap();
        assert_eq!((response.short_circuit, response.degraded), (true, false));
    }
}

#[test]
fn u4_a_search_that_needs_no_vector_is_answered_before_one_is_made() {
    let mut engine = with_a_confident_answer();
    let early = |engine: &mut Engine, options: &str| call(engine, "unified.search.early", options);
    assert_eq!(text(&early(&mut engine, r#"{"query":"quokka wallaby"}"#), "mode"), "keyword");
    assert_eq!(text(&early(&mut engine, r#"{"query":" "}"#), "mode"), "filter");
    let unsure = r#"{"query":" ordinary  words"}"#;
    assert_eq!(early(&mut engine, unsure), json(r#"{"embed":"ordinary words"}"#));
    let boosted = call(&mut engine, "unified.changes.early", r#"{"query":"ordinary"}"#);
    assert_eq!(boosted, json(r#"{"embed":"ordinary changed modified refactored"}"#));
    let answer = json(&engine.call("unified.search", &json(unsure), by_embed(&[1.0, 0.0])).unwrap());
    assert_eq!(text(&answer, "mode"), "hybrid");
    // The answer is cached for whichever function embeds.
    assert_eq!(early(&mut engine, unsure), answer);
    // Warming does without the cache.
    let warm = call(&mut engine, "unified.warm.early", unsure);
    assert_eq!(warm, json(r#"{"embed":"ordinary words"}"#));
    let mut wordy = engine_of(&words_only(), RECORDS.iter().copied());
    assert_eq!(text(&early(&mut wordy, r#"{"query":"ledger"}"#), "mode"), "keyword");
    let unknown = engine.call("unified.search.early", &json(r#"{"query":"ordinary","model":"x"}"#), None);
    assert!(unknown.unwrap_err().to_string().contains("there is no model \"x\""));
}
