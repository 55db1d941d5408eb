//! `snapseek completions`: prints a script that completes commands in a shell.

use super::Arguments;
use anyhow::Result;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::{self, Write};

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  snapseek completions bash > ~/.local/share/bash-completion/completions/snapseek
  snapseek completions zsh > ~/.zfunc/_snapseek
  snapseek completions fish > ~/.config/fish/completions/snapseek.fish";

pub fn run(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::command(), "snapseek", &mut script);
    Ok(io::stdout().lock().write_all(&script)?)
}
