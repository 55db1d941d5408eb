//! Tables as text: rows of cells under a header row, separated by commas, semicolons or tabs.
//!
//! csv-core, the parser of the `csv` crate, decides where cells and rows end (RFC 4180: quotes, doubled quotes, line ends
//! within quotes). The reader thread uses it to find the boundaries of rows, and worker threads use it again to split a row
//! into cells, so both always agree. The `csv` crate itself cannot do the first: its reader owns its input and cannot
//! resume when a buffer ends within a row.

use super::chunk::{Flaw, Grammar};
use super::json::{entry_of, with_id};
use super::{Entry, Framing, Misplaced, Step};
use csv_core::ReadRecordResult;
use snapseek::Schema;
use snapseek::attributes::{AttributeType, time_of};
use snapseek::json::Json;
use std::sync::Arc;

/// The separators that a `.csv` file may use, the most common one first.
const CSV_SEPARATORS: &[u8] = b",;\t";
const TSV_SEPARATORS: &[u8] = b"\t";

const UNCLOSED_QUOTE: &str = "a quoted cell of this row does not end; add the closing quotation mark";

/// The names in the header row, and the separator of the rows below it.
#[derive(Debug)]
pub struct TextColumns {
    names: Vec<String>,
    separator: u8,
}

/// Finds the rows of a text table. The first row is the header; every other row is an entry.
#[derive(Debug)]
pub struct TextRows {
    separators: &'static [u8],
    /// The column that is the id.
    id: String,
    /// The header, once it is read, and the parser for its separator.
    header: Option<(Arc<TextColumns>, RowParser)>,
}

impl TextRows {
    /// Reads CSV. The header row shows which separator the file uses.
    pub fn csv(id: Option<&str>) -> TextRows {
        TextRows { separators: CSV_SEPARATORS, id: id.unwrap_or("id").to_owned(), header: None }
    }

    /// Reads cells separated by tabs.
    pub fn tsv(id: Option<&str>) -> TextRows {
        TextRows { separators: TSV_SEPARATORS, id: id.unwrap_or("id").to_owned(), header: None }
    }

    /// Reads the header row at the start of `text`. Returns its length, or `None` if `text` ends within it.
    fn read_header(&mut self, text: &[u8], is_end: bool) -> Result<Option<usize>, String> {
        let mut best: Option<(TextColumns, RowParser, usize)> = None;
        for &separator in self.separators {
            let mut parser = RowParser::new(separator);
            let len = match parser.read(text, is_end) {
                Ok(Some(len)) => len,
                Ok(None) => return Ok(None),
                Err(UnclosedQuote) => continue,
            };
            let names = parser.names()?;
            let rank = |names: &[String]| (names.contains(&self.id), names.len());
            if best.as_ref().is_none_or(|(columns, ..)| rank(&names) > rank(&columns.names)) {
                best = Some((TextColumns { names, separator }, parser, len));
            }
        }
        let (columns, parser, len) = best.ok_or(UNCLOSED_QUOTE)?;
        columns.check(&self.id)?;
        self.header = Some((Arc::new(columns), parser));
        Ok(Some(len))
    }
}

impl Framing for TextRows {
    fn step(&mut self, text: &[u8], from: usize, is_end: bool) -> Result<Step, Misplaced> {
        let mut from = from;
        loop {
            from += text[from..].iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
            if from == text.len() {
                return Ok(Step::More(from));
            }
            let misplaced = |reason| Misplaced { at: from, reason };
            let Some((_, parser)) = &mut self.header else {
                match self.read_header(&text[from..], is_end).map_err(misplaced)? {
                    Some(len) => from += len,
                    None => return Ok(Step::More(from)),
                }
                continue;
            };
            let read = parser.read(&text[from..], is_end);
            let Some(len) = read.map_err(|UnclosedQuote| misplaced(UNCLOSED_QUOTE.to_owned()))? else {
                return Ok(Step::More(from));
            };
            if parser.is_blank() {
                from += len;
                continue;
            }
            let line_end =
                text[from..from + len].iter().rev().take_while(|byte| matches!(byte, b'\r' | b'\n'));
            let end = from + len - line_end.count();
            return Ok(Step::Entry(from..end, end));
        }
    }

    fn grammar(&self) -> Grammar {
        let (columns, _) = self.header.as_ref().expect("there are entries only after the header");
        Grammar::Row(Arc::clone(columns))
    }
}

/// Splits rows into cells, and keeps the cells of the last row.
#[derive(Debug)]
pub struct RowParser {
    reader: csv_core::Reader,
    /// Whether the reader stopped within a row.
    is_within_row: bool,
    /// The text of all cells, without separators and quotes; the rest of the buffer is unused.
    text: Vec<u8>,
    /// Where each cell ends in `text`; the rest of the buffer is unused.
    ends: Vec<usize>,
    count: usize,
}

/// The input ends within a quoted cell.
#[derive(Debug, PartialEq, Eq)]
struct UnclosedQuote;

impl RowParser {
    /// Splits rows at this separator. Building the tables of a parser is slow: make one per chunk, not one per row.
    fn new(separator: u8) -> RowParser {
        let reader = csv_core::ReaderBuilder::new().delimiter(separator).build();
        RowParser { reader, is_within_row: true, text: vec![0; 256], ends: vec![0; 32], count: 0 }
    }

    /// Reads the row at the start of `input`, and replaces the cells.
    ///
    /// Returns the length of the row with the first byte of its line end, or `None` if `input` ends within the row and more
    /// input follows.
    fn read(&mut self, input: &[u8], is_end: bool) -> Result<Option<usize>, UnclosedQuote> {
        if self.is_within_row {
            self.reader.reset();
            // csv-core drops a byte order mark from the first row that it reads. Only a file may start with one, and the
            // chunk reader has dropped it already, so this is not the first row.
            self.reader.read_record(b"x\n", &mut self.text, &mut self.ends);
        }
        self.is_within_row = true;
        let (mut read, mut written, mut ended) = (0, 0, 0);
        loop {
            let is_past_input = read == input.len();
            if is_past_input && !is_end {
                return Ok(None);
            }
            // csv-core accepts an open quote at the end of the input. A line end after the input tells the cases apart:
            // it ends the row, unless a quote is open.
            let rest = if is_past_input { b"\n" } else { &input[read..] };
            let (result, taken, bytes, ends) =
                self.reader.read_record(rest, &mut self.text[written..], &mut self.ends[ended..]);
            read += if is_past_input { 0 } else { taken };
            written += bytes;
            ended += ends;
            match result {
                ReadRecordResult::InputEmpty if is_past_input => return Err(UnclosedQuote),
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.text.resize(2 * self.text.len(), 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(2 * self.ends.len(), 0),
                ReadRecordResult::Record => {
                    self.is_within_row = false;
                    self.count = ended;
                    return Ok(Some(read));
                }
                ReadRecordResult::End => unreachable!("csv-core ends only on empty input"),
            }
        }
    }

    fn cells(&self) -> impl Iterator<Item = &[u8]> {
        let ends = &self.ends[..self.count];
        let starts = [0].into_iter().chain(ends.iter().copied());
        starts.zip(ends).map(|(start, &end)| &self.text[start..end])
    }

    /// Whether the row is a line of white space.
    fn is_blank(&self) -> bool {
        self.count == 1 && self.cells().all(|cell| cell.iter().all(u8::is_ascii_whitespace))
    }

    fn names(&self) -> Result<Vec<String>, String> {
        let name = |cell: &[u8]| std::str::from_utf8(cell).map(|name| name.trim().to_owned());
        let names = self.cells().map(name).collect::<Result<_, _>>();
        names.map_err(|_| "the header is not UTF-8; save the input as UTF-8".to_owned())
    }
}

impl TextColumns {
    /// Returns a parser for rows under this header.
    pub fn parser(&self) -> RowParser {
        RowParser::new(self.separator)
    }

    fn check(&self, id: &str) -> Result<(), String> {
        let names = &self.names;
        for (place, name) in names.iter().enumerate() {
            if name.is_empty() {
                return Err(format!("column {} of the header has no name; name every column", place + 1));
            }
            if names[..place].contains(name) {
                return Err(format!("the header has two columns \"{name}\"; rename one"));
            }
        }
        if !names.iter().any(|name| name == id) {
            let names = names.join(", ");
            return Err(format!("the header has no column \"{id}\"; pass --id with one of {names}"));
        }
        Ok(())
    }
}

/// Parses a row. Empty cells are absent, and so are the last cells of a row that is shorter than the header.
pub fn parse_row(
    row: &[u8],
    columns: &TextColumns,
    parser: &mut RowParser,
    schema: Option<&Schema>,
    id: Option<&str>,
) -> Result<Entry, Flaw> {
    parser.read(row, true).map_err(|UnclosedQuote| Flaw::new(UNCLOSED_QUOTE))?;
    if parser.count > columns.names.len() {
        let (found, expected) = (parser.count, columns.names.len());
        return Err(Flaw::new(format!(
            "the row has {found} cells, the header has {expected}; quote cells that contain the separator"
        )));
    }
    let mut fields = Vec::with_capacity(parser.count);
    for (name, cell) in columns.names.iter().zip(parser.cells()).filter(|(_, cell)| !cell.is_empty()) {
        let cell = std::str::from_utf8(cell);
        let cell = cell.map_err(|_| Flaw::new("this is not UTF-8; save the input as UTF-8"))?;
        let kind = schema.and_then(|schema| schema.attribute(name)).map(|(_, kind)| kind);
        fields.push((name.clone(), value(name, cell, kind)?));
    }
    entry_of(with_id(Json::Object(fields), id)?)
}

fn value(name: &str, cell: &str, kind: Option<AttributeType>) -> Result<Json, Flaw> {
    let (value, wanted) = match kind {
        Some(AttributeType::Number) => (number(cell), "a number"),
        Some(AttributeType::Bool) => (bool(cell), "true or false"),
        Some(AttributeType::Time) => {
            (time(cell), "a date such as 2024-05-01 or 2024-05-01T12:30Z, nor milliseconds since 1970")
        }
        _ => return Ok(Json::String(cell.to_owned())),
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

    fn cells(row: &str, separator: u8) -> Vec<String> {
        let mut parser = RowParser::new(separator);
        assert_eq!(parser.read(row.as_bytes(), true), Ok(Some(row.len())));
        parser.cells().map(|cell| String::from_utf8(cell.to_vec()).unwrap()).collect()
    }

    fn header(text: &str) -> Result<(u8, Vec<String>), String> {
        let mut rows = TextRows::csv(None);
        rows.read_header(text.as_bytes(), true)?;
        let (columns, _) = rows.header.unwrap();
        Ok((columns.separator, columns.names.clone()))
    }

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
            ("\u{feff}a,b", vec!["\u{feff}a", "b"]),
        ];
        for (row, expected) in cases {
            assert_eq!(cells(row, b','), expected, "{row}");
        }
    }

    #[test]
    fn cells_longer_than_the_first_buffer_are_whole() {
        let (long, many) = ("x".repeat(5000), ["y"; 300].join(","));
        assert_eq!(cells(&format!("{long},{many}"), b',')[0], long);
        assert_eq!(cells(&format!("{long},{many}"), b',').len(), 301);
    }

    #[test]
    fn rows_end_at_line_ends_outside_of_quotes() {
        let text = b"id,t\r\n1,\"a\nb\"\r\n\r\n2,c";
        let mut rows = TextRows::csv(None);
        assert_eq!(rows.step(text, 0, true).unwrap(), Step::Entry(6..13, 13));
        assert_eq!(rows.step(text, 13, true).unwrap(), Step::Entry(17..20, 20));
        assert_eq!(rows.step(text, 20, true).unwrap(), Step::More(20));
        let unended = rows.step(b"\"a\n", 0, true).unwrap_err();
        assert_eq!(unended.reason, UNCLOSED_QUOTE);
        assert_eq!(rows.step(b"\"a\n", 0, false).unwrap(), Step::More(0));
    }

    #[test]
    fn rows_are_the_same_wherever_the_text_is_cut() {
        let text = "id;t\r\n1;\"a;\"\"b\"\"\r\nc\"\r\n  \r\n2;d\r3;\"\"\n4".as_bytes();
        let whole = ["1;\"a;\"\"b\"\"\r\nc\"", "2;d", "3;\"\"", "4"];
        for cut in 0..=text.len() {
            let mut rows = TextRows::csv(None);
            let (mut found, mut from) = (Vec::new(), 0);
            for (known, is_end) in [(&text[..cut], false), (text, true)] {
                loop {
                    match rows.step(known, from, is_end).unwrap() {
                        Step::Entry(entry, next) => {
                            found.push(std::str::from_utf8(&text[entry]).unwrap());
                            from = next;
                        }
                        Step::More(next) => break from = next,
                    }
                }
            }
            assert_eq!(found, whole, "cut at {cut}");
        }
    }

    #[test]
    fn the_header_shows_the_separator() {
        for (text, separator, names) in [
            ("id,a;b", b',', vec!["id", "a;b"]),
            ("id;a,b;c", b';', vec!["id", "a,b", "c"]),
            ("a, b;id", b';', vec!["a, b", "id"]),
            ("id\tt", b'\t', vec!["id", "t"]),
            ("\"id\";\"a;b\"", b';', vec!["id", "a;b"]),
            ("id", b',', vec!["id"]),
        ] {
            let names = names.into_iter().map(str::to_owned).collect();
            assert_eq!(header(text), Ok((separator, names)), "{text}");
        }
    }

    #[test]
    fn headers_that_cannot_be_used_say_why() {
        for (text, reason) in [
            ("a,b", "no column \"id\""),
            ("id,,b", "column 2"),
            ("id,a,a", "two columns \"a\""),
            ("\"id", "does not end"),
        ] {
            assert!(header(text).unwrap_err().contains(reason), "{text}");
        }
    }
}
