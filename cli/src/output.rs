//! How does a file appear whole or not at all?
//!
//! It is written beside its place under another name, brought to the disk, then renamed. The other file goes away
//! whatever happens short of a power cut: an error, a panic, Ctrl-C.

use crate::failure::UsageError;
use crate::provider::cancel;
use anyhow::{Context, Result};
use snapseek::SnapshotError;
use snapseek::snapshot::Header;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, PoisonError};

/// What a signal has to remove.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// By convention, 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// A file that is not there yet.
#[derive(Debug)]
pub struct WholeFile {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
}

impl WholeFile {
    /// Opens the temporary file, so that a folder that cannot be written to shows before the work is done.
    ///
    /// Refuses to replace what is no snapshot, unless `force`: an input named after `-o` would be lost.
    pub fn create(path: &Path, force: bool) -> Result<WholeFile> {
        // A link stays a link: the file that it names is replaced.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let name =
            target.file_name().ok_or_else(|| UsageError(format!("{} names no file", path.display())))?;
        check_replaceable(path, &target, force)?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.tmp", process::id()));
        let temporary = target.with_file_name(hidden);
        remove_on_signal(&temporary)?;
        let file =
            File::create(&temporary).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(WholeFile { target, temporary, file })
    }

    /// Lets `write` write all of it, and puts it in its place. Its length.
    pub fn finish(mut self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<u64> {
        self.put(write).with_context(|| format!("{} cannot be written", self.target.display()))
    }

    fn put(&mut self, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<u64> {
        write(&mut self.file)?;
        self.file.sync_all()?;
        let len = self.file.metadata()?.len();
        fs::rename(&self.temporary, &self.target)?;
        // The new name is on the disk once its folder is. Not every system lets folders be opened for that.
        let folder = self.target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let _ = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
        Ok(len)
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        // After a rename it is not there any more, and that is well.
        let _ = fs::remove_file(&self.temporary);
        *unfinished() = None;
    }
}

fn check_replaceable(path: &Path, target: &Path, force: bool) -> Result<()> {
    let Ok(metadata) = fs::metadata(target) else { return Ok(()) };
    let path = path.display();
    if !metadata.is_file() {
        return Err(UsageError(format!("{path} is not a file; name one after -o")).into());
    }
    if force || metadata.len() == 0 {
        return Ok(());
    }
    let mut head = Vec::new();
    let file = File::open(target).with_context(|| format!("{path} cannot be read"))?;
    file.take(Header::LEN as u64).read_to_end(&mut head).with_context(|| format!("{path} cannot be read"))?;
    if matches!(Header::parse(&head), Err(SnapshotError::NotASnapshot)) {
        let message =
            format!("{path} is there and no snapshot; name another file, or pass --force to replace it");
        return Err(UsageError(message).into());
    }
    Ok(())
}

fn remove_on_signal(temporary: &Path) -> Result<()> {
    *unfinished() = Some(temporary.to_owned());
    let handled = ctrlc::set_handler(|| {
        // Who embeds keeps what was embedded, and ends by itself.
        if cancel::interrupt() {
            return;
        }
        if let Some(temporary) = unfinished().take() {
            let _ = fs::remove_file(temporary);
        }
        process::exit(i32::from(INTERRUPTED));
    });
    handled.context("signals cannot be handled")
}

fn unfinished() -> std::sync::MutexGuard<'static, Option<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}
