//! After any series of writes, does vector search equal a scan that compares everything?

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::recipe::hybrid::Mode;
use snapseek::schema::VectorModel;
use snapseek::vector::{Encoding, Metric, VectorQuery};
use snapseek::{Builder, Embedded, Engine, Key, Record, Schema, SearchOptions, SearchResponse};

const WIDTH: usize = 40;
const ENCODINGS: [Encoding; 3] = [Encoding::F32, Encoding::I8, Encoding::I1];
const METRICS: [Metric; 3] = [Metric::Cosine, Metric::Dot, Metric::Euclidean];

/// A generator that gives the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn number(&mut self) -> f64 {
        f64::from(u32::try_from(self.next() % 20_001).unwrap()) / 10_000.0 - 1.0
    }

    fn vector(&mut self) -> Vec<f64> {
        (0..WIDTH).map(|_| self.number()).collect()
    }
}

fn schema(encoding: Encoding, metric: Metric) -> Schema {
    let schema = Schema::of_fields([("title", 1.0)]).unwrap();
    let schema = schema.with_attribute("group", snapseek::attributes::AttributeType::Number).unwrap();
    let model =
        VectorModel { encoding, metric, field: Some("embedding".to_owned()), ..VectorModel::default() };
    schema.with_vectors("test", model).unwrap()
}

fn record(id: usize, vector: Option<&[f64]>) -> Record {
    let vector = match vector {
        Some(vector) => format!("{vector:?}"),
        None => "null".to_owned(),
    };
    let text =
        format!(r#"{{"id":{id},"title":"word{} all","group":{},"embedding":{vector}}}"#, id % 7, id % 3);
    Record::from_json(Json::parse(text.as_bytes()).unwrap()).unwrap()
}

/// Builds records. Every sixth lacks a vector, and some vectors occur twice.
fn records(count: usize) -> Vec<Record> {
    let mut random = Random(11);
    let mut last = random.vector();
    let mut record_of = |id: usize| {
        if id % 10 != 3 {
            last = random.vector();
        }
        record(id, (id % 6 != 5).then_some(&last))
    };
    (0..count).map(&mut record_of).collect()
}

fn built(schema: &Schema, records: &[Record]) -> Engine {
    let mut builder = Builder::new(schema).unwrap();
    records.iter().for_each(|record| builder.add(record).unwrap());
    Engine::open(builder.finish().unwrap()).unwrap()
}

#[expect(clippy::cast_possible_truncation, reason = "vectors are f32")]
fn query() -> Vec<f32> {
    Random(5).vector().into_iter().map(|number| number as f32).collect()
}

fn options(json: &str) -> SearchOptions {
    let mut options: SearchOptions = serde_json::from_str(json).unwrap();
    options.snippet.tokens = 0;
    options
}

fn search(engine: &Engine, json: &str) -> SearchResponse {
    let options = SearchOptions { vector: Some(query()), ..options(json) };
    engine.search("", &options).unwrap()
}

fn ids(response: &SearchResponse) -> Vec<String> {
    response.hits.iter().map(|hit| hit.id.clone()).collect()
}

/// Returns all live records that have a vector and pass, nearest first, by the rows of the only segment.
fn naive(engine: &Engine, metric: Metric, passes: impl Fn(usize) -> bool) -> Vec<(String, f64)> {
    let query = VectorQuery::new(&query(), metric, WIDTH).unwrap();
    let segment = engine.segments().next().unwrap();
    let (rows, keys) = (segment.vectors().unwrap()[0], segment.keys().unwrap());
    let mut all = Vec::new();
    for row in 0..rows.len() {
        let id = keys.get(rows.document(row) as usize).unwrap().id.to_owned();
        if passes(id.parse().unwrap()) {
            all.push((id, f64::from(query.similarity(&rows, row))));
        }
    }
    all.sort_by(|a, b| b.1.total_cmp(&a.1));
    all
}

#[test]
fn the_nearest_are_those_of_comparing_everything() {
    for (encoding, metric) in ENCODINGS.into_iter().flat_map(|e| METRICS.map(|m| (e, m))) {
        if (encoding, metric) == (Encoding::I1, Metric::Euclidean) {
            continue;
        }
        let engine = built(&schema(encoding, metric), &records(300));
        let all = naive(&engine, metric, |_| true);
        for limit in [1, 10, 250] {
            let found = search(&engine, &format!(r#"{{"mode":"vector","limit":{limit}}}"#));
            let scored = found.hits.iter().map(|hit| (hit.id.clone(), hit.score)).collect::<Vec<_>>();
            assert_eq!(scored, all[..limit.min(all.len())], "{encoding:?} {metric:?}");
            assert_eq!(found.legs.vector, Some(limit.min(all.len())));
        }
        let filtered = search(&engine, r#"{"mode":"vector","filter":{"group":1},"count":true}"#);
        let expected = naive(&engine, metric, |id| id % 3 == 1);
        assert_eq!(filtered.total, Some(expected.len() as u64));
        let expected = expected.into_iter().map(|(id, _)| id).take(10).collect::<Vec<_>>();
        assert_eq!(ids(&filtered), expected);
    }
}

#[test]
fn written_vectors_behave_like_built_ones() {
    for encoding in ENCODINGS {
        let schema = schema(encoding, Metric::Cosine);
        let all = records(120);
        let mut engine = built(&schema, &all[..50]);
        engine.add(&all[60..]).unwrap();
        engine.add(&all[40..60]).unwrap();
        let gone = ["3", "47", "99"].map(|id| Key { id, kind: "document" });
        engine.remove(gone).unwrap();
        let is_there = |record: &&Record| !["3", "47", "99"].contains(&record.id());
        let order = [&all[..40], &all[60..], &all[40..60]].concat();
        let fresh = built(&schema, &order.iter().filter(is_there).cloned().collect::<Vec<_>>());
        for question in [r#"{"mode":"vector","limit":50}"#, r#"{"mode":"vector","filter":{"group":[0,2]}}"#] {
            assert_eq!(search(&engine, question).hits, search(&fresh, question).hits, "{encoding:?}");
        }
        assert_eq!(engine.snapshot().unwrap(), fresh.snapshot().unwrap(), "{encoding:?}");

        let mut again = built(&schema, &all[..50]);
        again.apply(engine.changes().unwrap()).unwrap();
        let question = r#"{"mode":"vector","limit":50}"#;
        assert_eq!(search(&again, question).hits, search(&engine, question).hits);
        again.verify().unwrap();
    }
}

#[test]
fn an_engine_that_starts_empty_learns_the_width_and_gives_the_bytes_of_a_build() {
    let schema = schema(Encoding::I8, Metric::Cosine);
    let all = records(30);
    let mut engine = Engine::empty(&schema).unwrap();
    assert_eq!(search(&engine, r#"{"mode":"vector"}"#).legs.vector, Some(0));
    all.chunks(7).for_each(|some| {
        engine.add(some).unwrap();
    });
    let mut builder = Builder::new(&schema).unwrap();
    all.iter().for_each(|record| builder.add(record).unwrap());
    assert_eq!(engine.snapshot().unwrap(), builder.finish().unwrap());
    let narrow = record(99, Some(&[1.0, 2.0]));
    assert_eq!(
        engine.add(&[narrow]).unwrap_err().to_string(),
        "record \"99\": its vector for \"test\" cannot be used: it has 2 numbers, the model's vectors have 40"
    );
}

#[test]
fn what_is_no_vector_is_refused_at_build_with_the_record_named() {
    let schema = schema(Encoding::F32, Metric::Cosine);
    let cases = [
        ("[0, 0, 0]", "its vector for \"test\" cannot be used: it has no direction"),
        ("[1e39, 1]", "its vector for \"test\" cannot be used: its number at index 0 is not finite"),
        ("[]", "it has 0 numbers; 1 to 4096 are allowed"),
        ("[1, \"2\"]", "\"embedding\" is an array of other things, but must be a vector"),
        ("\"x\"", "\"embedding\" is a string, but must be a vector: an array of numbers"),
    ];
    for (vector, reason) in cases {
        let mut builder = Builder::new(&schema).unwrap();
        let text = format!(r#"{{"id":"bad","title":"x","embedding":{vector}}}"#);
        let record = Record::from_json(Json::parse(text.as_bytes()).unwrap()).unwrap();
        let error = builder.add(&record).unwrap_err().to_string();
        assert!(error.contains("record \"bad\"") && error.contains(reason), "{error}");
    }
}

#[test]
fn batches_of_different_widths_are_refused_with_the_record_named() {
    let schema = schema(Encoding::I8, Metric::Dot);
    let batch = |id, vector: &[f64]| {
        let mut writer = snapseek::segment::BatchWriter::new(&schema).unwrap();
        writer.add(&record(id, Some(vector))).unwrap();
        writer.finish()
    };
    let mut builder = Builder::new(&schema).unwrap();
    builder.push(batch(1, &[1.0, 2.0, 3.0])).unwrap();
    assert_eq!(
        builder.push(batch(2, &[1.0, 2.0])).unwrap_err().to_string(),
        "record \"2\": its vector for \"test\" cannot be used: it has 2 numbers, the model's vectors have 3"
    );
}

#[test]
fn a_vector_that_cannot_be_compared_is_an_error_and_a_dead_leg_is_never_silent() {
    let engine = built(&schema(Encoding::I8, Metric::Cosine), &records(20));
    let asked = |vector: Option<Vec<f32>>, json: &str| {
        engine.search("word1", &SearchOptions { vector, ..options(json) }).map_err(|error| error.to_string())
    };
    let cases = [
        (
            vec![1.0; 3],
            "vector: it cannot be compared with \"test\": it has 3 numbers, the model's vectors have 40",
        ),
        (
            vec![f32::NAN; WIDTH],
            "vector: it cannot be compared with \"test\": its number at index 0 is not finite",
        ),
        (vec![0.0; WIDTH], "vector: it cannot be compared with \"test\": it has no direction"),
    ];
    for (vector, reason) in cases {
        let error = asked(Some(vector), "{}").unwrap_err();
        assert!(error.starts_with(reason), "{error}");
    }
    let error = asked(None, r#"{"mode":"vector"}"#).unwrap_err();
    assert_eq!(
        error,
        "vector: the query has no vector for \"test\", and the snapshot cannot embed it; pass a vector"
    );
    let error = asked(None, r#"{"model":"other"}"#).unwrap_err();
    assert_eq!(error, "model: there is no model \"other\"; there are test");
    let degraded = asked(None, r#"{"mode":"hybrid"}"#).unwrap();
    assert!(degraded.degraded && degraded.warnings[0].starts_with("the query has no vector for"));
    assert_eq!((degraded.legs.keyword, degraded.legs.vector), (Some(3), None));
}

#[test]
fn vectors_are_not_stored_with_the_record() {
    let engine = built(&schema(Encoding::F32, Metric::Cosine), &records(3));
    let stored = engine.record(Key { id: "1", kind: "document" }).unwrap().unwrap();
    assert_eq!(stored.json().to_text(), r#"{"id":1,"title":"word1 all","group":1}"#);
}

#[test]
fn several_models_stand_side_by_side() {
    let mut schema = Schema::of_fields([("title", 1.0)]).unwrap();
    for (name, encoding) in [("a", Encoding::I1), ("b", Encoding::F32)] {
        let model = VectorModel { encoding, field: Some(name.to_owned()), ..VectorModel::default() };
        schema = schema.with_vectors(name, model).unwrap();
    }
    let texts =
        [r#"{"id":1,"title":"x","a":[1,0],"b":[0,0,1]}"#, r#"{"id":2,"title":"y","a":[0,1],"b":[1,0,0]}"#];
    let records = texts.map(|text| Record::from_json(Json::parse(text.as_bytes()).unwrap()).unwrap());
    let engine = built(&schema, &records);
    let first = |model: &str, vector: &[f32]| {
        let options = options(&format!(r#"{{"mode":"vector","model":"{model}"}}"#));
        let found = engine.search("", &SearchOptions { vector: Some(vector.to_vec()), ..options }).unwrap();
        (found.model.unwrap(), found.hits[0].id.clone())
    };
    assert_eq!(first("a", &[0.1, 0.9]), ("a".to_owned(), "2".to_owned()));
    assert_eq!(first("b", &[0.1, 0.2, 0.9]), ("b".to_owned(), "1".to_owned()));
}

fn hybrid(engine: &Engine, text: &str, json: &str) -> SearchResponse {
    engine.search(text, &SearchOptions { vector: Some(query()), explain: true, ..options(json) }).unwrap()
}

#[test]
fn in_a_hybrid_search_every_hit_is_scored_by_both_legs_and_its_parts_make_its_score() {
    let engine = built(&schema(Encoding::I8, Metric::Cosine), &records(300));
    let alone = search(&engine, r#"{"mode":"vector","limit":300}"#);
    for fusion in ["auto", "rrf", "sum"] {
        let found = hybrid(&engine, "word1 word4", &format!(r#"{{"fusion":"{fusion}","limit":100}}"#));
        assert_eq!(found.hits.len(), 100, "a page is full where there are candidates enough");
        assert_eq!((found.legs.keyword, found.legs.vector), (Some(86), Some(200)));
        for hit in &found.hits {
            let explain = hit.explain.as_ref().unwrap();
            assert_eq!(explain.score.score(), hit.score);
            assert!((0.0..=1.0).contains(&hit.score));
            let id: usize = hit.id.parse().unwrap();
            assert_eq!(explain.keyword.is_some(), [1, 4].contains(&(id % 7)), "record {id}");
            let similarity = alone.hits.iter().find(|other| other.id == hit.id).map(|other| other.score);
            assert_eq!(explain.vector.map(|vector| vector.similarity), similarity, "record {id}");
        }
        assert!(found.hits.windows(2).all(|pair| pair[0].score >= pair[1].score));
    }
}

#[test]
fn a_filter_never_leaks_through_either_leg() {
    let engine = built(&schema(Encoding::I1, Metric::Cosine), &records(300));
    for fusion in ["auto", "rrf", "sum"] {
        let json = format!(r#"{{"fusion":"{fusion}","limit":100,"filter":{{"group":2}},"candidates":7}}"#);
        let found = hybrid(&engine, "word1 all", &json);
        assert!(found.hits.len() >= 7);
        assert!(found.hits.iter().all(|hit| hit.id.parse::<usize>().unwrap() % 3 == 2));
    }
}

#[test]
fn a_query_without_known_words_is_answered_by_vectors_alone_in_their_order() {
    let engine = built(&schema(Encoding::F32, Metric::Cosine), &records(100));
    let nearest = ids(&search(&engine, r#"{"mode":"vector"}"#));
    for fusion in ["auto", "rrf", "sum"] {
        let found = hybrid(&engine, "unheard of", &format!(r#"{{"fusion":"{fusion}","minRelevance":0}}"#));
        assert_eq!((found.legs.keyword, ids(&found)), (Some(0), nearest.clone()), "{fusion}");
    }
}

#[test]
fn a_query_far_from_every_record_finds_nothing_and_says_how_far() {
    let engine = built(&schema(Encoding::F32, Metric::Cosine), &records(300));
    let found = hybrid(&engine, "unheard of", r#"{"count":true}"#);
    assert_eq!((found.hits.len(), found.total), (0, Some(0)));
    assert!(found.relevance.unwrap() < 0.4 && found.legs.vector.unwrap() > 0);
    let all = hybrid(&engine, "unheard of", r#"{"minRelevance":0}"#);
    assert_eq!((all.hits.len(), all.relevance), (10, found.relevance));
    assert_eq!(all.hits[0].score, found.relevance.unwrap(), "the best score is the relevance");
}

#[test]
fn a_hit_found_by_meaning_shows_its_nearest_sentence() {
    let json = r#"{"fields": {"title": {}, "text": {}}, "tokenizer": "unicode61",
        "vectors": {"hash": {"embedder": "hash", "width": 256}}}"#;
    let schema: Schema = serde_json::from_str(json).unwrap();
    let mut builder = Builder::new(&schema).unwrap();
    let text = "Cars need fuel to drive. Sailboats float on the water. Planes fly high in the sky.";
    let record = format!(r#"{{"id": "a", "title": "Vehicles", "text": "{text}"}}"#);
    builder.add(&Record::from_json(Json::parse(record.as_bytes()).unwrap()).unwrap()).unwrap();
    let engine = Engine::open(builder.finish().unwrap()).unwrap();
    let found = engine.search("sailboating", &SearchOptions::default()).unwrap();
    assert_eq!(found.legs.keyword, Some(0), "no word matches");
    assert!(
        found.hits[0].snippet.as_ref().unwrap().starts_with("…Sailboats float"),
        "{:?}",
        found.hits[0].snippet
    );
}

#[test]
fn a_misspelt_query_that_finds_nothing_gets_a_suggestion() {
    let engine = built(&schema(Encoding::F32, Metric::Cosine), &records(300));
    let found = engine
        .search("wordd1", &SearchOptions { mode: Some(Mode::Keyword), ..SearchOptions::default() })
        .unwrap();
    assert_eq!((found.hits.len(), found.suggestions.len()), (0, 1));
    assert!(found.suggestions[0].starts_with("word"), "{:?}", found.suggestions);
    let found = engine
        .search("word1", &SearchOptions { mode: Some(Mode::Keyword), ..SearchOptions::default() })
        .unwrap();
    assert!(!found.hits.is_empty() && found.suggestions.is_empty());
}

#[test]
fn pinned_records_stay_where_nothing_is_found() {
    let engine = built(&schema(Encoding::F32, Metric::Cosine), &records(300));
    let found = hybrid(&engine, "unheard of", r#"{"pinned":["7"]}"#);
    assert_eq!(ids(&found), ["7"]);
}

#[test]
fn trust_moves_the_order_from_words_to_vectors() {
    let engine = built(&schema(Encoding::F32, Metric::Cosine), &records(300));
    let nearest = ids(&search(&engine, r#"{"mode":"vector"}"#));
    let best = |trust: f64| {
        ids(&hybrid(&engine, "word1 word4", &format!(r#"{{"trust":{trust},"minRelevance":0}}"#)))
    };
    assert_eq!(best(4.0)[0], nearest[0]);
    let words = ids(&hybrid(&engine, "word1 word4", r#"{"mode":"keyword"}"#));
    assert_eq!(best(0.0), words);
    let error = Json::parse(br#"{"query":"x","trust":5}"#).unwrap();
    let error = engine.search_json(&error, Embedded::from(Some(query()))).unwrap_err();
    assert!(error.to_string().starts_with("trust: must be 0 to 4"), "{error}");
}

#[test]
fn searching_twice_and_in_another_division_into_segments_gives_identical_responses() {
    let schema = schema(Encoding::I8, Metric::Cosine);
    let all = records(200);
    let whole = built(&schema, &all);
    let mut divided = built(&schema, &all[..90]);
    all[90..].chunks(13).for_each(|some| {
        divided.add(some).unwrap();
    });
    for json in [r#"{"limit":40}"#, r#"{"limit":40,"filter":{"group":[0,1]},"count":true}"#] {
        let found = hybrid(&whole, "word2 word5", json);
        assert_eq!(hybrid(&whole, "word2 word5", json), found);
        assert_eq!(hybrid(&divided, "word2 word5", json), found);
    }
}

#[test]
fn options_that_cannot_be_used_say_why() {
    let engine = built(&schema(Encoding::I8, Metric::Cosine), &records(10));
    let cases = [
        (r#"{"fusion":"best"}"#, "fusion: unknown fusion \"best\"; use one of auto, rrf, sum"),
        (r#"{"alpha":2}"#, "alpha: must be 0 to 1, not 2"),
        (r#"{"candidates":0}"#, "candidates: must be 1 to 10000, not 0"),
        (r#"{"recency":{}}"#, "recency: there is no attribute \"createdAt\"; name one as `field`"),
        (r#"{"recency":{"field":"group"}}"#, "recency: the attribute \"group\" is not of type time"),
    ];
    for (json, message) in cases {
        let json = Json::parse(json.replacen('{', r#"{"query":"x","#, 1).as_bytes()).unwrap();
        let error = engine.search_json(&json, Embedded::from(Some(query()))).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}
