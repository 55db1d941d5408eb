//! `snapseek verify`: checks every byte of a snapshot.

use crate::{print, snapshot};
use anyhow::{Context, Result};
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct VerifyArgs {
    /// The snapshot
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,
}

pub fn run(args: &VerifyArgs) -> Result<()> {
    let engine = snapshot::open(&args.file)?;
    engine.verify().with_context(|| args.file.display().to_string())?;
    let records = print::counted(engine.len() as u64, "record");
    Ok(writeln!(io::stdout(), "{}: no damage found, {records}", args.file.display())?)
}
