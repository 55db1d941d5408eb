//! Snapshots whose documents are in other files, on the command line.

mod support;

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use support::Folder;

fn records(count: usize) -> String {
    let line = |i: usize| {
        let words = (0..60).map(|word| format!("w{}", (i * 7919 + word * word * 104_729) % 9973));
        let words = words.collect::<Vec<_>>().join(" ");
        format!("{{\"id\":{i},\"title\":\"number {i} fox\",\"body\":\"{words}\"}}\n")
    };
    (0..count).map(line).collect()
}

/// Creates a folder with `whole.snap` and `a.snap` from the same records; `args` are for the second.
fn folder(args: &[&str]) -> Folder {
    let folder = Folder::new();
    folder.write("a.jsonl", records(600));
    folder.run(&["build", "a.jsonl", "-o", "whole.snap"]).expect_code(0);
    folder.build(&[&["a.jsonl"], args].concat()).expect_code(0);
    folder
}

const QUESTIONS: [&[&str]; 6] = [
    &["search", "FILE", "fox w12 w77", "--json", "--explain"],
    &["search", "FILE", "number"],
    &["match", "FILE", "w12 OR w100", "--json", "--snippet", "-1,[,],...,8", "--highlight", "0,[,]"],
    &["match", "FILE", "fox", "--limit", "3"],
    &["export", "FILE"],
    &["verify", "FILE"],
];

#[track_caller]
fn assert_same_answers(folder: &Folder) {
    for question in QUESTIONS {
        let ask = |file: &str| {
            let args =
                question.iter().map(|word| if *word == "FILE" { file } else { word }).collect::<Vec<_>>();
            let shown = folder.run(&args).expect_code(0).stdout.replace(file, "FILE");
            // The time that a search took differs from run to run.
            shown.split(",\"elapsed\":").next().unwrap_or_default().to_owned()
        };
        assert_eq!(ask("a.snap"), ask("whole.snap"), "{question:?}");
    }
}

#[test]
fn a_pair_of_files_answers_as_the_whole_snapshot() {
    let folder = folder(&["--split-docs"]);
    assert_eq!(folder.names(), ["a.jsonl", "a.snap", "a.snap.docs", "whole.snap"]);
    assert_same_answers(&folder);
    let (pair, whole) =
        (folder.bytes("a.snap").len() + folder.bytes("a.snap.docs").len(), folder.bytes("whole.snap").len());
    assert!(folder.bytes("a.snap").len() < whole && pair < whole + 4096, "{pair} and {whole} bytes");
    let report = folder.run(&["inspect", "a.snap", "--json"]).expect_code(0).json();
    assert_eq!(report["documentFiles"][0]["name"], "a.snap.docs");
    assert_eq!(report["documentFiles"][0]["bytes"], folder.bytes("a.snap.docs").len());
    let shown = folder.run(&["inspect", "a.snap"]).expect_code(0).stdout;
    assert!(shown.contains("documents in other files\n  a.snap.docs"), "{shown}");
}

#[test]
fn documents_are_divided_among_files_of_a_size() {
    let folder = folder(&["--split-docs", "--max-file-size", "50KB"]);
    let names = folder.names().into_iter().filter(|name| name.contains(".docs")).collect::<Vec<_>>();
    assert!(names.len() > 2 && names[0] == "a.snap.docs.0" && names[1] == "a.snap.docs.1", "{names:?}");
    assert!(names.iter().all(|name| folder.bytes(name).len() <= 50_000));
    assert_same_answers(&folder);
    let first = names.iter().map(|name| folder.bytes(name)).collect::<Vec<_>>();
    let snapshot = folder.bytes("a.snap");
    folder.build(&["a.jsonl", "--split-docs", "--max-file-size", "50KB", "--threads", "1"]).expect_code(0);
    assert!(folder.bytes("a.snap") == snapshot && names.iter().map(|name| folder.bytes(name)).eq(first));
}

#[test]
fn what_an_earlier_build_left_is_removed_and_nothing_else() {
    let folder = folder(&["--split-docs", "--max-file-size", "50KB"]);
    folder.write("a.snap.docs.notes", "mine");
    folder.build(&["a.jsonl", "--split-docs"]).expect_code(0);
    assert_eq!(folder.names(), ["a.jsonl", "a.snap", "a.snap.docs", "a.snap.docs.notes", "whole.snap"]);
    folder.build(&["a.jsonl"]).expect_code(0);
    assert_eq!(folder.names(), ["a.jsonl", "a.snap", "a.snap.docs.notes", "whole.snap"]);
    folder.write("a.snap.docs", "mine, too");
    folder
        .build(&["a.jsonl", "--split-docs"])
        .expect_code(2)
        .expect_stderr("a.snap.docs exists and is not a file of documents");
    assert_eq!(folder.bytes("a.snap.docs"), b"mine, too");
    assert_eq!(folder.bytes("a.snap"), folder.bytes("whole.snap"), "the snapshot is the one before");
    folder.build(&["a.jsonl", "--split-docs", "--force"]).expect_code(0);
    assert_same_answers(&folder);
}

#[test]
fn missing_foreign_and_damaged_files_of_documents_are_told_apart() {
    let folder = folder(&["--split-docs"]);
    let documents = folder.bytes("a.snap.docs");
    let ask = |text: &str| folder.run(&["search", "a.snap", "fox"]).expect_code(1).expect_stderr(text);
    fs::remove_file(folder.path("a.snap.docs")).unwrap();
    ask("a.snap.docs is missing");
    folder.write("a.snap.docs", &documents[..documents.len() - 1]);
    ask("bytes, but the snapshot expects");
    folder.write("b.jsonl", records(500));
    folder.run(&["build", "b.jsonl", "-o", "b.snap", "--split-docs"]).expect_code(0);
    folder.write("a.snap.docs", folder.bytes("b.snap.docs"));
    ask("does not belong to the snapshot beside it");
    let mut damaged = documents.clone();
    damaged[20] ^= 1;
    folder.write("a.snap.docs", &damaged);
    folder.run(&["verify", "a.snap"]).expect_code(1).expect_stderr("the document file is damaged");
    folder.run(&["export", "a.snap"]).expect_code(1).expect_stderr("the document file is damaged");
}

#[test]
fn sizes_that_cannot_be_used_say_why() {
    let folder = folder(&[]);
    folder.build(&["a.jsonl", "--max-file-size", "1MiB"]).expect_code(2).expect_stderr("--split-docs");
    folder
        .build(&["a.jsonl", "--split-docs", "--max-file-size", "huge"])
        .expect_code(2)
        .expect_stderr("no unit");
    let small = folder.build(&["a.jsonl", "--split-docs", "--max-file-size", "100"]).expect_code(1);
    small.expect_stderr("--max-file-size is too small: a block of documents needs a file of");
    assert_eq!(folder.names(), ["a.jsonl", "a.snap", "whole.snap"]);
    let large = folder.build(&["a.jsonl", "--split-docs", "--max-file-size", "16KiB"]).expect_code(0);
    large.expect_stderr("a.snap itself has").expect_stderr("only documents are divided");
}

#[test]
fn serve_gives_ranges_of_documents() {
    let folder = folder(&["--split-docs"]);
    folder.write("www/index.html", "<!doctype html>");
    let mut child = folder.command(&["serve", "a.snap", "--port", "0", "--www", "www"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("http://").unwrap().trim_end_matches('/').to_owned();
    let ask = |range: &str| {
        let mut stream = TcpStream::connect(&address).unwrap();
        write!(stream, "GET /demo.snap.docs HTTP/1.1\r\nHost: {address}\r\nRange: {range}\r\n\r\n").unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").unwrap();
        (String::from_utf8(answer[..end].to_vec()).unwrap(), answer[end + 4..].to_vec())
    };
    let documents = folder.bytes("a.snap.docs");
    let (head, body) = ask("bytes=16-99");
    let (beyond, _) = ask(&format!("bytes={}-", documents.len()));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(head.starts_with("HTTP/1.1 206 "), "{head}");
    assert!(head.contains(&format!("Content-Range: bytes 16-99/{}\r\n", documents.len())), "{head}");
    assert_eq!(body, documents[16..100]);
    assert!(beyond.starts_with("HTTP/1.1 416 "), "{beyond}");
}
