//! snapseek on the command line: the first user of the library's public API.
//!
//! Answers go to stdout, everything else to stderr. Exit codes: 0 done, 1 the data or the question is wrong, 2 the
//! command line is wrong.

mod command;
mod embedding;
mod evaluation;
mod failure;
mod gather;
mod input;
mod output;
mod parallel;
mod pieces;
mod print;
mod progress;
mod provider;
mod recipe;
mod schema_file;
mod server;
mod snapshot;
mod split;
mod vectors;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match command::Arguments::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
