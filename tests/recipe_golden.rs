//! Do the recipes give the golden answers natively? The wasm suite checks the same text.

#![cfg(not(target_arch = "wasm32"))]

#[path = "support/recipe_calls.rs"]
mod recipe_calls;

use recipe_calls::{CALLS, schema};
use snapseek::json::Json;
use snapseek::state::STATE_LINES;
use snapseek::{Builder, Engine, Record};
use std::path::Path;

fn engine(preset: &str, sample: &str) -> Engine {
    let mut builder = Builder::new(&schema(preset)).unwrap();
    for line in sample.lines().filter(|line| !line.trim().is_empty()) {
        let json = Json::parse(line.as_bytes()).unwrap();
        match json.get("$").and_then(Json::as_str).map(str::to_owned) {
            Some(what) if STATE_LINES.contains(&what.as_str()) => builder.take_line(&what, &json).unwrap(),
            _ => builder.add(&Record::from_json(json).unwrap()).unwrap(),
        }
    }
    Engine::open(builder.finish().unwrap()).unwrap()
}

#[test]
fn the_answers_of_every_recipe_are_the_golden_ones() {
    let mut answers = Vec::new();
    for (preset, sample, calls) in CALLS {
        let mut engine = engine(preset, sample);
        for (name, options) in calls {
            let answer = engine.call(name, &Json::parse(options.as_bytes()).unwrap(), None);
            answers.push(answer.unwrap_or_else(|error| panic!("{name} {options}: {error}")));
        }
    }
    let found = answers.join("\n") + "\n";
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/recipes.jsonl");
    if std::env::var_os("SNAPSEEK_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, &found).unwrap();
    }
    let golden = std::fs::read_to_string(&path).unwrap();
    for (number, (found, golden)) in found.lines().zip(golden.lines()).enumerate() {
        assert!(found == golden, "answer {number} differs:\n{found}\n{golden}");
    }
    assert_eq!(found.lines().count(), golden.lines().count());
}
