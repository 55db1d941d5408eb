//! Clocks and memory. Percentiles are taken in one place for all engines, `node/measure.mjs`.

use std::fs;
use std::hint::black_box;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::engines::Engine;
use crate::queries::Query;

/// One turn of an engine: nanoseconds per query, in order.
///
/// The turn begins with `warm_up` of the same queries untimed: between two turns other engines had the processor,
/// and a cold cache is theirs, not this engine's.
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

/// Memory of this process that is in RAM, mapped files included; `None` where the system does not say.
pub fn resident_bytes() -> Option<u64> {
    // Not `statm` or `status`: those are off by up to 64 pages a thread.
    let rollup = fs::read_to_string("/proc/self/smaps_rollup").ok()?;
    let line = rollup.lines().find_map(|line| line.strip_prefix("Rss:"))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes * 1024)
}

/// Bytes of all files below `folder`.
pub fn folder_bytes(folder: &std::path::Path) -> Result<u64> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    entries.map(|entry| Ok(entry?.metadata()?.len())).sum()
}
