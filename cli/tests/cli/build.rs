//! `build`: its snapshots, its messages, and the files that it leaves.

#[cfg(unix)]
use crate::interrupt;
use crate::support::Folder;
use crate::{RECORDS, many_records};
#[cfg(unix)]
use std::process::Stdio;

#[test]
fn a_snapshot_is_built_and_says_what_was_inferred() {
    let folder = Folder::new();
    folder.write("a.jsonl", RECORDS);
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap"]).expect_code(0);
    assert_eq!(ran.stdout, "");
    ran.expect_stderr("inferred: text title, body; attributes project (keywords), size (number)")
        .expect_stderr("a.snap: 3 records");
    assert_eq!(folder.names(), ["a.jsonl", "a.snap"]);
}

#[test]
fn the_bytes_do_not_depend_on_the_threads_or_on_how_the_records_are_divided() {
    let folder = Folder::new();
    let records = many_records(20_000);
    folder.write("all.jsonl", &records);
    let half = records.len() / 2 + records[records.len() / 2..].find('\n').unwrap() + 1;
    folder.write("1.jsonl", &records[..half]);
    folder.write("2.jsonl", &records[half..]);
    let args = |threads| ["build", "all.jsonl", "-o", "all.snap", "--forms", "--threads", threads];
    folder.run(&args("1")).expect_code(0);
    let first = folder.bytes("all.snap");
    for threads in ["2", "3", "8"] {
        folder.run(&args(threads)).expect_code(0);
        assert!(folder.bytes("all.snap") == first, "{threads} threads");
    }
    folder.run(&["build", "1.jsonl", "2.jsonl", "-o", "two.snap", "--forms"]).expect_code(0);
    assert!(folder.bytes("two.snap") == first);
    let piped = folder.run_with_input(&["build", "-", "-o", "piped.snap", "--forms"], &records);
    piped.expect_code(0);
    assert!(folder.bytes("piped.snap") == first);
}

#[test]
fn what_is_exported_builds_the_same_snapshot_again() {
    let folder = Folder::with_snapshot(&["--forms"]);
    let exported = folder.run(&["export", "a.snap"]).expect_code(0).stdout;
    assert_eq!(exported.lines().count(), 3);
    folder.run_with_input(&["build", "-", "-o", "b.snap", "--forms"], exported).expect_code(0);
    assert_eq!(folder.bytes("b.snap"), folder.bytes("a.snap"));
}

#[test]
fn later_records_replace_earlier_ones_and_delete_lines_remove_them() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"id\":1,\"t\":\"old\"}\n{\"id\":2,\"t\":\"two\"}\n{\"id\":1,\"t\":\"new\"}\n");
    folder.write("b.jsonl", "{\"$\":\"delete\",\"id\":\"2\"}\n{\"$\":\"delete\",\"id\":\"none\"}\n");
    folder
        .run(&["build", "a.jsonl", "-o", "a.snap"])
        .expect_code(0)
        .expect_stderr("2 records")
        .expect_stderr("1 replaced by later ones");
    folder
        .run(&["build", "a.jsonl", "b.jsonl", "-o", "a.snap"])
        .expect_code(0)
        .expect_stderr("2 replaced or deleted by later lines");
    assert_eq!(folder.run(&["export", "a.snap"]).stdout, "{\"id\":1,\"t\":\"new\"}\n");
}

#[test]
fn a_delete_line_concerns_one_kind_and_a_later_record_comes_back() {
    let folder = Folder::new();
    let lines = [
        r#"{"id":1,"kind":"note","t":"note"}"#,
        r#"{"id":1,"t":"document"}"#,
        r#"{"$":"delete","id":1,"kind":"note"}"#,
        r#"{"$":"delete","id":1}"#,
        r#"{"id":1,"t":"back"}"#,
    ];
    folder.write("a.jsonl", lines.join("\n"));
    folder.run(&["build", "a.jsonl", "-o", "a.snap"]).expect_code(0);
    assert_eq!(folder.run(&["export", "a.snap"]).stdout, "{\"id\":1,\"t\":\"back\"}\n");
}

#[test]
fn a_failed_build_leaves_an_earlier_snapshot_untouched() {
    let folder = Folder::with_snapshot(&[]);
    let before = folder.bytes("a.snap");
    folder.write("bad.jsonl", "nonsense");
    let ran = folder.run(&["build", "bad.jsonl", "-o", "a.snap"]).expect_code(1);
    ran.expect_stderr("bad.jsonl:1: this is not JSON").expect_stderr("--skip-bad");
    folder.run(&["build", "a.jsonl", "bad.jsonl", "-o", "a.snap"]).expect_code(1);
    assert_eq!(folder.bytes("a.snap"), before);
    assert_eq!(folder.names(), ["a.jsonl", "a.snap", "bad.jsonl"]);
}

#[test]
fn what_is_no_snapshot_is_not_replaced_unless_forced() {
    let folder = Folder::new();
    folder.write("a.jsonl", RECORDS);
    let args = ["build", "a.jsonl", "-o", "a.jsonl"];
    folder.run(&args).expect_code(2).expect_stderr("a.jsonl exists and is not a snapshot");
    assert_eq!(folder.bytes("a.jsonl"), RECORDS.as_bytes());
    folder.write("other", "something");
    folder.run(&["build", "a.jsonl", "-o", "other", "--force"]).expect_code(0);
    folder.run(&["verify", "other"]).expect_code(0);
}

#[cfg(unix)]
#[test]
fn an_interrupted_build_leaves_nothing_behind() {
    let folder = Folder::new();
    folder.write("s.toml", "[fields]\nt = {}\n");
    let args = ["build", "-", "-o", "a.snap", "--schema", "s.toml"];
    let mut child = folder.command(&args).stdin(Stdio::piped()).spawn().unwrap();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
    while folder.names().len() < 2 && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(folder.names().len(), 2, "the temporary file is there");
    // The handler is installed before the file is created.
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.names(), ["s.toml"]);
}
