//! Tests that the serializer agrees with `serde_json`.

use super::super::Json;
use super::*;
use std::collections::BTreeMap;

fn check(value: &(impl Serialize + ?Sized)) {
    assert_eq!(text_of(value), serde_json::to_string(value).unwrap());
}

/// Checks that the text is as short as that of `serde_json` and reads back as the same number.
fn check_length(number: &f64) {
    let (ours, theirs) = (text_of(number), serde_json::to_string(number).unwrap());
    assert_eq!(ours.len(), theirs.len(), "{ours} {theirs}");
    assert!(ours == "null" || ours.parse() == Ok(*number), "{ours} {theirs}");
}

#[test]
fn numbers_are_written_as_serde_json_writes_them() {
    for exponent in -330..310 {
        for digits in ["1", "-1.5", "9.999999999999999", "1.2345678901234567"] {
            check(&format!("{digits}e{exponent}").parse::<f64>().unwrap());
        }
    }
    for number in [0.0, -0.0, f64::NAN, f64::INFINITY, 123.0, 0.1 + 0.2, 5e-324, f64::MAX, 1e15 + 0.5] {
        check(&number);
    }
    let mut state = 3u64;
    for _ in 0..30_000 {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        check_length(&f64::from_bits(state));
        check_length(&(state as i64 as f64 / 1e12));
    }
    check(&(u64::MAX, i64::MIN, 0u8, -1i8, 7u16, -7i16, 8u32, -8i32));
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
enum Kind {
    Plain,
    New(u8),
    Pair(u8, String),
    Named { first_one: u8, other: Option<bool> },
}

#[derive(serde::Serialize)]
struct Unit;

#[derive(serde::Serialize)]
struct New(Vec<Kind>);

#[derive(serde::Serialize)]
struct Inner {
    of_inner: char,
}

#[derive(serde::Serialize)]
struct All {
    kinds: New,
    unit: Unit,
    pair: (u8, &'static str),
    #[serde(flatten)]
    inner: Inner,
    #[serde(flatten)]
    more: BTreeMap<String, Json>,
    empty: (Vec<u8>, BTreeMap<String, u8>, Option<u8>, ()),
    #[serde(skip_serializing_if = "Option::is_none")]
    nothing: Option<u8>,
}

#[test]
fn every_shape_is_written_as_serde_json_writes_it() {
    let json = Json::parse(r#"{"a":[1,2.5,1e300,{"b":null,"c":"x"}],"d":{},"e":[[]]}"#.as_bytes()).unwrap();
    let kinds = vec![
        Kind::Plain,
        Kind::New(1),
        Kind::Pair(2, "{".to_owned()),
        Kind::Named { first_one: 3, other: Some(true) },
    ];
    check(&All {
        kinds: New(kinds),
        unit: Unit,
        pair: (1, "["),
        inner: Inner { of_inner: 'é' },
        more: BTreeMap::from([("x".to_owned(), json), ("y\n".to_owned(), Json::Bool(false))]),
        empty: Default::default(),
        nothing: None,
    });
    check("\u{0}\u{1f}\u{7f}\u{2028}\"\\/\u{8}\u{c}\n\r\té😀");
}

#[test]
#[should_panic(expected = "map keys must serialise as strings")]
fn a_map_key_that_is_not_a_string_panics() {
    text_of(&BTreeMap::from([(1, 2)]));
}
