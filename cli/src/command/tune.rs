//! `snapseek tune`: finds the settings that suit judged queries best, and says whether the gain is reliable.

use crate::evaluation::{AskArgs, ClickLog, JudgedQuery, Qrels, read_queries, warn_of_unjudged};
use crate::failure::UsageError;
use crate::tuning::{
    Axis, CrossValidation, EditableSchema, ModelTrust, SchemaValues, Trial, as_options, mean,
};
use crate::{print, snapshot};
use anyhow::{Result, ensure};
use serde::Serialize;
use snapseek::Schema;
use snapseek::json::Json;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct TuneArgs {
    /// The snapshot
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,

    /// The queries, as JSON lines: {"id": ..., "text": ...}
    #[arg(long, value_name = "Q.jsonl", requires = "qrels", required_unless_present = "clicks")]
    queries: Option<PathBuf>,

    /// The judgments, separated by tabs: query, record, relevance; a header line is skipped
    #[arg(long, value_name = "Q.tsv", requires = "queries")]
    qrels: Option<PathBuf>,

    /// A log of clicks instead, as JSON lines: {"query": ..., "clicked": ID, "shown": [ID, ...]}; shown is optional
    #[arg(long, value_name = "LOG.jsonl", conflicts_with_all = ["queries", "qrels", "query_vectors", "same"])]
    clicks: Option<PathBuf>,

    /// The number of folds: each is measured with the settings that the other folds chose
    #[arg(long, value_name = "K", default_value_t = 5, value_parser = clap::value_parser!(u16).range(2..=1000))]
    folds: u16,

    /// Writes the chosen values into this .toml or .json schema file, if the gain is reliable
    #[arg(long, value_name = "SCHEMA")]
    write: Option<PathBuf>,

    /// Writes the chosen values even if the gain is not reliable
    #[arg(long, requires = "write")]
    force: bool,

    /// Prints one JSON document
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    ask: AskArgs,
}

const EXAMPLES: &str = r#"Examples:
  snapseek tune docs.snap --queries queries.jsonl --qrels qrels.tsv
  snapseek tune docs.snap --queries q.jsonl --qrels q.tsv --write schema.toml
  snapseek tune docs.snap --clicks clicks.jsonl --folds 10 --json
  snapseek tune docs.snap --queries q.jsonl --qrels q.tsv --query-vectors minilm=queries.f32
  snapseek tune docs.snap --queries q.jsonl --qrels q.tsv --mode keyword

Tunes the weight of vectors (trust), the weights of text fields and, if the schema has a time
attribute, recency. Everything else stays as the snapshot and --options have it. The descent changes
one setting at a time and keeps the changes that raise nDCG@10. The recipes of a memory, rag, unified
or vault snapshot have settings of their own, which this command does not tune.

The nDCG@10 of the tuned settings is measured on queries that had no part in the choice. If the 95 %
interval of the difference includes 0, keep the defaults. Judge at least 20 queries; 100 are better.
Clicks favour records that are already near the top, so judgments are the better source.

--write sets weights and trust, for the next build. Recency is an option of each search."#;

pub fn run(args: &TuneArgs) -> Result<()> {
    let engine = snapshot::open(&args.file)?;
    let schema = engine.schema();
    let edited = args.write.as_deref().map(|path| EditableSchema::read(path, schema)).transpose()?;
    let (queries, qrels) = judged_queries(args)?;
    let questions = args.ask.questions(&queries, schema)?;
    let (judged, unjudged): (Vec<_>, Vec<_>) =
        questions.iter().partition(|asked| qrels.of(&asked.query.id).is_some());
    let unjudged = unjudged.iter().map(|asked| asked.query.id.clone()).collect::<Vec<_>>();
    warn_of_unjudged(&unjudged, queries.len());
    ensure!(judged.len() > 1, "tuning needs at least two judged queries; there are {}", judged.len());

    let trial = Trial::prepare(&engine, judged, &qrels, snapshot::now())?;
    if trial.axes().is_empty() {
        let message = "there is nothing to tune: these searches use neither words nor the default fusion";
        return Err(UsageError(message.to_owned()).into());
    }
    let ids = trial.ids();
    let sizes = trial.axes().iter().map(Axis::len).collect::<Vec<_>>();
    let folds = usize::from(args.folds).min(ids.len());
    let result = CrossValidation::run(&ids, folds, &sizes, |choice| trial.measure(choice))?;
    let axes = trial.axes().to_vec();
    // Dropping the trial clears its progress bar.
    drop(trial);

    let mut outcome = Outcome { axes: &axes, result: &result, written: None };
    if result.has_too_few_queries() {
        print::note(format_args!(
            "warning: {} judged queries are too few for a reliable choice; judge at least 20",
            result.default.len()
        ));
    }
    if let Some((file, path)) = edited.as_ref().zip(args.write.as_deref()) {
        outcome.written = outcome.write(file, path, schema, args.force)?;
    }
    if args.json { print::json(&outcome.document()) } else { outcome.print() }
}

fn judged_queries(args: &TuneArgs) -> Result<(Vec<JudgedQuery>, Qrels)> {
    match (&args.queries, &args.qrels, &args.clicks) {
        (Some(queries), Some(qrels), _) => Ok((read_queries(queries)?, Qrels::read(qrels)?)),
        (_, _, Some(clicks)) => {
            let ClickLog { queries, qrels } = ClickLog::read(clicks)?;
            Ok((queries, qrels))
        }
        _ => Err(UsageError("pass --queries and --qrels, or --clicks".to_owned()).into()),
    }
}

/// The result of tuning, ready to be shown and written.
#[derive(Debug)]
struct Outcome<'a> {
    axes: &'a [Axis],
    result: &'a CrossValidation,
    /// The schema file that now has the chosen values.
    written: Option<&'a Path>,
}

/// The result as it is printed with `--json`.
#[derive(Debug, Serialize)]
struct TuneReport<'a> {
    queries: usize,
    folds: usize,
    default: SideReport,
    tuned: SideReport,
    difference: DifferenceReport,
    /// Whether the settings differ and the whole interval lies above 0, with enough queries.
    reliable: bool,
    /// The number of settings that were measured.
    tried: usize,
    /// The settings that were tuned without each fold.
    #[serde(rename = "byFold")]
    by_fold: Vec<Json>,
    #[serde(skip_serializing_if = "Option::is_none")]
    written: Option<&'a Path>,
}

#[derive(Debug, Serialize)]
struct SideReport {
    #[serde(rename = "ndcg@10")]
    ndcg: f64,
    /// The settings, as search options of the JavaScript API.
    options: Json,
}

#[derive(Debug, Serialize)]
struct DifferenceReport {
    mean: f64,
    low: f64,
    high: f64,
}

impl<'a> Outcome<'a> {
    /// Writes the chosen values into a schema file, if they are reliable or forced. Returns the file that was changed.
    fn write(
        &self,
        file: &EditableSchema,
        path: &'a Path,
        schema: &Schema,
        force: bool,
    ) -> Result<Option<&'a Path>> {
        let name = path.display();
        if !self.result.is_reliable() && !force {
            print::note(format_args!(
                "{name} is unchanged, because the gain is not reliable; --force writes it"
            ));
            return Ok(None);
        }
        if self.changes_recency() {
            print::note("recency is an option of each search, so a schema does not hold it");
        }
        if !file.write(&self.schema_values(schema))? {
            print::note(format_args!("{name} is unchanged: it has these values already"));
            return Ok(None);
        }
        print::note(format_args!("wrote {name}; build the snapshot again to use it"));
        Ok(Some(path))
    }

    /// Whether a recency other than the default was chosen, which a schema cannot hold.
    fn changes_recency(&self) -> bool {
        let mut chosen = self.axes.iter().zip(&self.result.chosen);
        chosen.any(|(axis, value)| matches!(axis, Axis::Recency { .. }) && *value != 0)
    }

    fn schema_values(&self, schema: &Schema) -> SchemaValues {
        let mut chosen = SchemaValues::default();
        for (axis, &value) in self.axes.iter().zip(&self.result.chosen) {
            match axis {
                Axis::Trust { model, values } => {
                    // The default follows the kind of the model; only a change belongs into the file.
                    let known = schema.model(model).filter(|_| value != 0);
                    chosen.trust = known.map(|(_, known)| ModelTrust {
                        model: model.clone(),
                        encoding: known.encoding,
                        trust: values[value],
                    });
                }
                Axis::Weight { field, values } => chosen.weights.push((field.clone(), values[value])),
                Axis::Recency { .. } => {}
            }
        }
        chosen
    }

    fn options(&self, choice: &[usize]) -> Json {
        as_options(self.axes.iter().zip(choice.iter().copied()))
    }

    fn document(&self) -> TuneReport<'a> {
        let CrossValidation { default, held_out, interval, chosen, by_fold, tried } = self.result;
        TuneReport {
            queries: default.len(),
            folds: by_fold.len(),
            default: SideReport {
                ndcg: mean(default.iter().copied()),
                options: self.options(&vec![0; chosen.len()]),
            },
            tuned: SideReport { ndcg: mean(held_out.iter().copied()), options: self.options(chosen) },
            difference: DifferenceReport {
                mean: self.result.difference(),
                low: interval.low,
                high: interval.high,
            },
            reliable: self.result.is_reliable(),
            tried: *tried,
            by_fold: by_fold.iter().map(|choice| self.options(choice)).collect(),
            written: self.written,
        }
    }

    fn print(&self) -> Result<()> {
        let mut out = BufWriter::new(io::stdout().lock());
        let TuneReport { queries, folds, default, tuned, difference, reliable, tried, .. } = self.document();
        let DifferenceReport { mean, low, high } = difference;
        let names = self.axes.iter().map(|axis| print::plain(&axis.name())).collect::<Vec<_>>();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("difference".len());
        writeln!(out, "{:width$}  {:>9}  {:>9}", "", "default", "tuned")?;
        writeln!(
            out,
            "{:width$}  {:>9.4}  {:>9.4}  on held-out queries: {queries} in {folds} folds",
            "nDCG@10", default.ndcg, tuned.ndcg
        )?;
        writeln!(
            out,
            "{:width$}  {:>9}  {mean:>+9.4}  95 % interval {low:+.4} to {high:+.4}",
            "difference", ""
        )?;
        writeln!(out)?;
        for (place, (axis, name)) in self.axes.iter().zip(&names).enumerate() {
            let (usual, chosen) = (axis.text(0), axis.text(self.result.chosen[place]));
            let agreement = self.result.agreement(place);
            writeln!(out, "{name:width$}  {usual:>9}  {chosen:>9}  in {agreement} of {folds} folds")?;
        }
        writeln!(out)?;
        let changed =
            self.axes.iter().zip(self.result.chosen.iter().copied()).filter(|(_, value)| *value != 0);
        let options = as_options(changed).to_text();
        match reliable {
            true => writeln!(out, "reliable gain ({tried} settings tried); as search options: {options}")?,
            false => writeln!(out, "no reliable gain: keep the defaults ({tried} settings tried)")?,
        }
        Ok(out.flush()?)
    }
}
