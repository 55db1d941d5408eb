//! Which options are accepted, and which fields does the response have? R11 and R12.

use super::*;

fn keys(json: &Json) -> Vec<&str> {
    match json {
        Json::Object(entries) => entries.iter().map(|(name, _)| name.as_str()).collect(),
        _ => panic!("no object"),
    }
}

/// The query of a host whose `embed` function failed.
fn failed() -> Embedded {
    Embedded { failures: vec![Some("embed: no net".to_owned())], is_by_embed: true, ..Embedded::default() }
}

#[test]
fn r11_an_unknown_mode_is_hybrid_and_warned_about() {
    let found = search_with(&mut five(), r#"{"query":"ferry","mode":"fuzzy"}"#, Some(vec![1.0, 0.0]));
    assert_eq!(at(&found, "mode").as_str(), Some("hybrid"));
    assert_eq!(
        at(&found, "warnings").to_text(),
        r#"["mode: unknown mode \"fuzzy\"; hybrid was used instead (the modes are fts, semantic, hybrid)"]"#
    );
    let known = search_with(&mut five(), r#"{"query":"ferry"}"#, Some(vec![1.0, 0.0]));
    assert_eq!(at(&known, "mode").as_str(), Some("hybrid"));
    assert_eq!((at(&known, "warnings").to_text().as_str(), at(&known, "clamped")), ("[]", &Json::Null));
}

#[test]
fn r11_numbers_out_of_range_are_clamped_and_reported() {
    let options = r#"{"query":"ferry","limit":1000,"candidateLimit":3,"semanticWeight":-2,"neighborWindow":9,
        "minScore":7,"maxPerSource":0,"graphRerankWeight":2,"nodeLimit":0,"minTokenOverlap":1.5}"#;
    let found = search_with(&mut five(), options, Some(vec![1.0, 0.0]));
    assert_eq!(
        at(&found, "clamped").to_text(),
        concat!(
            r#"{"candidateLimit":{"given":3,"used":100},"graphRerankWeight":{"given":2,"used":0.75},"#,
            r#""limit":{"given":1000,"used":100},"maxPerSource":{"given":0,"used":1},"#,
            r#""minScore":{"given":7,"used":1},"minTokenOverlap":{"given":1.5,"used":1},"#,
            r#""neighborWindow":{"given":9,"used":5},"nodeLimit":{"given":0,"used":1},"#,
            r#""semanticWeight":{"given":-2,"used":0}}"#
        )
    );
    assert_eq!(number(&found, "limit"), 100.0);
    assert_eq!(at(&found, "weights").to_text(), r#"{"semantic":0,"keyword":1}"#);
}

#[test]
fn r11_what_is_no_number_or_no_option_is_an_error_and_all_of_it_is_told() {
    let error = five().call("rag.search", &json(r#"{"limit":"ten","lmiit":1}"#), None).unwrap_err();
    let message = error.to_string();
    for part in ["query: is required", "limit: must be a number, not a string", "lmiit: unknown option"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn r12_a_response_has_the_documents_fields_in_its_order() {
    let found = search_with(&mut five(), r#"{"query":"ferry"}"#, Some(vec![1.0, 0.0]));
    assert_eq!(
        keys(&found),
        [
            "success",
            "query",
            "mode",
            "limit",
            "candidateLimit",
            "weights",
            "quality",
            "neighbor",
            "rerank",
            "degraded",
            "qualityTier",
            "embedding",
            "filters",
            "count",
            "results",
            "graph",
            "warnings"
        ]
    );
    assert_eq!(at(&found, "success"), &Json::Bool(true));
    assert_eq!(number(&found, "count"), results(&found).len() as f64);
    assert_eq!(at(&found, "weights").to_text(), r#"{"semantic":0.7,"keyword":0.30000000000000004}"#);
    assert_eq!(
        at(&found, "embedding").to_text(),
        r#"{"provider":"embed","model":"m","dimensions":2,"fallbackUsed":false,"fallbackReason":null}"#
    );
    assert_eq!(at(&found, "qualityTier").as_str(), Some("high"));
    let first = &results(&found)[0];
    for field in ["id", "sourceType", "sourceId", "chunkIndex", "text", "score", "semanticScore"] {
        assert!(first.get(field).is_some(), "{field}");
    }
}

#[test]
fn r12_without_a_vector_only_words_are_looked_for_and_the_response_says_so() {
    let mut engine = five();
    let found = search_with(&mut engine, r#"{"query":"ferry","minSemanticScore":0.5}"#, failed());
    assert_eq!(at(&found, "mode").as_str(), Some("fts"));
    assert_eq!(at(&found, "degraded"), &Json::Bool(true));
    assert_eq!(at(&found, "qualityTier").as_str(), Some("degraded"));
    assert_eq!(at(&found, "warnings").to_text(), r#"["embed: no net; only words were searched"]"#);
    assert_eq!(ids(&found).len(), 3);
    let error = engine.call("rag.search", &json(r#"{"query":"ferry","strict":true}"#), None).unwrap_err();
    assert_eq!(error.to_string(), "the query has no vector for \"m\"");
}

#[test]
fn r12_a_model_that_the_snapshot_embeds_by_itself_stands_in_for_one_that_failed() {
    let vectors = r#"{"m":{"encoding":"f32","field":"vector"},"own":{"embedder":"hash","id":"hashed"}}"#;
    let mut engine =
        engine_of(vectors, &[chunk("a:1#0", "ferry timetable", ""), chunk("a:2#0", "gulls", "")]);
    let found = search_with(&mut engine, r#"{"query":"ferries"}"#, failed());
    assert_eq!(at(&found, "mode").as_str(), Some("hybrid"));
    assert_eq!(at(&found, "qualityTier").as_str(), Some("degraded"));
    assert_eq!(
        at(&found, "embedding").to_text(),
        r#"{"provider":"hash","model":"hashed","dimensions":384,"fallbackUsed":true,"fallbackReason":"embed: no net"}"#
    );
    assert!(number(&results(&found)[0], "semanticScore") > 0.1);
    let local = search(&mut engine, r#"{"query":"ferries","model":"own"}"#);
    assert_eq!(at(&local, "qualityTier").as_str(), Some("local"));
    assert_eq!(at(&local, "degraded"), &Json::Bool(false));
}
