//! The native half of the benchmark: it generates the query set, and runs one native engine for `node/run.mjs`.

use std::path::Path;
use std::{env, fs};

use anyhow::{Context, Result, bail};

mod engines;
mod measure;
mod queries;
mod random;
mod records;
mod serve;
mod vectors;

const USAGE: &str = "usage: snapseek-benches queries RECORDS.jsonl PER_CLASS OUT.jsonl
       snapseek-benches serve fts5 | tantivy | snapseek
       snapseek-benches vectors make FOLDER ROWS WIDTH QUERIES
       snapseek-benches vectors measure FOLDER WIDTH f32 | i8 | i1 | read | usearch-exact | usearch-hnsw | sqlite-vec";

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["queries", records, per_class, out] => write_queries(records.as_ref(), per_class, out.as_ref()),
        ["serve", "fts5"] => serve::serve::<engines::fts5::Fts5>(),
        ["serve", "tantivy"] => serve::serve::<engines::tantivy::Tantivy>(),
        ["serve", "snapseek"] => serve::serve::<engines::snapseek::Snapseek>(),
        ["vectors", "make", folder, rows, width, queries] => {
            vectors::make(folder.as_ref(), rows.parse()?, width.parse()?, queries.parse()?)
        }
        ["vectors", "measure", folder, width, what] => {
            vectors::measure(folder.as_ref(), what, width.parse()?)
        }
        _ => bail!(USAGE),
    }
}

fn write_queries(records: &Path, per_class: &str, out: &Path) -> Result<()> {
    let lines = fs::read_to_string(records).with_context(|| format!("reading {}", records.display()))?;
    let per_class = per_class.parse().with_context(|| format!("{per_class} is not a number of queries"))?;
    let mut text = String::new();
    for query in queries::generate(&lines, per_class)? {
        text.push_str(&serde_json::to_string(&query)?);
        text.push('\n');
    }
    fs::write(out, text).with_context(|| format!("writing {}", out.display()))
}
