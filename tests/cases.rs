//! Do the engine and SQLite both give the answers in tests/cases? The wasm suites read the same cases.

#![cfg(not(target_arch = "wasm32"))]

mod support;

use snapseek::json::Json;
use snapseek::recipe::hybrid::Hit;
use snapseek::{Builder, Engine, MatchOptions, Record, Schema};
use std::path::Path;
use support::{Oracle, Question};

fn array<'a>(json: &'a Json, key: &str) -> &'a [Json] {
    match json.get(key) {
        Some(Json::Array(values)) => values,
        other => panic!("{key} is {other:?}, not an array"),
    }
}

struct Case {
    name: String,
    json: Json,
    schema: Schema,
    records: Vec<Record>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>();
    paths.sort();
    let case = |path: &std::path::PathBuf| {
        let json = Json::parse(&std::fs::read(path).unwrap()).unwrap();
        let schema = serde_json::from_str(&json.get("schema").unwrap().to_text()).unwrap();
        let records =
            array(&json, "records").iter().map(|json| Record::from_json(json.clone()).unwrap()).collect();
        Case { name: path.file_name().unwrap().to_str().unwrap().to_owned(), json, schema, records }
    };
    paths.iter().map(case).collect()
}

/// Returns the options of a query in the form that every interface takes.
fn options(query: &Json) -> MatchOptions {
    let Json::Object(entries) = query else { panic!("a query is an object") };
    let own = entries
        .iter()
        .filter(|(key, _)| ["weights", "limit", "snippet", "highlight", "filter"].contains(&key.as_str()));
    MatchOptions::read(&Json::Object(own.cloned().collect())).unwrap()
}

fn build(case: &Case) -> Engine {
    let mut builder = Builder::new(&case.schema).unwrap();
    case.records.iter().for_each(|record| builder.add(record).unwrap());
    Engine::open(builder.finish().unwrap()).unwrap()
}

#[test]
fn the_engine_gives_what_is_written() {
    let mut queries = 0;
    for case in cases() {
        let engine = build(&case);
        for query in array(&case.json, "queries") {
            queries += 1;
            let expression = query.get("match").unwrap().as_str().unwrap();
            let what = format!("{}: {expression}", case.name);
            match (engine.matches(expression, &options(query)), query.get("error")) {
                (Err(error), Some(message)) => {
                    assert_eq!(error.to_string(), message.as_str().unwrap(), "{what}")
                }
                (Ok(rows), None) => {
                    let expected = array(query, "rows");
                    assert_eq!(rows.len(), expected.len(), "{what}");
                    for (row, expected) in rows.iter().zip(expected) {
                        let text = |key: &str| expected.get(key).map(|text| text.as_str().map(str::to_owned));
                        assert_eq!(Some(row.id.as_str()), expected.get("id").unwrap().as_str(), "{what}");
                        assert_near(row.rank, expected.get("rank").unwrap().as_f64().unwrap(), &what);
                        assert_eq!(row.snippet, text("snippet"), "{what}");
                        assert_eq!(row.highlight, text("highlight"), "{what}");
                    }
                }
                (found, _) => panic!("{what}: {found:?}"),
            }
        }
    }
    assert!(queries >= 40, "only {queries} queries");
}

/// Checks the ranks against golden bits. The wasm suites use the same file, so native and wasm results are equal.
#[test]
fn ranks_have_the_golden_bits() {
    let mut bits = Vec::new();
    for case in cases() {
        let engine = build(&case);
        let mut of_case = Vec::new();
        for query in array(&case.json, "queries") {
            let rows = engine
                .matches(query.get("match").unwrap().as_str().unwrap(), &options(query))
                .unwrap_or_default();
            let ranks = rows.iter().map(|row| Json::String(format!("{:016x}", row.rank.to_bits()))).collect();
            of_case.push(Json::Array(ranks));
        }
        bits.push((case.name.trim_end_matches(".json").to_owned(), Json::Array(of_case)));
    }
    assert_golden("ranks.json", &Json::Object(bits).to_text());
}

/// Checks the scores of these questions in the same way.
#[test]
fn vector_and_hybrid_scores_have_the_golden_bits() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let engine = Engine::open(std::fs::read(golden.join("v2.snap")).unwrap()).unwrap();
    let mut bits = Vec::new();
    for question in include_str!("golden/questions.jsonl").lines() {
        let json = Json::parse(question.as_bytes()).unwrap();
        let options = serde_json::from_str(&json.get("options").unwrap().to_text()).unwrap();
        let found = engine.search(json.get("query").unwrap().as_str().unwrap(), &options).unwrap();
        assert!(!found.hits.is_empty(), "{question}");
        let hit = |hit: &Hit| Json::String(format!("{} {:016x}", hit.id, hit.score.to_bits()));
        bits.push(Json::Array(found.hits.iter().map(hit).collect()));
    }
    assert_golden("vectors.json", &Json::Array(bits).to_text());
}

fn assert_golden(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    if std::env::var_os("SNAPSEEK_WRITE_GOLDEN").is_some() {
        std::fs::write(&path, text.replace("]],", "]],\n").replace("],[", "],\n[") + "\n").unwrap();
    }
    assert_eq!(Json::parse(&std::fs::read(path).unwrap()).unwrap().to_text(), text);
}

#[test]
fn sqlite_gives_what_is_written() {
    for case in cases() {
        let columns = case.schema.field_names().into_iter().map(str::to_owned).collect::<Vec<_>>();
        let oracle = Oracle::new(&columns, case.schema.tokenizer());
        for (rowid, record) in (1..).zip(&case.records) {
            oracle.insert(rowid, &columns.iter().map(|column| record.text(column)).collect());
        }
        for query in array(&case.json, "queries") {
            let options = options(query);
            if options.filter.is_some() {
                continue;
            }
            let expression = query.get("match").unwrap().as_str().unwrap();
            let what = format!("{}: {expression}", case.name);
            let any = support::question();
            let question = Question {
                weights: options.weights.unwrap_or_else(|| case.schema.weights()),
                snippet: options.snippet.clone().unwrap_or(any.snippet),
                highlight: options.highlight.clone().unwrap_or(any.highlight),
            };
            match (oracle.ask(expression, &question), query.get("error")) {
                (Err(message), Some(expected)) => assert_eq!(message, expected.as_str().unwrap(), "{what}"),
                (Ok(mut rows), None) => {
                    rows.truncate(options.limit.unwrap_or(usize::MAX));
                    let expected = array(query, "rows");
                    assert_eq!(rows.len(), expected.len(), "{what}");
                    for (row, expected) in rows.iter().zip(expected) {
                        let id = case.records[row.id.parse::<usize>().unwrap() - 1].id();
                        assert_eq!(Some(id), expected.get("id").unwrap().as_str(), "{what}");
                        assert_near(row.rank, expected.get("rank").unwrap().as_f64().unwrap(), &what);
                        if let Some(snippet) = expected.get("snippet") {
                            assert_eq!(row.snippet.as_deref(), snippet.as_str(), "{what}");
                        }
                        if let Some(highlight) = expected.get("highlight") {
                            assert_eq!(row.highlight.as_deref(), highlight.as_str(), "{what}");
                        }
                    }
                }
                (found, _) => panic!("{what}: {found:?}"),
            }
        }
    }
}

/// SQLite's logarithm may differ from ours in the last bit.
fn assert_near(found: f64, expected: f64, what: &str) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{what}: {found}, not {expected}");
}
