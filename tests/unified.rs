//! The unified recipe: observations, sessions and prompts, asked in one way.

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::{Builder, Engine, Key, Record, Schema};

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

const SCHEMA: &str = r#"{
    "fields": {"title": {}, "content": {}},
    "attributes": {"project": "keyword", "obsType": "keyword", "scope": "keyword", "concepts": "keywords",
        "files": "keywords", "createdAt": "time", "isSuperseded": "bool", "supersededBy": "keyword"},
    "vectors": {"own": {"embedder": "hash"}}
}"#;

fn schema(text: &str) -> Schema {
    serde_json::from_str(text).unwrap()
}

/// The same without vectors.
fn words_only() -> Schema {
    schema(&SCHEMA.replace(r#""own": {"embedder": "hash"}"#, ""))
}

/// With vectors that the caller gives.
fn given_vectors() -> Schema {
    schema(
        &SCHEMA
            .replace(r#""own": {"embedder": "hash"}"#, r#""plane": {"encoding": "f32", "field": "place"}"#),
    )
}

const RECORDS: &[&str] = &[
    r#"{"id":"1","kind":"observation","title":"Chose SQLite for the ledger","content":"One writer is enough for tickets.","project":"api","obsType":"decision","scope":"project","concepts":["database"],"files":["ledger.rs"],"createdAt":1000,"place":[1,0]}"#,
    r#"{"id":"2","kind":"observation","title":"Timetable cached for a day","content":"The service worker keeps the feed.","project":"web","obsType":"bugfix","scope":"project","concepts":["caching","offline"],"files":["sw.ts"],"createdAt":2000,"place":[0,1]}"#,
    r#"{"id":"3","kind":"observation","title":"Service day ends at four","content":"Nights belong to the day before.","project":"web","obsType":"discovery","scope":"global","concepts":["time"],"files":["clock.ts"],"createdAt":3000,"place":[1,1]}"#,
    r#"{"id":"4","kind":"observation","title":"Postgres for the ledger","content":"An older decision about the ledger database.","project":"api","obsType":"decision","scope":"project","concepts":["database"],"files":["ledger.rs"],"createdAt":500,"isSuperseded":true,"place":[1,0.1]}"#,
    r#"{"id":"5","kind":"observation","title":"Ledger replicas","content":"A note on the ledger.","project":"api","obsType":"decision","scope":"project","createdAt":600,"supersededBy":"1","place":[1,0.2]}"#,
    r#"{"id":"1","kind":"session","title":"Ledger session","content":"We moved the ledger and its tickets.","project":"api","createdAt":4000,"place":[0.9,0.1]}"#,
    r#"{"id":"6","kind":"session","content":"Scanner work all day.","project":"web","createdAt":5000,"place":[0,-1]}"#,
    r#"{"id":"1","kind":"prompt","title":"","content":"why is the timetable stale","project":"web","createdAt":6000,"place":[0.1,1]}"#,
    r#"{"id":"7","kind":"prompt","content":"no date on this prompt about tickets"}"#,
];

fn engine_of<'a>(schema: &Schema, records: impl IntoIterator<Item = &'a str>) -> Engine {
    let mut builder = Builder::new(schema).unwrap();
    for record in records {
        builder.add(&Record::from_json(json(record)).unwrap()).unwrap();
    }
    Engine::open(builder.finish().unwrap()).unwrap()
}

fn engine() -> Engine {
    engine_of(&schema(SCHEMA), RECORDS.iter().copied())
}

fn call(engine: &mut Engine, name: &str, options: &str) -> Json {
    json(&engine.call(name, &json(options), None).unwrap())
}

fn search(engine: &mut Engine, options: &str) -> Json {
    call(engine, "unified.search", options)
}

fn items(response: &Json) -> Vec<Json> {
    match response.get("hits") {
        Some(Json::Array(hits)) => hits.clone(),
        other => panic!("hits are {other:?}"),
    }
}

fn text<'a>(value: &'a Json, name: &str) -> &'a str {
    value.get(name).and_then(Json::as_str).unwrap_or_default()
}

fn number(value: &Json, name: &str) -> f64 {
    value.get(name).and_then(Json::as_f64).unwrap_or(f64::NAN)
}

/// Which records were found: `id/kind`, the kind by its first letter.
fn found(response: &Json) -> Vec<String> {
    items(response).iter().map(|hit| format!("{}/{}", text(hit, "id"), &text(hit, "kind")[..1])).collect()
}

fn stat(engine: &mut Engine, name: &str) -> f64 {
    number(&call(engine, "unified.stats", "{}"), name)
}

fn sorted(mut all: Vec<String>) -> Vec<String> {
    all.sort();
    all
}

#[test]
fn u1_every_parameter_selects_with_words_and_without() {
    let cases: &[(&str, &[&str])] = &[
        (r#""type":"sessions""#, &["6/s", "1/s"]),
        (r#""type":"prompts""#, &["1/p", "7/p"]),
        (r#""project":"api""#, &["1/s", "1/o", "5/o", "4/o"]),
        (r#""project":"api","includeGlobal":true"#, &["1/s", "3/o", "1/o", "5/o", "4/o"]),
        (r#""project":"api","includeGlobal":true,"scope":"global""#, &["3/o"]),
        (r#""obsType":"decision""#, &["1/o", "5/o", "4/o"]),
        (r#""obsType":["bugfix","discovery"]"#, &["3/o", "2/o"]),
        (r#""concepts":["time","offline"]"#, &["3/o", "2/o"]),
        (r#""files":"ledger.rs""#, &["1/o", "4/o"]),
        (r#""scope":"global""#, &["3/o"]),
        (r#""dateStart":4000"#, &["1/p", "6/s", "1/s"]),
        (r#""dateEnd":"1970-01-01T00:00:01Z""#, &["1/o", "5/o", "4/o"]),
        (r#""dateStart":600,"dateEnd":2000"#, &["2/o", "1/o", "5/o"]),
        (r#""obsType":"decision","excludeSuperseded":true"#, &["1/o"]),
        (r#""project":"nowhere""#, &[]),
    ];
    for (filter, expected) in cases {
        let newest = search(&mut engine(), &format!("{{{filter}}}"));
        assert_eq!(found(&newest), *expected, "{filter}");
        assert_eq!(text(&newest, "mode"), "filter");
        // Every record has a vector, so with a vector all that pass are found, and nothing else: filters never leak.
        for query in ["ledger tickets", "stale timetable", "zzz"] {
            let options = format!(r#"{{"query":"{query}",{filter}}}"#);
            let hybrid = search(&mut engine(), &options);
            let expected = sorted(expected.iter().map(|&key| key.to_owned()).collect());
            assert_eq!(sorted(found(&hybrid)), expected, "{options}");
            let variants = search(&mut engine(), &options.replace("\"query\"", "\"expand\":true,\"query\""));
            assert_eq!(sorted(found(&variants)), expected, "{options}");
        }
    }
}

#[test]
fn u1_an_attribute_that_a_record_lacks_is_absent() {
    let mut engine = engine();
    assert!(!found(&search(&mut engine, r#"{"dateEnd":9000}"#)).contains(&"7/p".to_owned()));
    assert!(found(&search(&mut engine, r#"{"excludeSuperseded":true}"#)).contains(&"7/p".to_owned()));
    assert_eq!(found(&search(&mut engine, r#"{"type":"prompts","orderBy":"date_asc"}"#)), ["1/p", "7/p"]);
}

#[test]
fn u1_an_attribute_that_the_schema_lacks_no_record_has_and_the_answer_says_so() {
    let bare = schema(r#"{"fields":{"title":{},"content":{}}}"#);
    let mut engine = engine_of(&bare, RECORDS.iter().copied());
    let response = search(&mut engine, r#"{"query":"ledger","project":"api"}"#);
    assert_eq!(found(&response), [""; 0]);
    assert_eq!(response.get("degraded"), Some(&Json::Bool(true)));
    assert_eq!(found(&search(&mut engine, r#"{"query":"ledger","excludeSuperseded":true}"#)).len(), 4);
}

#[test]
fn u1_order_is_by_relevance_or_by_date_and_what_has_no_date_comes_last() {
    let mut engine = engine();
    let dates = |engine: &mut Engine, order: &str| {
        let options = format!(r#"{{"query":"ledger tickets","orderBy":"{order}","limit":100}}"#);
        let times =
            items(&search(engine, &options)).iter().map(|hit| number(hit, "createdAt")).collect::<Vec<_>>();
        assert!(times.last().unwrap().is_nan());
        times[..times.len() - 1].to_vec()
    };
    assert!(dates(&mut engine, "date_desc").is_sorted_by(|a, b| a > b));
    assert!(dates(&mut engine, "date_asc").is_sorted_by(|a, b| a < b));
    let best = items(&search(&mut engine, r#"{"query":"ledger tickets","orderBy":"relevance"}"#));
    assert!(best.is_sorted_by(|a, b| number(a, "score") >= number(b, "score")));
}

#[test]
fn u1_by_date_the_newest_of_all_that_match_come_first_not_those_of_the_best_page() {
    // The newest matches worst, by its length.
    let records = (0..60).map(|id| {
        let filler = "and other things ".repeat(id);
        format!(r#"{{"id":"{id}","kind":"prompt","content":"ledger {filler}","createdAt":{id}}}"#)
    });
    let records = records.collect::<Vec<_>>();
    let mut engine = engine_of(&words_only(), records.iter().map(String::as_str));
    let newest = search(&mut engine, r#"{"query":"ledger","orderBy":"date_desc","limit":2}"#);
    assert_eq!(found(&newest), ["59/p", "58/p"]);
}

#[test]
fn u1_format_index_has_no_record_and_full_has() {
    let mut engine = engine();
    let hit = |engine: &mut Engine, format: &str| {
        items(&search(engine, &format!(r#"{{"obsType":"bugfix"{format}}}"#))).remove(0)
    };
    let (index, full) = (hit(&mut engine, r#","format":"index""#), hit(&mut engine, r#","format":"full""#));
    assert_eq!(text(&index, "title"), "Timetable cached for a day");
    assert_eq!((text(&index, "project"), text(&index, "obsType")), ("web", "bugfix"));
    assert_eq!(number(&index, "createdAt"), 2000.0);
    assert_eq!(index.get("record"), None);
    assert_eq!(text(full.get("record").unwrap(), "content"), "The service worker keeps the feed.");
    assert_eq!(hit(&mut engine, ""), full);
}

#[test]
fn u1_what_cannot_be_used_is_told_all_at_once() {
    let options = json(
        r#"{"type":"memories","orderBy":"size","format":"xml","limit":"many","offset":-1,"dateStart":"soon","typ":1}"#,
    );
    let message = engine().call("unified.search", &options, None).unwrap_err().to_string();
    for option in ["type", "orderBy", "format", "limit", "offset", "dateStart", "typ"] {
        assert!(message.contains(&format!("{option}: ")), "{option} in {message}");
    }
}

#[test]
fn u1_pages_are_full_and_none_overlaps_another() {
    let records = (0..300).map(|id| {
        let words = ["ledger", "ticket", "ferry", "scanner", "harbour", "signal", "tide"];
        let content =
            (0..6).map(|place| words[(id * 7 + place * place * (id % 5 + 1)) % 7]).collect::<Vec<_>>();
        format!(
            r#"{{"id":"{id}","kind":"observation","content":"{} {id}","createdAt":{id}}}"#,
            content.join(" ")
        )
    });
    let records = records.collect::<Vec<_>>();
    for schema in [schema(SCHEMA), words_only()] {
        let mut engine = engine_of(&schema, records.iter().map(String::as_str));
        for more in ["", r#","expand":true"#, r#","orderBy":"date_desc""#] {
            let mut seen = Vec::new();
            for page in 0..8 {
                let offset = page * 9;
                let options =
                    format!(r#"{{"query":"ledger tide harbour","limit":9,"offset":{offset}{more}}}"#);
                let ids = found(&search(&mut engine, &options));
                assert_eq!(ids.len(), 9, "{options}");
                seen.extend(ids);
            }
            let all = seen.len();
            let mut distinct = sorted(seen);
            distinct.dedup();
            assert_eq!(distinct.len(), all, "{more}");
        }
    }
}

#[test]
fn u2_inv_002_a_limit_is_clamped_to_a_hundred_and_zero_is_twenty() {
    let records =
        (0..130).map(|id| format!(r#"{{"id":"{id}","kind":"prompt","content":"ferry","createdAt":{id}}}"#));
    let records = records.collect::<Vec<_>>();
    let mut engine = engine_of(&schema(SCHEMA), records.iter().map(String::as_str));
    for query in ["", "ferry"] {
        for (limit, expected) in [("0", 20), ("null", 20), ("1", 1), ("500", 100), ("-1", 1)] {
            let response = search(&mut engine, &format!(r#"{{"query":"{query}","limit":{limit}}}"#));
            assert_eq!((items(&response).len(), number(&response, "limit")), (expected, expected as f64));
        }
    }
}

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

/// An engine in which one record is far better than all others.
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

fn with_vector(engine: &mut Engine, options: &str, vector: [f32; 2]) -> Json {
    json(&engine.call("unified.search", &json(options), Some(vector.to_vec())).unwrap())
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
    // Of many that are alike none is sure, so vectors are asked, and count.
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
fn u4_edge_3_what_both_lists_have_has_the_parts_of_both_and_explains_them_exactly() {
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
            both += usize::from(explain.get("bm25").is_some() && explain.get("similarity").is_some());
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
fn u4_an_embedder_that_fails_leaves_words_and_is_counted() {
    let mut engine = engine_of(&given_vectors(), RECORDS.iter().copied());
    let failed = r#"{"query":"ledger","embedder":"e","embedFailed":"embed: no network"}"#;
    for errors in [1.0, 2.0] {
        let response = search(&mut engine, failed);
        assert_eq!((text(&response, "mode"), found(&response).len()), ("keyword", 4));
        assert_eq!(response.get("warnings"), Some(&json(r#"["embed: no network"]"#)));
        // It was not kept, so it is tried again.
        assert_eq!(stat(&mut engine, "vectorErrors"), errors);
    }
    // A vector of another width is an embedder's failure, or the caller's mistake.
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
    // Now it is known, whatever vector the same embedder would make.
    assert_eq!(early(&mut engine, unsure), answer);
    assert_eq!(early(&mut engine, &unsure.replace("\"e\"", "\"another\"")), Json::Null);
    let mut wordy = engine_of(&words_only(), RECORDS.iter().copied());
    assert_eq!(text(&early(&mut wordy, r#"{"query":"ledger","embedder":"e"}"#), "mode"), "keyword");
}

#[test]
fn inv_005_edge_6_scores_of_words_are_at_least_zero_and_below_one() {
    // FTS5's ranks are negative; what counts is their size.
    let mut engine = engine_of(&words_only(), RECORDS.iter().copied());
    for query in ["ledger", "the", "service day", "stale timetable", "zzz"] {
        for hit in items(&search(&mut engine, &format!(r#"{{"query":"{query}","explain":true}}"#))) {
            let score = number(&hit, "score");
            assert!((0.0..1.0).contains(&score), "{query}: {score}");
            let bm25 = number(hit.get("explain").unwrap(), "bm25");
            assert_eq!(score, bm25.abs() / (1.0 + bm25.abs()));
        }
    }
}

#[test]
fn inv_006_u6_lists_of_variants_come_after_the_first_two_and_count_half() {
    let mut engine = engine_of(&words_only(), RECORDS.iter().copied());
    let response = search(&mut engine, r#"{"query":"ledger failed","expand":true,"explain":true}"#);
    assert_eq!(text(&response, "intent"), "error");
    let Some(Json::Array(variants)) = response.get("variants") else { panic!("no variants") };
    let weights = variants.iter().map(|variant| number(variant, "weight")).collect::<Vec<_>>();
    assert_eq!(weights, [1.0, 0.8]);
    assert_eq!(text(&variants[1], "query"), "ledger failed fix solution resolved");
    let first = &items(&response)[0];
    let Some(Json::Array(parts)) = first.get("explain").unwrap().get("parts") else { panic!("no parts") };
    let products = parts.iter().map(|part| number(part, "product")).collect::<Vec<_>>();
    assert_eq!(products, [2.0 / 61.0 + 0.05, 0.0, 1.0 / 61.0 + 0.05]);
}

#[test]
fn u6_expansion_is_off_unless_asked_for() {
    let response = search(&mut engine(), r#"{"query":"why did the ledger fail?"}"#);
    assert_eq!((response.get("variants"), response.get("intent")), (None, None));
}

#[test]
fn u6_words_of_the_index_that_are_near_are_asked_for() {
    // Without a stemmer, the forms of a word are words of their own; so long a one is near by its letters alone.
    let records = [
        r#"{"id":"1","kind":"observation","content":"electroencephalographical work"}"#,
        r#"{"id":"2","kind":"observation","content":"an electroencephalographical day"}"#,
        r#"{"id":"3","kind":"observation","content":"electroencephalographs"}"#,
    ];
    let plain = SCHEMA.replacen('{', r#"{"tokenizer":"unicode61","#, 1);
    let mut engine = engine_of(&schema(&plain), records);
    let asked = r#"{"query":"electroencephalographically","expand":true}"#;
    let variants = |engine: &mut Engine| match search(engine, asked).get("variants") {
        Some(Json::Array(variants)) => variants
            .iter()
            .map(|one| (text(one, "query").to_owned(), number(one, "weight")))
            .collect::<Vec<_>>(),
        other => panic!("variants are {other:?}"),
    };
    let found = variants(&mut engine);
    assert_eq!(found.len(), 2, "what is in one record leads nowhere: {found:?}");
    assert_eq!(found[1].0, "electroencephalographical");
    assert!((0.35..0.7).contains(&found[1].1), "{found:?}");
    // What is written changes the vocabulary.
    let text = r#"{"id":"4","kind":"prompt","content":"electroencephalographs again"}"#;
    engine.add([&Record::from_json(json(text)).unwrap()]).unwrap();
    assert_eq!(variants(&mut engine)[2].0, "electroencephalographs");
}

#[test]
fn u6_a_stem_of_the_index_is_looked_for_as_it_is() {
    // This stem, taken for a word, would be stemmed once more and found nowhere.
    let records = [
        r#"{"id":"1","kind":"observation","content":"electroencephalodatabases"}"#,
        r#"{"id":"2","kind":"observation","content":"electroencephalodatabases of tickets"}"#,
        r#"{"id":"3","kind":"observation","content":"databank"}"#,
    ];
    let mut engine = engine_of(&schema(SCHEMA), records);
    let response =
        search(&mut engine, r#"{"query":"electroencephalodatabank","expand":true,"explain":true}"#);
    let Some(Json::Array(variants)) = response.get("variants") else { panic!("no variants") };
    assert_eq!(text(&variants[1], "query"), "electroencephalodatabas");
    let has_part = |hit: &Json| {
        let Some(Json::Array(parts)) = hit.get("explain").unwrap().get("parts") else { return false };
        number(&parts[2], "product") > 0.0
    };
    assert_eq!(items(&response).iter().filter(|hit| has_part(hit)).count(), 2);
}

#[test]
fn gotcha_003_without_an_embedder_the_vocabulary_is_left_out_and_the_answer_says_so() {
    let mut engine = engine_of(&words_only(), RECORDS.iter().copied());
    let response = search(&mut engine, r#"{"query":"timetables","expand":true}"#);
    let Some(Json::Array(warnings)) = response.get("warnings") else { panic!("no warning") };
    assert!(warnings[0].as_str().unwrap().starts_with("expand: this snapshot has no embedder"));
    assert_eq!(sorted(found(&response)), ["1/p", "2/o"]);
}

#[test]
fn u7_boosters_append_their_words_and_an_empty_query_stays_empty() {
    let boosters = [
        ("unified.decisions", "ledger decision chose architecture"),
        ("unified.changes", "ledger changed modified refactored"),
        ("unified.howItWorks", "ledger architecture design pattern implements"),
    ];
    for (name, query) in boosters {
        let mut engine = engine();
        let boosted = call(&mut engine, name, r#"{"query":" ledger","limit":3}"#);
        assert_eq!(text(&boosted, "query"), query);
        assert_eq!(boosted, search(&mut engine, &format!(r#"{{"query":"{query}","limit":3}}"#)));
        assert_ne!(boosted, search(&mut engine, r#"{"query":" ledger","limit":3}"#));
        let empty = call(&mut engine, name, r#"{"query":"  "}"#);
        assert_eq!((text(&empty, "query"), text(&empty, "mode")), ("", "filter"));
    }
}

#[test]
fn u8_an_answer_comes_from_the_cache_for_thirty_seconds() {
    let mut engine = engine();
    let at = |engine: &mut Engine, now: u32| search(engine, &format!(r#"{{"query":"ledger","now":{now}}}"#));
    let first = at(&mut engine, 1000);
    assert_eq!(at(&mut engine, 30_999), first);
    assert_eq!((stat(&mut engine, "hits"), stat(&mut engine, "misses")), (1.0, 1.0));
    assert_eq!(at(&mut engine, 31_000), first);
    assert_eq!((stat(&mut engine, "hits"), stat(&mut engine, "misses")), (1.0, 2.0));
}

#[test]
fn inv_004_u8_another_value_of_any_parameter_is_another_search() {
    let mut engine = engine();
    let parameters = [
        r#""query":"ledger""#,
        r#""type":"observations""#,
        r#""project":"api""#,
        r#""obsType":"decision""#,
        r#""concepts":["database"]"#,
        r#""files":["ledger.rs"]"#,
        r#""dateStart":501"#,
        r#""dateEnd":3000"#,
        r#""orderBy":"date_asc""#,
        r#""limit":2"#,
        r#""offset":1"#,
        r#""format":"index""#,
        r#""scope":"project""#,
        r#""project":"web","includeGlobal":true"#,
        r#""excludeSuperseded":true"#,
    ];
    let base = search(&mut engine, "{}");
    for parameter in parameters {
        let options = format!("{{{parameter}}}");
        let cached = search(&mut engine, &options);
        assert_ne!(cached, base, "{parameter}");
        assert_eq!(cached, search(&mut self::engine(), &options), "as without a cache");
    }
    assert_eq!((stat(&mut engine, "hits"), stat(&mut engine, "misses")), (0.0, 16.0));
}

type Write = fn(&mut Engine, &Record);

#[test]
fn u8_any_write_clears_the_cache() {
    let record =
        Record::from_json(json(r#"{"id":"8","kind":"prompt","content":"ledger","createdAt":1}"#)).unwrap();
    let writes: [(&str, Write); 4] = [
        ("add", |engine, record| _ = engine.add([record]).unwrap()),
        ("remove", |engine, _| _ = engine.remove([Key { id: "4", kind: "observation" }]).unwrap()),
        ("a field", |engine, _| {
            let key = Key { id: "1", kind: "observation" };
            assert!(engine.set_field(key, "isSuperseded", Json::Bool(true), None).unwrap());
        }),
        ("apply", |engine, record| {
            let mut other = self::engine();
            other.add([record]).unwrap();
            engine.apply(other.changes().unwrap()).unwrap();
        }),
    ];
    for (name, write) in writes {
        let mut engine = engine();
        let options = r#"{"query":"ledger","excludeSuperseded":true}"#;
        let plain = r#"{"query":"ledger"}"#;
        let before = (search(&mut engine, options), search(&mut engine, plain));
        write(&mut engine, &record);
        assert_ne!((search(&mut engine, options), search(&mut engine, plain)), before, "{name}");
        assert_eq!(stat(&mut engine, "hits"), 0.0, "{name}");
    }
}

#[test]
fn u8_edge_5_a_crowd_of_answers_loses_its_oldest() {
    let mut engine = engine();
    let ask = |engine: &mut Engine, number: u32| {
        let hits = stat(engine, "hits");
        search(engine, &format!(r#"{{"query":"ledger {number}","now":{number}}}"#));
        stat(engine, "hits") > hits
    };
    (0..161).for_each(|number| assert!(!ask(&mut engine, number)));
    assert!(ask(&mut engine, 160));
    assert!(ask(&mut engine, 20));
    assert!(!ask(&mut engine, 19), "the oldest twenty went");
}

#[test]
fn u10_warming_renews_an_answer_and_counts_as_no_search() {
    let mut engine = engine();
    let first = search(&mut engine, r#"{"query":"ledger","now":0}"#);
    let warmed = search(&mut engine, r#"{"query":"ledger","now":20000,"warming":true}"#);
    assert_eq!(warmed, first);
    assert_eq!(stat(&mut engine, "searches"), 1.0);
    search(&mut engine, r#"{"query":"ledger","now":45000}"#);
    assert_eq!((stat(&mut engine, "hits"), stat(&mut engine, "misses")), (1.0, 1.0));
}

#[test]
fn u11_figures_tell_searches_hits_misses_coalesced_and_latencies() {
    let mut engine = engine();
    search(&mut engine, r#"{"query":"ledger"}"#);
    search(&mut engine, r#"{"query":"ledger"}"#);
    for note in [r#"{"latency":4}"#, r#"{"latency":2}"#, r#"{"latency":8,"coalesced":true}"#] {
        assert_eq!(call(&mut engine, "unified.note", note), Json::Null);
    }
    let expected = r#"{"searches":3,"hits":1,"misses":1,"coalesced":1,"shortCircuits":0,"vectorErrors":0,
        "latency":{"count":3,"p50":4,"p95":8,"p99":8}}"#;
    assert_eq!(call(&mut engine, "unified.stats", "{}"), json(expected));
    assert!(engine.call("unified.note", &json(r#"{"latency":-1}"#), None).is_err());
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

#[test]
fn stages_work_on_the_hits_of_this_recipe() {
    let mut engine = engine();
    let keys = |engine: &mut Engine, more: &str| {
        found(&search(engine, &format!(r#"{{"query":"ledger tickets",{more}}}"#)))
    };
    assert_eq!(keys(&mut engine, r#""pinned":["6"]"#)[0], "6/s");
    assert!(!keys(&mut engine, r#""pinned":["6"],"project":"api""#).contains(&"6/s".to_owned()));
    assert_eq!(sorted(keys(&mut engine, r#""asOf":600"#)), ["4/o", "5/o", "7/p"]);
    assert_eq!(keys(&mut engine, r#""minRelevance":1"#), [""; 0]);
    let all = keys(&mut engine, r#""limit":100"#).len();
    assert!((1..all).contains(&keys(&mut engine, r#""maxTokens":20"#).len()));
    // Without a query nothing is beside the point.
    assert_eq!(found(&search(&mut engine, r#"{"minRelevance":1}"#)).len(), RECORDS.len());
}

#[test]
fn the_sample_of_the_preset_answers_its_questions() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let lines = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let sample = lines("unified.jsonl");
    let records = sample.lines().filter(|line| json(line).get("$").is_none());
    let mut engine = engine_of(&Schema::preset("unified").unwrap(), records);
    let mut asked = 0;
    for question in
        lines("questions.jsonl").lines().map(json).filter(|line| text(line, "preset") == "unified")
    {
        let Some(Json::Array(expected)) = question.get("expect") else { panic!("no answer: {question:?}") };
        let options = [("query", question.get("query").unwrap().clone()), ("limit", Json::Integer(3))];
        let options = Json::Object(options.map(|(name, value)| (name.to_owned(), value)).to_vec());
        let response = json(&engine.call("unified.search", &options, None).unwrap());
        let ids = items(&response).iter().map(|hit| hit.get("id").unwrap().clone()).collect::<Vec<_>>();
        assert!(expected.iter().all(|id| ids.contains(id)), "{question:?}: {ids:?}");
        asked += 1;
    }
    assert!(asked >= 5);
    let decisions = call(
        &mut engine,
        "unified.decisions",
        r#"{"query":"ledger","obsType":"decision","project":"ferry-api"}"#,
    );
    assert!(items(&decisions).iter().any(|hit| text(hit, "id") == "obs-3"));
}
