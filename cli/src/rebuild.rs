//! Builds a temporary snapshot from inputs, and again whenever one of them changes.

use crate::failure::UsageError;
use crate::print;
use anyhow::{Context, Result, ensure};
use ignore::WalkBuilder;
use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

/// The inputs are looked at this often.
const INTERVAL: Duration = Duration::from_millis(500);
/// Looking takes at most one part in this many of the time, so that a large folder keeps no processor busy.
const LOOKING_SHARE: u32 = 20;

/// Builds one snapshot from the same inputs, again and again.
#[derive(Debug)]
pub struct Rebuilder {
    inputs: Vec<PathBuf>,
    options: Vec<OsString>,
    folder: TempDir,
    snapshot: PathBuf,
    /// The inputs before the first build.
    before: InputState,
}

/// The files of the inputs, with their lengths and the times of their last changes.
type InputState = Vec<(PathBuf, u64, Option<SystemTime>)>;

impl Rebuilder {
    /// Prepares to build these inputs with these options of `snapseek build`.
    ///
    /// # Errors
    /// When an input does not exist or is stdin, or the system has no folder for temporary files.
    pub fn new(inputs: &[PathBuf], options: &[OsString]) -> Result<Rebuilder> {
        if inputs.iter().any(|input| *input == Path::new("-")) {
            let message = "stdin cannot be served; build a snapshot of it, and serve that";
            return Err(UsageError(message.to_owned()).into());
        }
        let first = fs::canonicalize(&inputs[0])
            .with_context(|| format!("{} cannot be read", inputs[0].display()))?;
        let mut name = first.file_stem().unwrap_or("inputs".as_ref()).to_owned();
        name.push(".snap");
        let folder = tempfile::Builder::new().prefix("snapseek-").tempdir();
        let folder = folder.context("there is no room for a temporary snapshot")?;
        let snapshot = folder.path().join(name);
        let before = input_state(inputs, options);
        Ok(Rebuilder { inputs: inputs.to_vec(), options: options.to_vec(), folder, snapshot, before })
    }

    /// Returns the path of the snapshot.
    pub fn snapshot(&self) -> &Path {
        &self.snapshot
    }

    /// Returns the temporary folder, which is empty but for the snapshot.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs `snapseek build`, which reports on stderr. The snapshot is replaced whole or not at all.
    ///
    /// # Errors
    /// When the build fails.
    pub fn build(&self) -> Result<()> {
        let program = env::current_exe().context("the path of this program is not known")?;
        let mut build = Command::new(program);
        build
            .arg("build")
            .args(&self.options)
            .arg("--output")
            .arg(&self.snapshot)
            .arg("--")
            .args(&self.inputs);
        let status = build.stdin(Stdio::null()).stdout(Stdio::null()).status();
        let status = status.context("the build cannot start")?;
        ensure!(status.success(), "there is no snapshot to serve: the build failed");
        Ok(())
    }

    /// Builds again after every change of the inputs, or of a file that an option names; never returns.
    ///
    /// A failed build leaves the snapshot as it is.
    pub fn watch(&self) {
        let mut built = self.before.clone();
        loop {
            let now = self.settled();
            if now == built {
                continue;
            }
            built = now;
            if self.build().is_err() {
                print::note("the build failed; the page still shows the previous snapshot");
            }
        }
    }

    /// Waits until the inputs are the same twice in a row: a tool may be writing them.
    fn settled(&self) -> InputState {
        let mut before = self.wait_and_look();
        loop {
            let now = self.wait_and_look();
            if now == before {
                return now;
            }
            before = now;
        }
    }

    fn wait_and_look(&self) -> InputState {
        let started = Instant::now();
        let state = input_state(&self.inputs, &self.options);
        thread::sleep(INTERVAL.max(started.elapsed() * LOOKING_SHARE));
        state
    }
}

/// Looks at the files of the inputs, and at files that an option names.
fn input_state(inputs: &[PathBuf], options: &[OsString]) -> InputState {
    let mut state = InputState::new();
    let options = options.iter().map(PathBuf::from).filter(|option| option.is_file());
    for input in inputs.iter().cloned().chain(options) {
        // The same files as `build` reads, and some that it does not: a build too many does no harm.
        let mut walk = WalkBuilder::new(input);
        walk.require_git(false).parents(false).git_global(false).git_exclude(false);
        walk.sort_by_file_path(Path::cmp);
        for entry in walk.build().flatten() {
            // A link counts with the file that it names.
            let Ok(metadata) = fs::metadata(entry.path()) else { continue };
            if metadata.is_file() {
                state.push((entry.into_path(), metadata.len(), metadata.modified().ok()));
            }
        }
    }
    state
}
