//! Folders of Markdown, HTML and text, and `--chunk`, as users of the command line see them.

mod support;

use serde_json::json;
use support::{Folder, all};

const GUIDE: &str = "---\ntitle: The Guide\ntags: [setup, linux]\ndate: 2024-05-01\nweight: 3\n---\n\n# Guide\n\n## Install\n\nGet it.\n\n```sh\n# no heading\n```\n\n### Linux\n\nUse the package manager.\n";

/// Creates a folder with documents of every kind, and with other files.
fn docs() -> Folder {
    let folder = Folder::new();
    folder.write("docs/guide/install.md", GUIDE);
    folder.write(
        "docs/index.html",
        "<title>Home</title><nav>Menu</nav><h1>Welcome</h1><p>Foxes &amp; dogs.</p>",
    );
    folder.write("docs/notes.txt", "Plain words about foxes.\n");
    folder.write("docs/empty.md", "\n\n");
    folder.write("docs/.hidden.md", "hidden");
    folder.write("docs/.git/x.md", "hidden");
    folder.write("docs/node_modules/x/readme.md", "tool");
    folder.write("docs/target/x.md", "tool");
    folder.write("docs/drafts/x.md", "ignored");
    folder.write("docs/.gitignore", "drafts/\n");
    folder.write("docs/logo.svg", "<svg/>");
    folder
}

#[test]
fn a_folder_becomes_a_record_for_every_chunk_in_the_order_of_the_paths() {
    let records = docs().records(&["docs"]);
    let expected = ["guide/install.md:0", "guide/install.md:1", "index.html:0", "notes.txt:0"];
    assert_eq!(all(&records, "id"), expected);
    assert_eq!(
        records[0],
        json!({
            "id": "guide/install.md:0", "title": "The Guide", "heading": "Guide > Install",
            "text": "# Guide\n\n## Install\n\nGet it.\n\n```sh\n# no heading\n```\n\n",
            "url": "/guide/install.md", "anchor": "install", "section": "guide",
            "path": "guide/install.md", "chunkIndex": 0, "offset": 74, "line": 8,
            "tags": ["setup", "linux"], "date": "2024-05-01", "weight": 3,
        })
    );
    assert_eq!(records[1]["heading"], "Guide > Install > Linux");
    assert_eq!((&records[1]["line"], &records[1]["chunkIndex"]), (&json!(18), &json!(1)));
    assert_eq!(all(&records[2..], "title"), ["Home", "notes"]);
    assert_eq!(all(&records[2..], "text"), ["Welcome\n\nFoxes & dogs.", "Plain words about foxes.\n"]);
}

#[test]
fn offsets_point_to_the_chunk_in_the_file() {
    let folder = Folder::new();
    let text =
        (0..300).map(|i| format!("## Ä{i}\n\nSatz {i} über Füchse 🦊. {}\n\n", "Wort ".repeat(i % 90)));
    let text = text.collect::<String>();
    folder.write("a.md", format!("\u{feff}{text}"));
    let records = folder.records(&["a.md", "--chunk", "text:120:30"]);
    assert!(records.len() > 300);
    for record in &records {
        let offset = record["offset"].as_u64().unwrap() as usize;
        let chunk = record["text"].as_str().unwrap();
        assert!(text.chars().skip(offset).take(120).collect::<String>().starts_with(chunk), "{record}");
    }
}

#[test]
fn the_snapshot_does_not_depend_on_threads_or_on_where_the_folder_is() {
    let folder = docs();
    folder.build(&["docs", "--threads", "1"]).expect_code(0);
    let first = folder.bytes("a.snap");
    folder.build(&["docs", "--threads", "4"]).expect_code(0);
    assert!(folder.bytes("a.snap") == first);
    let absolute = folder.path("docs").display().to_string();
    folder.build(&[&absolute]).expect_code(0);
    assert!(folder.bytes("a.snap") == first);
}

#[cfg(unix)]
#[test]
fn links_to_files_are_read_and_loops_of_folders_are_not_entered() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new();
    folder.write("docs/a.md", "fox");
    folder.write("elsewhere/b.md", "dog");
    symlink(folder.path("docs"), folder.path("docs/loop")).unwrap();
    symlink(folder.path("elsewhere/b.md"), folder.path("docs/c.md")).unwrap();
    symlink(folder.path("nowhere"), folder.path("docs/d.md")).unwrap();
    assert_eq!(all(&folder.records(&["docs"]), "id"), ["a.md:0", "c.md:0"]);
}

#[test]
fn bad_documents_name_their_file_and_line_and_can_be_left_out() {
    let folder = Folder::new();
    folder.write("docs/a.md", "fox");
    folder.write("docs/b.md", "---\na: [1\n---\ntext");
    folder.write("docs/c.txt", b"ok\nbad \xff\n");
    folder
        .build(&["docs"])
        .expect_code(1)
        .expect_stderr("docs/b.md:")
        .expect_stderr("the front matter is not valid YAML");
    let ran = folder.build(&["docs", "--skip-bad"]).expect_code(0);
    ran.expect_stderr("docs/c.txt:2: this is not UTF-8").expect_stderr("2 bad records skipped");
    assert_eq!(all(&folder.records(&["docs", "--skip-bad"]), "id"), ["a.md:0"]);
}

#[test]
fn folders_that_cannot_be_used_say_why() {
    let folder = docs();
    folder.write("other/notes.txt", "x");
    folder.write("none/data.bin", "x");
    folder.build(&["none"]).expect_code(1).expect_stderr("none holds no documents");
    folder.build(&["docs", "--format", "csv"]).expect_code(2).expect_stderr("docs is a folder");
    let ran = folder.build(&["docs", "other"]).expect_code(2);
    ran.expect_stderr("would both have the ids notes.txt:0 and so on");
    let records = folder.records(&["docs", "--format", "text"]);
    assert!(records.iter().any(|record| record["text"].as_str().unwrap().contains("<nav>")));
}

#[test]
fn long_records_are_cut_and_their_pieces_found() {
    let folder = Folder::new();
    let body = (0..60).map(|i| format!("Sentence number {i} is about item{i}. ")).collect::<String>();
    let lines = [
        json!({"id": "long", "kind": "note", "title": "Long", "body": body, "tags": ["x"]}),
        json!({"id": "none", "title": "No body"}),
    ];
    folder.write("a.jsonl", lines.map(|line| line.to_string()).join("\n"));
    let records = folder.records(&["a.jsonl", "--chunk", "body:300:60"]);
    let (pieces, whole) = records.split_at(records.len() - 1);
    assert_eq!(whole, [json!({"id": "none", "title": "No body"})]);
    assert!(pieces.len() > 6);
    for (index, piece) in pieces.iter().enumerate() {
        assert_eq!((&piece["id"], &piece["chunkIndex"]), (&json!(format!("long#{index}")), &json!(index)));
        assert_eq!(
            (&piece["parentId"], &piece["kind"], &piece["tags"]),
            (&json!("long"), &json!("note"), &json!(["x"]))
        );
        let text = piece["body"].as_str().unwrap();
        let offset = piece["charOffset"].as_u64().unwrap() as usize;
        assert!(text.len() <= 300 && body[offset..].starts_with(text));
        assert_eq!(piece["tokenCount"], json!(text.len().div_ceil(4)));
    }
    let found = folder.run(&["match", "a.snap", "item59", "--json"]).expect_code(0).stdout;
    assert!(found.contains(&format!("long#{}", pieces.len() - 1)), "{found}");
}

#[test]
fn later_versions_leave_no_pieces_of_earlier_ones_behind() {
    let folder = Folder::new();
    let words = |count: usize| "word ".repeat(count);
    let line = |id: &str, count: usize| json!({"id": id, "t": "x", "body": words(count)}).to_string();
    let lines = [
        line("a", 100),
        line("b", 100),
        line("c", 100),
        line("a", 20),
        json!({"$": "delete", "id": "b"}).to_string(),
        json!({"id": "c", "t": "no body"}).to_string(),
    ];
    folder.write("all.jsonl", lines.join("\n"));
    folder.write("1.jsonl", lines[..3].join("\n"));
    folder.write("2.jsonl", lines[3..].join("\n"));
    for inputs in [&["all.jsonl"][..], &["1.jsonl", "2.jsonl"]] {
        let records = folder.records(&[inputs, &["--chunk", "body:100:0"]].concat());
        assert_eq!(all(&records, "id"), ["a#0", "c"], "{inputs:?}");
    }
}

#[test]
fn fields_and_sizes_that_cannot_be_cut_say_why() {
    let folder = Folder::new();
    folder.write("a.jsonl", "{\"id\":1,\"t\":\"x\",\"n\":5}\n");
    for (chunk, message) in [
        ("t:0", "a chunk cannot have 0 characters"),
        ("t:10:10", "the overlap has to be less than the size"),
        ("id", "\"id\" cannot be cut"),
        ("t:many", "\"many\" is not a valid size"),
    ] {
        folder.build(&["a.jsonl", "--chunk", chunk]).expect_code(2).expect_stderr(message);
    }
    folder.build(&["a.jsonl", "--chunk", "n"]).expect_code(1).expect_stderr("a.jsonl:1: \"n\" is a number");
}
