//! Any JSON, used as a filter: never a panic, and an error names a place in the filter. What holds of no logic but holds
//! of sets: a filter and its opposite divide the documents, and twice the same filter is the filter.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::bitmap::Bitmap;
use snapseek::json::Json;
use snapseek::retrieval::{Filter, Part, ScoreTables};
use snapseek::segment::Segment;
use snapseek_fuzz::{samples, seeds};
use std::sync::OnceLock;

fuzz_target!(
    init: seeds::write(seeds),
    |input: &[u8]| {
        let Ok(json) = Json::parse(input) else { return };
        for segment in segments() {
            match Filter::parse(&json, segment.schema()) {
                Err(error) => assert!(error.to_string().starts_with("filter"), "{error}"),
                Ok(filter) => check(segment, filter),
            }
        }
    }
);

fn check(segment: &Segment, filter: Filter) {
    let tables = ScoreTables::default();
    let part = Part { segment, dead: None, first_row: 0, tables: &tables };
    let apply = |filter: &Filter| filter.apply(&part).expect("the snapshot is good");
    let found = apply(&filter);
    assert_eq!(found.len(), segment.documents() as usize);
    let opposite = apply(&Filter::Not(Box::new(filter.clone())));
    let mut all = found.clone();
    all.unite(&opposite);
    assert_eq!((all, found.count() + opposite.count()), (Bitmap::all(found.len()), found.len()));
    assert_eq!(apply(&Filter::All(vec![filter.clone(), filter.clone()])), found);
    assert_eq!(apply(&Filter::Any(vec![filter.clone(), filter])), found);
}

fn segments() -> &'static [Segment] {
    static SEGMENTS: OnceLock<Vec<Segment>> = OnceLock::new();
    SEGMENTS.get_or_init(|| {
        samples::snapshots().iter().map(|bytes| Segment::open(bytes.clone()).expect("it is good")).collect()
    })
}

fn seeds() -> Vec<Vec<u8>> {
    let filters = [
        r#"{"tags":"fox"}"#,
        r#"{"tags":["a","b"],"topic":null}"#,
        r#"{"tags":{"all":["fox"],"none":["dog"],"any":[1,true]}}"#,
        r#"{"size":5,"done":true,"createdAt":{"exists":false}}"#,
        r#"{"size":{"gt":1,"lte":3.5,"ne":[2,7]}}"#,
        r#"{"createdAt":{"gte":"2024-01-01T12:30:15.250+02:00","lt":1714521600000}}"#,
        r#"{"not":{"kind":"note"},"or":[{"id":"first"},{"size":{"exists":false}}],"and":[{"id":{"ne":["7"]}},{}]}"#,
        r#"{"kind":{"all":["note"],"eq":"note"},"id":{"exists":true}}"#,
    ];
    let mut seeds = filters.map(|filter| filter.as_bytes().to_vec()).to_vec();
    // The filters of the readable cases.
    for file in seeds::files("tests/cases") {
        let Ok(Json::Object(entries)) = Json::parse(&file) else { continue };
        let queries = entries.into_iter().filter_map(|(name, value)| match (name.as_str(), value) {
            ("queries", Json::Array(queries)) => Some(queries),
            _ => None,
        });
        seeds.extend(queries.flatten().filter_map(|query| Some(query.get("filter")?.to_text().into_bytes())));
    }
    seeds
}
