//! `snapseek man`: prints the manual page, or writes the pages of all commands.

use super::Arguments;
use anyhow::{Context, Result};
use clap::CommandFactory;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ManArgs {
    /// Writes snapseek.1, snapseek-build.1 and so on into this folder
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  snapseek man | man -l -
  snapseek man --out ~/.local/share/man/man1";

pub fn run(args: &ManArgs) -> Result<()> {
    // The pages of the commands name each other, so the tree has to be complete.
    let mut command = Arguments::command();
    command.build();
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        clap_mangen::Man::new(command).render(&mut page)?;
        return Ok(io::stdout().lock().write_all(&page)?);
    };
    let name = folder.display();
    fs::create_dir_all(folder).with_context(|| format!("{name} cannot be written"))?;
    clap_mangen::generate_to(command, folder).with_context(|| format!("{name} cannot be written"))
}
