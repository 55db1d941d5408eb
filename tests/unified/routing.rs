//! Which queries are answered by filters, by words alone, or by vectors as well? U3 and U4.

use crate::{
    RECORDS, call, engine, engine_of, found, given_vectors, items, json, number, search, sorted, stat, text,
    with_vector, words_only,
};
use snapseek::Engine;
use snapseek::json::Json;

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

/// Builds an engine in which one record is far better than all others.
fn with_a_sure_answer() -> Engine {
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
fn inv_003_gotcha_001_sure_words_leave_vectors_out() {
    let mut engine = with_a_sure_answer();
    let sure = with_vector(&mut engine, r#"{"query":"quokka wallaby"}"#, [1.0, 0.0]);
    assert_eq!(sure.get("shortCircuit"), Some(&Json::Bool(true)));
    assert_eq!((text(&sure, "mode"), found(&sure)), ("keyword", vec!["sure/o".to_owned()]));
    let score = number(&items(&sure)[0], "score");
    assert!((0.85..1.0).contains(&score), "{score}");
    assert_eq!(stat(&mut engine, "shortCircuits"), 1.0);
    // Among many similar records none is a clear winner, so the vector leg runs and is counted.
    let unsure = with_vector(&mut engine, r#"{"query":"ordinary words"}"#, [1.0, 0.0]);
    assert_eq!((text(&unsure, "mode"), unsure.get("shortCircuit")), ("hybrid", Some(&Json::Bool(false))));
    assert_eq!(stat(&mut engine, "shortCircuits"), 1.0);
}

#[test]
fn edge_2_a_lone_sure_result_is_returned_without_vectors() {
    let mut engine = with_a_sure_answer();
    let response = with_vector(&mut engine, r#"{"query":"quokka wallaby"}"#, [1.0, 0.0]);
    assert_eq!(response.get("legs"), Some(&json(r#"{"keyword":1}"#)));
    assert_eq!(items(&response).len(), 1);
}

#[test]
fn u4_an_embedder_that_fails_leaves_words_and_is_counted() {
    let mut engine = engine_of(&given_vectors(), RECORDS.iter().copied());
    let failed = r#"{"query":"ledger","embedder":"e","embedFailed":"embed: no network"}"#;
    for errors in [1.0, 2.0] {
        let response = search(&mut engine, failed);
        assert_eq!((text(&response, "mode"), found(&response).len()), ("keyword", 4));
        assert_eq!(response.get("warnings"), Some(&json(r#"["embed: no network"]"#)));
        // The failed answer was not cached, so the call is tried again.
        assert_eq!(stat(&mut engine, "vectorErrors"), errors);
    }
    // A vector of another width is a failure of the embedder, or else the caller's mistake.
    let wrong = |engine: &mut Engine, options: &str| {
        engine.call("unified.search", &json(options), Some(vec![1.0, 2.0, 3.0]))
    };
    let response = json(&wrong(&mut engine, r#"{"query":"ledger","embedder":"e"}"#).unwrap());
    assert_eq!((text(&response, "mode"), response.get("degraded")), ("keyword", Some(&Json::Bool(true))));
    assert_eq!(stat(&mut engine, "vectorErrors"), 3.0);
    assert!(wrong(&mut engine, r#"{"query":"ledger"}"#).is_err());
}

#[test]
fn u4_what_needs_no_vector_is_answered_before_one_is_made() {
    let mut engine = with_a_sure_answer();
    let early = |engine: &mut Engine, options: &str| call(engine, "unified.early", options);
    assert_eq!(text(&early(&mut engine, r#"{"query":"quokka wallaby","embedder":"e"}"#), "mode"), "keyword");
    assert_eq!(text(&early(&mut engine, r#"{"query":" ","embedder":"e"}"#), "mode"), "filter");
    let unsure = r#"{"query":"ordinary words","embedder":"e"}"#;
    assert_eq!(early(&mut engine, unsure), Json::Null);
    let answer = with_vector(&mut engine, unsure, [1.0, 0.0]);
    assert_eq!(text(&answer, "mode"), "hybrid");
    // Now the answer is cached, whatever vector the same embedder would make.
    assert_eq!(early(&mut engine, unsure), answer);
    assert_eq!(early(&mut engine, &unsure.replace("\"e\"", "\"another\"")), Json::Null);
    let mut wordy = engine_of(&words_only(), RECORDS.iter().copied());
    assert_eq!(text(&early(&mut wordy, r#"{"query":"ledger","embedder":"e"}"#), "mode"), "keyword");
}
