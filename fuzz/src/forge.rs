//! Forges files with valid checksums and wrong contents, which random mutations never produce.

use snapseek::snapshot::{SectionKind, Snapshot, encode};
use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;

/// The first bytes of every snapshot. An input that starts with them is used unchanged.
const SIGNATURE: &[u8] = b"snapsk\r\n";

/// Returns the file that an input describes.
///
/// ```text
/// input: a whole file, or: u8 which of `originals` · replacements
/// replacement: u8 section · u16 length · bytes, cut short at the end of the input
/// ```
///
/// The file keeps all other sections of the original. If the variable `SNAPSEEK_KEEP` names a path, the file is also written
/// there; this turns a crash into a test file.
///
/// # Panics
/// Panics when that file cannot be written.
pub fn file(originals: &[Vec<u8>], input: &[u8]) -> Vec<u8> {
    static KEEP: OnceLock<Option<PathBuf>> = OnceLock::new();
    let bytes = if input.starts_with(SIGNATURE) { input.to_vec() } else { forged(originals, input) };
    if let Some(path) = KEEP.get_or_init(|| env::var_os("SNAPSEEK_KEEP").map(PathBuf::from)) {
        fs::create_dir_all(path.parent().unwrap_or(path))
            .expect("the folder of the file to keep can be created");
        fs::write(path, &bytes).expect("the file to keep can be written");
    }
    bytes
}

fn forged(originals: &[Vec<u8>], input: &[u8]) -> Vec<u8> {
    let Some((&choice, mut rest)) = input.split_first() else { return Vec::new() };
    let mut sections = sections(&originals[usize::from(choice) % originals.len()]);
    while let [section, low, high, after @ ..] = rest {
        let kind = SectionKind::ALL[usize::from(*section) % SectionKind::ALL.len()];
        let len = usize::from(u16::from_le_bytes([*low, *high])).min(after.len());
        let (bytes, after) = after.split_at(len);
        rest = after;
        match sections.iter_mut().find(|(known, _)| *known == kind) {
            Some(section) => section.1 = bytes.to_vec(),
            None => sections.push((kind, bytes.to_vec())),
        }
    }
    encode(&sections)
}

fn sections(file: &[u8]) -> Vec<(SectionKind, Vec<u8>)> {
    let snapshot = Snapshot::open(file.to_vec()).expect("the originals are valid");
    let section = |kind: SectionKind| {
        Some((kind, snapshot.optional_section(kind).expect("the originals are undamaged")?.to_vec()))
    };
    SectionKind::ALL.into_iter().filter_map(section).collect()
}

/// Returns inputs for [`file`]: each original unchanged, with one replaced section, and with all sections replaced.
pub fn seeds(originals: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (choice, original) in (0..).zip(originals) {
        let mut all = vec![choice];
        for (kind, bytes) in sections(original) {
            let place = SectionKind::ALL.iter().position(|known| *known == kind).expect("it is one of all");
            let mut replacement = vec![u8::try_from(place).expect("there are few sections")];
            replacement.extend_from_slice(&u16::try_from(bytes.len()).unwrap_or(u16::MAX).to_le_bytes());
            replacement.extend_from_slice(&bytes);
            seeds.push([&[choice], &replacement[..]].concat());
            all.extend_from_slice(&replacement);
        }
        seeds.extend([all, original.clone()]);
    }
    seeds
}
