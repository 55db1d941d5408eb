//! Cached answers, warming and statistics: U8, U10 and U11.

use crate::{call, engine, json, search, stat};
use snapseek::json::Json;
use snapseek::{Engine, Key, Record};

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
        r#""pinned":["4"]"#,
        r#""asOf":600"#,
    ];
    let base = search(&mut engine, "{}");
    for parameter in parameters {
        let options = format!("{{{parameter}}}");
        let cached = search(&mut engine, &options);
        assert_ne!(cached, base, "{parameter}");
        assert_eq!(cached, search(&mut self::engine(), &options), "as without a cache");
    }
    assert_eq!((stat(&mut engine, "hits"), stat(&mut engine, "misses")), (0.0, 18.0));
}

#[test]
fn inv_004_the_parameters_of_a_hybrid_search_are_in_the_key_too() {
    let mut engine = engine();
    let parameters = [
        "",
        r#","shortCircuit":false"#,
        r#","shortCircuit":{"score":0.5}"#,
        r#","shortCircuit":{"gap":0.5}"#,
        r#","expand":true"#,
        r#","expand":true,"expansions":2"#,
        r#","expand":true,"vocabulary":false"#,
        r#","explain":true"#,
        r#","strict":true"#,
        r#","model":"own""#,
    ];
    for parameter in parameters {
        let options = format!(r#"{{"query":"why did the ledger fail?"{parameter}}}"#);
        assert_eq!(search(&mut engine, &options), search(&mut self::engine(), &options), "{parameter}");
    }
    assert_eq!((stat(&mut engine, "hits"), stat(&mut engine, "misses")), (0.0, parameters.len() as f64));
}

#[test]
fn inv_004_a_clamped_limit_shares_its_answer_and_is_still_reported() {
    let mut engine = engine();
    let answer = |engine: &mut Engine, limit: &str| search(engine, &format!(r#"{{"limit":{limit}}}"#));
    assert_eq!(answer(&mut engine, "100").get("clamped"), None);
    let clamped = r#"{"limit":{"given":500,"used":100}}"#;
    assert_eq!(answer(&mut engine, "500").get("clamped"), Some(&json(clamped)));
    assert_eq!(answer(&mut engine, "100").get("clamped"), None);
    assert_eq!((stat(&mut engine, "hits"), stat(&mut engine, "misses")), (2.0, 1.0));
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
fn u8_edge_5_a_crowded_cache_evicts_its_oldest_answers() {
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
    let warmed = call(&mut engine, "unified.warm", r#"{"query":"ledger","now":20000}"#);
    assert_eq!(warmed, first);
    assert_eq!(stat(&mut engine, "searches"), 1.0);
    search(&mut engine, r#"{"query":"ledger","now":45000}"#);
    assert_eq!((stat(&mut engine, "hits"), stat(&mut engine, "misses")), (1.0, 1.0));
}

#[test]
fn u11_stats_have_searches_hits_misses_coalesced_and_latencies() {
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
