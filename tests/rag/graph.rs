//! Which sources are linked, and how does that change scores? R9 and R10.

use super::*;

/// Builds an action in a context, a thought about the action, its parent and child, another member of the context, a peer
/// in the session, and a note.
fn linked() -> Engine {
    engine_of(
        "{}",
        &[
            chunk("context:c1#0", "harbour", ""),
            chunk("action:a1#0", "ferry", r#","contextId":"c1","sessionId":"s1""#),
            chunk("action:a1#1", "other", r#","contextId":"c1","sessionId":"s1""#),
            chunk("thought:t1#0", "fog", r#","actionId":"a1","contextId":"c1","parentId":"t0""#),
            chunk("thought:t0#0", "rain", ""),
            chunk("thought:t2#0", "snow", r#","parentId":"t1""#),
            chunk("action:a2#0", "tide", r#","sessionId":"s1","contextId":"gone""#),
            chunk("note:n1#0", "bell", r#","contextId":"c1""#),
        ],
    )
}

fn edges(found: &Json) -> Vec<String> {
    let edge = |edge: &Json| {
        let text = |name| at(edge, name).as_str().unwrap();
        format!("{} {} {}", text("from"), text("relation"), text("to"))
    };
    list(at(found, "graph.edges")).iter().map(edge).collect()
}

fn nodes(found: &Json) -> Vec<&str> {
    list(at(found, "graph.nodes")).iter().map(|node| at(node, "id").as_str().unwrap()).collect()
}

#[test]
fn r9_the_graph_holds_the_sources_of_results_and_those_one_link_away() {
    let mut engine = linked();
    let found = search(&mut engine, r#"{"query":"ferry","mode":"fts"}"#);
    assert_eq!(nodes(&found), ["action:a1", "context:c1", "thought:t1"]);
    assert_eq!(edges(&found), ["action:a1 action_context context:c1", "thought:t1 thought_action action:a1"]);
    let found = search(&mut engine, r#"{"query":"fog","mode":"fts"}"#);
    assert_eq!(
        edges(&found),
        [
            "thought:t1 thought_context context:c1",
            "thought:t1 thought_action action:a1",
            "thought:t1 thought_parent thought:t0",
            "thought:t1 thought_child thought:t2",
        ]
    );
    let found = search(&mut engine, r#"{"query":"harbour","mode":"fts"}"#);
    assert_eq!(
        edges(&found),
        [
            "context:c1 context_member action:a1",
            "context:c1 context_member thought:t1",
            "context:c1 context_member note:n1",
        ]
    );
    let found = search(&mut engine, r#"{"query":"bell","mode":"fts"}"#);
    assert_eq!(edges(&found), ["note:n1 note_context context:c1"]);
    assert_eq!(number(&found, "graph.nodeCount"), 2.0);
    assert_eq!(number(&found, "graph.edgeCount"), 1.0);
    assert_eq!(at(&found, "graph.truncated"), &Json::Bool(false));
    let none = search(&mut engine, r#"{"query":"bell","mode":"fts","includeGraph":false}"#);
    assert_eq!(at(&none, "graph"), &Json::Null);
}

#[test]
fn r9_peers_of_a_session_are_linked_once_and_only_where_that_is_asked_for() {
    let mut engine = linked();
    let plain = search(&mut engine, r#"{"query":"ferry tide","mode":"fts"}"#);
    assert!(!edges(&plain).iter().any(|edge| edge.contains("session_peer")));
    let found = search(&mut engine, r#"{"query":"ferry tide","mode":"fts","includeSession":true}"#);
    let peers = edges(&found).into_iter().filter(|edge| edge.contains("session_peer")).collect::<Vec<_>>();
    assert_eq!(peers, ["action:a1 session_peer action:a2"]);
}

#[test]
fn r9_edges_are_there_once_though_both_ends_are_results() {
    let found = search(&mut linked(), r#"{"query":"ferry fog harbour","mode":"fts"}"#);
    let mut all = edges(&found);
    let count = all.len();
    all.sort();
    all.dedup();
    assert_eq!(all.len(), count);
    assert_eq!(all.iter().filter(|edge| edge.contains("thought_action")).count(), 1);
}

#[test]
fn r9_links_of_the_state_are_edges_until_they_end() {
    let mut engine = linked();
    for line in [
        r#"{"from":"n1","to":"action:a2","relation":"mentions"}"#,
        r#"{"from":"t0","to":"n1","relation":"old_news","validUntil":50}"#,
        r#"{"from":"n1","to":"nobody","relation":"mentions"}"#,
    ] {
        engine.take_line("link", &json(line)).unwrap();
    }
    let asked = |now| format!(r#"{{"query":"bell","mode":"fts","now":{now}}}"#);
    let before = edges(&search(&mut engine, &asked(49)));
    assert!(before.contains(&"note:n1 mentions action:a2".to_owned()), "{before:?}");
    assert!(before.contains(&"thought:t0 old_news note:n1".to_owned()), "{before:?}");
    let after = edges(&search(&mut engine, &asked(50)));
    assert_eq!(after, ["note:n1 note_context context:c1", "note:n1 mentions action:a2"]);
}

#[test]
fn r9_a_graph_stops_at_its_limit_and_says_so() {
    let mut records = vec![chunk("context:c#0", "ferry", "")];
    records.extend((0..700).map(|i| chunk(&format!("thought:{i}#0"), "text", r#","contextId":"c""#)));
    let mut engine = engine_of("{}", &records);
    for (options, limit) in [("", 60), (r#","nodeLimit":7"#, 7), (r#","nodeLimit":9999"#, 500)] {
        let found = search(&mut engine, &format!(r#"{{"query":"ferry","mode":"fts"{options}}}"#));
        assert_eq!(nodes(&found).len(), limit);
        assert_eq!(at(&found, "graph.truncated"), &Json::Bool(true));
    }
}

#[test]
fn r9_a_value_that_changed_beside_its_record_is_the_one_that_links() {
    let mut engine = linked();
    let key = snapseek::Key { id: "note:n1#0", kind: "chunk" };
    engine.set_field(key, "contextId", Json::Null, None).unwrap();
    let key = snapseek::Key { id: "action:a2#0", kind: "chunk" };
    engine.set_field(key, "contextId", Json::String("c1".into()), None).unwrap();
    let found = search(&mut engine, r#"{"query":"harbour","mode":"fts"}"#);
    assert_eq!(nodes(&found), ["context:c1", "action:a1", "thought:t1", "action:a2"]);
}

#[test]
fn r10_the_graph_counts_only_where_that_is_asked_for() {
    let plain = search(&mut linked(), r#"{"query":"ferry rain","mode":"fts"}"#);
    assert_eq!(at(&plain, "rerank").to_text(), r#"{"enabled":false,"weight":0.2,"changedRanks":0}"#);
    assert_eq!(at(&results(&plain)[0], "rerank"), &Json::Null);
}

#[test]
fn r10_a_reranked_score_is_part_base_and_part_signal() {
    let mut engine = linked();
    let options = r#"{"query":"ferry rain bell","mode":"fts","graphRerank":true,"graphRerankWeight":0.75}"#;
    let found = search(&mut engine, options);
    let weight = 0.75;
    let mut signals = Vec::new();
    for result in results(&found) {
        let (base, signal) = (number(result, "rerank.base"), number(result, "rerank.signal"));
        assert_eq!(number(result, "score"), (1.0 - weight) * base + weight * signal);
        signals.push((at(result, "id").as_str().unwrap(), signal));
    }
    // a1 has the greatest sum: 1 from its context, and 0.8 · 0.85 from the thought about it.
    let most = 1.0 + 0.8 * 0.85;
    let signal = |id| signals.iter().find(|(known, _)| *known == id).unwrap().1;
    assert_eq!(signal("action:a1#0"), 1.0);
    assert_eq!(signal("note:n1#0"), 0.25 / most);
    let before = search(&mut engine, r#"{"query":"ferry rain bell","mode":"fts"}"#);
    let moved = ids(&before).iter().zip(ids(&found)).filter(|(before, after)| **before != *after).count();
    assert_eq!(number(&found, "rerank.changedRanks"), moved as f64);
    assert_eq!(at(&found, "rerank.enabled"), &Json::Bool(true));
    let hidden = format!("{},\"includeGraph\":false}}", options.trim_end_matches('}'));
    let hidden = search(&mut engine, &hidden);
    assert_eq!((ids(&hidden), at(&hidden, "graph")), (ids(&found), &Json::Null));
}

#[test]
fn r10_ranks_that_change_are_counted() {
    let records = [
        chunk("thought:alone#0", "ferry", ""),
        chunk(
            "action:busy#0",
            "ferry ferry and a good many other words that are of no use",
            r#","contextId":"c""#,
        ),
        chunk("context:c#0", "harbour", ""),
    ];
    let mut engine = engine_of("{}", &records);
    let plain = search(&mut engine, r#"{"query":"ferry quay","mode":"fts"}"#);
    assert_eq!(ids(&plain), ["thought:alone#0", "action:busy#0"]);
    let options = r#"{"query":"ferry quay","mode":"fts","graphRerank":true,"graphRerankWeight":0.75}"#;
    let found = search(&mut engine, options);
    assert_eq!(ids(&found), ["action:busy#0", "thought:alone#0"]);
    assert_eq!(number(&found, "rerank.changedRanks"), 2.0);
}
