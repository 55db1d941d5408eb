//! One engine in one process, told what to do by `node/run.mjs`: a JSON request a line, a JSON answer a line.
//!
//! A process per engine keeps one engine's memory and caches out of another's figures, and lets the turns of native
//! and JavaScript engines alternate. `node/serve.mjs` answers the same requests for the engines from npm.

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
    /// Build an index in an emptied folder.
    Build { records: PathBuf, index: PathBuf, threads: usize },
    /// Open it, and answer the first query of `first`'s class.
    Open { index: PathBuf, queries: PathBuf, first: String },
    /// Every hit of every query of a class, for the check.
    Answer { class: String },
    /// One timed turn over a class.
    Measure { class: String, warm_up_milliseconds: u64 },
}

struct Opened<E> {
    engine: E,
    queries: Vec<Query>,
}

impl<E> Opened<E> {
    /// The engine, and the queries of `class`.
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
            let opened = opened.as_mut().context("an engine is opened before it is asked")?;
            answers(opened, &class)
        }
        Request::Measure { class, warm_up_milliseconds } => {
            let opened = opened.as_mut().context("an engine is opened before it is measured")?;
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
        // A native engine has no module to start; the loader mapped it with the process.
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
