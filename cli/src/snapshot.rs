//! Opens the snapshot of a command.

use anyhow::{Context, Result};
use snapseek::Engine;
use snapseek::document::DocumentFiles;
use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Opens a snapshot with the clock of this machine, and the files of its documents if there are any. Errors name the
/// file.
pub fn open(path: &Path) -> Result<Engine> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut engine = Engine::open(bytes).with_context(|| path.display().to_string())?.with_clock(now);
    let files = match engine.documents_outside().with_context(|| path.display().to_string())? {
        Some(documents) => DocumentFiles::beside(path, &documents)?,
        None => return Ok(engine),
    };
    engine.attach(files);
    Ok(engine)
}

/// Returns the time in milliseconds since 1970.
pub fn now() -> f64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs_f64() * 1000.0
}
