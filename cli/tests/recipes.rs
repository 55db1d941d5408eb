//! Presets, samples and recipes, as users of the command line see them.

mod support;

use serde_json::{Value, json};
use std::path::Path;
use support::Folder;

/// A time after all times in the samples.
const NOW: u64 = 1_773_738_000_000;

fn sample(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../samples").join(name);
    path.to_str().unwrap().to_owned()
}

fn built(preset: &str) -> Folder {
    let folder = Folder::new();
    let input = sample(&format!("{preset}.jsonl"));
    folder.build(&[&input, "--preset", preset, "--embed", "hash"]).expect_code(0);
    folder
}

fn ids(answer: &Value) -> Vec<String> {
    let list = answer.get("results").or(answer.get("hits")).unwrap().as_array().unwrap();
    let id = |hit: &Value| {
        let inner = ["memory", "entry"].iter().find_map(|name| hit.get(name));
        hit.get("id").or(inner.and_then(|inner| inner.get("id"))).unwrap().as_str().unwrap().to_owned()
    };
    list.iter().map(id).collect()
}

#[test]
fn every_sample_question_is_answered_by_its_own_recipe_among_the_first_three() {
    let questions = std::fs::read_to_string(sample("questions.jsonl")).unwrap();
    let questions =
        questions.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>();
    let mut asked = 0;
    for preset in ["hybrid", "memory", "rag", "unified", "vault"] {
        let folder = built(preset);
        for question in questions.iter().filter(|question| question["preset"] == preset) {
            let mut options = question.get("options").cloned().unwrap_or(json!({}));
            options["now"] = json!(NOW);
            let query = question["query"].as_str().unwrap();
            let args = ["search", "a.snap", query, "--json", "--options", &options.to_string()];
            let found = ids(&folder.run(&args).expect_code(0).json());
            let first = &found[..found.len().min(3)];
            for expected in question["expect"].as_array().unwrap() {
                let expected = expected.as_str().unwrap().to_owned();
                assert!(first.contains(&expected), "{preset}: {query:?} finds {found:?}, not {expected}");
            }
            asked += 1;
        }
    }
    assert!(asked >= 20);
}

#[test]
fn a_recipe_is_named_or_the_snapshots_own_and_its_options_are_checked() {
    let folder = built("memory");
    let own = folder.run(&["search", "a.snap", "deploy", "--json"]).expect_code(0).json();
    assert!(own["results"][0]["memory"]["salience"].is_number());
    let plain =
        folder.run(&["search", "a.snap", "deploy", "--recipe", "hybrid", "--json"]).expect_code(0).json();
    assert!(plain["hits"][0]["score"].is_number());
    let wrong = ["search", "a.snap", "deploy", "--options", r#"{"sector":"wrong","limt":1}"#];
    folder.run(&wrong).expect_code(1).expect_stderr("limt: unknown option");
    folder
        .run(&["search", "a.snap", "x", "--recipe", "nope"])
        .expect_code(2)
        .expect_stderr("there is no recipe");
    folder
        .run(&["search", "a.snap", "x", "--options", "[]"])
        .expect_code(2)
        .expect_stderr("pass a JSON object");
    let shown = folder.run(&["search", "a.snap", "deploy", "--limit", "1", "--explain"]).expect_code(0);
    assert!(shown.stdout.starts_with("1. m-deploy"), "{}", shown.stdout);
    assert!(shown.stdout.contains("salience"));
    assert!(shown.stdout.contains("To [deploy] the"), "{}", shown.stdout);
}

#[test]
fn a_recipe_in_a_file_takes_the_place_of_the_built_in_rule() {
    let folder = built("memory");
    folder.write("own.json", r#"{"signals":{"salience":{}},"retrieve":{"mode":"keyword"}}"#);
    let args = ["search", "a.snap", "the", "--recipe", "own.json", "--json", "--explain"];
    let answer = folder.run(&args).expect_code(0).json();
    assert_eq!(answer["fusion"], "custom");
    let scores = answer["hits"].as_array().unwrap().iter().map(|hit| hit["score"].as_f64().unwrap());
    assert!(scores.collect::<Vec<_>>().is_sorted_by(|a, b| a >= b));
    assert_eq!(answer["hits"][0]["explain"]["parts"][0]["name"], "salience");
    folder.write("bad.json", r#"{"signals":{}}"#);
    let bad = ["search", "a.snap", "the", "--recipe", "bad.json"];
    folder.run(&bad).expect_code(1).expect_stderr("must name at least one signal");
}

#[test]
fn eval_measures_every_recipe() {
    for preset in ["hybrid", "memory", "rag", "unified", "vault"] {
        let folder = built(preset);
        let questions = std::fs::read_to_string(sample("questions.jsonl")).unwrap();
        let (mut queries, mut qrels) = (String::new(), String::from("query\tdocument\trelevance\n"));
        for (number, line) in questions.lines().enumerate() {
            let question: Value = serde_json::from_str(line).unwrap();
            if question["preset"] == preset {
                queries += &format!("{}\n", json!({"id": number.to_string(), "text": question["query"]}));
                for id in question["expect"].as_array().unwrap() {
                    qrels += &format!("{number}\t{}\t1\n", id.as_str().unwrap());
                }
            }
        }
        folder.write("q.jsonl", queries);
        folder.write("q.tsv", qrels);
        let args =
            ["eval", "a.snap", "--queries", "q.jsonl", "--qrels", "q.tsv", "--recipe", preset, "--json"];
        let figures = folder.run(&args).expect_code(0).json();
        assert!(figures["ndcg@10"].as_f64().unwrap() > 0.4, "{preset}: {figures}");
    }
}

#[test]
fn what_is_known_beside_records_is_built_and_comes_back() {
    let folder = built("memory");
    let lines = folder.run(&["export", "a.snap"]).expect_code(0).stdout;
    assert!(lines.contains(r#"{"$":"session""#) && lines.contains(r#"{"$":"link""#));
    let first = folder.bytes("a.snap");
    folder.write("again.jsonl", lines);
    folder.build(&["again.jsonl", "--preset", "memory", "--embed", "hash", "--force"]).expect_code(0);
    assert!(folder.bytes("a.snap") == first);
    folder.write("bad.jsonl", "{\"$\":\"link\",\"from\":\"a\"}\n");
    let bad = folder.run(&["build", "bad.jsonl", "-o", "b.snap", "--preset", "memory"]).expect_code(1);
    bad.expect_stderr("a link's \"to\" is missing; a string is wanted");
}
