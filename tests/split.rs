//! With documents in separate files, does every answer equal the whole snapshot's, and is every byte checked?

#![cfg(not(target_arch = "wasm32"))]

mod support;

use snapseek::document::{BlockSource, DocumentFiles, FILE_HEAD, FileRange, StoreFault};
use snapseek::json::Json;
use snapseek::segment::MergeFault;
use snapseek::snapshot::{SectionKind, Split, encode};
use snapseek::{
    Builder, Column, Engine, HighlightOptions, Key, MatchOptions, MatchSnippet, Record, Schema, SearchError,
    SearchFault, SearchOptions, SnapshotError, SnapshotFault, WriteError, WriteFault,
};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use support::Random;

const SCHEMA: &str = r#"{"forms": true, "fields": {"title": {"weight": 5.0}, "body": {}, "tags": {}},
    "attributes": {"topic": "keyword", "tags": "keywords"}}"#;

fn records() -> Vec<Record> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("www/corpus/sample.jsonl");
    let lines = std::fs::read_to_string(path).unwrap();
    lines.lines().map(|line| Record::from_json(Json::parse(line.as_bytes()).unwrap()).unwrap()).collect()
}

fn sections() -> Vec<(SectionKind, Vec<u8>)> {
    let mut builder = Builder::new(&serde_json::from_str::<Schema>(SCHEMA).unwrap()).unwrap();
    records().iter().for_each(|record| builder.add(record).unwrap());
    builder.finish_sections().unwrap()
}

/// Builds a snapshot and its document files.
fn split(most: usize) -> (Vec<u8>, Vec<Vec<u8>>) {
    let split = Split::of(sections(), most).unwrap();
    let file = |file| {
        let mut bytes = Vec::new();
        split.write_file(file, &mut bytes).unwrap();
        bytes
    };
    (encode(&split.sections), (0..split.suffixes().len()).map(file).collect())
}

/// Files in memory that count the bytes read from them.
#[derive(Clone, Debug)]
struct Counted {
    files: Arc<Vec<Vec<u8>>>,
    reads: Arc<AtomicU64>,
}

impl Counted {
    fn new(files: Vec<Vec<u8>>) -> Counted {
        Counted { files: Arc::new(files), reads: Arc::default() }
    }

    fn reads(&self) -> u64 {
        self.reads.load(Ordering::Relaxed)
    }
}

impl BlockSource for Counted {
    fn read(&self, range: &FileRange) -> io::Result<Vec<u8>> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        let file = self.files.get(range.file as usize).ok_or(io::ErrorKind::NotFound)?;
        let (start, end) =
            (usize::try_from(range.bytes.start).unwrap(), usize::try_from(range.bytes.end).unwrap());
        file.get(start..end).map(<[u8]>::to_vec).ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// Returns the missing blocks of an error, and panics if it is another error.
fn blocks_of(error: SnapshotError) -> Vec<u32> {
    let SnapshotFault::Documents(documents) = *error else { panic!("{error}") };
    let StoreFault::Missing { blocks } = *documents else { panic!("{documents}") };
    blocks
}

/// Returns the error for a document file that does not match the snapshot.
fn foreign() -> SnapshotError {
    Box::new(SnapshotFault::Documents(Box::new(StoreFault::Foreign)))
}

fn missing(error: SearchError) -> Vec<u32> {
    let SearchFault::Snapshot(error) = *error else { panic!("{error}") };
    blocks_of(error)
}

/// Calls `ask` as a caller without a source does: supplies the missing blocks until there is an answer.
///
/// Returns the answer and the ranges supplied per round.
fn supplied<T>(
    engine: &Engine,
    files: &[Vec<u8>],
    ask: impl Fn() -> Result<T, Vec<u32>>,
) -> (T, Vec<Vec<FileRange>>) {
    let mut rounds = Vec::new();
    loop {
        match ask() {
            Ok(answer) => return (answer, rounds),
            Err(blocks) => {
                assert!(rounds.len() < 3, "it asks without end");
                let ranges = engine.ranges(&blocks).unwrap();
                for FileRange { file, bytes } in &ranges {
                    let place = usize::try_from(bytes.start).unwrap()..usize::try_from(bytes.end).unwrap();
                    engine.supply(*file, bytes.start, &files[*file as usize][place]).unwrap();
                }
                rounds.push(ranges);
            }
        }
    }
}

fn words(random: &mut Random, records: &[Record]) -> String {
    let body = random.pick(records).text("body").unwrap();
    let words = body.split_whitespace().filter(|word| word.chars().all(char::is_alphanumeric));
    // A text without spaces, such as Japanese, may have no such word.
    let words = words.chain(["the"]).collect::<Vec<_>>();
    (0..1 + random.below(3)).map(|_| *random.pick(&words)).collect::<Vec<_>>().join(" ")
}

fn search_options(random: &mut Random) -> SearchOptions {
    let mut options = SearchOptions {
        limit: Some(1 + random.below(30)),
        explain: random.chance(30),
        records: random.chance(30),
        as_you_type: random.chance(30),
        count: random.chance(30),
        ..SearchOptions::default()
    };
    if random.chance(30) {
        options.highlight = vec!["body".to_owned(), "title".to_owned()];
    }
    if random.chance(20) {
        options.snippet.tokens = 0;
    }
    match random.below(20) {
        0 => options.stages.fold = Some(0.3),
        1 => options.stages.diversity = Some(0.5),
        2 => options.stages.max_tokens = Some(800),
        _ => return options,
    }
    // These stages compare the texts of all pairs, so a few candidates are enough.
    options.limit = Some(5);
    options.candidates = Some(10);
    options
}

fn match_options(random: &mut Random) -> MatchOptions {
    let (open, close) = ("[".to_owned(), "]".to_owned());
    let snippet = MatchSnippet {
        column: Column::Number(-1),
        open: open.clone(),
        close: close.clone(),
        ellipsis: "…".to_owned(),
        tokens: 8,
    };
    MatchOptions {
        limit: random.chance(50).then_some(12),
        snippet: random.chance(70).then_some(snippet),
        highlight: random.chance(50).then_some(HighlightOptions { column: Column::Number(1), open, close }),
        ..MatchOptions::default()
    }
}

#[test]
fn every_answer_of_a_split_snapshot_is_that_of_the_whole_one() {
    let whole = Engine::open(encode(&sections())).unwrap();
    let records = records();
    for most in [usize::MAX, 20_000] {
        let (snapshot, files) = split(most);
        assert_eq!(files.len() > 1, most == 20_000);
        let source = Counted::new(files.clone());
        let mut reading = Engine::open(snapshot.clone()).unwrap();
        reading.attach(source.clone());
        let asking = Engine::open(snapshot).unwrap();
        asking.set_document_cache(10_000);
        let mut random = Random::new(7);
        for round in 0..150 {
            let query = words(&mut random, &records);
            let options = search_options(&mut random);
            let expected = whole.search(&query, &options).unwrap();
            assert_eq!(reading.search(&query, &options).as_ref(), Ok(&expected), "{query:?} {options:?}");
            let (found, rounds) =
                supplied(&asking, &files, || asking.search(&query, &options).map_err(missing));
            assert_eq!(found, expected, "{query:?} {options:?}");
            // The first round loads the documents that stages read, the second those that the remaining hits show.
            assert!(rounds.len() <= 2, "all that is missing is told of at once: {options:?}");

            let options = match_options(&mut random);
            let expression =
                query.split(' ').map(|word| format!("\"{word}\"")).collect::<Vec<_>>().join(" OR ");
            let expected = whole.matches(&expression, &options).unwrap();
            assert_eq!(reading.matches(&expression, &options).as_ref(), Ok(&expected));
            let (found, _) =
                supplied(&asking, &files, || asking.matches(&expression, &options).map_err(missing));
            assert_eq!(found, expected);

            let record = random.pick(&records);
            let key = Key { id: record.id(), kind: record.kind() };
            assert_eq!(reading.record(key).unwrap(), whole.record(key).unwrap());
            let (found, _) = supplied(&asking, &files, || asking.record(key).map_err(blocks_of));
            assert_eq!(found, whole.record(key).unwrap());
            if round % 10 == 0 {
                asking.trim();
            }
        }
        assert!(source.reads() > 0);
    }
}

#[test]
fn finding_needs_no_documents() {
    let (snapshot, _) = split(usize::MAX);
    let mut engine = Engine::open(snapshot).unwrap();
    let mut options =
        SearchOptions { count: true, facets: vec!["topic".to_owned()], ..SearchOptions::default() };
    options.snippet.tokens = 0;
    assert!(!engine.search("rollback plan", &options).unwrap().hits.is_empty());
    assert!(!engine.matches("rollback", &MatchOptions::default()).unwrap().is_empty());
    assert!(!engine.suggest("roll", 5).unwrap().is_empty());
    let blocks = missing(engine.search("rollback plan", &SearchOptions::default()).unwrap_err());
    assert!(blocks.is_sorted() && !blocks.is_empty());
    let added = Record::from_json(Json::parse(br#"{"id":"new","title":"rollback"}"#).unwrap()).unwrap();
    let first = records()[0].id().to_owned();
    engine.add(&[added]).unwrap();
    engine.remove([Key { id: &first, kind: "document" }]).unwrap();
    let changes = engine.changes().unwrap();
    let (snapshot, _) = split(usize::MAX);
    let mut again = Engine::open(snapshot).unwrap();
    again.apply(changes).unwrap();
    assert_eq!(again.len(), engine.len());
}

#[test]
fn a_split_snapshot_becomes_a_whole_one_after_writes_too() {
    let (snapshot, files) = split(20_000);
    let mut whole = Engine::open(encode(&sections())).unwrap();
    let mut engine = Engine::open(snapshot).unwrap();
    for engine in [&mut whole, &mut engine] {
        let added = Record::from_json(Json::parse(br#"{"id":"new","title":"rollback"}"#).unwrap()).unwrap();
        engine.add(&[added]).unwrap();
        let first = records()[3].id().to_owned();
        engine.remove([Key { id: &first, kind: "document" }]).unwrap();
    }
    let blocks_missing = |error: WriteError| {
        let WriteFault::Merge(merge) = *error else { panic!("{error}") };
        let MergeFault::Snapshot(error) = *merge else { panic!("{merge}") };
        blocks_of(error)
    };
    let (bytes, rounds) = supplied(&engine, &files, || engine.snapshot().map_err(blocks_missing));
    assert_eq!(rounds.len(), 1, "all blocks are asked for at once");
    assert!(bytes == whole.snapshot().unwrap());
    assert_eq!(engine.verify(), Ok(()));
    engine.set_document_cache(0);
    assert!(!blocks_of(engine.verify().unwrap_err()).is_empty());
}

#[test]
fn an_engine_writes_the_split_snapshot_that_is_built() {
    let (snapshot, files) = split(20_000);
    let engine = Engine::open(encode(&sections())).unwrap();
    let again = engine.split_snapshot(20_000).unwrap();
    assert!(encode(&again.sections) == snapshot);
    for (file, bytes) in files.iter().enumerate() {
        let mut written = Vec::new();
        again.write_file(file, &mut written).unwrap();
        assert!(written == *bytes, "file {file}");
    }
    assert!(matches!(*engine.split_snapshot(99).unwrap_err(), WriteFault::Files(_)));
}

#[test]
fn neighbouring_and_near_blocks_are_one_range() {
    let (snapshot, files) = split(usize::MAX);
    let engine = Engine::open(snapshot).unwrap();
    let documents = engine.documents_outside().unwrap().unwrap();
    let count = u32::try_from(documents.block_count()).unwrap();
    let all = (0..count).collect::<Vec<_>>();
    let end = files[0].len() as u64;
    assert_eq!(engine.ranges(&all).unwrap(), [FileRange { file: 0, bytes: FILE_HEAD as u64..end }]);
    // More bytes lie between the first and the last block than a request costs, so they are requested separately.
    assert!(count > 4 && end > 40_000, "{count} blocks, {end} bytes");
    assert_eq!(engine.ranges(&[count - 1, 0, 0]).unwrap().len(), 2);
    assert_eq!(engine.ranges(&[1, 0]).unwrap().len(), 1);
    assert!(engine.ranges(&[count]).is_err());
    let (snapshot, files) = split(20_000);
    let several = Engine::open(snapshot).unwrap();
    assert_eq!(several.ranges(&all).unwrap().len(), files.len(), "a range never leaves its file");
}

#[test]
fn files_are_as_long_as_wished_and_one_that_cannot_be_is_refused() {
    for most in [18_000, 25_000, 60_000] {
        let (_, files) = split(most);
        assert!(files.iter().all(|file| file.len() <= most), "{most}");
        let blocks = files.iter().flat_map(|file| &file[FILE_HEAD..]).copied().collect::<Vec<_>>();
        let (_, documents) =
            sections().into_iter().find(|(kind, _)| *kind == SectionKind::Documents).unwrap();
        assert!(blocks == documents);
    }
    let error = Split::of(sections(), 1_000).unwrap_err();
    assert!(error.needed > 1_000 && error.to_string().contains("limited to 1000 bytes"));
}

#[test]
fn a_flipped_byte_of_a_file_is_never_believed() {
    let (snapshot, files) = split(20_000);
    let mut random = Random::new(3);
    for _ in 0..300 {
        let mut altered = files.clone();
        let file = random.below(altered.len());
        let at = FILE_HEAD + random.below(altered[file].len() - FILE_HEAD);
        altered[file][at] ^= 1 << random.below(8);
        let mut engine = Engine::open(snapshot.clone()).unwrap();
        let number = u32::try_from(file).unwrap();
        let refused = engine.supply(number, 0, &altered[file]);
        assert_eq!(refused, Err(foreign()));
        engine.attach(Counted::new(altered));
        assert_eq!(engine.verify(), Err(foreign()));
    }
}

#[test]
fn what_is_cut_short_or_elsewhere_keeps_nothing_wrong() {
    let (snapshot, files) = split(usize::MAX);
    let engine = Engine::open(snapshot).unwrap();
    // Bytes outside of blocks, cut blocks, and bytes of files that do not exist are ignored or refused, never used.
    for len in (0..files[0].len()).step_by(97) {
        assert_eq!(engine.supply(0, 0, &files[0][..len]), Ok(()), "whole blocks of a prefix are good");
        assert!(engine.supply(0, 1, &files[0][..len]).is_ok() || len > FILE_HEAD);
        assert_eq!(engine.supply(9, 0, &files[0][..len]), Ok(()));
        assert!(engine.supply(0, u64::MAX - 5, &files[0][..len]).is_ok());
    }
    let mut all = BTreeSet::new();
    engine.supply(0, 0, &files[0]).unwrap();
    engine.each_record(|text| all.insert(text.to_vec())).unwrap();
    assert_eq!(all.len(), records().len());
}

#[test]
fn forged_lists_of_files_never_panic_or_hang() {
    let split = Split::of(sections(), 20_000).unwrap();
    let (place, (_, section)) =
        split.sections.iter().enumerate().find(|(_, (kind, _))| *kind == SectionKind::DocumentFiles).unwrap();
    let (_, files) = self::split(20_000);
    let ask = |section: Vec<u8>| {
        let mut sections = split.sections.clone();
        sections[place].1 = section;
        let Ok(mut engine) = Engine::open(encode(&sections)) else { return false };
        let blocks =
            engine.search("rollback", &SearchOptions::default()).err().map(missing).unwrap_or_default();
        for (file, bytes) in (0..).zip(&files) {
            let _ = (engine.ranges(&blocks), engine.supply(file, 0, bytes));
        }
        let _ = engine.documents_outside().unwrap().map(|documents| documents.file_lens());
        engine.attach(Counted::new(files.clone()));
        let _ = engine.search("rollback", &SearchOptions::default());
        engine.verify().is_ok() && engine.snapshot().is_ok()
    };
    assert!(ask(section.clone()));
    for at in 0..section.len() {
        for pattern in [0x01, 0x10, 0x80, 0xff] {
            let mut altered = section.clone();
            altered[at] ^= pattern;
            assert!(!ask(altered), "byte {at} ^ {pattern:#x} was not noticed");
        }
        assert!(!ask(section[..at].to_vec()), "{at} bytes were enough");
    }
    let with_both = [split.sections.clone(), vec![(SectionKind::Documents, Vec::new())]].concat();
    assert!(matches!(*Engine::open(encode(&with_both)).unwrap_err(), SnapshotFault::Malformed(_)));
}

#[test]
fn files_beside_a_snapshot_are_found_and_foreign_ones_refused() {
    let folder = std::env::temp_dir().join(format!("snapseek-split-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.snap");
    let (snapshot, files) = split(20_000);
    let open = || -> Result<Engine, String> {
        let mut engine = Engine::open(snapshot.clone()).unwrap();
        let beside = DocumentFiles::beside(&path, &engine.documents_outside().unwrap().unwrap());
        engine.attach(beside.map_err(|error| error.to_string())?);
        Ok(engine)
    };
    let name = |file: usize| folder.join(format!("a.snap.docs.{file}"));
    assert!(open().unwrap_err().contains("a.snap.docs.0 is missing"));
    files.iter().enumerate().for_each(|(file, bytes)| std::fs::write(name(file), bytes).unwrap());
    open().unwrap().verify().unwrap();
    std::fs::write(name(1), &files[1][..files[1].len() - 1]).unwrap();
    assert!(open().unwrap_err().contains("bytes, but the snapshot expects"));
    std::fs::write(name(1), b"snap").unwrap();
    assert!(open().unwrap_err().contains("does not belong to the snapshot beside it"));
    let (_, others) = split(25_000);
    std::fs::write(name(1), &others[1]).unwrap();
    assert!(open().unwrap_err().contains("does not belong"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn blocks_are_read_once_while_they_are_at_hand() {
    let (snapshot, files) = split(usize::MAX);
    let source = Counted::new(files);
    let mut engine = Engine::open(snapshot).unwrap();
    engine.attach(source.clone());
    let ask = || engine.search("rollback plan", &SearchOptions::default()).unwrap();
    ask();
    let reads = source.reads();
    ask();
    assert_eq!(source.reads(), reads);
    engine.set_document_cache(0);
    ask();
    assert_eq!(source.reads(), 2 * reads);
}
