//! How do several hits of one page become one hit with children?

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::{Engine, Record, Schema, SearchOptions};

fn record(id: &str, url: &str, anchor: &str, text: &str) -> Record {
    let field = |name: &str, value: &str| (name.to_owned(), Json::String(value.to_owned()));
    let fields = [field("id", id), field("text", text), field("url", url), field("anchor", anchor)];
    let fields = fields.into_iter().filter(|(_, value)| value.as_str() != Some(""));
    Record::from_json(Json::Object(fields.collect())).unwrap()
}

/// Two pages and a record without a page, in two segments.
fn engine() -> Engine {
    let mut engine = Engine::empty(&Schema::preset("docs").unwrap()).unwrap();
    let pages = [
        record("a0", "/a", "one", "fox fox fox fox"),
        record("a1", "/a", "one", "fox fox fox and more"),
        record("a2", "/a", "two", "fox fox and more of it"),
        record("b0", "/b", "one", "fox and fox and more of it"),
    ];
    engine.add(&pages).unwrap();
    let later = [
        record("a3", "/a", "", "one fox and a few more words"),
        record("a4", "/a", "four", "one fox and a few more words, and some others"),
        record("a5", "/a", "five", "one fox and a few more words, and some others, and the rest"),
        record("c", "", "", "one fox among very many other words that go on and on and on and on and on"),
        record(
            "d",
            "",
            "",
            "one fox among very many other words that go on and on and on and on and on again",
        ),
    ];
    engine.add(&later).unwrap();
    engine
}

fn found(json: &str) -> Vec<String> {
    let options: SearchOptions = serde_json::from_str(json).unwrap();
    let hits = engine().search("fox", &options).unwrap().hits.into_iter();
    let line = hits.map(|hit| {
        assert!(hit.children.iter().all(|child| child.score <= hit.score && child.snippet.is_some()));
        let children = hit.children.iter().map(|child| child.id.as_str()).collect::<Vec<_>>();
        format!("{}: {}", hit.id, children.join(" ")).trim().to_owned()
    });
    line.collect()
}

#[test]
fn the_best_hit_of_a_page_has_its_next_best_sections_as_children() {
    assert_eq!(found("{}"), ["a0: a2 a3 a4", "b0:", "c:", "d:"]);
}

#[test]
fn a_search_chooses_its_groups_and_pages_count_groups() {
    assert_eq!(found(r#"{"groupBy": "url"}"#)[0], "a0: a1 a2 a3");
    assert_eq!(found(r#"{"groupBy": false}"#).len(), 9);
    assert_eq!(found(r#"{"groupBy": []}"#).len(), 9);
    assert_eq!(found(r#"{"limit": 1, "offset": 1}"#), ["b0:"]);
    let options = |json| serde_json::from_str::<SearchOptions>(json).unwrap();
    let unknown = engine().search("fox", &options(r#"{"groupBy": ["no"]}"#)).unwrap_err().to_string();
    assert_eq!(unknown, "groupBy: there is no attribute \"no\"");
    let many = engine().search("fox", &options(r#"{"groupBy": ["url", "anchor", "lang"]}"#)).unwrap_err();
    assert_eq!(many.to_string(), "groupBy: at most 2 attributes can be named");
}

#[test]
fn pinned_records_stay_alone() {
    assert_eq!(found(r#"{"pinned": ["a4"]}"#), ["a4:", "a0: a2 a3 a5", "b0:", "c:", "d:"]);
}
