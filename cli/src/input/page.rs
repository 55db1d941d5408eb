//! How does a page become records? Each chunk of its text is one record, with its offset, its headings and its link.
//!
//! A chunk never crosses a heading, so its `heading` and its `anchor` hold for the whole chunk. A heading that is followed
//! directly by a deeper heading stays with it, because a heading alone is no useful chunk.

use super::chunk::count_lines;
use super::split::Sizes;
use snapseek::chunking::chunk_text;
use snapseek::json::Json;
use std::ops::Range;

/// A heading in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heading {
    /// Its level, 1 to 6; more for a term in a definition list.
    pub level: u8,
    /// The offset of its first byte.
    pub at: usize,
    /// The offset after its last byte.
    pub end: usize,
    /// Its text.
    pub name: String,
    /// The fragment of a link to it.
    pub anchor: Option<String>,
}

/// The greatest level of a heading.
const LAST_LEVEL: u8 = 6;

/// The sign in an id between the path and the number of the chunk.
const ID_MARK: char = ':';

/// A document that was read, and not cut yet.
#[derive(Debug, Default)]
pub struct DocumentPage {
    /// The path that the ids of its records start with. It uses `/` on every machine.
    pub path: String,
    /// Its address, without a fragment.
    pub url: String,
    /// The address that the page names as its own, if it does.
    pub canonical: Option<String>,
    /// Its title.
    pub title: String,
    /// Its text. The front matter of a Markdown file is a part of it.
    pub text: String,
    /// The offset of the text that is cut.
    pub start: usize,
    /// The headings, in order.
    pub headings: Vec<Heading>,
    /// Further fields of its records.
    pub entries: Vec<(String, Json)>,
    /// The parts of the text that the page calls important.
    pub important: Vec<Range<usize>>,
    /// Offsets in the text and their lines in the file, in order; `None` if the text is the file.
    pub lines: Option<Vec<(usize, u64)>>,
    /// Whether the page names its text with `data-pagefind-body`.
    pub is_marked: bool,
    /// The length of the file in bytes.
    pub len: usize,
}

impl DocumentPage {
    /// Returns the records of the page, each with its line.
    pub fn records(&self, sizes: Sizes) -> Vec<(u64, Json)> {
        self.first_records(sizes, usize::MAX)
    }

    /// Returns at most `count` records, from the start of the page.
    pub fn first_records(&self, sizes: Sizes, count: usize) -> Vec<(u64, Json)> {
        let text = self.text.as_str();
        let paths = heading_paths(&self.headings);
        let mut count_line = lines_of(text);
        let mut line_of = |at: usize| match &self.lines {
            None => count_line(at),
            Some(lines) => {
                let after = lines.partition_point(|&(place, _)| place <= at);
                after.checked_sub(1).map_or(1, |last| lines[last].1)
            }
        };
        let mut records = Vec::new();
        // Skip blank lines at the top, but keep the indent of the first line.
        let blank = text[self.start..].len() - text[self.start..].trim_start().len();
        let blank = text[self.start..self.start + blank].rfind('\n').map_or(0, |end| end + 1);
        let start = self.start + blank;
        let mut chars = text[..start].chars().count();
        for section in sections(text, start, &self.headings) {
            if records.len() >= count {
                break;
            }
            let body = &text[section.clone()];
            let chunks = chunk_text(body, sizes.size, sizes.overlap);
            for chunk in chunks.expect("the sizes were checked with the arguments") {
                let start = section.start + chunk.byte_offset;
                let range = start..start + chunk.text.len();
                let heading = heading_of(text, range.start, range.end, &self.headings);
                let line = line_of(start);
                let index = records.len();
                let mut fields = vec![
                    ("id".to_owned(), Json::String(chunk_id(&self.path, index))),
                    ("title".to_owned(), Json::String(self.title.clone())),
                ];
                let path = heading.map(|heading| paths[heading].clone()).filter(|path| !path.is_empty());
                fields.extend(path.map(|path| ("heading".to_owned(), Json::String(path))));
                fields.push(("text".to_owned(), Json::String(chunk.text.to_owned())));
                fields
                    .extend(self.important_in(&range).map(|text| (IMPORTANT.to_owned(), Json::String(text))));
                fields.push(("url".to_owned(), Json::String(self.url.clone())));
                let anchor = heading.and_then(|heading| self.headings[heading].anchor.clone());
                fields.extend(anchor.map(|anchor| ("anchor".to_owned(), Json::String(anchor))));
                fields.extend([
                    ("path".to_owned(), Json::String(self.path.clone())),
                    ("chunkIndex".to_owned(), number(index)),
                    ("offset".to_owned(), number(chars + chunk.char_offset)),
                    ("line".to_owned(), Json::Integer(i64::try_from(line).unwrap_or(i64::MAX))),
                ]);
                fields.extend(self.entries.iter().cloned());
                records.push((line, Json::Object(fields)));
            }
            chars += body.chars().count();
        }
        records.truncate(count);
        records
    }

    /// Returns the important texts within a range, one per line.
    fn important_in(&self, range: &Range<usize>) -> Option<String> {
        let shared = self.important.iter().map(|part| part.start.max(range.start)..part.end.min(range.end));
        let texts = shared.filter(|part| part.start < part.end).map(|part| self.text[part].trim());
        let texts = texts.filter(|text| !text.is_empty()).collect::<Vec<_>>();
        (!texts.is_empty()).then(|| texts.join("\n"))
    }
}

/// The field with the texts that a page calls important.
pub const IMPORTANT: &str = "important";

/// Returns the id of a chunk. It does not look like the fragment of a link.
pub fn chunk_id(path: &str, index: usize) -> String {
    format!("{path}{ID_MARK}{index}")
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
fn sections(text: &str, start: usize, headings: &[Heading]) -> Vec<Range<usize>> {
    let mut starts = vec![start];
    let mut content_from = start;
    let mut has_content = false;
    let mut above = 0;
    for heading in headings {
        has_content |= !text[content_from..heading.at].trim().is_empty();
        // Several terms may share one description.
        let is_alone = above > 0 && heading.level <= above && heading.level <= LAST_LEVEL;
        if has_content || is_alone {
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
mod tests;
