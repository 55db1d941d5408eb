//! Uses any JSON as a filter; it must not panic, and an error must name a place in the filter. The documents that pass must be
//! those that pass a naive evaluation of the filter on the records. A document must pass either a filter or its negation.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::attributes::{AttributeType, Overrides, time_of};
use snapseek::bitmap::Bitmap;
use snapseek::json::Json;
use snapseek::retrieval::{Filter, LiveSegment, TableCache, ValueIndexes};
use snapseek::segment::Segment;
use snapseek::{Record, Schema};
use snapseek_fuzz::{samples, seeds};
use std::sync::OnceLock;

fuzz_target!(
    init: seeds::write(seeds),
    |input: &[u8]| {
        let Ok(json) = Json::parse(input) else { return };
        for (segment, records) in segments() {
            match Filter::parse(&json, segment.schema()) {
                Err(error) => assert!(error.to_string().starts_with("filter"), "{error}"),
                Ok(filter) => {
                    let naive = |document: usize| holds(&json, &records[document], segment.schema());
                    check(segment, filter, Bitmap::where_true(records.len(), naive));
                }
            }
        }
    }
);

fn check(segment: &Segment, filter: Filter, expected: Bitmap) {
    let (tables, values_by, overrides) =
        (TableCache::default(), ValueIndexes::default(), Overrides::default());
    let part = LiveSegment {
        segment,
        dead: None,
        first_row: 0,
        tables: &tables,
        values_by: &values_by,
        overrides: &overrides,
    };
    let apply = |filter: &Filter| filter.apply(&part).expect("the snapshot is good");
    assert_eq!(apply(&filter), expected, "{filter:?}");
    let mut opposite = apply(&Filter::Not(Box::new(filter)));
    opposite.invert();
    assert_eq!(opposite, expected);
}

/// Evaluates a valid filter on a record, naively.
fn holds(filter: &Json, record: &Record, schema: &Schema) -> bool {
    let Json::Object(entries) = filter else { unreachable!("a filter is an object") };
    entries.iter().all(|(name, value)| match (name.as_str(), value) {
        ("not", filter) => !holds(filter, record, schema),
        ("or", Json::Array(filters)) => filters.iter().any(|filter| holds(filter, record, schema)),
        ("and", Json::Array(filters)) => filters.iter().all(|filter| holds(filter, record, schema)),
        ("id", value) => passes(AttributeType::Keyword, &[Json::String(record.id().to_owned())], value),
        ("kind", value) => passes(AttributeType::Keyword, &[Json::String(record.kind().to_owned())], value),
        (name, value) => {
            let (_, kind) = schema.attribute(name).expect("the filter parses");
            passes(kind, &items(record.json().get(name).unwrap_or(&Json::Null)), value)
        }
    })
}

fn passes(kind: AttributeType, own: &[Json], value: &Json) -> bool {
    let own = own.iter().map(|value| comparable(kind, value)).collect::<Vec<_>>();
    let has = |wanted: &Json| own.contains(&comparable(kind, wanted));
    let has_any = |wanted: &Json| items(wanted).iter().any(has);
    let Json::Object(operators) = value else {
        return if *value == Json::Null { own.is_empty() } else { has_any(value) };
    };
    operators.iter().all(|(operator, operand)| {
        let compare = |holds: fn(f64, f64) -> bool| {
            let bound = comparable(kind, operand).as_f64().expect("the filter parses");
            own.iter().filter_map(Json::as_f64).any(|own| holds(own, bound))
        };
        match operator.as_str() {
            "eq" | "any" => has_any(operand),
            "ne" | "none" => !has_any(operand),
            "all" => items(operand).iter().all(has),
            "exists" => *operand == Json::Bool(!own.is_empty()),
            "gt" => compare(|own, bound| own > bound),
            "gte" => compare(|own, bound| own >= bound),
            "lt" => compare(|own, bound| own < bound),
            "lte" => compare(|own, bound| own <= bound),
            other => unreachable!("the filter parses, but has an operator {other}"),
        }
    })
}

fn items(value: &Json) -> Vec<Json> {
    match value {
        Json::Null => Vec::new(),
        Json::Array(values) => values.clone(),
        other => vec![other.clone()],
    }
}

/// Converts a value to the form in which values of this type are compared.
fn comparable(kind: AttributeType, value: &Json) -> Json {
    match (kind, value) {
        (AttributeType::Number, value) => Json::from_f64(value.as_f64().expect("it has the type")),
        (AttributeType::Time, value) => Json::from_f64(time_of(value).expect("it has the type")),
        (AttributeType::Bool, value) | (_, value @ Json::String(_)) => value.clone(),
        (AttributeType::Keyword | AttributeType::Keywords, value) => Json::String(value.to_text()),
    }
}

fn segments() -> &'static [(Segment, Vec<Record>)] {
    static SEGMENTS: OnceLock<Vec<(Segment, Vec<Record>)>> = OnceLock::new();
    SEGMENTS.get_or_init(|| {
        let with_records = |bytes: &Vec<u8>| {
            let segment = Segment::open(bytes.clone()).expect("it is good");
            let records =
                (0..segment.documents()).map(|document| segment.record(document).expect("it is good"));
            let records = records.collect();
            (segment, records)
        };
        samples::snapshots().iter().map(with_records).collect()
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
    // Add the filters of tests/cases.
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
