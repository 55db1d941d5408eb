//! Which files of a folder are documents?
//!
//! Hidden files, files that a `.gitignore` in the folder excludes, and files that tools generate are skipped. Links to
//! files are read; links to folders are not followed, so no file is read twice.

use super::document::DocumentMarkup;
use super::options::DocumentOptions;
use anyhow::{Context, Result, ensure};
use ignore::WalkBuilder;
use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders that tools fill.
const PASSED_OVER: [&str; 2] = ["node_modules", "target"];

/// The folders and files of a site that repeat its pages, or are none. `--include` brings back
/// those that it mentions by name.
const GENERATED_FOLDERS: [&str; 3] = ["_sources", "_static", "_modules"];
const GENERATED_FILES: [&str; 11] = [
    "bookindex.html",
    "genindex.html",
    "py-modindex.html",
    "search.html",
    "404.html",
    "robots.txt",
    "humans.txt",
    "ads.txt",
    "security.txt",
    "llms.txt",
    "llms-full.txt",
];

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

/// Returns the documents in the folder and its subfolders that the options do not exclude, sorted by path.
pub fn documents(folder: &Path, options: &DocumentOptions) -> Result<Vec<FolderDocument>> {
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
        if !is_wanted(&path, options) {
            continue;
        }
        found.push(FolderDocument { file, path, markup, len: metadata.len() });
    }
    drop_sources(&mut found, options);
    found.sort_by(|a, b| a.path.cmp(&b.path));
    ensure!(
        !found.is_empty(),
        "{} holds no documents{}; .md, .html, .txt and the like are read",
        folder.display(),
        if options.include.is_empty() && options.exclude.is_empty() {
            ""
        } else {
            " that --include and --exclude leave"
        }
    );
    Ok(found)
}

/// Drops the sources of pages: `use.md`, `use.txt` or `use.html.md` beside `use.html`.
fn drop_sources(found: &mut Vec<FolderDocument>, options: &DocumentOptions) {
    let pages = found.iter().filter(|document| document.markup == DocumentMarkup::Html);
    let pages = pages.flat_map(|page| [page.path.clone(), without_extension(&page.path).to_owned()]);
    let pages = pages.collect::<HashSet<_>>();
    let is_named =
        |path: &str| options.include.iter().any(|glob| glob.mentions(&path[without_extension(path).len()..]));
    found.retain(|document| {
        let is_source =
            document.markup != DocumentMarkup::Html && pages.contains(without_extension(&document.path));
        !is_source || is_named(&document.path)
    });
}

fn without_extension(path: &str) -> &str {
    path.rsplit_once('.').map_or(path, |(stem, _)| stem)
}

fn is_wanted(path: &str, options: &DocumentOptions) -> bool {
    if options.exclude.iter().any(|glob| glob.is_match(path)) {
        return false;
    }
    if !options.include.is_empty() && !options.include.iter().any(|glob| glob.is_match(path)) {
        return false;
    }
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_index = name.starts_with("genindex-") && name.ends_with(".html");
    let is_generated = is_index || GENERATED_FILES.contains(&name);
    let folder = folders.split('/').find(|folder| GENERATED_FOLDERS.contains(folder));
    let generated = folder.or(is_generated.then_some(name));
    generated.is_none_or(|generated| options.include.iter().any(|glob| glob.mentions(generated)))
}

/// Joins the parts of a path with `/`.
fn portable(path: &Path) -> Result<String> {
    let parts = path.iter().map(|part| part.to_str()).collect::<Option<Vec<_>>>();
    let parts = parts.with_context(|| format!("the name of {} is not UTF-8; rename it", path.display()))?;
    Ok(parts.join("/"))
}
