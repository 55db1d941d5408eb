//! The command line as its users see it: arguments and files in, output and exit codes out.
//!
//! This file holds the shared parts of the test.

mod arguments;
mod build;
mod faults;
mod formats;
mod inspect;
mod matching;
mod schema;
mod search;
mod serve;
#[path = "../support/mod.rs"]
mod support;

use serde_json::Value;
#[cfg(unix)]
use std::process::{Child, Command};
use support::Folder;

const RECORDS: &str = r#"{"id": "1", "title": "Quick fox", "body": "It jumps over the lazy dog.", "project": ["web"], "size": 3}
{"id": 2, "title": "Slow dog", "body": "It sleeps; the fox is installing things.", "project": ["api"], "size": 10}

{"id": "3", "kind": "note", "title": "Nothing", "body": "Neither of them.", "project": ["web", "api"], "size": 7}
"#;

impl Folder {
    /// Creates a folder with `a.jsonl` and its snapshot `a.snap`.
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

/// Returns enough records for several chunks.
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

/// Sends the signal of Ctrl-C.
#[cfg(unix)]
fn interrupt(child: &Child) {
    let kill = format!("kill -INT {}", child.id());
    assert!(Command::new("sh").args(["-c", &kill]).status().unwrap().success());
}
