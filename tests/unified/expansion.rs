//! Variants of the query (U6) and boosters (U7).

use crate::{
    RECORDS, SCHEMA, call, engine, engine_of, found, items, json, number, schema, search, sorted, text,
    words_only,
};
use snapseek::json::Json;
use snapseek::{Embedded, Engine, Record, UnifiedQuery};

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
fn u6_the_number_of_variants_and_the_vocabulary_are_options() {
    let mut engine = engine_of(&words_only(), RECORDS.iter().copied());
    let mut response = |expansions, vocabulary| {
        let query = UnifiedQuery::of("why did the ledger fail?");
        let query = UnifiedQuery { expand: true, expansions, vocabulary, ..query };
        engine.unified().search(&query, &Embedded::default()).unwrap()
    };
    assert_eq!([1, 2, 3, 4].map(|expansions| response(expansions, true).variants.len()), [1, 2, 3, 3]);
    assert!(response(4, true).degraded, "this snapshot has no embedder for its words");
    assert_eq!((response(4, false).degraded, response(4, false).warnings), (false, Vec::new()));
}

#[test]
fn u6_without_the_vocabulary_words_of_the_index_are_no_variants() {
    let records = [
        r#"{"id":"1","kind":"observation","content":"electroencephalodatabases"}"#,
        r#"{"id":"2","kind":"observation","content":"electroencephalodatabases of tickets"}"#,
    ];
    let mut engine = engine_of(&schema(SCHEMA), records);
    let mut count = |vocabulary| {
        let query = UnifiedQuery { expand: true, vocabulary, ..UnifiedQuery::of("electroencephalodatabank") };
        engine.unified().search(&query, &Embedded::default()).unwrap().variants.len()
    };
    assert_eq!((count(true), count(false)), (2, 1));
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
        let missing = engine.call(name, &json("{}"), None).unwrap_err().to_string();
        assert_eq!(missing, "query: is required", "{name}");
        let empty = call(&mut engine, name, r#"{"query":"  "}"#);
        assert_eq!((text(&empty, "query"), text(&empty, "mode")), ("", "filter"));
    }
}
