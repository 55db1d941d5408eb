//! `snapseek suggest`: completes the last word of a text.

use super::with_more_words;
use crate::{print, snapshot};
use anyhow::Result;
use serde::Serialize;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_long_help = "Example:\n  snapseek suggest notes.snap how to inst --limit 5")]
pub struct SuggestArgs {
    /// The snapshot; if it was built with --forms, words are suggested as written
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,

    /// The text; its last word is completed
    #[arg(allow_hyphen_values = true)]
    text: String,

    /// Further words of the text
    #[arg(value_name = "TEXT", hide = true)]
    more: Vec<String>,

    /// The number of words, the most frequent first
    #[arg(long, value_name = "N", default_value_t = 10)]
    limit: usize,

    /// Prints {"suggestions": [...]} as one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Serialize)]
struct Suggestions {
    suggestions: Vec<Suggestion>,
}

#[derive(Debug, Serialize)]
struct Suggestion {
    word: String,
    count: u64,
}

pub fn run(args: &SuggestArgs) -> Result<()> {
    let found = snapshot::open(&args.file)?.suggest(&with_more_words(&args.text, &args.more), args.limit)?;
    let suggestions = found.into_iter().map(|(word, count)| Suggestion { word, count }).collect();
    let answer = Suggestions { suggestions };
    if args.json {
        return print::json(&answer);
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for Suggestion { word, count } in &answer.suggestions {
        writeln!(out, "{}\t{count}", print::plain(word))?;
    }
    Ok(out.flush()?)
}
