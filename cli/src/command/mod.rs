//! The commands. Each has a file with its arguments and its code.

mod build;
mod completions;
mod eval;
mod export;
mod inspect;
mod man;
mod match_;
mod model;
mod search;
mod serve;
mod suggest;
mod tune;
mod verify;

use anyhow::Result;
use clap::{Parser, Subcommand};
use snapseek::json::Json;

/// Hybrid search you can ship as a file.
#[derive(Debug, Parser)]
#[command(name = "snapseek", version, max_term_width = 100, after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const EXAMPLES: &str = "\
Examples:
  snapseek build notes.jsonl -o notes.snap
  snapseek search notes.snap quick fox

Exit codes: 0 success, 1 bad data or a bad query, 2 a bad command line.";

#[derive(Debug, Subcommand)]
enum Command {
    /// Builds a snapshot from records.
    Build(build::BuildArgs),
    /// Finds the best records for a query.
    Search(search::SearchArgs),
    /// Finds the rows that match an FTS5 expression, with the scores of SQLite.
    Match(match_::MatchArgs),
    /// Completes the last word of a text.
    Suggest(suggest::SuggestArgs),
    /// Shows the contents of a snapshot.
    Inspect(inspect::InspectArgs),
    /// Checks every byte of a snapshot.
    Verify(verify::VerifyArgs),
    /// Prints the records of a snapshot, as JSON lines.
    Export(export::ExportArgs),
    /// Measures the quality of results against judged queries.
    Eval(eval::EvalArgs),
    /// Finds the settings that suit judged queries best.
    Tune(tune::TuneArgs),
    /// Writes a static model into one file, for `build` and for JavaScript.
    Model(model::ModelArgs),
    /// Serves a search page for a snapshot, on this machine only.
    Serve(serve::ServeArgs),
    /// Prints a script that completes commands in a shell.
    Completions(completions::CompletionsArgs),
    /// Prints the manual page, or writes the pages of all commands.
    Man(man::ManArgs),
}

impl Arguments {
    /// Runs the command.
    pub fn run(self) -> Result<()> {
        match self.command {
            Command::Build(args) => build::run(&args),
            Command::Search(args) => search::run(args),
            Command::Match(args) => match_::run(args),
            Command::Suggest(args) => suggest::run(&args),
            Command::Inspect(args) => inspect::run(&args),
            Command::Verify(args) => verify::run(&args),
            Command::Export(args) => export::run(&args),
            Command::Eval(args) => eval::run(&args),
            Command::Tune(args) => tune::run(&args),
            Command::Model(args) => model::run(&args),
            Command::Serve(args) => serve::run(&args),
            Command::Completions(args) => completions::run(&args),
            Command::Man(args) => man::run(&args),
        }
    }
}

/// Joins the words of a query that was typed without quotes. Only the first may start with a hyphen, because options follow.
fn with_more_words(first: &str, more: &[String]) -> String {
    more.iter().fold(first.to_owned(), |words, word| words + " " + word)
}

/// Parses a filter.
fn parse_filter(text: &str) -> Result<Json, String> {
    match Json::parse(text.as_bytes()) {
        Ok(json @ Json::Object(_)) => Ok(json),
        Ok(json) => Err(format!("pass a JSON object such as {{\"project\": \"web\"}}, not {}", json.kind())),
        Err(error) => Err(format!("this is not JSON: {error}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_defined() {
        Arguments::command().debug_assert();
    }
}
