//! Does V5 equal a naive twin without an index that splits, counts and compares each text?

#![cfg(not(target_arch = "wasm32"))]

use snapseek::analysis::{Analyzer, Purpose};
use snapseek::json::Json;
use snapseek::ranking::{idf, stop_words};
use snapseek::schema::Schema;
use snapseek::{Builder, Embedded, Engine, Key, Record, VaultQuery};
use std::collections::{BTreeMap, BTreeSet};

const WORDS: [&str; 24] = [
    "jwt",
    "Validation",
    "tokens",
    "token",
    "rotate",
    "the",
    "does",
    "how",
    "of",
    "in",
    "naïve",
    "Café",
    "expiry",
    "ok",
    "ферма",
    "session",
    "sessions",
    "would",
    "key",
    "ex-piry",
    "doe",
    "zz9",
    "same",
    "checks",
];

struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// Makes a text of up to `most` words; words early in the list are more common.
    fn text(&mut self, most: usize) -> String {
        let words = (0..self.below(most + 1)).map(|_| {
            let end = self.below(WORDS.len()) + 1;
            WORDS[self.below(end)]
        });
        words.collect::<Vec<_>>().join(" ")
    }

    fn record(&mut self, id: usize) -> Record {
        let kind = if self.below(5) == 0 { "memory" } else { "entry" };
        let (title, description, context) = (self.text(4), self.text(9), self.text(3));
        let (tag, other) = (self.text(1), self.text(1));
        let json = serde_json::json!({"id": format!("jwt-{id}"), "kind": kind, "title": title, "tags": [tag, other],
            "description": description, "context": context, "note": self.text(5)});
        Record::from_json(Json::parse(json.to_string().as_bytes()).unwrap()).unwrap()
    }
}

fn schema() -> Schema {
    serde_json::from_str(
        r#"{"tokenizer":"porter unicode61",
            "fields":{"id":{},"title":{},"note":{},"description":{},"context":{},"tags":{}},
            "attributes":{"tags":"keywords"}}"#,
    )
    .unwrap()
}

fn terms(analyzer: &Analyzer, text: &str, into: &mut BTreeMap<Vec<u8>, u32>) {
    let stopped = stop_words().map(|word| {
        let mut term = Vec::new();
        analyzer.term(word, &mut term);
        term
    });
    let stopped = stopped.collect::<BTreeSet<_>>();
    analyzer.spans(text, Purpose::Document, |span| {
        let mut term = Vec::new();
        analyzer.term(&text[span.start..span.end], &mut term);
        if std::str::from_utf8(&term).unwrap().chars().count() > 2 && !stopped.contains(&term) {
            *into.entry(term).or_default() += 1;
        }
    });
}

/// Returns the cosine of the query and each entry, by id.
fn naive(records: &BTreeMap<(String, String), Record>, query: &str) -> BTreeMap<String, f64> {
    let analyzer = schema().analyzer().unwrap();
    let mut entries = BTreeMap::new();
    for ((id, kind), record) in records {
        if kind != "memory" {
            let own: &mut BTreeMap<Vec<u8>, u32> = entries.entry(id.clone()).or_default();
            for field in ["title", "description", "context", "tags"] {
                terms(&analyzer, &record.text(field).unwrap_or_default(), own);
            }
        }
    }
    let with_term = |term: &Vec<u8>| entries.values().filter(|own| own.contains_key(term)).count() as u64;
    let idf = |term: &Vec<u8>| idf(entries.len() as u64, with_term(term));
    let mut asked = BTreeMap::new();
    terms(&analyzer, query, &mut asked);
    asked.retain(|term, _| with_term(term) > 0);
    let length = |counts: &BTreeMap<Vec<u8>, u32>| {
        let squares = counts.iter().map(|(term, count)| (f64::from(*count) * idf(term)).powi(2));
        squares.fold(0.0, |sum, square| sum + square).sqrt()
    };
    let cosine = |own: &BTreeMap<Vec<u8>, u32>| {
        let products = asked.iter().map(|(term, count)| {
            let own = own.get(term).copied().unwrap_or(0);
            f64::from(own) * idf(term) * (f64::from(*count) * idf(term))
        });
        let dot = products.fold(0.0, |sum, product| sum + product);
        let lengths = length(&asked) * length(own);
        if lengths > 0.0 { (dot / lengths).min(1.0) } else { 0.0 }
    };
    entries.iter().map(|(id, own)| (id.clone(), cosine(own))).collect()
}

#[test]
fn v5_comparing_terms_equals_its_naive_twin_to_the_bit_as_entries_come_and_go() {
    let mut compared = 0;
    for seed in 0..12 {
        let mut random = Random(seed);
        let mut records = BTreeMap::new();
        let keep = |record: &Record, records: &mut BTreeMap<(String, String), Record>| {
            records.insert((record.id().to_owned(), record.kind().to_owned()), record.clone());
        };
        let mut builder = Builder::new(&schema()).unwrap();
        for id in 0..random.below(40) {
            let record = random.record(id);
            builder.add(&record).unwrap();
            keep(&record, &mut records);
        }
        let mut engine = Engine::open(builder.finish().unwrap()).unwrap();
        for step in 0..12 {
            match random.below(3) {
                0 => {
                    let id = format!("jwt-{}", random.below(40));
                    for kind in ["entry", "memory"] {
                        engine.remove([Key { id: &id, kind }]).unwrap();
                        records.remove(&(id.clone(), kind.to_owned()));
                    }
                }
                1 => {
                    let id = random.below(60);
                    let record = random.record(id);
                    engine.add([&record]).unwrap();
                    keep(&record, &mut records);
                }
                _ => {}
            }
            let query = format!("jwt {}", random.text(6));
            let asked = VaultQuery { limit: 1000, memories: false, ..VaultQuery::of(&query) };
            let expected = naive(&records, &query);
            let results = engine.vault().search(&asked, &Embedded::default()).unwrap().results;
            // All ids have the first word of the query.
            assert_eq!(results.len(), expected.len(), "seed {seed}, step {step}");
            for result in results {
                let found = result.breakdown.unwrap().values[0];
                assert_eq!(
                    found.to_bits(),
                    expected[&result.id].to_bits(),
                    "{}: {found}, {query}",
                    result.id
                );
                compared += usize::from(found > 0.0);
            }
        }
    }
    assert!(compared > 500, "only {compared} entries had anything to compare");
}
