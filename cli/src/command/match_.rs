//! `snapseek match`: runs FTS5 expressions.

use super::parse_filter;
use crate::{print, snapshot};
use anyhow::{Context, Result, anyhow};
use serde::Serialize;
use snapseek::json::Json;
use snapseek::options::Options;
use snapseek::{
    Column, Engine, HighlightOptions, MatchOptions, MatchRow, MatchSnippet, SearchError, SearchFault,
};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct MatchArgs {
    /// The snapshot
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,

    /// The expression, as after MATCH in FTS5
    #[arg(value_name = "EXPR", required_unless_present = "batch", allow_hyphen_values = true)]
    expression: Option<String>,

    /// The number of rows, best first [default: all]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// The weights of the first fields, as in bm25() [default: the schema's]
    #[arg(long, value_name = "A,B,C", value_delimiter = ',', allow_hyphen_values = true, value_parser = parse_weight)]
    weights: Option<Vec<f64>>,

    /// Adds FTS5's snippet(); COL is a name or a number, -1 is the best column
    #[arg(long, value_name = "COL,OPEN,CLOSE,ELLIPSIS,TOKENS", allow_hyphen_values = true, value_parser = parse_snippet)]
    snippet: Option<MatchSnippet>,

    /// Adds FTS5's highlight()
    #[arg(long, value_name = "COL,OPEN,CLOSE", allow_hyphen_values = true, value_parser = parse_highlight)]
    highlight: Option<HighlightOptions>,

    /// Conditions on attributes, as in search
    #[arg(long, value_name = "JSON", value_parser = parse_filter)]
    filter: Option<Json>,

    /// Reads one JSON request per line, and prints one JSON response per line; - is stdin
    #[arg(
        long,
        value_name = "FILE",
        conflicts_with_all = ["expression", "limit", "weights", "snippet", "highlight", "filter"]
    )]
    batch: Option<PathBuf>,

    /// Prints {"rows": [...]} as one JSON document
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = r#"Examples:
  snapseek match notes.snap 'title : quick NEAR(brown fox, 3)'
  snapseek match notes.snap 'inst*' --limit 10 --weights 10,1 --snippet '-1,[,],...,16'
  snapseek match notes.snap '"quick fox" NOT lazy' --highlight 'body,<b>,</b>' --json
  echo '{"match": "fox", "limit": 3}' | snapseek match notes.snap --batch -

A question of --batch has match, and where wanted limit, weights, filter, and
  snippet: {column, open, close, ellipsis, tokens}
  highlight: {column, open, close}
Its answer is {"rows": [...]} or {"error": "..."}."#;

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Answer {
    Rows(Vec<MatchRow>),
    Error(String),
}

pub fn run(args: MatchArgs) -> Result<()> {
    let engine = snapshot::open(&args.file)?;
    if let Some(questions) = &args.batch {
        return answer_batch(&engine, questions);
    }
    let options = MatchOptions {
        limit: args.limit,
        weights: args.weights,
        snippet: args.snippet,
        highlight: args.highlight,
        filter: args.filter,
    };
    let expression = args.expression.unwrap_or_default();
    let rows = engine.matches(&expression, &options).map_err(|error| pointed_out(&expression, error))?;
    if args.json {
        return print::json(&Answer::Rows(rows));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for row in &rows {
        print_row(&mut out, row)?;
    }
    Ok(out.flush()?)
}

fn answer_batch(engine: &Engine, questions: &Path) -> Result<()> {
    let mut lines: Box<dyn BufRead> = if questions.as_os_str() == "-" {
        Box::new(io::stdin().lock())
    } else {
        let file =
            File::open(questions).with_context(|| format!("{} cannot be read", questions.display()))?;
        Box::new(BufReader::new(file))
    };
    let mut out = BufWriter::new(io::stdout().lock());
    let mut line = Vec::new();
    while lines.read_until(b'\n', &mut line).context("the requests cannot be read")? > 0 {
        if !line.trim_ascii().is_empty() {
            let answer = answer(engine, &line).unwrap_or_else(|error| Answer::Error(format!("{error:#}")));
            print::json_line(&mut out, &answer)?;
            // The caller may wait for this response before it sends the next request.
            out.flush()?;
        }
        line.clear();
    }
    Ok(())
}

fn answer(engine: &Engine, line: &[u8]) -> Result<Answer> {
    let json = Json::parse(line).context("this is not a request")?;
    let mut question = Options::of(&json);
    question.require("match");
    let expression = question.text("match").unwrap_or_default();
    let options = MatchOptions::take(&mut question);
    question.finish().context("this is not a request")?;
    Ok(Answer::Rows(engine.matches(expression, &options)?))
}

/// Adds the position in the expression, and advice, to an error.
fn pointed_out(expression: &str, error: SearchError) -> anyhow::Error {
    let SearchFault::Query(query) = &*error else { return error.into() };
    let span = query.span();
    let width = |range| expression.get(range).map_or(0, |text: &str| text.chars().count());
    let (indent, len) = (width(0..span.start), width(span.clone()).max(1));
    let (text, remedy) = (print::plain(expression), query.remedy());
    anyhow!("{error}\n  {text}\n  {}{}\n  {remedy}", " ".repeat(indent), "^".repeat(len))
}

fn print_row(out: &mut impl Write, row: &MatchRow) -> io::Result<()> {
    let (id, kind) = (print::plain(&row.id), print::plain(&row.kind));
    write!(out, "{}\t{id}\t{kind}", row.rank)?;
    for text in [&row.snippet, &row.highlight].into_iter().flatten() {
        write!(out, "\t{}", print::plain(text.as_deref().unwrap_or("")))?;
    }
    writeln!(out)
}

fn parse_weight(text: &str) -> Result<f64, String> {
    let weight = text.trim().parse().ok().filter(|weight: &f64| weight.is_finite());
    weight.ok_or_else(|| "a weight must be a number".to_owned())
}

fn parse_snippet(text: &str) -> Result<MatchSnippet, String> {
    let parts = text.split(',').collect::<Vec<_>>();
    let [column, open, close, ellipsis, tokens] = parts[..] else {
        return Err(format!("pass five parts, separated by commas, not {}", parts.len()));
    };
    let tokens = tokens
        .trim()
        .parse()
        .map_err(|_| format!("the last part must be a number of tokens, not {tokens:?}"))?;
    let [open, close, ellipsis] = [open, close, ellipsis].map(str::to_owned);
    Ok(MatchSnippet { column: parse_column(column), open, close, ellipsis, tokens })
}

fn parse_highlight(text: &str) -> Result<HighlightOptions, String> {
    let parts = text.split(',').collect::<Vec<_>>();
    let [column, open, close] = parts[..] else {
        return Err(format!("pass three parts, separated by commas, not {}", parts.len()));
    };
    Ok(HighlightOptions { column: parse_column(column), open: open.to_owned(), close: close.to_owned() })
}

fn parse_column(text: &str) -> Column {
    text.trim().parse().map_or_else(|_| Column::Name(text.to_owned()), Column::Number)
}
