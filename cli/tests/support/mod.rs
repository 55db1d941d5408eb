//! A folder for one test, and the binary that runs in it.
#![allow(dead_code, reason = "each test file uses its own part of this")]

use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use tempfile::TempDir;

pub struct Folder(TempDir);

pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>();
        names.sort();
        names
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_snapseek"));
        command.args(args).current_dir(self.0.path()).stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::of(self.command(args).output().unwrap())
    }

    pub fn run_with_input(&self, args: &[&str], input: impl AsRef<[u8]>) -> Ran {
        let mut child = self.command(args).stdin(Stdio::piped()).spawn().unwrap();
        // A child that stops early closes its end. The test checks the exit code.
        let _ = child.stdin.take().unwrap().write_all(input.as_ref());
        Ran::of(child.wait_with_output().unwrap())
    }

    /// Builds `a.snap` with these arguments.
    #[track_caller]
    pub fn build(&self, args: &[&str]) -> Ran {
        self.run(&[&["build", "-o", "a.snap"], args].concat())
    }

    /// Builds a snapshot with these arguments, and returns its records.
    #[track_caller]
    pub fn records(&self, args: &[&str]) -> Vec<Value> {
        self.build(args).expect_code(0);
        let lines = self.run(&["export", "a.snap"]).expect_code(0).stdout;
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Ran {
    pub fn of(output: Output) -> Ran {
        Ran {
            code: output.status.code().expect("it was not killed"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    #[track_caller]
    pub fn expect_code(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self
    }

    #[track_caller]
    pub fn expect_stderr(self, text: &str) -> Ran {
        assert!(self.stderr.contains(text), "{text:?} is missing in: {}", self.stderr);
        self
    }

    /// Returns stdout, which must be one JSON document and nothing else.
    #[track_caller]
    pub fn json(self) -> Value {
        serde_json::from_str(&self.stdout).expect("stdout is one JSON document")
    }
}

/// Returns the values of a field, one per record.
pub fn all<'a>(records: &'a [Value], field: &str) -> Vec<&'a str> {
    records.iter().map(|record| record[field].as_str().unwrap_or("")).collect()
}
