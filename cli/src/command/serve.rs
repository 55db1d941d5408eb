//! `snapseek serve`: a search page for any snapshot, on this machine.

use crate::failure::UsageError;
use crate::rebuild::Rebuilder;
use crate::server::{self, SearchSite, Site};
use crate::{signals, snapshot};
use anyhow::{Context, Result};
use std::ffi::OsString;
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, process, thread};

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub struct ServeArgs {
    /// A snapshot, or the inputs of one, as `snapseek build` takes them
    ///
    /// Inputs are built into a temporary snapshot, which is removed when the server ends.
    #[arg(required = true, value_name = "FILE.snap|INPUT")]
    files: Vec<PathBuf>,

    /// Options of `snapseek build` for the inputs, after --
    #[arg(last = true, value_name = "BUILD OPTION")]
    options: Vec<OsString>,

    /// Builds again when an input changes, and shows the new snapshot in open pages
    ///
    /// With a snapshot instead of inputs, open pages show it anew whenever the file changes.
    #[arg(long)]
    watch: bool,

    /// The folder of pages that a snapshot was built from: hits link to its files, which are served on another port
    ///
    /// If one of the inputs is a folder, this is the default.
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,

    /// The port on 127.0.0.1; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 8080)]
    port: u16,

    /// A folder with a page of your own, which finds the snapshot at /demo.snap; /pkg/ is the folder pkg next to it
    #[arg(long, value_name = "DIR")]
    www: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  snapseek serve notes.snap --port 0
  snapseek serve search.snap --pages site/
  snapseek serve --watch docs/
  snapseek serve --watch books.csv -- --schema books.toml --forms";

pub fn run(args: &ServeArgs) -> Result<()> {
    let rebuilder = match &args.files[..] {
        [file] if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("snap")) => None,
        inputs => Some(Rebuilder::new(inputs, &args.options)?),
    };
    if rebuilder.is_none() && !args.options.is_empty() {
        return Err(UsageError("build options are for inputs; a snapshot is built already".to_owned()).into());
    }
    let file = rebuilder.as_ref().map_or(&*args.files[0], Rebuilder::snapshot).to_owned();
    let mut site = SearchSite::new(args.www.as_deref(), &file)?;
    if args.watch {
        site = site.watched();
    }
    let pages = args.pages.as_deref().or_else(|| only_folder(&args.files));
    // Ctrl-C is the usual way to end the server, so it is not a failure.
    let folder = rebuilder.as_ref().map(|rebuilder| rebuilder.folder().to_owned());
    let end = move || {
        if let Some(folder) = &folder {
            // The system empties its folder of temporary files in any case.
            let _ = fs::remove_dir_all(folder);
        }
        process::exit(0)
    };
    signals::on_end(end).context("signals cannot be handled")?;
    if let Some(rebuilder) = &rebuilder {
        rebuilder.build()?;
    }
    // Report a bad snapshot here rather than in the browser.
    drop(snapshot::open(&file)?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .with_context(|| format!("port {} cannot be used; pass --port 0 for a free one", args.port))?;
    let address = listener.local_addr().context("the address of the server is not known")?;
    if let Some(folder) = pages {
        site = site.with_pages(serve_pages(folder)?);
    }
    let mut out = io::stdout();
    writeln!(out, "http://{address}/")?;
    out.flush()?;
    // The temporary folder stays until the server ends.
    let rebuilder = rebuilder.map(Arc::new);
    if let Some(rebuilder) = rebuilder.as_ref().filter(|_| args.watch) {
        let rebuilder = Arc::clone(rebuilder);
        thread::spawn(move || rebuilder.watch());
    }
    server::serve(Site::Search(site), listener).context("the server cannot start")
}

/// Returns the folder among the inputs, if there is exactly one.
fn only_folder(inputs: &[PathBuf]) -> Option<&Path> {
    let mut folders = inputs.iter().filter(|input| input.is_dir());
    folders.next().filter(|_| folders.next().is_none()).map(PathBuf::as_path)
}

/// Serves the pages of a folder on a port of their own, where their paths and scripts cannot meet those of the search page.
/// Returns their address.
fn serve_pages(folder: &Path) -> Result<String> {
    let missing = || format!("there is no folder {}; --pages names a folder of pages", folder.display());
    let folder = fs::canonicalize(folder).with_context(missing)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no port is free for the pages")?;
    let address = listener.local_addr().context("the address of the pages is not known")?;
    thread::spawn(move || server::serve(Site::Pages(folder), listener));
    Ok(format!("http://{address}/"))
}
