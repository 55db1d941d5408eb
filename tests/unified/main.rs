//! The unified recipe: one search over observations, sessions and prompts.

#![cfg(not(target_arch = "wasm32"))]

mod cache;
mod expansion;
mod fusion;
mod parameters;
mod routing;
mod sample;
mod stages;

use snapseek::json::Json;
use snapseek::{Builder, Engine, Record, Schema};

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

fn with_vector(engine: &mut Engine, options: &str, vector: [f32; 2]) -> Json {
    json(&engine.call("unified.search", &json(options), Some(vector.to_vec())).unwrap())
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
