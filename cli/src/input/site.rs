//! Which pages of all documents are left out? Pages that ask for it, and pages that another page repeats.
//!
//! All documents are read before the first becomes records, because these rules compare pages with each other.

use super::document::{Document, DocumentMarkup, DocumentReading, DocumentRules};
use super::html::PageRefusal;
use super::page::DocumentPage;
use super::source::InputSource;
use crate::parallel;
use anyhow::Result;
use indicatif::HumanCount;
use std::collections::HashMap;
use xxhash_rust::xxh3::xxh3_128;

/// Two pages with different titles and a text that is at most this long, in bytes, are two pages.
const SHORT_TEXT: usize = 200;

/// A document that was found.
pub struct SiteDocument {
    pub source: InputSource,
    pub markup: DocumentMarkup,
    /// The path that the ids of its records start with.
    pub path: String,
}

/// The number of pages that are left out, by reason.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(Vec<(PageRefusal, u64)>);

impl LeftOut {
    fn note(&mut self, refusal: PageRefusal) {
        match self.0.iter_mut().find(|(known, _)| *known == refusal) {
            Some((_, count)) => *count += 1,
            None => self.0.push((refusal, 1)),
        }
    }

    /// Returns a sentence with the counts; `None` if no page is left out.
    pub fn summary(&self) -> Option<String> {
        let mut counts = self.0.clone();
        counts.sort();
        let told = counts.iter().map(|(refusal, count)| {
            let reason = match refusal {
                PageRefusal::NoIndex => "with noindex",
                PageRefusal::Redirect => "that redirect",
                PageRefusal::NoRoot => "without a match of --root-selector",
                PageRefusal::Unmarked => "without data-pagefind-body, which other pages have",
                PageRefusal::Empty => "without text",
                PageRefusal::Duplicate => "that repeat another page",
            };
            format!("{} {reason}", HumanCount(*count))
        });
        let told = told.collect::<Vec<_>>();
        let total = counts.iter().map(|(_, count)| count).sum::<u64>();
        let pages = if total == 1 { "page" } else { "pages" };
        (total > 0).then(|| format!("{} {pages} left out: {}", HumanCount(total), told.join(", ")))
    }
}

/// Reads all documents on several threads. Returns, in their order, the name and the reading of each one, and the number
/// of pages that are left out.
///
/// # Errors
/// When a file cannot be read.
pub fn read_documents(
    documents: Vec<SiteDocument>,
    rules: &DocumentRules,
    threads: usize,
) -> Result<(Vec<(String, DocumentReading)>, LeftOut)> {
    let mut found = Vec::with_capacity(documents.len());
    let read = |SiteDocument { source, markup, path }: SiteDocument| -> Result<_> {
        let bytes = source.read()?;
        Ok((source.name(), Document { markup, path, bytes }.read(rules)))
    };
    parallel::in_order(threads, documents.into_iter().map(Ok), read, |reading| {
        found.push(reading?);
        Ok::<(), anyhow::Error>(())
    })?;
    refuse_unmarked(&mut found);
    for (_, reading) in &mut found {
        if matches!(reading, DocumentReading::Page(page) if page.text[page.start..].trim().is_empty()) {
            *reading = DocumentReading::Refused(PageRefusal::Empty);
        }
    }
    refuse_duplicates(&mut found);
    let mut left_out = LeftOut::default();
    for (_, reading) in &found {
        if let DocumentReading::Refused(refusal) = reading {
            left_out.note(*refusal);
        }
    }
    Ok((found, left_out))
}

/// If a page names its text with `data-pagefind-body`, leaves out the HTML pages that do not, as Pagefind does.
fn refuse_unmarked(found: &mut [(String, DocumentReading)]) {
    let is_marked =
        |reading: &DocumentReading| matches!(reading, DocumentReading::Page(page) if page.is_marked);
    if !found.iter().any(|(_, reading)| is_marked(reading)) {
        return;
    }
    for (_, reading) in found {
        let is_html = matches!(reading, DocumentReading::Page(page) if page.lines.is_some());
        if is_html && !is_marked(reading) {
            *reading = DocumentReading::Refused(PageRefusal::Unmarked);
        }
    }
}

/// Leaves out all pages but one that name the same address as their own, or have the same text.
fn refuse_duplicates(found: &mut [(String, DocumentReading)]) {
    let mut kept_by_address: HashMap<String, usize> = HashMap::new();
    let mut kept_by_text: HashMap<u128, usize> = HashMap::new();
    for place in 0..found.len() {
        let DocumentReading::Page(page) = &found[place].1 else { continue };
        let text = text_key(page);
        let canonical = page.canonical.clone();
        let known = canonical.as_ref().and_then(|address| kept_by_address.get(address));
        let known = known.or_else(|| text.and_then(|text| kept_by_text.get(&text))).copied();
        let mut kept = place;
        if let Some(other) = known {
            let is_better = is_at_its_address(page) && !page_at(found, other).is_some_and(is_at_its_address);
            let worse = if is_better { other } else { place };
            kept = if is_better { place } else { other };
            found[worse].1 = DocumentReading::Refused(PageRefusal::Duplicate);
        }
        canonical.map(|address| kept_by_address.insert(address, kept));
        text.map(|text| kept_by_text.insert(text, kept));
    }
}

fn page_at(found: &[(String, DocumentReading)], place: usize) -> Option<&DocumentPage> {
    match &found[place].1 {
        DocumentReading::Page(page) => Some(page),
        DocumentReading::Refused(_) | DocumentReading::Bad(_) => None,
    }
}

/// Returns a key that pages with the same text share; `None` for a page without text.
fn text_key(page: &DocumentPage) -> Option<u128> {
    let text = page.text[page.start..].trim();
    let title = if text.len() <= SHORT_TEXT { page.title.as_str() } else { "" };
    (!text.is_empty()).then(|| xxh3_128(format!("{title}\0{text}").as_bytes()))
}

/// Whether the address that a page names as its own ends with the page's path.
fn is_at_its_address(page: &DocumentPage) -> bool {
    let Some(canonical) = &page.canonical else { return false };
    let bare = |path: &str| {
        let path = path.strip_suffix("index.html").unwrap_or(path);
        path.strip_suffix(".html").unwrap_or(path).trim_matches('/').to_owned()
    };
    let (address, path) = (bare(canonical), bare(&page.path));
    // An address without a host is a path.
    let own_path = match address.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => &address,
    };
    own_path == path || own_path.ends_with(&format!("/{path}")) || path.ends_with(&format!("/{own_path}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(path: &str, canonical: Option<&str>, text: &str) -> (String, DocumentReading) {
        let page = DocumentPage {
            path: path.to_owned(),
            title: path.to_owned(),
            canonical: canonical.map(str::to_owned),
            text: text.to_owned(),
            lines: Some(Vec::new()),
            ..DocumentPage::default()
        };
        (path.to_owned(), DocumentReading::Page(Box::new(page)))
    }

    fn kept(mut found: Vec<(String, DocumentReading)>) -> Vec<String> {
        refuse_duplicates(&mut found);
        found.retain(|(_, reading)| matches!(reading, DocumentReading::Page(_)));
        found.into_iter().map(|(name, _)| name).collect()
    }

    #[test]
    fn of_pages_with_the_same_address_the_page_at_that_address_stays() {
        let address = Some("https://a.example/new/x");
        let found = vec![
            page("old/x.html", address, "one"),
            page("new/x.html", address, "two"),
            page("z.html", address, "3"),
        ];
        assert_eq!(kept(found), ["new/x.html"]);
        let found = vec![page("e.html", Some("/f.html"), "one"), page("f.html", Some("/f.html"), "two")];
        assert_eq!(kept(found), ["f.html"]);
        let found = vec![page("a.html", Some("/c"), "one"), page("b.html", Some("/d"), "two")];
        assert_eq!(kept(found), ["a.html", "b.html"]);
    }

    #[test]
    fn of_pages_with_the_same_text_the_first_stays_but_short_texts_need_the_same_title() {
        let long = "word ".repeat(50);
        let found = vec![
            page("a", None, &long),
            page("b", None, &long),
            page("c", None, "soon"),
            page("d", None, "soon"),
        ];
        assert_eq!(kept(found), ["a", "c", "d"]);
    }
}
