//! Embeds the page of `snapseek serve`: lists the files of `page/` for `src/server/page.rs`.
//!
//! `js/page.mjs` fills the folder. In a fresh clone it is empty, and so is the list.

use std::env;
use std::fmt::Write;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

fn main() -> io::Result<()> {
    println!("cargo::rerun-if-changed=page");
    let variable = |name| env::var_os(name).map(PathBuf::from).ok_or(io::ErrorKind::NotFound);
    let folder = variable("CARGO_MANIFEST_DIR")?.join("page");
    let mut files = Vec::new();
    list(&folder, "", &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for (name, path) in files {
        writeln!(list, "({name:?}, include_bytes!({path:?})),").expect("a string takes every text");
    }
    list.push(']');
    fs::write(variable("OUT_DIR")?.join("page.rs"), list)
}

/// Adds the files of a folder and its subfolders, with the paths that a browser asks for.
fn list(folder: &Path, prefix: &str, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().into_string().map_err(|_| io::ErrorKind::InvalidData)?;
        if name.starts_with('.') {
            continue;
        }
        let name = format!("{prefix}/{name}");
        if entry.file_type()?.is_dir() {
            list(&entry.path(), &name, files)?;
        } else {
            files.push((name, entry.path()));
        }
    }
    Ok(())
}
