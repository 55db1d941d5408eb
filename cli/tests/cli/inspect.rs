//! `inspect`, `verify` and `export`.

use crate::many_records;
use crate::support::{Folder, Ran};
use serde_json::json;
use std::io::Read;

#[test]
fn inspect_tells_counts_schema_and_sections() {
    let folder = Folder::with_snapshot(&["--forms"]);
    let report = folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json();
    assert_eq!((&report["records"], &report["format"]), (&json!(3), &json!(2)));
    assert_eq!(report["bytes"], folder.bytes("a.snap").len());
    assert_eq!(report["fields"][0], json!({"name": "title", "weight": 1.0, "tokens": 5}));
    assert!(report["terms"].as_u64().unwrap() > 10 && report["forms"].as_u64().unwrap() > 10);
    let sections = report["sections"].as_array().unwrap();
    assert!(
        sections.iter().any(|section| section["name"] == "postings" && section["bytes"].as_u64() > Some(0))
    );
    let human = folder.run(&["inspect", "a.snap"]).expect_code(0).stdout;
    assert!(human.contains("records    3\n") && human.contains("postings"), "{human}");
}

#[test]
fn verify_accepts_what_was_built_and_refuses_what_was_damaged() {
    let folder = Folder::with_snapshot(&["--forms"]);
    let ran = folder.run(&["verify", "a.snap"]).expect_code(0);
    assert_eq!(ran.stdout, "a.snap: no damage found, 3 records\n");
    let sound = folder.bytes("a.snap");
    for at in [0, 20, sound.len() / 2, sound.len() - 1] {
        let mut damaged = sound.clone();
        damaged[at] ^= 1;
        folder.write("damaged.snap", damaged);
        let ran = folder.run(&["verify", "damaged.snap"]).expect_code(1).expect_stderr("damaged.snap: ");
        assert_eq!(ran.stdout, "");
    }
    folder.write("short.snap", &sound[..sound.len() - 1]);
    folder.run(&["verify", "short.snap"]).expect_code(1).expect_stderr("download all of it again");
    folder.run(&["verify", "a.jsonl"]).expect_code(1).expect_stderr("not a snapseek snapshot");
}

#[test]
fn a_reader_that_has_had_enough_ends_the_export_quietly() {
    let folder = Folder::new();
    folder.write("a.jsonl", many_records(20_000));
    folder.run(&["build", "a.jsonl", "-o", "a.snap"]).expect_code(0);
    let mut child = folder.command(&["export", "a.snap"]).spawn().unwrap();
    let mut first = [0; 10];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap()).expect_code(0);
    assert_eq!(ran.stderr, "");
}
