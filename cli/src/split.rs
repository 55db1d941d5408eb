//! Writes the documents into the snapshot, or into files next to it.

use crate::output::{Content, WholeFile};
use crate::parts::{self, WrittenParts};
use crate::print;
use anyhow::{Context, Result};
use indicatif::HumanBytes;
use snapseek::document::{FILE_HEAD, file_suffix, is_file_of_documents};
use snapseek::snapshot::{self, SectionKind, Split};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub struct SplitArgs {
    /// Stores the documents in FILE.snap.docs, which a search reads in pieces when it needs them
    #[arg(long)]
    split_docs: bool,

    /// Divides the stored documents into files of at most this size: FILE.snap.docs.0, .1 and so on
    ///
    /// SIZE is a number of bytes, or a number with KiB, MiB, GiB, KB, MB or GB. If one file is enough, it is
    /// FILE.snap.docs.
    #[arg(long, value_name = "SIZE", requires = "split_docs", value_parser = parse_size)]
    max_file_size: Option<usize>,

    /// Writes a folder instead: files of about this size, named by their hashes, and snapseek.json, which lists them
    ///
    /// For hosts that send no ranges of files, or limit their size. Caches may keep a part for ever: a part whose content stays
    /// the same keeps its name in the next build. Parts that only the build before needs stay too, for pages that have it open.
    /// SIZE is 4KiB to 4MiB; 64KiB suits most sites. Open the folder: open("/search/").
    #[arg(long, value_name = "SIZE", conflicts_with = "split_docs", value_parser = parse_part_size)]
    pub parts: Option<usize>,
}

/// The lengths of the written files.
#[derive(Clone, Copy, Debug)]
pub struct WrittenFiles {
    /// The length of the snapshot itself, in bytes.
    pub snapshot: u64,
    documents: u64,
    files: usize,
    parts: Option<WrittenParts>,
}

impl WrittenFiles {
    fn of_parts(parts: WrittenParts) -> WrittenFiles {
        WrittenFiles { snapshot: parts.len, documents: 0, files: 0, parts: Some(parts) }
    }

    /// Describes the files next to the snapshot, or its parts.
    pub fn beside(self) -> String {
        if let Some(parts) = self.parts {
            return format!(" in {}, {} of them new", print::counted(parts.count as u64, "part"), parts.new);
        }
        match self.files {
            0 => String::new(),
            files => {
                let files = print::counted(files as u64, "file");
                format!(" and {} of documents in {files}", HumanBytes(self.documents))
            }
        }
    }
}

/// Creates the output under a temporary name: the snapshot, or the entry file of a folder of parts.
pub fn create(args: &SplitArgs, path: &Path, force: bool) -> Result<WholeFile> {
    match args.parts {
        Some(_) => parts::create(path, force),
        None => WholeFile::create(path, Content::Snapshot, force),
    }
}

/// Writes a snapshot to `output`, and its documents next to `path` if `args` ask for it.
pub fn write(
    sections: Vec<(SectionKind, Vec<u8>)>,
    args: &SplitArgs,
    mut output: WholeFile,
    path: &Path,
    force: bool,
) -> Result<WrittenFiles> {
    if let Some(size) = args.parts {
        return Ok(WrittenFiles::of_parts(parts::write(&sections, size, output, path)?));
    }
    if !args.split_docs {
        let snapshot = output.write(|file| snapshot::write(&sections, file))?;
        output.appear()?;
        remove_stale(path, 0);
        return Ok(WrittenFiles { snapshot, documents: 0, files: 0, parts: None });
    }
    let split = Split::of(sections, args.max_file_size.unwrap_or(usize::MAX))
        .context("--max-file-size is too small")?;
    let mut files = Vec::new();
    let mut documents = 0;
    for (number, suffix) in split.suffixes().enumerate() {
        let mut file = WholeFile::create(&with_suffix(path, &suffix), Content::Documents, force)?;
        documents += file.write(|out| split.write_file(number, out))?;
        files.push(file);
    }
    let snapshot = output.write(|file| snapshot::write(&split.sections, file))?;
    let written = WrittenFiles { snapshot, documents, files: files.len(), parts: None };
    // The snapshot is renamed last. Until then the old snapshot is in place, and refuses the new files as not its own.
    files.into_iter().try_for_each(WholeFile::appear)?;
    output.appear()?;
    remove_stale(path, written.files);
    if let Some(most) = args.max_file_size.filter(|&most| snapshot > most as u64) {
        let (size, most) = (HumanBytes(snapshot), HumanBytes(most as u64));
        let name = path.display();
        print::note(format_args!("{name} itself has {size}, more than {most}: only documents are divided"));
    }
    Ok(written)
}

/// Removes document files of earlier builds that belong to no snapshot any more.
fn remove_stale(path: &Path, files: usize) {
    let count = u32::try_from(files).unwrap_or(u32::MAX);
    if count != 1 {
        remove_documents(&with_suffix(path, &file_suffix(0, 1)));
    }
    let first = if count > 1 { count } else { 0 };
    let others = (first..).map(|file| with_suffix(path, &file_suffix(file, u32::MAX)));
    others.take_while(|path| remove_documents(path)).for_each(drop);
}

/// Removes a file if it is a document file. Returns whether it was.
fn remove_documents(path: &Path) -> bool {
    let mut head = [0; FILE_HEAD];
    let is_ours = File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok()
        && is_file_of_documents(&head);
    is_ours && fs::remove_file(path).is_ok()
}

/// Appends a suffix to the file name of a path.
pub fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path);
    name.push(suffix);
    PathBuf::from(name)
}

fn parse_size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "" | "b" => 1,
        "kib" => 1 << 10,
        "mib" => 1 << 20,
        "gib" => 1 << 30,
        "kb" => 1_000,
        "mb" => 1_000_000,
        "gb" => 1_000_000_000,
        other => return Err(format!("there is no unit {other:?}; there are KiB, MiB, GiB, KB, MB and GB")),
    };
    let number = digits.trim().parse::<usize>().ok().filter(|&number| number > 0);
    let size = number.and_then(|number| number.checked_mul(unit));
    size.ok_or_else(|| format!("{text:?} is not a size such as 25MiB"))
}

fn parse_part_size(text: &str) -> Result<usize, String> {
    let size = parse_size(text)?;
    if parts::SIZES.contains(&size) { Ok(size) } else { Err("parts have 4KiB to 4MiB".to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        let sizes = [("25MiB", 26_214_400), ("1 kb", 1_000), ("7", 7), ("2GiB", 2_147_483_648)];
        for (text, size) in sizes {
            assert_eq!(parse_size(text), Ok(size));
        }
        for text in ["", "0", "MiB", "-1", "1.5MB", "3 apples", "99999999999999999999GB"] {
            assert!(parse_size(text).is_err(), "{text}");
        }
    }
}
