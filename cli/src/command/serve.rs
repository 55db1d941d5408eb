//! `snapseek serve`: shows the demo page on this machine.

use crate::server::{self, Site};
use crate::snapshot;
use anyhow::{Context, Result};
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process;

#[derive(Debug, clap::Args)]
#[command(after_long_help = "Example:\n  snapseek serve notes.snap --port 0")]
pub struct ServeArgs {
    /// The snapshot; the page finds it at /demo.snap
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,

    /// The port on 127.0.0.1; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 8080)]
    port: u16,

    /// The folder of the page; /pkg/ is the folder pkg next to it
    #[arg(long, value_name = "DIR", default_value = "www")]
    www: PathBuf,
}

pub fn run(args: &ServeArgs) -> Result<()> {
    // Report a bad snapshot here rather than in the browser.
    drop(snapshot::open(&args.file)?);
    let site = Site::new(&args.www, &args.file)?;
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .with_context(|| format!("port {} cannot be used; pass --port 0 for a free one", args.port))?;
    let address = listener.local_addr().context("the address of the server is not known")?;
    // Ctrl-C is the usual way to end the server, so it is not a failure.
    ctrlc::set_handler(|| process::exit(0)).context("signals cannot be handled")?;
    let mut out = io::stdout();
    writeln!(out, "http://{address}/")?;
    out.flush()?;
    server::serve(site, listener).context("the server cannot start")
}
