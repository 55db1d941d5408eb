//! Measures many rankings, each and together.

use super::{Measures, Qrels};
use std::cmp::Reverse;
use std::collections::HashSet;

/// A document that a query found.
#[derive(Clone, Debug, PartialEq)]
pub struct RetrievedDocument {
    /// Its id.
    pub document: String,
    /// Its score; higher is better.
    pub score: f64,
}

/// The results of a query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryRun {
    /// The query's id.
    pub query: String,
    /// The documents in any order. They are ranked by score, and ties by document id.
    pub results: Vec<RetrievedDocument>,
}

impl QueryRun {
    /// Takes documents in rank order. Their scores follow from their ranks, so no tie changes the order.
    pub fn in_order(query: impl Into<String>, documents: impl IntoIterator<Item = String>) -> QueryRun {
        let places = (1..).map(|place: i32| -f64::from(place));
        let results = documents.into_iter().zip(places);
        QueryRun {
            query: query.into(),
            results: results.map(|(document, score)| RetrievedDocument { document, score }).collect(),
        }
    }

    /// Ranks as trec_eval does: by score in single precision, then by document id, the greater bytes first. A document
    /// that occurs twice keeps its better rank.
    fn ranking(&self) -> Vec<&str> {
        let mut results = self.results.iter().collect::<Vec<_>>();
        results.sort_by(|a, b| {
            let score = |retrieved: &RetrievedDocument| retrieved.score as f32 + 0.0;
            score(b).total_cmp(&score(a)).then_with(|| Reverse(&a.document).cmp(&Reverse(&b.document)))
        });
        let mut seen = HashSet::new();
        results
            .into_iter()
            .map(|retrieved| retrieved.document.as_str())
            .filter(|id| seen.insert(*id))
            .collect()
    }
}

/// The measures of one query.
#[derive(Clone, Debug, PartialEq)]
pub struct QueryReport {
    /// The id of the query.
    pub query: String,
    /// Its measures.
    pub measures: Measures,
    /// The number of relevant documents.
    pub relevant: usize,
    /// The number of documents that were found.
    pub found: usize,
}

/// The measures of all queries.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The mean over [`Report::queries`].
    pub overall: Measures,
    /// Each query that was run and is judged, in the order of the runs. A query with no results, or no relevant
    /// documents, counts with zeros, as in trec_eval.
    pub queries: Vec<QueryReport>,
    /// Queries that were run and are not judged. They do not count.
    pub unjudged: Vec<String>,
    /// The number of queries that are judged and were not run. They do not count; `trec_eval -c` would count zeros.
    pub not_run: usize,
}

impl Report {
    /// Returns the share of queries without any result, 0 to 1.
    pub fn empty(&self) -> f64 {
        let without = self.queries.iter().filter(|query| query.found == 0).count();
        without as f64 / self.queries.len().max(1) as f64
    }
}

/// Measures results against judgments.
pub fn evaluate(runs: &[QueryRun], qrels: &Qrels) -> Report {
    let mut queries = Vec::new();
    let mut unjudged = Vec::new();
    for run in runs {
        let Some(judged) = qrels.of(&run.query) else {
            unjudged.push(run.query.clone());
            continue;
        };
        let ranking = run.ranking();
        queries.push(QueryReport {
            query: run.query.clone(),
            measures: Measures::of_ranking(&ranking, judged),
            relevant: judged.values().filter(|relevance| **relevance > 0).count(),
            found: ranking.len(),
        });
    }
    let run = queries.iter().map(|report| report.query.as_str()).collect::<HashSet<_>>().len();
    Report {
        overall: Measures::mean(queries.iter().map(|report| &report.measures)),
        queries,
        unjudged,
        not_run: qrels.len() - run,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use std::collections::BTreeMap;

    #[derive(Deserialize)]
    struct Recorded {
        mean: Expected,
        queries: Vec<RecordedQuery>,
    }

    #[derive(Deserialize)]
    struct RecordedQuery {
        query: String,
        qrels: BTreeMap<String, i64>,
        run: BTreeMap<String, f64>,
        expected: Expected,
    }

    #[derive(Deserialize)]
    struct Expected {
        ndcg: f64,
        recall: f64,
        mrr: f64,
    }

    fn assert_equal(found: Measures, expected: &Expected, query: &str) {
        for (found, expected) in
            [(found.ndcg, expected.ndcg), (found.recall, expected.recall), (found.mrr, expected.mrr)]
        {
            assert!((found - expected).abs() < 1e-12, "{query}: {found}, and trec_eval says {expected}");
        }
    }

    fn retrieved(results: &[(&str, f64)]) -> Vec<RetrievedDocument> {
        let one = |(document, score): &(&str, f64)| RetrievedDocument {
            document: (*document).to_owned(),
            score: *score,
        };
        results.iter().map(one).collect()
    }

    #[test]
    fn every_measure_of_every_query_and_their_means_are_trec_evals() {
        let recorded: Recorded =
            serde_json::from_str(include_str!("../../tests/golden/trec_eval.json")).unwrap();
        assert!(recorded.queries.len() > 30);
        let judgments = recorded.queries.iter().flat_map(|query| {
            query
                .qrels
                .iter()
                .map(|(document, relevance)| (query.query.as_str(), document.as_str(), *relevance))
        });
        let qrels = Qrels::from_entries(judgments);
        let run = |query: &RecordedQuery| QueryRun {
            query: query.query.clone(),
            results: query
                .run
                .iter()
                .map(|(id, score)| RetrievedDocument { document: id.clone(), score: *score })
                .collect(),
        };
        let report = evaluate(&recorded.queries.iter().map(run).collect::<Vec<_>>(), &qrels);
        for (found, query) in report.queries.iter().zip(&recorded.queries) {
            assert_equal(found.measures, &query.expected, &query.query);
        }
        assert_equal(report.overall, &recorded.mean, "the mean");
    }

    #[test]
    fn the_mean_is_over_queries_that_were_run_and_are_judged() {
        let qrels = Qrels::from_entries([("a", "x", 1), ("b", "x", 1), ("c", "x", 0), ("d", "x", 1)]);
        let runs = [
            QueryRun { query: "a".to_owned(), results: retrieved(&[("x", 1.0)]) },
            QueryRun { query: "b".to_owned(), results: Vec::new() },
            QueryRun { query: "c".to_owned(), results: retrieved(&[("x", 1.0)]) },
            QueryRun { query: "e".to_owned(), results: retrieved(&[("x", 1.0)]) },
        ];
        let report = evaluate(&runs, &qrels);
        assert_eq!(report.overall.ndcg, 1.0 / 3.0);
        assert_eq!(report.queries.iter().map(|report| report.relevant).collect::<Vec<_>>(), [1, 1, 0]);
        assert_eq!((report.unjudged, report.not_run), (vec!["e".to_owned()], 1));
    }

    #[test]
    fn documents_in_order_stay_in_order_where_a_tie_would_turn_them() {
        let run = QueryRun::in_order("q", ["a", "b", "a", "c"].map(str::to_owned));
        assert_eq!(run.ranking(), ["a", "b", "c"]);
        let tied = QueryRun { query: "q".to_owned(), results: retrieved(&[("a", 1.0), ("b", 1.0)]) };
        assert_eq!(tied.ranking(), ["b", "a"]);
    }
}
