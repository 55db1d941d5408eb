//! Which records did people choose? A log of clicks, as queries and judgments.
//!
//! A log has one JSON object per line: `{"query": …, "clicked": …, "shown": […]}`. A clicked record is judged 1 for the text
//! of its query, over all lines with this text; a record that was only shown is judged 0. Clicks favour records that are
//! already near the top, because people see these first, so a log understates records that the search does not yet find.

use super::lines::{fault, lines};
use super::{JudgedQuery, Qrels};
use crate::input::Fault;
use anyhow::{Context, Result};
use snapseek::json::Json;
use std::collections::HashSet;
use std::path::Path;

/// The queries of a log of clicks, with their judgments.
#[derive(Debug, PartialEq)]
pub struct ClickLog {
    /// Each query text that led to a click, in the order of first clicks. The text is also the query's id.
    pub queries: Vec<JudgedQuery>,
    /// The records that were clicked or shown.
    pub qrels: Qrels,
}

impl ClickLog {
    /// Reads a log.
    ///
    /// # Errors
    /// When the file cannot be read, or a line is malformed; the message names file and line.
    pub fn read(path: &Path) -> Result<ClickLog> {
        let name = path.display().to_string();
        let text =
            std::fs::read_to_string(path).with_context(|| format!("cannot read the clicks in {name}"))?;
        Ok(ClickLog::parse(&text, &name)?)
    }

    /// Parses a log. Lines without a click and lines with a blank query do not count.
    fn parse(text: &str, name: &str) -> Result<ClickLog, Fault> {
        let mut known = HashSet::new();
        let mut log = ClickLog { queries: Vec::new(), qrels: Qrels::default() };
        for (line, content) in lines(text) {
            let Some(click) = click(content).map_err(|reason| fault(name, line, reason))? else { continue };
            if known.insert(click.query.clone()) {
                let (id, text) = (click.query.clone(), click.query.clone());
                log.queries.push(JudgedQuery { id, text, fields: Json::Object(Vec::new()) });
            }
            log.qrels.raise(&click.query, &click.record, 1);
            for shown in &click.shown {
                log.qrels.raise(&click.query, shown, 0);
            }
        }
        Ok(log)
    }
}

/// A line of a log.
struct Click {
    query: String,
    record: String,
    shown: Vec<String>,
}

/// Reads a line; `None` if nothing was clicked, or if the query is blank.
fn click(line: &str) -> Result<Option<Click>, String> {
    let fields = Json::parse(line.as_bytes()).map_err(|error| format!("this is not JSON: {error}"))?;
    if !matches!(fields, Json::Object(_)) {
        return Err(format!("a click is an object with query and clicked, not {}", fields.kind()));
    }
    let query = match fields.get("query") {
        Some(Json::String(query)) => query.trim().to_owned(),
        Some(other) => return Err(format!("query: must be a string, not {}", other.kind())),
        None => return Err("query: is missing".to_owned()),
    };
    let shown = match fields.get("shown") {
        None | Some(Json::Null) => Vec::new(),
        Some(Json::Array(shown)) => {
            shown.iter().map(|id| record_id("shown", id)).collect::<Result<_, _>>()?
        }
        Some(other) => return Err(format!("shown: must be an array, not {}", other.kind())),
    };
    let record = match fields.get("clicked") {
        Some(Json::Null) => return Ok(None),
        Some(id) => record_id("clicked", id)?,
        None => return Err("clicked: is missing; null means that nothing was clicked".to_owned()),
    };
    Ok((!query.is_empty()).then_some(Click { query, record, shown }))
}

fn record_id(name: &str, id: &Json) -> Result<String, String> {
    match id {
        Json::String(id) => Ok(id.clone()),
        Json::Integer(id) => Ok(id.to_string()),
        other => Err(format!("{name}: a record's id is a string or a whole number, not {}", other.kind())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<ClickLog, String> {
        ClickLog::parse(text, "clicks.jsonl").map_err(|fault| fault.to_string())
    }

    #[test]
    fn clicks_on_one_query_text_become_its_judgments() {
        let log = parse(
            r#"{"query": "late bus", "clicked": "t7", "shown": ["t1", "t7", "t9"]}
            {"query": "bins", "clicked": 3}
            {"query": " late bus ", "clicked": "t9", "shown": ["t7", "t9"]}
            {"query": "late bus", "clicked": "t7"}"#,
        )
        .unwrap();
        let ids = log.queries.iter().map(|query| (query.id.as_str(), query.text.as_str()));
        assert_eq!(ids.collect::<Vec<_>>(), [("late bus", "late bus"), ("bins", "bins")]);
        let expected =
            [("late bus", "t1", 0), ("late bus", "t7", 1), ("late bus", "t9", 1), ("bins", "3", 1)];
        assert_eq!(log.qrels, Qrels::from_entries(expected));
    }

    #[test]
    fn lines_without_a_click_or_without_a_query_do_not_count() {
        let log = parse(
            "{\"query\": \"a\", \"clicked\": null, \"shown\": [\"x\"]}\n{\"query\": \" \", \"clicked\": 1}\n",
        );
        assert_eq!(log.unwrap(), ClickLog { queries: Vec::new(), qrels: Qrels::default() });
    }

    #[test]
    fn a_fault_names_the_file_and_the_line() {
        let fault = |text| parse(text).unwrap_err();
        assert!(
            fault("{\"query\":\"a\",\"clicked\":\"x\"}\n{").starts_with("clicks.jsonl:2: this is not JSON")
        );
        assert_eq!(fault("{\"clicked\":\"x\"}"), "clicks.jsonl:1: query: is missing");
        assert_eq!(
            fault("{\"query\":\"a\"}"),
            "clicks.jsonl:1: clicked: is missing; null means that nothing was clicked"
        );
        assert_eq!(
            fault("{\"query\":\"a\",\"clicked\":[\"x\"]}"),
            "clicks.jsonl:1: clicked: a record's id is a string or a whole number, not an array"
        );
        assert_eq!(
            fault("{\"query\":\"a\",\"clicked\":\"x\",\"shown\":\"x\"}"),
            "clicks.jsonl:1: shown: must be an array, not a string"
        );
    }
}
