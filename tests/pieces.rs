//! Does a snapshot of which only pieces are in memory answer as the whole one does, with few rounds of requests?

#![cfg(not(target_arch = "wasm32"))]

#[path = "support/in_pieces.rs"]
mod in_pieces;

use in_pieces::InPieces;
use snapseek::json::Json;
use snapseek::snapshot::SnapshotFault;
use snapseek::{
    Builder, Column, Engine, HighlightOptions, Key, MatchOptions, MatchSnippet, Record, Schema, SearchOptions,
};

const SCHEMA: &str = r#"{
    "fields": {"title": {"weight": 4.0}, "body": {}},
    "attributes": {"topic": "keyword", "tags": "keywords", "size": "number"},
    "forms": true
}"#;

/// A pseudo-random generator with a fixed seed.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// Returns a word; words with small numbers are much more frequent.
    fn word(&mut self) -> String {
        let most = self.below(2000) + 1;
        format!("w{:x}", (self.below(most) * 2_654_435_761) & 0xffff)
    }

    fn text(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

fn record(json: &str) -> Record {
    Record::from_json(Json::parse(json.as_bytes()).unwrap()).unwrap()
}

fn snapshot(records: usize) -> Vec<u8> {
    let mut builder = Builder::new(&serde_json::from_str::<Schema>(SCHEMA).unwrap()).unwrap();
    let mut random = Random(7);
    for id in 0..records {
        let (title, body) = (random.text(4), random.text(60));
        let (topic, tag, size) = (random.below(9), random.below(40), random.below(1000));
        let json = format!(
            r#"{{"id":"{id}","title":"{title}","body":"{body}","topic":"t{topic}","tags":["g{tag}"],"size":{size}}}"#
        );
        builder.add(&record(&json)).unwrap();
    }
    builder.finish().unwrap()
}

fn marked() -> MatchOptions {
    let mark = || ("[".to_owned(), "]".to_owned());
    let ((open, close), ellipsis) = (mark(), "…".to_owned());
    MatchOptions {
        limit: Some(20),
        snippet: Some(MatchSnippet { column: Column::Number(-1), open, close, ellipsis, tokens: 8 }),
        highlight: Some(HighlightOptions { column: Column::Number(1), open: mark().0, close: mark().1 }),
        ..MatchOptions::default()
    }
}

#[test]
fn every_answer_is_that_of_the_whole_file() {
    let file = snapshot(2000);
    let whole = Engine::open(file.clone()).unwrap();
    let mut pieces = InPieces::open(file);
    let mut random = Random(11);
    let filter = Some(Json::parse(br#"{"topic": "t3", "size": {"gte": 100}}"#).unwrap());
    for round in 0..60 {
        let [a, b, c] = [random.word(), random.word(), random.word()];
        let expressions = [
            format!("{a} OR {b}"),
            format!("{a} AND {b}"),
            format!("\"{a} {b}\" OR {c}"),
            format!("NEAR({a} {b}, 20)"),
            format!("title : ^{a} NOT {b}"),
            format!("{}* OR {c}", &a[..2]),
            format!("\"{a} {}\" *", &b[..2]),
        ];
        for expression in expressions {
            let expected = whole.matches(&expression, &marked()).unwrap();
            let found = pieces.call(|engine| engine.matches(&expression, &marked())).unwrap();
            assert_eq!(found, expected, "{expression}");
        }
        let options = [
            SearchOptions { explain: true, records: true, ..SearchOptions::default() },
            SearchOptions {
                as_you_type: true,
                typos: 1,
                highlight: vec!["title".to_owned()],
                ..SearchOptions::default()
            },
            SearchOptions {
                filter: filter.clone(),
                facets: vec!["tags".to_owned()],
                count: true,
                ..SearchOptions::default()
            },
            SearchOptions { offset: Some(15), limit: Some(30), ..SearchOptions::default() },
        ];
        for options in options {
            let query = format!("{a} {b} {}", &c[..c.len() - 1]);
            let expected = format!("{:?}", whole.search(&query, &options).unwrap());
            let found = pieces.call(|engine| engine.search(&query, &options)).unwrap();
            assert_eq!(format!("{found:?}"), expected, "{query}");
        }
        let id = (random.below(2100)).to_string();
        let key = Key { id: &id, kind: "document" };
        assert_eq!(pieces.call(|engine| engine.record(key)).unwrap(), whole.record(key).unwrap());
        let suggested = pieces.call(|engine| engine.suggest(&a[..2], 9)).unwrap();
        assert_eq!(suggested, whole.suggest(&a[..2], 9).unwrap());
        if round % 20 == 0 {
            pieces.engine.set_piece_budget(10_000);
            pieces.engine.trim_pieces();
        }
    }
}

#[test]
fn a_plain_search_takes_three_rounds_and_a_fraction_of_the_file() {
    let file = snapshot(5000);
    let len = file.len();
    let mut random = Random(5);
    for _ in 0..20 {
        let mut pieces = InPieces::open(file.clone());
        let query = random.text(3);
        pieces.call(|engine| engine.search(&query, &SearchOptions::default())).unwrap();
        assert!(pieces.rounds <= 3, "{query}: {} rounds", pieces.rounds);
        assert!(pieces.fetched < len / 4, "{query}: {} of {len} bytes", pieces.fetched);
        // A second search for the same words needs nothing more.
        pieces.call(|engine| engine.search(&query, &SearchOptions::default())).unwrap();
        assert_eq!(pieces.rounds, 0);
    }
}

#[test]
fn suggestions_and_completions_ask_for_their_part_of_the_dictionary_at_once() {
    let mut pieces = InPieces::open(snapshot(5000));
    let found = pieces.call(|engine| engine.search("unknownword", &SearchOptions::default())).unwrap();
    assert!(found.hits.is_empty());
    assert!(pieces.rounds <= 3, "{} rounds", pieces.rounds);
    let mut pieces = InPieces::open(snapshot(5000));
    pieces.call(|engine| engine.suggest("w", 9)).unwrap();
    assert_eq!(pieces.rounds, 1);
}

#[test]
fn writes_over_pieces_give_the_same_snapshot_and_changes() {
    let file = snapshot(300);
    let mut whole = Engine::open(file.clone()).unwrap();
    let mut pieces = InPieces::open(file);
    let changed = record(r#"{"id":"17","title":"new words","body":"w0 w1","topic":"t1"}"#);
    let added = record(r#"{"id":"new","title":"quite new","body":"w0","topic":"t1"}"#);
    for record in [&changed, &added] {
        whole.add([record]).unwrap();
        pieces.call(|engine| engine.add([record])).unwrap();
    }
    let key = Key { id: "5", kind: "document" };
    whole.remove([key]).unwrap();
    pieces.call(|engine| engine.remove([key])).unwrap();
    let options = SearchOptions { records: true, ..SearchOptions::default() };
    let expected = format!("{:?}", whole.search("new words w0", &options).unwrap());
    assert_eq!(
        format!("{:?}", pieces.call(|engine| engine.search("new words w0", &options)).unwrap()),
        expected
    );
    assert_eq!(pieces.call(|engine| engine.changes()).unwrap(), whole.changes().unwrap());
    assert_eq!(pieces.call(|engine| engine.snapshot()).unwrap(), whole.snapshot().unwrap());
    assert_eq!(pieces.engine.len(), whole.len());
}

#[test]
fn a_damaged_part_is_refused_and_the_whole_file_can_be_verified() {
    let file = snapshot(50);
    let mut pieces = InPieces::open(file.clone());
    pieces.call(|engine| engine.verify()).unwrap();
    let head = pieces.engine.part_layout().unwrap().1.start;
    let engine = Engine::open_in_pieces(file[..head].to_vec()).unwrap();
    assert!(engine.search("w0", &SearchOptions::default()).is_err());
    let mut engine = engine;
    for piece in engine.take_missing() {
        let mut bytes = file[piece.parts.clone()].to_vec();
        bytes[3] ^= 1;
        let error = engine.supply_piece(piece.wanted, piece.parts.start, &bytes).unwrap_err();
        assert_eq!(*error, SnapshotFault::Changed);
    }
}

#[test]
fn a_damaged_or_short_head_is_refused() {
    let file = snapshot(20);
    let head = InPieces::open(file.clone()).engine.part_layout().unwrap().1.start;
    for len in 0..head {
        assert!(Engine::open_in_pieces(file[..len].to_vec()).is_err(), "opened {len} bytes");
    }
    for at in 0..head {
        let mut altered = file[..head].to_vec();
        altered[at] ^= 0x10;
        // Bytes between sections have no checksum, and no answer needs them.
        let is_padding = file[at] == 0 && Engine::open_in_pieces(altered.clone()).is_ok();
        assert!(is_padding || Engine::open_in_pieces(altered).is_err(), "opened with another byte {at}");
    }
    // More than the head may be there, as in the first bytes of a small file.
    assert!(Engine::open_in_pieces(file).is_ok());
}

#[test]
fn pieces_stay_within_their_budget() {
    let file = snapshot(3000);
    let mut pieces = InPieces::open(file);
    let head = pieces.engine.bytes_in_memory();
    pieces.engine.set_piece_budget(50_000);
    let mut random = Random(3);
    for _ in 0..50 {
        let query = random.text(3);
        pieces.call(|engine| engine.search(&query, &SearchOptions::default())).unwrap();
        pieces.engine.trim_pieces();
        assert!(pieces.engine.bytes_in_memory() <= head + 50_000);
    }
}
