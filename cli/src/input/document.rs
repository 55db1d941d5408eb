//! How is a document (Markdown, HTML, plain text) read? Each kind becomes a page: text, headings, title, fields and address.

use super::address::Addresses;
use super::chunk::count_lines;
use super::html::{HtmlPage, HtmlRules, PageRefusal, decode};
use super::page::{DocumentPage, Heading, IMPORTANT};
use super::slug::{SlugStyle, Slugs};
use super::{front_matter, markdown};
use snapseek::attributes::time_of;
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

/// How documents are read: the user's options.
#[derive(Clone, Debug)]
pub struct DocumentRules {
    /// Which elements of HTML pages count.
    pub html: HtmlRules,
    /// How addresses are made.
    pub addresses: Addresses,
    /// How anchors are made.
    pub slugs: SlugStyle,
}

/// The bytes of a document.
#[derive(Debug)]
pub struct Document {
    /// Its markup.
    pub markup: DocumentMarkup,
    /// The path that the ids of its records start with. It uses `/` on every machine.
    pub path: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// The result of reading a document.
#[derive(Debug)]
pub enum DocumentReading {
    /// A page with records.
    Page(Box<DocumentPage>),
    /// A page that is left out.
    Refused(PageRefusal),
    /// A document that cannot be read.
    Bad(BadDocument),
}

/// A fault in a document, and its line, counted from 1.
#[derive(Debug, PartialEq, Eq)]
pub struct BadDocument {
    pub line: u64,
    pub reason: String,
}

/// The fields that every record of a document has.
const OWN_FIELDS: [&str; 12] = [
    "id",
    "title",
    "heading",
    "text",
    IMPORTANT,
    "url",
    "anchor",
    "path",
    "chunkIndex",
    "offset",
    "line",
    "$",
];

/// Folders of a path that say nothing about the subject of a page.
const UNTELLING_FOLDERS: [&str; 6] = ["docs", "doc", "latest", "stable", "main", "master"];

impl Document {
    /// Reads the document.
    pub fn read(&self, rules: &DocumentRules) -> DocumentReading {
        let page = match self.markup {
            DocumentMarkup::Markdown => self.markdown(rules),
            DocumentMarkup::Html => match HtmlPage::read(&decode(&self.bytes), &rules.html) {
                Ok(page) => Ok(self.html(page, rules)),
                Err(refusal) => return DocumentReading::Refused(refusal),
            },
            DocumentMarkup::Plain => self.text().map(|text| {
                let title = self.title(&[]);
                Some(DocumentPage { title, text: text.to_owned(), ..self.page(rules, None, Vec::new()) })
            }),
        };
        match page {
            Ok(Some(page)) => DocumentReading::Page(Box::new(page)),
            Ok(None) => DocumentReading::Refused(PageRefusal::NoIndex),
            Err(bad) => DocumentReading::Bad(bad),
        }
    }

    fn markdown(&self, rules: &DocumentRules) -> Result<Option<DocumentPage>, BadDocument> {
        let text = self.text()?;
        let matter =
            front_matter::parse(text).map_err(|bad| BadDocument { line: bad.line, reason: bad.reason })?;
        if is_unsearched(&matter.entries) {
            return Ok(None);
        }
        let mut headings = markdown::headings(text, matter.len);
        give_anchors(&mut headings, rules.slugs);
        let address = own_address(&matter.entries, rules.slugs);
        let (title, entries) = sorted_out(matter.entries);
        let title = title.unwrap_or_else(|| self.title(&headings));
        let page = self.page(rules, None, entries);
        let url = match &address {
            Some(address) => rules.addresses.resolved(&self.path, self.markup, address),
            None => page.url,
        };
        Ok(Some(DocumentPage { title, text: text.to_owned(), start: matter.len, headings, url, ..page }))
    }

    fn html(&self, page: HtmlPage, rules: &DocumentRules) -> Option<DocumentPage> {
        let HtmlPage { content, title, entries, canonical, is_marked } = page;
        // Readers cannot follow an address such as file:///home/me/site.
        let canonical = canonical
            .filter(|link| link.split_once("://").is_none_or(|(scheme, _)| scheme.starts_with("http")));
        let mut headings = content.headings;
        give_anchors(&mut headings, rules.slugs);
        let title = title.unwrap_or_else(|| self.title(&headings));
        let (_, entries) = sorted_out(entries);
        Some(DocumentPage {
            title,
            text: content.text,
            headings,
            important: content.important,
            lines: Some(content.lines),
            is_marked,
            ..self.page(rules, canonical.as_deref(), entries)
        })
    }

    /// Returns a page without text.
    fn page(
        &self,
        rules: &DocumentRules,
        canonical: Option<&str>,
        mut entries: Vec<(String, Json)>,
    ) -> DocumentPage {
        if !entries.iter().any(|(name, _)| name == "section") {
            let section = section(&self.path, &entries);
            entries.extend(section.map(|section| ("section".to_owned(), Json::String(section))));
        }
        DocumentPage {
            path: self.path.clone(),
            url: rules.addresses.of_page(&self.path, self.markup, canonical),
            canonical: canonical.map(|link| rules.addresses.resolved(&self.path, self.markup, link)),
            entries,
            len: self.bytes.len(),
            ..DocumentPage::default()
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
}

/// Gives anchors to the headings that have none.
fn give_anchors(headings: &mut [Heading], style: SlugStyle) {
    let mut slugs = Slugs::new(style, headings.iter().filter_map(|heading| heading.anchor.as_deref()));
    for heading in headings.iter_mut().filter(|heading| heading.anchor.is_none()) {
        heading.anchor = slugs.next(&heading.name);
    }
}

/// Returns the first telling folder of a path: the part of a site that a page belongs to.
fn section(path: &str, entries: &[(String, Json)]) -> Option<String> {
    let (folders, _) = path.rsplit_once('/')?;
    let lang = entries.iter().find(|(name, _)| name == "lang").and_then(|(_, lang)| lang.as_str());
    let is_untelling = |folder: &str| {
        let is_version = folder.trim_start_matches('v').starts_with(|letter: char| letter.is_ascii_digit());
        is_version
            || UNTELLING_FOLDERS.contains(&folder)
            || lang.is_some_and(|lang| {
                lang.eq_ignore_ascii_case(folder) || lang.starts_with(&format!("{folder}-"))
            })
    };
    folders.split('/').find(|folder| !is_untelling(folder)).map(str::to_owned)
}

/// Whether front matter keeps a page out of search.
fn is_unsearched(entries: &[(String, Json)]) -> bool {
    entries.iter().any(|(name, value)| match (name.as_str(), value) {
        ("noindex", Json::Bool(is_set)) => *is_set,
        ("search", Json::Bool(is_set)) => !is_set,
        ("search", search @ Json::Object(_)) => search.get("exclude") == Some(&Json::Bool(true)),
        ("robots", Json::String(robots)) => robots.to_ascii_lowercase().contains("noindex"),
        _ => false,
    })
}

/// Returns the address that front matter gives a page.
fn own_address(entries: &[(String, Json)], style: SlugStyle) -> Option<String> {
    let text = |name: &str| {
        let found = entries.iter().find(|(known, _)| known == name);
        found.and_then(|(_, value)| value.as_str()).filter(|text| !text.is_empty())
    };
    let slug = || text("slug").filter(|_| style == SlugStyle::Docusaurus);
    // A permalink with placeholders, such as /:year/:title/, is no address.
    let address = text("url").or_else(|| text("permalink")).or_else(slug);
    address.filter(|address| !address.contains("/:")).map(str::to_owned)
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
            value => match fitting(&name, plain(value)) {
                Ok(value) => fields.push((name, value)),
                Err(value) => others.push((name, value)),
            },
        }
    }
    // Entries with the name of a built-in field are kept apart, so that they cannot be taken for it.
    if !others.is_empty() {
        fields.push(("frontMatter".to_owned(), Json::Object(others)));
    }
    (title, fields)
}

/// Returns a value in the form that the attribute of this name has in the preset for documents; the value itself as the
/// error if it has none.
fn fitting(name: &str, value: Json) -> Result<Json, Json> {
    match (name, value) {
        ("tags" | "keywords", Json::String(list)) => {
            let words = list.split(',').map(str::trim).filter(|word| !word.is_empty());
            Ok(Json::Array(words.map(|word| Json::String(word.to_owned())).collect()))
        }
        ("date", value) if time_of(&value).is_none() => Err(value),
        // A filter of Pagefind is a list.
        ("lang" | "section", Json::Array(values))
            if values.first().is_some_and(|first| first.as_str().is_some()) =>
        {
            Ok(values.into_iter().next().unwrap_or(Json::Null))
        }
        ("lang" | "section", value @ (Json::Array(_) | Json::Object(_))) => Err(value),
        ("tags" | "keywords" | "author", value @ Json::Object(_)) => Err(value),
        ("tags" | "keywords" | "author", Json::Array(values))
            if values.iter().any(|value| matches!(value, Json::Array(_) | Json::Object(_) | Json::Null)) =>
        {
            Err(Json::Array(values))
        }
        (_, value) => Ok(value),
    }
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

#[cfg(test)]
mod tests;
