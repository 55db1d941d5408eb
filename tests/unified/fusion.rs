//! The fusion of lists, and the explanation of scores: U4.

use crate::{
    RECORDS, SCHEMA, engine, engine_of, found, given_vectors, items, json, number, schema, search, sorted,
    text, with_vector, words_only,
};
use snapseek::json::Json;
use snapseek::{Engine, Record};

#[test]
fn u4_edge_3_a_record_in_both_lists_has_the_parts_of_both_and_explains_them_exactly() {
    let mut engine = engine();
    for options in [
        r#"{"query":"ledger tickets","explain":true}"#,
        r#"{"query":"why is the ledger broken","explain":true,"expand":true}"#,
        r#"{"query":"ledger","explain":true,"orderBy":"date_desc"}"#,
    ] {
        let response = search(&mut engine, options);
        let hits = items(&response);
        let mut both = 0;
        for hit in &hits {
            let explain = hit.get("explain").unwrap();
            let Some(Json::Array(parts)) = explain.get("parts") else { panic!("no parts") };
            let sum = parts.iter().fold(0.0, |sum, part| sum + number(part, "product"));
            assert_eq!(sum, number(hit, "score"));
            both += usize::from(explain.get("keyword").is_some() && explain.get("vector").is_some());
        }
        assert!(both > 0);
        assert_eq!(text(&response, "mode"), "hybrid");
    }
    // First in both lists: 2 / 61 + 0.05, twice.
    let vector = [1.0, 0.0];
    let mut engine = engine_of(&given_vectors(), RECORDS.iter().copied());
    let first = &items(&with_vector(&mut engine, r#"{"query":"SQLite tickets writer"}"#, vector))[0];
    assert_eq!((text(first, "id"), text(first, "kind")), ("1", "observation"));
    assert_eq!(number(first, "score"), (2.0 / 61.0 + 0.05) + (2.0 / 61.0 + 0.05));
}

#[test]
fn inv_001_records_with_one_id_and_several_kinds_are_several_hits() {
    let response = search(&mut engine(), r#"{"query":"ledger tickets timetable"}"#);
    let ones = found(&response).into_iter().filter(|key| key.starts_with("1/")).collect();
    assert_eq!(sorted(ones), ["1/o", "1/p", "1/s"]);
}

#[test]
fn inv_005_edge_6_scores_of_words_are_at_least_zero_and_below_one() {
    // FTS5's ranks are negative; P7 normalises their magnitude.
    let mut engine = engine_of(&words_only(), RECORDS.iter().copied());
    for query in ["ledger", "the", "service day", "stale timetable", "zzz"] {
        for hit in items(&search(&mut engine, &format!(r#"{{"query":"{query}","explain":true}}"#))) {
            let score = number(&hit, "score");
            assert!((0.0..1.0).contains(&score), "{query}: {score}");
            let bm25 = number(hit.get("explain").unwrap().get("keyword").unwrap(), "bm25");
            assert!(bm25 <= 0.0);
            assert_eq!(score, bm25.abs() / (1.0 + bm25.abs()));
        }
    }
}

#[test]
fn u4_the_same_search_twice_and_in_segments_is_the_same_answer() {
    let mut built = engine();
    let mut written = Engine::empty(&schema(SCHEMA)).unwrap();
    for record in RECORDS {
        written.add([&Record::from_json(json(record)).unwrap()]).unwrap();
    }
    for options in [
        r#"{"query":"ledger tickets"}"#,
        r#"{"query":"how is the timetable cached?","expand":true,"explain":true}"#,
        r#"{"orderBy":"date_asc"}"#,
    ] {
        let first = search(&mut built, options);
        assert_eq!(search(&mut built, options), first);
        assert_eq!(search(&mut engine(), options), first);
        assert_eq!(search(&mut written, options), first);
    }
}
