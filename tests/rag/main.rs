//! Does the RAG recipe follow R1 to R12, and how do sources become chunks?
//!
//! This file holds the parts that all files of this test share.

#![cfg(not(target_arch = "wasm32"))]

mod graph;
mod index;
mod primitives;
mod properties;
mod response;
mod search;
mod stages;

use snapseek::json::Json;
use snapseek::schema::Schema;
use snapseek::{Embedded, Engine, Record};

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

const ATTRIBUTES: &str = r#"{"sourceType":"keyword","sourceId":"keyword","sessionId":"keyword",
    "contextId":"keyword","actionId":"keyword","parentId":"keyword","contentHash":"keyword",
    "chunkIndex":"number","charOffset":"number","tokenCount":"number","createdAt":"time"}"#;

fn schema(vectors: &str) -> Schema {
    let text =
        format!(r#"{{"fields":{{"title":{{}},"text":{{}}}},"attributes":{ATTRIBUTES},"vectors":{vectors}}}"#);
    serde_json::from_str(&text).unwrap()
}

/// A model whose vectors come with the records.
const GIVEN: &str = r#"{"m":{"encoding":"f32","field":"vector"}}"#;

/// Builds a chunk from its source as `type:id#index`, its text, and more fields.
fn chunk(name: &str, text: &str, more: &str) -> Record {
    let (source_type, rest) = name.split_once(':').unwrap();
    let (source_id, index) = rest.split_once('#').unwrap();
    Record::from_json(json(&format!(
        r#"{{"id":"{name}","kind":"chunk","sourceType":"{source_type}","sourceId":"{source_id}",
            "chunkIndex":{index},"text":"{text}"{more}}}"#
    )))
    .unwrap()
}

fn engine_of(vectors: &str, records: &[Record]) -> Engine {
    let mut engine = Engine::empty(&schema(vectors)).unwrap();
    engine.add(records).unwrap();
    engine
}

fn search_with(engine: &mut Engine, options: &str, embedded: impl Into<Embedded>) -> Json {
    json(&engine.call("rag.search", &json(options), embedded).unwrap())
}

fn search(engine: &mut Engine, options: &str) -> Json {
    search_with(engine, options, None)
}

fn at<'a>(json: &'a Json, path: &str) -> &'a Json {
    path.split('.').fold(json, |json, name| json.get(name).unwrap_or(&Json::Null))
}

fn number(json: &Json, path: &str) -> f64 {
    at(json, path).as_f64().unwrap_or_else(|| panic!("no number at {path} in {}", json.to_text()))
}

fn list(json: &Json) -> &[Json] {
    match json {
        Json::Array(values) => values,
        other => panic!("no array: {}", other.to_text()),
    }
}

fn results(response: &Json) -> &[Json] {
    list(at(response, "results"))
}

fn ids(response: &Json) -> Vec<&str> {
    results(response).iter().map(|result| at(result, "id").as_str().unwrap()).collect()
}

fn numbers(response: &Json, field: &str) -> Vec<f64> {
    results(response).iter().map(|result| number(result, field)).collect()
}

/// Builds five chunks of five sources. Words and vectors agree only on the first.
fn five() -> Engine {
    engine_of(
        GIVEN,
        &[
            chunk("context:a#0", "ferry ferry timetable", r#","createdAt":5,"vector":[1,0]"#),
            chunk("context:b#0", "ferry in the fog of the morning", r#","createdAt":4,"vector":[0,1]"#),
            chunk(
                "action:c#0",
                "a ferry, and much else that is said here",
                r#","createdAt":3,"vector":[-1,0]"#,
            ),
            chunk("thought:d#0", "boats leave late", r#","createdAt":2,"vector":[0.8,0.6]"#),
            chunk("thought:e#0", "gulls", r#","createdAt":1"#),
        ],
    )
}
