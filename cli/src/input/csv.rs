//! Cells under a header line, parted by commas or tabs, as RFC 4180 has them.
//!
//! A cell that starts with a quotation mark goes on to the next one that is not doubled, over line ends too.

use super::chunk::{Flaw, Grammar};
use super::json::entry_of;
use super::{Entry, Framing, Misplaced, Step};
use memchr::{memchr, memchr3};
use snapseek::Schema;
use snapseek::attributes::{AttributeType, time_of};
use snapseek::json::Json;
use std::sync::Arc;

/// The header line.
#[derive(Debug)]
pub struct Columns {
    names: Vec<String>,
    separator: u8,
}

/// Every row after the first is an entry.
#[derive(Debug)]
pub struct Rows {
    separator: u8,
    columns: Option<Arc<Columns>>,
}

impl Rows {
    /// Rows whose cells are parted by this byte.
    pub fn new(separator: u8) -> Rows {
        Rows { separator, columns: None }
    }
}

impl Framing for Rows {
    fn step(&mut self, text: &[u8], from: usize, is_end: bool) -> Result<Step, Misplaced> {
        let mut from = from;
        loop {
            from += text[from..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            let Some(row) = row_end(text, from, self.separator, is_end)? else { return Ok(Step::More(from)) };
            if self.columns.is_some() {
                return Ok(Step::Entry(from..row, row));
            }
            let columns = Columns::parse(&text[from..row], self.separator);
            self.columns = Some(Arc::new(columns.map_err(|reason| Misplaced { at: from, reason })?));
            from = row;
        }
    }

    fn grammar(&self) -> Grammar {
        let columns = self.columns.as_ref().expect("there are entries only after the header");
        Grammar::Row(Arc::clone(columns))
    }
}

/// The end of the row at `from`, without its line end; none where there is no row, or more text is needed.
fn row_end(text: &[u8], from: usize, separator: u8, is_end: bool) -> Result<Option<usize>, Misplaced> {
    let mut at = from;
    loop {
        if text.get(at) == Some(&b'"') {
            at = match quoted_end(text, at + 1) {
                Some(end) => end,
                None if is_end => {
                    return Err(Misplaced {
                        at: from,
                        reason: "a quoted cell of this row does not end".to_owned(),
                    });
                }
                None => return Ok(None),
            };
        }
        match memchr3(separator, b'\n', b'\r', &text[at..]) {
            Some(len) if text[at + len] == separator => at += len + 1,
            Some(len) => return Ok(Some(at + len)),
            None => return Ok((is_end && from < text.len()).then_some(text.len())),
        }
    }
}

/// The place after the quotation mark that ends a quoted cell, whose text starts at `at`.
fn quoted_end(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        at += memchr(b'"', text.get(at..)?)? + 1;
        if text.get(at) != Some(&b'"') {
            return Some(at);
        }
        at += 1;
    }
}

/// The cells of a row. What stands between the end of a quoted cell and the separator belongs to the cell.
fn cells(row: &str, separator: u8) -> Vec<String> {
    let mut cells = Vec::new();
    let mut at = 0;
    loop {
        let mut cell = String::new();
        if row[at..].starts_with('"')
            && let Some(end) = quoted_end(row.as_bytes(), at + 1)
        {
            cell = row[at + 1..end - 1].replace("\"\"", "\"");
            at = end;
        }
        let len = memchr(separator, &row.as_bytes()[at..]);
        let end = len.map_or(row.len(), |len| at + len);
        cell.push_str(&row[at..end]);
        cells.push(cell);
        if len.is_none() {
            return cells;
        }
        at = end + 1;
    }
}

impl Columns {
    fn parse(row: &[u8], separator: u8) -> Result<Columns, String> {
        let row = std::str::from_utf8(row).map_err(|_| "the header is not UTF-8; save the input as UTF-8")?;
        let names = cells(row, separator).iter().map(|name| name.trim().to_owned()).collect::<Vec<_>>();
        for (place, name) in names.iter().enumerate() {
            if name.is_empty() {
                return Err(format!("column {} of the header has no name; name every column", place + 1));
            }
            if names[..place].contains(name) {
                return Err(format!("the header has two columns \"{name}\"; rename one"));
            }
        }
        if !names.iter().any(|name| name == "id") {
            return Err(
                "the header has no column \"id\"; the first line names the columns, and one is \"id\""
                    .to_owned(),
            );
        }
        Ok(Columns { names, separator })
    }
}

/// Parses a row; empty cells are absent.
pub fn parse_row(row: &[u8], columns: &Columns, schema: Option<&Schema>) -> Result<Entry, Flaw> {
    let row =
        std::str::from_utf8(row).map_err(|_| Flaw::new("this is not UTF-8; save the input as UTF-8"))?;
    let cells = cells(row, columns.separator);
    if cells.len() != columns.names.len() {
        let (found, expected) = (cells.len(), columns.names.len());
        return Err(Flaw::new(format!("the row has {found} cells, the header has {expected}")));
    }
    let mut fields = Vec::with_capacity(cells.len());
    for (name, cell) in columns.names.iter().zip(cells).filter(|(_, cell)| !cell.is_empty()) {
        let kind = schema.and_then(|schema| schema.attribute(name)).map(|(_, kind)| kind);
        fields.push((name.clone(), value(name, cell, kind)?));
    }
    entry_of(Json::Object(fields))
}

fn value(name: &str, cell: String, kind: Option<AttributeType>) -> Result<Json, Flaw> {
    let (value, wanted) = match kind {
        Some(AttributeType::Number) => (number(&cell), "a number"),
        Some(AttributeType::Bool) => (bool(&cell), "true or false"),
        Some(AttributeType::Time) => {
            (time(&cell), "a date such as 2024-05-01 or 2024-05-01T12:30Z, nor milliseconds since 1970")
        }
        _ => return Ok(Json::String(cell)),
    };
    value.ok_or_else(|| Flaw::new(format!("column \"{name}\": {cell:?} is not {wanted}")))
}

fn number(cell: &str) -> Option<Json> {
    let cell = cell.trim();
    let integer = cell.parse().ok().map(Json::Integer);
    integer.or_else(|| cell.parse().ok().filter(|number: &f64| number.is_finite()).map(Json::from_f64))
}

fn bool(cell: &str) -> Option<Json> {
    match cell.trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(Json::Bool(true)),
        "false" | "no" | "0" => Some(Json::Bool(false)),
        _ => None,
    }
}

fn time(cell: &str) -> Option<Json> {
    number(cell).or_else(|| {
        let date = Json::String(cell.trim().to_owned());
        time_of(&date).map(|_| date)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_keep_separators_line_ends_and_doubled_quotes() {
        let cases = [
            ("a,b,", vec!["a", "b", ""]),
            (r#""a,b",c"#, vec!["a,b", "c"]),
            (r#""say ""hi""","""#, vec![r#"say "hi""#, ""]),
            (r#"5" disk,x"#, vec![r#"5" disk"#, "x"]),
            ("\"two\nlines\",é", vec!["two\nlines", "é"]),
            ("\"\"\",\"\"\"", vec!["\",\""]),
            (r#""a"b,c"#, vec!["ab", "c"]),
        ];
        for (row, expected) in cases {
            assert_eq!(cells(row, b','), expected, "{row}");
        }
    }

    #[test]
    fn rows_end_at_line_ends_outside_of_quotes() {
        let text = b"id,t\r\n1,\"a\nb\"\r\n\r\n2,c";
        let mut rows = Rows::new(b',');
        assert_eq!(rows.step(text, 0, true).unwrap(), Step::Entry(6..13, 13));
        assert_eq!(rows.step(text, 13, true).unwrap(), Step::Entry(17..20, 20));
        assert_eq!(rows.step(text, 20, true).unwrap(), Step::More(20));
        let unended = rows.step(b"\"a\n", 0, true).unwrap_err();
        assert_eq!(unended.reason, "a quoted cell of this row does not end");
        assert_eq!(rows.step(b"\"a\n", 0, false).unwrap(), Step::More(0));
    }

    #[test]
    fn headers_that_cannot_be_used_say_why() {
        for (header, reason) in
            [("a,b", "no column \"id\""), ("id,,b", "column 2"), ("id,a,a", "two columns \"a\"")]
        {
            assert!(Columns::parse(header.as_bytes(), b',').unwrap_err().contains(reason));
        }
    }
}
