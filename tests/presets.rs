//! Does each preset's sample fit its schema, is it consistent, and does it answer its questions?

#![cfg(not(target_arch = "wasm32"))]

mod support;

use serde_json::Value;
use snapseek::json::Json;
use snapseek::primitives::{build_fts5_query, estimate_tokens};
use snapseek::schema::RecipeName;
use snapseek::{Builder, Engine, MatchOptions, Record, Schema, SearchOptions};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use support::{Oracle, question};

fn lines(name: &str) -> Vec<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(format!("{name}.jsonl"));
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Splits the lines of a sample into records and other lines, the latter by their type.
fn sample(name: &str) -> (Vec<Value>, BTreeMap<String, Vec<Value>>) {
    let (other, records): (Vec<_>, Vec<_>) =
        lines(name).into_iter().partition(|line| line.get("$").is_some());
    let mut by_what: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in other {
        by_what.entry(text(&line, "$").to_owned()).or_default().push(line);
    }
    (records, by_what)
}

fn text<'a>(line: &'a Value, field: &str) -> &'a str {
    line[field].as_str().unwrap_or_else(|| panic!("{field} is no text: {line}"))
}

fn json(line: &Value) -> Json {
    Json::parse(line.to_string().as_bytes()).unwrap()
}

fn record(line: &Value) -> Record {
    Record::from_json(json(line)).unwrap()
}

fn engine(name: &str) -> Engine {
    let mut builder = Builder::new(&Schema::preset(name).unwrap()).unwrap();
    for line in lines(name) {
        match line["$"].as_str() {
            Some(what) => builder.take_line(what, &json(&line)).unwrap(),
            None => builder.add(&record(&line)).unwrap(),
        }
    }
    Engine::open(builder.finish().unwrap()).unwrap()
}

#[test]
fn every_sample_builds_with_its_preset_and_keeps_the_recipe() {
    for recipe in RecipeName::ALL {
        let engine = engine(recipe.name());
        engine.verify().unwrap();
        assert_eq!(engine.schema().recipe(), recipe);
        let beside = lines(recipe.name()).iter().filter(|line| line.get("$").is_some()).count();
        assert_eq!(engine.state().unwrap().lines().len(), beside, "every line beside the records is kept");
        assert!((40..=80).contains(&engine.len()), "{}: {} records", recipe.name(), engine.len());
    }
}

#[test]
fn every_question_finds_what_it_should_among_the_first_three() {
    let engines = RecipeName::ALL.map(|recipe| (recipe.name(), engine(recipe.name())));
    let mut asked = BTreeSet::new();
    for line in lines("questions") {
        let preset = text(&line, "preset");
        let (_, engine) = engines.iter().find(|(name, _)| *name == preset).unwrap();
        let options = line.get("options").cloned().unwrap_or_else(|| serde_json::json!({}));
        let options: SearchOptions = serde_json::from_value(options).unwrap();
        let response = engine.search(text(&line, "query"), &options).unwrap();
        let first = response.hits.iter().take(3).map(|hit| hit.id.as_str()).collect::<Vec<_>>();
        for expected in line["expect"].as_array().unwrap() {
            assert!(first.contains(&expected.as_str().unwrap()), "{line}: {first:?}");
        }
        asked.insert(preset.to_owned());
    }
    assert_eq!(asked.len(), RecipeName::ALL.len());
}

/// The fields that samples store but neither search nor filter.
const ONLY_STORED: [&str; 3] = ["why", "example", "counterExample"];

#[test]
fn every_field_of_a_sample_is_known_and_every_field_of_a_preset_is_used() {
    for recipe in RecipeName::ALL {
        let schema = Schema::preset(recipe.name()).unwrap();
        let known = schema.field_names().into_iter().chain(schema.attributes().map(|(name, _)| name));
        let known = known.collect::<BTreeSet<_>>();
        let (records, _) = sample(recipe.name());
        let used = records.iter().flat_map(|record| record.as_object().unwrap().keys().map(String::as_str));
        let used = used.collect::<BTreeSet<_>>();
        for name in &used {
            let is_own = matches!(*name, "id" | "kind") || ONLY_STORED.contains(name);
            assert!(is_own || known.contains(name), "{}: {name}", recipe.name());
        }
        // The builder's --chunk creates chunks of documents.
        let of_chunks = |name: &&&str| {
            recipe == RecipeName::Memory && ["parentId", "chunkIndex", "charOffset"].contains(name)
        };
        for name in known.iter().filter(|name| !of_chunks(name)) {
            assert!(used.contains(name), "{}: no record has {name}", recipe.name());
        }
    }
}

#[test]
fn links_sessions_uses_and_feedback_name_what_is_there() {
    for recipe in RecipeName::ALL {
        let (records, other) = sample(recipe.name());
        let ids = records.iter().map(|record| text(record, "id")).collect::<BTreeSet<_>>();
        assert_eq!(ids.len(), records.len(), "{}: an id stands twice", recipe.name());
        let sources =
            records.iter().filter_map(|record| record["sourceId"].as_str()).collect::<BTreeSet<_>>();
        let sessions = other.get("session").into_iter().flatten().map(|line| text(line, "id"));
        let sessions = sessions.collect::<BTreeSet<_>>();
        let is_there = |id: &str| ids.contains(id) || sources.contains(id);
        for line in other.values().flatten() {
            let (named, session): (Vec<&str>, _) = match text(line, "$") {
                "link" => (vec![text(line, "from"), text(line, "to")], None),
                "usage" => (vec![text(line, "record")], Some(text(line, "session"))),
                "feedback" => (vec![text(line, "entryId")], None),
                "session" => (vec![], None),
                unknown => panic!("{unknown}"),
            };
            assert!(named.iter().all(|id| is_there(id)), "{line}");
            assert!(session.is_none_or(|session| sessions.contains(session)), "{line}");
        }
        for record in &records {
            assert!(
                record["sessionId"].as_str().is_none_or(|session| sessions.contains(session)),
                "{record}"
            );
            for field in ["contextId", "actionId", "parentId"] {
                assert!(record[field].as_str().is_none_or(|id| sources.contains(id)), "{record}");
            }
        }
    }
}

#[test]
fn chunks_of_a_source_follow_each_other() {
    let (records, _) = sample("rag");
    let mut ends: BTreeMap<&str, (u64, u64)> = BTreeMap::new();
    for chunk in &records {
        let (index, offset) = ends.entry(text(chunk, "sourceId")).or_default();
        assert_eq!(
            (&chunk["chunkIndex"], &chunk["charOffset"]),
            (&(*index).into(), &(*offset).into()),
            "{chunk}"
        );
        assert_eq!(chunk["tokenCount"], estimate_tokens(text(chunk, "text")), "{chunk}");
        *index += 1;
        *offset += text(chunk, "text").chars().count() as u64;
    }
    let types = records.iter().map(|chunk| text(chunk, "sourceType")).collect::<BTreeSet<_>>();
    assert_eq!(types.into_iter().collect::<Vec<_>>(), ["action", "context", "thought"]);
}

#[test]
fn v2_ranks_with_the_id_as_a_column_are_those_of_sqlite() {
    let (engine, schema) = (engine("vault"), Schema::preset("vault").unwrap());
    let columns = schema.field_names().into_iter().map(str::to_owned).collect::<Vec<_>>();
    let oracle = Oracle::new(&columns, schema.tokenizer());
    let records = sample("vault").0.iter().map(record).collect::<Vec<_>>();
    for (row, record) in records.iter().enumerate() {
        let values = columns.iter().map(|column| record.text(column)).collect();
        oracle.insert(row as i64 + 1, &values);
    }
    let mut asked = question();
    asked.weights = schema.weights();
    let expressions = ["id : auth", "jwt", "backup OR tags : database", "id : \"cache key\"", "deploy*"];
    for expression in
        expressions.into_iter().map(str::to_owned).chain([build_fts5_query("show old data ramp")])
    {
        let expected = oracle.ask(&expression, &asked).unwrap();
        let rows = engine.matches(&expression, &MatchOptions::default()).unwrap();
        assert!(!rows.is_empty(), "{expression}");
        assert_eq!(rows.len(), expected.len(), "{expression}");
        for (row, expected) in rows.iter().zip(&expected) {
            assert_eq!(row.id, records[expected.id.parse::<usize>().unwrap() - 1].id(), "{expression}");
            // SQLite's logarithm may differ in its last bits.
            assert!((row.rank - expected.rank).abs() <= 1e-12 * expected.rank.abs(), "{expression}");
        }
    }
}

#[test]
fn an_id_that_is_a_number_is_searched_as_it_is_written() {
    let schema = Schema::of_fields([("id", 5.0), ("title", 1.0)]).unwrap();
    let mut builder = Builder::new(&schema).unwrap();
    builder.add(&record(&serde_json::json!({"id": 4711, "title": "a number"}))).unwrap();
    builder.add(&record(&serde_json::json!({"id": "b-4712", "title": "a text"}))).unwrap();
    let engine = Engine::open(builder.finish().unwrap()).unwrap();
    let ids = |expression| {
        let rows = engine.matches(expression, &MatchOptions::default()).unwrap();
        rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(ids("id : 4711"), ["4711"]);
    assert_eq!(ids("b"), ["b-4712"]);
}
