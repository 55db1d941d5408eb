//! The parameters of a search: U1 and U2.

use crate::{
    RECORDS, SCHEMA, engine, engine_of, found, items, json, number, schema, search, sorted, text, words_only,
};
use snapseek::Engine;
use snapseek::json::Json;

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
fn u1_all_faults_come_in_one_message() {
    let options = json(
        r#"{"type":"memories","orderBy":"size","format":"xml","limit":"many","offset":-1,"dateStart":"soon","typ":1,
            "query":5,"shortCircuit":{"score":-1},"expansions":0,"vocabulary":"no","strict":null}"#,
    );
    let message = engine().call("unified.search", &options, None).unwrap_err().to_string();
    for internal in ["embedder", "embedFailed", "warming"] {
        assert!(!message.contains(internal), "{internal} in {message}");
    }
    for option in [
        "type",
        "orderBy",
        "format",
        "limit",
        "offset",
        "dateStart",
        "typ",
        "query",
        "shortCircuit.score",
        "expansions",
        "vocabulary",
        "strict",
    ] {
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
        for (limit, expected) in [("0", 20), ("1", 1), ("500", 100), ("-1", 1)] {
            let response = search(&mut engine, &format!(r#"{{"query":"{query}","limit":{limit}}}"#));
            let clamped = response.get("clamped").and_then(|clamped| clamped.get("limit"));
            let expected_clamp = format!(r#"{{"given":{limit},"used":{expected}}}"#);
            let is_clamped = !["0", "1"].contains(&limit);
            assert_eq!(clamped, is_clamped.then(|| json(&expected_clamp)).as_ref(), "{limit}");
            assert_eq!((items(&response).len(), number(&response, "limit")), (expected, expected as f64));
        }
    }
}
