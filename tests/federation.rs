//! Are several vaults searched as one? The JavaScript tests use the same cases.

#![cfg(not(target_arch = "wasm32"))]

use serde_json::{Value, json};
use snapseek::json::Json;
use snapseek::pipeline::Stages;
use snapseek::ranking::within_budget;
use snapseek::recipe::vault::{TierResult, keeps_all, merge};
use snapseek::schema::Schema;
use snapseek::{Embedded, Engine, Federated, Federation, Record, Tier, VaultMode, VaultQuery};

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

fn ask(federation: &Federation, more: impl Fn(VaultQuery) -> VaultQuery) -> Federated {
    let query = more(VaultQuery { now: Some(0.0), ..VaultQuery::of("jwt") });
    federation.search(&query, &Embedded::default()).unwrap()
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
    let federation = Federation::new(tiers).unwrap();
    let response = ask(&federation, |query| VaultQuery { explain: true, mode: VaultMode::Scan, ..query });
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
        let query = VaultQuery { now: Some(0.0), ..VaultQuery::of("jwt") };
        let own = engine.vault().search(&query, &Embedded::default()).unwrap();
        let own = own.results.iter().find(|other| other.id == result).unwrap().score;
        let result = response.results.iter().find(|other| other.id == result).unwrap();
        assert_eq!(result.score, own * if result.id == "here" { 0.8 } else { 0.6 });
        assert_eq!(result.explain.as_ref().unwrap().score.score(), result.score, "to the bit");
        assert_eq!(result.scan.as_ref().unwrap().title, "jwt");
    }
    let loaded = federation.load(&["there", "shared", "none"].map(str::to_owned)).unwrap();
    assert_eq!(loaded.entries[1].get("title").unwrap().as_str(), Some("jwt among other words"));
    assert_eq!(loaded.missing, ["none"]);
}

#[test]
fn v13_weights_can_be_set_and_decide_priority() {
    let (one, other) = (vault(&[("a", "jwt first")]), vault(&[("a", "jwt")]));
    let tiers = |weight| [Tier::new("agent", &one), Tier { weight, ..Tier::new("wiki", &other) }];
    assert_eq!(found(&ask(&Federation::new(tiers(0.5)).unwrap(), |query| query)), [("a", "agent")]);
    assert_eq!(found(&ask(&Federation::new(tiers(1.5)).unwrap(), |query| query)), [("a", "wiki")]);
    let names = |weight| {
        let federation = Federation::new(tiers(weight)).unwrap();
        federation.weights().unwrap().iter().map(|(name, _)| *name).collect::<Vec<_>>()
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
    let small = Federation::new([Tier::new("agent", &few), Tier::new("team", &some)]).unwrap();
    assert_eq!(
        ask(&small, |query| VaultQuery { limit: 11, ..query }).results.len(),
        24,
        "few candidates are all returned"
    );
    assert_eq!(ask(&small, |query| VaultQuery { limit: 12, ..query }).results.len(), 12);
    let large = Federation::new([Tier::new("agent", &few), Tier::new("team", &many)]).unwrap();
    let response = ask(&large, |query| VaultQuery { limit: 10, ..query });
    assert_eq!(response.results.len(), 10);
    assert!(response.results.iter().all(|result| result.tier.as_deref() == Some("agent")));
    // Each title has one token.
    let budget = Stages { max_tokens: Some(3), ..Stages::default() };
    assert_eq!(ask(&large, |query| VaultQuery { stages: budget.clone(), ..query }).results.len(), 3);
}

#[test]
fn a_federation_reports_all_faults_of_its_tiers() {
    let engine = vault(&[]);
    let tier = Tier::new("agent", &engine);
    let faults = |tiers: &[Tier]| Federation::new(tiers.iter().copied()).unwrap_err().to_string();
    let bad = [tier, Tier { weight: f64::NAN, ..tier }, Tier { name: "", weight: -1.0, ..tier }];
    assert_eq!(
        faults(&bad),
        "tiers: tier 1 has the name \"agent\" of another tier, the weight of tier 1 must be 0 or more, not NaN, \
         tier 2 must have a name, the weight of tier 2 must be 0 or more, not -1"
    );
    assert_eq!(faults(&[]), "tiers: must have at least one tier");
}

#[test]
fn v14_each_tier_degrades_on_its_own_and_strict_is_an_error() {
    let with_vectors: Schema = serde_json::from_str(
        r#"{"fields":{"title":{}},"vectors":{"m":{"field":"v","width":2,"encoding":"f32"}}}"#,
    )
    .unwrap();
    let mut near = Engine::empty(&with_vectors).unwrap();
    let record = Json::parse(br#"{"id":"a","title":"jwt","v":[1,0]}"#).unwrap();
    near.add([&Record::from_json(record).unwrap()]).unwrap();
    let words = vault(&[("b", "jwt")]);
    let federation = Federation::new([Tier::new("agent", &near), Tier::new("team", &words)]).unwrap();
    let query = VaultQuery::of("jwt");
    let of = |vector: Vec<f32>| Embedded { vectors: Some(vector), is_by_embed: true, ..Embedded::default() };
    let response = federation.search(&query, &of(vec![1.0, 0.0])).unwrap();
    assert!(!response.degraded && response.warnings.is_empty());
    let response = federation.search(&query, &of(vec![1.0])).unwrap();
    assert!(response.degraded);
    assert!(response.warnings[0].starts_with("agent: embed: its vector cannot be compared with \"m\""));
    assert_eq!((response.warnings.len(), response.results.len()), (1, 2));
    let strict = VaultQuery { strict: true, ..query };
    assert!(federation.search(&strict, &of(vec![1.0])).is_err());
    assert!(federation.search(&strict, &of(vec![1.0, 0.0])).is_ok());
}

#[test]
fn pinned_entries_come_first_whatever_tier_they_are_from() {
    let (agent, team) = (vault(&[("a", "jwt"), ("b", "jwt")]), vault(&[("c", "jwt"), ("d", "other words")]));
    let federation = Federation::new([Tier::new("agent", &agent), Tier::new("team", &team)]).unwrap();
    let stages = Stages { pinned: vec!["d".to_owned(), "b".to_owned()], ..Stages::default() };
    let response = ask(&federation, |query| VaultQuery { limit: 3, stages: stages.clone(), ..query });
    assert_eq!(found(&response), [("d", "team"), ("b", "agent"), ("a", "agent")]);
}
