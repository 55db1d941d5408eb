//! Opening the snapshot that a command is about.

use anyhow::{Context, Result};
use snapseek::Engine;
use std::fs;
use std::path::Path;

/// Opens a snapshot; an error names the file.
pub fn open(path: &Path) -> Result<Engine> {
    let bytes = fs::read(path).with_context(|| format!("{} cannot be read", path.display()))?;
    Engine::open(bytes).with_context(|| path.display().to_string())
}
