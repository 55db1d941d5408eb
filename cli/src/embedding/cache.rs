//! The cache of vectors on the disk.
//!
//! There is one file per model, named after its fingerprint: a header, then records of equal length that never change.
//! A record holds the hash of a text and its purpose, a checksum, and the vector. Records are appended whole and under
//! a lock, so several processes can share a file. A record that a crash cut short is ignored, and removed before the
//! next is written. A record is verified when it is used; a damaged record counts as missing.

use crate::provider::{MAX_WIDTH, TextPurpose};
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use thiserror::Error;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The start of every file; the last byte is the version.
const SIGNATURE: [u8; 8] = *b"snapvec\x01";
/// The signature, the width, and zeros that align the records.
const HEADER_LEN: usize = 16;
/// The hash (16 bytes) and the checksum (8 bytes).
const RECORD_HEAD_LEN: usize = 24;

/// The cache cannot be used.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The operating system reported an error.
    #[error("the cache of embeddings {} cannot be used: {source}", path.display())]
    Unusable { path: PathBuf, source: io::Error },
    /// The file is something else.
    #[error("{} is not a cache of embeddings of this version; remove it, or name another --embed-cache", path.display())]
    NotACache { path: PathBuf },
    /// The width of the model's vectors has changed.
    #[error(
        "{} holds vectors of {cached} dimensions, and now the model gives {found}; remove it if the model has changed",
        path.display()
    )]
    WidthChanged { path: PathBuf, cached: usize, found: usize },
}

/// The hash of a text and its purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentHash(u128);

impl ContentHash {
    /// Hashes a text for a purpose.
    pub fn of(text: &str, purpose: TextPurpose) -> ContentHash {
        let mut hash = Xxh3::new();
        hash.update(match purpose {
            TextPurpose::Document => b"d",
            TextPurpose::Query => b"q",
        });
        hash.update(text.as_bytes());
        ContentHash(hash.digest128())
    }
}

/// The cached vectors of one model.
#[derive(Debug)]
pub struct Cache {
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// `None` until the first vector is cached, which determines the width.
    file: Option<Records>,
    /// The number of the record of each text.
    places: HashMap<ContentHash, u64>,
    /// The number of records that `places` covers.
    seen: u64,
}

#[derive(Debug)]
struct Records {
    file: File,
    width: usize,
}

impl Records {
    fn record_len(&self) -> u64 {
        (RECORD_HEAD_LEN + 4 * self.width) as u64
    }

    /// Returns the number of whole records in a file of this length.
    fn count(&self, file_len: u64) -> u64 {
        file_len.saturating_sub(HEADER_LEN as u64) / self.record_len()
    }

    fn offset(&self, number: u64) -> u64 {
        HEADER_LEN as u64 + number * self.record_len()
    }
}

impl Cache {
    /// Opens the cache of the model with this fingerprint. Creates `folder` if needed.
    pub fn open(folder: &Path, fingerprint: &str) -> Result<Cache, CacheError> {
        let path = folder.join(format!("{fingerprint}.vectors"));
        let cache = Cache { path, state: Mutex::default() };
        fs::create_dir_all(folder).map_err(|source| cache.unusable(source))?;
        {
            let mut state = cache.lock();
            match OpenOptions::new().read(true).write(true).open(&cache.path) {
                Ok(file) => {
                    // The first vector overwrites an incomplete header.
                    if let Some(width) = cache.width_of(&file)? {
                        state.file = Some(Records { file, width });
                        state.see_new_records().map_err(|source| cache.unusable(source))?;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(source) => return Err(cache.unusable(source)),
            }
        }
        Ok(cache)
    }

    /// The path of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The width of the vectors; `None` if there are none yet.
    pub fn width(&self) -> Option<usize> {
        self.lock().file.as_ref().map(|records| records.width)
    }

    /// Returns the cached vectors of the texts with these hashes.
    pub fn vectors(&self, hashes: &[ContentHash]) -> Result<Vec<Option<Vec<f32>>>, CacheError> {
        let mut state = self.lock();
        self.read(&mut state, hashes).map_err(|source| self.unusable(source))
    }

    fn read(&self, state: &mut State, hashes: &[ContentHash]) -> io::Result<Vec<Option<Vec<f32>>>> {
        let mut vectors = vec![None; hashes.len()];
        let Some(records) = &state.file else { return Ok(vectors) };
        let mut wanted = (0..hashes.len())
            .filter_map(|at| Some((*state.places.get(&hashes[at])?, at)))
            .collect::<Vec<_>>();
        // Read the file from front to back.
        wanted.sort_unstable();
        let mut reader = BufReader::with_capacity(1 << 18, &records.file);
        reader.rewind()?;
        let (mut position, mut record) = (0, vec![0; RECORD_HEAD_LEN + 4 * records.width]);
        for (number, at) in wanted {
            let offset = records.offset(number);
            reader.seek_relative(offset as i64 - position)?;
            reader.read_exact(&mut record)?;
            position = (offset + records.record_len()) as i64;
            vectors[at] = decode(&record, hashes[at]);
        }
        Ok(vectors)
    }

    /// Caches vectors of one width.
    pub fn keep(&self, kept: &[(ContentHash, &[f32])]) -> Result<(), CacheError> {
        let Some((_, first)) = kept.first() else { return Ok(()) };
        let found = first.len();
        let mut state = self.lock();
        if state.file.is_none() {
            let file =
                OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&self.path);
            let file = file.map_err(|source| self.unusable(source))?;
            state.file = Some(Records { file, width: found });
        }
        let records = state.file.as_ref().expect("it was just opened");
        records.file.lock().map_err(|source| self.unusable(source))?;
        let written = self.append(records, kept);
        let unlocked = records.file.unlock().map_err(|source| self.unusable(source));
        if written.is_err() {
            // Another process may have created the file with another width.
            let known = self.width_of(&records.file).ok().flatten();
            state.file =
                known.and_then(|width| Some(Records { file: records.file.try_clone().ok()?, width }));
        }
        written?;
        unlocked?;
        state.see_new_records().map_err(|source| self.unusable(source))
    }

    /// Appends to a file that is locked.
    fn append(&self, records: &Records, kept: &[(ContentHash, &[f32])]) -> Result<(), CacheError> {
        let unusable = |source| self.unusable(source);
        let mut file = &records.file;
        match self.width_of(file)? {
            Some(cached) => {
                if let Some((_, other)) = kept.iter().find(|(_, vector)| vector.len() != cached) {
                    let (path, found) = (self.path.clone(), other.len());
                    return Err(CacheError::WidthChanged { path, cached, found });
                }
            }
            None => {
                file.set_len(0).and_then(|()| file.rewind()).map_err(unusable)?;
                file.write_all(&header(records.width)).map_err(unusable)?;
            }
        }
        let len = file.metadata().map_err(unusable)?.len();
        let end = records.offset(records.count(len));
        if end != len {
            file.set_len(end).map_err(unusable)?;
        }
        let bytes = kept.iter().flat_map(|(hash, vector)| encode(*hash, vector)).collect::<Vec<_>>();
        file.seek(SeekFrom::Start(end)).map_err(unusable)?;
        file.write_all(&bytes).map_err(|source| {
            // The next append would remove an incomplete record. Do it now, because the disk is full.
            let _ = file.set_len(end);
            self.unusable(source)
        })
    }

    /// Returns the width in the header; `None` if the header is missing or incomplete.
    fn width_of(&self, mut file: &File) -> Result<Option<usize>, CacheError> {
        let mut start = Vec::new();
        let read =
            file.seek(SeekFrom::Start(0)).and_then(|_| file.take(HEADER_LEN as u64).read_to_end(&mut start));
        read.map_err(|source| self.unusable(source))?;
        let not_ours = || CacheError::NotACache { path: self.path.clone() };
        let Ok(whole) = <[u8; HEADER_LEN]>::try_from(start.as_slice()) else {
            let is_begun = start.len() < SIGNATURE.len() && SIGNATURE.starts_with(&start)
                || start.starts_with(&SIGNATURE);
            return if is_begun { Ok(None) } else { Err(not_ours()) };
        };
        let [.., a, b, c, d, _, _, _, _] = whole;
        let width = u32::from_le_bytes([a, b, c, d]) as usize;
        let is_ours = (1..=MAX_WIDTH).contains(&width) && whole == header(width);
        if is_ours { Ok(Some(width)) } else { Err(not_ours()) }
    }

    fn unusable(&self, source: io::Error) -> CacheError {
        CacheError::Unusable { path: self.path.clone(), source }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Registers the records that this or other processes have appended.
    fn see_new_records(&mut self) -> io::Result<()> {
        let Some(records) = &self.file else { return Ok(()) };
        let count = records.count(records.file.metadata()?.len());
        let mut reader = BufReader::with_capacity(1 << 16, &records.file);
        reader.seek(SeekFrom::Start(records.offset(self.seen)))?;
        for number in self.seen..count {
            let mut hash = [0; 16];
            reader.read_exact(&mut hash)?;
            self.places.insert(ContentHash(u128::from_le_bytes(hash)), number);
            reader.seek_relative(records.record_len() as i64 - 16)?;
        }
        self.seen = count;
        Ok(())
    }
}

/// Encodes the header of a file.
fn header(width: usize) -> [u8; HEADER_LEN] {
    let mut header = [0; HEADER_LEN];
    header[..8].copy_from_slice(&SIGNATURE);
    header[8..12].copy_from_slice(&(width as u32).to_le_bytes());
    header
}

/// Encodes a record; [`decode`] reverses it.
fn encode(hash: ContentHash, vector: &[f32]) -> Vec<u8> {
    let mut record = vec![0; RECORD_HEAD_LEN];
    record[..16].copy_from_slice(&hash.0.to_le_bytes());
    record.extend(vector.iter().flat_map(|number| number.to_le_bytes()));
    let checksum = checksum(&record);
    record[16..RECORD_HEAD_LEN].copy_from_slice(&checksum);
    record
}

/// Returns the vector of a record if it is undamaged and for this text; [`encode`] reverses it.
fn decode(record: &[u8], hash: ContentHash) -> Option<Vec<f32>> {
    let is_whole = record[..16] == hash.0.to_le_bytes() && record[16..RECORD_HEAD_LEN] == checksum(record);
    let numbers =
        || record[RECORD_HEAD_LEN..].as_chunks::<4>().0.iter().map(|four| f32::from_le_bytes(*four));
    is_whole.then(|| numbers().collect())
}

/// Computes the checksum of a record, without the checksum itself.
fn checksum(record: &[u8]) -> [u8; 8] {
    let mut hash = Xxh3::with_seed(xxh3_64(&record[..16]));
    hash.update(&record[RECORD_HEAD_LEN..]);
    hash.digest().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;
    use tempfile::TempDir;

    fn folder() -> TempDir {
        tempfile::tempdir().unwrap()
    }

    fn hash(text: &str) -> ContentHash {
        ContentHash::of(text, TextPurpose::Document)
    }

    fn with_two(folder: &TempDir) -> PathBuf {
        let cache = Cache::open(folder.path(), "m").unwrap();
        cache.keep(&[(hash("a"), &[1.0, 2.0]), (hash("b"), &[3.0, f32::MIN_POSITIVE])]).unwrap();
        cache.path().to_owned()
    }

    fn read(folder: &TempDir, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        let hashes = texts.iter().map(|text| hash(text)).collect::<Vec<_>>();
        Cache::open(folder.path(), "m").unwrap().vectors(&hashes).unwrap()
    }

    #[test]
    fn vectors_come_back_bit_for_bit_in_the_order_asked() {
        let folder = folder();
        with_two(&folder);
        let vectors = read(&folder, &["b", "c", "a", "b"]);
        let b = Some(vec![3.0, f32::MIN_POSITIVE]);
        assert_eq!(vectors, [b.clone(), None, Some(vec![1.0, 2.0]), b]);
    }

    #[test]
    fn purposes_and_models_do_not_share_vectors() {
        let folder = folder();
        with_two(&folder);
        assert_ne!(ContentHash::of("a", TextPurpose::Query), hash("a"));
        assert_eq!(Cache::open(folder.path(), "n").unwrap().vectors(&[hash("a")]).unwrap(), [None]);
    }

    #[test]
    fn every_torn_tail_is_ignored_and_cut_before_the_next_record() {
        let folder = folder();
        let path = with_two(&folder);
        let whole = fs::read(&path).unwrap();
        for len in 0..whole.len() {
            fs::write(&path, &whole[..len]).unwrap();
            let cache = Cache::open(folder.path(), "m").unwrap();
            let known = cache.vectors(&[hash("a"), hash("b")]).unwrap().iter().flatten().count();
            let record = RECORD_HEAD_LEN + 8;
            assert_eq!(known, len.saturating_sub(HEADER_LEN) / record, "{len} bytes");
            cache.keep(&[(hash("c"), &[5.0, 6.0])]).unwrap();
            assert_eq!(read(&folder, &["c"]), [Some(vec![5.0, 6.0])], "{len} bytes");
            assert_eq!(fs::metadata(&path).unwrap().len() as usize, HEADER_LEN + (known + 1) * record);
        }
    }

    #[test]
    fn a_flipped_bit_loses_its_record_and_no_other() {
        let folder = folder();
        let path = with_two(&folder);
        let whole = fs::read(&path).unwrap();
        for at in HEADER_LEN..HEADER_LEN + RECORD_HEAD_LEN + 8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 16;
            fs::write(&path, damaged).unwrap();
            assert_eq!(read(&folder, &["a", "b"])[0], None, "byte {at}");
            assert!(read(&folder, &["b"])[0].is_some(), "byte {at}");
        }
    }

    #[test]
    fn what_is_no_cache_is_left_alone() {
        let folder = folder();
        let path = with_two(&folder);
        let whole = fs::read(&path).unwrap();
        let newer = [b"snapvec\x02", &whole[8..]].concat();
        let too_wide = [&SIGNATURE[..], &u32::MAX.to_le_bytes(), &[0; 4]].concat();
        for other in [&b"my diary"[..], b"x", &newer, &too_wide] {
            fs::write(&path, other).unwrap();
            let error = Cache::open(folder.path(), "m").unwrap_err();
            assert!(matches!(error, CacheError::NotACache { .. }), "{error}");
            assert_eq!(fs::read(&path).unwrap(), other);
        }
    }

    #[test]
    fn a_model_that_changed_its_width_is_noticed() {
        let folder = folder();
        with_two(&folder);
        let cache = Cache::open(folder.path(), "m").unwrap();
        let error = cache.keep(&[(hash("c"), &[1.0, 2.0, 3.0])]).unwrap_err().to_string();
        assert!(error.contains("holds vectors of 2 dimensions, and now the model gives 3"), "{error}");
        assert_eq!(cache.width(), Some(2));
        assert!(read(&folder, &["a"])[0].is_some());
    }

    #[test]
    fn caches_open_at_once_see_each_others_records_and_damage_none() {
        let folder = folder();
        // Each opens the empty file separately, as processes do.
        let caches = (0..4).map(|_| Cache::open(folder.path(), "m").unwrap()).collect::<Vec<_>>();
        thread::scope(|scope| {
            for (number, cache) in caches.iter().enumerate() {
                scope.spawn(move || {
                    for round in 0..50 {
                        let vector = vec![number as f32, round as f32, 7.0];
                        cache.keep(&[(hash(&format!("{number} {round}")), &vector)]).unwrap();
                    }
                });
            }
        });
        for number in 0..4 {
            for round in 0..50 {
                let expected = Some(vec![number as f32, round as f32, 7.0]);
                assert_eq!(read(&folder, &[&format!("{number} {round}")]), [expected]);
            }
        }
        caches[0].keep(&[(hash("last"), &[0.0; 3])]).unwrap();
        assert!(caches[0].vectors(&[hash("3 49")]).unwrap()[0].is_some());
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_an_error() {
        let folder = folder();
        fs::write(folder.path().join("file"), "").unwrap();
        let error = Cache::open(&folder.path().join("file/cache"), "m").unwrap_err();
        assert!(matches!(error, CacheError::Unusable { .. }), "{error}");
    }
}
