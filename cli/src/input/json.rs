//! A JSON document: an array of records, one record, or `{"records": [...]}`.
//!
//! This framing follows only brackets and strings, so a document of any length is read in chunks. Workers then parse
//! each value.

use super::chunk::{Flaw, count_lines};
use super::{Entry, Framing, Misplaced, Step};
use memchr::memchr2;
use snapseek::Record;
use snapseek::json::{Json, JsonError};
use snapseek::state::STATE_LINES;

/// Parses a record, or a line with a `$`. The field `id` is the id of a record, if it is given.
pub fn parse_entry(text: &[u8], id: Option<&str>) -> Result<Entry, Flaw> {
    let json = Json::parse(text).map_err(|error| not_json(text, &error))?;
    entry_of(with_id(json, id)?)
}

/// Copies the value of the field `id` to the field that every record has as its id.
pub fn with_id(json: Json, id: Option<&str>) -> Result<Json, Flaw> {
    let Some(id) = id.filter(|id| *id != "id") else { return Ok(json) };
    match json.get(id) {
        Some(value @ (Json::String(_) | Json::Integer(_))) => {
            let value = value.clone();
            let Json::Object(mut entries) = json else { return Ok(json) };
            entries.retain(|(name, _)| name != "id");
            entries.insert(0, ("id".to_owned(), value));
            Ok(Json::Object(entries))
        }
        // A line that is no record names its record by "id".
        None if json.get("$").is_some() || !matches!(json, Json::Object(_)) => Ok(json),
        None => Err(Flaw::new(format!("the record has no \"{id}\", which --id names"))),
        Some(other) => {
            Err(Flaw::new(format!("\"{id}\" is {}; an id is a string or an integer", other.kind())))
        }
    }
}

/// Converts a value to a record, or to another entry if it has a `$`.
pub fn entry_of(json: Json) -> Result<Entry, Flaw> {
    let mark = json.get("$").cloned();
    let record = |json| Record::from_json(json).map_err(|error| Flaw::new(error.to_string()));
    match mark {
        None => Ok(Entry::Record(record(json)?)),
        Some(Json::String(mark)) if mark == "delete" => Ok(Entry::Delete(record(json)?)),
        Some(Json::String(mark)) if mark == "vector" => Ok(Entry::Vector(record(json)?)),
        Some(Json::String(mark)) if STATE_LINES.contains(&mark.as_str()) => Ok(Entry::Beside { mark, json }),
        Some(mark) => Err(Flaw::new(format!(
            "\"$\" is {}; it must be \"delete\", \"vector\", \"{}\", or absent for a record",
            mark.to_text(),
            STATE_LINES.join("\", \"")
        ))),
    }
}

fn not_json(text: &[u8], error: &JsonError) -> Flaw {
    if let Err(error) = std::str::from_utf8(text) {
        let line = count_lines(&text[..error.valid_up_to()]);
        return Flaw { line, reason: "this is not UTF-8; save the input as UTF-8".to_owned() };
    }
    let message = error.to_string();
    let what = message.split(" at line ").next().unwrap_or(&message);
    if error.is_eof() {
        return Flaw::new(format!(
            "the JSON is not complete ({what}); each line must hold one record; pass --format json for a document"
        ));
    }
    let line = error.line().saturating_sub(1) as u64;
    Flaw { line, reason: format!("this is not JSON: {what} at column {}", error.column()) }
}

/// Finds the elements of the array of records. Each element is an entry, whatever its type.
#[derive(Debug, Default)]
pub struct JsonValues {
    state: State,
    /// Whether the array is within an object.
    is_wrapped: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Start,
    /// After `[`.
    ArrayStart,
    /// After an element.
    AfterElement,
    /// After `,`.
    AfterComma,
    /// After the array, within the object around it.
    Wrapper,
    /// After the document.
    End,
}

impl Framing for JsonValues {
    fn step(&mut self, text: &[u8], from: usize, is_end: bool) -> Result<Step, Misplaced> {
        let mut at = from;
        loop {
            at += text[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            let Some(&byte) = text.get(at) else {
                return if is_end { self.end(text) } else { Ok(Step::More(at)) };
            };
            match (self.state, byte) {
                (State::Start, b'[') => self.state = State::ArrayStart,
                (State::Start, b'{') => match look_into(text, at) {
                    Some(Look::Records(inside)) => {
                        self.state = State::ArrayStart;
                        self.is_wrapped = true;
                        at = inside;
                        continue;
                    }
                    Some(Look::Record) => return self.value(text, at, is_end, State::End),
                    None if is_end => return Err(unended(at)),
                    None => return Ok(Step::More(at)),
                },
                (State::ArrayStart | State::AfterElement, b']') if self.is_wrapped => {
                    self.state = State::Wrapper
                }
                (State::ArrayStart | State::AfterElement, b']') => self.state = State::End,
                (State::AfterElement, b',') => self.state = State::AfterComma,
                (State::ArrayStart | State::AfterComma, b',' | b']' | b'}' | b':') => {
                    return Err(misplaced(at, "a record is missing here"));
                }
                (State::ArrayStart | State::AfterComma, _) => {
                    return self.value(text, at, is_end, State::AfterElement);
                }
                (State::Wrapper, _) => match skip_nested(text, at, 1) {
                    Some(after) => {
                        self.state = State::End;
                        at = after;
                        continue;
                    }
                    None if is_end => return Err(misplaced(at, "the document does not end; a } is missing")),
                    None => return Ok(Step::More(at)),
                },
                (State::Start, _) => {
                    return Err(misplaced(
                        at,
                        "a JSON document must be an array of records, or {\"records\": [...]}",
                    ));
                }
                (State::AfterElement, _) => {
                    return Err(misplaced(at, "a comma or ] is missing before this"));
                }
                (State::End, _) => {
                    let reason = "there is more after the document; pass --format jsonl for JSON lines";
                    return Err(misplaced(at, reason));
                }
            }
            at += 1;
        }
    }
}

impl JsonValues {
    fn value(&mut self, text: &[u8], at: usize, is_end: bool, then: State) -> Result<Step, Misplaced> {
        match skip_value(text, at) {
            Some(after) => {
                self.state = then;
                Ok(Step::Entry(at..after, after))
            }
            None if is_end => Err(unended(at)),
            None => Ok(Step::More(at)),
        }
    }

    fn end(&self, text: &[u8]) -> Result<Step, Misplaced> {
        match self.state {
            State::End => Ok(Step::More(text.len())),
            State::Start => Err(misplaced(text.len(), "the input is empty; write [] for no records")),
            State::Wrapper => Err(misplaced(text.len(), "the document does not end; a } is missing")),
            _ => Err(misplaced(text.len(), "the array does not end; a ] is missing")),
        }
    }
}

/// The meaning of an object at the top level.
enum Look {
    /// A record.
    Record,
    /// A wrapper whose records start at this offset.
    Records(usize),
}

/// Tells a wrapper from a record: a wrapper has an array `records` before any `id`. Returns `None` if the text ends too
/// early.
fn look_into(text: &[u8], start: usize) -> Option<Look> {
    let mut at = start + 1;
    loop {
        at = skip_space(text, at)?;
        if text[at] != b'"' {
            // At the end, or at malformed JSON: parsing it as a record reports the fault.
            return Some(Look::Record);
        }
        let key_end = skip_string(text, at)?;
        let key = &text[at..key_end];
        at = skip_space(text, key_end)?;
        if text[at] != b':' || key == b"\"id\"" {
            return Some(Look::Record);
        }
        at = skip_space(text, at + 1)?;
        if key == b"\"records\"" && text[at] == b'[' {
            return Some(Look::Records(at + 1));
        }
        at = skip_space(text, skip_value(text, at)?)?;
        if text[at] != b',' {
            return Some(Look::Record);
        }
        at += 1;
    }
}

/// Returns the first offset from `at` on that is no white space.
fn skip_space(text: &[u8], at: usize) -> Option<usize> {
    text[at..].iter().position(|byte| !byte.is_ascii_whitespace()).map(|len| at + len)
}

/// Returns the end of the value at `at`.
fn skip_value(text: &[u8], at: usize) -> Option<usize> {
    match text[at] {
        b'{' | b'[' => skip_nested(text, at + 1, 1),
        b'"' => skip_string(text, at),
        _ => {
            let is_after = |byte: &u8| byte.is_ascii_whitespace() || b",]}".contains(byte);
            text[at..].iter().position(is_after).map(|len| at + len.max(1))
        }
    }
}

/// Returns the end of the string whose opening quotation mark is at `at`.
fn skip_string(text: &[u8], at: usize) -> Option<usize> {
    let mut at = at + 1;
    loop {
        at += memchr2(b'"', b'\\', text.get(at..)?)?;
        if text[at] == b'"' {
            return Some(at + 1);
        }
        at += 2;
    }
}

/// Returns the offset after the bracket that closes the outermost of `depth` open brackets.
fn skip_nested(text: &[u8], at: usize, mut depth: usize) -> Option<usize> {
    let mut at = at;
    while depth > 0 {
        match text.get(at)? {
            b'"' => {
                at = skip_string(text, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    Some(at)
}

fn misplaced(at: usize, reason: &str) -> Misplaced {
    Misplaced { at, reason: reason.to_owned() }
}

fn unended(at: usize) -> Misplaced {
    misplaced(at, "the value that starts here does not end")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the entries of a document, read with `known` bytes at first and then one byte more at a time.
    fn entries(text: &str, known: usize) -> Result<Vec<String>, String> {
        let text = text.as_bytes();
        let mut values = JsonValues::default();
        let (mut at, mut found) = (0, Vec::new());
        for end in known..=text.len() {
            loop {
                match values.step(&text[..end], at, end == text.len()) {
                    Ok(Step::Entry(range, next)) => {
                        found.push(String::from_utf8(text[range].to_vec()).unwrap());
                        at = next;
                    }
                    Ok(Step::More(from)) => {
                        at = from;
                        break;
                    }
                    Err(misplaced) => return Err(misplaced.reason),
                }
            }
        }
        Ok(found)
    }

    #[test]
    fn a_document_has_the_same_entries_however_it_arrives() {
        let cases = [
            ("[]", vec![]),
            (
                r#" [ {"a":"]}\"\\"} , {"b":[{}]},3 ,"x",null] "#,
                vec![r#"{"a":"]}\"\\"}"#, r#"{"b":[{}]}"#, "3", "\"x\"", "null"],
            ),
            (r#"{"id":1,"records":[2]}"#, vec![r#"{"id":1,"records":[2]}"#]),
            (
                r#"{"v":{"records":[0]},"records":[{"id":1},{"id":2}],"n":[{}]} "#,
                vec![r#"{"id":1}"#, r#"{"id":2}"#],
            ),
            (r#"{"records":"none"}"#, vec![r#"{"records":"none"}"#]),
        ];
        for (text, expected) in cases {
            for known in 0..=text.len() {
                assert_eq!(entries(text, known).unwrap(), expected, "{text} {known}");
            }
        }
    }

    #[test]
    fn a_document_that_cannot_be_read_on_says_why() {
        let cases = [
            ("", "the input is empty; write [] for no records"),
            ("7", "a JSON document must be an array of records, or {\"records\": [...]}"),
            ("[{},", "the array does not end; a ] is missing"),
            ("[{}", "the array does not end; a ] is missing"),
            ("[{},]", "a record is missing here"),
            ("[{} {}]", "a comma or ] is missing before this"),
            ("[{\"a\": \"x]", "the value that starts here does not end"),
            ("{\"id\": 1", "the value that starts here does not end"),
            ("{\"records\": [{}], ", "the document does not end; a } is missing"),
            ("{}\n{}", "there is more after the document; pass --format jsonl for JSON lines"),
        ];
        for (text, reason) in cases {
            for known in 0..=text.len() {
                assert_eq!(entries(text, known).unwrap_err(), reason, "{text} {known}");
            }
        }
    }
}
