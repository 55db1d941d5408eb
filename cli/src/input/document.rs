//! How does a document (Markdown, HTML, plain text) become records? Each chunk of its text is one record, with its
//! offset and its headings.
//!
//! A chunk never crosses a heading of level 1, 2 or 3, so its `heading` holds for the whole chunk. Deeper headings are
//! only preferred places to cut. A heading that is followed directly by a deeper heading stays with it, because a
//! heading alone is no useful chunk.

use super::chunk::count_lines;
use super::split::Sizes;
use super::{front_matter, html, markdown};
use snapseek::chunking::chunk_text;
use snapseek::json::Json;
use std::path::Path;

/// The markup of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentMarkup {
    Markdown,
    Html,
    Plain,
}

impl DocumentMarkup {
    /// Returns the markup that the extension of a file name implies.
    pub fn of_path(path: &Path) -> Option<DocumentMarkup> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "md" | "markdown" | "mdx" => Some(DocumentMarkup::Markdown),
            "html" | "htm" | "xhtml" => Some(DocumentMarkup::Html),
            "txt" | "text" | "rst" | "adoc" | "org" => Some(DocumentMarkup::Plain),
            _ => None,
        }
    }
}

/// A document that was read.
#[derive(Debug)]
pub struct Document {
    /// Its markup.
    pub markup: DocumentMarkup,
    /// The path that the ids of its records start with. It uses `/` on every machine.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The lengths of its chunks.
    pub sizes: Sizes,
}

/// A heading in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its level, 1 to 6.
    pub level: u8,
    /// The offset of its first byte.
    pub at: usize,
    /// The offset after its last byte.
    pub end: usize,
    /// Its text.
    pub name: String,
}

/// A fault in a document, and its line, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct BadDocument {
    pub line: u64,
    pub reason: String,
}

/// The fields that every record of a document has.
const OWN_FIELDS: [&str; 9] = ["id", "title", "heading", "text", "path", "chunkIndex", "offset", "line", "$"];

/// Chunks do not cross headings up to this level.
const SECTION_LEVEL: u8 = 3;

/// The values that all records of a document share.
struct Outline<'a> {
    text: &'a str,
    /// The offset of the text that is cut.
    start: usize,
    headings: &'a [Heading],
    title: String,
    entries: Vec<(String, Json)>,
}

impl Document {
    /// Returns the records of the document, each with its line.
    pub fn records(&self) -> Result<Vec<(u64, Json)>, BadDocument> {
        let text = self.text()?;
        match self.markup {
            DocumentMarkup::Markdown => {
                let matter = front_matter::parse(text)
                    .map_err(|bad| BadDocument { line: bad.line, reason: bad.reason })?;
                let headings = markdown::headings(text, matter.len);
                let (title, entries) = sorted_out(matter.entries);
                let title = title.unwrap_or_else(|| self.title(&headings));
                let outline = Outline { text, start: matter.len, headings: &headings, title, entries };
                Ok(self.cut(&outline, lines_of(text)))
            }
            DocumentMarkup::Html => {
                let mut page = html::Page::parse(text);
                let (_, entries) = sorted_out(std::mem::take(&mut page.entries));
                let title = page.title.clone().unwrap_or_else(|| self.title(&page.headings));
                let outline =
                    Outline { text: &page.text, start: 0, headings: &page.headings, title, entries };
                Ok(self.cut(&outline, |at| page.line(at)))
            }
            DocumentMarkup::Plain => {
                let outline =
                    Outline { text, start: 0, headings: &[], title: self.title(&[]), entries: Vec::new() };
                Ok(self.cut(&outline, lines_of(text)))
            }
        }
    }

    /// Returns the text without a byte order mark.
    fn text(&self) -> Result<&str, BadDocument> {
        let bad = |line, reason: &str| Err(BadDocument { line, reason: reason.to_owned() });
        if matches!(self.bytes[..], [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
            return bad(1, "the file is UTF-16; save it as UTF-8");
        }
        match std::str::from_utf8(&self.bytes) {
            Ok(text) => Ok(text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(error) => {
                let line = 1 + count_lines(&self.bytes[..error.valid_up_to()]);
                bad(line, "this is not UTF-8; save the file as UTF-8")
            }
        }
    }

    /// Returns the first heading of level 1, or else the name of the file.
    fn title(&self, headings: &[Heading]) -> String {
        let first = headings.iter().find(|heading| heading.level == 1 && !heading.name.is_empty());
        first.map_or_else(
            || {
                let name = self.path.rsplit('/').next().unwrap_or(&self.path);
                name.rsplit_once('.').map_or(name, |(stem, _)| stem).to_owned()
            },
            |heading| heading.name.clone(),
        )
    }

    fn cut(&self, outline: &Outline, mut line_of: impl FnMut(usize) -> u64) -> Vec<(u64, Json)> {
        let text = outline.text;
        let paths = heading_paths(outline.headings);
        let mut records = Vec::new();
        // Skip blank lines at the top, but keep the indent of the first line.
        let blank = text[outline.start..].len() - text[outline.start..].trim_start().len();
        let blank = text[outline.start..outline.start + blank].rfind('\n').map_or(0, |end| end + 1);
        let start = outline.start + blank;
        let mut chars = text[..start].chars().count();
        for section in sections(text, start, outline.headings) {
            let body = &text[section.clone()];
            let chunks = chunk_text(body, self.sizes.size, self.sizes.overlap);
            for chunk in chunks.expect("the sizes were checked with the arguments") {
                let start = section.start + chunk.byte_offset;
                let heading = heading_of(text, start, start + chunk.text.len(), outline.headings);
                let line = line_of(start);
                let index = records.len();
                let mut fields = vec![
                    ("id".to_owned(), Json::String(format!("{}#{index}", self.path))),
                    ("title".to_owned(), Json::String(outline.title.clone())),
                ];
                if let Some(heading) = heading.map(|heading| &paths[heading]).filter(|path| !path.is_empty())
                {
                    fields.push(("heading".to_owned(), Json::String(heading.clone())));
                }
                fields.extend([
                    ("text".to_owned(), Json::String(chunk.text.to_owned())),
                    ("path".to_owned(), Json::String(self.path.clone())),
                    ("chunkIndex".to_owned(), number(index)),
                    ("offset".to_owned(), number(chars + chunk.char_offset)),
                    ("line".to_owned(), Json::Integer(i64::try_from(line).unwrap_or(i64::MAX))),
                ]);
                fields.extend(outline.entries.iter().cloned());
                records.push((line, Json::Object(fields)));
            }
            chars += body.chars().count();
        }
        records
    }
}

/// Converts a count to JSON.
pub fn number(count: usize) -> Json {
    Json::Integer(i64::try_from(count).expect("nothing in memory is that long"))
}

/// Returns a function from offsets to lines. It is fast for ascending offsets.
fn lines_of(text: &str) -> impl FnMut(usize) -> u64 {
    let (mut counted, mut line) = (0, 1);
    move |at| {
        // Chunks overlap, so an offset may be a little smaller than the previous one.
        if at < counted {
            line -= count_lines(&text.as_bytes()[at..counted]);
        } else {
            line += count_lines(&text.as_bytes()[counted..at]);
        }
        counted = at;
        line
    }
}

/// Separates the title from the front matter entries that become fields.
fn sorted_out(entries: Vec<(String, Json)>) -> (Option<String>, Vec<(String, Json)>) {
    let mut title = None;
    let (mut fields, mut others) = (Vec::new(), Vec::new());
    for (name, value) in entries {
        let is_kind = name == "kind" && value.as_str().is_none_or(str::is_empty);
        match value {
            Json::Null => {}
            Json::String(text) if name == "title" && !text.trim().is_empty() => title = Some(text),
            Json::Integer(_) | Json::Float(_) if name == "title" => title = Some(value.to_text()),
            value if is_kind || OWN_FIELDS.contains(&name.as_str()) || name == "frontMatter" => {
                others.push((name, value));
            }
            value => fields.push((name, plain(value))),
        }
    }
    // Entries with the name of a built-in field are kept apart, so that they cannot be taken for it.
    if !others.is_empty() {
        fields.push(("frontMatter".to_owned(), Json::Object(others)));
    }
    (title, fields)
}

/// Converts a list of words and numbers, such as tags, to a list of words. Other values stay as they are.
fn plain(value: Json) -> Json {
    let Json::Array(values) = value else { return value };
    let is_flat = !values.iter().any(|value| matches!(value, Json::Array(_) | Json::Object(_)));
    if !is_flat || !values.iter().any(|value| value.as_str().is_some()) {
        return Json::Array(values);
    }
    let words = values.into_iter().filter(|value| *value != Json::Null).map(|value| match value {
        Json::String(_) => value,
        other => Json::String(other.to_text()),
    });
    Json::Array(words.collect())
}

/// Returns the path of each heading: the names of the headings above it, and its own.
fn heading_paths<'a>(headings: &'a [Heading]) -> Vec<String> {
    let mut open: Vec<&'a Heading> = Vec::new();
    let path = |heading: &'a Heading| {
        open.retain(|outer| outer.level < heading.level);
        open.push(heading);
        let names = open.iter().map(|heading| heading.name.as_str()).filter(|name| !name.is_empty());
        names.collect::<Vec<_>>().join(" > ")
    };
    headings.iter().map(path).collect()
}

/// Returns the parts of the text that no chunk crosses.
fn sections(text: &str, start: usize, headings: &[Heading]) -> Vec<std::ops::Range<usize>> {
    let mut starts = vec![start];
    let mut content_from = start;
    let mut has_content = false;
    let mut above = 0;
    for heading in headings {
        has_content |= !text[content_from..heading.at].trim().is_empty();
        let is_alone = above > 0 && heading.level <= above;
        if heading.level <= SECTION_LEVEL && (has_content || is_alone) {
            starts.push(heading.at);
            has_content = false;
        }
        (content_from, above) = (heading.end, heading.level);
    }
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().copied().zip(ends).map(|(start, end)| start..end).collect()
}

/// Returns the heading of a chunk: the last one that it starts with, or else the last one before it.
fn heading_of(text: &str, start: usize, end: usize, headings: &[Heading]) -> Option<usize> {
    let mut at = start;
    loop {
        at += text[at..end].len() - text[at..end].trim_start().len();
        let before = headings.partition_point(|heading| heading.at <= at);
        let last = before.checked_sub(1)?;
        // Stop where the text of the chunk begins: a later heading covers only a part of it.
        if headings[last].end <= at || headings[last].end >= end {
            return Some(last);
        }
        at = headings[last].end;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn records(markup: DocumentMarkup, path: &str, text: &str, size: usize) -> Vec<(u64, Json)> {
        let sizes = Sizes { size, overlap: 0 };
        Document { markup, path: path.to_owned(), bytes: text.into(), sizes }.records().unwrap()
    }

    fn field(json: &Json, name: &str) -> String {
        json.get(name).map_or_else(String::new, |value| value.as_str().map_or(value.to_text(), str::to_owned))
    }

    fn pieces(text: &str) -> Vec<(String, String)> {
        let records = records(DocumentMarkup::Markdown, "a.md", text, 1200);
        records.iter().map(|(_, json)| (field(json, "heading"), field(json, "text"))).collect()
    }

    #[test]
    fn chunks_do_not_reach_over_headings_and_know_where_they_stand() {
        let text =
            "intro\n# Guide\n## Install\nGet it.\n### Linux\nApt.\n#### Old\nAptitude.\n## Use\nRun it.\n";
        let expected = [
            ("", "intro\n"),
            ("Guide > Install", "# Guide\n## Install\nGet it.\n"),
            ("Guide > Install > Linux", "### Linux\nApt.\n#### Old\nAptitude.\n"),
            ("Guide > Use", "## Use\nRun it.\n"),
        ];
        assert_eq!(pieces(text), expected.map(|(heading, text)| (heading.to_owned(), text.to_owned())));
    }

    #[test]
    fn a_heading_that_its_equal_follows_is_a_chunk_of_its_own() {
        let found = pieces("## A\n## B\ntext\n## C\n");
        let headings = found.iter().map(|(heading, _)| heading.as_str()).collect::<Vec<_>>();
        assert_eq!(headings, ["A", "B", "C"]);
    }

    #[test]
    fn deep_headings_name_the_chunks_that_start_with_them() {
        let text = "# A\none two three four\n#### Deep\nfive six seven eight nine ten\n";
        let found = records(DocumentMarkup::Markdown, "a.md", text, 30);
        let headings = found.iter().map(|(_, json)| field(json, "heading")).collect::<Vec<_>>();
        assert_eq!(headings, ["A", "A > Deep", "A > Deep"]);
    }

    #[test]
    fn offsets_and_lines_are_those_of_the_source() {
        let text = "---\ntitle: é\n---\n\nÜber 😀 alles.\r\n\r\n# Zwei\r\nMehr Text über Füchse, und noch mehr davon.\n";
        for size in [1, 2, 7, 20, 1200] {
            for (line, json) in records(DocumentMarkup::Markdown, "a.md", text, size) {
                let offset = field(&json, "offset").parse::<usize>().unwrap();
                let rest = text.chars().skip(offset).collect::<String>();
                assert!(rest.starts_with(&field(&json, "text")), "{size} {json:?}");
                let before = text.chars().take(offset).filter(|letter| *letter == '\n').count();
                assert_eq!(line, before as u64 + 1, "{size} {json:?}");
            }
        }
    }

    #[test]
    fn titles_come_from_the_front_matter_the_first_heading_or_the_name() {
        let title = |markup, text| field(&records(markup, "docs/read.me.md", text, 100)[0].1, "title");
        assert_eq!(title(DocumentMarkup::Markdown, "---\ntitle: 2024\n---\n# Other\n"), "2024");
        assert_eq!(title(DocumentMarkup::Markdown, "## Two\n# One\n# Another\n"), "One");
        assert_eq!(title(DocumentMarkup::Markdown, "text"), "read.me");
        assert_eq!(title(DocumentMarkup::Html, "<title>Page</title><h1>Other</h1>"), "Page");
        assert_eq!(title(DocumentMarkup::Html, "<h1>Other</h1>"), "Other");
        assert_eq!(title(DocumentMarkup::Plain, "# no heading"), "read.me");
    }

    #[test]
    fn front_matter_becomes_fields_and_never_one_of_our_own() {
        let text =
            "---\nid: mine\nkind: guide\npath: x\ntags: [a, 2024, null]\nnone: ~\nmeta: {a: [1]}\n---\ntext";
        let found = records(DocumentMarkup::Markdown, "a.md", text, 100);
        let expected = r#"{"id":"a.md#0","title":"a","text":"text","path":"a.md","chunkIndex":0,"offset":82,"line":9,"kind":"guide","tags":["a","2024"],"meta":{"a":[1]},"frontMatter":{"id":"mine","path":"x"}}"#;
        assert_eq!(found[0].1.to_text(), expected);
    }

    #[test]
    fn documents_that_are_no_text_say_where() {
        let bad = |bytes: &[u8]| {
            let sizes = Sizes::default();
            let document = Document {
                markup: DocumentMarkup::Plain,
                path: "a".to_owned(),
                bytes: bytes.to_vec(),
                sizes,
            };
            document.records().unwrap_err()
        };
        assert_eq!((bad(b"a\nb\xff").line, bad(b"\xff\xfea\0").line), (2, 1));
        assert!(bad(b"\xff\xfea\0").reason.contains("UTF-16"));
    }

    #[test]
    fn whatever_a_document_holds_its_chunks_are_where_they_say() {
        const PIECES: [&str; 34] = [
            "word ",
            "é",
            "\n",
            "\r\n",
            "\n\n",
            "# A\n",
            "## B {#b}\n",
            "### C\n",
            "#### D\n",
            "===\n",
            "---\n",
            "```\n",
            "> ",
            "- ",
            "    ",
            "<h1>",
            "</h1>",
            "<h2>x",
            "</h2>",
            "<p>",
            "<pre>\n",
            "</pre>",
            "<main>",
            "</main>",
            "<nav>",
            "</nav>",
            "<script>",
            "</script>",
            "&amp;",
            "<br>",
            "<div hidden>",
            "</div>",
            "a: b\n",
            "| a | b |\n",
        ];
        let mut state = 1_u64;
        let mut below = |limit: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % limit
        };
        for round in 0..3000 {
            let mut text = ["", "---\n", "+++\n"][below(3)].to_owned();
            (0..below(60)).for_each(|_| text.push_str(PIECES[below(PIECES.len())]));
            let sizes = Sizes { size: 1 + below(40), overlap: 0 };
            for markup in [DocumentMarkup::Markdown, DocumentMarkup::Html, DocumentMarkup::Plain] {
                let document = Document { markup, path: "a".to_owned(), bytes: text.clone().into(), sizes };
                // Front matter may be malformed. The fault then names a line of the text.
                let records = match document.records() {
                    Ok(records) => records,
                    Err(bad) => {
                        assert!(bad.line <= text.lines().count() as u64 + 1, "{round} {text:?} {bad:?}");
                        continue;
                    }
                };
                let source =
                    if markup == DocumentMarkup::Html { html::Page::parse(&text).text } else { text.clone() };
                for (line, json) in records {
                    let offset = field(&json, "offset").parse::<usize>().unwrap();
                    let rest = source.chars().skip(offset).collect::<String>();
                    assert!(rest.starts_with(&field(&json, "text")), "{round} {markup:?} {text:?} {json:?}");
                    assert!((1..=text.split('\n').count() as u64).contains(&line), "{round} {text:?} {line}");
                }
            }
        }
    }
}
