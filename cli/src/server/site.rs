//! Which file does a path name? Only regular files within the served folders can be named.

use super::Refusal;
use crate::split::with_suffix;
use anyhow::{Context, Result};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The served files: a folder at `/`, the folder `pkg` next to it at `/pkg/`, and a snapshot at `/demo.snap`.
#[derive(Debug)]
pub struct Site {
    www: PathBuf,
    pkg: PathBuf,
    snapshot: PathBuf,
}

/// An open file of a site.
#[derive(Debug)]
pub struct SiteFile {
    /// The file, at its start.
    pub file: File,
    /// Its number of bytes.
    pub len: u64,
    /// The value of the `Content-Type` header.
    pub content_type: &'static str,
}

impl Site {
    /// Serves the page in `www` and this snapshot.
    ///
    /// # Errors
    /// When there is no folder `www`.
    pub fn new(www: &Path, snapshot: &Path) -> Result<Site> {
        let missing = || format!("there is no folder {}; name the page's folder with --www", www.display());
        let www = fs::canonicalize(www).with_context(missing)?;
        let pkg = www.with_file_name("pkg");
        Ok(Site { www, pkg, snapshot: snapshot.to_owned() })
    }

    /// Opens the file that a decoded path names.
    pub fn open(&self, path: &str) -> Result<SiteFile, Refusal> {
        let place = self.place(path)?;
        // Opening a named pipe would wait for its writer, so the kind of the file is checked first.
        let is_file = |metadata: &fs::Metadata| metadata.is_file();
        fs::metadata(&place).ok().filter(is_file).ok_or(Refusal::NotFound)?;
        let file = File::open(&place).map_err(|_| Refusal::NotFound)?;
        let metadata = file.metadata().ok().filter(is_file).ok_or(Refusal::NotFound)?;
        Ok(SiteFile { file, len: metadata.len(), content_type: content_type(&place) })
    }

    /// Returns the place of the file that a path names, with all symbolic links resolved.
    fn place(&self, path: &str) -> Result<PathBuf, Refusal> {
        if let Some(suffix) = path.strip_prefix("/demo.snap").filter(|suffix| is_snapshot_suffix(suffix)) {
            return Ok(with_suffix(&self.snapshot, suffix));
        }
        let names = path.strip_prefix('/').ok_or(Refusal::BadRequest)?;
        let is_plain = |name: &str| !name.starts_with('.') && !name.contains(['\\', ':', '\0']);
        if !names.split('/').all(is_plain) {
            return Err(Refusal::Forbidden);
        }
        let (root, names) = match names.strip_prefix("pkg/") {
            Some(names) => (&self.pkg, names),
            None => (&self.www, names),
        };
        let root = fs::canonicalize(root).map_err(|_| Refusal::NotFound)?;
        let mut file = root.clone();
        file.extend(names.split('/').filter(|name| !name.is_empty()));
        if names.is_empty() || names.ends_with('/') {
            file.push("index.html");
        }
        let file = fs::canonicalize(file).map_err(|_| Refusal::NotFound)?;
        if file.starts_with(&root) { Ok(file) } else { Err(Refusal::Forbidden) }
    }
}

/// Whether a snapshot's name may continue like this: not at all, or as the name of one of its document files.
fn is_snapshot_suffix(suffix: &str) -> bool {
    let number = suffix.strip_prefix(".docs.");
    matches!(suffix, "" | ".docs") || number.is_some_and(|number| number.parse::<u32>().is_ok())
}

fn content_type(file: &Path) -> &'static str {
    let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "ico" => "image/x-icon",
        "woff2" => "font/woff2",
        "txt" | "md" | "ts" | "jsonl" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}
