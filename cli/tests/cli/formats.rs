//! Which files are read as records: lines, documents and tables of text.

use crate::support::Folder;

#[test]
fn every_format_gives_the_same_snapshot() {
    let folder = Folder::new();
    let lines = "{\"id\":\"1\",\"title\":\"Quick, \\\"brown\\\" fox\",\"body\":\"two\\nlines\"}\n{\"id\":\"2\",\"body\":\"é\"}\n";
    folder.write("a.jsonl", lines);
    folder.write("a.ndjson", format!("\u{feff}{}", lines.replace('\n', "\r\n\r\n")));
    let values = lines.trim().replace('\n', " ,\n ");
    folder.write("a.json", format!("[{values}]"));
    folder.write("wrapped.json", format!("{{\"made\": [1], \"records\": [{values}], \"by\": {{}}}}"));
    folder.write("a.csv", "id,title,body\r\n1,\"Quick, \"\"brown\"\" fox\",\"two\nlines\"\r\n2,,é\r\n");
    folder.write("a.tsv", "\u{feff}id\ttitle\tbody\n1\t\"Quick, \"\"brown\"\" fox\"\t\"two\nlines\"\n2\t\té");
    folder.run(&["build", "a.jsonl", "-o", "first.snap"]).expect_code(0);
    for input in ["a.ndjson", "a.json", "wrapped.json", "a.csv", "a.tsv"] {
        folder.run(&["build", input, "-o", "other.snap"]).expect_code(0);
        assert!(folder.bytes("other.snap") == folder.bytes("first.snap"), "{input}");
    }
    folder.run_with_input(&["build", "-", "-o", "other.snap"], lines).expect_code(0);
    assert_eq!(folder.bytes("other.snap"), folder.bytes("first.snap"));
    let csv = folder.bytes("a.csv");
    folder.run_with_input(&["build", "-", "-o", "other.snap", "--format", "csv"], csv).expect_code(0);
    assert_eq!(folder.bytes("other.snap"), folder.bytes("first.snap"));
}

#[test]
fn one_record_alone_is_a_json_document() {
    let folder = Folder::new();
    folder.write("one.json", r#"{"id": 1, "title": "fox", "records": [1, 2]}"#);
    folder.run(&["build", "one.json", "-o", "one.snap"]).expect_code(0).expect_stderr("one.snap: 1 record,");
}

#[test]
fn cells_become_what_the_schema_says() {
    let folder = Folder::new();
    let schema = "[fields]\nt = {}\n[attributes]\nsize = \"number\"\nopen = \"bool\"\nday = \"time\"\ntag = \"keyword\"\n";
    folder.write("s.toml", schema);
    folder.write("a.csv", "id,t,size,open,day,tag\n1,x,2.5,TRUE,2024-05-01,01\n2,y,,,1700000000000,\n");
    folder.run(&["build", "a.csv", "-o", "a.snap", "--schema", "s.toml"]).expect_code(0);
    assert_eq!(
        folder.run(&["export", "a.snap"]).stdout,
        "{\"id\":\"1\",\"t\":\"x\",\"size\":2.5,\"open\":true,\"day\":\"2024-05-01\",\"tag\":\"01\"}\n\
         {\"id\":\"2\",\"t\":\"y\",\"day\":1700000000000}\n"
    );
    let cases = [
        ("2,y,many,,,", "a.csv:4: column \"size\": \"many\" is not a number"),
        ("2,y,,perhaps,,", "a.csv:4: column \"open\": \"perhaps\" is not true or false"),
        ("2,y,,,soon,", "a.csv:4: column \"day\": \"soon\" is not a date"),
        ("2,y", "a.csv:4: the row has 2 cells, the header has 6"),
        (",y,,,,", "a.csv:4: the record has no \"id\""),
        ("2,\"y,,,,", "a.csv:4: a quoted cell of this row does not end"),
    ];
    for (row, message) in cases {
        folder.write("a.csv", format!("id,t,size,open,day,tag\n1,\"two\nlines\",1,,,\n{row}\n"));
        let ran = folder.run(&["build", "a.csv", "-o", "b.snap", "--schema", "s.toml"]);
        ran.expect_code(1).expect_stderr(message);
    }
    folder.write("a.csv", "name,t\n1,x\n");
    let ran = folder.run(&["build", "a.csv", "-o", "b.snap"]).expect_code(1);
    ran.expect_stderr("a.csv:1: the header has no column \"id\"");
}
