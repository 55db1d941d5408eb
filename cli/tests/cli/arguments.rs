//! The arguments: which combinations are accepted, and the help for them.

use crate::ids;
use crate::support::Folder;

#[test]
fn command_lines_that_make_no_sense_end_with_two() {
    let folder = Folder::with_snapshot(&[]);
    let cases: [&[&str]; 12] = [
        &[],
        &["nonsense"],
        &["build", "a.jsonl"],
        &["build", "-o", "b.snap"],
        &["build", "a.jsonl", "-o", "b.snap", "--threads", "0"],
        &["search", "a.snap"],
        &["search", "a.snap", "fox", "--filter", "{"],
        &["search", "a.snap", "fox", "--filter", "3"],
        &["match", "a.snap"],
        &["match", "a.snap", "fox", "--batch", "-"],
        &["match", "a.snap", "fox", "--weights", "1,x"],
        &["match", "a.snap", "fox", "--snippet", "0,[,]"],
    ];
    for args in cases {
        let ran = folder.run(args).expect_code(2);
        assert_eq!(ran.stdout, "", "{args:?}");
    }
}

#[test]
fn expressions_and_words_may_start_with_a_hyphen_and_options_stand_anywhere() {
    let folder = Folder::with_snapshot(&[]);
    let rows = folder.run(&["match", "a.snap", "--json", "- title : fox"]).expect_code(0).json();
    assert_eq!(ids(&rows["rows"]), ["2"]);
    let response = folder.run(&["search", "--json", "a.snap", "-fox"]).expect_code(0).json();
    assert_eq!(ids(&response["hits"]), ["1", "2"]);
    folder.run(&["suggest", "a.snap", "--limit", "1", "-fo"]).expect_code(0);
}

#[test]
fn help_has_examples_for_those_who_need_them() {
    let folder = Folder::new();
    for command in ["build", "search", "match", "suggest", "export", "serve"] {
        let ran = folder.run(&[command, "--help"]).expect_code(0);
        assert!(ran.stdout.contains("Example") && ran.stdout.contains("snapseek "), "{command}");
    }
    assert!(folder.run(&["--version"]).expect_code(0).stdout.starts_with("snapseek "));
}
