//! Do recipes written as data work, and the stages that every search accepts?

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::recipe::hybrid::Hit;
use snapseek::schema::{EmbedderKind, VectorModel};
use snapseek::{Builder, Embedded, Engine, Record, SearchOptions, SearchResponse};

const DAY: f64 = 86_400_000.0;
const NOW: f64 = 1_780_000_000_000.0;

fn engine() -> Engine {
    let schema = r#"{"fields":{"body":{}},"attributes":{"sector":"keyword","tags":"keywords","salience":"number",
        "createdAt":"time","validFrom":"time","validUntil":"time"},"vectors":{"own":{"embedder":"hash"}}}"#;
    let mut builder = Builder::new(&serde_json::from_str(schema).unwrap()).unwrap();
    let day = |days: f64| NOW - days * DAY;
    let rows = [
        ("deploy", "how to deploy the ferry booking service", "procedural", 0.9, day(1.0), None),
        ("deploy-copy", "how to deploy the ferry booking service now", "procedural", 0.5, day(2.0), None),
        ("rollback", "roll back a deploy of the booking service", "reflective", 1.0, day(30.0), None),
        ("harbour", "the harbour office opens at nine", "semantic", 0.3, day(400.0), None),
        ("old-deploy", "deploy by hand with a floppy disk", "episodic", 0.2, day(300.0), Some(day(100.0))),
    ];
    for (id, body, sector, salience, at, until) in rows {
        let until = until.map_or("null".to_owned(), |until| until.to_string());
        let json = format!(
            r#"{{"id":"{id}","body":"{body}","sector":"{sector}","tags":["{sector}","ops"],"salience":{salience},
                "createdAt":{at},"validUntil":{until}}}"#
        );
        builder.add(&Record::from_json(Json::parse(json.as_bytes()).unwrap()).unwrap()).unwrap();
    }
    Engine::open(builder.finish().unwrap()).unwrap()
}

fn options(json: &str) -> SearchOptions {
    let options: SearchOptions = serde_json::from_str(json).unwrap();
    SearchOptions { now: Some(NOW), explain: true, ..options }
}

fn search(query: &str, json: &str) -> SearchResponse {
    engine().search(query, &options(json)).unwrap()
}

fn ids(response: &SearchResponse) -> Vec<&str> {
    response.hits.iter().map(|hit| hit.id.as_str()).collect()
}

fn refusal(json: &str) -> String {
    let json = Json::parse(json.replacen('{', r#"{"query":"deploy","#, 1).as_bytes()).unwrap();
    engine().search_json(&json, Embedded::default()).unwrap_err().to_string()
}

fn product(hit: &Hit, name: &str) -> f64 {
    let parts = &hit.explain.as_ref().unwrap().score.parts;
    parts.iter().find(|part| part.name == name).unwrap().product
}

const MEMORY: &str = r#"{
    "signals": {"vector":{"weight":0.4},"bm25":{"weight":0.25,"cap":10},"salience":{"weight":0.2},
                "recency":{"weight":0.15,"rate":0.05}},
    "factors": {"sector":{"values":{"reflective":1.2,"semantic":1.1,"emotional":0.9,"episodic":0.8},"default":1}},
    "clamp": true}"#;

#[test]
fn a_recipe_as_data_scores_by_its_signals_and_explains_itself_to_the_bit() {
    let response = search("deploy ferry", &format!(r#"{{"recipe":{MEMORY}}}"#));
    assert_eq!(response.fusion, Some("custom"));
    assert_eq!(response.hits.len(), 5);
    for hit in &response.hits {
        let explain = &hit.explain.as_ref().unwrap().score;
        assert_eq!(explain.score().clamp(0.0, 1.0), hit.score, "{}", hit.id);
        assert_eq!(explain.parts.len(), 4);
    }
    let rollback = response.hits.iter().find(|hit| hit.id == "rollback").unwrap();
    assert_eq!(rollback.explain.as_ref().unwrap().score.factors[0].value, 1.2);
    assert_eq!(product(rollback, "salience"), 0.2);
    assert!((product(rollback, "recency") - 0.15 * (-0.05f64 * 30.0).exp()).abs() < 1e-12);
}

#[test]
fn a_recipe_may_fuse_by_the_places_of_its_signals() {
    let recipe =
        r#"{"signals":{"bm25":{"weight":2},"salience":{}},"fuse":"rrf","retrieve":{"mode":"keyword"}}"#;
    let response = search("deploy ferry", &format!(r#"{{"recipe":{recipe}}}"#));
    for hit in &response.hits {
        assert_eq!(hit.explain.as_ref().unwrap().score.score(), hit.score);
    }
    let rollback = response.hits.iter().find(|hit| hit.id == "rollback").unwrap();
    assert_eq!(product(rollback, "salience"), 1.0 / 61.0, "none is more salient");
}

#[test]
fn every_measure_can_be_named() {
    let recipe = r#"{"retrieve":{"words":"all","candidates":50,"mode":"hybrid"},"signals":{
        "words":{"measure":"greatest","of":{"place":{},"overlap":{"scale":0.8}}},
        "likeness":{"measure":"vector","curve":"ofGreatest"},
        "age":{"measure":"recency","halfLife":365},
        "tags":{"measure":"shared","with":["OPS"]},
        "is":{"measure":"equal","field":"sector","to":"reflective"},
        "when":{"measure":"field","field":"createdAt","weight":0},
        "bm25":{"curve":"saturated"}}}"#;
    let response = search("deploy booking", &format!(r#"{{"recipe":{recipe}}}"#));
    assert!(response.expression.contains(" AND "));
    for hit in &response.hits {
        assert_eq!(hit.explain.as_ref().unwrap().score.score(), hit.score);
        assert_eq!(product(hit, "tags"), 0.5);
        assert_eq!(product(hit, "is"), f64::from(hit.id == "rollback"));
    }
    let prefix = r#"{"recipe":{"retrieve":{"words":"prefix","mode":"keyword"},"signals":{"bm25":{}}}}"#;
    assert_eq!(ids(&search("harb", prefix)), ["harbour"]);
}

#[test]
fn a_recipe_that_cannot_be_used_says_everything_that_is_wrong() {
    let error = refusal(
        r#"{"recipe":{"signals":{"wieght":{},"recency":{"field":"sector"},"bm25":{"cap":"x"}},"fuse":"max"}}"#,
    );
    for part in [
        "wieght: there is no attribute \"wieght\"",
        "recency: the attribute \"sector\" is not of type time",
        "bm25: cap: must be a number, not a string",
        "fuse: unknown fuse \"max\"; use one of sum, rrf",
    ] {
        assert!(error.contains(part), "{error}");
    }
    assert!(refusal(r#"{"recipe":{}}"#).contains("must name at least one signal"));
    assert!(refusal(r#"{"recipe":7}"#).contains("(root): must be an object, not a number"));
    assert!(refusal(r#"{"minRelevance":2}"#).contains("minRelevance: must be 0 to 1, not 2"));
}

#[test]
fn a_floor_on_relevance_rejects_a_nonsense_query_and_keeps_a_good_one() {
    assert!(!search("zzyzx qwerty", "{}").hits.is_empty(), "vectors alone always find something");
    assert!(search("zzyzx qwerty", r#"{"minRelevance":0.3}"#).hits.is_empty());
    assert_eq!(search("ferry booking service", r#"{"minRelevance":0.3}"#).hits[0].id, "deploy");
}

#[test]
fn pinned_records_come_first_in_their_order_as_far_as_they_pass_the_filter() {
    let response = search("deploy ferry", r#"{"pinned":["harbour","rollback","nobody"],"limit":3}"#);
    assert_eq!(ids(&response)[..2], ["harbour", "rollback"]);
    assert_eq!(response.hits.iter().map(|hit| hit.pinned).collect::<Vec<_>>(), [true, true, false]);
    let filtered = search("deploy", r#"{"pinned":["harbour"],"filter":{"sector":"procedural"}}"#);
    assert!(!ids(&filtered).contains(&"harbour"));
    let floored = search("deploy", r#"{"pinned":["harbour"],"minRelevance":0.99}"#);
    assert_eq!(ids(&floored), ["harbour"], "a floor is not for what is pinned");
}

#[test]
fn a_search_as_of_a_moment_finds_what_was_there_and_valid_then() {
    let then = NOW - 150.0 * DAY;
    let mut found = search("deploy", &format!(r#"{{"asOf":{then}}}"#));
    found.hits.sort_by(|a, b| a.id.cmp(&b.id));
    assert_eq!(ids(&found), ["harbour", "old-deploy"]);
    assert!(!ids(&search("deploy", &format!(r#"{{"asOf":{NOW}}}"#))).contains(&"old-deploy"));
}

#[test]
fn near_duplicates_are_folded_under_the_better_hit() {
    let response = search("deploy ferry booking service", r#"{"fold":0.8}"#);
    assert_eq!(response.hits[0].id, "deploy");
    assert_eq!(response.hits[0].folded, ["deploy-copy"]);
    assert!(!ids(&response).contains(&"deploy-copy"));
    assert!(ids(&search("deploy ferry booking service", r#"{"fold":true}"#)).contains(&"deploy-copy"));
}

#[test]
fn diversity_brings_forward_what_is_new_and_one_keeps_the_order() {
    let query = "how to deploy the ferry booking service";
    let plain = search(query, r#"{"limit":3}"#);
    assert_eq!(ids(&plain)[..2], ["deploy", "deploy-copy"]);
    assert_eq!(ids(&search(query, r#"{"diversity":1,"limit":3}"#)), ids(&plain));
    assert_ne!(ids(&search(query, r#"{"diversity":0.3,"limit":3}"#))[1], "deploy-copy");
}

#[test]
fn a_token_budget_cuts_the_page_and_keeps_the_first() {
    // The texts have 10 and 11 tokens.
    let query = "how to deploy the ferry booking service";
    assert_eq!(ids(&search(query, r#"{"maxTokens":21}"#)), ["deploy", "deploy-copy"]);
    assert_eq!(ids(&search(query, r#"{"maxTokens":20}"#)), ["deploy"]);
    assert_eq!(ids(&search(query, r#"{"maxTokens":1}"#)), ["deploy"]);
}

#[test]
fn the_same_search_twice_gives_the_same_answer() {
    for json in [r#"{"diversity":0.5,"fold":true,"pinned":["harbour"]}"#, r#"{"fusion":"rrf"}"#] {
        assert_eq!(search("deploy ferry", json), search("deploy ferry", json));
    }
}

#[test]
fn the_memory_recipe_is_such_data_and_scores_to_the_same_bits() {
    let model = VectorModel { embedder: Some(EmbedderKind::Hash), ..VectorModel::default() };
    let schema = snapseek::Schema::preset("memory").unwrap().with_vectors("hash", model).unwrap();
    let mut builder = Builder::new(&schema).unwrap();
    for line in include_str!("../samples/memory.jsonl").lines() {
        let json = Json::parse(line.as_bytes()).unwrap();
        if json.get("$").is_none() {
            builder.add(&Record::from_json(json).unwrap()).unwrap();
        }
    }
    let mut engine = Engine::open(builder.finish().unwrap()).unwrap();
    let asked = format!(r#"{{"query":"deploy the ferry","limit":40,"track":false,"now":{NOW}}}"#);
    let answer = engine.call("memory.search", &Json::parse(asked.as_bytes()).unwrap(), None).unwrap();
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let recipe = r#"{"retrieve":{"words":"prefix"},"clamp":true,
        "signals":{"semantic":{"measure":"vector","curve":"plain","weight":0.4},
            "keyword":{"measure":"bm25","cap":10,"weight":0.25},"salience":{"weight":0.2},
            "recency":{"rate":0.05,"weight":0.15}},
        "factors":{"sector":{"values":{"reflective":1.2,"semantic":1.1,"emotional":0.9,"episodic":0.8},"default":1}}}"#;
    let options = options(&format!(r#"{{"limit":60,"recipe":{recipe},"filter":{{"kind":"memory"}}}}"#));
    let own = engine.search("deploy the ferry", &options).unwrap();
    let mut compared = 0;
    for result in answer["results"].as_array().unwrap() {
        let id = result["memory"]["id"].as_str().unwrap();
        let Some(hit) = own.hits.iter().find(|hit| hit.id == id) else { continue };
        assert_eq!(result["score"].as_f64().unwrap().to_bits(), hit.score.to_bits(), "{id}");
        compared += 1;
    }
    assert!(compared >= 20, "only {compared}");
}
