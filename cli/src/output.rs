//! Writes files that appear whole or not at all.
//!
//! A file is written under a temporary name in the same folder, flushed to the disk, then renamed. The temporary file
//! is removed after an error, a panic or Ctrl-C. Of several files that belong together, all are written before the
//! first is renamed.

use crate::failure::UsageError;
use crate::parts;
use crate::provider::cancel;
use crate::signals;
use anyhow::{Context, Result};
use snapseek::document::is_file_of_documents;
use snapseek::embed::StaticModelView;
use snapseek::snapshot::Header;
use snapseek::{SnapshotError, SnapshotFault};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The temporary files that a signal handler has to remove.
static UNFINISHED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// Whether the signal handler is installed.
static HANDLED: Mutex<bool> = Mutex::new(false);

/// By convention, 128 plus the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// The kind of a file. A file replaces only files of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    Snapshot,
    Documents,
    StaticModel,
    /// The list of the parts in a folder.
    PartsEntry,
    /// A part of a snapshot, whose name is the hash of its bytes.
    Part,
}

/// A file that is being written.
#[derive(Debug)]
pub struct WholeFile {
    target: PathBuf,
    temporary: PathBuf,
    file: File,
}

impl WholeFile {
    /// Creates the temporary file, so that an unwritable folder is reported before the work.
    ///
    /// Refuses to replace a file of another kind, unless `force`: an input given after `-o` by mistake would be lost.
    pub fn create(path: &Path, content: Content, force: bool) -> Result<WholeFile> {
        // If the path is a link, replace the file that it names.
        let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        check_replaceable(path, &target, content, force)?;
        WholeFile::begin(path, target)
    }

    /// Creates the temporary file for an edited file that exists. The new file keeps the permissions of the old one.
    pub fn edit(path: &Path) -> Result<WholeFile> {
        let name = || format!("{} cannot be written", path.display());
        let target = fs::canonicalize(path).with_context(name)?;
        let permissions = fs::metadata(&target).with_context(name)?.permissions();
        let file = WholeFile::begin(path, target)?;
        file.file.set_permissions(permissions).with_context(name)?;
        Ok(file)
    }

    fn begin(path: &Path, target: PathBuf) -> Result<WholeFile> {
        let name = target
            .file_name()
            .ok_or_else(|| UsageError(format!("{} is not the name of a file", path.display())))?;
        let mut hidden = OsString::from(".");
        hidden.push(name);
        hidden.push(format!(".{}.tmp", process::id()));
        let temporary = target.with_file_name(hidden);
        remove_on_signal(&temporary)?;
        let file =
            File::create(&temporary).with_context(|| format!("{} cannot be written", path.display()))?;
        Ok(WholeFile { target, temporary, file })
    }

    /// Calls `write` and flushes the file to the disk. Returns its length.
    pub fn write(&mut self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<u64> {
        let written = write(&mut self.file).and_then(|()| self.file.sync_all());
        let len = written.and_then(|()| Ok(self.file.metadata()?.len()));
        len.with_context(|| format!("{} cannot be written", self.target.display()))
    }

    /// Renames the file to its final name.
    pub fn appear(self) -> Result<()> {
        let name = || format!("{} cannot be written", self.target.display());
        fs::rename(&self.temporary, &self.target).with_context(name)?;
        // The new name is on the disk once its folder is flushed. Some systems cannot open folders for that.
        let folder = self.target.parent().filter(|folder| !folder.as_os_str().is_empty());
        let _ = File::open(folder.unwrap_or(Path::new("."))).and_then(|folder| folder.sync_all());
        Ok(())
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        // After the rename there is no such file, which is fine.
        let _ = fs::remove_file(&self.temporary);
        unfinished().retain(|other| *other != self.temporary);
    }
}

fn check_replaceable(path: &Path, target: &Path, content: Content, force: bool) -> Result<()> {
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
    let (is_replaceable, what) = match content {
        Content::Snapshot => {
            let is_none = |error: SnapshotError| {
                matches!(*error, SnapshotFault::NotASnapshot | SnapshotFault::HtmlPage)
            };
            (!Header::parse(&head).is_err_and(is_none), "not a snapshot")
        }
        Content::Documents => (is_file_of_documents(&head), "not a file of documents"),
        Content::StaticModel => {
            let bytes = fs::read(target).with_context(|| format!("{path} cannot be read"))?;
            (StaticModelView::parse(&bytes).is_ok(), "not a static model")
        }
        Content::PartsEntry => (parts::is_entry(&head), "not the entry file of a snapshot"),
        Content::Part => (true, "not a part"),
    };
    if is_replaceable {
        return Ok(());
    }
    let message = format!("{path} exists and is {what}; name another file, or pass --force to replace it");
    Err(UsageError(message).into())
}

fn remove_on_signal(temporary: &Path) -> Result<()> {
    unfinished().push(temporary.to_owned());
    let mut is_handled = HANDLED.lock().unwrap_or_else(PoisonError::into_inner);
    if *is_handled {
        return Ok(());
    }
    let handled = signals::on_end(|| {
        // A provider that is embedding saves its results and ends by itself.
        if cancel::interrupt() {
            return;
        }
        for temporary in unfinished().drain(..) {
            let _ = fs::remove_file(temporary);
        }
        process::exit(i32::from(INTERRUPTED));
    });
    *is_handled = true;
    handled.context("signals cannot be handled")
}

fn unfinished() -> MutexGuard<'static, Vec<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}
