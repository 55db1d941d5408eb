//! Runs every kind of query on an engine. Errors in the request are ignored; reports of damage are returned.

use crate::samples;
use snapseek::json::Json;
use snapseek::recipe::hybrid::{Fusion, Mode, SearchOptions};
use snapseek::segment::MergeFault;
use snapseek::{
    Column, Engine, HighlightOptions, Key, MatchOptions, MatchSnippet, SearchError, SearchFault,
    SnapshotError, WriteError, WriteFault,
};

const EXPRESSIONS: [&str; 8] = [
    "fox OR id OR the",
    "the fox",
    "the AND o*",
    "\"the lazy\" OR NEAR(quick fox, 3)",
    "title : ^the NOT body : lazy",
    "{title body} : qu* + fox*",
    "a* NOT fox",
    "the OR quick OR over OR lazy OR absent",
];

const QUERIES: [&str; 3] = ["the quikc fo", "numbers lzay a", "東京 quic"];

const FILTERS: [&str; 4] = [
    r#"{"kind":"note"}"#,
    r#"{"id":["7","first"]}"#,
    r#"{"or":[{"tags":"fox"},{"size":{"gte":-1}},{"done":false},{"createdAt":{"lt":"2030-01-01"}}]}"#,
    r#"{"topic":{"ne":"dog"},"not":{"tags":{"all":["fox","id"]}},"size":{"exists":true}}"#,
];

/// Runs every call that reads, and returns the first damage that one of them reports.
///
/// # Errors
/// Fails when the snapshot is damaged.
pub fn everything(engine: &Engine) -> Result<(), SnapshotError> {
    for (place, expression) in EXPRESSIONS.into_iter().enumerate() {
        damage(engine.matches(expression, &match_options(place)))?;
    }
    for (place, query) in QUERIES.into_iter().enumerate() {
        damage(engine.search(query, &search_options(place)))?;
    }
    nearest(engine)?;
    damage(engine.suggest("j", 5))?;
    damage(engine.suggest("the q", 5))?;
    engine.each_record(|_| true)?;
    engine.record(Key { id: "7", kind: "note" })?;
    Ok(())
}

/// Searches with every model, by a given vector and by the snapshot's own embedder.
fn nearest(engine: &Engine) -> Result<(), SnapshotError> {
    let models =
        engine.schema().models().map(|(name, model)| (name.to_owned(), model.width)).collect::<Vec<_>>();
    for (place, (name, width)) in models.into_iter().enumerate() {
        let numbers = |width: usize| (0..width).map(|i| (i * 37 % 11) as f32 - 4.5).collect();
        for (vector, mode) in
            [(width.map(numbers), Mode::Vector), (width.map(numbers), Mode::Hybrid), (None, Mode::Hybrid)]
        {
            let (model, mode) = (Some(name.clone()), Some(mode));
            let fusion = Some(Fusion::ALL[place % Fusion::ALL.len()]);
            let options = SearchOptions { vector, model, mode, fusion, ..search_options(place) };
            damage(engine.search(QUERIES[place % QUERIES.len()], &options))?;
        }
    }
    Ok(())
}

/// Writes to the engine, and runs every call that reads once more.
///
/// # Errors
/// Fails when the snapshot is damaged.
pub fn after_writing(engine: &mut Engine) -> Result<(), SnapshotError> {
    written(engine.remove([("first", "document"), ("3", "document")].map(|(id, kind)| Key { id, kind })))?;
    written(engine.add(&samples::newcomers()))?;
    written(engine.changes())?;
    everything(engine)
}

/// Returns all records of an engine, in row order.
///
/// # Errors
/// Fails when the snapshot is damaged.
pub fn export(engine: &Engine) -> Result<Vec<Vec<u8>>, SnapshotError> {
    let mut records = Vec::new();
    engine.each_record(|record| {
        records.push(record.to_vec());
        true
    })?;
    Ok(records)
}

/// Returns options of `match`; each `place` sets a different combination of them.
pub fn match_options(place: usize) -> MatchOptions {
    let snippet = MatchSnippet {
        column: Column::Number(-1),
        open: "[".to_owned(),
        close: "]".to_owned(),
        ellipsis: "…".to_owned(),
        tokens: 6,
    };
    let highlight =
        HighlightOptions { column: Column::Number(0), open: "[".to_owned(), close: "]".to_owned() };
    MatchOptions {
        // Marking texts takes most of the time, so it always comes with a limit.
        limit: [Some(3), None][place % 2],
        weights: [None, Some(vec![0.3, 1.7]), Some(vec![-1.0])][place % 3].clone(),
        snippet: place.is_multiple_of(2).then_some(snippet),
        highlight: place.is_multiple_of(4).then_some(highlight),
        filter: FILTERS.get(place % 5).map(|text| json(text)),
    }
}

/// Returns options of `search`; each `place` sets a different combination of them.
pub fn search_options(place: usize) -> SearchOptions {
    SearchOptions {
        filter: FILTERS.get(place % 5).map(|text| json(text)),
        facets: ["topic", "tags", "size", "done"].map(str::to_owned)[..place % 5].to_vec(),
        as_you_type: place != 1,
        typos: 2,
        explain: true,
        records: true,
        count: place.is_multiple_of(2),
        ..SearchOptions::default()
    }
}

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).expect("it is JSON")
}

fn damage<T>(answer: Result<T, SearchError>) -> Result<(), SnapshotError> {
    match answer.map_err(|error| *error) {
        Err(SearchFault::Snapshot(error)) => Err(error),
        _ => Ok(()),
    }
}

fn written<T>(answer: Result<T, WriteError>) -> Result<(), SnapshotError> {
    match answer.map_err(|error| *error) {
        Err(WriteFault::Snapshot(error)) => Err(error),
        Err(WriteFault::Merge(error)) => match *error {
            MergeFault::Snapshot(error) => Err(error),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
