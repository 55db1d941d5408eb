//! Opening the snapshot that a command is about.

use anyhow::{Context, Result};
use snapseek::Engine;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Opens a snapshot, with this machine's clock; an error names the file.
pub fn open(path: &Path) -> Result<Engine> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let engine = Engine::open(bytes).with_context(|| path.display().to_string())?;
    Ok(engine.with_clock(now))
}

/// The time, in milliseconds.
pub fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs_f64() * 1000.0
}
