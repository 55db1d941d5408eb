//! Does the whole pipeline work on a small, readable corpus? Start reading here to see how the library is used.

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::{Builder, Embedded, Engine, MatchOptions, Record, Schema, SearchFault, SearchOptions};

const RECORDS: &str = r#"
{"id":"install","title":"Installing the agent","body":"The installation takes a minute. Install it on every host.","team":"infra","tags":["setup","hosts"],"level":1,"public":true,"createdAt":"2024-01-10"}
{"id":"jwt","title":"JWT validation","body":"Validate the signature, then the expiry of the token.","team":"web","tags":["auth"],"level":3,"public":true,"createdAt":"2024-03-01"}
{"id":"rotate","title":"Rotating tokens","body":"Tokens are rotated every night; a token is never reused.","team":"web","tags":["auth","jobs"],"level":2,"public":false,"createdAt":"2024-03-05"}
{"id":"tokyo","title":"東京の検索","body":"東京都で検索エンジンを動かす","team":"web","tags":[],"createdAt":1709596800000}
{"id":"backup","title":"Backups","body":"Backups run at night. Restoring one takes an hour, so practise it.","team":"infra","tags":["jobs"],"level":2,"createdAt":"2023-11-20"}
"#;

fn engine() -> Engine {
    let schema = r#"{"forms":true,"cjk":"bigrams","fields":{"title":{"weight":5.0},"body":{}},
        "attributes":{"team":"keyword","tags":"keywords","level":"number","public":"bool","createdAt":"time"}}"#;
    let schema: Schema = serde_json::from_str(schema).unwrap();
    let mut builder = Builder::new(&schema).unwrap();
    for line in RECORDS.trim().lines() {
        builder.add(&Record::from_json(Json::parse(line.as_bytes()).unwrap()).unwrap()).unwrap();
    }
    Engine::open(builder.finish().unwrap()).unwrap()
}

fn options(json: &str) -> SearchOptions {
    serde_json::from_str(json).unwrap()
}

fn ids(engine: &Engine, query: &str, json: &str) -> Vec<String> {
    let response = engine.search(query, &options(json)).unwrap();
    response.hits.into_iter().map(|hit| hit.id).collect()
}

#[test]
fn any_of_the_words_is_enough_and_the_best_comes_first() {
    let engine = engine();
    assert_eq!(ids(&engine, "rotated token", "{}"), ["rotate", "jwt"]);
    assert_eq!(ids(&engine, "nothing of this", r#"{"limit":1}"#).len(), 1);
    assert_eq!(ids(&engine, "zebra", "{}"), [""; 0]);
    assert_eq!(ids(&engine, "", "{}"), [""; 0]);
    assert_eq!(ids(&engine, "\"((*", "{}"), [""; 0]);
}

#[test]
fn snippets_are_escaped_and_marked() {
    let mut engine = engine();
    let json = Json::parse(br#"{"id":"x","title":"<img src=x onerror=alert(1)> zebra & co"}"#).unwrap();
    engine.add(&[Record::from_json(json).unwrap()]).unwrap();
    let response = engine.search("zebra", &options(r#"{"highlight":["title","body"]}"#)).unwrap();
    let hit = &response.hits[0];
    let marked = "&lt;img src=x onerror=alert(1)&gt; <mark>zebra</mark> &amp; co";
    assert_eq!(hit.snippet.as_deref(), Some(marked));
    assert_eq!(hit.highlights, [("title".to_owned(), Some(marked.to_owned())), ("body".to_owned(), None)]);
    let raw = engine.search("zebra", &options(r#"{"snippet":{"raw":true,"open":"[","close":"]"}}"#)).unwrap();
    assert_eq!(raw.hits[0].snippet.as_deref(), Some("<img src=x onerror=alert(1)> [zebra] & co"));
}

#[test]
fn filters_apply_before_the_best_are_chosen() {
    let engine = engine();
    let with = |filter: &str| {
        ids(&engine, "token night takes install", &format!(r#"{{"filter":{filter},"limit":2}}"#))
    };
    assert_eq!(with(r#"{"team":"infra"}"#), ["install", "backup"]);
    assert_eq!(with(r#"{"tags":{"any":["jobs","setup"]},"not":{"team":"web"}}"#), ["install", "backup"]);
    assert_eq!(with(r#"{"tags":{"all":["auth","jobs"]}}"#), ["rotate"]);
    assert_eq!(with(r#"{"level":{"gte":2,"lt":3},"createdAt":{"lt":"2024-01-01"}}"#), ["backup"]);
    assert_eq!(with(r#"{"public":false}"#), ["rotate"]);
    assert_eq!(with(r#"{"public":null}"#), ["backup"]);
    assert_eq!(with(r#"{"or":[{"id":"jwt"},{"level":1}]}"#), ["install", "jwt"]);
    assert_eq!(with(r#"{"kind":"memory"}"#), [""; 0]);
    assert_eq!(with(r#"{"id":{"all":["jwt","jwt"]}}"#), ["jwt"]);
    assert_eq!(with(r#"{"id":{"all":["jwt","rotate"]}}"#), [""; 0]);
    assert_eq!(with(r#"{"kind":{"all":[]}}"#), with(r#"{"tags":{"all":[]}}"#));
}

#[test]
fn facets_and_totals_count_every_match_and_the_filter_with_it() {
    let engine = engine();
    let wanted = options(r#"{"facets":["team","tags","public","level"],"count":true,"limit":1}"#);
    let response = engine.search("token night", &wanted).unwrap();
    assert_eq!(response.total, Some(3));
    let facet = |attribute: &str| {
        let facet = response.facets.iter().find(|facet| facet.attribute == attribute).unwrap();
        facet.values.iter().map(|value| (value.value.as_str(), value.count)).collect::<Vec<_>>()
    };
    assert_eq!(facet("team"), [("web", 2), ("infra", 1)]);
    assert_eq!(facet("tags"), [("auth", 2), ("jobs", 2)]);
    assert_eq!(facet("public"), [("false", 1), ("true", 1)]);
    assert_eq!(facet("level"), [("2", 2), ("3", 1)]);
    let filtered =
        engine.search("token night", &options(r#"{"count":true,"filter":{"team":"web"}}"#)).unwrap();
    assert_eq!(filtered.total, Some(2));
}

#[test]
fn typing_finds_words_whose_stem_is_shorter_than_what_was_typed() {
    let engine = engine();
    for typed in ["inst", "install", "installa", "installat", "installation"] {
        assert_eq!(ids(&engine, typed, r#"{"asYouType":true}"#), ["install"], "{typed}");
    }
    // FTS5 alone finds nothing, because the stem is `instal`.
    assert_eq!(engine.matches("installa*", &MatchOptions::default()).unwrap(), []);
    // A space ends the word, so it is no longer a prefix.
    assert_eq!(ids(&engine, "installa ", r#"{"asYouType":true}"#), [""; 0]);
    let suggested = engine.suggest("to", 5).unwrap();
    assert_eq!(suggested, [("token".to_owned(), 2), ("tokens".to_owned(), 2)]);
}

#[test]
fn a_typing_error_is_corrected_and_said() {
    let engine = engine();
    let response = engine.search("validatoin", &options(r#"{"typos":2}"#)).unwrap();
    assert_eq!(response.hits[0].id, "jwt");
    assert_eq!(
        (response.corrected[0].word.as_str(), &response.corrected[0].instead[..]),
        ("validatoin", &["validation".to_owned()][..])
    );
    // The correction compares words, not stems.
    assert_eq!(
        engine.search("practize", &options(r#"{"typos":1}"#)).unwrap().corrected[0].instead,
        ["practise"]
    );
    assert_eq!(ids(&engine, "validatoin", "{}"), [""; 0]);
    // A word of the index is not corrected.
    assert!(engine.search("token", &options(r#"{"typos":2}"#)).unwrap().corrected.is_empty());
}

#[test]
fn bigrams_find_words_inside_a_run_of_cjk() {
    let engine = engine();
    for query in ["東京", "検索", "京都", "エンジン", "検索エンジン"] {
        assert_eq!(ids(&engine, query, "{}"), ["tokyo"], "{query}");
    }
    assert_eq!(ids(&engine, "京東", "{}"), [""; 0]);
    let marked = engine.search("検索", &options(r#"{"highlight":["title"]}"#)).unwrap();
    assert_eq!(marked.hits[0].highlights[0].1.as_deref(), Some("東京の<mark>検索</mark>"));
}

#[test]
fn without_the_opt_ins_results_are_those_of_fts5() {
    let plain: Schema = serde_json::from_str(r#"{"fields":{"title":{"weight":5.0},"body":{}}}"#).unwrap();
    let forms: Schema =
        serde_json::from_str(r#"{"forms":true,"fields":{"title":{"weight":5.0},"body":{}}}"#).unwrap();
    let build = |schema: &Schema| {
        let mut builder = Builder::new(schema).unwrap();
        for line in RECORDS.trim().lines() {
            builder.add(&Record::from_json(Json::parse(line.as_bytes()).unwrap()).unwrap()).unwrap();
        }
        Engine::open(builder.finish().unwrap()).unwrap()
    };
    for expression in ["token OR night", "instal*", "東京", "title : tokens"] {
        let ask = |schema| build(schema).matches(expression, &MatchOptions::default()).unwrap();
        assert_eq!(ask(&plain), ask(&forms), "{expression}");
    }
    let degraded = build(&plain).search("installa", &options(r#"{"asYouType":true}"#)).unwrap();
    assert!(degraded.degraded && degraded.warnings[0].starts_with("asYouType:"));
}

#[test]
fn the_parts_of_an_explanation_add_up_to_the_score() {
    let response = engine().search("rotated token night", &options(r#"{"explain":true}"#)).unwrap();
    for hit in &response.hits {
        let keyword = hit.explain.as_ref().unwrap().keyword.as_ref().unwrap();
        let sum = keyword.details.as_ref().unwrap().phrases.iter().fold(0.0, |sum, phrase| sum + phrase.part);
        assert_eq!(sum, hit.score);
        assert_eq!(-keyword.bm25, hit.score);
    }
}

#[test]
fn pages_follow_each_other_without_gap_or_overlap() {
    let engine = engine();
    let all = ids(&engine, "token night takes install", "{}");
    let paged = (0..all.len()).flat_map(|offset| {
        ids(&engine, "token night takes install", &format!(r#"{{"limit":1,"offset":{offset}}}"#))
    });
    assert_eq!(paged.collect::<Vec<_>>(), all);
}

#[test]
fn options_that_cannot_be_used_name_themselves_and_what_is_allowed() {
    let engine = engine();
    let cases = [
        (r#"{"limit":0}"#, "limit: must be 1 to 1000, not 0"),
        (r#"{"offset":200000}"#, "offset: must be 0 to 100000, not 200000"),
        (r#"{"typos":3}"#, "typos: must be 0 to 2, not 3"),
        (r#"{"mode":"fuzzy"}"#, "mode: unknown mode \"fuzzy\"; use one of keyword, vector, hybrid"),
        (r#"{"facets":["colour"]}"#, "facets: there is no attribute \"colour\""),
        (
            r#"{"highlight":["colour"]}"#,
            "highlight: there is no text field \"colour\"; the text fields are title, body",
        ),
        (r#"{"weights":{"title":"x"}}"#, "weights.title: must be a number, not a string"),
        (
            r#"{"filter":{"colour":1}}"#,
            "filter.colour: there is no attribute \"colour\"; there are team, tags, level, public, createdAt",
        ),
    ];
    let refusal = |json: &str| {
        let (_, rest) = json.split_at(1);
        let json = format!(r#"{{"query":"x",{rest}"#);
        let json = Json::parse(json.as_bytes()).unwrap();
        engine.search_json(&json, Embedded::default()).unwrap_err().to_string()
    };
    for (json, message) in cases {
        assert_eq!(refusal(json), message);
    }
    assert_eq!(
        refusal(r#"{"limit":0,"weights":{"nowhere":1},"lmit":3}"#).split("; the options are").next().unwrap(),
        "limit: must be 1 to 1000, not 0; weights: there is no text field \"nowhere\"; the text fields are title, body; \
         lmit: unknown option"
    );
    // Options that Rust code sets are checked as those from JSON are.
    let options = SearchOptions { limit: Some(0), alpha: Some(2.0), ..SearchOptions::default() };
    assert_eq!(
        engine.search("x", &options).unwrap_err().to_string(),
        "limit: must be 1 to 1000, not 0; alpha: must be 0 to 1, not 2"
    );
    assert!(
        serde_json::from_str::<SearchOptions>(r#"{"limt":3}"#)
            .unwrap_err()
            .to_string()
            .contains("limt: unknown option")
    );
    let error = engine.matches("title : (", &MatchOptions::default()).unwrap_err();
    assert!(matches!(*error, SearchFault::Query(_)));
}

#[test]
fn the_short_way_and_the_long_way_give_the_same_bits() {
    let engine = engine();
    for query in ["token night takes install", "the at it", "tokens"] {
        let short = engine.search(query, &options("{}")).unwrap().hits;
        // Counting needs every match, so this query takes the general path.
        let long = engine.search(query, &options(r#"{"count":true}"#)).unwrap().hits;
        assert_eq!(short, long);
    }
}

#[test]
fn few_documents_that_are_looked_up_get_the_bits_that_reading_all_of_them_gives() {
    let schema = r#"{"fields":{"title":{"weight":5.0},"body":{}},"attributes":{"group":"number"}}"#;
    let mut builder = Builder::new(&serde_json::from_str(schema).unwrap()).unwrap();
    let word = |number: usize| ["aha", "abel", "able", "bead", "bean", "cab"][number % 6];
    for number in 0..3000 {
        let body =
            (0..number % 9).map(|place| word(number * 7 + place * place)).collect::<Vec<_>>().join(" ");
        let json = format!(
            r#"{{"id":"{number}","title":"{}","body":"{body}","group":{}}}"#,
            word(number * number / 5),
            number * 31 % 300
        );
        builder.add(&Record::from_json(Json::parse(json.as_bytes()).unwrap()).unwrap()).unwrap();
    }
    let engine = Engine::open(builder.finish().unwrap()).unwrap();
    let shown = r#""highlight":{"column":"body","open":"[","close":"]"}"#;
    for expression in
        ["ab* OR bead OR be*", "cab", "title : a* OR body : b*", "\"able bead\" OR aha", "ab* AND be*"]
    {
        let options = |json: &str| MatchOptions::read(&Json::parse(json.as_bytes()).unwrap()).unwrap();
        let matches = |json: &str| engine.matches(expression, &options(json)).unwrap();
        let all = matches(&format!("{{{shown}}}"));
        for group in [0, 7, 299, 1000] {
            let few = matches(&format!(r#"{{"filter":{{"group":{group}}},{shown}}}"#));
            let is_of = |id: &str| id.parse::<usize>().unwrap() * 31 % 300 == group;
            let expected = all.iter().filter(|row| is_of(&row.id)).cloned().collect::<Vec<_>>();
            assert_eq!(few, expected, "{expression}, group {group}");
            let best = matches(&format!(r#"{{"filter":{{"group":{group}}},"limit":3,{shown}}}"#));
            assert_eq!(best, expected[..expected.len().min(3)], "{expression}, group {group}");
        }
    }
}
