//! `snapseek model`: writes a static model into one file.

use crate::output::{Content, WholeFile};
use crate::print;
use crate::provider::static_model;
use anyhow::{Context, Result};
use snapseek::embed::{Embedder, StaticModelView};
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ModelArgs {
    /// The folder of a static model, in the layout of model2vec or wordllama
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,

    /// The file to write
    #[arg(short, long, value_name = "FILE.model")]
    out: PathBuf,

    /// Replaces a file that is not a static model
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Examples:
  snapseek model models/snapseek-static-en-v2 -o en.model
  snapseek build notes.jsonl -o notes.snap --embed static:en.model";

pub fn run(args: &ModelArgs) -> Result<()> {
    let mut file = WholeFile::create(&args.out, Content::StaticModel, args.force)?;
    let table = static_model::encoded(&args.folder)?;
    let len = file.write(|file| file.write_all(&table))?;
    file.appear()?;
    let model = StaticModelView::parse(&table).context("a model can be read as it was written")?;
    print::note(format_args!(
        "{}: {}, {} tokens, {} numbers per vector, {len} bytes",
        args.out.display(),
        model.id(),
        model.token_count(),
        model.width()
    ));
    Ok(())
}
