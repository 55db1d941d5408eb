//! Which memories may be found, and are pages full? M3 and M8.

use crate::{Memories, NOW, text};
use serde_json::{Value, json};

/// A pseudo-random generator; the same seed gives the same numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }
}

const SECTORS: [&str; 5] = ["episodic", "semantic", "procedural", "emotional", "reflective"];

/// Builds four hundred memories in several segments; some are deleted, superseded or of other kinds.
fn many(random: &mut Random) -> Memories {
    let mut memories = Memories::new();
    for number in 0..400 {
        let id = format!("m{number}");
        let mut memory = json!({
            "id": id, "kind": random.pick(&["memory", "memory", "memory", "document"]),
            "content": format!("{} {} {number}", random.pick(&["ship", "boat", "pier"]), random.pick(&["red", "blue"])),
            "projectId": random.pick(&["p", "q"]), "sector": random.pick(&SECTORS),
            "tier": random.pick(&["session", "project", "global"]), "salience": random.below(100) as f64 / 100.0,
            "createdAt": NOW - random.below(100) as f64 * 1e8, "isDeleted": random.below(5) == 0,
        });
        if random.below(4) == 0 {
            memory["validUntil"] = json!(NOW + random.below(3) as f64 - 1.0);
        }
        let is_memory = memory["kind"] == "memory";
        memories.add(memory);
        if is_memory && random.below(3) == 0 {
            let session = random.pick(&["s", "t"]);
            memories.call("linkToSession", json!({ "id": id, "sessionId": session, "usage": "updated" }));
        }
    }
    memories
}

fn passes(memories: &Memories, memory: &Value, options: &Value) -> bool {
    let same = |option: &str, field: &str| options.get(option).is_none_or(|wanted| memory[field] == *wanted);
    let state = memories.engine.state().unwrap();
    let is_used = options
        .get("sessionId")
        .is_none_or(|session| state.used_in(session.as_str().unwrap()).any(|id| memory["id"] == id));
    let is_superseded = memory["validUntil"].as_f64().is_some_and(|end| end <= NOW);
    same("projectId", "projectId")
        && same("sector", "sector")
        && same("tier", "tier")
        && memory["salience"].as_f64() >= options["minSalience"].as_f64()
        && is_used
        && (options["includeSuperseded"] == true || !is_superseded)
        && memory["isDeleted"] != true
}

#[test]
fn m3_no_filter_leaks_and_pages_are_full_in_every_mode() {
    let mut random = Random(3);
    let mut memories = many(&mut random);
    let all = (0..400).filter_map(|number| {
        let id = format!("m{number}");
        memories.engine.record(snapseek::Key { id: &id, kind: "memory" }).unwrap()
    });
    let all = all.map(|record| serde_json::from_str::<Value>(&record.json().to_text()).unwrap());
    let all = all.collect::<Vec<_>>();
    let mut full = 0;
    for round in 0..150 {
        let mut options = json!({ "query": "ship", "track": false, "limit": 1 + random.below(12) });
        for (name, values) in [
            ("projectId", &["p", "q"][..]),
            ("sector", &SECTORS),
            ("tier", &["session", "project"]),
            ("sessionId", &["s", "t"]),
        ] {
            if random.below(3) == 0 {
                options[name] = json!(random.pick(values));
            }
        }
        if random.below(3) == 0 {
            options["minSalience"] = json!(random.below(100) as f64 / 100.0);
        }
        options["includeSuperseded"] = json!(random.below(2) == 0);
        options["mode"] = json!(random.pick(&["hybrid", "semantic", "keyword"]));
        let may = |memory: &&Value| {
            let matches = options["mode"] != "keyword" || text(&memory["content"]).contains("ship");
            matches && passes(&memories, memory, &options)
        };
        let matching = all.iter().filter(may).count();
        let results = memories.search(options.clone());
        for result in &results {
            assert!(passes(&memories, &result["memory"], &options), "round {round}: {options} {result}");
        }
        let limit = usize::try_from(options["limit"].as_u64().unwrap()).unwrap();
        assert_eq!(results.len(), limit.min(matching), "round {round}: {options}");
        full += usize::from(results.len() == limit);
    }
    assert!(full > 50, "only {full} pages were full");
}

#[test]
fn m3_a_filter_that_leaves_the_worst_matches_still_fills_the_page() {
    let mut memories = Memories::new();
    for number in 0..300 {
        let (content, project) = match number % 10 {
            0 => ("word among many others in a long text that ranks low".to_owned(), "small"),
            _ => ("word".to_owned(), "large"),
        };
        memories.create(json!({ "content": content, "projectId": project }));
    }
    for mode in ["hybrid", "semantic", "keyword"] {
        let results =
            memories.search(json!({ "query": "word", "projectId": "small", "mode": mode, "limit": 30 }));
        assert_eq!(results.len(), 30, "{mode}");
    }
}

#[test]
fn m3_a_filter_can_name_several_sectors() {
    let mut memories = Memories::of_words();
    for sector in SECTORS {
        memories.create(json!({ "id": sector, "content": "word", "sector": sector }));
    }
    let found = memories.found(json!({ "query": "word", "sector": ["episodic", "emotional"] }));
    assert_eq!(found, ["emotional", "episodic"]);
}

#[test]
fn m3_filters_see_fields_that_changed_after_the_record_was_written() {
    let mut memories = Memories::of_words();
    memories.create(json!({ "id": "a", "content": "word", "salience": 0.2 }));
    let options = json!({ "query": "word", "minSalience": 0.5, "track": false });
    assert_eq!(memories.found(options.clone()), [""; 0]);
    memories.call("reinforce", json!({ "id": "a", "amount": 0.5 }));
    assert_eq!(memories.found(options.clone()), ["a"]);
    memories.call("delete", json!({ "id": "a" }));
    assert_eq!(memories.found(options), [""; 0]);
}

#[test]
fn m3_a_schema_without_the_attributes_can_be_searched() {
    let mut memories = Memories::of(json!({ "fields": { "body": {} } }));
    memories.add(json!({ "id": "a", "kind": "memory", "body": "some words" }));
    let result = memories.result("a", json!({ "query": "words" }));
    assert_eq!(result["highlights"], json!(["some <mark>words</mark>"]));
    // Without the attributes, salience is that of a new memory, and the memory has no age.
    let value = |place: usize| result["explain"]["parts"][place]["value"].clone();
    assert_eq!([value(2), value(3)], [1.0, 0.0]);
    let response = memories.call("search", json!({ "query": "words", "projectId": "p", "tier": "x" }));
    assert_eq!(response["results"], json!([]));
    assert_eq!(
        response["warnings"][0],
        "projectId: the schema has no such attribute, so no record passes this filter"
    );
    memories = memories.with_decay();
    assert_eq!(memories.call("timeline", json!({ "id": "a" }))["before"], json!([]));
    let found = memories.found(json!({ "query": "words", "minSalience": 0.5 }));
    assert_eq!(found, ["a"]);
    memories.call("delete", json!({ "id": "a" }));
    assert_eq!(memories.found(json!({ "query": "words" })), [""; 0]);
}

#[test]
fn m8_superseded_means_that_valid_until_is_not_later_than_now() {
    let mut memories = Memories::of_words();
    for (id, end) in [("past", NOW - 1.0), ("now", NOW), ("future", NOW + 1.0)] {
        memories.create(json!({ "id": id, "content": "word", "validUntil": end }));
    }
    assert_eq!(memories.found(json!({ "query": "word", "track": false })), ["future"]);
    let all = json!({ "query": "word", "includeSuperseded": true });
    for (id, is_superseded) in [("past", true), ("now", true), ("future", false)] {
        assert_eq!(memories.result(id, all.clone())["isSuperseded"], is_superseded, "{id}");
    }
    assert_eq!(memories.search(json!({ "query": "word", "now": NOW + 1.0 })).len(), 0);
}
