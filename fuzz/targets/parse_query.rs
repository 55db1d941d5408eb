//! Parses any text as an expression and as plain words; it must not panic. The span of an error must lie in the expression. A
//! query must refer to its own phrases only, must not nest deeper than allowed, and must run. The fast paths of retrieval
//! must give the same rows and bits as the general path.

#![no_main]

use libfuzzer_sys::fuzz_target;
use snapseek::Engine;
use snapseek::analysis::Analyzer;
use snapseek::attributes::Overrides;
use snapseek::bitmap::Bitmap;
use snapseek::bm25::Totals;
use snapseek::json::Json;
use snapseek::query::{MAX_DEPTH, Query, QueryNode, any_word};
use snapseek::retrieval::{self, Corpus, LiveSegment, Ranked, Retrieval, TableCache, ValueIndexes};
use snapseek::segment::Segment;
use snapseek::state::State;
use snapseek_fuzz::{ask, samples, seeds};
use std::sync::OnceLock;

const WEIGHTS: [&[f64]; 8] = [
    &[],
    &[1.0, 1.0],
    &[10.0],
    &[0.1, 0.7],
    &[0.0, 1.0],
    &[-1.0, 2.0],
    &[1e300, 1e-300],
    &[f64::NAN, f64::INFINITY],
];

// Input: u8 choices, then the expression.
fuzz_target!(
    init: seeds::write(seeds),
    |input: &[u8]| {
        let Some((&choice, rest)) = input.split_first() else { return };
        let text = snapseek_fuzz::text(rest);
        let (place, weights) = (usize::from(choice >> 5), WEIGHTS[usize::from(choice >> 2 & 7)]);
        let sample = &sample()[usize::from(choice & 1)];
        let names = sample.engine.schema().field_names();
        match Query::parse(text, &names, &sample.analyzer) {
            Err(error) => {
                assert!(text.get(error.span()).is_some(), "{error} at {:?}", error.span());
                assert!(!error.remedy().is_empty());
                assert!(sample.engine.matches(text, &ask::match_options(place)).is_err());
            }
            Ok(query) => {
                check_tree(&query, &query.root, 0);
                sample.engine.matches(text, &ask::match_options(place)).expect("an expression that parses runs");
                sample.compare(&query, weights, place);
            }
        }
        let words = Query::parse(&any_word(text), &names, &sample.analyzer).expect("words always parse");
        sample.compare(&words, weights, place);
        sample.engine.search(text, &ask::search_options(place)).expect("words always run");
        sample.engine.suggest(text, 3).expect("suggesting never fails");
    }
);

fn check_tree(query: &Query, node: &QueryNode, depth: usize) {
    assert!(depth <= MAX_DEPTH);
    match node {
        QueryNode::Nothing => {}
        QueryNode::Near(group) => {
            assert!(!group.phrases.is_empty() && group.phrases.iter().all(|&at| at < query.phrases.len()))
        }
        QueryNode::And(nodes) | QueryNode::Or(nodes) => {
            nodes.iter().for_each(|node| check_tree(query, node, depth + 1))
        }
        QueryNode::Not(keep, drop) => {
            [keep, drop].into_iter().for_each(|node| check_tree(query, node, depth + 1))
        }
    }
}

/// An engine, and two segments with the same schema. The first segment has dead documents.
struct Sample {
    engine: Engine,
    analyzer: Analyzer,
    segments: [Segment; 2],
    dead: Bitmap,
    tables: [TableCache; 2],
}

impl Sample {
    /// Checks that the best rows do not depend on whether retrieval has to find all matches.
    fn compare(&self, query: &Query, weights: &[f64], limit: usize) {
        let [first, second] = &self.segments;
        let [tables, other_tables] = &self.tables;
        let (values_by, overrides) = (&ValueIndexes::default(), &Overrides::default());
        let other_row = first.documents();
        let parts = [
            LiveSegment {
                segment: first,
                dead: Some(&self.dead),
                first_row: 0,
                tables,
                values_by,
                overrides,
            },
            LiveSegment {
                segment: second,
                dead: None,
                first_row: other_row,
                tables: other_tables,
                values_by,
                overrides,
            },
        ];
        let lengths = self.segments.iter().map(|segment| segment.lengths().expect("it is good"));
        let live = lengths.enumerate().flat_map(|(part, lengths)| {
            (0..).zip(lengths).filter(move |(document, _)| parts[part].is_live(*document))
        });
        let add = |totals: Totals, length: u32| Totals {
            rows: totals.rows + 1,
            tokens: totals.tokens + u64::from(length),
        };
        let totals = live.fold(Totals::default(), |totals, (_, &length)| add(totals, length));
        let state = State::default();
        let corpus = Corpus { parts: &parts, totals, state: &state };
        // Even limits come with a filter.
        let allowed = parts
            .map(|part| Bitmap::where_true(part.segment.documents() as usize, |document| document % 5 < 3));
        let allowed = limit.is_multiple_of(2).then_some(&allowed[..]);
        let rows = |limit: usize, wants_all: bool| {
            let retrieval = Retrieval { query, weights, limit, allowed, wants_all };
            retrieval::search(&corpus, &retrieval).expect("it is good").rows
        };
        let bits = |rows: &[Ranked]| rows.iter().map(|row| (row.row, row.rank.to_bits())).collect::<Vec<_>>();
        let all = rows(usize::MAX, true);
        // Rows whose rank is not finite have no defined order.
        if all.iter().all(|row| row.rank.is_finite()) {
            assert_eq!(bits(&rows(usize::MAX, false)), bits(&all), "{query:?} {weights:?}");
            let best = &all[..limit.min(all.len())];
            assert_eq!(bits(&rows(limit, false)), bits(best), "{query:?} {weights:?}");
            assert_eq!(bits(&rows(limit, true)), bits(best), "{query:?} {weights:?}");
        }
    }
}

fn sample() -> &'static [Sample; 2] {
    static SAMPLES: OnceLock<[Sample; 2]> = OnceLock::new();
    SAMPLES.get_or_init(|| {
        let sample = |schema: snapseek::Schema, records: Vec<snapseek::Record>| {
            let cut = records.len() - records.len() / 10;
            let segment = |records| Segment::open(samples::snapshot(&schema, records)).expect("it is good");
            let segments = [segment(&records[..cut]), segment(&records[cut..])];
            Sample {
                engine: Engine::open(samples::snapshot(&schema, &records)).expect("it is good"),
                analyzer: schema.analyzer().expect("it is good"),
                dead: Bitmap::where_true(cut, |document| document % 7 == 3),
                segments,
                tables: Default::default(),
            }
        };
        // Repeat the records with fields of different lengths. This gives posting lists of several blocks, and windows that
        // end early.
        let mut many = Vec::new();
        for i in 0..15 {
            for record in samples::golden_records() {
                let Json::Object(mut entries) = record.json().clone() else { continue };
                entries.retain(|(name, _)| name != "id");
                entries.insert(0, ("id".to_owned(), Json::String(format!("{} {i}", record.id()))));
                if let Some((_, Json::String(body))) = entries.iter_mut().find(|(name, _)| name == "body") {
                    *body = format!("{} {}", body, "fox the ".repeat(i % 6));
                }
                many.push(snapseek::Record::from_json(Json::Object(entries)).expect("it was one before"));
            }
        }
        [sample(samples::golden_schema(), many), sample(samples::crowd_schema(), samples::crowd())]
    })
}

fn seeds() -> Vec<Vec<u8>> {
    let mut expressions = Vec::new();
    for file in seeds::files("tests/cases") {
        let Ok(json) = Json::parse(&file) else { continue };
        let Some(Json::Array(queries)) = json.get("queries") else { continue };
        expressions.extend(queries.iter().filter_map(|query| Some(query.get("match")?.as_str()?.to_owned())));
    }
    let own = [
        "fox OR the OR quick",
        "the AND lazy",
        "qu* the",
        "\"quick fox\" NOT dog",
        "NEAR(quick fox \"the lazy\", 3)",
        "{title body} : (^the + fox*) AND -title : dog",
        "*special",
        "((((the))))",
    ];
    expressions.extend(own.map(str::to_owned));
    expressions.push("the NOT ".repeat(300));
    let numbered = expressions.iter().zip((0..=u8::MAX).cycle().step_by(37));
    numbered.map(|(expression, choice)| seeds::with_choice(choice, expression.as_bytes())).collect()
}
