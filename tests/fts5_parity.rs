//! Does keyword search give SQLite's rows, order, scores, snippets and highlights?

#![cfg(not(target_arch = "wasm32"))]

mod support;

use snapseek::json::Json;
use snapseek::{Builder, Column, Engine, HighlightOptions, MatchSnippet};
use support::expressions::{Generator, is_leftover_prone};
use support::{Answer, Compare, Oracle, Question, Values, agree, ask_engine, record, schema};

fn build(columns: &[String], tokenize: &str, rows: &[(i64, Values)]) -> Engine {
    let mut builder = Builder::new(&schema(columns, tokenize)).unwrap();
    rows.iter().for_each(|(rowid, values)| builder.add(&record(columns, *rowid, values)).unwrap());
    Engine::open(builder.finish().unwrap()).unwrap()
}

/// The number of (corpus, expression) pairs per run.
const TABLES: usize = 300;
const EXPRESSIONS_A_TABLE: usize = 100;

#[test]
fn twenty_thousand_generated_expressions_agree_with_sqlite() {
    let base = std::env::var("SNAPSEEK_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    println!("seeds {base} to {}", base + TABLES as u64 - 1);
    let (mut compared, mut whole, mut with_rows) = (0, 0, 0);
    for seed in base..base + TABLES as u64 {
        let mut generator = Generator::new(seed);
        let table = generator.table();
        let oracle = Oracle::new(&table.columns, table.tokenize);
        oracle.in_transaction(|| table.rows.iter().for_each(|(rowid, values)| oracle.insert(*rowid, values)));
        let engine = build(&table.columns, table.tokenize, &table.rows);
        for _ in 0..EXPRESSIONS_A_TABLE {
            let expression = generator.expression(&table.columns);
            let question = generator.question(table.columns.len());
            let theirs = oracle.ask(&expression, &question);
            if theirs.as_ref().is_err_and(|message| message.contains("malformed")) {
                continue;
            }
            let ours = ask_engine(&engine, &expression, &question);
            let compare =
                if is_leftover_prone(&expression, &table.columns) { Compare::Rows } else { Compare::All };
            if let Err(difference) = agree(&ours, &theirs, compare) {
                panic!("seed {seed}, {expression:?}, {question:?}\n{difference}");
            }
            compared += 1;
            whole += usize::from(compare == Compare::All);
            with_rows += usize::from(theirs.is_ok_and(|rows| !rows.is_empty()));
        }
    }
    println!("{compared} pairs compared, {whole} of them in every column, {with_rows} with rows");
    assert!(whole >= 20_000 && with_rows * 10 >= compared * 4);
}

#[test]
fn every_recorded_case_agrees() {
    let folder =
        std::path::PathBuf::from(std::env::var_os("SNAPSEEK_SHARED").unwrap_or_default()).join("fts5");
    let mut queries = 0;
    for name in ["cases-1.json", "cases-2.json"] {
        let Ok(text) = std::fs::read(folder.join(name)) else {
            eprintln!(
                "SKIPPED: {name} is not in SNAPSEEK_SHARED; the generated expressions were compared all the same"
            );
            continue;
        };
        let json = Json::parse(&text).unwrap();
        for case in array(&json, "cases") {
            queries += check_recorded(case);
        }
    }
    println!("{queries} recorded expressions compared");
}

fn check_recorded(case: &Json) -> usize {
    let columns =
        array(case, "columns").iter().map(|name| name.as_str().unwrap().to_owned()).collect::<Vec<_>>();
    let tokenize = case.get("tokenize").unwrap().as_str().unwrap();
    let deleted = array(case, "deleted");
    let mut rows = Vec::new();
    for row in array(case, "rows") {
        let Json::Array(pair) = row else { panic!("a row is a pair") };
        let Json::Array(values) = &pair[1] else { panic!("values are an array") };
        let Json::Integer(rowid) = pair[0] else { panic!("a rowid is an integer") };
        if !deleted.contains(&pair[0]) {
            rows.push((rowid, values.iter().map(|value| value.as_str().map(str::to_owned)).collect()));
        }
    }
    let engine = build(&columns, tokenize, &rows);
    let queries = array(case, "queries");
    for query in queries {
        let expression = query.get("match").unwrap().as_str().unwrap();
        let (question, theirs, compare) = recorded_answer(query);
        let ours = ask_engine(&engine, expression, &question);
        if let Err(difference) = agree(&ours, &theirs, compare) {
            panic!("{expression:?} with {tokenize:?} on {columns:?}\n{difference}");
        }
    }
    queries.len()
}

fn recorded_answer(query: &Json) -> (Question, Result<Vec<Answer>, String>, Compare) {
    let mut question = support::question();
    if let Some(message) = query.get("error") {
        return (question, Err(message.as_str().unwrap().to_owned()), Compare::All);
    }
    if let Some(Json::Array(weights)) = query.get("weights") {
        question.weights = weights.iter().map(|weight| weight.as_f64().unwrap()).collect();
    }
    let is_rows = query.get("compare").and_then(Json::as_str) == Some("rows");
    let text = |options: &Json, key: &str| options.get(key).unwrap().as_str().unwrap().to_owned();
    let number = |options: &Json, key: &str| match options.get(key) {
        Some(Json::Integer(number)) => *number,
        other => panic!("{key} is {other:?}"),
    };
    let column_of = |options: &Json, values: &mut Vec<Option<String>>| {
        *values = array(options, "values").iter().map(|value| value.as_str().map(str::to_owned)).collect();
        Column::Number(number(options, "column"))
    };
    let (mut snippets, mut highlights) = (Vec::new(), Vec::new());
    if let Some(options) = query.get("snippet").filter(|options| options.get("values").is_some()) {
        question.snippet = MatchSnippet {
            column: column_of(options, &mut snippets),
            open: text(options, "open"),
            close: text(options, "close"),
            ellipsis: text(options, "ellipsis"),
            tokens: number(options, "tokens"),
        };
    }
    if let Some(options) = query.get("highlight").filter(|options| options.get("values").is_some()) {
        question.highlight = HighlightOptions {
            column: column_of(options, &mut highlights),
            open: text(options, "open"),
            close: text(options, "close"),
        };
    }
    let ranks = query.get("ranks").map(|_| array(query, "ranks"));
    let answer = |(i, id): (usize, &Json)| Answer {
        id: id.to_text(),
        rank: ranks.map_or(0.0, |ranks| ranks[i].as_f64().unwrap()),
        snippet: snippets.get(i).cloned().flatten(),
        highlight: highlights.get(i).cloned().flatten(),
    };
    let answers = array(query, "ids").iter().enumerate().map(answer).collect();
    (question, Ok(answers), if is_rows { Compare::Rows } else { Compare::All })
}

/// Checks the examples of docs/fts5.md: rows equal SQLite's, and positions cover only the parts that matched.
#[test]
fn only_and_all_positions_of_what_matched_are_reported_where_sqlite_reports_others() {
    // Each case has rows separated by bars, an expression, our highlights, and SQLite's.
    let cases = [
        ["a c", "a OR (b NOT c)", "[a] c", "[a] [c]"],
        ["b d c a", "a OR NEAR(b \"c d\")", "b d c [a]", "[b] d c [a]"],
        ["c a b|a d", "(a AND (^b OR d)) OR a", "c [a] b|[a] [d]", "c [a] b|[a] d"],
    ];
    for [texts, expression, ours, theirs] in cases {
        let columns = vec!["text".to_owned()];
        let rows = (1..)
            .zip(texts.split('|'))
            .map(|(rowid, text)| (rowid, vec![Some(text.to_owned())]))
            .collect::<Vec<_>>();
        let oracle = Oracle::new(&columns, "unicode61");
        rows.iter().for_each(|(rowid, values)| oracle.insert(*rowid, values));
        let highlights = |answer: Result<Vec<Answer>, String>| {
            let mut rows = answer.unwrap();
            rows.sort_by(|a, b| a.id.cmp(&b.id));
            rows.into_iter().map(|row| row.highlight.unwrap()).collect::<Vec<_>>().join("|")
        };
        let engine = build(&columns, "unicode61", &rows);
        let question = support::question();
        assert_eq!(highlights(ask_engine(&engine, expression, &question)), ours, "{expression}");
        assert_eq!(highlights(oracle.ask(expression, &question)), theirs, "SQLite, {expression}");
    }
}

fn array<'a>(json: &'a Json, key: &str) -> &'a [Json] {
    match json.get(key) {
        Some(Json::Array(values)) => values,
        other => panic!("{key} is {other:?}, not an array"),
    }
}
