//! How do the elements of a page become a text with headings?
//!
//! White space is as a browser shows it: each block starts on a new line, and blank lines separate paragraphs. A heading
//! knows the anchor that a link to it needs. A term of a definition list with an anchor is a heading, too: reference
//! manuals describe their functions in such lists.

use super::attributes::Attributes;
use super::chrome::{heading_level, is_invisible, is_note};
use super::content::PageContent;
use super::tree::PageTree;
use crate::input::page::Heading;
use ego_tree::NodeId;
use ego_tree::iter::Edge;
use scraper::ElementRef;
use std::ops::Range;

/// The level of a term in a definition list that is within no other. Headings have the levels 1 to 6.
const TERM_LEVEL: u8 = 7;
/// Terms in deeper lists count as this deep.
const MAX_TERM_DEPTH: usize = 4;
/// The least `data-pagefind-weight` that makes a text important.
const IMPORTANT: f64 = 1.5;

/// The text of a page.
#[derive(Debug, Default)]
pub struct PageText {
    /// The text.
    pub text: String,
    /// The headings, in order.
    pub headings: Vec<Heading>,
    /// The parts of the text that the page calls important.
    pub important: Vec<Range<usize>>,
    /// Offsets in the text, and the lines of the page that they come from, in order.
    pub lines: Vec<(usize, u64)>,
}

impl PageText {
    /// Reads the text of a page's content.
    pub fn of(tree: &PageTree, content: &PageContent) -> PageText {
        let mut writer = TextWriter { line: 1, line_count: tree.line_count, ..TextWriter::default() };
        for root in &content.roots {
            let Some(root) = tree.html.tree.get(*root).and_then(ElementRef::wrap) else { continue };
            writer.root = Some(root.id());
            writer.gap = writer.gap.max(Gap::Paragraph);
            let mut skipped: Option<NodeId> = None;
            for edge in root.traverse() {
                match edge {
                    Edge::Open(_) if skipped.is_some() => {}
                    Edge::Open(node) if content.dropped.contains(&node.id()) => skipped = Some(node.id()),
                    Edge::Open(node) => {
                        if let Some(line) = tree.lines.get(&node.id()) {
                            writer.line = *line;
                        }
                        if let Some(text) = node.value().as_text() {
                            writer.text(text);
                        } else if let Some(element) = ElementRef::wrap(node) {
                            writer.start(element);
                        }
                    }
                    Edge::Close(node) if skipped.is_some() => {
                        skipped = skipped.filter(|skipped| *skipped != node.id());
                    }
                    Edge::Close(node) => {
                        if let Some(element) = ElementRef::wrap(node) {
                            writer.end(element);
                        }
                    }
                }
            }
        }
        writer.out
    }
}

/// The separation between the text so far and the next text, from the smallest to the largest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Gap {
    #[default]
    Nothing,
    Space,
    Cell,
    Line,
    Paragraph,
}

/// A heading whose text is being read.
struct OpenHeading {
    node: NodeId,
    level: u8,
    anchor: Option<String>,
    /// Where its text starts, once there is some.
    at: Option<usize>,
}

/// A definition list that is open.
struct OpenList {
    node: NodeId,
    /// The heading before the list, which holds again after it.
    outer: Option<usize>,
    has_terms: bool,
}

#[derive(Default)]
struct TextWriter {
    out: PageText,
    root: Option<NodeId>,
    line: u64,
    line_count: u64,
    gap: Gap,
    heading: Option<OpenHeading>,
    lists: Vec<OpenList>,
    /// The heading that holds again for the next text, after a definition list.
    resumed: Option<Option<usize>>,
    preformatted: usize,
    /// For each open cell of a table, the length of the text before it.
    cells: Vec<usize>,
    /// The elements with an important text, and where it starts.
    important: Vec<(NodeId, usize)>,
}

impl TextWriter {
    fn start(&mut self, element: ElementRef) {
        let tag = element.value().name();
        // A paragraph at the start of a cell does not separate it from the cell before.
        if self.cells.last() != Some(&self.out.text.len()) {
            self.gap = self.gap.max(gap_around(tag));
        }
        match tag {
            "pre" => self.preformatted += 1,
            "td" | "th" => self.cells.push(self.out.text.len()),
            "br" if self.preformatted > 0 => self.text("\n"),
            "img" if !is_logo(element) => {
                let alternative = element.attribute("alt").unwrap_or_default();
                self.text(alternative);
            }
            "dl" => {
                let outer = self.resumed.unwrap_or(self.out.headings.len().checked_sub(1));
                self.lists.push(OpenList { node: element.id(), outer, has_terms: false });
            }
            _ => {}
        }
        let weight =
            element.attribute("data-pagefind-weight").and_then(|weight| weight.trim().parse::<f64>().ok());
        if weight.is_some_and(|weight| weight >= IMPORTANT) {
            self.important.push((element.id(), self.out.text.len()));
        }
        if self.heading.is_none() {
            self.heading = self.heading_at(element);
        }
    }

    /// Returns the heading that starts with an element.
    fn heading_at(&mut self, element: ElementRef) -> Option<OpenHeading> {
        let open = |level, anchor| Some(OpenHeading { node: element.id(), level, anchor, at: None });
        if let Some(level) = heading_level(element) {
            let own = own_anchor(element);
            // The title of an admonition is no heading of the text after it.
            let mut around = element.ancestors().filter_map(ElementRef::wrap).take(3);
            if own.is_none() && around.any(|outer| Some(outer.id()) != self.root && is_note(outer)) {
                return None;
            }
            return open(level, own.or_else(|| self.anchor_around(element)));
        }
        // A term in a table is a label of a cell.
        if element.value().name() != "dt" || !self.cells.is_empty() {
            return None;
        }
        let anchor = own_anchor(element)?;
        self.lists.last_mut()?.has_terms = true;
        let depth = self.lists.iter().filter(|list| list.has_terms).count().clamp(1, MAX_TERM_DEPTH);
        open(TERM_LEVEL + u8::try_from(depth - 1).expect("the depth is limited"), Some(anchor))
    }

    /// Returns the anchor of the nearest element around a heading, as far as the root of the text. The root leads to the
    /// first heading.
    fn anchor_around(&self, heading: ElementRef) -> Option<String> {
        let is_first = self.out.headings.is_empty();
        let above = self.root.filter(|_| is_first).and_then(|root| heading.tree().get(root)?.parent());
        let end = if is_first { above.map(|node| node.id()) } else { self.root };
        let is_inside = |node: &ElementRef| Some(node.id()) != end;
        let around = heading.ancestors().filter_map(ElementRef::wrap).take_while(is_inside);
        around.filter(|outer| !matches!(outer.value().name(), "body" | "html")).find_map(anchor_at)
    }

    fn end(&mut self, element: ElementRef) {
        let tag = element.value().name();
        if tag == "pre" {
            self.preformatted = self.preformatted.saturating_sub(1);
        }
        if let Some((_, start)) = self.important.pop_if(|(node, _)| *node == element.id()) {
            self.out.important.push(start..self.out.text.len());
        }
        if self.heading.as_ref().is_some_and(|heading| heading.node == element.id()) {
            self.end_heading();
        }
        if let Some(list) = self.lists.pop_if(|list| list.node == element.id())
            && list.has_terms
        {
            self.resumed = Some(list.outer);
        }
        match tag {
            "td" | "th" => {
                self.cells.pop();
                self.gap = Gap::Cell;
            }
            "tr" => self.gap = Gap::Line,
            _ => self.gap = self.gap.max(gap_around(tag)),
        }
    }

    fn end_heading(&mut self) {
        // Ignore headings without text.
        let Some(OpenHeading { level, anchor, at: Some(at), .. }) = self.heading.take() else { return };
        let end = self.out.text.len();
        let name = self.out.text[at..].split_whitespace().collect::<Vec<_>>().join(" ");
        self.out.headings.push(Heading { level, at, end, name, anchor });
        self.resumed = None;
    }

    fn text(&mut self, text: &str) {
        if self.preformatted > 0 {
            for line in text.split_inclusive('\n') {
                self.push(line);
                self.line += u64::from(line.ends_with('\n'));
            }
            return;
        }
        for piece in text.split_inclusive(is_collapsed) {
            let word = piece.trim_end_matches(is_collapsed);
            if !word.is_empty() {
                self.push(word);
            }
            if word.len() < piece.len() {
                self.gap = self.gap.max(Gap::Space);
            }
            self.line += u64::from(piece.ends_with('\n'));
        }
    }

    fn push(&mut self, text: &str) {
        let clean;
        let text = if text.contains(is_invisible) {
            clean = text.replace(is_invisible, "");
            &clean
        } else {
            text
        };
        if text.is_empty() {
            return;
        }
        let out = &mut self.out.text;
        if !out.is_empty() {
            // A preformatted text may end with a line end of its own.
            out.push_str(match self.gap {
                Gap::Nothing => "",
                Gap::Space | Gap::Cell | Gap::Line if out.ends_with('\n') => "",
                Gap::Space => " ",
                Gap::Cell => " | ",
                Gap::Paragraph if !out.ends_with('\n') => "\n\n",
                Gap::Line | Gap::Paragraph => "\n",
            });
        }
        self.gap = Gap::Nothing;
        let at = out.len();
        // The parser may move a text out of a table, so lines are estimates.
        let line = self.line.min(self.line_count);
        if self.out.lines.last().is_none_or(|&(_, last)| last != line) {
            self.out.lines.push((at, line));
        }
        match &mut self.heading {
            Some(heading) => heading.at = heading.at.or(Some(at)),
            None => self.resume(at),
        }
        self.out.text.push_str(text);
    }

    /// After a definition list, lets the heading before the list hold again.
    fn resume(&mut self, at: usize) {
        let Some(outer) = self.resumed.take() else { return };
        let heading = match outer {
            Some(place) => Heading { at, end: at, ..self.out.headings[place].clone() },
            None => Heading { level: 1, at, end: at, name: String::new(), anchor: None },
        };
        self.out.headings.push(heading);
    }
}

/// Returns the anchor of an element: its id, that of an element within it, or that of an empty element before it.
fn own_anchor(element: ElementRef) -> Option<String> {
    let inner = || element.descendent_elements().find_map(anchor_at);
    let linked = || {
        let links = element.descendent_elements().filter(|inner| inner.value().name() == "a");
        // The permalink sign of a heading leads to the heading.
        let mut targets =
            links.filter(|link| !super::chrome::text_of(*link).chars().any(char::is_alphanumeric));
        targets.find_map(|link| {
            Some(decoded(link.attribute("href")?.strip_prefix('#')?)).filter(|id| !id.is_empty())
        })
    };
    let before = || {
        let mut siblings = element.prev_siblings();
        let is_blank = |node: &ego_tree::NodeRef<scraper::Node>| {
            node.value().as_text().is_some_and(|text| text.trim().is_empty()) || node.value().is_comment()
        };
        let before = ElementRef::wrap(siblings.find(|node| !is_blank(node))?)?;
        let is_mark = matches!(before.value().name(), "a" | "span" | "div");
        if is_mark && super::chrome::text_of(before).is_empty() {
            anchor_at(before).or_else(|| before.descendent_elements().find_map(anchor_at))
        } else {
            None
        }
    };
    anchor_at(element).or_else(inner).or_else(linked).or_else(before)
}

/// Whether an image shows whose page this is.
fn is_logo(image: ElementRef) -> bool {
    let names = ["class", "alt", "id"].iter().filter_map(|name| image.attribute(name));
    names
        .flat_map(|names| names.split(|letter: char| !letter.is_alphanumeric()))
        .any(|word| word.eq_ignore_ascii_case("logo"))
}

/// Returns the id of an element, or the name of a link.
fn anchor_at(element: ElementRef) -> Option<String> {
    let name = element.attribute("name").filter(|_| element.value().name() == "a");
    element.attribute("id").or(name).map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned)
}

fn decoded(fragment: &str) -> String {
    percent_encoding::percent_decode_str(fragment).decode_utf8_lossy().into_owned()
}

/// Whether a browser collapses this white space into one space.
fn is_collapsed(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\u{c}')
}

/// Returns the separation of an element from the text before and after it.
fn gap_around(tag: &str) -> Gap {
    match tag {
        "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "dl" | "figure" | "hr" | "ol"
        | "pre" | "table" | "ul" => Gap::Paragraph,
        "address" | "article" | "aside" | "body" | "br" | "caption" | "center" | "dd" | "details"
        | "dialog" | "div" | "dt" | "fieldset" | "figcaption" | "footer" | "form" | "header" | "hgroup"
        | "legend" | "li" | "main" | "menu" | "option" | "section" | "summary" | "tbody" | "tfoot"
        | "thead" | "tr" => Gap::Line,
        "td" | "th" => Gap::Cell,
        "img" => Gap::Space,
        _ => Gap::Nothing,
    }
}
