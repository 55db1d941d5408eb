//! `snapseek eval`: measures results against judged queries.

use crate::embedding::QueryEmbedder;
use crate::embedding::args::EmbedArgs;
use crate::evaluation::{JudgedQuery, Measures, Qrels, QueryRun, Report, evaluate, read_queries};
use crate::failure::UsageError;
use crate::input::VectorFile;
use crate::provider::Cancel;
use crate::recipe::{self, Recipe};
use crate::{print, snapshot};
use anyhow::{Context, Result};
use serde::Serialize;
use snapseek::json::Json;
use snapseek::recipe::hybrid::Mode;
use snapseek::schema::RecipeName;
use snapseek::{Engine, Schema};
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

    /// The queries' vectors, in their order, in a .f32 or .npy file
    #[arg(long, value_name = "MODEL=FILE", value_parser = crate::vectors::parse_file)]
    query_vectors: Option<(String, PathBuf)>,

    /// The recipe: hybrid, memory, rag, unified, vault, or a .json file with one
    #[arg(long, default_value = "hybrid")]
    recipe: String,

    /// The mode: keyword, vector or hybrid [default: hybrid if queries have vectors]
    #[arg(long)]
    mode: Option<String>,

    /// Searches only records whose attribute of this name has the query's value
    #[arg(long, value_name = "NAME")]
    same: Vec<String>,

    /// Further search options of the JavaScript API
    #[arg(long, value_name = "JSON", value_parser = recipe::parse_options)]
    options: Option<Json>,

    /// Shows the figures of every query
    #[arg(long)]
    per_query: bool,

    /// Prints one JSON document
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    embed: EmbedArgs,
}

const EXAMPLES: &str = r#"Examples:
  snapseek eval docs.snap --queries queries.jsonl --qrels qrels.tsv
  snapseek eval docs.snap --queries q.jsonl --qrels q.tsv --mode keyword --per-query
  snapseek eval docs.snap --queries q.jsonl --qrels q.tsv --query-vectors minilm=queries.f32
  snapseek eval docs.snap --queries q.jsonl --qrels q.tsv --embed voyage:voyage-3.5
  snapseek eval docs.snap --queries q.jsonl --qrels q.tsv --recipe rag --options '{"maxPerSource": 20}'
  snapseek eval chats.snap --queries q.jsonl --qrels q.tsv --same group --options '{"fusion": "rrf"}'

The figures are trec_eval's: nDCG@10 with the judged relevance as gain, recall@100, and MRR@10, each a mean over the
queries that are judged."#;

/// The number of results per query that recall@100 needs.
const DEPTH: usize = 100;

/// The figures as they are printed.
#[derive(Debug, Serialize)]
struct Figures<'a> {
    #[serde(rename = "ndcg@10")]
    ndcg: f64,
    #[serde(rename = "recall@100")]
    recall: f64,
    #[serde(rename = "mrr@10")]
    mrr: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    queries: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    #[serde(rename = "perQuery", skip_serializing_if = "Option::is_none")]
    per_query: Option<Vec<Figures<'a>>>,
}

impl Figures<'_> {
    fn of(measures: &Measures) -> Figures<'static> {
        let Measures { ndcg, recall, mrr } = *measures;
        Figures { ndcg, recall, mrr, queries: None, id: None, per_query: None }
    }
}

pub fn run(args: EvalArgs) -> Result<()> {
    let mut engine = snapshot::open(&args.file)?;
    let recipe = Recipe::of(Some(&args.recipe), &engine)?;
    let queries = read_queries(&args.queries)?;
    let qrels = Qrels::read(&args.qrels)?;
    let QueryVectors { vectors, model } = query_vectors(&args, &queries, engine.schema())?;
    let started = Instant::now();
    let mut runs = Vec::with_capacity(queries.len());
    for (query, vector) in queries.iter().zip(vectors) {
        let question = Question {
            query,
            vector,
            same: conditions(query, &args.same)?,
            mode: args.mode.clone(),
            model: model.clone(),
            options: args.options.as_ref(),
        };
        let run = match &recipe {
            Recipe::Named(name) => ask_recipe(&mut engine, *name, question),
            Recipe::Hybrid => ask(&engine, question, None),
            Recipe::Own(recipe) => ask(&engine, question, Some(recipe)),
        };
        runs.push(run.with_context(|| format!("query {:?}", query.id))?);
    }
    let seconds = started.elapsed().as_secs_f64();
    let report = evaluate(&runs, &qrels);
    if let Some(first) = report.unjudged.first() {
        let (count, all) = (report.unjudged.len(), queries.len());
        print::note(format_args!(
            "warning: skipped {count} of {all} queries without judgments, such as {first:?}"
        ));
    }
    print_report(&report, args.per_query, args.json, seconds)
}

/// The vectors of queries, and the model that they are for.
struct QueryVectors {
    /// One per query; `None` for a query without a vector.
    vectors: Vec<Option<Vec<f32>>>,
    /// The name of the model; `None` takes the snapshot's first.
    model: Option<String>,
}

/// Gets the vectors of queries from a file, or from a provider.
fn query_vectors(args: &EvalArgs, queries: &[JudgedQuery], schema: &Schema) -> Result<QueryVectors> {
    if let Some((name, path)) = &args.query_vectors {
        if args.embed.embed.is_some() {
            let message = "--query-vectors and --embed both give the queries' vectors; pass one";
            return Err(UsageError(message.to_owned()).into());
        }
        let width = schema.model(name).and_then(|(_, model)| model.width);
        let mut file = VectorFile::open(path, Some(queries.len() as u64), width)?;
        let rows = (0..queries.len() as u64).map(|row| file.row(row).map(Some));
        return Ok(QueryVectors { vectors: rows.collect::<Result<_>>()?, model: Some(name.clone()) });
    }
    let cancel = Cancel::new();
    let _interruptible = args.embed.embed.is_some().then(|| cancel.on_interrupt());
    let Some(embedder) = QueryEmbedder::start(&args.embed, schema, None, &cancel)? else {
        return Ok(QueryVectors { vectors: vec![None; queries.len()], model: None });
    };
    let texts = queries.iter().map(|query| query.text.as_str()).collect::<Vec<_>>();
    let model = (schema.models().len() > 1).then(|| embedder.model().to_owned());
    Ok(QueryVectors { vectors: embedder.vectors(&texts)?, model })
}

/// A query with its search options.
struct Question<'a> {
    query: &'a JudgedQuery,
    vector: Option<Vec<f32>>,
    /// The conditions on attributes that come from the query.
    same: Vec<(String, Json)>,
    mode: Option<String>,
    model: Option<String>,
    options: Option<&'a Json>,
}

fn conditions(query: &JudgedQuery, same: &[String]) -> Result<Vec<(String, Json)>> {
    let own = |name: &String| {
        let value = query.fields.get(name).with_context(|| format!("the query has no {name:?}"))?;
        Ok((name.clone(), value.clone()))
    };
    same.iter().map(own).collect()
}

fn ask(engine: &Engine, question: Question, recipe: Option<&Json>) -> Result<QueryRun> {
    let mut options = recipe::search_options(question.options)?;
    options.limit = Some(DEPTH);
    options.snippet.tokens = 0;
    options.mode = recipe::named("mode", question.mode.as_deref(), &Mode::ALL, Mode::name)?.or(options.mode);
    options.model = question.model.or(options.model);
    options.vector = question.vector;
    options.recipe = recipe.cloned().or(options.recipe);
    if !question.same.is_empty() {
        let mut all = question.same.into_iter().map(|entry| Json::Object(vec![entry])).collect::<Vec<_>>();
        all.extend(options.filter.take());
        options.filter = Some(Json::Object(vec![("and".to_owned(), Json::Array(all))]));
    }
    let found = engine.search(&question.query.text, &options)?;
    Ok(QueryRun::in_order(&question.query.id, found.hits.into_iter().map(|hit| hit.id)))
}

/// Searches with a named recipe. The conditions of the query are options of the same names.
fn ask_recipe(engine: &mut Engine, name: RecipeName, question: Question) -> Result<QueryRun> {
    let mut options = vec![("limit".to_owned(), Json::Integer(DEPTH as i64))];
    options.extend(question.mode.map(|mode| ("mode".to_owned(), Json::String(mode))));
    options.extend(question.model.map(|model| ("model".to_owned(), Json::String(model))));
    options.extend(question.same);
    if let Some(Json::Object(given)) = question.options {
        options.retain(|(name, _)| !given.iter().any(|(known, _)| known == name));
        options.extend(given.iter().cloned());
    }
    let answer = recipe::ask(engine, name, &question.query.text, options, question.vector)?;
    let ids = answer.hits.into_iter().map(|hit| hit.id);
    Ok(QueryRun::in_order(&question.query.id, ids))
}

fn print_report(report: &Report, per_query: bool, json: bool, seconds: f64) -> Result<()> {
    let one =
        |query: &'_ crate::evaluation::QueryReport| Figures { id: None, ..Figures::of(&query.measures) };
    if json {
        let each = report.queries.iter().map(|query| Figures { id: Some(&query.query), ..one(query) });
        return print::json(&Figures {
            queries: Some(report.queries.len()),
            per_query: per_query.then(|| each.collect()),
            ..Figures::of(&report.overall)
        });
    }
    let mut out = BufWriter::new(io::stdout().lock());
    writeln!(out, "nDCG@10  recall@100  MRR@10")?;
    let line =
        |figures: &Figures| format!("{:>7.4} {:>11.4} {:>7.4}", figures.ndcg, figures.recall, figures.mrr);
    if per_query {
        for query in &report.queries {
            writeln!(out, "{}  {}", line(&one(query)), print::plain(&query.query))?;
        }
    }
    let count = report.queries.len();
    writeln!(
        out,
        "{}  {count} queries, {:.2} ms each",
        line(&Figures::of(&report.overall)),
        1000.0 * seconds / count.max(1) as f64
    )?;
    Ok(out.flush()?)
}
