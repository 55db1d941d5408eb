//! Are several vaults searched as one? The JavaScript tests use the same cases.

#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};
use snapseek::json::Json;
use snapseek::ranking::within_budget;
use snapseek::recipe::vault::keeps_all;
use snapseek::recipe::vault::tiers::{TierResult, merge};
use snapseek::schema::Schema;
use snapseek::{Engine, Federated, Federation, Record, Tier};

fn cases() -> Value {
    serde_json::from_str(include_str!("federation.json")).unwrap()
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().unwrap()
}

fn count(value: &Value) -> usize {
    usize::try_from(value.as_u64().unwrap()).unwrap()
}

#[test]
fn v13_results_of_tiers_are_weighed_deduplicated_merged_and_sorted() {
    for case in list(&cases()["merge"]) {
        let result = |result: &'_ Value| result.clone();
        let tiers = list(&case["tiers"]).iter().map(|tier| {
            let results = list(&tier["results"]).iter().map(result).collect::<Vec<_>>();
            (tier["weight"].as_f64().unwrap(), results)
        });
        let tiers = tiers.collect::<Vec<_>>();
        let as_taken = tiers.iter().map(|(weight, results)| {
            let results = results.iter().map(|result| TierResult {
                key: (result[0].as_str().unwrap(), result[1].as_str().unwrap()),
                score: result[2].as_f64().unwrap(),
            });
            (*weight, results.collect())
        });
        let merged = merge(&as_taken.collect::<Vec<_>>());
        let merged =
            merged.iter().map(|merged| json!([merged.tier, merged.place, merged.score])).collect::<Vec<_>>();
        let expected =
            list(&case["merged"]).iter().map(|one| json!([one[0], one[1], one[2].as_f64().unwrap()]));
        assert_eq!(merged, expected.collect::<Vec<_>>(), "{}", case["name"]);
    }
}

#[test]
fn v10_v11_pages_and_budgets_are_those_of_the_javascript_side() {
    let cases = cases();
    for case in list(&cases["keepsAll"]) {
        assert_eq!(json!(keeps_all(count(&case[0]), count(&case[1]))), case[2], "{case}");
    }
    for case in list(&cases["withinBudget"]) {
        let costs = list(&case["costs"]).iter().map(count);
        assert_eq!(within_budget(costs, count(&case["most"])), count(&case["kept"]), "{case}");
    }
}

fn vault(entries: &[(&str, &str)]) -> Engine {
    let schema: Schema = serde_json::from_str(
        r#"{"tokenizer":"porter unicode61","fields":{"title":{},"description":{}},"attributes":{"severity":"keyword"}}"#,
    )
    .unwrap();
    let mut engine = Engine::empty(&schema).unwrap();
    for (id, title) in entries {
        let kind = if id.starts_with("mem") { "memory" } else { "entry" };
        let record = json!({"id": id, "kind": kind, "title": title, "severity": "critical"});
        let record = Record::from_json(Json::parse(record.to_string().as_bytes()).unwrap()).unwrap();
        engine.add([&record]).unwrap();
    }
    engine
}

fn json_of(value: Value) -> Json {
    Json::parse(value.to_string().as_bytes()).unwrap()
}

fn ask(federation: &Federation, more: Value) -> Federated {
    let mut options = json!({"query": "jwt", "now": 0});
    options.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    federation.search(&json_of(options), &Default::default()).unwrap()
}

fn found(response: &Federated) -> Vec<(&str, &str)> {
    let results = response.results.iter();
    results.map(|result| (result.id.as_str(), result.tier.as_deref().unwrap())).collect()
}

#[test]
fn v13_each_tier_is_searched_on_its_own_and_each_result_says_its_tier() {
    let agent = vault(&[("own", "jwt"), ("shared", "jwt among other words")]);
    let project = vault(&[("shared", "jwt"), ("here", "jwt"), ("mem1", "jwt")]);
    let team = vault(&[("there", "jwt"), ("shared", "jwt"), ("else", "nothing of that")]);
    // The order of the given tiers matters only between tiers of equal weight.
    let tiers = [Tier::new("team", &team), Tier::new("agent", &agent), Tier::new("project", &project)];
    let federation = Federation::new(tiers);
    let response = ask(&federation, json!({"explain": true, "mode": "scan"}));
    let expected =
        [("own", "agent"), ("here", "project"), ("mem1", "project"), ("shared", "agent"), ("there", "team")];
    let mut sorted = found(&response);
    sorted.sort_unstable();
    let mut wanted = expected;
    wanted.sort_unstable();
    assert_eq!(sorted, wanted);
    assert!(response.results.is_sorted_by(|a, b| a.score >= b.score));
    assert_eq!(response.results[0].id, "own");
    let tiers = response.tiers.iter().map(|tier| (tier.name.as_str(), tier.weight, tier.candidates));
    assert_eq!(tiers.collect::<Vec<_>>(), [("agent", 1.0, 2), ("project", 0.8, 2), ("team", 0.6, 2)]);
    assert_eq!(response.candidates, 4, "the same entry is one");
    for (result, engine) in [("here", &project), ("there", &team)] {
        let own =
            engine.vault_search(&json_of(json!({"query": "jwt", "now": 0})), &Default::default()).unwrap();
        let own = own.results.iter().find(|other| other.id == result).unwrap().score;
        let result = response.results.iter().find(|other| other.id == result).unwrap();
        assert_eq!(result.score, own * if result.id == "here" { 0.8 } else { 0.6 });
        assert_eq!(result.explain.as_ref().unwrap().score(), result.score, "to the bit");
        assert_eq!(result.scan.as_ref().unwrap().title, "jwt");
    }
    let loaded = federation.load(&json_of(json!({"ids": ["there", "shared", "none"]}))).unwrap();
    assert_eq!(loaded.entries[1].get("title").unwrap().as_str(), Some("jwt among other words"));
    assert_eq!(loaded.missing, ["none"]);
}

#[test]
fn v13_weights_can_be_set_and_decide_priority() {
    let (one, other) = (vault(&[("a", "jwt first")]), vault(&[("a", "jwt")]));
    let tiers = |weight| [Tier::new("agent", &one), Tier { weight, ..Tier::new("wiki", &other) }];
    assert_eq!(found(&ask(&Federation::new(tiers(0.5)), json!({}))), [("a", "agent")]);
    assert_eq!(found(&ask(&Federation::new(tiers(1.5)), json!({}))), [("a", "wiki")]);
    let names = |weight| {
        Federation::new(tiers(weight)).weights().unwrap().iter().map(|(name, _)| *name).collect::<Vec<_>>()
    };
    assert_eq!((names(0.5), names(1.5)), (vec!["agent", "wiki"], vec!["wiki", "agent"]));
}

#[test]
fn v13_limits_guards_and_budgets_hold_for_all_tiers_together() {
    let entries = |prefix: &str, count: usize| {
        let ids = (0..count).map(|number| format!("{prefix}{number}")).collect::<Vec<_>>();
        vault(&ids.iter().map(|id| (id.as_str(), "jwt")).collect::<Vec<_>>())
    };
    let (few, some, many) = (entries("a", 12), entries("b", 12), entries("c", 80));
    let small = Federation::new([Tier::new("agent", &few), Tier::new("team", &some)]);
    assert_eq!(ask(&small, json!({"limit": 11})).results.len(), 24, "few candidates are all returned");
    assert_eq!(ask(&small, json!({"limit": 12})).results.len(), 12);
    let large = Federation::new([Tier::new("agent", &few), Tier::new("team", &many)]);
    let response = ask(&large, json!({"limit": 10}));
    assert_eq!(response.results.len(), 10);
    assert!(response.results.iter().all(|result| result.tier.as_deref() == Some("agent")));
    // Each title has one token.
    assert_eq!(ask(&large, json!({"limit": 10, "maxTokens": 3})).results.len(), 3);
}
