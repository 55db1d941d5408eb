//! Does the memory recipe follow its specification, requirement by requirement, and its source document's tests?

#![cfg(not(target_arch = "wasm32"))]

mod acceptance;
mod api;
mod cases;
mod deleted;
mod documents;
mod filters;
mod legs;
mod recall;
mod results;
mod score;
mod sessions;
mod stages;
mod updates;
mod writes;

use serde_json::{Value, json};
use snapseek::json::Json;
use snapseek::{Embedded, Engine, Record, Schema, SearchError};

/// A Monday in November.
const NOW: f64 = 1_794_830_400_000.0;
const DAY: f64 = 86_400_000.0;

/// Returns the attributes of the memory preset.
fn attributes() -> Value {
    json!({
        "projectId": "keyword", "sector": "keyword", "tier": "keyword", "salience": "number", "importance": "number",
        "tags": "keywords", "concepts": "keywords", "files": "keywords", "createdAt": "time", "updatedAt": "time",
        "lastAccessed": "time", "validFrom": "time", "validUntil": "time", "isDeleted": "bool",
        "parentId": "keyword", "chunkIndex": "number", "charOffset": "number",
    })
}

/// An engine whose memory calls are called by name.
struct Memories {
    engine: Engine,
    now: f64,
}

impl Memories {
    /// Creates an engine without records for a schema with these vector models.
    fn with_vectors(vectors: Value) -> Memories {
        Memories::of(json!({
            "fields": { "content": {}, "summary": {} },
            "attributes": attributes(),
            "vectors": vectors,
        }))
    }

    fn of(schema: Value) -> Memories {
        let schema: Schema = serde_json::from_value(schema).unwrap();
        Memories { engine: Engine::empty(&schema).unwrap().with_writer(7), now: NOW }
    }

    /// Creates an engine with the hash embedder.
    fn new() -> Memories {
        Memories::with_vectors(json!({ "own": { "embedder": "hash" } }))
    }

    /// Creates an engine without vectors.
    fn of_words() -> Memories {
        Memories::with_vectors(json!({}))
    }

    /// Creates an engine whose records bring vectors of two numbers.
    fn of_pairs() -> Memories {
        Memories::with_vectors(json!({ "pair": { "field": "vector", "encoding": "f32", "width": 2 } }))
    }

    fn try_call(
        &mut self,
        name: &str,
        mut options: Value,
        embedded: impl Into<Embedded>,
    ) -> Result<Value, SearchError> {
        let takes_now = !["configure", "sessionContext"].contains(&name);
        if takes_now && options.get("now").is_none() {
            options["now"] = json!(self.now);
        }
        let options = Json::parse(options.to_string().as_bytes()).unwrap();
        let text = self.engine.call(&format!("memory.{name}"), &options, embedded)?;
        Ok(serde_json::from_str(&text).unwrap())
    }

    /// Calls with an `embed` function that failed.
    fn call_after_failure(&mut self, name: &str, options: Value, reason: &str) -> Value {
        let failures = vec![Some(reason.to_owned())];
        let embedded = Embedded { is_by_embed: true, failures, ..Embedded::default() };
        self.try_call(name, options, embedded).unwrap()
    }

    /// Turns decay on.
    fn with_decay(mut self) -> Memories {
        self.call("configure", json!({ "decay": true }));
        self
    }

    fn call(&mut self, name: &str, options: Value) -> Value {
        self.try_call(name, options, None).unwrap()
    }

    /// Returns the message of a call that must fail.
    fn complaint(&mut self, name: &str, options: Value) -> String {
        self.try_call(name, options, None).unwrap_err().to_string()
    }

    fn search(&mut self, options: Value) -> Vec<Value> {
        self.call("search", options)["results"].as_array().unwrap().clone()
    }

    /// Returns the ids of the results, best first.
    fn found(&mut self, options: Value) -> Vec<String> {
        self.search(options).iter().map(|result| text(&result["memory"]["id"])).collect()
    }

    /// Creates a memory and returns its id.
    fn create(&mut self, options: Value) -> String {
        text(&self.call("create", options)["id"])
    }

    /// Adds a record without changing it.
    fn add(&mut self, record: Value) {
        let record = Record::from_json(Json::parse(record.to_string().as_bytes()).unwrap()).unwrap();
        self.engine.add([&record]).unwrap();
    }

    /// Returns the current record of a memory.
    fn memory(&self, id: &str) -> Value {
        let record = self.engine.record(snapseek::Key { id, kind: "memory" }).unwrap().unwrap();
        serde_json::from_str(&record.json().to_text()).unwrap()
    }

    /// Returns the result for one memory in a search without tracking.
    fn result(&mut self, id: &str, mut options: Value) -> Value {
        options["track"] = json!(false);
        let results = self.search(options);
        results.into_iter().find(|result| result["memory"]["id"] == id).unwrap_or_else(|| panic!("no {id}"))
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap().to_owned()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

/// Creates the three memories that the source document's tests search, in the session `sess1` of `proj1`.
fn of_the_document() -> Memories {
    let mut memories = Memories::new();
    memories.call("session", json!({ "id": "sess1", "projectId": "proj1" }));
    for (content, sector) in [
        ("Decided to use React with TypeScript for the frontend", "reflective"),
        ("To deploy, run npm build then upload to S3", "procedural"),
        ("The API routes are defined in src/routes/api.ts", "semantic"),
    ] {
        memories.create(json!({
            "content": content, "sector": sector, "projectId": "proj1", "sessionId": "sess1",
        }));
    }
    memories
}
