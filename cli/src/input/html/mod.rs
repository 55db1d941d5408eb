//! The text of an HTML page and nothing else: without navigation, sidebars, buttons and hidden elements.
//!
//! The page is parsed as browsers parse it. [`content`] chooses the elements that hold the text, [`chrome`] knows the
//! elements that do not, and [`text`] writes the text with its headings.

mod attributes;
mod charset;
mod chrome;
mod content;
mod head;
mod pagefind;
mod text;
mod tree;

pub use charset::decode;
pub use text::PageText;

use content::PageContent;
use head::Head;
use pagefind::PagefindFields;
use scraper::Selector;
use snapseek::json::Json;
use tree::PageTree;

/// The user's choice of elements.
#[derive(Clone, Debug, Default)]
pub struct HtmlRules {
    /// The elements that hold the text of a page.
    pub root: Option<Selector>,
    /// Elements that are left out.
    pub excluded: Vec<Selector>,
}

/// The contents of a page.
#[derive(Debug, Default)]
pub struct HtmlPage {
    /// The text and its headings.
    pub content: PageText,
    /// The title.
    pub title: Option<String>,
    /// The fields of its records.
    pub entries: Vec<(String, Json)>,
    /// The address in `<link rel="canonical">`, as written.
    pub canonical: Option<String>,
    /// Whether the page names its text with `data-pagefind-body`.
    pub is_marked: bool,
}

/// The reasons why a page has no records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageRefusal {
    /// It asks search engines to leave it out.
    NoIndex,
    /// It leads to another page.
    Redirect,
    /// The user's selector matches nothing in it.
    NoRoot,
    /// It has no `data-pagefind-body`, and other pages have.
    Unmarked,
    /// It has no text.
    Empty,
    /// Another page has the same address or the same text.
    Duplicate,
}

impl HtmlPage {
    /// Reads a page.
    ///
    /// # Errors
    /// When the page must not or cannot be indexed.
    pub fn read(html: &str, rules: &HtmlRules) -> Result<HtmlPage, PageRefusal> {
        let tree = PageTree::parse(html);
        let head = Head::of(&tree.html);
        if head.is_noindex {
            return Err(PageRefusal::NoIndex);
        }
        if head.is_redirect {
            return Err(PageRefusal::Redirect);
        }
        let chosen = PageContent::of(&tree.html, rules)?;
        let content = PageText::of(&tree, &chosen);
        let fields = PagefindFields::of(&tree.html);
        let title = fields.title.or_else(|| title(&head, &content));
        let mut entries = head.entries;
        // The page's own attributes say more than its head.
        entries.retain(|(name, _)| !fields.entries.iter().any(|(known, _)| known == name));
        entries.extend(fields.entries);
        Ok(HtmlPage { content, title, entries, canonical: head.canonical, is_marked: chosen.is_marked })
    }
}

/// Returns the title of a page. The name of the site, which many pages append to it, is left out if a heading shows
/// where it starts.
fn title(head: &Head, content: &PageText) -> Option<String> {
    let heading = content.headings.iter().find(|heading| heading.level == 1 && !heading.name.is_empty());
    let Some(title) = &head.title else {
        return head.shared_title.clone().or_else(|| heading.map(|heading| heading.name.clone()));
    };
    let is_separated = |rest: &str| {
        let mut rest = rest.trim().chars();
        rest.next().is_some_and(|letter| !letter.is_alphanumeric()) && rest.next() == Some(' ')
    };
    let is_before = |name: &str| title.strip_prefix(name).is_some_and(is_separated);
    let first = content.headings.first();
    let names = heading.into_iter().chain(first).map(|heading| heading.name.as_str());
    let candidates = names.chain(head.shared_title.as_deref());
    let found = candidates.filter(|name| !name.is_empty()).find(|name| is_before(name));
    Some(found.map_or_else(|| title.clone(), str::to_owned))
}

#[cfg(test)]
mod tests;
