//! `snapseek search`: finds the best records for a query.

use super::{parse_filter, with_more_words};
use crate::embedding::QueryEmbedder;
use crate::embedding::args::EmbedArgs;
use crate::failure::UsageError;
use crate::print::{self, Marks};
use crate::provider::Cancel;
use crate::recipe::{self, Recipe};
use crate::snapshot;
use anyhow::{Context, Result, ensure};
use snapseek::json::Json;
use snapseek::pipeline::{Explain, ExplainedKeyword};
use snapseek::recipe::hybrid::{Fusion, Hit, Mode};
use snapseek::schema::RecipeName;
use snapseek::{Engine, SearchOptions, SearchResponse};
use std::fs;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct SearchArgs {
    /// The snapshot
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,

    /// The words to look for; a record needs only one of them
    #[arg(allow_hyphen_values = true)]
    query: String,

    /// Further words of the query
    #[arg(value_name = "QUERY", hide = true)]
    more: Vec<String>,

    /// The recipe: hybrid, memory, rag, unified, vault, or a .json file with one [default: the snapshot's own]
    #[arg(long, value_name = "R")]
    recipe: Option<String>,

    /// The mode: keyword, vector or hybrid; rag and memory also have semantic, rag has fts [default: hybrid if the
    /// query has a vector]
    #[arg(long)]
    mode: Option<String>,

    /// The query's vector: a .f32 file of little-endian floats, or a .json array; - is stdin, as JSON
    #[arg(long, value_name = "FILE")]
    vector: Option<PathBuf>,

    /// The vector model to compare with [default: the snapshot's first model]
    #[arg(long, value_name = "NAME")]
    model: Option<String>,

    /// How to combine keyword and vector scores: auto, rrf or sum [default: auto]
    #[arg(long)]
    fusion: Option<String>,

    /// The weight of vectors with --fusion sum, 0 to 1 [default: 0.5]
    #[arg(long, value_name = "A")]
    alpha: Option<f64>,

    /// Further options of the JavaScript API; arguments of the command line override them
    #[arg(long, value_name = "JSON", value_parser = recipe::parse_options)]
    options: Option<Json>,

    /// The number of hits, best first [default: 10]
    #[arg(long, value_name = "N")]
    limit: Option<usize>,

    /// The number of best hits to skip
    #[arg(long, value_name = "N")]
    offset: Option<usize>,

    /// Conditions on attributes
    #[arg(long, value_name = "JSON", value_parser = parse_filter)]
    filter: Option<Json>,

    /// Counts the values of these attributes over all matches
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    facets: Vec<String>,

    /// Treats the last word as the beginning of a word
    #[arg(long)]
    as_you_type: bool,

    /// The number of typing errors to tolerate in a word that the index lacks: 0 to 2
    #[arg(long, value_name = "N")]
    typos: Option<usize>,

    /// Counts all matches
    #[arg(long)]
    count: bool,

    /// Shows how each score is made up
    #[arg(long)]
    explain: bool,

    /// Shows the whole records
    #[arg(long)]
    records: bool,

    /// Prints the response as one JSON document
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    embed: EmbedArgs,
}

const EXAMPLES: &str = r#"Examples:
  snapseek search notes.snap jwt validation
  snapseek search notes.snap 'jwt valid' --as-you-type --typos 1
  snapseek search notes.snap jwt --filter '{"project": "web", "tags": {"any": ["a", "b"]}}'
  snapseek search notes.snap jwt --filter '{"createdAt": {"gte": "2024-05-01"}}' --count
  snapseek search notes.snap jwt --json | jq -r '.hits[].id'
  snapseek search memories.snap 'deploy' --recipe memory --options '{"projectId": "web", "track": false}'
  snapseek search notes.snap jwt --recipe recency.json --explain
  snapseek search notes.snap 'how do tokens expire' --embed voyage:voyage-3.5

Filters take
  for strings            any, all, none, eq, ne, exists
  for numbers and times  eq, ne, any, none, gt, gte, lt, lte, exists
  for booleans           eq, ne, exists
and {"not": {...}} and {"or": [{...}, {...}]} around them."#;

/// The number of values that are shown per facet.
const SHOWN_VALUES: usize = 10;

pub fn run(mut args: SearchArgs) -> Result<()> {
    let mut engine = snapshot::open(&args.file)?;
    let query = with_more_words(&args.query, &args.more);
    let vector = query_vector(&mut args, &query, &engine)?;
    let own = match Recipe::of(args.recipe.as_deref(), &engine)? {
        Recipe::Hybrid => None,
        Recipe::Own(recipe) => Some(recipe),
        Recipe::Named(name) => return ask_recipe(&mut engine, name, &query, vector, args),
    };
    let given = recipe::search_options(args.options.as_ref())?;
    let mut options = SearchOptions {
        limit: args.limit.or(given.limit),
        offset: args.offset.or(given.offset),
        mode: recipe::named("mode", args.mode.as_deref(), &Mode::ALL, Mode::name)?.or(given.mode),
        vector: vector.or(given.vector),
        model: args.model.or(given.model),
        fusion: recipe::named("fusion", args.fusion.as_deref(), &Fusion::ALL, Fusion::name)?.or(given.fusion),
        alpha: args.alpha.or(given.alpha),
        now: given.now.or_else(|| Some(snapshot::now())),
        filter: args.filter.or(given.filter),
        facets: if args.facets.is_empty() { given.facets } else { args.facets },
        as_you_type: args.as_you_type || given.as_you_type,
        typos: args.typos.unwrap_or(given.typos),
        count: args.count || given.count,
        explain: args.explain || given.explain,
        records: args.records || given.records,
        recipe: own.or(given.recipe),
        ..given
    };
    if args.json {
        return print::timed_json(|| Ok(engine.search(&query, &options)?));
    }
    // The titles and links of hits are in their records.
    let shows_records = std::mem::replace(&mut options.records, true);
    // The headings of a document are in its title already.
    if !engine.schema().group_by().is_empty() && engine.schema().field("text").is_some() {
        options.snippet.field.get_or_insert_with(|| "text".to_owned());
    }
    options.snippet.raw = true;
    Marks::OPEN.clone_into(&mut options.snippet.open);
    Marks::CLOSE.clone_into(&mut options.snippet.close);
    let response = engine.search(&query, &options)?;
    for warning in &response.warnings {
        print::note(format_args!("warning: {warning}"));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    print_response(&mut out, &response, options.offset.unwrap_or(0), shows_records)?;
    Ok(out.flush()?)
}

/// Searches with a named recipe. Arguments of the command line override `--options`.
fn ask_recipe(
    engine: &mut Engine,
    name: RecipeName,
    query: &str,
    vector: Option<Vec<f32>>,
    args: SearchArgs,
) -> Result<()> {
    let count = |count: usize| Json::from_f64(count as f64);
    let flag = |is_set: bool| is_set.then_some(Json::Bool(true));
    let said = [
        ("limit", args.limit.map(count)),
        ("offset", args.offset.map(count)),
        ("mode", args.mode.map(Json::String)),
        ("model", args.model.map(Json::String)),
        ("filter", args.filter),
        // The memory recipe always explains its scores.
        ("explain", flag(args.explain && name != RecipeName::Memory)),
    ];
    let mut options =
        said.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect::<Vec<_>>();
    if let Some(Json::Object(given)) = args.options {
        options.extend(given.into_iter().filter(|(name, _)| !args_name(&options, name)).collect::<Vec<_>>());
    }
    if !args_name(&options, "now") {
        options.push(("now".to_owned(), Json::from_f64(snapshot::now())));
    }
    if args.json {
        return print::timed_json(|| Ok(recipe::ask(engine, name, query, options, vector)?.response));
    }
    let answer = recipe::ask(engine, name, query, options, vector)?;
    for warning in &answer.warnings {
        print::note(format_args!("warning: {warning}"));
    }
    let mut out = BufWriter::new(io::stdout().lock());
    for (number, hit) in answer.hits.iter().enumerate() {
        writeln!(out, "{}. {}  {:.4}", number + 1, print::plain(&hit.id), hit.score)?;
        if let Some(text) = &hit.text {
            // Recipes mark matches as HTML.
            let marked = print::plain(text).replace("<mark>", Marks::OPEN).replace("</mark>", Marks::CLOSE);
            writeln!(out, "   {}", Marks::for_stdout().apply(&marked))?;
        }
        if let Some(explain) = hit.explain.as_ref().filter(|_| args.explain) {
            print_explain(&mut out, explain)?;
        }
    }
    if answer.hits.is_empty() {
        writeln!(out, "no hits")?;
    }
    Ok(out.flush()?)
}

fn args_name(options: &[(String, Json)], name: &str) -> bool {
    options.iter().any(|(known, _)| known == name)
}

/// Returns the query's vector, from a file or from a provider. If the snapshot has several models, sets `args.model`.
fn query_vector(args: &mut SearchArgs, query: &str, engine: &Engine) -> Result<Option<Vec<f32>>> {
    if let Some(path) = &args.vector {
        if args.embed.embed.is_some() {
            return Err(
                UsageError("--vector and --embed both give the query's vector; pass one".to_owned()).into()
            );
        }
        return read_vector(path).map(Some);
    }
    let schema = engine.schema();
    let embedder = QueryEmbedder::start(&args.embed, schema, args.model.as_deref(), &Cancel::new())?;
    let Some(embedder) = embedder else { return Ok(None) };
    let vector = embedder.vectors(&[query])?.remove(0);
    if vector.is_some() && schema.models().len() > 1 {
        args.model = Some(embedder.model().to_owned());
    }
    Ok(vector)
}

/// Reads a vector from a file.
fn read_vector(path: &Path) -> Result<Vec<f32>> {
    let name = path.display();
    let is_stdin = path == Path::new("-");
    let bytes =
        if is_stdin { io::read_to_string(io::stdin()).map(String::into_bytes) } else { fs::read(path) };
    let bytes = bytes.with_context(|| format!("{name} cannot be read"))?;
    if path.extension().is_some_and(|extension| extension == "f32") {
        let (numbers, rest) = bytes.as_chunks::<4>();
        ensure!(rest.is_empty(), "{name} has {} bytes; a .f32 file has four per number", bytes.len());
        return Ok(numbers.iter().map(|number| f32::from_le_bytes(*number)).collect());
    }
    serde_json::from_slice(&bytes)
        .with_context(|| format!("{name} is not a vector; pass a .f32 file, or JSON such as [0.1, 0.2]"))
}

fn print_response(
    out: &mut impl Write,
    response: &SearchResponse,
    offset: usize,
    shows_records: bool,
) -> io::Result<()> {
    for correction in &response.corrected {
        let (word, instead) = (print::plain(&correction.word), print::plain(&correction.instead.join(", ")));
        writeln!(out, "no record contains {word}; searched for {instead}")?;
    }
    for (number, hit) in response.hits.iter().enumerate() {
        print_hit(out, offset + number + 1, hit, shows_records)?;
    }
    if response.hits.is_empty() {
        writeln!(out, "no hits")?;
    }
    for suggestion in &response.suggestions {
        writeln!(out, "did you mean: {}", print::plain(suggestion))?;
    }
    for facet in &response.facets {
        let shown = facet.values.iter().take(SHOWN_VALUES);
        let shown = shown.map(|value| format!("{} ({})", print::plain(&value.value), value.count));
        let more = if facet.values.len() > SHOWN_VALUES { ", …" } else { "" };
        writeln!(out, "{}: {}{more}", facet.attribute, shown.collect::<Vec<_>>().join(", "))?;
    }
    match response.total {
        Some(total) => writeln!(out, "{total} matches in total"),
        None => Ok(()),
    }
}

fn print_hit(out: &mut impl Write, number: usize, hit: &Hit, shows_records: bool) -> io::Result<()> {
    let (id, kind) = (print::plain(&hit.id), print::plain(&hit.kind));
    let title = hit_title(hit).map_or_else(String::new, |title| format!("  {title}"));
    writeln!(out, "{number}. {id} ({kind})  {:.4}{title}", hit.score)?;
    if let Some(link) = hit_link(hit) {
        writeln!(out, "   {link}")?;
    }
    if let Some(snippet) = &hit.snippet {
        writeln!(out, "   {}", Marks::for_stdout().apply(snippet))?;
    }
    if let Some(explain) = &hit.explain {
        print_explain(out, explain)?;
    }
    for child in &hit.children {
        let title = hit_title(child).unwrap_or_else(|| print::plain(&child.id));
        let link = hit_link(child).map_or_else(String::new, |link| format!("  {link}"));
        writeln!(out, "   - {title}{link}")?;
    }
    match hit.record.as_ref().filter(|_| shows_records) {
        Some(record) => writeln!(out, "   {}", print::plain(&record.to_text())),
        None => Ok(()),
    }
}

/// Returns the headings above a hit, or else its title or name.
fn hit_title(hit: &Hit) -> Option<String> {
    let text = |name: &str| {
        hit.record.as_ref()?.get(name)?.as_str().map(print::plain).filter(|text| !text.is_empty())
    };
    let title = text("title").or_else(|| text("name"));
    match (title, text("heading")) {
        (Some(title), Some(heading)) if heading != title && !heading.starts_with(&format!("{title} > ")) => {
            Some(format!("{title} > {heading}"))
        }
        (title, heading) => heading.or(title),
    }
}

/// Returns the address of a hit, with the fragment that leads to its heading.
fn hit_link(hit: &Hit) -> Option<String> {
    let text = |name: &str| {
        hit.record.as_ref()?.get(name)?.as_str().map(print::plain).filter(|text| !text.is_empty())
    };
    let anchor = text("anchor").map_or_else(String::new, |anchor| format!("#{anchor}"));
    Some(text("url")? + &anchor)
}

fn print_explain(out: &mut impl Write, explain: &Explain) -> io::Result<()> {
    if let Some(keyword) = &explain.keyword {
        print_keyword(out, keyword)?;
    }
    if let Some(vector) = &explain.vector {
        let place = vector.place.map_or_else(String::new, |place| format!(", number {}", place + 1));
        writeln!(out, "   {:.4} = similarity{place}", vector.similarity)?;
    }
    for part in &explain.score.parts {
        let weight = part.weight.map_or_else(String::new, |weight| format!(" × {weight}"));
        writeln!(out, "   {:.4} = {} {:.4}{weight}", part.product, print::plain(&part.name), part.value)?;
    }
    for factor in &explain.score.factors {
        writeln!(out, "   × {:.4} {}", factor.value, print::plain(&factor.name))?;
    }
    Ok(())
}

fn print_keyword(out: &mut impl Write, explain: &ExplainedKeyword) -> io::Result<()> {
    let Some(details) = &explain.details else { return Ok(()) };
    for phrase in &details.phrases {
        let (name, hits) = (print::plain(&phrase.phrase), phrase.hits);
        let (part, idf, frequency) = (phrase.part, phrase.idf, phrase.frequency);
        writeln!(out, "   {part:.4} = {name}: idf {idf:.4}, frequency {frequency}, in {hits} records")?;
    }
    writeln!(out, "   {} tokens, {:.1} on average", details.length, details.average_length)
}
