//! Reads queries as JSON lines: `{"id": …, "text": …}`, and further fields for filters.

use super::lines::{fault, lines};
use crate::input::Fault;
use anyhow::{Context, Result};
use snapseek::json::Json;
use std::collections::HashSet;
use std::path::Path;

/// A query to evaluate.
#[derive(Debug, PartialEq)]
pub struct JudgedQuery {
    /// Its id in the judgments.
    pub id: String,
    /// Its text.
    pub text: String,
    /// The whole line, for conditions that depend on the query, such as `group`.
    pub fields: Json,
}

/// Reads a file of queries.
///
/// # Errors
/// When it cannot be read, or a line of it is no query; the message names file and line.
pub fn read_queries(path: &Path) -> Result<Vec<JudgedQuery>> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read the queries in {name}"))?;
    Ok(parse(&text, &name)?)
}

fn parse(text: &str, name: &str) -> Result<Vec<JudgedQuery>, Fault> {
    let mut ids = HashSet::new();
    let mut queries = Vec::new();
    for (line, content) in lines(text) {
        let query = query(content).map_err(|reason| fault(name, line, reason))?;
        if !ids.insert(query.id.clone()) {
            return Err(fault(
                name,
                line,
                format!("a query with the id \"{}\" occurs above; change one of the ids", query.id),
            ));
        }
        queries.push(query);
    }
    Ok(queries)
}

fn query(line: &str) -> Result<JudgedQuery, String> {
    let fields = Json::parse(line.as_bytes()).map_err(|error| format!("this is not JSON: {error}"))?;
    if !matches!(fields, Json::Object(_)) {
        return Err(format!("a query is an object with id and text, not {}", fields.kind()));
    }
    let id = match fields.get("id") {
        Some(Json::String(id)) if !id.is_empty() => id.clone(),
        // Judgments are text, and write a number in this way.
        Some(Json::Integer(id)) => id.to_string(),
        Some(Json::String(_)) => return Err("id: must not be empty".to_owned()),
        Some(other) => return Err(format!("id: must be a string or a whole number, not {}", other.kind())),
        None => return Err("id: is missing".to_owned()),
    };
    let text = match fields.get("text") {
        Some(Json::String(text)) => text.clone(),
        Some(other) => return Err(format!("text: must be a string, not {}", other.kind())),
        None => return Err("text: is missing".to_owned()),
    };
    Ok(JudgedQuery { id, text, fields })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_keeps_the_fields_that_a_filter_may_ask_for() {
        let text = "{\"id\": \"q1\", \"text\": \"who went\", \"group\": \"conv-26\"}\r\n\n{\"id\": 7, \"text\": \"\"}";
        let queries = parse(text, "queries.jsonl").unwrap();
        assert_eq!((queries[0].id.as_str(), queries[0].text.as_str()), ("q1", "who went"));
        assert_eq!(queries[0].fields.get("group"), Some(&Json::String("conv-26".to_owned())));
        assert_eq!((queries[1].id.as_str(), queries.len()), ("7", 2));
    }

    #[test]
    fn a_fault_names_the_file_and_the_line() {
        let fault = |text| parse(text, "q.jsonl").unwrap_err().to_string();
        assert!(fault("{\"id\": \"a\", \"text\": \"x\"}\n{").starts_with("q.jsonl:2: this is not JSON"));
        assert_eq!(fault("[]"), "q.jsonl:1: a query is an object with id and text, not an array");
        assert_eq!(fault("{\"text\": \"x\"}"), "q.jsonl:1: id: is missing");
        assert_eq!(fault("\n{\"id\": \"a\"}"), "q.jsonl:2: text: is missing");
        assert_eq!(fault("{\"id\": \"a\", \"text\": 3}"), "q.jsonl:1: text: must be a string, not a number");
        assert_eq!(
            fault("{\"id\": \"a\", \"text\": \"\"}\n{\"id\": \"a\", \"text\": \"\"}"),
            "q.jsonl:2: a query with the id \"a\" occurs above; change one of the ids"
        );
    }
}
