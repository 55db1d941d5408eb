//! `snapseek tune`: settings for a person's own queries, measured on queries that had no part in the choice.

mod support;

use serde_json::{Value, json};
use std::path::PathBuf;
use support::{Folder, Ran};

/// A schema that hides the titles, which most queries of the collection need.
const SPOILED: &str =
    "# The town's pages.\n[fields]\ntitle = { weight = 0.0 } # too short to matter\ntext = {}\n";

fn town(name: &str) -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../benches/sample/town").join(name);
    path.to_str().unwrap().to_owned()
}

impl Folder {
    /// Builds the sample collection as `a.snap`, with the schema `s.toml`.
    fn build_town(&self) -> Ran {
        let args = [&town("docs.jsonl"), "--schema", "s.toml", "--embed", "hash", "--force"];
        self.build(&args).expect_code(0)
    }

    /// Runs a command on the sample collection with its judged queries.
    fn judged(&self, command: &str, more: &[&str]) -> Ran {
        let (queries, qrels) = (town("queries.jsonl"), town("qrels.tsv"));
        let args = [command, "a.snap", "--queries", &queries, "--qrels", &qrels];
        self.run(&[&args[..], more].concat()).expect_code(0)
    }
}

#[track_caller]
fn number(json: &Value) -> f64 {
    json.as_f64().unwrap()
}

#[test]
fn a_weight_that_harms_is_repaired_and_written_into_the_schema() {
    let folder = Folder::new();
    folder.write("s.toml", SPOILED);
    folder.build_town();
    let before = number(&folder.judged("eval", &["--json"]).json()["ndcg@10"]);

    let ran = folder.judged("tune", &["--json", "--write", "s.toml"]);
    assert!(ran.stderr.contains("wrote s.toml; build the snapshot again"), "{}", ran.stderr);
    let tuned = ran.json();
    assert_eq!((&tuned["queries"], &tuned["folds"]), (&json!(120), &json!(5)));
    assert!((number(&tuned["default"]["ndcg@10"]) - before).abs() < 1e-3);
    assert_eq!(tuned["default"]["options"]["weights"], json!({"title": 0, "text": 1}));
    assert!(number(&tuned["tuned"]["options"]["weights"]["title"]) >= 2.0);
    assert!(number(&tuned["difference"]["low"]) > 0.03);
    assert_eq!((&tuned["reliable"], &tuned["written"]), (&json!(true), &json!("s.toml")));

    let schema = String::from_utf8(folder.bytes("s.toml")).unwrap();
    assert!(schema.starts_with("# The town's pages.\n[fields]\ntitle = { weight = "), "{schema}");
    assert!(schema.contains("} # too short to matter\ntext = {}\n"), "{schema}");
    folder.build_town();
    let after = number(&folder.judged("eval", &["--json"]).json()["ndcg@10"]);
    assert!(after > before + 0.05, "{before} before, {after} after");
}

#[test]
fn without_a_reliable_gain_the_schema_stays_unless_forced() {
    let folder = Folder::new();
    let schema = "[fields]\ntitle = { weight = 4 }\ntext = {}\n[vectors.hash]\ntrust = 0.001\n";
    folder.write("s.toml", schema);
    folder.build_town();
    let ran = folder.judged("tune", &["--write", "s.toml"]);
    assert!(ran.stdout.contains("no reliable gain: keep the defaults"), "{}", ran.stdout);
    assert!(ran.stdout.contains("weight of title") && ran.stdout.contains("trust in hash"), "{}", ran.stdout);
    ran.expect_stderr("s.toml is unchanged, because the gain is not reliable");
    assert_eq!(folder.bytes("s.toml"), schema.as_bytes());
    folder.judged("tune", &["--write", "s.toml", "--force"]).expect_stderr("wrote s.toml");
    assert_ne!(folder.bytes("s.toml"), schema.as_bytes());
}

#[test]
fn clicks_tune_as_judgments_of_the_clicked_records_do() {
    let folder = Folder::new();
    folder.write("s.toml", SPOILED);
    folder.build_town();
    let queries = std::fs::read_to_string(town("queries.jsonl")).unwrap();
    let queries =
        queries.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>();
    let text = |id: &str| queries.iter().find(|query| query["id"] == id).unwrap()["text"].clone();
    let (mut clicks, mut qrels, mut own) = (String::new(), String::new(), String::new());
    for line in std::fs::read_to_string(town("qrels.tsv")).unwrap().lines().skip(1) {
        let [query, record, relevance] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        if relevance != "0" {
            clicks += &format!("{}\n", json!({"query": text(query), "clicked": record, "shown": ["t001"]}));
            qrels += &format!("{}\t{record}\t1\n", text(query).as_str().unwrap());
        }
    }
    for query in &queries {
        own += &format!("{}\n", json!({"id": query["text"], "text": query["text"]}));
    }
    folder.write("clicks.jsonl", clicks);
    folder.write("qrels.tsv", qrels);
    folder.write("queries.jsonl", own);
    let args = ["tune", "a.snap", "--json", "--folds", "3"];
    let clicked = folder.run(&[&args[..], &["--clicks", "clicks.jsonl"]].concat()).expect_code(0).json();
    let judged = ["--queries", "queries.jsonl", "--qrels", "qrels.tsv"];
    let judged = folder.run(&[&args[..], &judged].concat()).expect_code(0).json();
    assert_eq!((&clicked["reliable"], &clicked["byFold"].as_array().unwrap().len()), (&json!(true), &3));
    // The log lists queries in another order, so that sums differ in the last bits.
    for side in ["default", "tuned"] {
        assert_eq!(clicked[side]["options"], judged[side]["options"]);
        assert!((number(&clicked[side]["ndcg@10"]) - number(&judged[side]["ndcg@10"])).abs() < 1e-9);
    }
}

/// Writes records in pairs of the same text, an old one and a new one, and queries that want the new one.
fn dated_pairs(folder: &Folder, count: usize) {
    let (mut records, mut queries, mut qrels) = (String::new(), String::new(), String::new());
    for pair in 0..count {
        for (age, day) in [("old", "2001-02-03"), ("new", "2024-05-01")] {
            let id = format!("{age}{pair}");
            let title = format!("word{pair} news of the day");
            records += &format!("{}\n", json!({"id": id, "title": title, "day": day}));
        }
        queries += &format!("{}\n", json!({"id": pair, "text": format!("word{pair}")}));
        qrels += &format!("{pair}\tnew{pair}\t1\n");
    }
    folder.write("a.jsonl", records);
    folder.write("q.jsonl", queries);
    folder.write("q.tsv", qrels);
    folder.build(&["a.jsonl", "--force"]).expect_code(0);
}

const DATED: [&str; 8] =
    ["tune", "a.snap", "--queries", "q.jsonl", "--qrels", "q.tsv", "--options", r#"{"now": "2024-05-02"}"#];

#[test]
fn recency_is_chosen_where_new_records_are_wanted() {
    let folder = Folder::new();
    dated_pairs(&folder, 30);
    let tuned = folder.run(&[&DATED[..], &["--json"]].concat()).expect_code(0).json();
    assert_eq!(tuned["default"]["options"], json!({"weights": {"title": 1}, "recency": null}));
    assert_eq!(tuned["tuned"]["options"]["recency"], json!({"field": "day", "floor": 0.5}));
    assert_eq!((&tuned["tuned"]["ndcg@10"], &tuned["reliable"]), (&json!(1.0), &json!(true)));
    let shown = folder.run(&DATED).expect_code(0).stdout;
    assert!(shown.contains(r#"as search options: {"recency":{"field":"day","floor":0.5}}"#), "{shown}");
}

#[test]
fn few_queries_are_warned_about_and_change_no_schema() {
    let folder = Folder::new();
    dated_pairs(&folder, 12);
    folder.write("s.json", r#"{"fields": {"title": {}}, "attributes": {"day": "time"}}"#);
    let ran = folder.run(&[&DATED[..], &["--write", "s.json"]].concat()).expect_code(0);
    assert!(ran.stdout.contains("no reliable gain: keep the defaults"), "{}", ran.stdout);
    ran.expect_stderr("warning: 12 judged queries are too few for a reliable choice; judge at least 20");
    folder.write("q.jsonl", "{\"id\": 0, \"text\": \"word0\"}\n");
    folder.run(&DATED).expect_code(1).expect_stderr("at least two judged queries; there are 1");
}

#[test]
fn mistakes_on_the_command_line_are_found_before_the_work() {
    let folder = Folder::new();
    dated_pairs(&folder, 2);
    folder.write("clicks.jsonl", "{\"query\": \"word0\", \"clicked\": \"new0\"}\n");
    folder.run(&["tune", "a.snap"]).expect_code(2).expect_stderr("--queries");
    folder.run(&["tune", "a.snap", "--queries", "q.jsonl"]).expect_code(2).expect_stderr("--qrels");
    folder
        .run(&[&DATED[..], &["--clicks", "clicks.jsonl"]].concat())
        .expect_code(2)
        .expect_stderr("--clicks");
    let clicks = ["tune", "a.snap", "--clicks", "clicks.jsonl"];
    folder.run(&[&clicks[..], &["--same", "day"]].concat()).expect_code(2).expect_stderr("--same");
    folder.run(&[&clicks[..], &["--folds", "1"]].concat()).expect_code(2).expect_stderr("--folds");
    folder.run(&[&clicks[..], &["--force"]].concat()).expect_code(2).expect_stderr("--write");
    folder
        .run(&[&DATED[..], &["--write", "a.jsonl"]].concat())
        .expect_code(2)
        .expect_stderr(".toml or .json");
    folder.write("s.toml", "[fields]\nbody = {}\n");
    let other = folder.run(&[&DATED[..], &["--write", "s.toml"]].concat()).expect_code(1);
    other.expect_stderr("s.toml has no text field \"title\", but the snapshot has");
}
