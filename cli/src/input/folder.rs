//! Which files of a folder are documents?
//!
//! Hidden files, files that a `.gitignore` in the folder excludes, and files that tools generate are skipped. Links to
//! files are read; links to folders are not followed, so no file is read twice.

use super::document::DocumentMarkup;
use anyhow::{Context, Result, ensure};
use ignore::WalkBuilder;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders that tools fill.
const PASSED_OVER: [&str; 2] = ["node_modules", "target"];

/// A document in a folder.
#[derive(Debug)]
pub struct FolderDocument {
    /// Its path.
    pub file: PathBuf,
    /// Its path within the folder, with `/`.
    pub path: String,
    /// Its markup.
    pub markup: DocumentMarkup,
    /// Its length in bytes.
    pub len: u64,
}

/// Returns all documents in the folder and its subfolders, sorted by path.
pub fn documents(folder: &Path) -> Result<Vec<FolderDocument>> {
    let mut found = Vec::new();
    let mut walk = WalkBuilder::new(folder);
    // Every .gitignore within the folder counts, and nothing outside of it: the same files give the same snapshot on
    // every machine.
    walk.require_git(false).parents(false).git_global(false).git_exclude(false);
    walk.filter_entry(|entry| {
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        entry.depth() == 0 || !is_folder || !PASSED_OVER.iter().any(|name| entry.file_name() == *name)
    });
    for entry in walk.build() {
        let entry = entry.with_context(|| format!("{} cannot be read", folder.display()))?;
        let Some(markup) = DocumentMarkup::of_path(entry.path()) else { continue };
        let file = entry.into_path();
        // Skip links that lead nowhere.
        let Ok(metadata) = fs::metadata(&file) else { continue };
        if !metadata.is_file() {
            continue;
        }
        let path = portable(file.strip_prefix(folder).unwrap_or(&file))?;
        found.push(FolderDocument { file, path, markup, len: metadata.len() });
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    ensure!(
        !found.is_empty(),
        "{} holds no documents; .md, .html, .txt and the like are read",
        folder.display()
    );
    Ok(found)
}

/// Joins the parts of a path with `/`.
fn portable(path: &Path) -> Result<String> {
    let parts = path.iter().map(|part| part.to_str()).collect::<Option<Vec<_>>>();
    let parts = parts.with_context(|| format!("the name of {} is not UTF-8; rename it", path.display()))?;
    Ok(parts.join("/"))
}
