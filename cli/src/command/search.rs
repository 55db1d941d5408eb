//! `snapseek search`: words in, hits out.

use super::parse_filter;
use crate::print::{self, Marks};
use crate::snapshot;
use anyhow::Result;
use snapseek::json::Json;
use snapseek::recipe::{Explain, Hit};
use snapseek::{SearchOptions, SearchResponse};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct Args {
    /// The snapshot
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,

    /// The words to look for; any of them is enough
    #[arg(allow_hyphen_values = true)]
    query: String,

    /// Which search: keyword
    #[arg(long)]
    mode: Option<String>,

    /// How many hits, best first [default: 10]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// How many of the best hits to leave out
    #[arg(long, value_name = "N")]
    offset: Option<usize>,

    /// Conditions on attributes
    #[arg(long, value_name = "JSON", value_parser = parse_filter)]
    filter: Option<Json>,

    /// Counts the values of these attributes over all matches
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    facets: Vec<String>,

    /// Takes the last word for the beginning of one
    #[arg(long)]
    as_you_type: bool,

    /// How many typing errors a word that the index lacks may have: 0 to 2
    #[arg(long, value_name = "N", default_value_t = 0)]
    typos: u8,

    /// Counts all matches
    #[arg(long)]
    count: bool,

    /// Shows what made each score
    #[arg(long)]
    explain: bool,

    /// Shows the whole records
    #[arg(long)]
    records: bool,

    /// Prints the response as one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"Examples:
  snapseek search notes.snap 'jwt validation'
  snapseek search notes.snap 'jwt valid' --as-you-type --typos 1
  snapseek search notes.snap jwt --filter '{"project": "web", "tags": {"any": ["a", "b"]}}'
  snapseek search notes.snap jwt --filter '{"createdAt": {"gte": "2024-05-01"}}' --count
  snapseek search notes.snap jwt --json | jq -r '.hits[].id'

Filters take
  for strings            any, all, none, eq, ne, exists
  for numbers and times  eq, ne, any, none, gt, gte, lt, lte, exists
  for booleans           eq, ne, exists
and {"not": {...}} and {"or": [{...}, {...}]} around them."#;

/// So many values of a facet are shown to people.
const SHOWN_VALUES: usize = 10;

pub fn run(args: Args) -> Result<()> {
    let engine = snapshot::open(&args.file)?;
    let mut options = SearchOptions {
        limit: args.limit,
        offset: args.offset,
        mode: args.mode,
        filter: args.filter,
        facets: args.facets,
        as_you_type: args.as_you_type,
        typos: args.typos,
        count: args.count,
        explain: args.explain,
        records: args.records,
        ..SearchOptions::default()
    };
    if args.json {
        return print::json(&engine.search(&args.query, &options)?);
    }
    options.snippet.raw = true;
    Marks::OPEN.clone_into(&mut options.snippet.open);
    Marks::CLOSE.clone_into(&mut options.snippet.close);
    let response = engine.search(&args.query, &options)?;
    for warning in &response.warnings {
        print::note(format_args!("warning: {warning}"));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    print_response(&mut out, &response, options.offset.unwrap_or(0))?;
    Ok(out.flush()?)
}

fn print_response(out: &mut impl Write, response: &SearchResponse, offset: usize) -> io::Result<()> {
    for correction in &response.corrected {
        let (word, instead) = (print::plain(&correction.word), print::plain(&correction.instead.join(", ")));
        writeln!(out, "{word} is not there; looked for {instead}")?;
    }
    for (number, hit) in response.hits.iter().enumerate() {
        print_hit(out, offset + number + 1, hit)?;
    }
    if response.hits.is_empty() {
        writeln!(out, "no hits")?;
    }
    for facet in &response.facets {
        let shown = facet.values.iter().take(SHOWN_VALUES);
        let shown = shown.map(|value| format!("{} ({})", print::plain(&value.value), value.count));
        let more = if facet.values.len() > SHOWN_VALUES { ", …" } else { "" };
        writeln!(out, "{}: {}{more}", facet.attribute, shown.collect::<Vec<_>>().join(", "))?;
    }
    match response.total {
        Some(total) => writeln!(out, "{total} in all"),
        None => Ok(()),
    }
}

fn print_hit(out: &mut impl Write, number: usize, hit: &Hit) -> io::Result<()> {
    let (id, kind) = (print::plain(&hit.id), print::plain(&hit.kind));
    writeln!(out, "{number}. {id} ({kind})  {:.4}", hit.score)?;
    if let Some(snippet) = &hit.snippet {
        writeln!(out, "   {}", Marks::for_stdout().apply(snippet))?;
    }
    if let Some(explain) = &hit.explain {
        print_explain(out, explain)?;
    }
    match &hit.record {
        Some(record) => writeln!(out, "   {}", print::plain(&record.to_text())),
        None => Ok(()),
    }
}

fn print_explain(out: &mut impl Write, explain: &Explain) -> io::Result<()> {
    for phrase in &explain.phrases {
        let (name, hits) = (print::plain(&phrase.phrase), phrase.hits);
        let (part, idf, frequency) = (phrase.part, phrase.idf, phrase.frequency);
        writeln!(out, "   {part:.4} = {name}: idf {idf:.4}, frequency {frequency}, in {hits} records")?;
    }
    writeln!(out, "   {} tokens, {:.1} on average", explain.length, explain.average_length)
}
