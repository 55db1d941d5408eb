//! Which documents answer which query? Judgments, as three columns or as TREC's four.

use super::lines::{fault, lines};
use crate::input::Fault;
use anyhow::{Context, Result};
use std::collections::{HashMap, hash_map::Entry};
use std::path::Path;

/// Relevance by query and document. Values from 1 on are relevant; 0 and negative values are judged and not relevant.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Qrels {
    by_query: HashMap<String, HashMap<String, i64>>,
}

impl Qrels {
    /// Reads a file of judgments.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is malformed; the message names file and line.
    pub fn read(path: &Path) -> Result<Qrels> {
        let name = path.display().to_string();
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read the judgments in {name}"))?;
        Ok(Qrels::parse(&text, &name)?)
    }

    /// Parses judgments: query, document and relevance, separated by tabs, or TREC's query, iteration, document and
    /// relevance, separated by tabs or spaces. The first line may be a header.
    ///
    /// # Errors
    /// When a line is malformed, or contradicts an earlier one.
    pub fn parse(text: &str, name: &str) -> Result<Qrels, Fault> {
        let mut qrels = Qrels::default();
        for (number, (line, content)) in lines(text).enumerate() {
            let cells = cells(content);
            let (query, document, relevance) = match cells[..] {
                [query, document, relevance] | [query, _, document, relevance] => {
                    (query, document, relevance)
                }
                _ => {
                    let reason = format!(
                        "{} columns; a judgment has three (query, document, relevance), or TREC's four with an \
                         iteration after the query",
                        cells.len()
                    );
                    return Err(fault(name, line, reason));
                }
            };
            let relevance = match relevance.parse() {
                Ok(relevance) => relevance,
                // A word instead of the first number: a header.
                Err(_) if number == 0 && relevance.starts_with(char::is_alphabetic) => continue,
                Err(_) => {
                    return Err(fault(
                        name,
                        line,
                        format!("relevance \"{relevance}\" is not a whole number"),
                    ));
                }
            };
            qrels.judge(query, document, relevance).map_err(|reason| fault(name, line, reason))?;
        }
        Ok(qrels)
    }

    /// Adds a judgment.
    fn judge(&mut self, query: &str, document: &str, relevance: i64) -> Result<(), String> {
        match self.by_query.entry(query.to_owned()).or_default().entry(document.to_owned()) {
            Entry::Vacant(entry) => _ = entry.insert(relevance),
            Entry::Occupied(entry) if *entry.get() == relevance => {}
            Entry::Occupied(entry) => {
                return Err(format!(
                    "document \"{document}\" is judged {relevance} for query \"{query}\", and {} above; keep one",
                    entry.get()
                ));
            }
        }
        Ok(())
    }

    /// Adds a judgment; of several for the same query and document, the highest relevance counts.
    pub fn raise(&mut self, query: &str, document: &str, relevance: i64) {
        let judged = self.by_query.entry(query.to_owned()).or_default();
        let known = judged.entry(document.to_owned()).or_insert(relevance);
        *known = relevance.max(*known);
    }

    /// Returns the judged documents of a query; `None` if the query is not judged.
    pub fn of(&self, query: &str) -> Option<&HashMap<String, i64>> {
        self.by_query.get(query)
    }

    /// The number of judged queries.
    pub fn len(&self) -> usize {
        self.by_query.len()
    }

    #[cfg(test)]
    pub fn from_entries<'a>(entries: impl IntoIterator<Item = (&'a str, &'a str, i64)>) -> Qrels {
        let mut qrels = Qrels::default();
        for (query, document, relevance) in entries {
            qrels.judge(query, document, relevance).unwrap();
        }
        qrels
    }
}

/// Splits a line at tabs if it has any, so that ids may contain spaces, or else at spaces.
fn cells(line: &str) -> Vec<&str> {
    match line.contains('\t') {
        true => line.split('\t').map(str::trim).collect(),
        false => line.split_whitespace().collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Qrels, String> {
        Qrels::parse(text, "qrels.tsv").map_err(|fault| fault.to_string())
    }

    #[test]
    fn three_columns_with_or_without_a_header_are_read_alike() {
        let qrels = parse("query-id\tdoc-id\trelevance\nq1\ta b\t2\r\n\nq2\tc\t0\n").unwrap();
        assert_eq!(qrels, parse("q1\ta b\t2\nq2\tc\t0").unwrap());
        assert_eq!(qrels.of("q1").unwrap()["a b"], 2);
        assert_eq!(qrels.len(), 2);
        assert!(qrels.of("q3").is_none());
    }

    #[test]
    fn trecs_four_columns_are_read_between_spaces_or_tabs() {
        let qrels = Qrels::from_entries([("301", "FT-1", 1), ("301", "FT-2", -1)]);
        assert_eq!(parse("301 0 FT-1 1\n301  Q0  FT-2 -1\n").unwrap(), qrels);
        assert_eq!(parse("301\t0\tFT-1\t1\n301\t0\tFT-2\t-1\n").unwrap(), qrels);
    }

    #[test]
    fn a_fault_names_the_file_and_the_line() {
        let fault = |text| parse(text).unwrap_err();
        assert_eq!(fault("q1\ta\t1\nq1\tb\tyes\n"), "qrels.tsv:2: relevance \"yes\" is not a whole number");
        assert_eq!(fault("q1\ta\t1.5\n"), "qrels.tsv:1: relevance \"1.5\" is not a whole number");
        assert!(fault("\n\nq1\ta\n").starts_with("qrels.tsv:3: 2 columns; a judgment has three"));
        assert!(fault("q1\ta\t1\nq1\ta\t2\n").starts_with("qrels.tsv:2: document \"a\" is judged 2"));
    }

    #[test]
    fn a_judgment_that_is_repeated_counts_once() {
        assert_eq!(parse("q\ta\t1\nq\ta\t1\n").unwrap(), Qrels::from_entries([("q", "a", 1)]));
    }
}
