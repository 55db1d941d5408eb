//! The command line as its users see it: arguments and files in, output and exit codes out.

mod support;

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use support::{Folder, Ran};

const RECORDS: &str = r#"{"id": "1", "title": "Quick fox", "body": "It jumps over the lazy dog.", "project": ["web"], "size": 3}
{"id": 2, "title": "Slow dog", "body": "It sleeps; the fox is installing things.", "project": ["api"], "size": 10}

{"id": "3", "kind": "note", "title": "Nothing", "body": "Neither of them.", "project": ["web", "api"], "size": 7}
"#;

impl Folder {
    /// A folder with `a.jsonl` and the snapshot of it, `a.snap`.
    fn with_snapshot(args: &[&str]) -> Folder {
        let folder = Folder::new();
        folder.write("a.jsonl", RECORDS);
        folder.run(&[&["build", "a.jsonl", "-o", "a.snap"], args].concat()).expect_code(0);
        folder
    }
}

fn ids(rows: &Value) -> Vec<&str> {
    rows.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect()
}

/// Records enough for several chunks.
fn many_records(count: usize) -> String {
    let line = |i: usize| {
        let words =
            (0..20).map(|word| format!("word{}", (i * 31 + word * word * 17) % 500)).collect::<Vec<_>>();
        format!(
            "{{\"id\":{i},\"title\":\"number {i}\",\"body\":\"{}\",\"size\":{}}}\n",
            words.join(" "),
            i % 7
        )
    };
    (0..count).map(line).collect()
}

// ---- build

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
            "a.jsonl:3: the vector of \"1\" cannot be taken: the schema has no vectors",
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
        .expect_stderr("8 bad records left out, the first of them above")
        .expect_stderr("3 records");
    assert!(!ran.stderr.contains("a.jsonl:10"), "only a few are shown: {}", ran.stderr);
    let whole = Folder::with_snapshot(&[]);
    assert_eq!(folder.bytes("a.snap"), whole.bytes("a.snap"));
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
    folder.run(&args).expect_code(2).expect_stderr("a.jsonl is there and no snapshot");
    assert_eq!(folder.bytes("a.jsonl"), RECORDS.as_bytes());
    folder.write("other", "something");
    folder.run(&["build", "a.jsonl", "-o", "other", "--force"]).expect_code(0);
    folder.run(&["verify", "other"]).expect_code(0);
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
    build("a.dat", "a.snap").expect_code(2).expect_stderr("a.dat: the name says no known format");
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
        ("\"text\"", "a.json:1: a JSON document is an array of records"),
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

#[test]
fn a_schema_file_sets_fields_in_order_and_options_change_it() {
    let folder = Folder::new();
    folder.write("a.jsonl", RECORDS);
    folder
        .write("s.toml", "[fields]\ntitle = { weight = 10.0 }\nbody = {}\n[attributes]\nsize = \"number\"\n");
    folder.write("s.json", r#"{"fields":{"title":{"weight":10},"body":{}},"attributes":{"size":"number"}}"#);
    for schema in ["s.toml", "s.json"] {
        let build = ["build", "a.jsonl", "-o", "a.snap", "--schema", schema];
        let options = ["--tokenizer", "unicode61 remove_diacritics 2", "--forms", "--cjk-bigrams"];
        let ran = folder.run(&[&build[..], &options[..]].concat()).expect_code(0);
        assert!(!ran.stderr.contains("inferred"));
        let report = folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json();
        let expected = json!({
            "tokenizer": "unicode61 remove_diacritics 2", "cjk": "bigrams", "forms": true,
            "fields": {"title": {"weight": 10.0}, "body": {}}, "attributes": {"size": "number"},
        });
        assert_eq!(report["schema"], expected, "{schema}");
        assert_eq!(report["fields"][0]["name"], "title");
    }
}

#[test]
fn schema_files_that_cannot_be_used_say_why() {
    let folder = Folder::new();
    folder.write("a.jsonl", RECORDS);
    let cases = [
        ("s.toml", "[fields\n", 1, "s.toml is no schema: TOML parse error at line 1"),
        (
            "s.toml",
            "[feilds]\n",
            1,
            "s.toml is no schema: feilds: unknown option; there are attributes, cjk, fields",
        ),
        ("s.toml", "[fields]\n", 1, "s.toml: the schema has no text field"),
        ("s.toml", "tokenizer = \"x\"\n[fields]\nt = {}\n", 1, "s.toml: there is no tokenizer x"),
        ("s.json", "{\"fields\": 1}", 1, "s.json is no schema: fields: an object is wanted, not a number"),
        ("s.yaml", "", 2, "s.yaml: a schema file's name ends in .toml or .json"),
    ];
    for (name, text, code, message) in cases {
        folder.write(name, text);
        let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--schema", name]);
        ran.expect_code(code).expect_stderr(message);
    }
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--schema", "none.toml"]);
    ran.expect_code(1).expect_stderr("none.toml cannot be read");
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--tokenizer", "nonsense"]);
    ran.expect_code(2).expect_stderr("there is no tokenizer nonsense");
}

#[test]
fn a_preset_is_a_schema_with_its_recipe() {
    let folder = Folder::new();
    folder.write(
        "a.jsonl",
        r#"{"id": "auth-jwt", "kind": "entry", "title": "Tokens", "severity": "critical"}"#,
    );
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--preset", "vault"]).expect_code(0);
    assert!(!ran.stderr.contains("inferred"), "{}", ran.stderr);
    let schema = &folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json()["schema"];
    assert_eq!((&schema["recipe"], &schema["fields"]["id"]["weight"]), (&json!("vault"), &json!(5.0)));
    let found = folder.run(&["match", "a.snap", "jwt", "--json"]).expect_code(0).json();
    assert_eq!(ids(&found["rows"]), ["auth-jwt"]);
}

#[test]
fn every_sample_builds_by_its_preset() {
    let folder = Folder::new();
    for preset in ["hybrid", "memory", "rag", "unified", "vault"] {
        let sample = format!("{}/../samples/{preset}.jsonl", env!("CARGO_MANIFEST_DIR"));
        folder.run(&["build", &sample, "-o", "a.snap", "--preset", preset]).expect_code(0);
        folder.run(&["verify", "a.snap"]).expect_code(0);
        let exported = folder.run(&["export", "a.snap"]).expect_code(0).stdout;
        folder.write("again.jsonl", &exported);
        folder.run(&["build", "again.jsonl", "-o", "again.snap", "--preset", preset]).expect_code(0);
        assert_eq!(folder.bytes("a.snap"), folder.bytes("again.snap"), "{preset}");
    }
}

#[test]
fn a_preset_that_is_none_and_one_beside_a_schema_are_errors_of_the_command_line() {
    let folder = Folder::new();
    folder.write("a.jsonl", RECORDS);
    folder.write("s.toml", "[fields]\nt = {}\n");
    let ran = folder.run(&["build", "a.jsonl", "-o", "a.snap", "--preset", "attic"]);
    ran.expect_code(2).expect_stderr("[possible values: hybrid, memory, rag, unified, vault]");
    let args = ["build", "a.jsonl", "-o", "a.snap", "--preset", "memory", "--schema", "s.toml"];
    folder
        .run(&args)
        .expect_code(2)
        .expect_stderr("'--preset <PRESET>' cannot be used with '--schema <FILE>'");
}

#[test]
fn a_model_of_a_vault_embeds_what_its_recipe_says() {
    let folder = Folder::new();
    folder.write("a.jsonl", r#"{"id": "auth-jwt", "title": "Tokens", "tags": ["login"]}"#);
    let args = ["build", "a.jsonl", "-o", "a.snap", "--preset", "vault", "--embed", "hash"];
    folder.run(&args).expect_code(0);
    let schema = &folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json()["schema"];
    assert_eq!(schema["vectors"]["hash"]["text"], json!(["title", "description", "context"]));
}

#[test]
fn a_schema_alone_builds_an_empty_snapshot() {
    let folder = Folder::new();
    folder.write("s.toml", "[fields]\nt = {}\n");
    folder.run_with_input(&["build", "-", "-o", "a.snap", "--schema", "s.toml"], "").expect_code(0);
    folder.run(&["verify", "a.snap"]).expect_code(0);
    assert_eq!(folder.run(&["match", "a.snap", "fox", "--json"]).expect_code(0).json(), json!({"rows": []}));
    assert_eq!(folder.run(&["export", "a.snap"]).expect_code(0).stdout, "");
}

// ---- search, match, suggest

#[test]
fn search_prints_hits_for_people() {
    let folder = Folder::with_snapshot(&[]);
    let ran = folder.run(&["search", "a.snap", "fox", "--count", "--facets", "project"]).expect_code(0);
    let lines = ran.stdout.lines().collect::<Vec<_>>();
    assert!(lines[0].starts_with("1. 1 (document)  "), "{}", ran.stdout);
    assert_eq!(lines[1], "   Quick [fox]");
    assert_eq!(lines[4..], ["project: api (1), web (1)", "2 in all"]);
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
fn expressions_and_words_may_start_with_a_hyphen_and_options_stand_anywhere() {
    let folder = Folder::with_snapshot(&[]);
    let rows = folder.run(&["match", "a.snap", "--json", "- title : fox"]).expect_code(0).json();
    assert_eq!(ids(&rows["rows"]), ["2"]);
    let response = folder.run(&["search", "--json", "a.snap", "-fox"]).expect_code(0).json();
    assert_eq!(ids(&response["hits"]), ["1", "2"]);
    folder.run(&["suggest", "a.snap", "--limit", "1", "-fo"]).expect_code(0);
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
        assert!(error["error"].as_str().unwrap().starts_with("this is no question: "), "{error}");
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

// ---- inspect, verify, export

#[test]
fn inspect_tells_counts_schema_and_sections() {
    let folder = Folder::with_snapshot(&["--forms"]);
    let report = folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json();
    assert_eq!((&report["records"], &report["format"]), (&json!(3), &json!(1)));
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
    assert_eq!(ran.stdout, "a.snap: whole and sound, 3 records\n");
    let sound = folder.bytes("a.snap");
    for at in [0, 20, sound.len() / 2, sound.len() - 1] {
        let mut damaged = sound.clone();
        damaged[at] ^= 1;
        folder.write("damaged.snap", damaged);
        let ran = folder.run(&["verify", "damaged.snap"]).expect_code(1).expect_stderr("damaged.snap: ");
        assert_eq!(ran.stdout, "");
    }
    folder.write("short.snap", &sound[..sound.len() - 1]);
    folder.run(&["verify", "short.snap"]).expect_code(1).expect_stderr("fetch it again, whole");
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

#[test]
fn help_has_examples_for_those_who_need_them() {
    let folder = Folder::new();
    for command in ["build", "search", "match", "suggest", "export", "serve"] {
        let ran = folder.run(&[command, "--help"]).expect_code(0);
        assert!(ran.stdout.contains("Example") && ran.stdout.contains("snapseek "), "{command}");
    }
    assert!(folder.run(&["--version"]).expect_code(0).stdout.starts_with("snapseek "));
}

// ---- signals

/// Sends what Ctrl-C sends.
#[cfg(unix)]
fn interrupt(child: &Child) {
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
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
    // The handler is set before the file is made.
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(folder.names(), ["s.toml"]);
}

// ---- serve

/// A server, ended with the test.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start(folder: &Folder) -> Server {
        let mut child = folder.command(&["serve", "a.snap", "--port", "0"]).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").unwrap().strip_suffix('/').unwrap().to_owned();
        assert!(address.starts_with("127.0.0.1:"));
        Server { child, address }
    }

    /// The head and the body of the answer.
    fn ask(&self, request: &str) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        write!(stream, "{request} HTTP/1.1\r\nHost: {}\r\n\r\n", self.address).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..end].to_vec()).unwrap(), answer[end + 4..].to_vec())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn serve_gives_the_page_the_package_and_the_snapshot_with_their_types() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/index.html", "<!doctype html>");
    folder.write("www/main.js", "1;");
    folder.write("pkg/snapseek_bg.wasm", b"\0asm");
    let server = Server::start(&folder);
    let snapshot = folder.bytes("a.snap");
    let cases: [(&str, &str, &[u8]); 5] = [
        ("/", "text/html; charset=utf-8", b"<!doctype html>"),
        ("/index.html", "text/html; charset=utf-8", b"<!doctype html>"),
        ("/main.js?v=1", "text/javascript; charset=utf-8", b"1;"),
        ("/pkg/snapseek_bg.wasm", "application/wasm", b"\0asm"),
        ("/demo.snap", "application/octet-stream", &snapshot),
    ];
    for (path, kind, expected) in cases {
        let (head, body) = server.ask(&format!("GET {path}"));
        assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{path}: {head}");
        assert!(head.contains(&format!("\r\nContent-Type: {kind}\r\n")), "{path}: {head}");
        assert!(head.contains(&format!("\r\nContent-Length: {}\r\n", expected.len())), "{path}: {head}");
        assert!(body == expected, "{path}");
    }
    assert_eq!(server.ask("HEAD /main.js").1, b"");
}

#[test]
fn serve_refuses_what_lies_outside_of_its_folders() {
    let folder = Folder::with_snapshot(&[]);
    folder.write("www/index.html", "<!doctype html>");
    folder.write("www/.hidden", "secret");
    folder.write("secret.txt", "secret");
    #[cfg(unix)]
    std::os::unix::fs::symlink(folder.path("secret.txt"), folder.path("www/link.txt")).unwrap();
    let server = Server::start(&folder);
    let cases = [
        ("GET /none.html", "404"),
        ("GET /none/", "404"),
        ("GET /pkg/none.js", "404"),
        ("GET /../secret.txt", "403"),
        ("GET /%2e%2e/secret.txt", "403"),
        ("GET /..%2fsecret.txt", "403"),
        ("GET /..%5csecret.txt", "403"),
        ("GET /pkg/../secret.txt", "403"),
        ("GET /.hidden", "403"),
        ("GET secret.txt", "400"),
        ("GET /%ff", "400"),
        ("POST /", "405"),
    ];
    for (request, status) in cases {
        let (head, body) = server.ask(request);
        assert!(head.starts_with(&format!("HTTP/1.1 {status} ")), "{request}: {head}");
        assert!(!body.windows(6).any(|bytes| bytes == b"secret"), "{request}");
    }
    #[cfg(unix)]
    assert!(server.ask("GET /link.txt").0.starts_with("HTTP/1.1 403 "));
}

#[cfg(unix)]
#[test]
fn serve_ends_well_when_it_is_interrupted() {
    let folder = Folder::with_snapshot(&[]);
    fs::create_dir(folder.path("www")).unwrap();
    let mut server = Server::start(&folder);
    interrupt(&server.child);
    assert_eq!(server.child.wait().unwrap().code(), Some(0));
}

#[test]
fn serve_says_what_is_missing_before_it_starts() {
    let folder = Folder::with_snapshot(&[]);
    folder.run(&["serve", "a.snap"]).expect_code(1).expect_stderr("there is no folder www");
    fs::create_dir(folder.path("www")).unwrap();
    folder.run(&["serve", "none.snap"]).expect_code(1).expect_stderr("none.snap cannot be read");
    folder.run(&["serve", "a.snap", "--port", "x"]).expect_code(2);
}
