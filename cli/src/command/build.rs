//! `snapseek build`: makes a snapshot from records.

use crate::embedding::EmbeddingSettings;
use crate::gather::{Gathered, OnBad, Tally};
use crate::input::{Fault, InputOptions, Inputs};
use crate::names::SeenNames;
use crate::pieces::LivePieces;
use crate::progress::Progress;
use crate::provider::Cancel;
use crate::schema_file::OtherRecords;
use crate::split::{self, SplitArgs};
use crate::vectors::{self, VectorArgs, Vectors};
use crate::{parallel, print, schema_file};
use anyhow::{Result, anyhow};
use clap::builder::PossibleValuesParser;
use indicatif::HumanBytes;
use snapseek::analysis::Analyzer;
use snapseek::bytes::Bytes;
use snapseek::document::DocumentsView;
use snapseek::schema::PresetName;
use snapseek::snapshot::SectionKind;
use snapseek::{Builder, Schema};
use std::path::PathBuf;
use std::time::Instant;

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct BuildArgs {
    /// Files of records or documents, folders of documents, databases; - is stdin, as JSON lines
    ///
    /// Records: .jsonl, .ndjson, .json, .csv, .tsv, SQLite (.db, .sqlite, .sqlite3) and .parquet. Documents: Markdown
    /// (.md, .markdown, .mdx), HTML (.html, .htm, .xhtml), text (.txt, .text, .rst, .adoc, .org), and folders of them.
    ///
    /// A record is a flat JSON object with an "id", which is a string or an integer; "kind" is optional. A record
    /// replaces an earlier one with the same id and kind. A line {"$": "delete", "id": ...} removes a record. A line
    /// {"$": "vector", "id": ..., "vector": [...]} sets its vector; "model" names the model if there are several.
    ///
    /// A .json file holds an array of records, one record, or {"records": [...]}. The first line of a .csv or .tsv file
    /// names the fields, and one of them is "id". Cells of a .csv file are separated by commas, semicolons or tabs.
    /// Empty and missing cells are absent.
    ///
    /// Documents are cut at their headings, and long sections again. Each piece becomes a record with the id PATH:0,
    /// PATH:1 and so on, and with title, heading ("Guide > Install"), text, url, anchor, path, section, chunkIndex,
    /// offset (in characters) and line; front matter and the head of a page add fields. Navigation, sidebars, buttons
    /// and hidden elements of HTML pages are left out. In folders, hidden files, files that a .gitignore excludes, and
    /// files that tools generate (node_modules, target, _sources, search.html and the like) are skipped, and so are
    /// pages with robots noindex and pages that repeat another.
    ///
    /// Each row of a database or a Parquet file is a record, and each column a field.
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// The snapshot to write, or with --parts the folder; it appears whole or not at all
    #[arg(short, long, value_name = "FILE.snap")]
    output: PathBuf,

    /// A .toml or .json file with the text fields, the attributes, and an embedding provider
    ///
    /// Without it, documents use the preset docs, an FTS5 table its own settings, and for other inputs a sample of 10,000
    /// records decides: strings become text, arrays of strings and short values that repeat become keywords, and
    /// numbers, booleans and dates become attributes; URLs, paths and hashes are only stored.
    #[arg(long, value_name = "FILE")]
    schema: Option<PathBuf>,

    /// A schema and a recipe for records of a known shape, instead of --schema; docs/presets.md lists the fields
    #[arg(long, value_name = "PRESET", value_parser = PossibleValuesParser::new(PresetName::ALL.map(PresetName::name)), conflicts_with = "schema")]
    preset: Option<String>,

    #[command(flatten)]
    split: SplitArgs,

    /// The tokenizer, as an FTS5 tokenize= string [default: the schema's, or porter unicode61]
    #[arg(long, value_parser = parse_tokenizer)]
    tokenizer: Option<String>,

    /// Stores words as written in addition to their stems, for as-you-type, typos and suggestions
    #[arg(long)]
    forms: bool,

    /// Indexes every two neighbouring Chinese, Japanese or Korean characters as a term
    #[arg(long)]
    cjk_bigrams: bool,

    /// The number of threads; the snapshot does not depend on it [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_THREADS))]
    threads: Option<u16>,

    /// Skips and counts bad records, instead of stopping at the first
    #[arg(long)]
    skip_bad: bool,

    /// Replaces the output even if it is not a snapshot
    #[arg(long)]
    force: bool,

    // The help headings of these two would also hold for the options after them.
    #[command(flatten)]
    reading: InputOptions,

    #[command(flatten)]
    vectors: VectorArgs,
}

const EXAMPLES: &str = r#"Examples:
  snapseek build notes.jsonl -o notes.snap
  snapseek build books.csv more.json -o books.snap --schema books.toml
  zcat logs.gz | snapseek build - -o logs.snap --skip-bad
  snapseek build docs.json -o docs.snap --tokenizer "unicode61 remove_diacritics 2" --forms
  snapseek build memories.jsonl -o memories.snap --preset memory
  snapseek build site/ -o search.snap --base-url https://example.com/docs/
  snapseek build site/ -o search.snap --root-selector '#content' --exclude-selector '.ad, .promo' --exclude 'drafts/**'
  snapseek build docs/ -o docs.snap --slugs vitepress --clean-urls
  snapseek build docs/ README.md -o docs.snap --chunk text:800:100
  snapseek build articles.jsonl -o articles.snap --chunk body
  snapseek build books.csv -o books.snap --id isbn
  snapseek build app.db -o app.snap --table posts_fts
  snapseek build app.db -o app.snap --table notes --vector-column embedding
  snapseek build app.db -o app.snap --query "SELECT slug, title, body FROM posts" --id slug
  snapseek build corpus.parquet -o corpus.snap --id _id
  snapseek build notes.jsonl -o notes.snap --embed static:models/snapseek-static-en-v2
  snapseek build notes.jsonl -o notes.snap --vectors minilm=notes.f32 --encoding i1
  snapseek build notes.jsonl -o notes.snap --split-docs --max-file-size 25MiB
  snapseek build site/ -o site/search/ --parts 64KiB

A schema file; only one field is required:
  tokenizer = "porter unicode61"
  forms = true                    # as --forms
  cjk = "bigrams"                 # as --cjk-bigrams
  [fields]                        # searched, in FTS5's column order
  title = { weight = 10.0 }
  body = {}
  [attributes]                    # for filters: keyword, keywords, number, bool or time
  project = "keyword"
  createdAt = "time"
  [vectors.minilm]                # from a field, --vectors minilm=FILE, or --embed
  encoding = "i8"                 # f32, i8, or i1 (1-bit first pass, then i8)
  field = "embedding"
  [embedding]                     # the provider if --embed is absent; never stored
  provider = "voyage"             # as --embed; model is optional
  model = "voyage-3.5"
  apiKey = "..."                  # or keys = ["...", "..."], or the provider's variable
  baseUrl = "https://..."         # as --embed-base-url
  batchSize = 100                 # as --embed-batch"#;

/// The largest number of records that a schema is inferred from.
const SAMPLE_COUNT: usize = 10_000;
/// The largest length of these records together, in bytes, approximately.
const SAMPLE_LEN: usize = 64 << 20;

/// The length of a batch of records, in bytes. Large batches take less time in total.
const BATCH_LEN: u64 = 8 << 20;
/// The number of batches per thread, so that all threads finish at about the same time.
const BATCHES_PER_THREAD: u64 = 4;
/// The length of all batches in memory, in bytes, for any number of threads.
const UNDER_WAY_LEN: u64 = 64 << 20;
const MIN_BATCH_LEN: u64 = 256 << 10;

/// More threads than this only wait for each other.
const MAX_THREADS: i64 = 256;

pub fn run(args: &BuildArgs) -> Result<()> {
    let started = Instant::now();
    let threads = args.threads.map_or_else(parallel::available_threads, usize::from);
    let mut inputs = Inputs::new(&args.inputs, &args.reading)?;
    // An output that cannot be written is reported before the inputs are read.
    let output = split::create(&args.split, &args.output, args.force)?;
    inputs.survey(threads)?;
    inputs.set_run_len(batch_len(inputs.total(), threads));
    let on_bad = if args.skip_bad { OnBad::Skip } else { OnBad::Stop };
    let (mut schema, settings) = schema(args, &mut inputs, on_bad)?;
    let spec = args.vectors.embed.spec(settings.as_ref())?;
    let cancel = Cancel::new();
    // A provider can take long, so Ctrl-C stops it in an orderly way.
    let asks_a_provider = spec.as_ref().is_some_and(|spec| !spec.is_built_in());
    let interruptible = asks_a_provider.then(|| cancel.on_interrupt());
    let read_as = schema.clone();
    let count = || {
        let mut inputs = Inputs::new(&args.inputs, &args.reading)?;
        inputs.survey(threads)?;
        vectors::count_records(inputs, &read_as, threads)
    };
    let left_out = inputs.left_out().summary();
    let vectors = Vectors::prepare(&args.vectors, spec.as_ref(), &mut schema, &mut inputs, count, &cancel)?;
    let workers = if vectors.are_ordered() { 1 } else { threads };

    let progress = if vectors.show_progress() { Progress::none() } else { Progress::reading(inputs.total()) };
    let mut builder = Builder::new(&schema)?.with_threads(threads);
    let mut tally = Tally::default();
    let mut pieces = LivePieces::default();
    let mut names = SeenNames::default();
    let gather = |run| Gathered::of(run, &schema, &vectors, on_bad);
    parallel::in_order(workers, inputs, gather, |gathered| {
        let gathered = gathered?;
        progress.advance(gathered.len);
        tally.add(gathered.tally);
        names.add(gathered.names);
        if on_bad == OnBad::Stop
            && let Some(first) = tally.first_fault()
        {
            return Err(stopped_by(first));
        }
        builder.merge_state(&gathered.state);
        builder.push(gathered.batch)?;
        match pieces.stale(gathered.cuts, &schema) {
            Some(stale) => Ok(builder.push(stale)?),
            None => Ok(()),
        }
    })?;
    let notes = vectors.finish()?;
    drop(interruptible);
    let progress = if vectors.show_progress() { Progress::reading(None) } else { progress };
    progress.stage("writing");
    let builder = builder.with_tables(vectors.tables(threads)?)?;
    let strays = builder.stray_vectors() as u64;
    let sections = builder.finish_sections()?;
    let records = record_count(&sections);
    let written = split::write(sections, &args.split, output, &args.output, args.force)?;
    drop(progress);

    tally.report();
    left_out.iter().for_each(print::note);
    // A preset has fields that not every use needs.
    if args.schema.is_some() && records > 0 {
        names.warn(&schema);
    }
    notes.iter().for_each(print::note);
    if strays > 0 {
        let told = print::counted(strays, "vector");
        print::note(format_args!("{told} skipped: there is no such record"));
    }
    let seconds = started.elapsed().as_secs_f64();
    let (name, gone) = (args.output.display(), tally.replaced(records));
    let (count, size) = (print::counted(records, "record"), HumanBytes(written.snapshot));
    print::note(format_args!("{name}: {count}, {size}{} in {seconds:.2} s{gone}", written.beside()));
    Ok(())
}

fn record_count(sections: &[(SectionKind, Vec<u8>)]) -> u64 {
    let table = sections.iter().find(|(kind, _)| *kind == SectionKind::DocumentTable);
    let (_, table) = table.expect("every snapshot has a table of documents");
    DocumentsView::parse(table, Bytes::Whole(&[])).expect("the table was just written").len() as u64
}

fn parse_tokenizer(text: &str) -> Result<String, String> {
    Analyzer::parse(text).map(|_| text.to_owned()).map_err(|error| error.to_string())
}

fn batch_len(total: Option<u64>, threads: usize) -> usize {
    let threads = threads as u64;
    let longest = (UNDER_WAY_LEN / threads).clamp(MIN_BATCH_LEN, BATCH_LEN);
    let len = match total {
        Some(total) if threads > 1 => total / (threads * BATCHES_PER_THREAD),
        _ => longest,
    };
    usize::try_from(len.clamp(MIN_BATCH_LEN, longest)).expect("a few mebibytes")
}

fn schema(
    args: &BuildArgs,
    inputs: &mut Inputs,
    on_bad: OnBad,
) -> Result<(Schema, Option<EmbeddingSettings>)> {
    let preset = args.preset.as_deref().and_then(Schema::preset);
    let mut settings = None;
    let mut schema = match (&args.schema, preset) {
        (Some(path), _) => {
            let file = schema_file::read(path)?;
            settings = file.embedding;
            file.schema
        }
        (None, Some(preset)) => preset,
        (None, None) if inputs.has_documents() => {
            let others = if inputs.are_documents() { OtherRecords::None } else { OtherRecords::Some };
            let schema = schema_file::docs(&inputs.sample(SAMPLE_COUNT, SAMPLE_LEN), others)?;
            print::note(format_args!(
                "preset docs: {} (pass --schema or --preset to change it)",
                schema_file::summary(&schema)
            ));
            schema
        }
        (None, None) if let Some(table) = inputs.fts5_table() => {
            table.notes().iter().for_each(print::note);
            table.schema(&inputs.sample(SAMPLE_COUNT, SAMPLE_LEN))?
        }
        (None, None) => {
            let schema = infer(inputs, on_bad)?;
            print::note(format_args!(
                "inferred: {} (pass --schema or --preset to change it)",
                schema_file::summary(&schema)
            ));
            schema
        }
    };
    if let Some(tokenizer) = &args.tokenizer {
        schema = schema.with_tokenizer(tokenizer)?;
    }
    if args.forms {
        schema = schema.with_forms();
    }
    if args.cjk_bigrams {
        schema = schema.with_cjk_bigrams();
    }
    Ok((schema, settings))
}

fn infer(inputs: &mut Inputs, on_bad: OnBad) -> Result<Schema> {
    schema_file::infer(&inputs.sample(SAMPLE_COUNT, SAMPLE_LEN)).or_else(|error| {
        // A fault in the input explains more than the missing records.
        match inputs.first_fault()? {
            Some(fault) if on_bad == OnBad::Stop => Err(stopped_by(&fault)),
            _ => Err(error),
        }
    })
}

fn stopped_by(fault: &Fault) -> anyhow::Error {
    anyhow!("{fault}\n  correct it, or pass --skip-bad to skip bad records")
}
