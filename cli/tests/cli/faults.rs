//! Lines and files that cannot be used: their messages, and how they are skipped.

use crate::support::Folder;
use crate::{RECORDS, many_records};
use std::fs;

#[test]
fn a_bad_line_stops_the_build_with_its_file_and_line_and_leaves_nothing_behind() {
    let good = "{\"id\":1,\"t\":\"x\"}\n\n";
    let cases: [(&[u8], &str); 13] = [
        (b"{\"id\":2,\"t\":}", "a.jsonl:3: this is not JSON: expected value at column 13"),
        (b"{\"id\":2", "a.jsonl:3: the JSON is not complete"),
        (b"[1]", "a.jsonl:3: a record is a JSON object with an \"id\", not an array"),
        (b"{\"t\":\"x\"}", "a.jsonl:3: the record has no \"id\""),
        (b"{\"id\":1.5}", "a.jsonl:3: \"id\" is a number"),
        (b"{\"id\":2,\"t\":\"\xff\"}", "a.jsonl:3: this is not UTF-8"),
        (b"{\"id\":2,\"t\":{}}", "a.jsonl:3: record \"2\": \"t\" is an object"),
        (b"{\"$\":\"link\",\"from\":1}", "a.jsonl:3: a link's \"to\" is missing; a string is wanted"),
        (b"{\"$\":\"vector\"}", "a.jsonl:3: the record has no \"id\""),
        (
            b"{\"$\":\"vector\",\"id\":1,\"vector\":[1]}",
            "a.jsonl:3: the vector of \"1\" cannot be used: the schema has no vectors",
        ),
        (b"{\"$\":\"other\"}", "a.jsonl:3: \"$\" is \"other\""),
        (b"{\"$\":\"delete\"}", "a.jsonl:3: the record has no \"id\""),
        (b"{\"id\":2}{\"id\":3}", "a.jsonl:3: this is not JSON: trailing characters"),
    ];
    for (line, message) in cases {
        let folder = Folder::new();
        folder.write("a.jsonl", [good.as_bytes(), line, b"\n", good.as_bytes()].concat());
        folder
            .run(&["build", "a.jsonl", "-o", "a.snap"])
            .expect_code(1)
            .expect_stderr(message)
            .expect_stderr("--skip-bad");
        assert_eq!(folder.names(), ["a.jsonl"]);
    }
}

#[test]
fn of_several_bad_lines_the_first_is_reported_on_any_number_of_threads() {
    let folder = Folder::new();
    let mut lines = many_records(20_000).lines().map(str::to_owned).collect::<Vec<_>>();
    for bad in [19_000, 4321, 9000] {
        "nonsense".clone_into(&mut lines[bad - 1]);
    }
    folder.write("a.jsonl", lines.join("\n"));
    for threads in ["1", "2", "7"] {
        let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--threads", threads]).expect_code(1);
        ran.expect_stderr("a.jsonl:4321: ");
    }
}

#[test]
fn bad_lines_can_be_left_out_and_are_counted() {
    let folder = Folder::new();
    let bad = (1..=7).map(|i| format!("bad {i}\n")).collect::<String>();
    folder.write("a.jsonl", format!("{RECORDS}{bad}{{\"size\":4}}\n"));
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--skip-bad"]).expect_code(0);
    let ran = ran
        .expect_stderr("a.jsonl:5: ")
        .expect_stderr("8 bad records skipped, the first of them above")
        .expect_stderr("3 records");
    assert!(!ran.stderr.contains("a.jsonl:10"), "only a few are shown: {}", ran.stderr);
    let whole = Folder::with_snapshot(&[]);
    assert_eq!(folder.bytes("a.snap"), whole.bytes("a.snap"));
}

#[test]
fn inputs_and_outputs_that_cannot_be_used_say_why() {
    let folder = Folder::new();
    folder.write("a.jsonl", RECORDS);
    folder.write("a.dat", RECORDS);
    folder.write("empty.jsonl", "\n\n");
    folder.write("wide.jsonl", "\u{feff}{}".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>());
    folder.write("a.gz", [0x1f, 0x8b, 8, 0]);
    fs::create_dir(folder.path("folder")).unwrap();
    let build = |input: &str, output: &str| folder.run(&["build", input, "-o", output]);
    build("none.jsonl", "a.snap").expect_code(1).expect_stderr("none.jsonl cannot be read");
    build("folder", "a.snap").expect_code(1).expect_stderr("folder holds no documents");
    build("a.dat", "a.snap").expect_code(2).expect_stderr("a.dat: the name shows no known format");
    build("empty.jsonl", "a.snap").expect_code(1).expect_stderr("there are no records");
    build("wide.jsonl", "a.snap").expect_code(1).expect_stderr("wide.jsonl:1: the input is UTF-16");
    build("a.jsonl", "none/a.snap").expect_code(1).expect_stderr("none/a.snap cannot be written");
    build("a.jsonl", "folder").expect_code(2).expect_stderr("folder is not a file");
    let packed = folder.run(&["build", "a.gz", "-o", "a.snap", "--format", "jsonl"]);
    packed.expect_code(1).expect_stderr("a.gz:1: the input is compressed");
    folder.run(&["build", "a.dat", "-o", "a.snap", "--format", "jsonl"]).expect_code(0);
}

#[test]
fn json_documents_that_cannot_be_read_name_the_line() {
    let cases = [
        ("[\n{\"id\":1,\"t\":\"x\"},\n{\"id\":2,\n\"t\":}\n]", "a.json:4: this is not JSON"),
        ("[\n{\"id\":1,\"t\":\"x\"}\n{\"id\":2}]", "a.json:3: a comma or ] is missing"),
        ("[\n{\"id\":1,\"t\":\"x\"},\n", "a.json:3: the array does not end"),
        ("[{\"id\":1,\"t\":\"x\"},\n7]", "a.json:2: a record is a JSON object"),
        ("{\"id\":1,\"t\":\"x\"}\n{\"id\":2}", "a.json:2: there is more after the document"),
        ("\"text\"", "a.json:1: a JSON document must be an array of records"),
    ];
    for (text, message) in cases {
        let folder = Folder::new();
        folder.write("a.json", text);
        folder.run(&["build", "a.json", "-o", "a.snap"]).expect_code(1).expect_stderr(message);
        assert_eq!(folder.names(), ["a.json"]);
    }
}

#[test]
fn a_bad_record_before_an_unreadable_place_is_reported_first() {
    let folder = Folder::new();
    folder.write("a.json", "[\n{\"t\":\"no id\"},\n{\"id\":1}\n{}]");
    for threads in ["1", "2"] {
        let ran = folder.run(&["build", "a.json", "-o", "a.snap", "--threads", threads]).expect_code(1);
        ran.expect_stderr("a.json:2: the record has no \"id\"");
    }
}

#[test]
fn blank_lines_are_counted_however_many_there_are() {
    let folder = Folder::new();
    folder.write("a.jsonl", "\n".repeat(20_000_000) + "{\"id\":1,\"t\":\"x\"}\nnonsense\n");
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap"]).expect_code(1);
    ran.expect_stderr("a.jsonl:20000002: ");
}
