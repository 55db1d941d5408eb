//! How do sources become chunks? `rag.index`, `rag.remove`, and the promises of the hash embedding.

use super::*;
use snapseek::Key;
use snapseek::chunking::{ChunkError, chunk_text};
use snapseek::embed::{Embedder, HashEmbedder};
use snapseek::recipe::rag::{QualityTier, RagIndexOptions, RagQuery, RagSource, SkipReason};

const OWN: &str = r#"{"own":{"embedder":"hash","id":"hashed"}}"#;

fn index_with(engine: &mut Engine, options: &str, embedded: impl Into<Embedded>) -> Json {
    json(&engine.call("rag.index", &json(options), embedded).unwrap())
}

fn index(engine: &mut Engine, options: &str) -> Json {
    index_with(engine, options, None)
}

fn empty(vectors: &str) -> Engine {
    Engine::empty(&schema(vectors)).unwrap()
}

fn record(engine: &Engine, id: &str) -> Option<Json> {
    Some(engine.record(Key { id, kind: "chunk" }).unwrap()?.json().clone())
}

#[test]
fn r_chunks_have_their_text_index_tokens_and_exact_offset() {
    let body = "Première phrase, très courte. Une autre phrase, plus longue. ".repeat(40);
    let chunks = chunk_text(&body, 1200, 200).unwrap();
    assert!(chunks.len() > 1);
    for (place, chunk) in chunks.iter().enumerate() {
        assert_eq!(chunk.index, place);
        let rest = body.chars().skip(chunk.char_offset).collect::<String>();
        assert!(rest.starts_with(chunk.text), "body[offset..] starts with the chunk");
        assert!(chunk.text.chars().count() <= 1200);
        assert_eq!(chunk.token_count, chunk.text.encode_utf16().count().div_ceil(4));
    }
}

#[test]
fn r_chunks_are_cut_by_default_at_1200_with_200_shared() {
    let body = "word ".repeat(1000);
    let escaped = Json::String(body.clone()).to_text();
    let mut engine = empty(OWN);
    let source = format!(r#"{{"sources":[{{"sourceType":"context","sourceId":"x","body":{escaped}}}]}}"#);
    let response = index(&mut engine, &source);
    assert_eq!((number(&response, "chunkSize"), number(&response, "chunkOverlap")), (1200.0, 200.0));
    let expected = chunk_text(&body, 1200, 200).unwrap();
    assert_eq!(number(&response, "indexedChunks"), expected.len() as f64);
    for chunk in expected {
        let record = record(&engine, &format!("context:x#{}", chunk.index)).unwrap();
        assert_eq!(at(&record, "text").as_str(), Some(chunk.text));
        assert_eq!(number(&record, "charOffset"), chunk.char_offset as f64);
        assert_eq!(number(&record, "tokenCount"), chunk.token_count as f64);
        assert_eq!(number(&record, "chunkIndex"), chunk.index as f64);
    }
}

#[test]
fn r_chunks_have_sizes_within_their_ranges_and_no_white_space_alone() {
    assert!(matches!(chunk_text("x", 0, 0), Err(ChunkError::BadSize { .. })));
    assert!(matches!(chunk_text("x", 6001, 0), Err(ChunkError::BadSize { .. })));
    assert!(matches!(chunk_text("x", 6000, 1001), Err(ChunkError::BadOverlap { .. })));
    assert!(matches!(chunk_text("x", 10, 10), Err(ChunkError::OverlapNotLess { .. })));
    let body = format!("start{}end", " ".repeat(100));
    assert!(chunk_text(&body, 10, 0).unwrap().iter().all(|chunk| !chunk.text.trim().is_empty()));
}

#[test]
fn r_chunks_end_at_the_best_break_of_their_last_quarter() {
    let cases = [
        ("one two three. four\n\nfive\nsix seven eight", 24, "one two three. four\n\n"),
        ("one two three four five. six seven", 28, "one two three four five. "),
        ("one two three four five six", 22, "one two three four "),
    ];
    for (body, size, first) in cases {
        assert_eq!(chunk_text(body, size, 0).unwrap()[0].text, first);
    }
}

#[test]
fn r11_r_chunks_sizes_out_of_range_are_clamped_and_reported_by_the_index() {
    let options = r#"{"sources":[],"chunkSize":9000,"chunkOverlap":5000}"#;
    let response = index(&mut empty(OWN), options);
    assert_eq!(
        at(&response, "clamped").to_text(),
        r#"{"chunkOverlap":{"given":5000,"used":1000},"chunkSize":{"given":9000,"used":6000}}"#
    );
    let small = index(&mut empty(OWN), r#"{"sources":[],"chunkSize":50}"#);
    assert_eq!(number(&small, "chunkOverlap"), 49.0, "less than the size");
}

const ONE: &str = r#"{"sourceType":"action","sourceId":7,"title":"Fog","body":"abc",
    "sessionId":"s","contextId":"c","actionId":"a","parentId":"p"}"#;

#[test]
fn r_sources_become_chunks_with_all_that_was_said_of_them() {
    let mut engine = empty(OWN);
    let response = index(&mut engine, &format!(r#"{{"sources":[{ONE}],"now":5000}}"#));
    assert_eq!((number(&response, "indexed"), number(&response, "indexedChunks")), (1.0, 1.0));
    assert_eq!(
        record(&engine, "action:7#0").unwrap().to_text(),
        concat!(
            r#"{"id":"action:7#0","kind":"chunk","sourceType":"action","sourceId":"7","title":"Fog","text":"abc","#,
            r#""sessionId":"s","contextId":"c","actionId":"a","parentId":"p","chunkIndex":0,"charOffset":0,"#,
            r#""tokenCount":1,"#,
            r#""contentHash":"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad","createdAt":5000}"#
        ),
        "the hash is SHA-256 of the body: FIPS 180 has this one for abc"
    );
    let found =
        search(&mut engine, r#"{"query":"abc","sourceType":"action","sessionId":"s","contextId":"c"}"#);
    assert_eq!(ids(&found), ["action:7#0"]);
}

#[test]
fn r_sources_that_did_not_change_are_skipped_unless_forced() {
    let mut engine = empty(OWN);
    let once = format!(r#"{{"sources":[{ONE}]}}"#);
    index(&mut engine, &once);
    let again = index(&mut engine, &once);
    assert_eq!((number(&again, "indexed"), number(&again, "skipped")), (0.0, 1.0));
    let source = &list(at(&again, "sources"))[0];
    assert_eq!(at(source, "reason").as_str(), Some("content_unchanged"));
    assert_eq!(at(source, "skipped"), &Json::Bool(true));
    let forced = index(&mut engine, &format!(r#"{{"sources":[{ONE}],"force":true}}"#));
    assert_eq!((number(&forced, "indexed"), number(&forced, "skipped")), (1.0, 0.0));
    assert_eq!(engine.len(), 1);
}

#[test]
fn r_sources_that_are_replaced_lose_their_stale_chunks() {
    let mut engine = empty(OWN);
    let source = |body: &str| {
        format!(
            r#"{{"sources":[{{"sourceType":"context","sourceId":"x","body":"{body}"}}],"chunkSize":20,"chunkOverlap":0}}"#
        )
    };
    index(&mut engine, &source("alpha alpha alpha alpha beta beta beta beta gamma gamma gamma"));
    let before = engine.len();
    assert!(before > 2);
    let response = index(&mut engine, &source("delta"));
    assert_eq!(engine.len(), 1);
    assert_eq!(number(&response, "removedChunks"), (before - 1) as f64);
    assert_eq!(results(&search(&mut engine, r#"{"query":"gamma","mode":"fts"}"#)).len(), 0);
    let emptied = index(&mut engine, &source("   "));
    assert_eq!(at(&list(at(&emptied, "sources"))[0], "reason").as_str(), Some("empty_body"));
    assert_eq!(engine.len(), 0, "what a source no longer says is not found");
}

#[test]
fn r_sources_indexed_elsewhere_are_known_by_their_type_and_id() {
    let other = Record::from_json(json(
        r#"{"id":"x-1","kind":"chunk","sourceType":"context","sourceId":"x","text":"old","chunkIndex":0}"#,
    ))
    .unwrap();
    let mut engine = engine_of(OWN, &[other]);
    index(&mut engine, r#"{"sources":[{"sourceType":"context","sourceId":"x","body":"new"}]}"#);
    assert_eq!(engine.len(), 1);
    assert!(record(&engine, "context:x#0").is_some());
}

#[test]
fn r_sources_can_be_dropped_whole_and_of_their_type_alone() {
    let mut engine = empty(OWN);
    let source =
        |kind: &str| format!(r#"{{"sourceType":"{kind}","sourceId":"x","body":"{}"}}"#, "word ".repeat(30));
    let options = format!(
        r#"{{"sources":[{},{}],"chunkSize":50,"chunkOverlap":0}}"#,
        source("context"),
        source("note")
    );
    index(&mut engine, &options);
    let each = engine.len() / 2;
    let remove = json(r#"{"sourceType":"note","sourceId":"x"}"#);
    let removed = |engine: &mut Engine| engine.call("rag.remove", &remove, None).unwrap();
    let rest = r#""degraded":false,"warnings":[]}"#;
    assert_eq!(removed(&mut engine), format!(r#"{{"success":true,"removed":{each},{rest}"#));
    assert_eq!(engine.len(), each);
    assert_eq!(removed(&mut engine), format!(r#"{{"success":true,"removed":0,{rest}"#));
    let error = engine.call("rag.remove", &json(r#"{"sourceType":"","body":"x"}"#), None).unwrap_err();
    assert_eq!(
        error.to_string(),
        "sourceId: is required; sourceType: must not be empty; body: unknown option; the options are sourceId, sourceType"
    );
}

#[test]
fn r_sources_with_the_snapshots_embedder_are_of_the_local_tier() {
    let response = index(&mut empty(OWN), &format!(r#"{{"sources":[{ONE}],"strict":true}}"#));
    assert_eq!(at(&response, "qualityTier").as_str(), Some("local"));
    assert_eq!(
        at(&response, "embedding").to_text(),
        r#"{"providers":["hash"],"models":["hashed"],"fallbackCount":0}"#
    );
}

/// Vectors of the texts of a plan, and a failure for each text without one.
fn made(vectors: Option<Vec<f32>>, failures: &[Option<&str>]) -> Embedded {
    let mut embedded = Embedded::from(vectors);
    embedded.is_by_embed = true;
    embedded.failures = failures.iter().map(|failure| failure.map(str::to_owned)).collect();
    embedded
}

#[test]
fn r_sources_take_vectors_that_are_given_in_the_order_of_the_plan() {
    let mut engine = empty(r#"{"m":{"encoding":"f32"}}"#);
    let sources = r#""sources":[{"sourceType":"a","sourceId":"1","title":"T","body":"one two three four"},
        {"sourceType":"a","sourceId":"2","body":"five"}],"chunkSize":10,"chunkOverlap":0"#;
    let plan = json(&engine.call("rag.plan", &json(&format!("{{{sources}}}")), made(None, &[])).unwrap());
    assert_eq!(engine.len(), 0);
    let texts = list(at(&plan, "sources")).iter().map(|source| at(source, "texts").to_text());
    assert_eq!(texts.collect::<Vec<_>>(), [r#"["T\none two ","T\nthree four"]"#, r#"["five"]"#]);
    let vectors = vec![1.0, 0.0, 0.0, 1.0, -1.0, 0.0];
    let response = index_with(&mut engine, &format!("{{{sources},\"strict\":true}}"), Some(vectors));
    assert_eq!(at(&response, "qualityTier").as_str(), Some("high"));
    assert_eq!(at(&response, "warnings").to_text(), "[]");
    assert_eq!(
        at(&response, "embedding").to_text(),
        r#"{"providers":["embed"],"models":["m"],"fallbackCount":0}"#
    );
    let found = search_with(&mut engine, r#"{"query":"zeppelin","mode":"semantic"}"#, Some(vec![0.0, 1.0]));
    assert_eq!(ids(&found), ["a:1#1"]);
    let error = engine.call("rag.index", &json(&format!("{{{sources},\"force\":true}}")), Some(vec![1.0; 4]));
    assert_eq!(
        error.unwrap_err().to_string(),
        "vector: 4 numbers and 0 failures do not give each of 3 chunks a vector"
    );
}

const TWO_MODELS: &str = r#"{"m":{"encoding":"f32"},"own":{"embedder":"hash"}}"#;

#[test]
fn r_sources_whose_embedding_failed_are_counted_and_degrade_the_tier() {
    let mut engine = empty(TWO_MODELS);
    let sources = r#""sources":[{"sourceType":"a","sourceId":"1","body":"one"},
        {"sourceType":"a","sourceId":"2","body":"two"}]"#;
    let one_failed = || made(Some(vec![1.0]), &[None, Some("embed: no net")]);
    let strict = engine.call("rag.index", &json(&format!("{{{sources},\"strict\":true}}")), one_failed());
    assert_eq!(strict.unwrap_err().to_string(), "embed: no net");
    assert_eq!(engine.len(), 0, "strict writes nothing");
    let response = index_with(&mut engine, &format!("{{{sources}}}"), one_failed());
    assert_eq!(at(&response, "qualityTier").as_str(), Some("degraded"));
    assert_eq!(at(&response, "degraded"), &Json::Bool(true));
    assert_eq!(
        at(&response, "warnings").to_text(),
        r#"["embed: no net; chunks were written without this vector"]"#
    );
    assert_eq!(
        at(&response, "embedding").to_text(),
        r#"{"providers":["embed","hash"],"models":["m","own"],"fallbackCount":1,"fallbackReasons":["embed: no net"]}"#
    );
    assert_eq!(engine.len(), 2);
}

#[test]
fn r_sources_without_their_vectors_are_not_unchanged_once_the_embedder_is_back() {
    let mut engine = empty(TWO_MODELS);
    let sources = format!(r#"{{"sources":[{ONE}]}}"#);
    let index = |engine: &mut Engine, embedded| {
        let response = index_with(engine, &sources, embedded);
        (number(&response, "indexed"), number(&response, "embedding.fallbackCount"))
    };
    assert_eq!(index(&mut engine, made(None, &[Some("embed: no net")])), (1.0, 1.0));
    assert_eq!(index(&mut engine, Embedded::default()), (0.0, 0.0), "nobody could embed it");
    assert_eq!(index(&mut engine, made(Some(vec![1.0, 0.0]), &[])), (1.0, 0.0));
    let found = search_with(&mut engine, r#"{"query":"zeppelin","mode":"semantic"}"#, Some(vec![1.0, 0.0]));
    assert_eq!(ids(&found), ["action:7#0"]);
    assert_eq!(index(&mut engine, made(None, &[])), (0.0, 0.0), "now it has its vector");
}

#[test]
fn r_sources_of_other_types_are_skipped() {
    let mut engine = empty(OWN);
    let sources = r#""sources":[{"sourceType":"a","sourceId":1,"body":"one"},{"sourceType":"b","sourceId":1,"body":"two"}]"#;
    let response = index(&mut engine, &format!(r#"{{{sources},"sourceTypes":["b","c"]}}"#));
    assert_eq!((number(&response, "indexed"), number(&response, "skipped")), (1.0, 1.0));
    let reasons = list(at(&response, "sources")).iter().map(|source| at(source, "reason").as_str());
    assert_eq!(reasons.collect::<Vec<_>>(), [Some("other_type"), None]);
    assert!(record(&engine, "b:1#0").is_some() && record(&engine, "a:1#0").is_none());
}

#[test]
fn r_sources_may_be_a_single_object_and_nothing_else() {
    let mut engine = empty(OWN);
    assert_eq!(number(&index(&mut engine, &format!(r#"{{"sources":{ONE}}}"#)), "indexed"), 1.0);
    for (sources, message) in [
        ("", "sources: is required"),
        (r#""sources":7"#, "sources: must be an array of objects, not a number"),
        (r#""sources":"body""#, "sources: must be an array of objects, not a string"),
        (r#""sources":null"#, "sources: must not be null"),
    ] {
        let error = engine.call("rag.index", &json(&format!("{{{sources}}}")), None).unwrap_err();
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn r11_the_numbers_of_a_host_are_clamped_too() {
    let options =
        json(r#"{"sources":[],"batchSize":0,"parallelBatches":99,"checkpointEvery":100000,"chunkSize":1e9}"#);
    let plan = json(&empty(OWN).call("rag.plan", &options, None).unwrap());
    let used = ["batchSize", "parallelBatches", "checkpointEvery"].map(|name| number(&plan, name));
    assert_eq!(used, [1.0, 32.0, 10_000.0]);
    let response = json(&empty(OWN).call("rag.index", &options, None).unwrap());
    assert_eq!(
        at(&response, "clamped").to_text(),
        concat!(
            r#"{"batchSize":{"given":0,"used":1},"checkpointEvery":{"given":100000,"used":10000},"#,
            r#""chunkSize":{"given":1000000000,"used":6000},"parallelBatches":{"given":99,"used":32}}"#
        )
    );
    let usual = json(&empty(OWN).call("rag.plan", &json(r#"{"sources":[]}"#), None).unwrap());
    let used = ["batchSize", "parallelBatches", "checkpointEvery"].map(|name| number(&usual, name));
    assert_eq!(used, [64.0, 1.0, 32.0]);
}

#[test]
fn the_typed_calls_index_search_and_remove() {
    let mut engine = empty(OWN);
    let source =
        RagSource { title: Some("Fog".into()), ..RagSource::of("note", "1", "Ferries wait in fog.") };
    let options = RagIndexOptions::of(vec![source.clone()]);
    let written = engine.rag().index(&options, &Embedded::default()).unwrap();
    assert_eq!((written.indexed, written.quality_tier), (1, QualityTier::Local));
    let again = engine.rag().index(&options, &Embedded::default()).unwrap();
    assert_eq!(again.sources[0].reason, Some(SkipReason::ContentUnchanged));
    let query = RagQuery { explain: true, ..RagQuery::of("fog") };
    let found = engine.rag().search(&query, &Embedded::default()).unwrap();
    assert_eq!((found.results[0].id(), found.graph.unwrap().nodes[0].id.as_str()), ("note:1#0", "note:1"));
    let explain = found.results[0].explain.as_ref().unwrap();
    assert!(explain.keyword.is_some() && explain.vector.is_some());
    assert_eq!(explain.score.score(), found.results[0].score);
    assert_eq!(engine.rag().remove(&source.key).unwrap().removed, 1);
    assert_eq!(engine.len(), 0);
}

#[test]
fn r_sources_without_any_vectors_are_degraded_and_strict_refuses_them() {
    let options = format!(r#"{{"sources":[{ONE}]}}"#);
    assert_eq!(at(&index(&mut empty("{}"), &options), "qualityTier").as_str(), Some("degraded"));
    let strict = json(&format!(r#"{{"sources":[{ONE}],"strict":true}}"#));
    let error = empty("{}").call("rag.index", &strict, None).unwrap_err();
    assert_eq!(error.to_string(), "this snapshot has no vectors");
    let error = empty(GIVEN).call("rag.index", &strict, None).unwrap_err();
    assert!(error.to_string().contains("the snapshot has no embedder for it"), "{error}");
}

#[test]
fn r_sources_that_cannot_be_taken_are_told_all_at_once() {
    let options = r#"{"sources":[{"sourceType":"a:b","body":"x"},{"sourceType":"a","sourceId":1,"body":7,"odd":1},
        {"sourceType":"a","sourceId":"1","body":"x"}]}"#;
    let message = empty(OWN).call("rag.index", &json(options), None).unwrap_err().to_string();
    for part in [
        "sources.0.sourceType: must not have a colon",
        "sources.0.sourceId: is required",
        "sources.1.body: must be a string, not a number",
        "sources.1.odd: unknown option",
        "sources.2.sourceId: the list has a:1 twice",
    ] {
        assert!(message.contains(part), "{message}");
    }
    let mut plain = Engine::empty(&Schema::of_fields([("text", 1.0)]).unwrap()).unwrap();
    let error = plain.call("rag.index", &json(&format!(r#"{{"sources":[{ONE}]}}"#)), None).unwrap_err();
    assert!(error.to_string().contains("build with the preset rag"), "{error}");
}

#[test]
fn r_sources_come_back_with_changes_and_snapshots() {
    let base = empty(OWN).snapshot().unwrap();
    let mut engine = Engine::open(base.clone()).unwrap().with_writer(1);
    index(&mut engine, &format!(r#"{{"sources":[{ONE}]}}"#));
    let mut applied = Engine::open(base).unwrap().with_writer(2);
    applied.apply(engine.changes().unwrap()).unwrap();
    let mut fresh = Engine::open(engine.snapshot().unwrap()).unwrap();
    let asked = r#"{"query":"fog abc"}"#;
    let expected = search(&mut engine, asked).to_text();
    assert_eq!(search(&mut applied, asked).to_text(), expected);
    assert_eq!(search(&mut fresh, asked).to_text(), expected);
    let again = index(&mut applied, &format!(r#"{{"sources":[{ONE}]}}"#));
    assert_eq!(number(&again, "skipped"), 1.0);
}

/// Computes the hash embedding a second time from its description: features by brute force, without sorting.
fn naive_hash_embedding(words: &[&str], width: usize) -> Vec<f64> {
    let mut features = Vec::<(String, f64)>::new();
    for word in words {
        features.push((format!("w{word}"), 1.0));
        let letters = format!(" {word} ").chars().collect::<Vec<_>>();
        letters
            .windows(3)
            .for_each(|three| features.push((format!("t{}", three.iter().collect::<String>()), 0.25)));
    }
    words.windows(2).for_each(|pair| features.push((format!("p{} {}", pair[0], pair[1]), 0.5)));
    let mut vector = vec![0.0; width];
    let mut seen = Vec::new();
    for (feature, weight) in &features {
        if seen.contains(&feature) {
            continue;
        }
        seen.push(feature);
        let count = features.iter().filter(|(other, _)| other == feature).count() as f64;
        let fnv = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
        let hash = feature.bytes().fold(2_166_136_261, fnv);
        for projection in [0x9e37_79b1_u32, 0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f] {
            let product = hash.wrapping_mul(projection);
            let mixed = product ^ (product >> 15);
            let place = (u64::from(mixed & 0x7fff_ffff) * width as u64) >> 31;
            let sign = if mixed >> 31 == 0 { 1.0 } else { -1.0 };
            vector[usize::try_from(place).unwrap()] += sign * weight * (1.0 + count.ln());
        }
    }
    let length = vector.iter().map(|value| value * value).sum::<f64>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

#[test]
fn r_hash_vectors_are_what_the_description_says() {
    for (text, words) in [
        ("Ferry in the FOG, ferry", vec!["ferry", "in", "the", "fog", "ferry"]),
        ("ﬁle №7", vec!["file", "no7"]),
        ("東京都", vec!["東京", "京都"]),
    ] {
        let own = HashEmbedder::new(64).embed(text);
        let naive = naive_hash_embedding(&words, 64);
        for (own, naive) in own.iter().zip(naive) {
            // The order of additions differs here, and ln is the platform's.
            assert!((f64::from(*own) - naive).abs() < 1e-6, "{text}");
        }
    }
}

#[test]
fn r_hash_of_nothing_is_a_vector_of_zeros_and_others_have_length_one() {
    let embedder = HashEmbedder::default();
    assert!(embedder.embed(" …").iter().all(|value| *value == 0.0));
    let square = embedder.embed("fog").iter().map(|value| value * value).sum::<f32>();
    assert!((square - 1.0).abs() < 1e-5);
}

#[test]
fn r_hash_has_an_id_of_its_own() {
    assert_eq!(HashEmbedder::default().id(), "snapseek-hash-v1-384");
    assert_eq!(HashEmbedder::default().embed("fog"), HashEmbedder::default().embed("fog"));
}
