//! `search` and `suggest`, and their common ground with `match`.

use crate::ids;
use crate::support::Folder;

#[test]
fn search_prints_hits_for_people() {
    let folder = Folder::with_snapshot(&[]);
    let ran = folder.run(&["search", "a.snap", "fox", "--count", "--facets", "project"]).expect_code(0);
    let lines = ran.stdout.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("1. 1 (document)  "), "{}", ran.stdout);
    assert_eq!(lines[1], "   Quick [fox]");
    assert_eq!(lines[4..], ["project: api (1), web (1)", "2 matches in total"]);
    assert_eq!(folder.run(&["search", "a.snap", "absent"]).expect_code(0).stdout, "no hits\n");
}

#[test]
fn search_prints_the_response_as_json_and_nothing_else() {
    let folder = Folder::with_snapshot(&["--forms"]);
    let filter = r#"{"project": "web", "size": {"lt": 5}}"#;
    let args = ["search", "a.snap", "fox", "--filter", filter, "--explain", "--records", "--json"];
    let ran = folder.run(&args).expect_code(0);
    assert_eq!(ran.stderr, "");
    let response = ran.json();
    assert_eq!(ids(&response["hits"]), ["1"]);
    let hit = &response["hits"][0];
    assert_eq!(hit["snippet"], "Quick <mark>fox</mark>");
    assert_eq!(hit["record"]["size"], 3);
    assert_eq!(hit["explain"]["keyword"]["phrases"][0]["part"], hit["score"]);

    let typing = folder.run(&["search", "a.snap", "installa", "--as-you-type", "--json"]).json();
    assert_eq!(ids(&typing["hits"]), Vec::<&str>::new());
    let typing = folder.run(&["search", "a.snap", "installi", "--as-you-type", "--json"]).json();
    assert_eq!(ids(&typing["hits"]), ["2"]);
    let typo = folder.run(&["search", "a.snap", "quikc", "--typos", "2", "--json"]).json();
    assert_eq!(ids(&typo["hits"]), ["1"]);
    let paged = folder.run(&["search", "a.snap", "fox", "--limit", "1", "--offset", "1", "--json"]).json();
    assert_eq!(ids(&paged["hits"]), ["2"]);
}

#[test]
fn questions_that_cannot_be_answered_end_with_one_and_no_output() {
    let folder = Folder::with_snapshot(&[]);
    let cases: [(&[&str], &str); 7] = [
        (&["search", "a.snap", "fox", "--limit", "0", "--json"], "limit: must be 1 to 1000, not 0"),
        (&["search", "a.snap", "fox", "--mode", "magic"], "mode: unknown mode \"magic\""),
        (&["search", "a.snap", "fox", "--facets", "none"], "there is no attribute \"none\""),
        (&["search", "a.snap", "fox", "--filter", "{\"none\": 1}"], "there is no attribute \"none\""),
        (&["match", "a.snap", "none : fox", "--json"], "no such column: none"),
        (&["match", "a.snap", "fox", "--snippet", "7,a,b,c,5"], "snippet.column: there is no such field"),
        (&["search", "none.snap", "fox"], "none.snap cannot be read"),
    ];
    for (args, message) in cases {
        let ran = folder.run(args).expect_code(1).expect_stderr(message);
        assert_eq!(ran.stdout, "");
    }
}

#[test]
fn suggest_completes_the_last_word() {
    let folder = Folder::with_snapshot(&["--forms"]);
    assert_eq!(folder.run(&["suggest", "a.snap", "the inst"]).expect_code(0).stdout, "installing\t1\n");
    let answer = folder.run(&["suggest", "a.snap", "n", "--limit", "1", "--json"]).expect_code(0).json();
    assert_eq!(answer["suggestions"].as_array().unwrap().len(), 1);
}

#[test]
fn text_that_steers_terminals_is_printed_without_its_control_characters() {
    let folder = Folder::new();
    folder.write("a.jsonl", r#"{"id": "a\u001b[2J", "t": "fox \u001b]0;title\u0007"}"#);
    folder.run(&["build", "a.jsonl", "-o", "a.snap"]).expect_code(0);
    for args in
        [&["search", "a.snap", "fox", "--records"][..], &["match", "a.snap", "fox", "--highlight", "t,[,]"]]
    {
        let ran = folder.run(args).expect_code(0);
        assert!(!ran.stdout.contains('\u{1b}') && ran.stdout.contains("fox"), "{:?}", ran.stdout);
    }
}
