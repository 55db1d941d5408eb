//! An engine caches tables between queries. Does a query's answer depend on the queries before it?

#![cfg(not(target_arch = "wasm32"))]

use snapseek::json::Json;
use snapseek::{Builder, Engine, MatchOptions, Record, Schema};

fn snapshot() -> Vec<u8> {
    let schema = Schema::of_fields([("title", 1.0), ("body", 1.0)]).unwrap();
    let mut builder = Builder::new(&schema).unwrap();
    for id in 0..200 {
        let title = ["red red rose", "rose", "green reed", "a reed"][id % 4];
        let body = "reed rose red ".repeat(id % 5 + 1) + "stone ".repeat(id % 7).as_str();
        let text = format!(r#"{{"id":{id},"title":"{title}","body":"{body}"}}"#);
        builder.add(&Record::from_json(Json::parse(text.as_bytes()).unwrap()).unwrap()).unwrap();
    }
    builder.finish().unwrap()
}

fn answer(engine: &Engine, expression: &str, weights: &[f64]) -> Vec<(String, u64)> {
    let options = MatchOptions { weights: Some(weights.to_vec()), ..MatchOptions::default() };
    let rows = engine.matches(expression, &options).unwrap();
    rows.into_iter().map(|row| (row.id, row.rank.to_bits())).collect()
}

#[test]
fn one_query_after_another_is_answered_as_each_alone() {
    let snapshot = snapshot();
    let used = Engine::open(snapshot.clone()).unwrap();
    let expressions = [
        "r*",
        "title : r*",
        "body : r*",
        "title : red",
        "body : red",
        "red NOT title : rose",
        "title : re* OR stone",
    ];
    let weights: [&[f64]; 4] = [&[1.0, 1.0], &[10.0, 1.0], &[0.5, 2.25], &[0.0, 3.0]];
    let mut distinct = Vec::new();
    for _ in 0..2 {
        for (expression, weights) in
            expressions.iter().flat_map(|text| weights.map(|weights| (text, weights)))
        {
            let alone = answer(&Engine::open(snapshot.clone()).unwrap(), expression, weights);
            assert!(!alone.is_empty(), "{expression}");
            assert!(answer(&used, expression, weights) == alone, "{expression} with {weights:?}");
            distinct.push(alone);
        }
    }
    distinct.sort();
    distinct.dedup();
    assert!(distinct.len() > 2 * expressions.len(), "fields and weights tell: {}", distinct.len());
}
