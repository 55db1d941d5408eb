//! Do the stages work that choose among scored chunks before sources get their shares?

use super::*;

fn library() -> Engine {
    engine_of(
        "{}",
        &[
            chunk("context:1#0", "deploy the ferry service by hand", r#","createdAt":100"#),
            chunk("context:2#0", "deploy the ferry service by hand", r#","createdAt":200"#),
            chunk("action:3#0", "ferry timetable for the winter", r#","createdAt":300"#),
            chunk("thought:4#0", "nothing of the kind", r#","createdAt":400"#),
        ],
    )
}

fn found(options: &str) -> Vec<String> {
    let mut engine = library();
    let asked = format!(r#"{{"query":"deploy ferry","mode":"fts","includeGraph":false,{options}}}"#);
    ids(&search(&mut engine, &asked)).into_iter().map(str::to_owned).collect()
}

#[test]
fn near_duplicates_and_what_is_not_relevant_are_left_out() {
    assert_eq!(found(r#""limit":9"#), ["context:1#0", "context:2#0", "action:3#0"]);
    assert_eq!(found(r#""fold":true"#), ["context:1#0", "action:3#0"]);
    assert_eq!(found(r#""minRelevance":0.9"#), [""; 0]);
}

#[test]
fn a_moment_and_a_budget_narrow_the_page() {
    assert_eq!(found(r#""asOf":150"#), ["context:1#0"]);
    assert_eq!(found(r#""maxTokens":16"#), ["context:1#0", "context:2#0"]);
}

#[test]
fn a_pinned_chunk_is_on_the_page_whatever_its_score_unless_a_filter_forbids() {
    assert!(found(r#""pinned":["thought:4#0"]"#).contains(&"thought:4#0".to_owned()));
    assert!(!found(r#""pinned":["thought:4#0"],"sourceType":"context""#).contains(&"thought:4#0".to_owned()));
}
