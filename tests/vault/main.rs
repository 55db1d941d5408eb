//! Does the vault recipe find, score and return entries as specified?
//!
//! This file holds the parts that all files of this test share.

#![cfg(not(target_arch = "wasm32"))]

mod calls;
mod candidates;
mod feedback;
mod results;
mod signals;
mod stages;
mod vectors;
mod writes;

use serde_json::{Value, json};
use snapseek::json::Json;
use snapseek::schema::Schema;
use snapseek::{Builder, Embedded, Engine, Record};

const DAY: f64 = 86_400_000.0;
const NOW: f64 = 1_770_000_000_000.0;

fn schema(vectors: Value) -> Schema {
    let schema = json!({
        "tokenizer": "porter unicode61",
        "fields": {"id": {}, "title": {}, "description": {}, "context": {}, "tags": {}},
        "attributes": {
            "type": "keyword", "domain": "keyword", "severity": "keyword", "tier": "keyword", "tags": "keywords",
            "validFrom": "time", "validUntil": "time", "createdAt": "time", "updatedAt": "time",
        },
        "vectors": vectors,
    });
    serde_json::from_value(schema).unwrap()
}

fn own(value: &Value) -> Json {
    Json::parse(value.to_string().as_bytes()).unwrap()
}

/// Builds a vault from lines: records, and lines with a `$`.
fn vault_of(schema: &Schema, lines: &[Value]) -> Engine {
    let mut builder = Builder::new(schema).unwrap();
    for line in lines {
        match line["$"].as_str() {
            Some(what) => builder.take_line(what, &own(line)).unwrap(),
            None => builder.add(&record(line)).unwrap(),
        }
    }
    Engine::open(builder.finish().unwrap()).unwrap()
}

fn record(line: &Value) -> Record {
    Record::from_json(own(line)).unwrap()
}

fn vault(lines: &[Value]) -> Engine {
    vault_of(&schema(json!({})), lines)
}

/// Builds an entry that was created just now.
fn entry(id: &str, title: &str, more: Value) -> Value {
    let mut entry = json!({"id": id, "kind": "entry", "title": title, "updatedAt": NOW});
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry
}

fn link(from: &str, to: &str) -> Value {
    json!({"$": "link", "from": from, "to": to})
}

/// Builds entries of two domains that are found by words, by vectors and by links.
fn three_ways() -> Engine {
    let model = json!({"m": {"width": 2, "encoding": "f32", "field": "m"}});
    let mut lines = Vec::new();
    for number in 0..40 {
        let (domain, severity) = if number % 4 == 0 { ("web", "critical") } else { ("data", "warning") };
        let mut line = entry(
            &format!("e{number}"),
            if number < 20 { "jwt checks" } else { "other things" },
            json!({"domain": domain, "severity": severity, "type": "rule", "tags": [domain], "m": [1, number]}),
        );
        match number % 8 {
            4 => line["validUntil"] = json!(NOW - DAY),
            5 => line["validFrom"] = json!(NOW + DAY),
            _ => {}
        }
        if number >= 30 {
            line.as_object_mut().unwrap().remove("m");
        }
        lines.push(line);
    }
    for number in 24..40 {
        lines.push(link(&format!("e{number}"), &format!("e{}", number - 24)));
    }
    vault_of(&schema(model), &lines)
}

fn try_call(
    engine: &mut Engine,
    name: &str,
    options: Value,
    embedded: impl Into<Embedded>,
) -> Result<Value, String> {
    let answer = engine.call(name, &own(&options), embedded).map_err(|error| error.to_string())?;
    Ok(serde_json::from_str(&answer).unwrap())
}

fn ask(engine: &mut Engine, query: &str, more: Value) -> Value {
    let mut options = json!({"query": query, "now": NOW});
    options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    try_call(engine, "vault.search", options, None).unwrap()
}

/// Every candidate, as a tier of a federation returns them.
fn ask_for_all(engine: &mut Engine, query: &str) -> Value {
    try_call(engine, "vault.tier", json!({"query": query, "now": NOW}), None).unwrap()
}

fn ids(response: &Value) -> Vec<&str> {
    response["results"].as_array().unwrap().iter().map(|result| result["id"].as_str().unwrap()).collect()
}

fn result<'a>(response: &'a Value, id: &str) -> &'a Value {
    let found = response["results"].as_array().unwrap().iter().find(|result| result["id"] == id);
    found.unwrap_or_else(|| panic!("{id} is not among {:?}", ids(response)))
}

fn signal(response: &Value, id: &str, name: &str) -> f64 {
    result(response, id)["breakdown"][name].as_f64().unwrap()
}

fn assert_near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}
