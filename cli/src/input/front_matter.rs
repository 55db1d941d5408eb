//! The front matter of a Markdown file: YAML between `---` lines, or TOML between `+++` lines.

use super::yaml;
use snapseek::json::Json;

/// The front matter, and where the text starts.
#[derive(Debug, Default, PartialEq)]
pub struct FrontMatter {
    /// The entries, in the order of the file, with their values unchanged.
    pub entries: Vec<(String, Json)>,
    /// The length of the front matter in bytes.
    pub len: usize,
}

/// A fault in the front matter, and its line in the file, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct BadFrontMatter {
    pub line: u64,
    pub reason: String,
}

/// Parses the front matter; it is empty if the file does not start with one of the marks.
pub fn parse(text: &str) -> Result<FrontMatter, BadFrontMatter> {
    let Some((mark, start)) = opening(text) else { return Ok(FrontMatter::default()) };
    // A thematic break at the top of a text opens no front matter.
    let Some((end, len)) = closing(text, start, mark) else { return Ok(FrontMatter::default()) };
    let source = &text[start..end];
    let value = if mark == "---" { yaml::parse(source).map_err(bad_yaml) } else { parse_toml(source) };
    let entries = match value? {
        Json::Object(entries) => entries,
        Json::Null => Vec::new(),
        // Two thematic breaks with text between them.
        _ => return Ok(FrontMatter::default()),
    };
    Ok(FrontMatter { entries, len })
}

/// Returns the mark on the first line, and the offset of the next line.
fn opening(text: &str) -> Option<(&'static str, usize)> {
    let line = text.split_inclusive('\n').next()?;
    let mark = ["---", "+++"].into_iter().find(|mark| line.trim_end() == *mark)?;
    Some((mark, line.len()))
}

/// Returns the offsets where the closing line starts and ends.
fn closing(text: &str, start: usize, mark: &str) -> Option<(usize, usize)> {
    let mut at = start;
    for line in text[start..].split_inclusive('\n') {
        let content = line.trim_end();
        if content == mark || mark == "---" && content == "..." {
            return Some((at, at + line.len()));
        }
        at += line.len();
    }
    None
}

fn bad_yaml(error: yaml::YamlError) -> BadFrontMatter {
    BadFrontMatter {
        line: error.line + 1,
        reason: format!("the front matter is not valid YAML: {}", error.reason),
    }
}

fn parse_toml(source: &str) -> Result<Json, BadFrontMatter> {
    let table = source.parse::<toml::Table>().map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        let line = 2 + super::chunk::count_lines(&source.as_bytes()[..at.min(source.len())]);
        BadFrontMatter { line, reason: format!("the front matter is not valid TOML: {}", error.message()) }
    })?;
    Ok(json_of_toml(toml::Value::Table(table)))
}

fn json_of_toml(value: toml::Value) -> Json {
    match value {
        toml::Value::String(text) => Json::String(text),
        toml::Value::Integer(number) => Json::Integer(number),
        // JSON has no infinities and no NaN; keep their names.
        toml::Value::Float(number) if !number.is_finite() => Json::String(number.to_string()),
        toml::Value::Float(number) => Json::from_f64(number),
        toml::Value::Boolean(value) => Json::Bool(value),
        toml::Value::Datetime(moment) => Json::String(moment.to_string()),
        toml::Value::Array(values) => Json::Array(values.into_iter().map(json_of_toml).collect()),
        toml::Value::Table(entries) => {
            Json::Object(entries.into_iter().map(|(key, value)| (key, json_of_toml(value))).collect())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> (String, &str) {
        let matter = parse(text).unwrap();
        (Json::Object(matter.entries).to_text(), &text[matter.len..])
    }

    #[test]
    fn yaml_and_toml_give_the_same_entries() {
        let yaml = "---\ntitle: \"A: b\"\ntags: [x, 'y']\ndraft: false\nweight: 3\ndate: 2024-05-01\nnested:\n  a: 1.5\n---\ntext";
        let toml = "+++\ntitle = \"A: b\"\ntags = [\"x\", \"y\"]\ndraft = false\nweight = 3\ndate = 2024-05-01\n[nested]\na = 1.5\n+++\r\ntext";
        let expected = r#"{"title":"A: b","tags":["x","y"],"draft":false,"weight":3,"date":"2024-05-01","nested":{"a":1.5}}"#;
        for text in [yaml, toml] {
            assert_eq!(json(text), (expected.to_owned(), "text"));
        }
    }

    #[test]
    fn windows_line_ends_and_dots_close_it_too() {
        assert_eq!(json("---\r\na: 1\r\n...\r\nx"), (r#"{"a":1}"#.to_owned(), "x"));
        assert_eq!(json("---\n---\nx"), ("{}".to_owned(), "x"));
    }

    #[test]
    fn rules_in_a_text_are_no_front_matter() {
        for text in [
            "",
            "---",
            "---\nno end",
            "text\n---\na: 1\n---\n",
            "---\njust words\n---\nx",
            "----\na: 1\n----\n",
        ] {
            assert_eq!(json(text), ("{}".to_owned(), text));
        }
    }

    #[test]
    fn what_cannot_be_read_names_its_line() {
        let yaml = parse("---\na: 1\nb: [1\nc: 2\n---\n").unwrap_err();
        assert!(yaml.reason.starts_with("the front matter is not valid YAML: "), "{yaml:?}");
        assert!((3..=5).contains(&yaml.line), "{yaml:?}");
        let toml = parse("+++\na = 1\nb = \n+++\n").unwrap_err();
        assert_eq!(
            (toml.line, toml.reason.starts_with("the front matter is not valid TOML: ")),
            (3, true),
            "{toml:?}"
        );
    }
}
