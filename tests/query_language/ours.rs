//! Evaluates a query tree in the simplest possible way.

use crate::{FIELDS, ROWS, analyzer};
use snapseek::analysis::{Analyzer, Purpose};
use snapseek::ids::FieldId;
use snapseek::query::{NearGroup, Phrase, Query, QueryError, QueryNode, QueryTerm};

type Row = [Vec<Vec<u8>>; 3];

pub struct Ours {
    analyzer: Analyzer,
    rows: Vec<Row>,
}

impl Ours {
    pub fn new() -> Ours {
        let analyzer = analyzer();
        let terms = |text: &str| {
            let mut terms = Vec::new();
            analyzer.spans(text, Purpose::Query, |span| {
                let mut term = Vec::new();
                analyzer.term(&text[span.start..span.end], &mut term);
                terms.push(term);
            });
            terms
        };
        let rows = ROWS.iter().map(|row| row.map(terms)).collect();
        Ours { analyzer, rows }
    }

    pub fn answer(&self, expression: &str) -> Result<Vec<i64>, String> {
        let query =
            Query::parse(expression, &FIELDS, &self.analyzer).map_err(|error| checked(expression, &error))?;
        let matching = (0..).zip(&self.rows).filter(|(_, row)| matches(&query, &query.root, row));
        Ok(matching.map(|(number, _)| number).collect())
    }
}

/// Returns the message of `error`, after checking that its span and remedy can be shown.
fn checked(expression: &str, error: &QueryError) -> String {
    assert!(expression.get(error.span()).is_some(), "{:?} is no span of {expression:?}", error.span());
    assert!(error.remedy().ends_with('.'), "{error} has the remedy {:?}", error.remedy());
    error.to_string()
}

fn matches(query: &Query, node: &QueryNode, row: &Row) -> bool {
    match node {
        QueryNode::Nothing => false,
        QueryNode::Near(near) => is_near(query, near, row),
        QueryNode::And(operands) => operands.iter().all(|operand| matches(query, operand, row)),
        QueryNode::Or(operands) => operands.iter().any(|operand| matches(query, operand, row)),
        QueryNode::Not(wanted, unwanted) => matches(query, wanted, row) && !matches(query, unwanted, row),
    }
}

/// Returns whether some occurrence of a phrase has an occurrence of every phrase within the allowed distance before it.
fn is_near(query: &Query, near: &NearGroup, row: &Row) -> bool {
    let phrases: Vec<&Phrase> = near.phrases.iter().map(|&place| &query.phrases[place]).collect();
    let starts: Vec<Vec<(usize, usize)>> = phrases.iter().map(|phrase| starts(phrase, row)).collect();
    let reach = |phrase: &Phrase| phrase.terms.len() + near.distance as usize;
    starts.iter().flatten().any(|&(field, last)| {
        phrases.iter().zip(&starts).all(|(phrase, starts)| {
            starts.iter().any(|&(f, start)| f == field && start <= last && start + reach(phrase) >= last)
        })
    })
}

fn starts(phrase: &Phrase, row: &Row) -> Vec<(usize, usize)> {
    let mut starts = Vec::new();
    for (field, tokens) in row.iter().enumerate() {
        let is_searched = phrase.fields.has(FieldId(field as u8));
        for (start, window) in tokens.windows(phrase.terms.len()).enumerate() {
            let fits = phrase.terms.iter().zip(window).all(|(term, token)| is_term(term, token));
            if is_searched && fits && (start == 0 || !phrase.is_initial) {
                starts.push((field, start));
            }
        }
    }
    starts
}

fn is_term(term: &QueryTerm, token: &[u8]) -> bool {
    match term {
        QueryTerm::Exact(bytes) => bytes == token,
        QueryTerm::Prefix(bytes) => token.starts_with(bytes),
        QueryTerm::AnyOf(terms) => terms.iter().any(|bytes| bytes == token),
    }
}
