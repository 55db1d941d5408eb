//! The formats of records: JSON lines, JSON documents and text tables.

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
        ("2,y,,,,,", "a.csv:4: the row has 7 cells, the header has 6"),
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

#[test]
fn the_header_of_a_csv_file_shows_its_separator() {
    let folder = Folder::new();
    folder.write("comma.csv", "id,title,body\n1,\"a; b\",c\n");
    folder.write("semicolon.csv", "\u{feff}id;title;body\r\n1;a; b;c\r\n".replace("a; b", "\"a; b\""));
    folder.write("tab.csv", "id\ttitle\tbody\n1\ta; b\tc\n");
    folder.run(&["build", "comma.csv", "-o", "comma.snap"]).expect_code(0);
    for input in ["semicolon.csv", "tab.csv"] {
        folder.run(&["build", input, "-o", "other.snap"]).expect_code(0);
        assert!(folder.bytes("other.snap") == folder.bytes("comma.snap"), "{input}");
    }
}

#[test]
fn short_rows_lack_their_last_fields_and_long_rows_are_bad() {
    let folder = Folder::new();
    folder.write("a.csv", "\u{feff}id,title,body\n1,one\n2\n3,\"three\nlines\",c\n4,a,b,c\n5,five\n");
    let ran = folder.run(&["build", "a.csv", "-o", "a.snap"]).expect_code(1);
    ran.expect_stderr("a.csv:6: the row has 4 cells, the header has 3");
    let ran = folder.run(&["build", "a.csv", "-o", "a.snap", "--skip-bad"]).expect_code(0);
    ran.expect_stderr("a.csv:6: the row has 4 cells").expect_stderr("1 bad record skipped");
    assert_eq!(
        folder.run(&["export", "a.snap"]).stdout,
        "{\"id\":\"1\",\"title\":\"one\"}\n{\"id\":\"2\"}\n\
         {\"id\":\"3\",\"title\":\"three\\nlines\",\"body\":\"c\"}\n{\"id\":\"5\",\"title\":\"five\"}\n"
    );
}

#[test]
fn many_rows_with_line_ends_in_quotes_build_the_same_snapshot_on_any_number_of_threads() {
    let folder = Folder::new();
    let row =
        |number: u32| format!("{number};\"line one {number}\nline \"\"two\"\"; {}\"\r\n", "word ".repeat(20));
    folder.write("a.csv", format!("id;text\r\n{}", (0..40_000).map(row).collect::<String>()));
    folder.run(&["build", "a.csv", "-o", "one.snap", "--threads", "1"]).expect_code(0);
    folder.run(&["build", "a.csv", "-o", "four.snap", "--threads", "4"]).expect_code(0);
    assert!(folder.bytes("one.snap") == folder.bytes("four.snap"));
    let exported = folder.run(&["export", "one.snap"]).stdout;
    assert_eq!(exported.lines().count(), 40_000);
    assert!(exported.lines().last().unwrap().contains("\"line one 39999\\nline \\\"two\\\"; word"));
}
