//! Measures time and memory. `node/measure.mjs` computes the percentiles for all engines.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::engines::Engine;
use crate::queries::Query;

/// Runs one turn of an engine and returns the nanoseconds of each query, in order.
///
/// The turn starts with untimed queries for the duration of `warm_up`: other engines ran before it, and their effect on the
/// processor's caches must not count against this engine.
pub fn turn<E: Engine>(engine: &mut E, queries: &[&Query], warm_up: Duration) -> Result<Vec<u64>> {
    let started = Instant::now();
    for query in queries.iter().cycle() {
        if started.elapsed() >= warm_up {
            break;
        }
        black_box(engine.search(query)?);
    }
    queries
        .iter()
        .map(|query| {
            let started = Instant::now();
            let answer = engine.search(query)?;
            let elapsed = started.elapsed();
            black_box(answer);
            Ok(u64::try_from(elapsed.as_nanos())?)
        })
        .collect()
}

/// Returns the resident memory of this process, mapped files included; `None` if the system does not report it.
pub fn resident_bytes() -> Option<u64> {
    // `statm` and `status` are off by up to 64 pages per thread.
    let rollup = fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Rss:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Returns the total size of all files in `folder`.
pub fn folder_bytes(folder: &std::path::Path) -> Result<u64> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    entries.map(|entry| Ok(entry?.metadata()?.len())).sum()
}
