//! `snapseek eval`: measures results against judged queries.

use crate::evaluation::{
    AskArgs, AskedQuery, Measures, Qrels, QueryRun, Report, evaluate, read_queries, warn_of_unjudged,
};
use crate::recipe::{self, Recipe};
use crate::{print, snapshot};
use anyhow::{Context, Result};
use serde::Serialize;
use snapseek::Engine;
use snapseek::json::Json;
use snapseek::schema::RecipeName;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct EvalArgs {
    /// The snapshot
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,

    /// The queries, as JSON lines: {"id": ..., "text": ...}
    #[arg(long, value_name = "Q.jsonl")]
    queries: PathBuf,

    /// The judgments, separated by tabs: query, record, relevance; a header line is skipped
    #[arg(long, value_name = "Q.tsv")]
    qrels: PathBuf,

    /// The recipe: hybrid, memory, rag, unified, vault, or a .json file with one
    #[arg(long, default_value = "hybrid")]
    recipe: String,

    /// Shows the figures of every query
    #[arg(long)]
    per_query: bool,

    /// Prints one JSON document
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    ask: AskArgs,
}

const EXAMPLES: &str = r#"Examples:
  snapseek eval docs.snap --queries queries.jsonl --qrels qrels.tsv
  snapseek eval docs.snap --queries q.jsonl --qrels q.tsv --mode keyword --per-query
  snapseek eval docs.snap --queries q.jsonl --qrels q.tsv --query-vectors minilm=queries.f32
  snapseek eval docs.snap --queries q.jsonl --qrels q.tsv --embed voyage:voyage-3.5
  snapseek eval docs.snap --queries q.jsonl --qrels q.tsv --recipe rag --options '{"maxPerSource": 20}'
  snapseek eval chats.snap --queries q.jsonl --qrels q.tsv --same group --options '{"fusion": "rrf"}'

The figures are trec_eval's: nDCG@10 with the judged relevance as gain, recall@10, recall@100 and MRR@10, each a mean
over the queries that are judged; and the share of these queries that found nothing."#;

/// The number of results per query that recall@100 needs.
const DEPTH: usize = 100;

/// The figures as they are printed.
#[derive(Debug, Serialize)]
struct Figures<'a> {
    #[serde(rename = "ndcg@10")]
    ndcg: f64,
    #[serde(rename = "recall@10")]
    shallow_recall: f64,
    #[serde(rename = "recall@100")]
    recall: f64,
    #[serde(rename = "mrr@10")]
    mrr: f64,
    /// The share of queries without any result.
    #[serde(skip_serializing_if = "Option::is_none")]
    empty: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(rename = "perQuery", skip_serializing_if = "Option::is_none")]
    per_query: Option<Vec<Figures<'a>>>,
}

impl Figures<'_> {
    fn of(measures: &Measures) -> Figures<'static> {
        let Measures { ndcg, shallow_recall, recall, mrr } = *measures;
        Figures { ndcg, shallow_recall, recall, mrr, empty: None, queries: None, id: None, per_query: None }
    }
}

pub fn run(args: &EvalArgs) -> Result<()> {
    let mut engine = snapshot::open(&args.file)?;
    let recipe = Recipe::of(Some(&args.recipe), &engine)?;
    let queries = read_queries(&args.queries)?;
    let qrels = Qrels::read(&args.qrels)?;
    let questions = args.ask.questions(&queries, engine.schema())?;
    let started = Instant::now();
    let mut runs = Vec::with_capacity(queries.len());
    for asked in &questions {
        let run = match &recipe {
            Recipe::Named(name) => ask_recipe(&mut engine, *name, asked),
            Recipe::Hybrid => ask(&engine, asked, None),
            Recipe::Own(recipe) => ask(&engine, asked, Some(recipe)),
        };
        runs.push(run.with_context(|| format!("query {:?}", asked.query.id))?);
    }
    let seconds = started.elapsed().as_secs_f64();
    let report = evaluate(&runs, &qrels);
    warn_of_unjudged(&report.unjudged, queries.len());
    print_report(&report, args.per_query, args.json, seconds)
}

fn ask(engine: &Engine, asked: &AskedQuery, recipe: Option<&Json>) -> Result<QueryRun> {
    let mut options = asked.search_options(DEPTH)?;
    options.recipe = recipe.cloned().or(options.recipe);
    let found = engine.search(&asked.query.text, &options)?;
    Ok(QueryRun::in_order(&asked.query.id, found.hits.into_iter().map(|hit| hit.id)))
}

fn ask_recipe(engine: &mut Engine, name: RecipeName, asked: &AskedQuery) -> Result<QueryRun> {
    let options = asked.recipe_options(DEPTH);
    let answer = recipe::ask(engine, name, &asked.query.text, options, asked.vector.clone())?;
    let ids = answer.hits.into_iter().map(|hit| hit.id);
    Ok(QueryRun::in_order(&asked.query.id, ids))
}

fn print_report(report: &Report, per_query: bool, json: bool, seconds: f64) -> Result<()> {
    let one =
        |query: &'_ crate::evaluation::QueryReport| Figures { id: None, ..Figures::of(&query.measures) };
    if json {
        let each = report.queries.iter().map(|query| Figures { id: Some(&query.query), ..one(query) });
        return print::json(&Figures {
            queries: Some(report.queries.len()),
            empty: Some(report.empty()),
            per_query: per_query.then(|| each.collect()),
            ..Figures::of(&report.overall)
        });
    }
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "nDCG@10  recall@10  recall@100  MRR@10")?;
    let line = |figures: &Figures| {
        let Figures { ndcg, shallow_recall, recall, mrr, .. } = figures;
        format!("{ndcg:>7.4} {shallow_recall:>10.4} {recall:>11.4} {mrr:>7.4}")
    };
    if per_query {
        for query in &report.queries {
            writeln!(out, "{}  {}", line(&one(query)), print::plain(&query.query))?;
        }
    }
    let count = report.queries.len();
    writeln!(
        out,
        "{}  {count} queries, {:.1} % found nothing, {:.2} ms each",
        line(&Figures::of(&report.overall)),
        100.0 * report.empty(),
        1000.0 * seconds / count.max(1) as f64
    )?;
    Ok(out.flush()?)
}
