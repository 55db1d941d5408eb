//! Parses one YAML document into JSON, by the core schema of YAML 1.2.
//!
//! An alias is a copy of its anchor, so a few lines can expand to more than any memory holds. The number of values is
//! therefore limited.

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError};
use snapseek::json::Json;
use std::collections::HashMap;

/// A document with more values, aliases expanded, is refused.
const MAX_VALUES: usize = 10_000;
/// A document with deeper nesting is refused.
const MAX_DEPTH: usize = 64;

/// Why a text is no YAML, and the line of the fault, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct YamlError {
    pub line: u64,
    pub reason: String,
}

/// Parses the first document; null if there is none.
pub fn parse(text: &str) -> Result<Json, YamlError> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| scan_error(&error))?;
        let line = span.start.line() as u64;
        match reader.take(event) {
            Ok(None) => {}
            Ok(Some(document)) => return Ok(document),
            Err(reason) => return Err(YamlError { line, reason }),
        }
    }
    Ok(Json::Null)
}

fn scan_error(error: &ScanError) -> YamlError {
    YamlError { line: error.marker().line() as u64, reason: error.info().to_owned() }
}

/// The open collections, and the anchors.
#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    named: HashMap<usize, (Json, usize)>,
    values: usize,
}

struct Open {
    anchor: usize,
    /// The number of values in it, itself included.
    size: usize,
    collection: Collection,
}

enum Collection {
    Sequence(Vec<Json>),
    /// The entries, and a key whose value follows.
    Mapping(Vec<(String, Json)>, Option<String>),
}

impl Reader {
    /// Takes one event. Returns the document when the event completes it.
    fn take(&mut self, event: Event) -> Result<Option<Json>, String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let is_plain = style == ScalarStyle::Plain && tag.is_none();
                let value = if is_plain { scalar(&text) } else { Json::String(text.into_owned()) };
                self.put(value, 1, anchor)
            }
            Event::SequenceStart(anchor, _) => self.start(anchor, Collection::Sequence(Vec::new())),
            Event::MappingStart(anchor, _) => self.start(anchor, Collection::Mapping(Vec::new(), None)),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(Open { anchor, size, collection }) = self.open.pop() else { return Ok(None) };
                let value = match collection {
                    Collection::Sequence(values) => Json::Array(values),
                    Collection::Mapping(entries, _) => Json::Object(entries),
                };
                self.put(value, size, anchor)
            }
            Event::Alias(anchor) => {
                let (value, size) = self.named.get(&anchor).ok_or("an alias is within its own anchor")?;
                let size = *size;
                // Check before copying.
                if self.values + size > MAX_VALUES {
                    return Err(too_many());
                }
                self.put(value.clone(), size, 0)
            }
            Event::DocumentEnd => Ok(Some(Json::Null)),
            _ => Ok(None),
        }
    }

    fn start(&mut self, anchor: usize, collection: Collection) -> Result<Option<Json>, String> {
        if self.open.len() >= MAX_DEPTH {
            return Err(format!("it is nested deeper than {MAX_DEPTH}"));
        }
        self.open.push(Open { anchor, size: 1, collection });
        Ok(None)
    }

    /// Adds a value to the innermost open collection; returns it if none is open.
    fn put(&mut self, value: Json, size: usize, anchor: usize) -> Result<Option<Json>, String> {
        self.values += size;
        if self.values > MAX_VALUES {
            return Err(too_many());
        }
        if anchor > 0 {
            self.named.insert(anchor, (value.clone(), size));
        }
        let Some(open) = self.open.last_mut() else { return Ok(Some(value)) };
        open.size += size;
        match &mut open.collection {
            Collection::Sequence(values) => values.push(value),
            Collection::Mapping(_, key @ None) => *key = Some(key_of(value)),
            Collection::Mapping(entries, key @ Some(_)) => {
                let key = key.take().unwrap_or_default();
                if entries.iter().any(|(known, _)| *known == key) {
                    return Err(format!("{key:?} occurs twice"));
                }
                entries.push((key, value));
            }
        }
        Ok(None)
    }
}

fn too_many() -> String {
    format!("it has more than {MAX_VALUES} values")
}

fn key_of(value: Json) -> String {
    match value {
        Json::String(key) => key,
        other => other.to_text(),
    }
}

/// Parses a scalar without quotes.
fn scalar(text: &str) -> Json {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Json::Null,
        "true" | "True" | "TRUE" => return Json::Bool(true),
        "false" | "False" | "FALSE" => return Json::Bool(false),
        _ => {}
    }
    let prefixed = |prefix, radix| {
        let digits: &str = text.strip_prefix(prefix)?;
        let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
        is_number.then(|| i64::from_str_radix(digits, radix).ok()).flatten()
    };
    if let Some(number) = prefixed("0x", 16).or_else(|| prefixed("0o", 8)).or_else(|| text.parse().ok()) {
        return Json::Integer(number);
    }
    // Rust also parses words such as `inf`, which are no YAML numbers. All of them have other letters.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte));
    match text.parse::<f64>() {
        Ok(number) if is_number && number.is_finite() => Json::from_f64(number),
        _ => Json::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(yaml: &str) -> String {
        parse(yaml).unwrap().to_text()
    }

    #[test]
    fn scalars_are_what_the_core_schema_says() {
        let cases = [
            ("12", "12"),
            ("-0x1F", "\"-0x1F\""),
            ("0x1F", "31"),
            ("0o17", "15"),
            ("1e3", "1000"),
            (".5", "0.5"),
            (".inf", "\".inf\""),
            ("nan", "\"nan\""),
            ("inf", "\"inf\""),
            ("~", "null"),
            ("yes", "\"yes\""),
            ("'12'", "\"12\""),
            ("!!str 12", "\"12\""),
            ("1.2.3", "\"1.2.3\""),
            ("2024-05-01T10:00:00Z", "\"2024-05-01T10:00:00Z\""),
            ("99999999999999999999", "100000000000000000000"),
        ];
        for (yaml, json) in cases {
            assert_eq!(text(yaml), json, "{yaml}");
        }
    }

    #[test]
    fn collections_nest_and_aliases_are_copies() {
        let yaml = "a: &x [1, {b: c}]\nd: *x\n? 7\n: |\n  two\n  lines\ne:\n";
        assert_eq!(text(yaml), r#"{"a":[1,{"b":"c"}],"d":[1,{"b":"c"}],"7":"two\nlines\n","e":null}"#);
        assert_eq!(text(""), "null");
        assert_eq!(text("# only a comment\n"), "null");
    }

    #[test]
    fn a_document_that_stands_for_too_much_is_refused() {
        let mut bomb = "a: &a [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for (name, of) in ["b", "c", "d", "e", "f", "g", "h", "i"].iter().zip("abcdefgh".chars()) {
            bomb += &format!("{name}: &{name} [{}]\n", vec![format!("*{of}"); 10].join(", "));
        }
        assert!(parse(&bomb).unwrap_err().reason.contains("more than 10000 values"));
        assert!(parse(&"[".repeat(100)).unwrap_err().reason.contains("nested deeper"));
        assert!(parse("a: 1\na: 2\n").unwrap_err().reason.contains("\"a\" occurs twice"));
        assert!(parse("&a [*a]").is_err());
    }
}
