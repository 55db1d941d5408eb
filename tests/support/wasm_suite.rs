//! Do the wasm bindings work in every runtime: the raw calls, their errors, and the same bits as natively?

#[path = "embeddings.rs"]
mod embeddings;
#[path = "recipe_calls.rs"]
mod recipe_calls;

use js_sys::{Array, Error, Float32Array, Float64Array, Function, JSON, JsString, Reflect, Uint8Array};
use serde_json::Value;
use snapseek::json::Json;
use snapseek::vector::kernel;
use snapseek::wasm::{Build, Engine, Failure, Receiver};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_test::wasm_bindgen_test;

const RECORDS: &str = include_str!("../golden/records.jsonl");
const SCHEMA: &str = include_str!("../golden/schema.json");
/// The snapshot that the native build made of them.
const SNAPSHOT: &[u8] = include_bytes!("../golden/v2.snap");
/// The ranks of all cases, bit for bit, as the native build computed them.
const RANKS: &str = include_str!("../golden/ranks.json");
/// The scores of the questions below, bit for bit, as the native build computed them.
const SCORES: &str = include_str!("../golden/vectors.json");
const QUESTIONS: &str = include_str!("../golden/questions.jsonl");

/// The answers of every recipe, as the native build gave them.
const ANSWERS: &str = include_str!("../golden/recipes.jsonl");

const CASES: [(&str, &str); 6] = [
    ("columns", include_str!("../cases/columns.json")),
    ("errors", include_str!("../cases/errors.json")),
    ("operators", include_str!("../cases/operators.json")),
    ("phrases", include_str!("../cases/phrases.json")),
    ("tokenizers", include_str!("../cases/tokenizers.json")),
    ("words", include_str!("../cases/words.json")),
];

fn js(json: &str) -> JsValue {
    JSON::parse(json).unwrap()
}

/// Returns the golden records as JavaScript objects.
fn objects() -> JsValue {
    RECORDS.lines().map(js).collect::<Array>().into()
}

fn build(records: &JsValue, schema: &JsValue) -> Result<Engine, Failure> {
    let mut build = Build::new(schema, &Array::new())?;
    build.add(records)?;
    build.finish()
}

fn golden() -> Engine {
    Engine::open(&Uint8Array::from(SNAPSHOT)).unwrap()
}

fn small() -> Engine {
    let records = r#"[{"id": "a", "text": "quick fox", "n": 1}, {"id": "b", "text": "lazy dog", "n": 2}]"#;
    build(&js(records), &JsValue::UNDEFINED).unwrap()
}

/// Returns the JSON text of options with one more in front, as JavaScript sends them.
fn with(name: &str, value: &str, options: &str) -> String {
    let Json::Object(entries) = Json::parse(options.as_bytes()).unwrap() else { return options.to_owned() };
    let first = (name.to_owned(), Json::String(value.to_owned()));
    Json::Object([vec![first], entries].concat()).to_text()
}

fn matches(engine: &Engine, expression: &str, options: &str) -> Result<Array, Failure> {
    engine.matches(&with("expression", expression, options).into())
}

fn search(engine: &Engine, query: &str, options: &str, vector: Option<Vec<f32>>) -> Result<String, Failure> {
    let vector = vector.map(|numbers| Float32Array::from(&numbers[..]));
    engine.search(&with("query", query, options).into(), vector, None).map(String::from)
}

/// Returns one column of a `match` result.
fn column(columns: &Array, place: u32) -> Vec<Option<String>> {
    Array::from(&columns.get(place)).iter().map(|value| value.as_string()).collect()
}

fn ids(engine: &Engine, expression: &str) -> Vec<String> {
    let columns = matches(engine, expression, "{}").unwrap();
    column(&columns, 1).into_iter().flatten().collect()
}

fn property(value: &JsValue, name: &str) -> JsValue {
    Reflect::get(value, &name.into()).unwrap()
}

/// Returns the code, message and span of an error.
fn parts(failure: Failure) -> (String, String, String) {
    let error = JsValue::from(failure);
    assert!(error.is_instance_of::<Error>());
    let text = |name| property(&error, name).as_string().unwrap();
    let span = JSON::stringify(&property(&error, "span")).ok().and_then(|span| span.as_string());
    (text("code"), text("message"), span.unwrap_or_default())
}

fn code<T>(result: Result<T, Failure>) -> String {
    parts(result.err().expect("a call that fails")).0
}

#[wasm_bindgen_test]
fn lines_and_objects_become_the_bytes_of_the_native_build() {
    for records in [RECORDS.into(), objects()] {
        let engine = build(&records, &js(SCHEMA)).unwrap();
        assert!(engine.snapshot().unwrap().to_vec() == SNAPSHOT);
    }
}

#[wasm_bindgen_test]
fn records_added_one_by_one_become_the_bytes_of_the_native_build() {
    let mut engine = build(&"".into(), &js(SCHEMA)).unwrap();
    for line in RECORDS.lines() {
        engine.add(&line.into()).unwrap();
    }
    assert!(engine.snapshot().unwrap().to_vec() == SNAPSHOT);
}

#[wasm_bindgen_test]
fn batches_become_the_bytes_of_the_native_build() {
    for schema in [js(SCHEMA), JsValue::UNDEFINED] {
        let mut batches = Build::new(&schema, &Array::new()).unwrap();
        for line in RECORDS.lines() {
            batches.add(&line.into()).unwrap();
        }
        let built = batches.finish().unwrap().snapshot().unwrap().to_vec();
        assert!(built == build(&RECORDS.into(), &schema).unwrap().snapshot().unwrap().to_vec());
    }
}

#[wasm_bindgen_test]
fn an_error_in_a_later_batch_counts_from_the_first_record() {
    let message = |batches: [JsValue; 2]| {
        let mut build = Build::new(&JsValue::UNDEFINED, &Array::new()).unwrap();
        build.add(&batches[0]).unwrap();
        parts(build.add(&batches[1]).unwrap_err()).1
    };
    assert!(message([js(r#"[{"id": 1}, {"id": 2}]"#), js("[7]")]).starts_with("records[2]: "));
    assert!(message(["{\"id\": 1}\n\n".into(), "nonsense".into()]).starts_with("line 3: "));
}

#[wasm_bindgen_test]
fn a_snapshot_opens_from_pieces_whatever_length_was_announced() {
    for announced in [0, SNAPSHOT.len(), 2 * SNAPSHOT.len()] {
        let mut receiver = Receiver::new(announced).unwrap();
        for piece in SNAPSHOT.chunks(100) {
            receiver.write(&Uint8Array::from(piece)).unwrap();
        }
        let engine = receiver.finish().unwrap();
        engine.verify(false).unwrap();
        assert_eq!(engine.length(), 11);
    }
    assert_eq!(code(Receiver::new(0).unwrap().finish()), "snapshot/not-a-snapshot");
    assert_eq!(code(Receiver::new(usize::MAX)), "snapshot/too-large");
}

#[wasm_bindgen_test]
fn a_native_snapshot_opens_whole() {
    let engine = golden();
    engine.verify(false).unwrap();
    assert_eq!(engine.length(), 11);
    assert!(js(&String::from(engine.schema())).is_object());
    assert_eq!(ids(&engine, "fox"), ["repeats", "first"]);
    let record = |id: &str, kind: Option<&str>| engine.record(&id.into(), kind.map(JsString::from)).unwrap();
    assert!(String::from(record("7", Some("note")).unwrap()).contains("another kind"));
    assert_eq!(record("nobody", None), None);
}

#[wasm_bindgen_test]
fn every_case_gives_the_rows_of_sqlite_and_the_ranks_of_the_native_build() {
    let ranks = Json::parse(RANKS.as_bytes()).unwrap();
    for (name, text) in CASES {
        let case = Json::parse(text.as_bytes()).unwrap();
        let part = |key| js(&case.get(key).unwrap().to_text());
        let engine = build(&part("records"), &part("schema")).unwrap();
        for (query, ranks) in values(case.get("queries")).iter().zip(values(ranks.get(name))) {
            run(&engine, query, ranks, &format!("{name}: {}", query.to_text()));
        }
    }
}

fn run(engine: &Engine, query: &Json, ranks: &Json, origin: &str) {
    let Json::Object(entries) = query else { panic!("{origin}") };
    let options = entries.iter().filter(|(name, _)| !["match", "rows", "error"].contains(&name.as_str()));
    let options = Json::Object(options.cloned().collect()).to_text();
    let found = matches(engine, query.get("match").and_then(Json::as_str).unwrap(), &options);
    if let Some(message) = query.get("error") {
        assert_eq!(Some(&*parts(found.unwrap_err()).1), message.as_str(), "{origin}");
        return;
    }
    let columns = found.unwrap();
    let rows = values(query.get("rows"));
    for (place, name) in [(1, "id"), (3, "snippet"), (4, "highlight")] {
        if !rows.is_empty() && (name == "id" || query.get(name).is_some()) {
            let text = |row: &Json| row.get(name).and_then(Json::as_str).map(str::to_owned);
            assert_eq!(column(&columns, place), rows.iter().map(text).collect::<Vec<_>>(), "{origin}");
        }
    }
    let bits = |rank: f64| Json::String(format!("{:016x}", rank.to_bits()));
    let found = Float64Array::from(columns.get(0)).to_vec();
    assert_eq!(Json::Array(found.into_iter().map(bits).collect()), *ranks, "{origin}");
}

fn values(array: Option<&Json>) -> &[Json] {
    match array {
        Some(Json::Array(values)) => values,
        _ => panic!("an array is missing"),
    }
}

#[wasm_bindgen_test]
fn kinds_cross_only_where_one_is_not_the_default() {
    let kinds = |expression| matches(&golden(), expression, "{}").unwrap().get(2);
    assert!(kinds("fox").is_undefined());
    assert_eq!(JSON::stringify(&kinds("id OR fox")).unwrap(), r#"["document","note","document","document"]"#);
}

#[wasm_bindgen_test]
fn a_search_answers_with_hits_counts_and_escaped_snippets() {
    let options =
        r#"{"limit": 1, "count": true, "facets": ["tags"], "records": true, "filter": {"done": true}}"#;
    let response = search(&golden(), "onerror", options, None).unwrap();
    let response: Value = serde_json::from_str(&response).unwrap();
    assert_eq!(response["total"], 1);
    assert_eq!(response["hits"][0]["id"], "markup");
    assert_eq!(response["hits"][0]["record"]["tags"][0], "html");
    assert_eq!(response["facets"][0]["attribute"], "tags");
    let snippet = response["hits"][0]["snippet"].as_str().unwrap();
    assert_eq!(snippet, "&lt;img src=x <mark>onerror</mark>=alert(1)&gt; is text like any other");
}

#[wasm_bindgen_test]
fn words_are_completed_corrected_and_suggested_from_their_written_forms() {
    let engine = golden();
    let first = |query, options| {
        let response: Value = serde_json::from_str(&search(&engine, query, options, None).unwrap()).unwrap();
        response["hits"][0]["id"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(first("connectio", r#"{"asYouType": true}"#), "repeats");
    assert_eq!(first("connectoins", r#"{"typos": 2}"#), "repeats");
    assert_eq!(first("東京", "{}"), "東京");
    let suggested = JSON::stringify(&engine.suggest(&"the conn".into(), 2).unwrap()).unwrap();
    assert_eq!(suggested, r#"[["connect",1],["connected",1]]"#);
}

#[wasm_bindgen_test]
fn what_is_added_is_found_and_what_is_removed_is_not() {
    let mut engine = small();
    let written =
        engine.add(&js(r#"[{"id": "c", "text": "red fox"}, {"id": "b", "text": "busy dog"}]"#)).unwrap();
    assert_eq!(JSON::stringify(&written).unwrap(), r#"{"added":2,"replaced":1,"warnings":[]}"#);
    assert_eq!(ids(&engine, "fox OR lazy OR busy"), ["b", "a", "c"]);
    let keys = r#"["a", {"id": "c"}, {"id": "c", "kind": "note"}, "nobody"]"#;
    let removed = engine.remove(&Array::from(&js(keys))).unwrap();
    assert_eq!(property(&removed, "removed"), 2);
    assert_eq!(Array::from(&property(&removed, "warnings")).length(), 2);
    assert_eq!((engine.length(), ids(&engine, "fox").len()), (1, 0));
}

#[wasm_bindgen_test]
fn changes_bring_another_engine_to_the_same_state() {
    let mut engine = golden();
    engine.add(&js(r#"[{"id": "new", "title": "A new fox"}]"#)).unwrap();
    engine.remove(&Array::of1(&"first".into())).unwrap();
    let mut other = golden();
    other.apply(&engine.changes().unwrap()).unwrap();
    assert_eq!(ids(&other, "fox"), ids(&engine, "fox"));
    assert!(other.snapshot().unwrap().to_vec() == engine.snapshot().unwrap().to_vec());
}

#[wasm_bindgen_test]
fn a_failed_write_leaves_everything_as_it_was() {
    let mut engine = golden();
    assert_eq!(
        code(engine.add(&js(r#"[{"id": "x", "title": "x"}, {"id": "y", "size": "big"}]"#))),
        "record/wrong-type"
    );
    let other = small().changes().unwrap();
    assert_eq!(code(engine.apply(&other)), "changes/other-schema");
    assert_eq!(code(engine.apply(&Uint8Array::from(&b"no changes"[..]))), "snapshot/not-a-snapshot");
    assert!(engine.snapshot().unwrap().to_vec() == SNAPSHOT);
}

#[wasm_bindgen_test]
fn an_undefined_value_is_dropped_and_a_date_is_its_iso_string() {
    let record = js(r#"{"id": "a", "text": "now"}"#);
    Reflect::set(&record, &"gone".into(), &JsValue::UNDEFINED).unwrap();
    Reflect::set(&record, &"at".into(), &js_sys::Date::new(&0.into())).unwrap();
    let engine = build(&Array::of1(&record), &JsValue::UNDEFINED).unwrap();
    let stored = r#"{"id":"a","text":"now","at":"1970-01-01T00:00:00.000Z"}"#;
    assert_eq!(engine.record(&"a".into(), None).unwrap(), Some(stored.into()));
}

#[wasm_bindgen_test]
fn an_error_in_an_expression_has_a_code_and_a_span_in_utf16() {
    let error = |expression| parts(matches(&golden(), expression, "{}").unwrap_err());
    let expected =
        |code: &str, message: &str, span: &str| (code.to_owned(), message.to_owned(), span.to_owned());
    assert_eq!(error("fox AND"), expected("query/syntax", "fts5: syntax error near \"\"", "[7,7]"));
    // This is one character, four bytes and two UTF-16 code units.
    assert_eq!(error("😀 nix:a"), expected("query/no-such-column", "no such column: nix", "[3,6]"));
    assert_eq!(error("é \"open"), expected("query/unterminated-string", "unterminated string", "[2,7]"));
    assert_eq!(
        error("NEAR(a b, x)"),
        expected("query/expected-integer", "expected integer, got \"x\"", "[10,11]")
    );
}

#[wasm_bindgen_test]
fn a_wrong_option_is_named() {
    let engine = golden();
    let search = |options: &str| parts(search(&engine, "fox", options, None).unwrap_err());
    assert_eq!(search(r#"{"limit": 0}"#).0, "option/limit");
    assert_eq!(search(r#"{"count": true, "limit": -1}"#).0, "option/limit");
    assert_eq!(search(r#"{"snippet": {"tokens": "many"}}"#).0, "option/snippet");
    assert_eq!(search(r#"{"limt": 1}"#).0, "option/unknown");
    assert_eq!(search("[]").0, "option/invalid");
    assert_eq!(search(r#"{"filter": {"colour": "red"}}"#).0, "filter/unknown-attribute");
    assert_eq!(search(r#"{"filter": {"size": {"like": 1}}}"#).0, "filter/unknown-operator");
    assert_eq!(search(r#"{"filter": {"size": "red"}}"#).0, "filter/wrong-type");
    let nested = format!("{}{{}}{}", r#"{"not":"#.repeat(40), "}".repeat(40));
    assert_eq!(search(&format!(r#"{{"filter": {nested}}}"#)).0, "filter/too-deep");
    let highlight = r#"{"highlight": {"column": "nix", "open": "", "close": ""}}"#;
    assert_eq!(code(matches(&engine, "fox", highlight)), "option/highlight");
}

#[wasm_bindgen_test]
fn a_wrong_record_is_named_by_its_place() {
    let wrong = |records: JsValue| parts(golden().add(&records).unwrap_err());
    let (code, message, _) = wrong(js(r#"[{"id": "a"}, {"title": "b"}]"#));
    assert_eq!((&*code, &message[..11]), ("record/missing-id", "records[1]:"));
    let (code, message, _) = wrong("{\"id\": \"a\"}\n\n{\"id\": ".into());
    assert_eq!((&*code, &message[..7]), ("record/not-json", "line 3:"));
    assert_eq!(wrong(js("[7]")).0, "record/not-an-object");
    assert_eq!(wrong(js(r#"[{"id": 1.5}]"#)).0, "record/wrong-type");
    assert_eq!(wrong(js(r#"[{"id": ""}]"#)).0, "record/bad-length");
    assert_eq!(wrong(js(r#"[{"id": "a", "title": {}}]"#)).0, "record/not-text");
    assert_eq!(wrong(js(r#"[{"$": "delete", "id": "first"}]"#)).0, "record/unknown-line");
    assert_eq!(wrong(7.into()).0, "record/not-an-array");
    assert_eq!(wrong(Array::of1(&JsValue::UNDEFINED).into()).0, "record/not-json");
}

#[wasm_bindgen_test]
fn what_json_cannot_say_is_an_error_and_never_a_trap() {
    let circle = js(r#"{"id": "a"}"#);
    Reflect::set(&circle, &"self".into(), &circle).unwrap();
    assert_eq!(code(golden().add(&Array::of1(&circle))), "record/not-json");
    let deep = Array::new();
    (0..20_000).fold(deep.clone(), |outer, _| {
        let inner = Array::new();
        outer.push(&inner);
        inner
    });
    assert_eq!(code(golden().add(&Array::of1(&deep))), "record/not-json");
    let nested = format!("{}{}", "[".repeat(20_000), "]".repeat(20_000));
    let options = format!(r#"{{"query": "fox", "filter": {nested}}}"#);
    assert_eq!(code(golden().search(&options.into(), None, None)), "option/invalid");
}

#[wasm_bindgen_test]
fn a_wrong_schema_says_what_is_wrong() {
    let wrong = |schema| code(build(&Array::new(), &js(schema)));
    assert_eq!(wrong("{}"), "schema/no-fields");
    assert_eq!(wrong(r#"{"feilds": {}}"#), "schema/invalid");
    assert_eq!(wrong(r#"{"fields": {"a": {}, "A": {}}}"#), "schema/bad-name");
    assert_eq!(wrong(r#"{"fields": {"a": {}}, "tokenizer": "ascii"}"#), "schema/unknown-tokenizer");
    assert_eq!(code(build(&js(r#"[{"id": "a", "n": 1}]"#), &JsValue::UNDEFINED)), "schema/no-fields");
}

#[wasm_bindgen_test]
fn bytes_that_are_no_snapshot_or_a_later_or_damaged_one_are_refused() {
    let open = |bytes: &[u8]| code(Engine::open(&Uint8Array::from(bytes)));
    assert_eq!(open(b""), "snapshot/not-a-snapshot");
    assert_eq!(
        open(b"<!doctype html><title>Not found</title> and so on and on and on"),
        "snapshot/not-a-snapshot"
    );
    assert_eq!(open(&SNAPSHOT[..SNAPSHOT.len() - 1]), "snapshot/wrong-length");
    let mut later = SNAPSHOT.to_vec();
    later[8] = 3;
    assert_eq!(open(&later), "snapshot/unsupported-version");
    let mut damaged = SNAPSHOT.to_vec();
    *damaged.last_mut().unwrap() ^= 1;
    let opened = Engine::open(&Uint8Array::from(&damaged[..]));
    assert_eq!(code(opened.and_then(|engine| engine.verify(false))), "snapshot/checksum");
}

#[wasm_bindgen_test]
fn a_deletion_among_the_lines_removes_what_came_before() {
    let lines = "{\"id\": \"a\", \"text\": \"x\"}\n{\"$\": \"delete\", \"id\": \"a\"}\n{\"id\": \"b\", \"text\": \"x\"}\n";
    let engine = build(&lines.into(), &JsValue::UNDEFINED).unwrap();
    assert_eq!(ids(&engine, "x"), ["b"]);
    assert_eq!(code(build(&"{\"$\": \"other\"}".into(), &JsValue::UNDEFINED)), "record/unknown-line");
}

#[wasm_bindgen_test]
fn a_call_after_free_throws_and_other_engines_go_on() {
    let freed = JsValue::from(golden());
    let call = |name| property(&freed, name).dyn_into::<Function>().unwrap().call0(&freed);
    call("free").unwrap();
    assert!(call("verify").is_err());
    assert_eq!(ids(&golden(), "lazy"), ["first"]);
}

#[wasm_bindgen_test]
fn vector_and_hybrid_scores_have_the_bits_of_the_native_build() {
    let engine = golden();
    let scores: Vec<Vec<String>> = serde_json::from_str(SCORES).unwrap();
    assert_eq!(QUESTIONS.lines().count(), scores.len());
    for (question, expected) in QUESTIONS.lines().zip(scores) {
        let json = Json::parse(question.as_bytes()).unwrap();
        let options = json.get("options").unwrap().to_text();
        let query = json.get("query").unwrap().as_str().unwrap();
        let found = search(&engine, query, &options, None).unwrap();
        let found: Value = serde_json::from_str(&found).unwrap();
        let hits = found["hits"].as_array().unwrap().iter();
        let hit = |hit: &Value| {
            format!("{} {:016x}", hit["id"].as_str().unwrap(), hit["score"].as_f64().unwrap().to_bits())
        };
        assert_eq!(hits.map(hit).collect::<Vec<_>>(), expected, "{question}");
    }
}

#[wasm_bindgen_test]
fn kernels_give_the_bits_of_their_portable_twins() {
    let mut state = 9u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        state >> 8
    };
    for len in [16, 48, 384, 4096] {
        let query = (0..len).map(|_| next() as f32 / 8_388_608.0 - 1.0).collect::<Vec<f32>>();
        let wide =
            (0..len).flat_map(|_| (next() as f32 / 4_194_304.0 - 2.0).to_le_bytes()).collect::<Vec<u8>>();
        let small = (0..len).map(|_| next().to_le_bytes()[1]).collect::<Vec<u8>>();
        let bytes = (0..len).map(|_| next().to_le_bytes()[1].cast_signed()).collect::<Vec<i8>>();
        let bits = |ours: f32, twin: f32| assert_eq!(ours.to_bits(), twin.to_bits(), "{ours} {twin}");
        bits(kernel::dot_f32(&query, &wide), kernel::scalar::dot_f32(&query, &wide));
        bits(
            kernel::squared_distance_f32(&query, &wide),
            kernel::scalar::squared_distance_f32(&query, &wide),
        );
        bits(kernel::dot_f32_i8(&query, &small), kernel::scalar::dot_f32_i8(&query, &small));
        let expected = kernel::scalar::ScalarBytes::new(&bytes).dot(&small);
        assert_eq!(kernel::QueryBytes::new(&bytes).dot(&small), expected);
        assert_eq!(kernel::words::WordBytes::new(&bytes).dot(&small), expected);
    }
}

#[wasm_bindgen_test]
fn a_vector_that_cannot_be_compared_is_named() {
    let with_vector =
        |vector: &[f32]| code(search(&golden(), "fox", r#"{"model": "wide"}"#, Some(vector.to_vec())));
    assert_eq!(with_vector(&[1.0, 2.0]), "option/vector");
    assert_eq!(with_vector(&[f32::NAN; 20]), "option/vector");
    assert_eq!(code(search(&golden(), "fox", r#"{"model": "other"}"#, None)), "option/model");
    let records = r#"[{"id": "a", "text": "x", "v": [0, 0]}]"#;
    let schema = r#"{"fields": {"text": {}}, "vectors": {"m": {"field": "v"}}}"#;
    assert_eq!(code(build(&js(records), &js(schema))), "record/bad-vector");
    let schema = r#"{"fields": {"text": {}}, "vectors": {"m": {"width": 5000}}}"#;
    assert_eq!(code(build(&js(records), &js(schema))), "schema/bad-model");
}

#[wasm_bindgen_test]
fn the_snapshots_own_embedder_embeds_texts() {
    let engine = golden();
    let embed = |model: Option<&str>| engine.embed(&"quick fox".into(), model.map(JsString::from)).unwrap();
    assert_eq!(embed(Some("hash")).unwrap().length(), 24);
    assert!(embed(None).is_none());
}

#[wasm_bindgen_test]
fn the_embedders_give_the_bits_that_they_give_natively() {
    assert_eq!(embeddings::found(), embeddings::GOLDEN);
}

#[wasm_bindgen_test]
fn every_code_point_has_the_forms_that_it_has_natively() {
    assert_eq!(embeddings::found_forms(), embeddings::GOLDEN_FORMS);
}

#[wasm_bindgen_test]
fn every_recipe_gives_the_text_that_it_gives_natively() {
    let mut golden = ANSWERS.lines();
    for (preset, sample, calls) in recipe_calls::CALLS {
        let schema = js(&serde_json::to_string(&recipe_calls::schema(preset)).unwrap());
        // The writer id differs from the native one; answers do not depend on it.
        let mut engine = build(&JsValue::from(sample), &schema).unwrap();
        for (name, options) in calls {
            let answer = String::from(engine.call(&(*name).into(), &(*options).into(), None, None).unwrap());
            assert_eq!(Some(answer.as_str()), golden.next(), "{name} {options}");
        }
    }
    assert_eq!(golden.next(), None);
}
