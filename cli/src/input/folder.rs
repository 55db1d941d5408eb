//! Which files of a folder are documents?
//!
//! What is hidden, ignored by a `.gitignore` in the folder, or made by tools is passed over. Links to files are read,
//! links to folders are not followed, so no file is met twice on the way.

use super::document::Markup;
use anyhow::{Context, Result, ensure};
use ignore::WalkBuilder;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders of what tools make or fetch.
const PASSED_OVER: [&str; 2] = ["node_modules", "target"];

/// A document in a folder.
#[derive(Debug)]
pub struct Found {
    /// Where it is.
    pub file: PathBuf,
    /// Its path from the folder, with `/`.
    pub path: String,
    /// How it is written.
    pub markup: Markup,
    /// Its bytes.
    pub len: u64,
}

/// All documents in the folder and the folders in it, in the order of their paths.
pub fn documents(folder: &Path) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    let mut walk = WalkBuilder::new(folder);
    // A .gitignore counts wherever it is, and nothing outside of the folder does: the same files give the same
    // snapshot on every machine.
    walk.require_git(false).parents(false).git_global(false).git_exclude(false);
    walk.filter_entry(|entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        entry.depth() == 0 || !is_folder || !PASSED_OVER.iter().any(|name| entry.file_name() == *name)
    });
    for entry in walk.build() {
        let entry = entry.with_context(|| format!("{} cannot be read", folder.display()))?;
        let Some(markup) = Markup::of_path(entry.path()) else { continue };
        let file = entry.into_path();
        // A link that leads nowhere is no document.
        let Ok(metadata) = fs::metadata(&file) else { continue };
        if !metadata.is_file() {
            continue;
        }
        let path = portable(file.strip_prefix(folder).unwrap_or(&file))?;
        found.push(Found { file, path, markup, len: metadata.len() });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    ensure!(
        !found.is_empty(),
        "{} holds no documents; .md, .html, .txt and the like are read",
        folder.display()
    );
    Ok(found)
}

/// The path with `/` between its parts.
fn portable(path: &Path) -> Result<String> {
    let parts = path.iter().map(|part| part.to_str()).collect::<Option<Vec<_>>>();
    let parts = parts.with_context(|| format!("the name of {} is not UTF-8; rename it", path.display()))?;
    Ok(parts.join("/"))
}
