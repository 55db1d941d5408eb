//! `match`: rows, ranks, malformed expressions, and batches of requests.

use crate::ids;
use crate::support::Folder;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

#[test]
fn match_prints_rows_with_ranks_snippets_and_highlights() {
    let folder = Folder::with_snapshot(&[]);
    let args = ["match", "a.snap", "fox", "--snippet", "-1,<,>,...,3", "--highlight", "body,[,]", "--json"];
    let ran = folder.run(&args).expect_code(0);
    assert_eq!(ran.stderr, "");
    let rows = &ran.json()["rows"];
    assert_eq!(ids(rows), ["1", "2"]);
    assert!(rows[0]["rank"].as_f64().unwrap() < rows[1]["rank"].as_f64().unwrap());
    assert_eq!((&rows[0]["kind"], &rows[0]["snippet"]), (&json!("document"), &json!("Quick <fox>")));
    assert_eq!(rows[1]["highlight"], "It sleeps; the [fox] is installing things.");

    let human = folder.run(&["match", "a.snap", "title : fox", "--limit", "1"]).expect_code(0);
    let cells = human.stdout.trim_end().split('\t').collect::<Vec<_>>();
    assert_eq!(cells[1..], ["1", "document"]);
    let bare = folder.run(&["match", "a.snap", "title : fox", "--limit", "1", "--json"]).json();
    let bits = |number: Option<f64>| number.map(f64::to_bits);
    assert_eq!(bits(cells[0].parse().ok()), bits(bare["rows"][0]["rank"].as_f64()));
    assert!(bare["rows"][0].get("snippet").is_none());
}

#[test]
fn weights_and_filters_change_what_matches_and_how_well() {
    let folder = Folder::with_snapshot(&[]);
    let rank = |weights: &str| {
        let rows =
            folder.run(&["match", "a.snap", "fox", "--weights", weights, "--json"]).expect_code(0).json();
        rows["rows"][0]["rank"].as_f64().unwrap()
    };
    assert!(rank("10,1") < rank("1,1"));
    assert!(rank("-1,1").is_finite());
    let filtered = folder.run(&["match", "a.snap", "fox", "--filter", "{\"size\": 10}", "--json"]).json();
    assert_eq!(ids(&filtered["rows"]), ["2"]);
}

#[test]
fn a_wrong_expression_is_pointed_at() {
    let folder = Folder::with_snapshot(&[]);
    let ran = folder.run(&["match", "a.snap", "fox AND AND dog"]).expect_code(1);
    let expected =
        "snapseek: fts5: syntax error near \"AND\"\n  fox AND AND dog\n          ^^^\n  Put double quotes";
    assert!(ran.stderr.starts_with(expected), "{}", ran.stderr);
}

#[test]
fn a_batch_answers_each_question_as_it_comes() {
    let folder = Folder::with_snapshot(&[]);
    let mut child =
        folder.command(&["match", "a.snap", "--batch", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    let mut questions = child.stdin.take().unwrap();
    let mut answers = BufReader::new(child.stdout.take().unwrap());
    let mut ask = |question: &str| {
        questions.write_all(format!("{question}\n").as_bytes()).unwrap();
        let mut answer = String::new();
        answers.read_line(&mut answer).unwrap();
        serde_json::from_str::<Value>(&answer).unwrap()
    };
    let all = ask(r#"{"match": "fox"}"#);
    assert_eq!(ids(&all["rows"]), ["1", "2"]);
    assert_eq!(ask(r#"{"match": "fox AND"}"#), json!({"error": "fts5: syntax error near \"\""}));
    let snippet = r#""snippet": {"column": -1, "open": "<", "close": ">", "ellipsis": ",", "tokens": 4}"#;
    let highlight = r#""highlight": {"column": "title", "open": "(", "close": ")"}"#;
    let question = format!(
        r#"{{"match": "fox", "limit": 1, "weights": [0, 1], "filter": {{"size": {{"gt": 5}}}}, {snippet}, {highlight}}}"#
    );
    let answer = ask(&question);
    assert_eq!(ids(&answer["rows"]), ["2"]);
    assert!(answer["rows"][0]["snippet"].as_str().unwrap().contains("<fox>"));
    assert_eq!(answer["rows"][0]["highlight"], "Slow dog");
    for wrong in ["nonsense", "{}", r#"{"match": "fox", "limt": 1}"#] {
        let error = ask(wrong);
        assert!(error["error"].as_str().unwrap().starts_with("this is not a request: "), "{error}");
    }
    drop(questions);
    assert!(child.wait().unwrap().success());

    folder.write("q.jsonl", "{\"match\": \"fox\"}\n\n{\"match\": \"dog\"}");
    let ran = folder.run(&["match", "a.snap", "--batch", "q.jsonl"]).expect_code(0);
    assert_eq!(ran.stdout.lines().count(), 2);
    folder
        .run(&["match", "a.snap", "--batch", "none.jsonl"])
        .expect_code(1)
        .expect_stderr("none.jsonl cannot be read");
}
