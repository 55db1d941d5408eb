//! From texts to vectors, with a real server.

use super::*;
use crate::provider::remote::secret::Secret;
use crate::provider::{AttemptFailure, EmbedSpec, provider};
use loopback::{Act, Loopback, vector_of};
use serde_json::json;
use std::path::Path;
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};
use tempfile::TempDir;

#[path = "../../tests/loopback/mod.rs"]
mod loopback;

const KEY: &str = "sk-test-0123456789abcdefghij";

fn spec(name: &str, server: &Loopback) -> EmbedSpec {
    let mut spec = EmbedSpec::parse(name);
    spec.base_url = Some(server.url());
    spec.patience.first_wait = Duration::from_millis(1);
    spec
}

fn pipeline_of(spec: &EmbedSpec) -> Pipeline {
    let cancel = Cancel::new();
    Pipeline::new(provider(spec, &|_| None, &cancel).unwrap(), cancel)
}

/// One request at a time, so that their order is fixed.
fn pipeline(spec: &EmbedSpec) -> Pipeline {
    pipeline_of(spec).with_parallel(1)
}

fn cached(spec: &EmbedSpec, folder: &Path) -> Pipeline {
    let pipeline = pipeline(spec);
    let cache = Cache::open(folder, &pipeline.model().fingerprint).unwrap();
    pipeline.with_cache(cache).unwrap()
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| text.to_string()).collect()
}

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("text {number}")).collect()
}

fn vectors_of(texts: &[String]) -> Vec<Vec<f32>> {
    texts.iter().map(|text| vector_of(text)).collect()
}

fn batch_sizes(server: &Loopback) -> Vec<usize> {
    server.requests().iter().map(|request| request.texts().len()).collect()
}

fn failure(spec: &EmbedSpec) -> EmbeddingError {
    pipeline(spec).embed(&texts(&["a", "b"]), TextPurpose::Document).unwrap_err()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

#[test]
fn vectors_come_in_the_order_of_the_texts_and_equal_texts_are_asked_about_once() {
    let server = Loopback::honest();
    let texts = texts(&["b", "a", "b", "c", "a"]);
    let pipeline = pipeline(&spec("openai", &server)).with_progress(5);
    assert_eq!(pipeline.embed(&texts, TextPurpose::Document).unwrap(), vectors_of(&texts));
    let [request] = &server.requests()[..] else { panic!("one request is enough") };
    assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/v1/embeddings"));
    let expected =
        json!({"model": "text-embedding-3-small", "input": ["b", "a", "c"], "encoding_format": "float"});
    assert_eq!(request.body, expected);
    assert_eq!(pipeline.tally(), EmbeddingTally { cached: 0, embedded: 3, repeated: 2 });
    assert_eq!(pipeline.width(), Some(4));
}

#[test]
fn v15_texts_go_out_in_batches_of_a_hundred_or_as_many_as_asked() {
    let server = Loopback::honest();
    let texts = numbered(250);
    let mut spec = spec("openai", &server);
    assert_eq!(pipeline(&spec).embed(&texts, TextPurpose::Document).unwrap(), vectors_of(&texts));
    spec.batch = Some(120);
    assert_eq!(pipeline(&spec).embed(&texts, TextPurpose::Document).unwrap(), vectors_of(&texts));
    assert_eq!(batch_sizes(&server), [100, 100, 50, 120, 120, 10]);
}

#[test]
fn a_batch_ends_before_it_has_too_many_bytes_and_a_text_that_has_them_alone_is_one() {
    let texts = ["aaa", "bbb", "cccccccccc", "d", "e", "f"];
    let limits = BatchLimits { texts: 2, bytes: 7 };
    let missing = [0, 1, 2, 3, 4, 5];
    assert_eq!(batches(&missing, &texts, limits), [&[0, 1][..], &[2], &[3, 4], &[5]]);
    assert!(batches(&[], &texts, limits).is_empty());
}

#[test]
fn several_requests_are_under_way_at_a_time() {
    // Each of the first three requests waits for the other two.
    let together = Arc::new(Barrier::new(3));
    let server = Loopback::start(move |request| {
        if request.number < 3 {
            together.wait();
        }
        Act::Answer
    });
    let mut spec = spec("openai", &server);
    spec.batch = Some(10);
    let texts = numbered(95);
    let vectors = pipeline_of(&spec).with_parallel(3).embed(&texts, TextPurpose::Document).unwrap();
    assert_eq!(vectors, vectors_of(&texts));
}

#[test]
fn v15_a_second_run_asks_only_about_what_changed() {
    let (server, folder) = (Loopback::honest(), folder());
    let spec = spec("openai", &server);
    let mut texts = numbered(5);
    cached(&spec, folder.path()).embed(&texts, TextPurpose::Document).unwrap();
    texts[3] = "changed".to_owned();
    let second = cached(&spec, folder.path());
    assert_eq!(second.embed(&texts, TextPurpose::Document).unwrap(), vectors_of(&texts));
    assert_eq!(server.requests()[1].texts(), ["changed"]);
    assert_eq!(second.tally(), EmbeddingTally { cached: 4, embedded: 1, repeated: 0 });
    cached(&spec, folder.path()).embed(&texts, TextPurpose::Document).unwrap();
    assert_eq!(server.requests().len(), 2, "the third run asks nothing");
}

#[test]
fn another_model_or_server_has_vectors_of_its_own() {
    let (one, other, folder) = (Loopback::honest(), Loopback::honest(), folder());
    for spec in [spec("openai", &one), spec("openai:large", &one), spec("openai", &other)] {
        cached(&spec, folder.path()).embed(&numbered(3), TextPurpose::Document).unwrap();
    }
    assert_eq!((one.requests().len(), other.requests().len()), (2, 1));
}

#[test]
fn v15_voyage_is_told_what_a_text_is_for_and_each_purpose_is_cached_by_itself() {
    let (server, folder) = (Loopback::honest(), folder());
    let pipeline = cached(&spec("voyage", &server), folder.path());
    for purpose in [TextPurpose::Document, TextPurpose::Query, TextPurpose::Document] {
        pipeline.embed(&texts(&["a"]), purpose).unwrap();
    }
    let bodies = server.requests().into_iter().map(|request| request.body).collect::<Vec<_>>();
    let expected = |kind: &str| json!({"model": "voyage-3.5", "input": ["a"], "input_type": kind});
    assert_eq!(bodies, [expected("document"), expected("query")]);
}

#[test]
fn ollama_is_asked_for_its_model_and_for_vectors() {
    let server = Loopback::honest();
    let pipeline = pipeline(&spec("ollama", &server));
    let texts = numbered(2);
    assert_eq!(pipeline.embed(&texts, TextPurpose::Document).unwrap(), vectors_of(&texts));
    assert_eq!(pipeline.model().id, "ollama:nomic-embed-text");
    let requests = server.requests();
    let asked = requests.iter().map(|request| (request.method.as_str(), request.path.as_str()));
    assert_eq!(asked.collect::<Vec<_>>(), [("GET", "/api/tags"), ("POST", "/api/embed")]);
    assert_eq!(requests[1].body, json!({"model": "nomic-embed-text", "input": ["text 0", "text 1"]}));
    assert_eq!(requests[1].authorization, None);
}

#[test]
fn ollama_without_the_model_cannot_start() {
    let server = Loopback::honest();
    let error = provider(&spec("ollama:other", &server), &|_| None, &Cancel::new()).unwrap_err();
    assert_eq!(error.to_string(), "ollama has no model other; `ollama pull other` fetches it");
}

#[test]
fn another_version_of_an_ollama_model_has_another_fingerprint() {
    let fingerprint = |digest: &'static str| {
        let tags = json!({"models": [{"name": "m:latest", "digest": digest}]}).to_string();
        let server = Loopback::start(move |_| Act::Instead(tags.clone()));
        pipeline(&spec("ollama:m", &server)).model().fingerprint.clone()
    };
    assert_eq!(fingerprint("one"), fingerprint("one"));
    assert_ne!(fingerprint("one"), fingerprint("two"));
}

#[test]
fn a_server_that_lists_no_models_can_still_embed() {
    let server = Loopback::start(|request| match request.path.as_str() {
        "/api/tags" => Act::Status(404, "", String::new()),
        _ => Act::Answer,
    });
    pipeline(&spec("ollama", &server)).embed(&numbered(1), TextPurpose::Document).unwrap();
}

#[test]
fn nobody_at_the_address_is_a_provider_that_cannot_start() {
    let mut spec = spec("ollama", &Loopback::honest());
    // A port that was just free, and where nobody listens.
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    spec.base_url = Some(format!("http://{}", listener.local_addr().unwrap()));
    drop(listener);
    let error = provider(&spec, &|_| None, &Cancel::new()).unwrap_err();
    assert!(matches!(error, ProviderError::Unreachable { attempts: 3, .. }), "{error}");
}

#[test]
fn v15_a_failing_server_has_three_attempts() {
    let server = Loopback::start(|request| match request.number {
        0 => Act::Status(500, "", String::new()),
        1 => Act::HangUp,
        _ => Act::Answer,
    });
    let texts = numbered(3);
    let vectors = pipeline(&spec("openai", &server)).embed(&texts, TextPurpose::Document).unwrap();
    assert_eq!(vectors, vectors_of(&texts));
    assert!(server.requests().iter().all(|request| request.texts() == texts));

    let server =
        Loopback::start(|_| Act::Status(503, "", r#"{"error": {"message": "overloaded"}}"#.to_owned()));
    let error = failure(&spec("openai", &server)).to_string();
    assert_eq!(server.requests().len(), 3);
    let url = server.url();
    let expected =
        "in 3 attempts; in the last one, it answered 503 Service Unavailable and said “overloaded”";
    assert_eq!(error, format!("openai gave no vectors at {url}/v1/embeddings {expected}"));
}

#[test]
fn a_connection_that_always_breaks_is_an_error() {
    let server = Loopback::start(|_| Act::HangUp);
    let error = failure(&spec("openai", &server));
    assert_eq!(server.requests().len(), 3);
    let broken = |error: &EmbeddingError| match error {
        EmbeddingError::Provider(ProviderError::Unreachable { last, .. }) => {
            matches!(last, AttemptFailure::Broken { .. })
        }
        _ => false,
    };
    assert!(broken(&error), "{error}");
}

#[test]
fn a_server_that_does_not_encrypt_what_should_be_is_an_error() {
    let server = Loopback::honest();
    let mut spec = spec("openai", &server);
    spec.base_url = Some(server.url().replace("http://", "https://"));
    let error = failure(&spec).to_string();
    assert!(error.contains("the connection failed"), "{error}");
    assert!(server.requests().is_empty());
}

#[test]
fn an_explanation_without_end_is_cut() {
    let server = Loopback::start(|_| Act::Status(400, "", "so sorry ".repeat(1_000_000)));
    let error = failure(&spec("openai", &server)).to_string();
    assert!(error.contains("so sorry so sorry") && error.len() < 600, "{}", error.len());
}

#[test]
fn a_stalling_server_is_given_up_after_its_time() {
    let server = Loopback::start(|_| Act::Stall);
    let mut spec = spec("openai", &server);
    spec.timeouts.request = Duration::from_millis(100);
    let error = failure(&spec).to_string();
    assert!(error.contains("it took too long; pass a longer --embed-timeout"), "{error}");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn v15_a_throttled_key_makes_way_for_the_next_at_once_and_rests() {
    let server = Loopback::start(|request| match request.authorization.as_deref() {
        Some("Bearer first") => Act::Status(429, "Retry-After: 600\r\n", String::new()),
        _ => Act::Answer,
    });
    let mut spec = spec("openai", &server);
    spec.keys = Secret::list("first,second");
    spec.batch = Some(1);
    pipeline(&spec).embed(&numbered(3), TextPurpose::Document).unwrap();
    assert_eq!(server.keys(), ["first", "second", "second", "second"]);
}

#[test]
fn a_server_that_throttles_every_key_is_asked_again_when_it_says_so() {
    let server = Loopback::start(|request| match request.number {
        0..2 => Act::Status(429, "Retry-After: 0.3\r\n", String::new()),
        _ => Act::Answer,
    });
    let mut spec = spec("openai", &server);
    spec.keys = Secret::list("first,second");
    let started = Instant::now();
    pipeline(&spec).embed(&numbered(1), TextPurpose::Document).unwrap();
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!(server.keys(), ["first", "second", "first"]);
}

#[test]
fn a_server_that_throttles_for_ever_has_three_attempts_and_no_wait_is_too_long() {
    let server = Loopback::start(|_| Act::Status(429, "Retry-After: 86400\r\n", String::new()));
    let mut spec = spec("openai", &server);
    spec.patience.longest_wait = Duration::from_millis(5);
    let error = failure(&spec).to_string();
    assert!(error.contains("429 Too Many Requests"), "{error}");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn a_date_to_come_back_at_is_a_date_to_come_back_at() {
    let server = Loopback::start(|request| match request.number {
        0 => Act::Status(503, "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\n", String::new()),
        _ => Act::Answer,
    });
    let mut spec = spec("openai", &server);
    // The date is in the past, so there is no wait.
    spec.patience.first_wait = Duration::from_secs(600);
    spec.patience.longest_wait = Duration::from_secs(600);
    pipeline(&spec).embed(&numbered(1), TextPurpose::Document).unwrap();
}

#[test]
fn a_refused_key_is_not_used_again() {
    let server = Loopback::start(|request| match request.authorization.as_deref() {
        Some("Bearer good") => Act::Answer,
        _ => Act::Status(401, "", String::new()),
    });
    let mut spec = spec("openai", &server);
    spec.keys = Secret::list("bad,good");
    spec.batch = Some(1);
    pipeline(&spec).embed(&numbered(3), TextPurpose::Document).unwrap();
    assert_eq!(server.keys(), ["bad", "good", "good", "good"]);

    spec.keys = Secret::list("bad,worse");
    let error = failure(&spec).to_string();
    assert_eq!(server.keys()[4..], ["bad", "worse"], "nobody is asked twice");
    assert!(error.starts_with("openai accepted none of the keys (it answered 401 Unauthorized"), "{error}");
}

#[test]
fn a_bad_request_is_not_made_twice() {
    let server =
        Loopback::start(|_| Act::Status(400, "", r#"{"error": {"message": "too long"}}"#.to_owned()));
    let error = failure(&spec("openai", &server)).to_string();
    assert_eq!(server.requests().len(), 1);
    assert!(error.ends_with("400 Bad Request and said “too long”"), "{error}");
}

#[test]
fn a_key_is_not_carried_to_another_address() {
    let other = Loopback::honest();
    let location: &'static str = format!("Location: {}/v1/embeddings\r\n", other.url()).leak();
    let server = Loopback::start(move |_| Act::Status(307, location, String::new()));
    let error = failure(&spec("openai", &server)).to_string();
    assert!(error.contains("307"), "{error}");
    assert!(other.requests().is_empty());
}

#[test]
fn a_shuffled_answer_is_put_in_order() {
    let server = Loopback::start(|request| {
        let mut answer = request.answer();
        answer["data"].as_array_mut().unwrap().reverse();
        Act::Instead(answer.to_string())
    });
    let texts = numbered(7);
    let vectors = pipeline(&spec("openai", &server)).embed(&texts, TextPurpose::Document).unwrap();
    assert_eq!(vectors, vectors_of(&texts));
}

#[test]
fn every_lie_is_found_out_and_none_is_kept() {
    let row = |index: usize, numbers: &str| format!(r#"{{"index": {index}, "embedding": {numbers}}}"#);
    let data = |rows: &[String]| format!(r#"{{"data": [{}]}}"#, rows.join(","));
    for (lie, said) in [
        (data(&[row(0, "[1]")]), "with 1 vectors for 2 texts"),
        (data(&[row(0, "[1]"), row(1, "[1]"), row(2, "[1]")]), "with 3 vectors for 2 texts"),
        (data(&[row(0, "[1]"), row(1, "[1, 2]")]), "vector 1 has 2 dimensions where 1 were expected"),
        (data(&[row(0, "[]"), row(1, "[]")]), "have 0 dimensions"),
        (data(&[row(0, "[1]"), row(0, "[2]")]), "vector 0 is for none of the"),
        (data(&[row(0, "[1]"), row(9, "[2]")]), "vector 9 is for none of the"),
        (data(&[row(0, "[1]"), row(1, "[null]")]), "vector 1 contains a value that is not a finite number"),
        (data(&[row(0, "[1]"), row(1, "[1e39]")]), "number out of range"),
        (data(&[row(0, "[1]"), row(1, "[NaN]")]), "its answer is not embeddings"),
        (data(&[row(0, "[1]"), row(1, "[\"1\"]")]), "its answer is not embeddings"),
        (data(&[row(0, "[1]")])[..20].to_owned(), "its answer is not embeddings"),
        ("<html>Welcome!</html>".to_owned(), "said “<html>Welcome!</html>”"),
        ("{}".to_owned(), "missing field `data`"),
        (String::new(), "its answer is not embeddings"),
    ] {
        let (told, folder) = (lie.clone(), folder());
        let server = Loopback::start(move |_| Act::Instead(told.clone()));
        let pipeline = cached(&spec("openai", &server), folder.path());
        let error = pipeline.embed(&texts(&["a", "b"]), TextPurpose::Document).unwrap_err().to_string();
        assert!(error.contains(said), "{lie}: {error}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{lie}");
    }
}

#[test]
fn ollama_can_lie_too() {
    for (lie, said) in [
        (r#"{"embeddings": [[1]]}"#, "with 1 vectors for 2 texts"),
        (r#"{"embeddings": [[1], [null]]}"#, "vector 1 contains a value that is not a finite number"),
    ] {
        let server = Loopback::start(move |request| match request.path.as_str() {
            "/api/embed" => Act::Instead(lie.to_owned()),
            _ => Act::Answer,
        });
        let error = failure(&spec("ollama", &server)).to_string();
        assert!(error.contains(said), "{error}");
    }
}

#[test]
fn a_width_that_changes_between_requests_is_found_out() {
    let server = Loopback::start(|request| match request.number {
        0 => Act::Answer,
        _ => Act::Instead(r#"{"data": [{"embedding": [1, 2, 3]}]}"#.to_owned()),
    });
    let mut spec = spec("openai", &server);
    spec.batch = Some(1);
    let error = failure(&spec).to_string();
    assert!(error.contains("vector 0 has 3 dimensions where 4 were expected"), "{error}");
}

#[test]
fn a_width_that_changes_between_runs_is_found_out() {
    let (server, folder) = (
        Loopback::start(|request| match request.number {
            0 => Act::Answer,
            _ => Act::Instead(r#"{"data": [{"embedding": [1, 2, 3]}]}"#.to_owned()),
        }),
        folder(),
    );
    let spec = spec("openai", &server);
    cached(&spec, folder.path()).embed(&texts(&["a"]), TextPurpose::Document).unwrap();
    let error = cached(&spec, folder.path()).embed(&texts(&["a", "b"]), TextPurpose::Document).unwrap_err();
    assert!(
        matches!(error, EmbeddingError::Cache(CacheError::WidthChanged { cached: 4, found: 3, .. })),
        "{error}"
    );
}

#[test]
fn a_key_is_in_no_error_and_in_no_cache_even_if_the_server_echoes_it() {
    for status in [200, 400, 401, 429, 500] {
        let echo =
            format!(r#"{{"error": {{"message": "what is {KEY}? ({}***{})"}}}}"#, &KEY[..9], &KEY[20..]);
        let server = Loopback::start(move |request| match request.number {
            0 => Act::Answer,
            _ => Act::Status(status, "", echo.clone()),
        });
        let folder = folder();
        let mut spec = spec("openai", &server);
        spec.keys = Secret::list(KEY);
        spec.batch = Some(1);
        spec.patience.longest_wait = Duration::from_millis(2);
        let pipeline = cached(&spec, folder.path());
        let error = pipeline.embed(&texts(&["a", "b"]), TextPurpose::Document).unwrap_err();
        assert_eq!(server.keys()[1], KEY);
        let shown = format!("{error} {error:?} {pipeline:?} {spec:?}");
        let cached = std::fs::read(pipeline.cache.as_ref().unwrap().path()).unwrap();
        for part in [&KEY[..9], &KEY[8..16], &KEY[20..]] {
            assert!(!shown.contains(part), "{status}: {shown}");
            assert!(!cached.windows(part.len()).any(|bytes| bytes == part.as_bytes()));
        }
        assert!(shown.contains("what is [key]?"), "{status}: {shown}");
    }
}

#[test]
fn a_server_that_needs_no_key_gets_none() {
    let server = Loopback::honest();
    pipeline(&spec("openai", &server)).embed(&numbered(1), TextPurpose::Document).unwrap();
    assert_eq!(server.keys(), ["-"]);
}

#[test]
fn interrupted_work_stops_soon_and_the_next_run_goes_on_from_there() {
    let (cancel, folder) = (Cancel::new(), folder());
    let interrupt = cancel.clone();
    // The fourth request never ends.
    let server = Loopback::start(move |request| match request.number {
        3 => {
            interrupt.cancel();
            Act::Stall
        }
        _ => Act::Answer,
    });
    let mut spec = spec("openai", &server);
    spec.batch = Some(2);
    spec.timeouts.request = Duration::from_secs(600);
    let texts = numbered(10);
    let open = |cancel: &Cancel| {
        let pipeline =
            Pipeline::new(provider(&spec, &|_| None, cancel).unwrap(), cancel.clone()).with_parallel(1);
        let cache = Cache::open(folder.path(), &pipeline.model().fingerprint).unwrap();
        pipeline.with_cache(cache).unwrap()
    };
    let started = Instant::now();
    let error = open(&cancel).embed(&texts, TextPurpose::Document).unwrap_err();
    assert!(started.elapsed() < Duration::from_secs(60));
    assert_eq!(
        error.to_string(),
        "interrupted with 4 of 10 texts to embed; run it again to continue from here"
    );
    let second = open(&Cancel::new());
    assert_eq!(second.embed(&texts, TextPurpose::Document).unwrap(), vectors_of(&texts));
    assert_eq!(second.tally(), EmbeddingTally { cached: 6, embedded: 4, repeated: 0 });
    assert_eq!(batch_sizes(&server), [2, 2, 2, 2, 2, 2]);
}

#[test]
fn an_error_in_one_request_stops_the_others_and_what_was_done_is_kept() {
    let server = Loopback::start(|request| match request.texts()[0].as_str() {
        "text 0" => Act::Answer,
        "text 1" => Act::Status(400, "", String::new()),
        _ => Act::Stall,
    });
    let folder = folder();
    let mut spec = spec("openai", &server);
    spec.batch = Some(1);
    spec.timeouts.request = Duration::from_secs(600);
    let pipeline = pipeline_of(&spec).with_parallel(3);
    let cache = Cache::open(folder.path(), &pipeline.model().fingerprint).unwrap();
    let pipeline = pipeline.with_cache(cache).unwrap();
    pipeline.embed(&numbered(1), TextPurpose::Document).unwrap();
    let error = pipeline.embed(&numbered(9), TextPurpose::Document).unwrap_err();
    assert!(error.to_string().contains("400 Bad Request"), "{error}");
    assert_eq!(
        cached(&spec, folder.path()).embed(&numbered(1), TextPurpose::Document).unwrap(),
        vectors_of(&numbered(1))
    );
    assert!(!pipeline.cancel.is_cancelled(), "the next call is not for this error to stop");
}

#[test]
fn an_empty_text_is_named() {
    let server = Loopback::honest();
    let error =
        pipeline(&spec("openai", &server)).embed(&texts(&["a", " \n"]), TextPurpose::Document).unwrap_err();
    assert_eq!(error.to_string(), "text 1 is empty, and an empty text has no vector");
    assert!(server.requests().is_empty());
}

#[test]
fn a_key_that_no_header_can_carry_is_refused_without_showing_it() {
    let server = Loopback::honest();
    let mut spec = spec("openai", &server);
    spec.keys = Secret::list("sk-one two");
    let error = provider(&spec, &|_| None, &Cancel::new()).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("sk-one"));
    assert!(matches!(error, ProviderError::UnusableKey { .. }));
}
