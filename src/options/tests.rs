use super::*;

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

/// The message of the one fault of `{"x": VALUE}` where `x` is read in this way.
fn fault(value: &str, read: impl FnOnce(&mut Options)) -> String {
    let json = json(&format!(r#"{{"x":{value}}}"#));
    let mut options = Options::of(&json);
    read(&mut options);
    options.finish().unwrap_err().to_string()
}

#[test]
fn p6_all_faults_stand_in_one_message() {
    let json = json(r#"{"limit":500,"mode":"fuzzy","query":7,"inner":{"lambda":2,"odd":1},"lmiit":1}"#);
    let mut options = Options::of(&json);
    assert_eq!(options.count("limit", 1..=100), None);
    assert_eq!(options.word("mode", &["hybrid", "keyword"]), None);
    assert_eq!(options.text("query"), None);
    options.object("inner", |inner| assert_eq!(inner.number("lambda", 0.0..=1.0), None));
    let error = options.finish().unwrap_err();
    assert_eq!((error.option(), error.code()), (Some("limit"), "limit"));
    assert_eq!(
        error.to_string(),
        "limit: must be 1 to 100, not 500; mode: unknown mode \"fuzzy\"; use one of hybrid, keyword; \
         query: must be a string, not a number; inner.lambda: must be 0 to 1, not 2; inner.odd: unknown option; \
         the options are lambda; lmiit: unknown option; the options are inner, limit, mode, query"
    );
}

#[test]
fn an_absent_option_is_none_and_no_fault() {
    let json = json(r#"{"tags":"one","at":"2026-01-01"}"#);
    let mut options = Options::of(&json);
    assert_eq!(options.count("limit", 1..=100), None);
    assert_eq!(options.flag("track"), None);
    assert_eq!(options.texts("tags"), Some(vec!["one".to_owned()]));
    assert_eq!(options.time("at"), Some(1_767_225_600_000.0));
    assert!(options.finish().unwrap().is_empty());
    assert!(Options::of(&Json::Null).finish().is_ok());
}

#[test]
fn null_is_a_fault_except_where_it_removes() {
    assert_eq!(fault("null", |options| _ = options.flag("x")), "x: must not be null");
    assert_eq!(fault("null", |options| _ = options.json("x")), "x: must not be null");
    let json = json(r#"{"summary":null,"tier":"global"}"#);
    let mut options = Options::of(&json);
    assert_eq!(options.removable("summary", Options::text), Some(None));
    assert_eq!(options.removable("tier", Options::text), Some(Some("global")));
    assert_eq!(options.removable("sector", Options::text), None);
    options.finish().unwrap();
}

#[test]
fn values_without_a_json_form_are_faults_wherever_they_are() {
    let nan = r#"{"$snapseek":"NaN"}"#;
    assert_eq!(fault(nan, |o| _ = o.number("x", 0.0..=1.0)), "x: must be a number, not NaN");
    assert_eq!(fault(nan, |o| _ = o.clamped_count("x", 0..=1)), "x: must be a number, not NaN");
    let function = r#"{"$snapseek":"a function"}"#;
    assert_eq!(fault(function, |o| _ = o.text("x")), "x: must be a string, not a function");
    assert_eq!(fault(function, |o| _ = o.object("x", |_| ())), "x: must be an object, not a function");
    assert_eq!(fault(function, |o| _ = o.json("x")), "x: must not be a function");
    let filter = r#"{"createdAt":{"any":[1,{"$snapseek":"an invalid date"}]}}"#;
    assert_eq!(fault(filter, |o| _ = o.json("x")), "x.createdAt.any.1: must not be an invalid date");
}

#[test]
fn infinity_is_clamped_where_numbers_are_and_a_fault_elsewhere() {
    let infinity = r#"{"$snapseek":"Infinity"}"#;
    assert_eq!(fault(infinity, |o| _ = o.count("x", 1..=100)), "x: must be 1 to 100, not Infinity");
    assert_eq!(fault(infinity, |o| _ = o.any_number("x")), "x: must be finite, not Infinity");
    assert_eq!(fault(infinity, |o| _ = o.integer("x")), "x: must be an integer, not Infinity");
    let json = json(r#"{"a":{"$snapseek":"Infinity"},"b":{"$snapseek":"-Infinity"},"c":2.9,"d":0.5}"#);
    let mut options = Options::of(&json);
    assert_eq!(options.clamped_count("a", 1..=100), Some(100));
    assert_eq!(options.clamped_number("b", -1.0..=1.0), Some(-1.0));
    assert_eq!(options.clamped_count("c", 1..=100), Some(2));
    assert_eq!(options.clamped_number("d", 0.0..=1.0), Some(0.5));
    let clamps = crate::json::text_of(&options.finish().unwrap());
    assert_eq!(
        clamps,
        r#"{"a":{"given":null,"used":100.0},"b":{"given":null,"used":-1.0},"c":{"given":2.9,"used":2.0}}"#
    );
}

#[test]
fn a_fraction_is_no_count() {
    assert_eq!(fault("2.5", |options| _ = options.count("x", 1..=100)), "x: must be an integer, not 2.5");
    assert_eq!(fault("-1", |options| _ = options.whole("x")), "x: must be 0 or more, not -1");
}

#[test]
fn faults_in_one_of_many_objects_name_its_place() {
    let json = json(r#"{"sources":[{"body":"x"},{"body":7,"odd":1},"y"],"one":{"body":"z"},"more":7}"#);
    let mut options = Options::of(&json);
    let bodies = options.objects("sources", |source| source.text("body"));
    assert_eq!(bodies, Some(vec![Some("x"), None, None]));
    assert_eq!(
        options.objects("one", |source| source.text("body")),
        Some(vec![Some("z")]),
        "an array of one"
    );
    assert_eq!(options.objects("more", |_| ()), None);
    assert_eq!(options.objects("none", |_| ()), None);
    assert_eq!(
        options.finish().unwrap_err().to_string(),
        "sources.1.body: must be a string, not a number; sources.1.odd: unknown option; the options are body; \
         sources.2: must be an object, not a string; more: must be an array of objects, not a number"
    );
}

#[test]
fn an_unknown_option_is_told_from_a_faulty_one() {
    let read = |text: &str| {
        let json = json(text);
        let mut options = Options::of(&json);
        options.whole("limit");
        options.finish().unwrap_err()
    };
    assert_eq!(read(r#"{"lmiit":1}"#).code(), "unknown");
    assert_eq!(read(r#"{"limit":-1,"lmiit":1}"#).code(), "limit");
}

#[test]
fn the_host_passes_on_what_it_cannot_use() {
    let host = |options: &mut Options| options.host(&[("x", "a function"), ("signal", "an AbortSignal")]);
    assert_eq!(fault(r#""embed""#, host), "x: must be a function, not a string");
    let json = json("{}");
    let mut options = Options::of(&json);
    host(&mut options);
    options.finish().unwrap();
}

#[test]
fn keys_that_the_caller_chose_are_read_one_by_one() {
    let json = json(r#"{"sizes":{"b":1,"a":"x"},"ids":["a",7]}"#);
    let mut options = Options::of(&json);
    assert_eq!(options.numbers_by_name("sizes"), Some(vec![("b".to_owned(), 1.0)]));
    assert_eq!(options.ids("ids"), Some(vec!["a".to_owned(), "7".to_owned()]));
    options.require("more");
    assert_eq!(
        options.finish().unwrap_err().to_string(),
        "sizes.a: must be a number, not a string; more: is required"
    );
}

#[test]
fn options_that_are_no_object_are_a_fault_of_the_whole() {
    let error = Options::of(&Json::Integer(3)).finish().unwrap_err();
    assert_eq!(error.to_string(), "(root): must be an object, not a number");
    assert_eq!((error.option(), error.code()), (None, "invalid"));
}
