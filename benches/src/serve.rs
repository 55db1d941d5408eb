//! Runs one engine in one process for `node/run.mjs`: one JSON request per input line, one JSON response per output line.
//!
//! With a process per engine, the memory and caches of one engine do not affect the figures of another, and the turns of
//! native and JavaScript engines can alternate. `node/serve.mjs` answers the same requests for the engines from npm.

use std::fs;
use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::engines::{Engine, Hit};
use crate::measure;
use crate::queries::Query;

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum Request {
    /// Builds an index in an emptied folder.
    Build { records: PathBuf, index: PathBuf, threads: usize },
    /// Opens the index, and runs the first query of class `first`.
    Open { index: PathBuf, queries: PathBuf, first: String },
    /// Returns every hit of every query of a class, for comparison.
    Answer { class: String },
    /// Runs one timed turn over the queries of a class.
    Measure { class: String, warm_up_milliseconds: u64 },
}

struct Opened<E> {
    engine: E,
    queries: Vec<Query>,
}

impl<E> Opened<E> {
    /// Returns the engine and the queries of `class`.
    fn with_class(&mut self, class: &str) -> (&mut E, Vec<&Query>) {
        (&mut self.engine, self.queries.iter().filter(|query| query.class == class).collect())
    }
}

/// Answers requests until the other side closes the pipe.
pub fn serve<E: Engine>() -> Result<()> {
    let mut opened: Option<Opened<E>> = None;
    for line in io::stdin().lock().lines() {
        let request: Request = serde_json::from_str(&line?)?;
        let answer = match (E::ABSENCE, request) {
            (Some(reason), _) => json!({ "absent": reason }),
            (None, request) => perform(request, &mut opened)?,
        };
        let mut stdout = io::stdout().lock();
        serde_json::to_writer(&mut stdout, &answer)?;
        stdout.write_all(b"\n")?;
        stdout.flush()?;
    }
    Ok(())
}

fn perform<E: Engine>(request: Request, opened: &mut Option<Opened<E>>) -> Result<Value> {
    match request {
        Request::Build { records, index, threads } => build::<E>(&records, &index, threads),
        Request::Open { index, queries, first } => {
            let queries = parse_queries(&queries)?;
            let (engine, answer) = open::<E>(&index, &queries, &first)?;
            *opened = Some(Opened { engine, queries });
            Ok(answer)
        }
        Request::Answer { class } => {
            let opened = opened.as_mut().context("open an engine before asking for answers")?;
            answers(opened, &class)
        }
        Request::Measure { class, warm_up_milliseconds } => {
            let opened = opened.as_mut().context("open an engine before measuring it")?;
            let (engine, queries) = opened.with_class(&class);
            let nanoseconds = measure::turn(engine, &queries, Duration::from_millis(warm_up_milliseconds))?;
            Ok(json!({ "nanoseconds": nanoseconds }))
        }
    }
}

fn parse_queries(file: &Path) -> Result<Vec<Query>> {
    let lines = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    Ok(lines.lines().map(serde_json::from_str).collect::<serde_json::Result<_>>()?)
}

fn build<E: Engine>(records: &Path, index: &Path, threads: usize) -> Result<Value> {
    let lines = fs::read_to_string(records).with_context(|| format!("reading {}", records.display()))?;
    if index.exists() {
        fs::remove_dir_all(index)?;
    }
    fs::create_dir_all(index)?;
    let time = E::build(&lines, index, threads)?;
    Ok(json!({
        "buildSeconds": time.build.as_secs_f64(),
        "compactSeconds": time.compact.as_secs_f64(),
        "fileBytes": measure::folder_bytes(index)?,
        "indexBytes": E::index_bytes(index)?,
    }))
}

fn open<E: Engine>(index: &Path, queries: &[Query], first: &str) -> Result<(E, Value)> {
    let first = queries.iter().find(|query| query.class == first).context("the query set has every class")?;
    let resident_before = measure::resident_bytes();
    let started = Instant::now();
    let mut engine = E::open(index)?;
    let open = started.elapsed();
    let started = Instant::now();
    engine.search(first)?;
    let first = started.elapsed();
    let resident = measure::resident_bytes();
    let answer = json!({
        // A native engine has no module to start: the loader mapped it with the process.
        "startSeconds": 0.0,
        "openSeconds": open.as_secs_f64(),
        "firstSeconds": first.as_secs_f64(),
        "residentBytes": resident.zip(resident_before).map(|(after, before)| after.saturating_sub(before)),
    });
    Ok((engine, answer))
}

fn answers<E: Engine>(opened: &mut Opened<E>, class: &str) -> Result<Value> {
    let (engine, queries) = opened.with_class(class);
    if !queries.iter().all(|query| E::supports(query.kind)) {
        return Ok(json!({ "unsupported": true }));
    }
    let answers: Vec<Vec<Hit>> = queries
        .into_iter()
        .map(|query| {
            let answer = engine.search(query)?;
            engine.hits(answer)
        })
        .collect::<Result<_>>()?;
    Ok(json!({ "answers": answers }))
}
