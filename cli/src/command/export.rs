//! `snapseek export`: prints the records as JSON lines, then links, sessions, usages and feedback.

use crate::snapshot;
use anyhow::{Context, Result};
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_long_help = "Example:\n  snapseek export notes.snap | snapseek build - -o again.snap")]
pub struct ExportArgs {
    /// The snapshot
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,
}

pub fn run(args: &ExportArgs) -> Result<()> {
    let engine = snapshot::open(&args.file)?;
    let mut out = BufWriter::new(io::stdout().lock());
    let mut written = Ok(());
    let mut line = |text: &[u8]| {
        written = out.write_all(text).and_then(|()| out.write_all(b"\n"));
        written.is_ok()
    };
    engine.each_record(&mut line).with_context(|| args.file.display().to_string())?;
    let state = engine.state().with_context(|| args.file.display().to_string())?;
    let _ = state.lines().iter().all(|beside| line(beside.to_text().as_bytes()));
    written?;
    Ok(out.flush()?)
}
