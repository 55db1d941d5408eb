//! snapseek on the command line: the first user of the library's public API.
//!
//! Results go to stdout, everything else to stderr. Exit codes: 0 success, 1 bad data or a bad query, 2 a bad command
//! line.

mod command;
mod embedding;
mod evaluation;
mod failure;
mod gather;
mod input;
mod names;
mod neighbours;
mod output;
mod parallel;
mod parts;
mod pieces;
mod print;
mod progress;
mod provider;
mod rebuild;
mod recipe;
mod schema_file;
mod server;
mod signals;
mod snapshot;
mod split;
mod tuning;
mod vectors;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    match command::Arguments::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}
