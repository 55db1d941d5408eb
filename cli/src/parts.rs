//! Writes a snapshot as a folder of parts, for hosts without range requests.
//!
//! A part is named after the hash of its bytes, so it never changes and caches may keep it for ever. The entry file lists
//! the parts in order. The head of the snapshot is a part of its own. The other parts end where their content says so, so
//! that a change moves few ends: parts before and after it keep their names in the next build.

use crate::output::{Content, WholeFile};
use anyhow::{Context, Result};
use fastcdc::v2020::FastCDC;
use serde::{Deserialize, Serialize};
use snapseek::snapshot::{self, Header, SectionKind};
use std::collections::HashSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::xxh3_64;

/// The name of the entry file. `js/src/folder-parts.ts` reads it.
pub const ENTRY: &str = "snapseek.json";
/// The version of the entry file.
const VERSION: u32 = 1;
/// The sizes that parts may have on average, in bytes. Each part is between a quarter and four times as large.
pub const SIZES: std::ops::RangeInclusive<usize> = 4 << 10..=4 << 20;

/// The content of an entry file.
#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// The version of this file.
    snapseek: u32,
    /// The length of the snapshot, in bytes.
    length: u64,
    /// The parts of the snapshot, in order: the hash in the name of each, and its length in bytes.
    parts: Vec<(String, u64)>,
    /// The hashes of parts that only the build before this one needs. Pages that opened it are still reading them.
    previous: Vec<String>,
}

/// The files of a folder that were written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenParts {
    /// The length of all parts, in bytes.
    pub len: u64,
    /// The number of parts.
    pub count: usize,
    /// The number of parts that the folder did not have before.
    pub new: usize,
}

/// Creates the folder, and its entry file under a temporary name.
pub fn create(folder: &Path, force: bool) -> Result<WholeFile> {
    fs::create_dir_all(folder).with_context(|| format!("{} cannot be created", folder.display()))?;
    WholeFile::create(&folder.join(ENTRY), Content::PartsEntry, force)
}

/// Writes a snapshot into a folder, as parts of `size` bytes on average. The entry file appears last.
///
/// Parts of the build before stay, because pages that opened it may still need them. Older parts are removed.
pub fn write(
    sections: &[(SectionKind, Vec<u8>)],
    size: usize,
    mut entry: WholeFile,
    folder: &Path,
) -> Result<WrittenParts> {
    let before = read_entry(folder);
    let snapshot = snapshot::encode(sections);
    let mut parts = Vec::new();
    let mut new = 0;
    for part in cut(&snapshot, size) {
        let hash = format!("{:016x}", xxh3_64(part));
        new += usize::from(write_part(&path_of(folder, &hash), part)?);
        parts.push((hash, part.len() as u64));
    }
    let hashes = parts.iter().map(|(hash, _)| hash.as_str()).collect::<HashSet<_>>();
    let is_unused = |hash: &String| !hashes.contains(hash.as_str());
    let listed = before.iter().flat_map(|entry| entry.parts.iter().map(|(hash, _)| hash.clone()));
    let previous = listed.filter(is_unused).collect::<Vec<_>>();
    let stale = before.iter().flat_map(|entry| &entry.previous);
    let stale = stale.filter(|hash| is_unused(hash) && !previous.contains(hash)).collect::<Vec<_>>();
    let written = WrittenParts { len: snapshot.len() as u64, count: parts.len(), new };
    let next =
        Entry { snapseek: VERSION, length: written.len, parts: parts.clone(), previous: previous.clone() };
    entry.write(|file| file.write_all(serde_json::to_string(&next)?.as_bytes()))?;
    entry.appear()?;
    for hash in stale.iter().filter(|hash| is_hash(hash)) {
        let _ = fs::remove_file(path_of(folder, hash));
    }
    Ok(written)
}

/// Cuts a snapshot into its head and parts of about `size` bytes.
fn cut(snapshot: &[u8], size: usize) -> Vec<&[u8]> {
    let header = Header::parse(snapshot).expect("the snapshot was just written");
    let head = usize::try_from(header.head_len).expect("the head is in memory");
    let (head, rest) = snapshot.split_at(head);
    let chunks = FastCDC::new(rest, size / 4, size, size * 4);
    let rest = chunks.map(|chunk| &rest[chunk.offset..chunk.offset + chunk.length]);
    [head].into_iter().chain(rest).collect()
}

/// Writes a part, unless the folder has it. Returns whether it is new.
fn write_part(path: &Path, part: &[u8]) -> Result<bool> {
    if fs::metadata(path).is_ok_and(|found| found.len() == part.len() as u64) {
        return Ok(false);
    }
    let mut file = WholeFile::create(path, Content::Part, true)?;
    file.write(|out| out.write_all(part))?;
    file.appear()?;
    Ok(true)
}

fn path_of(folder: &Path, hash: &str) -> PathBuf {
    folder.join(format!("{hash}.part"))
}

/// Reads the entry file of a folder; `None` if there is none, or it is unreadable.
fn read_entry(folder: &Path) -> Option<Entry> {
    serde_json::from_slice(&fs::read(folder.join(ENTRY)).ok()?).ok()
}

/// Reports whether the start of a file is that of an entry file.
pub fn is_entry(head: &[u8]) -> bool {
    head.starts_with(b"{\"snapseek\":")
}

/// Only names that this module makes are removed, whatever an entry file lists.
fn is_hash(text: &str) -> bool {
    text.len() == 16 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
