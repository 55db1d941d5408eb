//! Generates the tables of code points that snapseek compiles in. `cargo xtask gen-…` runs it.
//!
//! Each generator asks a library what it does to every code point, so that snapseek does the same. The same libraries
//! give the same bytes; `--check` tells whether the committed files have them.

mod fts5;
mod normal;
mod unicode;

use std::error::Error;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{}: {error}", arguments.first().unwrap_or(&"tables"));
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<(), Box<dyn Error>> {
    let (generator, is_check) = match arguments {
        [generator] => (*generator, false),
        [generator, "--check"] => (*generator, true),
        _ => return Err("usage: tables (gen-tables | gen-unicode | gen-normal) [--check]".into()),
    };
    let (file, bytes) = match generator {
        "gen-tables" => (fts5::FILE, fts5::table()?.into_bytes()),
        "gen-unicode" => (unicode::FILE, unicode::table()),
        "gen-normal" => (normal::FILE, normal::table()?.into_bytes()),
        _ => return Err("there is no such generator".into()),
    };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if !is_check {
        return Ok(std::fs::write(path, bytes)?);
    }
    if std::fs::read(path)? == bytes { Ok(()) } else { Err(format!("{file} is not up to date").into()) }
}
