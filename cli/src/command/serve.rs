//! `snapseek serve`: the demo page, on this machine only.

use crate::server::Site;
use crate::snapshot;
use anyhow::{Context, Result};
use std::io::{self, Write};
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process;
use std::sync::Arc;
use std::thread;

#[derive(Debug, clap::Args)]
#[command(after_long_help = "Example:\n  snapseek serve notes.snap --port 0")]
pub struct Args {
    /// The snapshot; the page finds it at /demo.snap
    #[arg(value_name = "FILE.snap")]
    file: PathBuf,

    /// The port on 127.0.0.1; 0 picks a free one
    #[arg(long, value_name = "N", default_value_t = 8080)]
    port: u16,

    /// The folder of the page; /pkg/ is the folder pkg beside it
    #[arg(long, value_name = "DIR", default_value = "www")]
    www: PathBuf,
}

pub fn run(args: &Args) -> Result<()> {
    // A wrong file shows here, and not in the browser.
    drop(snapshot::open(&args.file)?);
    let site = Arc::new(Site::new(&args.www, &args.file)?);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, args.port))
        .with_context(|| format!("port {} cannot be used; pass --port 0 for a free one", args.port))?;
    let address = listener.local_addr().context("the address is not known")?;
    // Ctrl-C is how this is meant to end, so it is no failure.
    ctrlc::set_handler(|| process::exit(0)).context("signals cannot be handled")?;
    let mut out = io::stdout();
    writeln!(out, "http://{address}/")?;
    out.flush()?;
    for connection in listener.incoming() {
        // A browser that went away, or too many at once, concern this connection only.
        let Ok(connection) = connection else { continue };
        let site = Arc::clone(&site);
        let _ = thread::Builder::new().spawn(move || site.answer(connection));
    }
    Ok(())
}
